#include <cudalint_stubs/samples.h>
