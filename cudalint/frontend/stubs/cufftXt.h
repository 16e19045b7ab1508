#include <cudalint_stubs/cufft.h>
