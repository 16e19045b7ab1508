#include <cudalint_stubs/cutlass.h>
