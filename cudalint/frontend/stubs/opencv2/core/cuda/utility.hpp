// Own declarations of OpenCV's masks of device images, written from their use.
#pragma once

#include <opencv2/core/cuda/saturate_cast.hpp>

namespace cv {
namespace cuda {
namespace device {

template <typename T> __host__ __device__ void swap(T &a, T &b) {
  const T held = a;
  a = b;
  b = held;
}

struct SingleMask {
  explicit __host__ __device__ SingleMask(PtrStepb image) : mask(image) {}
  __device__ bool operator()(int y, int x) const { return mask.ptr(y)[x] != 0; }
  PtrStepb mask;
};
struct WithOutMask {
  __host__ __device__ bool operator()(int, int) const { return true; }
  __host__ __device__ bool operator()(int, int, int) const { return true; }
};

}  // namespace device
}  // namespace cuda
}  // namespace cv
