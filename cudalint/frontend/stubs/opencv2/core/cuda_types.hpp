// Own declarations of OpenCV's views of device memory, written from its public reference:
// https://docs.opencv.org/4.x/d2/d80/classcv_1_1cuda_1_1PtrStepSz.html
#pragma once

#include <cstddef>

#define __CV_CUDA_HOST_DEVICE__ __host__ __device__ __forceinline__

typedef unsigned char uchar;
typedef signed char schar;
typedef unsigned short ushort;
typedef unsigned int uint;

namespace cv {
namespace cuda {

template <typename T> struct DevPtr {
  typedef T elem_type;
  typedef int index_type;
  enum { elem_size = sizeof(elem_type) };
  T *data;
  __host__ __device__ DevPtr() : data(0) {}
  __host__ __device__ DevPtr(T *at) : data(at) {}
  __host__ __device__ size_t elemSize() const { return elem_size; }
  __host__ __device__ operator T *() { return data; }
  __host__ __device__ operator const T *() const { return data; }
};

template <typename T> struct PtrSz : public DevPtr<T> {
  __host__ __device__ PtrSz() : size(0) {}
  __host__ __device__ PtrSz(T *at, size_t n) : DevPtr<T>(at), size(n) {}
  size_t size;
};

template <typename T> struct PtrStep : public DevPtr<T> {
  __host__ __device__ PtrStep() : step(0) {}
  __host__ __device__ PtrStep(T *at, size_t bytes) : DevPtr<T>(at), step(bytes) {}
  size_t step;
  __host__ __device__ T *ptr(int y = 0) { return (T *)((char *)this->data + y * step); }
  __host__ __device__ const T *ptr(int y = 0) const { return (const T *)((const char *)this->data + y * step); }
  __host__ __device__ T &operator()(int y, int x) { return ptr(y)[x]; }
  __host__ __device__ const T &operator()(int y, int x) const { return ptr(y)[x]; }
};

template <typename T> struct PtrStepSz : public PtrStep<T> {
  __host__ __device__ PtrStepSz() : cols(0), rows(0) {}
  __host__ __device__ PtrStepSz(int height, int width, T *at, size_t bytes)
      : PtrStep<T>(at, bytes), cols(width), rows(height) {}
  template <typename U> explicit PtrStepSz(const PtrStepSz<U> &other)
      : PtrStep<T>((T *)other.data, other.step), cols(other.cols), rows(other.rows) {}
  int cols;
  int rows;
};

typedef PtrStepSz<unsigned char> PtrStepSzb;
typedef PtrStepSz<unsigned short> PtrStepSzus;
typedef PtrStepSz<float> PtrStepSzf;
typedef PtrStepSz<int> PtrStepSzi;
typedef PtrStep<unsigned char> PtrStepb;
typedef PtrStep<unsigned short> PtrStepus;
typedef PtrStep<float> PtrStepf;
typedef PtrStep<int> PtrStepi;

}  // namespace cuda
}  // namespace cv
