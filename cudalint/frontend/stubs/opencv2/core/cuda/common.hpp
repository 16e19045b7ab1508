// Own declarations of what OpenCV's kernels share, written from their use.
#pragma once

#include <cuda_runtime.h>
#include <opencv2/core/cuda_types.hpp>

#define CV_PI 3.1415926535897932384626433832795
#define CV_PI_F 3.14159265358979f
#define cudaSafeCall(call) (void)(call)

namespace cv {
namespace cuda {

static inline bool isAligned(const void *at, size_t size) { return reinterpret_cast<size_t>(at) % size == 0; }
static inline bool isAligned(size_t step, size_t size) { return step % size == 0; }

namespace device {
__host__ __device__ __forceinline__ int divUp(int total, int grain) { return (total + grain - 1) / grain; }
}  // namespace device

}  // namespace cuda
}  // namespace cv
