#include <cudalint_stubs/nvtx.h>
