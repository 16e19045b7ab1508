// Own declarations of OpenCV's images on device and host, written from its public reference:
// https://docs.opencv.org/4.x/d0/d60/classcv_1_1cuda_1_1GpuMat.html
// https://docs.opencv.org/4.x/d3/d63/classcv_1_1Mat.html
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
  int area() const { return width * height; }
  bool empty() const { return width <= 0 || height <= 0; }
};
inline bool operator==(const Size &a, const Size &b) { return a.width == b.width && a.height == b.height; }
inline bool operator!=(const Size &a, const Size &b) { return !(a == b); }
inline Size operator+(const Size &a, const Size &b) { return Size(a.width + b.width, a.height + b.height); }
inline Size operator-(const Size &a, const Size &b) { return Size(a.width - b.width, a.height - b.height); }
inline Size operator*(const Size &a, int b) { return Size(a.width * b, a.height * b); }
struct Point {
  int x, y;
  Point();
  Point(int column, int row) : x(column), y(row) {}
};
typedef Size Size2i;
typedef Point Point2i;
struct Rect {
  int x, y, width, height;
  Rect();
  Rect(int column, int row, int columns, int rows) : x(column), y(row), width(columns), height(rows) {}
  Rect(const Point &at, const Size &size) : x(at.x), y(at.y), width(size.width), height(size.height) {}
  Size size() const { return Size(width, height); }
  int area() const { return width * height; }
};
struct Scalar {
  double val[4];
  Scalar();
  Scalar(double a, double b = 0, double c = 0, double d = 0);
  double operator[](int i) const;
  static Scalar all(double value);
};
class _InputArray;
class _OutputArray;
class _InputOutputArray;
typedef const _InputArray &InputArray;
typedef const _OutputArray &OutputArray;
typedef const _InputOutputArray &InputOutputArray;

class Mat {
 public:
  Mat();
  Mat(int height, int width, int type);
  Mat(Size size, int type);
  void create(int height, int width, int type);
  void create(Size size, int type);
  void release();
  void copyTo(OutputArray to) const;
  void convertTo(OutputArray to, int type, double alpha = 1, double beta = 0) const;
  Mat clone() const;
  bool isContinuous() const;
  size_t elemSize() const;
  size_t elemSize1() const;
  size_t total() const;
  int type() const;
  int depth() const;
  int channels() const;
  Size size() const { return Size(cols, rows); }
  bool empty() const;
  template <typename T> T *ptr(int y = 0);
  template <typename T> const T *ptr(int y = 0) const;
  template <typename T> T &at(int y, int x);
  template <typename T> const T &at(int y, int x) const;
  int flags;
  int rows, cols;
  size_t step;
  uchar *data;
};

namespace cuda {

class Event;
class Stream {
 public:
  Stream();
  void waitForCompletion();
  bool queryIfComplete() const;
  void waitEvent(const Event &event);
  explicit operator bool() const;
  static Stream &Null();
};
class Event {
 public:
  Event();
  void record(Stream &stream = Stream::Null());
  bool queryIfComplete() const;
  void waitForCompletion();
};
struct StreamAccessor {
  static cudaStream_t getStream(const Stream &stream);
};

class GpuMat {
 public:
  GpuMat();
  GpuMat(int height, int width, int type);
  GpuMat(Size size, int type);
  GpuMat(int height, int width, int type, void *at, size_t bytes = 0);
  GpuMat(Size size, int type, void *at, size_t bytes = 0);
  GpuMat operator()(Rect part) const;
  void create(int height, int width, int type);
  void create(Size size, int type);
  void release();
  void upload(InputArray from);
  void upload(InputArray from, Stream &stream);
  void download(OutputArray to) const;
  void download(OutputArray to, Stream &stream) const;
  void copyTo(GpuMat &to) const;
  void copyTo(OutputArray to, Stream &stream) const;
  void copyTo(OutputArray to, InputArray mask) const;
  void copyTo(OutputArray to, InputArray mask, Stream &stream) const;
  void convertTo(OutputArray to, int type) const;
  void convertTo(OutputArray to, int type, Stream &stream) const;
  void convertTo(OutputArray to, int type, double alpha, double beta = 0) const;
  void convertTo(OutputArray to, int type, double alpha, Stream &stream) const;
  void convertTo(OutputArray to, int type, double alpha, double beta, Stream &stream) const;
  void locateROI(Size &whole, Point &at) const;
  GpuMat clone() const;
  GpuMat &setTo(Scalar value, Stream &stream = Stream::Null());
  GpuMat &setTo(Scalar value, InputArray mask, Stream &stream = Stream::Null());
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
  _InputArray(const Mat &image);
  cuda::GpuMat getGpuMat() const { return *held; }
  Mat getMat(int i = -1) const;
  Size size(int i = -1) const { return held->size(); }
  int cols(int i = -1) const { return held->cols; }
  int rows(int i = -1) const { return held->rows; }
  int type(int i = -1) const;
  int depth(int i = -1) const;
  int channels(int i = -1) const;
  bool empty() const;
  bool isGpuMat() const;
  bool isMat() const;

 protected:
  cuda::GpuMat *held;
};
class _OutputArray : public _InputArray {
 public:
  _OutputArray(cuda::GpuMat &image) : _InputArray(image) {}
  _OutputArray(Mat &image);
  void create(Size size, int type, int i = -1, bool transposed = false, int fixed = 0) const { held->create(size, type); }
  void create(int rows, int cols, int type, int i = -1, bool transposed = false, int fixed = 0) const {
    held->create(rows, cols, type);
  }
  cuda::GpuMat &getGpuMatRef() const { return *held; }
  Mat &getMatRef(int i = -1) const;
  void release() const;
};
class _InputOutputArray : public _OutputArray {
 public:
  _InputOutputArray(cuda::GpuMat &image) : _OutputArray(image) {}
  _InputOutputArray(Mat &image);
};

}  // namespace cv
