#include <cudalint_stubs/curand.h>
