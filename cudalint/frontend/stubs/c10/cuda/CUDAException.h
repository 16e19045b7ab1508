#include <cudalint_stubs/torch.h>
#include <c10/cuda/CUDADeviceAssertionHost.h>
