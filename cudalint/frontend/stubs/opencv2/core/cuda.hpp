// Own declarations of OpenCV's device images, written from its public reference:
// https://docs.opencv.org/4.x/d0/d60/classcv_1_1cuda_1_1GpuMat.html
#pragma once

#include <cuda_runtime.h>
#include <opencv2/core/cuda_types.hpp>

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
}  // namespace cv
