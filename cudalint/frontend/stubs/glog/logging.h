#include <cudalint_stubs/logging.h>
