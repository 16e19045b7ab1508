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
// Which lane has which elements is not said; each has its own, and what warps do to each other is the same.
template <class U, int M, int N, int K> struct __cudalint_tile;
template <int M, int N, int K> struct __cudalint_tile<matrix_a, M, N, K> { static constexpr int rows = M, columns = K; };
template <int M, int N, int K> struct __cudalint_tile<matrix_b, M, N, K> { static constexpr int rows = K, columns = N; };
template <int M, int N, int K> struct __cudalint_tile<accumulator, M, N, K> { static constexpr int rows = M, columns = N; };
template <class E> struct __cudalint_packed { static constexpr int elements = 1; };  // in one of what the pointer points to
template <> struct __cudalint_packed<experimental::precision::u4> { static constexpr int elements = 8; };
template <> struct __cudalint_packed<experimental::precision::s4> { static constexpr int elements = 8; };
template <> struct __cudalint_packed<experimental::precision::b1> { static constexpr int elements = 32; };
template <class L> struct __cudalint_order { static constexpr bool by_columns = false; };
template <> struct __cudalint_order<col_major> { static constexpr bool by_columns = true; };
__device__ int __cudalint_lane();
#define CUDALINT_TILE(by_columns)                                                                          \
  typedef __cudalint_tile<U, M, N, K> tile;                                                                \
  const int packed = __cudalint_packed<E>::elements;                                                       \
  const int length = ((by_columns) ? tile::rows : tile::columns) / packed;                                 \
  __syncwarp();                                                                                            \
  for (int i = __cudalint_lane(); i < tile::rows * tile::columns / packed; i += 32)
template <class U, int M, int N, int K, class E, class L, class T> __device__ void load_matrix_sync(fragment<U, M, N, K, E, L> &f, const T *from, unsigned stride) { CUDALINT_TILE(__cudalint_order<L>::by_columns) f.x[0] = from[i / length * (stride / packed) + i % length]; __syncwarp(); }
template <class U, int M, int N, int K, class E, class L, class T> __device__ void load_matrix_sync(fragment<U, M, N, K, E, L> &f, const T *from, unsigned stride, layout_t layout) { CUDALINT_TILE(layout == mem_col_major) f.x[0] = from[i / length * (stride / packed) + i % length]; __syncwarp(); }
template <class U, int M, int N, int K, class E, class L, class T> __device__ void store_matrix_sync(T *to, const fragment<U, M, N, K, E, L> &f, unsigned stride, layout_t layout) { CUDALINT_TILE(layout == mem_col_major) to[i / length * (stride / packed) + i % length] = f.x[0]; __syncwarp(); }
#undef CUDALINT_TILE
template <class D, class A, class B, class C> __device__ void mma_sync(D &d, const A &a, const B &b, const C &c, bool saturate = false);
template <class D, class A, class B, class C> __device__ void bmma_sync(D &d, const A &a, const B &b, const C &c, experimental::bmmaBitOp op, experimental::bmmaAccumulateOp accumulate = experimental::bmmaAccumulateOpPOPC);
__device__ float __float_to_tf32(float x);
}  // namespace wmma
}  // namespace nvcuda
