#include <cudalint_stubs/rmm.h>
