#include <cudalint_stubs/nccl.h>
