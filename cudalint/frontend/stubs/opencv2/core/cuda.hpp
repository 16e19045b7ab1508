// Own declarations of OpenCV's device images, written from its public reference:
// https://docs.opencv.org/4.x/d0/d60/classcv_1_1cuda_1_1GpuMat.html
#pragma once

#include <cuda_runtime.h>
#include <opencv2/core/cuda_types.hpp>

// https://docs.opencv.org/4.x/db/de0/group__core__utils.html: what does not hold is thrown.
#ifndef CV_Assert
#define CV_Assert(...) __cudalint_check(static_cast<bool>(__VA_ARGS__))
#endif

namespace cv {

struct Size {
  int width, height;
  Size();
  Size(int columns, int rows) : width(columns), height(rows) {}
};
struct Rect {
  int x, y, width, height;
};
struct Scalar {
  double val[4];
  Scalar();
  Scalar(double a, double b = 0, double c = 0, double d = 0);
  double operator[](int i) const;
};
struct Mat;

namespace cuda {

class Stream {
 public:
  Stream();
  void waitForCompletion();
  static Stream &Null();
};
struct StreamAccessor {
  static cudaStream_t getStream(const Stream &stream);
};

class GpuMat {
 public:
  GpuMat();
  GpuMat(int height, int width, int type);
  GpuMat(Size size, int type);
  void create(int height, int width, int type);
  void create(Size size, int type);
  void release();
  void upload(const Mat &from);
  void download(Mat &to) const;
  void copyTo(GpuMat &to) const;
  GpuMat clone() const;
  GpuMat &setTo(Scalar value, Stream &stream = Stream::Null());
  GpuMat row(int y) const;
  GpuMat reshape(int channels, int rows = 0) const;
  bool isContinuous() const;
  size_t elemSize() const;
  size_t elemSize1() const;
  int type() const;
  int depth() const;
  int channels() const;
  Size size() const { return Size(cols, rows); }
  bool empty() const;
  uchar *ptr(int y = 0) { return data + step * y; }
  const uchar *ptr(int y = 0) const { return data + step * y; }
  template <typename T> T *ptr(int y = 0) { return (T *)(data + step * y); }
  template <typename T> const T *ptr(int y = 0) const { return (const T *)(data + step * y); }
  template <typename T> operator PtrStepSz<T>() const { return PtrStepSz<T>(rows, cols, (T *)data, step); }
  template <typename T> operator PtrStep<T>() const { return PtrStep<T>((T *)data, step); }
  int flags;
  int rows, cols;
  size_t step;
  uchar *data;
};

}  // namespace cuda

// What functions take for an image: https://docs.opencv.org/4.x/d4/d32/classcv_1_1__InputArray.html
class _InputArray {
 public:
  _InputArray(const cuda::GpuMat &image) : held(const_cast<cuda::GpuMat *>(&image)) {}
  cuda::GpuMat getGpuMat() const { return *held; }
  Size size(int i = -1) const { return held->size(); }
  int cols(int i = -1) const { return held->cols; }
  int rows(int i = -1) const { return held->rows; }
  int type(int i = -1) const;
  int depth(int i = -1) const;
  int channels(int i = -1) const;
  bool empty() const;
  bool isGpuMat() const;

 protected:
  cuda::GpuMat *held;
};
class _OutputArray : public _InputArray {
 public:
  _OutputArray(cuda::GpuMat &image) : _InputArray(image) {}
  void create(Size size, int type, int i = -1, bool transposed = false, int fixed = 0) const { held->create(size, type); }
  void create(int rows, int cols, int type, int i = -1, bool transposed = false, int fixed = 0) const {
    held->create(rows, cols, type);
  }
  cuda::GpuMat &getGpuMatRef() const { return *held; }
  void release() const;
};
class _InputOutputArray : public _OutputArray {
 public:
  _InputOutputArray(cuda::GpuMat &image) : _OutputArray(image) {}
};
typedef const _InputArray &InputArray;
typedef const _OutputArray &OutputArray;
typedef const _InputOutputArray &InputOutputArray;

}  // namespace cv
