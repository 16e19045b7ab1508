// CUTLASS and CuTe outside their kernels: numeric types, fixed arrays, conversions, functors, the elected thread.
#pragma once
#define CUTLASS_HOST_DEVICE inline __host__ __device__
#define CUTLASS_DEVICE inline __device__
#define CUTE_HOST_DEVICE inline __host__ __device__
#define CUTE_DEVICE inline __device__
#define CUTLASS_PRAGMA_UNROLL
#define CUTLASS_PRAGMA_NO_UNROLL
#define CUTE_UNROLL
#define CUTLASS_GLOBAL static __global__
#define CUTE_GRID_CONSTANT __grid_constant__
#define CUTLASS_GRID_CONSTANT __grid_constant__
#pragma clang force_cuda_host_device begin
namespace cutlass {
#define CUTLASS_NARROW(name, bits, native)                                                                       \
  struct name {                                                                                                 \
    bits storage;                                                                                               \
    name() = default;                                                                                           \
    explicit name(float value);                                                                                 \
    explicit name(double value);                                                                                \
    explicit name(int value);                                                                                   \
    explicit name(unsigned value);                                                                              \
    explicit name(native value);                                                                                \
    operator float() const;                                                                                     \
    operator native() const;                                                                                    \
    static name bitcast(bits value);                                                                            \
    bits raw() const;                                                                                           \
  };                                                                                                            \
  inline name operator+(name a, name b) { return name(float(a) + float(b)); }                                   \
  inline name operator-(name a, name b) { return name(float(a) - float(b)); }                                   \
  inline name operator*(name a, name b) { return name(float(a) * float(b)); }                                   \
  inline name operator/(name a, name b) { return name(float(a) / float(b)); }                                   \
  inline name operator-(name a) { return name(-float(a)); }                                                     \
  inline name &operator+=(name &a, name b) { a = a + b; return a; }                                             \
  inline name &operator-=(name &a, name b) { a = a - b; return a; }                                             \
  inline name &operator*=(name &a, name b) { a = a * b; return a; }                                             \
  inline name &operator/=(name &a, name b) { a = a / b; return a; }                                             \
  inline bool operator<(name a, name b) { return float(a) < float(b); }                                         \
  inline bool operator<=(name a, name b) { return float(a) <= float(b); }                                       \
  inline bool operator>(name a, name b) { return float(a) > float(b); }                                         \
  inline bool operator>=(name a, name b) { return float(a) >= float(b); }                                       \
  inline bool operator==(name a, name b) { return float(a) == float(b); }                                       \
  inline bool operator!=(name a, name b) { return float(a) != float(b); }
CUTLASS_NARROW(half_t, unsigned short, __half)
CUTLASS_NARROW(bfloat16_t, unsigned short, __nv_bfloat16)
CUTLASS_NARROW(float_e4m3_t, unsigned char, __nv_fp8_e4m3)
CUTLASS_NARROW(float_e5m2_t, unsigned char, __nv_fp8_e5m2)
#undef CUTLASS_NARROW
template <class T> struct sizeof_bits { static constexpr int value = int(sizeof(T) * 8); };
template <class T> constexpr int sizeof_bits_v = sizeof_bits<T>::value;
template <class R = int, class T> constexpr R bits_to_bytes(T bits) { return (R(bits) + R(7)) / R(8); }
enum class FloatRoundStyle { round_indeterminate, round_toward_zero, round_to_nearest, round_to_nearest_satfinite };
template <class T, int N, bool Register = sizeof_bits<T>::value >= 32> struct Array {
  typedef T Element;
  typedef T value_type;
  typedef T Storage;
  typedef T &reference;
  typedef const T &const_reference;
  typedef T *pointer;
  typedef const T *const_pointer;
  typedef T *iterator;
  typedef const T *const_iterator;
  static constexpr size_t kStorageElements = N;
  static constexpr size_t kElements = N;
  T storage[N];
  constexpr size_t size() const { return N; }
  constexpr bool empty() const { return N == 0; }
  T *data() { return storage; }
  const T *data() const { return storage; }
  T *raw_data() { return storage; }
  const T *raw_data() const { return storage; }
  T *begin() { return storage; }
  const T *begin() const { return storage; }
  T *end() { return storage + N; }
  const T *end() const { return storage + N; }
  T &operator[](size_t i) { return storage[i]; }
  const T &operator[](size_t i) const { return storage[i]; }
  T &at(size_t i) { return storage[i]; }
  const T &at(size_t i) const { return storage[i]; }
  T &front() { return storage[0]; }
  T &back() { return storage[N - 1]; }
  void fill(const T &value) { for (int i = 0; i < N; ++i) storage[i] = value; }
  void clear() { fill(T(0)); }
};
#define CUTLASS_ELEMENTWISE(op)                                                                                  \
  template <class T, int N> Array<T, N> operator op(const Array<T, N> &a, const Array<T, N> &b) {               \
    Array<T, N> made;                                                                                           \
    for (int i = 0; i < N; ++i) made[i] = a[i] op b[i];                                                         \
    return made;                                                                                                \
  }                                                                                                             \
  template <class T, int N> Array<T, N> operator op(const Array<T, N> &a, const T &b) {                         \
    Array<T, N> made;                                                                                           \
    for (int i = 0; i < N; ++i) made[i] = a[i] op b;                                                            \
    return made;                                                                                                \
  }                                                                                                             \
  template <class T, int N> Array<T, N> operator op(const T &a, const Array<T, N> &b) {                         \
    Array<T, N> made;                                                                                           \
    for (int i = 0; i < N; ++i) made[i] = a op b[i];                                                            \
    return made;                                                                                                \
  }
CUTLASS_ELEMENTWISE(+) CUTLASS_ELEMENTWISE(-) CUTLASS_ELEMENTWISE(*) CUTLASS_ELEMENTWISE(/)
#undef CUTLASS_ELEMENTWISE
template <class T, int N, int Alignment = sizeof(T) * N> struct alignas(Alignment) AlignedArray : Array<T, N> {};
template <class T, class S, FloatRoundStyle Round = FloatRoundStyle::round_to_nearest> struct NumericConverter {
  typedef T result_type;
  typedef S source_type;
  static T convert(const S &value) { return static_cast<T>(value); }
  T operator()(const S &value) const { return static_cast<T>(value); }
};
template <class T, class S, int N, FloatRoundStyle Round = FloatRoundStyle::round_to_nearest> struct NumericArrayConverter {
  typedef Array<T, N> result_type;
  typedef Array<S, N> source_type;
  static Array<T, N> convert(const Array<S, N> &source) {
    Array<T, N> result;
    for (int i = 0; i < N; ++i) result[i] = static_cast<T>(source[i]);
    return result;
  }
  Array<T, N> operator()(const Array<S, N> &source) const { return convert(source); }
};
template <class T> struct plus { T operator()(T a, const T &b) const { return a + b; } };
template <class T> struct minus { T operator()(T a, const T &b) const { return a - b; } };
template <class T> struct multiplies { T operator()(T a, const T &b) const { return a * b; } };
template <class T, bool PropagateNaN = false> struct maximum { T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
template <class T, bool PropagateNaN = false> struct minimum { T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <class T> struct multiply_add { T operator()(const T &a, const T &b, const T &c) const { return a * b + c; } };
template <class T> T fast_max(T a, T b) { return a < b ? b : a; }
template <class T> T fast_min(T a, T b) { return b < a ? b : a; }
template <class T> T fast_exp(T a) { return T(::expf(float(a))); }
template <class T> T fast_tanh(T a) { return T(::tanhf(float(a))); }
namespace platform = std;
constexpr int NumThreadsPerWarp = 32;
constexpr int NumThreadsPerWarpGroup = 128;
constexpr int NumWarpsPerWarpGroup = 4;
__device__ inline int canonical_lane_idx() { return threadIdx.x % NumThreadsPerWarp; }
__device__ inline int canonical_warp_idx() { return threadIdx.x / NumThreadsPerWarp; }
__device__ inline int canonical_warp_idx_sync() { return __shfl_sync(0xffffffff, threadIdx.x / NumThreadsPerWarp, 0); }
__device__ inline int canonical_warp_group_idx() { return __shfl_sync(0xffffffff, threadIdx.x / NumThreadsPerWarpGroup, 0); }
namespace arch {
__device__ inline int LaneId() { int lane; asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane)); return lane; }
__device__ inline int SmId() { int id; asm volatile("mov.u32 %0, %%smid;" : "=r"(id)); return id; }
}  // namespace arch
namespace epilogue {
namespace thread {
template <class T> struct Identity { T operator()(T value) const { return value; } };
template <class T> struct ReLu { T operator()(const T &value) const { return value < T(0) ? T(0) : value; } };
template <class T> struct Sigmoid { T operator()(const T &value) const { return T(1.0f / (1.0f + ::expf(-float(value)))); } };
template <class T> struct SiLu { T operator()(const T &value) const { return value * Sigmoid<T>()(value); } };
template <class T> struct GELU { T operator()(const T &value) const { return T(0.5f * float(value) * (1.0f + ::erff(float(value) * 0.70710678118654752440f))); } };
}  // namespace thread
}  // namespace epilogue
}  // namespace cutlass
namespace cute {
using cutlass::half_t; using cutlass::bfloat16_t; using cutlass::float_e4m3_t; using cutlass::float_e5m2_t;
using cutlass::sizeof_bits;
template <class T> static constexpr int sizeof_bits_v = sizeof_bits<T>::value;
template <class T, class U> constexpr bool is_same_v = std::is_same_v<T, U>;
template <bool C, class T, class U> using conditional_t = std::conditional_t<C, T, U>;
// The lowest active lane of the warp, for a converged warp.
__device__ inline unsigned elect_one_sync() { int lane; asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane)); __syncwarp(); return lane == 0; }
}  // namespace cute
#pragma clang force_cuda_host_device end
