// Warp matrix operations.
#pragma once
namespace nvcuda {
namespace wmma {
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32 {}; struct u4 {}; struct s4 {}; struct b1 {}; }
namespace experimental { namespace precision { struct u4 {}; struct s4 {}; struct b1 {}; } enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 }; enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 }; }
template <class T> struct __cudalint_element { typedef T type; };
template <> struct __cudalint_element<precision::tf32> { typedef float type; };
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
  static constexpr int num_elements = (M * N + 31) / 32;
  static constexpr int num_storage_elements = num_elements;
  typedef typename __cudalint_element<T>::type element_type;
  typename __cudalint_element<T>::type x[num_elements];
};
template <class F, class T> __device__ void fill_fragment(F &fragment, T value);
template <class F, class T> __device__ void load_matrix_sync(F &fragment, const T *from, unsigned stride);
template <class F, class T> __device__ void load_matrix_sync(F &fragment, const T *from, unsigned stride, layout_t layout);
template <class F, class T> __device__ void store_matrix_sync(T *to, const F &fragment, unsigned stride, layout_t layout);
template <class D, class A, class B, class C> __device__ void mma_sync(D &d, const A &a, const B &b, const C &c, bool saturate = false);
template <class D, class A, class B, class C> __device__ void bmma_sync(D &d, const A &a, const B &b, const C &c, experimental::bmmaBitOp op, experimental::bmmaAccumulateOp accumulate = experimental::bmmaAccumulateOpPOPC);
__device__ float __float_to_tf32(float x);
}  // namespace wmma
}  // namespace nvcuda
