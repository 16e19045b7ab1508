// Arrays of Python's GPU libraries (CuPy, PyCUDA, NumPy) as the worded launches of Python files use them.
#pragma once
namespace cupy {
enum class dtype : signed char {
  uint8, int8, int16, int32, int64, float16, float32, float64, complex32, complex64, complex128, bool_,
  uint16 = 27, uint32, uint64
};
struct ndarray {
  ndarray();
  long size(long place) const;
  long numel() const;
  long dim() const;
  long nbytes() const;
  long element_size() const;
  dtype scalar_type() const;
  void *data_ptr() const;
  bool is_same_size(const ndarray &other) const;
};
template <class... T> ndarray empty(T... sizes);
template <class... T> ndarray of_number(T... sizes);
template <class... T> ndarray zeros(T... sizes);
template <class... T> ndarray ones(T... sizes);
template <class... T> ndarray full(T... sizes);
template <class... T> ndarray rand(T... sizes);
ndarray empty_like(const ndarray &like);
ndarray zeros_like(const ndarray &like);
ndarray ones_like(const ndarray &like);
ndarray full_like(const ndarray &like);
template <class... T> ndarray randn(T... sizes);
void holds(const ndarray &array, long first, long step);
long floor_div(long a, long b);
long floor_mod(long a, long b);
void *mem_alloc(long bytes);
[[noreturn]] void abort();
}  // namespace cupy
namespace py_host { double py_number(); }
