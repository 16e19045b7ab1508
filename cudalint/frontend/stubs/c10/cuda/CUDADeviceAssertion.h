#include <c10/cuda/CUDADeviceAssertionHost.h>
#ifndef CUDA_KERNEL_ASSERT2
#define CUDA_KERNEL_ASSERT2(condition) CUDA_KERNEL_ASSERT(condition)
#endif
