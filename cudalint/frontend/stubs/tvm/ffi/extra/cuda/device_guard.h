#include <cudalint_stubs/tvm_ffi.h>
