#include <cudalint_stubs/cublas.h>
