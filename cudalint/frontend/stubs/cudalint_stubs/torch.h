// ATen, c10 and torch: tensors as opaque handles with their documented accessors, checks, dispatch and streams.
#pragma once
#include <cudalint_stubs/thrust.h>
#pragma clang force_cuda_host_device begin
namespace c10 {
struct BFloat16;
struct alignas(2) Half {
  unsigned short x;
  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return {}; }
  Half() = default;
  Half(float value);
  constexpr Half(unsigned short bits, from_bits_t) : x(bits) {}
  Half(const __half &value);
  operator float() const;
  operator __half() const;
};
struct alignas(2) BFloat16 {
  unsigned short x;
  BFloat16() = default;
  BFloat16(float value);
  BFloat16(const __nv_bfloat16 &value);
  operator float() const;
  explicit operator __nv_bfloat16() const;
};
#define CUDALINT_NARROW(T)                                                                                       \
  T operator+(T a, T b); T operator-(T a, T b); T operator*(T a, T b); T operator/(T a, T b); T operator-(T a);  \
  T &operator+=(T &a, T b); T &operator-=(T &a, T b); T &operator*=(T &a, T b); T &operator/=(T &a, T b);        \
  bool operator<(T a, T b); bool operator>(T a, T b); bool operator<=(T a, T b); bool operator>=(T a, T b);      \
  bool operator==(T a, T b); bool operator!=(T a, T b);                                                         \
  CUDALINT_MIXED(T, +) CUDALINT_MIXED(T, -) CUDALINT_MIXED(T, *) CUDALINT_MIXED(T, /)                           \
  CUDALINT_MIXED_TEST(T, <) CUDALINT_MIXED_TEST(T, <=) CUDALINT_MIXED_TEST(T, >) CUDALINT_MIXED_TEST(T, >=)     \
  CUDALINT_MIXED_TEST(T, ==) CUDALINT_MIXED_TEST(T, !=)
#define CUDALINT_MIXED(name, op)                                                                                 \
  inline float operator op(name a, float b) { return float(a) op b; }                                           \
  inline float operator op(float a, name b) { return a op float(b); }                                           \
  inline double operator op(name a, double b) { return float(a) op b; }                                         \
  inline double operator op(double a, name b) { return a op float(b); }                                         \
  template <class T> typename __cudalint_if_integer<T, name>::type operator op(name a, T b) { return a op name(float(b)); } \
  template <class T> typename __cudalint_if_integer<T, name>::type operator op(T a, name b) { return name(float(a)) op b; }
#define CUDALINT_MIXED_TEST(name, op)                                                                            \
  template <class T> typename __cudalint_if_arithmetic<T, bool>::type operator op(name a, T b) { return float(a) op b; } \
  template <class T> typename __cudalint_if_arithmetic<T, bool>::type operator op(T a, name b) { return a op float(b); }
CUDALINT_NARROW(Half)
CUDALINT_NARROW(BFloat16)
#undef CUDALINT_NARROW
#undef CUDALINT_MIXED
#undef CUDALINT_MIXED_TEST
#define CUDALINT_FP8(name) struct name { unsigned char x; name() = default; name(float value); operator float() const; };
CUDALINT_FP8(Float8_e4m3fn) CUDALINT_FP8(Float8_e5m2) CUDALINT_FP8(Float8_e4m3fnuz) CUDALINT_FP8(Float8_e5m2fnuz) CUDALINT_FP8(Float8_e8m0fnu)
#undef CUDALINT_FP8
template <class T> struct __cudalint_if_narrow {};
template <> struct __cudalint_if_narrow<Half> { typedef float type; };
template <> struct __cudalint_if_narrow<BFloat16> { typedef float type; };
template <class T> typename __cudalint_if_narrow<T>::type max(T a, T b) { return ::max(float(a), float(b)); }
template <class T> typename __cudalint_if_narrow<T>::type min(T a, T b) { return ::min(float(a), float(b)); }
template <class T> using complex = thrust::complex<T>;
static_assert(sizeof(complex<float>) == 8 && sizeof(complex<double>) == 16 && sizeof(complex<Half>) == 4, "made, so that their layouts are known");
template <class T> constexpr T pi = T(3.141592653589793238462643383279502);
struct qint8 { signed char val_; };
struct quint8 { unsigned char val_; };
}  // namespace c10
namespace at {
using c10::Half; using c10::BFloat16; using c10::Float8_e4m3fn; using c10::Float8_e5m2; using c10::Float8_e4m3fnuz;
template <class T> struct AccumulateTypeDevice { typedef T type; };
template <> struct AccumulateTypeDevice<Half> { typedef float type; };
template <> struct AccumulateTypeDevice<BFloat16> { typedef float type; };
template <> struct AccumulateTypeDevice<__half> { typedef float type; };
template <> struct AccumulateTypeDevice<__nv_bfloat16> { typedef float type; };
template <> struct AccumulateTypeDevice<char> { typedef long type; };
template <> struct AccumulateTypeDevice<int> { typedef long type; };
template <class T, bool Cuda> struct AccumulateType : AccumulateTypeDevice<T> {};
template <class T, bool Cuda> using acc_type = typename AccumulateType<T, Cuda>::type;
template <class T> struct OpMathType : AccumulateTypeDevice<T> {};
template <class T> using opmath_type = typename OpMathType<T>::type;
template <class T> struct numeric_limits {
  static T lowest();
  static T max();
  static T lower_bound();
  static T upper_bound();
};
template <class T> struct DefaultPtrTraits { typedef T *PtrType; };
template <class T> struct RestrictPtrTraits { typedef T *__restrict__ PtrType; };
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = long> struct GenericPackedTensorAccessor {
  T *data_;
  I sizes_[N];
  I strides_[N];
  I size(I dim) const { return sizes_[dim]; }
  I stride(I dim) const { return strides_[dim]; }
  T *data() const { return data_; }
  GenericPackedTensorAccessor<T, N - 1, P, I> operator[](I i) const {
    GenericPackedTensorAccessor<T, N - 1, P, I> inner;
    inner.data_ = data_ + strides_[0] * i;
    for (int k = 0; k < N - 1; ++k) {
      inner.sizes_[k] = sizes_[k + 1];
      inner.strides_[k] = strides_[k + 1];
    }
    return inner;
  }
};
template <class T, template <class> class P, class I> struct GenericPackedTensorAccessor<T, 1, P, I> {
  T *data_;
  I sizes_[1];
  I strides_[1];
  I size(I dim) const { return sizes_[0]; }
  I stride(I dim) const { return strides_[0]; }
  T *data() const { return data_; }
  T &operator[](I i) const { return data_[strides_[0] * i]; }
};
template <class T, size_t N, template <class> class P = DefaultPtrTraits> using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, P, int>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits> using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, P, long>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = long> using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, P, I>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = long> using TensorAccessor = GenericPackedTensorAccessor<T, N, P, I>;
}  // namespace at
template <class T> T WARP_SHFL(T value, int lane, int width = 32, unsigned mask = 0xffffffff) { return __shfl_sync(mask, value, lane, width); }
template <class T> T WARP_SHFL_XOR(T value, int lane_mask, int width = 32, unsigned mask = 0xffffffff) { return __shfl_xor_sync(mask, value, lane_mask, width); }
template <class T> T WARP_SHFL_DOWN(T value, unsigned delta, int width = 32, unsigned mask = 0xffffffff) { return __shfl_down_sync(mask, value, delta, width); }
template <class T> T WARP_SHFL_UP(T value, unsigned delta, int width = 32, unsigned mask = 0xffffffff) { return __shfl_up_sync(mask, value, delta, width); }
inline unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffff) { return __ballot_sync(mask, predicate); }
inline void WARP_SYNC(unsigned mask = 0xffffffff) { __syncwarp(mask); }
template <class T> void gpuAtomicAdd(T *address, T value);
template <class T> void gpuAtomicAddNoReturn(T *address, T value);
template <class T> void gpuAtomicMax(T *address, T value);
#pragma clang force_cuda_host_device end

namespace c10 {
enum class ScalarType : signed char {
  Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat, ComplexDouble, Bool, QInt8, QUInt8, QInt32,
  BFloat16, Float8_e5m2 = 23, Float8_e4m3fn, Float8_e5m2fnuz, Float8_e4m3fnuz, UInt16, UInt32, UInt64, QUInt4x2 = 16, QUInt2x4, Float8_e8m0fnu = 44, Undefined
};
#define CUDALINT_TYPE(name) inline constexpr ScalarType k##name = ScalarType::name;
CUDALINT_TYPE(Byte) CUDALINT_TYPE(Char) CUDALINT_TYPE(Short) CUDALINT_TYPE(Int) CUDALINT_TYPE(Long) CUDALINT_TYPE(Half) CUDALINT_TYPE(Float)
CUDALINT_TYPE(Double) CUDALINT_TYPE(Bool) CUDALINT_TYPE(BFloat16) CUDALINT_TYPE(Float8_e5m2) CUDALINT_TYPE(Float8_e4m3fn)
CUDALINT_TYPE(Float8_e4m3fnuz) CUDALINT_TYPE(ComplexFloat) CUDALINT_TYPE(ComplexDouble) CUDALINT_TYPE(QInt8) CUDALINT_TYPE(UInt16)
CUDALINT_TYPE(UInt32) CUDALINT_TYPE(UInt64) CUDALINT_TYPE(Float8_e8m0fnu) CUDALINT_TYPE(QUInt8) CUDALINT_TYPE(QInt32)
CUDALINT_TYPE(QUInt4x2) CUDALINT_TYPE(QUInt2x4)
#undef CUDALINT_TYPE
inline constexpr ScalarType kUInt8 = kByte, kInt8 = kChar, kInt16 = kShort, kInt32 = kInt, kInt64 = kLong, kFloat16 = kHalf, kFloat32 = kFloat, kFloat64 = kDouble, kU8 = kByte, kI64 = kLong, kF32 = kFloat, kU64 = kUInt64;
template <class T> struct CppTypeToScalarType;
size_t elementSize(ScalarType type);
const char *toString(ScalarType type);
bool isFloatingType(ScalarType type);
bool isIntegralType(ScalarType type, bool includeBool = false);
enum class DeviceType : short { CPU, CUDA, HIP = 6, Meta = 16 };
inline constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kMeta = DeviceType::Meta;
typedef signed char DeviceIndex;
struct Device {
  Device(DeviceType type, DeviceIndex index = -1);
  Device(const char *text);
  DeviceIndex index() const;
  DeviceType type() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool operator==(const Device &) const;
  bool operator!=(const Device &) const;
  std::string str() const;
};
enum class Layout : short { Strided, Sparse };
inline constexpr Layout kStrided = Layout::Strided;
enum class MemoryFormat : short { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
template <class T> struct ArrayRef {
  ArrayRef();
  ArrayRef(const T &value);
  ArrayRef(const std::vector<T> &values);
  ArrayRef(const std::initializer_list<T> &values);
  ArrayRef(const T *data, size_t size);
  template <size_t N> ArrayRef(const T (&values)[N]);
  template <size_t N> ArrayRef(const std::array<T, N> &values);
  size_t size() const;
  bool empty() const;
  const T *data() const;
  const T *begin() const;
  const T *end() const;
  const T &operator[](size_t i) const;
  const T &front() const;
  const T &back() const;
  std::vector<T> vec() const;
  ArrayRef slice(size_t from, size_t count) const;
  bool operator==(const ArrayRef &) const;
  bool operator!=(const ArrayRef &) const;
};
typedef ArrayRef<long> IntArrayRef;
template <class T, unsigned N> struct SmallVector : std::vector<T> { using std::vector<T>::vector; };
using std::nullopt; using std::optional; using std::make_optional; using std::nullopt_t; using std::string_view;
struct Scalar { template <class T> Scalar(T value); template <class T> T to() const; double toDouble() const; float toFloat() const; long toLong() const; int toInt() const; bool toBool() const; };
struct TensorOptions {
  ScalarType type_ = ScalarType::Undefined;
  TensorOptions() {}
  TensorOptions(ScalarType type) : type_(type) {}
  TensorOptions(Device) {}
  TensorOptions(DeviceType) {}
  TensorOptions dtype(ScalarType type) const { return TensorOptions(type); }
  TensorOptions device(Device) const { return *this; }
  TensorOptions device(DeviceType, DeviceIndex = -1) const { return *this; }
  TensorOptions layout(Layout) const { return *this; }
  TensorOptions requires_grad(bool = true) const { return *this; }
  TensorOptions pinned_memory(bool = true) const { return *this; }
  TensorOptions memory_format(MemoryFormat format) const;
  Device device() const;
  ScalarType dtype() const { return type_; }
};
struct Error : std::exception { Error(std::string message); };
struct Stream { Device device() const; };
template <class T> struct intrusive_ptr { T *get() const; T *operator->() const; };
namespace cuda {
struct CUDAStream {
  CUDAStream();
  cudaStream_t stream() const;
  operator cudaStream_t() const;
  DeviceIndex device_index() const;
  void synchronize() const;
};
CUDAStream getCurrentCUDAStream(DeviceIndex device = -1);
CUDAStream getDefaultCUDAStream(DeviceIndex device = -1);
CUDAStream getStreamFromPool(bool high_priority = false, DeviceIndex device = -1);
void setCurrentCUDAStream(CUDAStream stream);
struct CUDAGuard { explicit CUDAGuard(DeviceIndex device); explicit CUDAGuard(Device device); void set_index(DeviceIndex); };
struct OptionalCUDAGuard { OptionalCUDAGuard(); explicit OptionalCUDAGuard(Device device); explicit OptionalCUDAGuard(std::optional<Device> device); explicit OptionalCUDAGuard(DeviceIndex device); void set_index(DeviceIndex); };
struct CUDAStreamGuard { explicit CUDAStreamGuard(CUDAStream stream); };
DeviceIndex current_device();
DeviceIndex device_count();
void set_device(DeviceIndex device);
void device_synchronize();
namespace compat {
#pragma clang force_cuda_host_device begin
#define CUDALINT_COMPAT(name) inline float name(float x) { return ::name(x); } inline double name(double x) { return ::name(x); }
CUDALINT_COMPAT(exp) CUDALINT_COMPAT(log) CUDALINT_COMPAT(log1p) CUDALINT_COMPAT(sqrt) CUDALINT_COMPAT(rsqrt) CUDALINT_COMPAT(ceil)
CUDALINT_COMPAT(floor) CUDALINT_COMPAT(tan) CUDALINT_COMPAT(tanh) CUDALINT_COMPAT(normcdf)
#undef CUDALINT_COMPAT
inline float abs(float x) { return ::fabsf(x); }
inline double abs(double x) { return ::fabs(x); }
inline float max(float x, float y) { return ::fmaxf(x, y); }
inline double max(double x, double y) { return ::fmax(x, y); }
inline float min(float x, float y) { return ::fminf(x, y); }
inline double min(double x, double y) { return ::fmin(x, y); }
inline float pow(float x, float y) { return ::powf(x, y); }
inline double pow(double x, double y) { return ::pow(x, y); }
inline float copysign(float x, float y) { return ::copysignf(x, y); }
inline double copysign(double x, double y) { return ::copysign(x, y); }
inline float div(float x, float y) { return x / y; }
inline double div(double x, double y) { return x / y; }
#pragma clang force_cuda_host_device end
}  // namespace compat
namespace CUDACachingAllocator { void *raw_alloc(size_t bytes); void raw_delete(void *pointer); void *raw_alloc_with_stream(size_t bytes, cudaStream_t stream); void emptyCache(); }
}  // namespace cuda
}  // namespace c10

namespace at {
using namespace c10;
struct Generator { template <class T> T *get() const; bool defined() const; };
struct PhiloxCudaState { unsigned long seed_, offset_; PhiloxCudaState() = default; };
struct CUDAGeneratorImpl { PhiloxCudaState philox_cuda_state(unsigned long increment); std::mutex mutex_; };
namespace cuda {
using c10::cuda::CUDAStream; using c10::cuda::getCurrentCUDAStream; using c10::cuda::CUDAGuard; using c10::cuda::OptionalCUDAGuard;
using c10::cuda::CUDAStreamGuard; using c10::cuda::getStreamFromPool; using c10::cuda::current_device; using c10::cuda::getDefaultCUDAStream;
cudaDeviceProp *getCurrentDeviceProperties();
cudaDeviceProp *getDeviceProperties(long device);
inline int warp_size() { return 32; }
bool is_available();
template <class T> T ATenCeilDiv(T a, T b) { return (a + b - 1) / b; }
struct CUDAEvent {
  CUDAEvent();
  explicit CUDAEvent(unsigned flags);
  operator cudaEvent_t() const;
  cudaEvent_t event() const;
  bool query() const;
  void record();
  void record(const CUDAStream &stream);
  void recordOnce(const CUDAStream &stream);
  void block(const CUDAStream &stream);
  float elapsed_time(const CUDAEvent &other) const;
  void synchronize() const;
};
namespace detail { Generator getDefaultCUDAGenerator(DeviceIndex device = -1); template <class T, class I> struct TensorInfo { T *data; I sizes[25]; I strides[25]; int dims; }; template <class X> bool canUse32BitIndexMath(const X &t, long max = INT_MAX); template <class T, class I, class X> TensorInfo<T, I> getTensorInfo(const X &t);
template <class T, class I, int Dims> struct IndexToOffset { __host__ __device__ static I get(I linear, const TensorInfo<T, I> &info); };
constexpr int CUDA_NUM_THREADS = 1024;
inline int GET_BLOCKS(const long n, const long most = CUDA_NUM_THREADS) { return (n - 1) / most + 1; }
}
namespace philox { __device__ std::tuple<unsigned long, unsigned long> unpack(PhiloxCudaState state); }
void *getCurrentCUDABlasHandle();
}  // namespace cuda
struct Tensor {
  Tensor();
  bool defined() const;
  long size(long dim) const;
  IntArrayRef sizes() const;
  long stride(long dim) const;
  IntArrayRef strides() const;
  long numel() const;
  long dim() const;
  long ndimension() const;
  long nbytes() const;
  size_t itemsize() const;
  long element_size() const;
  long storage_offset() const;
  template <class T> T *data_ptr() const;
  void *data_ptr() const;
  const void *const_data_ptr() const;
  void *mutable_data_ptr() const;
  template <class T> const T *const_data_ptr() const;
  template <class T> T *mutable_data_ptr() const;
  template <class T> T *data() const;
  ScalarType scalar_type() const;
  ScalarType dtype() const;
  ScalarType type() const;
  TensorOptions options() const { return TensorOptions(scalar_type()); }
  Device device() const;
  Layout layout() const;
  DeviceIndex get_device() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  bool is_floating_point() const;
  bool is_sparse() const;
  bool is_non_overlapping_and_dense() const;
  bool requires_grad() const;
  bool has_storage() const;
  bool is_same(const Tensor &other) const;
  Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  Tensor clone() const;
  Tensor detach() const;
  template <class... A> Tensor to(const A &...arguments) const;
  Tensor toType(ScalarType type) const;
  Tensor cuda() const;
  Tensor cpu() const;
  Tensor view(IntArrayRef sizes) const;
  Tensor view(ScalarType type) const;
  Tensor reshape(IntArrayRef sizes) const;
  Tensor flatten(long from = 0, long to = -1) const;
  Tensor expand(IntArrayRef sizes, bool implicit = false) const;
  Tensor expand_as(const Tensor &other) const;
  Tensor transpose(long a, long b) const;
  Tensor permute(IntArrayRef dims) const;
  Tensor t() const;
  Tensor squeeze() const;
  Tensor squeeze(long dim) const;
  Tensor unsqueeze(long dim) const;
  Tensor select(long dim, long index) const;
  Tensor slice(long dim, long from, long to, long step = 1) const;
  Tensor slice(long dim = 0, std::optional<long> from = std::nullopt, std::optional<long> to = std::nullopt, long step = 1) const;
  Tensor narrow(long dim, long from, long count) const;
  Tensor index_select(long dim, const Tensor &index) const;
  Tensor operator[](long index) const;
  Tensor as_strided(IntArrayRef sizes, IntArrayRef strides, std::optional<long> offset = std::nullopt) const;
  std::vector<Tensor> split(long size, long dim = 0) const;
  std::vector<Tensor> chunk(long chunks, long dim = 0) const;
  std::vector<Tensor> unbind(long dim = 0) const;
  Tensor &fill_(Scalar value);
  Tensor &zero_();
  Tensor &copy_(const Tensor &from, bool non_blocking = false);
  Tensor &resize_(IntArrayRef sizes);
  Tensor &set_requires_grad(bool value);
  Tensor new_empty(IntArrayRef sizes, TensorOptions options = {}) const;
  Tensor new_zeros(IntArrayRef sizes, TensorOptions options = {}) const;
  Tensor new_full(IntArrayRef sizes, Scalar value, TensorOptions options = {}) const;
  Tensor new_ones(IntArrayRef sizes, TensorOptions options = {}) const;
  template <class... A> Tensor sum(const A &...arguments) const;
  template <class... A> Tensor mean(const A &...arguments) const;
  template <class... A> Tensor max(const A &...arguments) const;
  template <class... A> Tensor min(const A &...arguments) const;
  template <class... A> Tensor sort(const A &...arguments) const;
  template <class... A> Tensor argsort(const A &...arguments) const;
  template <class... A> Tensor cumsum(const A &...arguments) const;
  Tensor add(const Tensor &other) const;
  Tensor &add_(const Tensor &other, Scalar alpha = 1);
  Tensor mul(const Tensor &other) const;
  Tensor &mul_(const Tensor &other);
  Tensor matmul(const Tensor &other) const;
  Tensor abs() const;
  Tensor sqrt() const;
  Tensor masked_select(const Tensor &mask) const;
  Tensor nonzero() const;
  template <class... A> Tensor gather(const A &...arguments) const;
  template <class... A> Tensor index(const A &...arguments) const;
  template <class... A> Tensor repeat(const A &...arguments) const;
  template <class... A> Tensor repeat_interleave(const A &...arguments) const;
  template <class... A> Tensor any(const A &...arguments) const;
  template <class... A> Tensor all(const A &...arguments) const;
  Tensor unfold(long dim, long size, long step) const;
  Tensor broadcast_to(IntArrayRef sizes) const;
  Tensor movedim(long from, long to) const;
  Tensor unflatten(long dim, IntArrayRef sizes) const;
  Tensor view_as(const Tensor &other) const;
  Tensor reshape_as(const Tensor &other) const;
  template <class... A> Tensor div(const A &...arguments) const;
  template <class... A> Tensor sub(const A &...arguments) const;
  template <class... A> Tensor pow(const A &...arguments) const;
  template <class... A> Tensor remainder(const A &...arguments) const;
  template <class... A> Tensor floor_divide(const A &...arguments) const;
  template <class... A> Tensor exp(const A &...arguments) const;
  template <class... A> Tensor log(const A &...arguments) const;
  template <class... A> Tensor log1p(const A &...arguments) const;
  template <class... A> Tensor expm1(const A &...arguments) const;
  template <class... A> Tensor neg(const A &...arguments) const;
  template <class... A> Tensor round(const A &...arguments) const;
  template <class... A> Tensor floor(const A &...arguments) const;
  template <class... A> Tensor ceil(const A &...arguments) const;
  template <class... A> Tensor trunc(const A &...arguments) const;
  template <class... A> Tensor sign(const A &...arguments) const;
  template <class... A> Tensor rsqrt(const A &...arguments) const;
  template <class... A> Tensor reciprocal(const A &...arguments) const;
  template <class... A> Tensor square(const A &...arguments) const;
  template <class... A> Tensor sigmoid(const A &...arguments) const;
  template <class... A> Tensor tanh(const A &...arguments) const;
  template <class... A> Tensor relu(const A &...arguments) const;
  template <class... A> Tensor clamp(const A &...arguments) const;
  template <class... A> Tensor clamp_min(const A &...arguments) const;
  template <class... A> Tensor clamp_max(const A &...arguments) const;
  template <class... A> Tensor softmax(const A &...arguments) const;
  template <class... A> Tensor log_softmax(const A &...arguments) const;
  template <class... A> Tensor amax(const A &...arguments) const;
  template <class... A> Tensor amin(const A &...arguments) const;
  template <class... A> Tensor argmax(const A &...arguments) const;
  template <class... A> Tensor argmin(const A &...arguments) const;
  template <class... A> Tensor prod(const A &...arguments) const;
  template <class... A> Tensor std(const A &...arguments) const;
  template <class... A> Tensor var(const A &...arguments) const;
  template <class... A> Tensor norm(const A &...arguments) const;
  template <class... A> Tensor logsumexp(const A &...arguments) const;
  template <class... A> Tensor masked_fill(const A &...arguments) const;
  template <class... A> Tensor where(const A &...arguments) const;
  template <class... A> Tensor tril(const A &...arguments) const;
  template <class... A> Tensor triu(const A &...arguments) const;
  template <class... A> Tensor flip(const A &...arguments) const;
  template <class... A> Tensor roll(const A &...arguments) const;
  template <class... A> Tensor gt(const A &...arguments) const;
  template <class... A> Tensor ge(const A &...arguments) const;
  template <class... A> Tensor lt(const A &...arguments) const;
  template <class... A> Tensor le(const A &...arguments) const;
  template <class... A> Tensor eq(const A &...arguments) const;
  template <class... A> Tensor ne(const A &...arguments) const;
  template <class... A> Tensor logical_and(const A &...arguments) const;
  template <class... A> Tensor logical_or(const A &...arguments) const;
  template <class... A> Tensor logical_not(const A &...arguments) const;
  template <class... A> Tensor bitwise_and(const A &...arguments) const;
  template <class... A> Tensor isnan(const A &...arguments) const;
  template <class... A> Tensor isinf(const A &...arguments) const;
  template <class... A> Tensor mm(const A &...arguments) const;
  template <class... A> Tensor bmm(const A &...arguments) const;
  template <class... A> Tensor dot(const A &...arguments) const;
  template <class... A> Tensor scatter(const A &...arguments) const;
  template <class... A> Tensor scatter_add(const A &...arguments) const;
  template <class... A> Tensor index_add(const A &...arguments) const;
  template <class... A> Tensor index_fill(const A &...arguments) const;
  template <class... A> Tensor count_nonzero(const A &...arguments) const;
  template <class... A> Tensor type(const A &...arguments) const;
  template <class... A> Tensor half(const A &...arguments) const;
  template <class... A> Tensor bfloat16(const A &...arguments) const;
  template <class... A> Tensor new_tensor(const A &...arguments) const;
  template <class... A> Tensor swapaxes(const A &...arguments) const;
  template <class... A> Tensor diagonal(const A &...arguments) const;
  template <class... A> Tensor isfinite(const A &...arguments) const;
  template <class... A> Tensor &div_(const A &...arguments);
  template <class... A> Tensor &sub_(const A &...arguments);
  template <class... A> Tensor &pow_(const A &...arguments);
  template <class... A> Tensor &neg_(const A &...arguments);
  template <class... A> Tensor &exp_(const A &...arguments);
  template <class... A> Tensor &clamp_(const A &...arguments);
  template <class... A> Tensor &clamp_min_(const A &...arguments);
  template <class... A> Tensor &clamp_max_(const A &...arguments);
  template <class... A> Tensor &relu_(const A &...arguments);
  template <class... A> Tensor &sigmoid_(const A &...arguments);
  template <class... A> Tensor &round_(const A &...arguments);
  template <class... A> Tensor &floor_(const A &...arguments);
  template <class... A> Tensor &masked_fill_(const A &...arguments);
  template <class... A> Tensor &scatter_(const A &...arguments);
  template <class... A> Tensor &scatter_add_(const A &...arguments);
  template <class... A> Tensor &index_add_(const A &...arguments);
  template <class... A> Tensor &index_copy_(const A &...arguments);
  template <class... A> Tensor &index_put_(const A &...arguments);
  template <class... A> Tensor &uniform_(const A &...arguments);
  template <class... A> Tensor &normal_(const A &...arguments);
  template <class... A> Tensor &random_(const A &...arguments);
  Tensor operator-() const;
  Tensor &operator+=(const Tensor &other);
  Tensor &operator*=(const Tensor &other);
  template <class T> T item() const;
  Scalar item() const;
  void record_stream(Stream stream) const;
  template <class T, size_t N> TensorAccessor<T, N> accessor() const;
  template <class T, size_t N, template <class> class P = DefaultPtrTraits> PackedTensorAccessor32<T, N, P> packed_accessor32() const;
  template <class T, size_t N, template <class> class P = DefaultPtrTraits> PackedTensorAccessor64<T, N, P> packed_accessor64() const;
  template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = long> PackedTensorAccessor<T, N, P, I> packed_accessor() const;
  template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = long> PackedTensorAccessor<T, N, P, I> generic_packed_accessor() const;
};
typedef const char *CheckedFrom;
struct TensorGeometryArg { template <class T> TensorGeometryArg(const T &tensor, const char *name, int place); };
struct TensorArg { TensorArg(const Tensor &tensor, const char *name, int place); const Tensor *operator->() const; const Tensor &operator*() const; };
void checkAllSameGPU(CheckedFrom, ArrayRef<TensorArg>);
void checkAllSameType(CheckedFrom, ArrayRef<TensorArg>);
void checkAllSameNumel(CheckedFrom, ArrayRef<TensorArg>);
void checkAllContiguous(CheckedFrom, ArrayRef<TensorArg>);
void checkAllDefined(CheckedFrom, ArrayRef<TensorArg>);
void checkSameGPU(CheckedFrom, const TensorArg &, const TensorArg &);
void checkSameType(CheckedFrom, const TensorArg &, const TensorArg &);
void checkSameSize(CheckedFrom, const TensorArg &, const TensorArg &);
void checkSameNumel(CheckedFrom, const TensorArg &, const TensorArg &);
void checkContiguous(CheckedFrom, const TensorGeometryArg &);
void checkContiguous(CheckedFrom, const TensorArg &);
void checkDefined(CheckedFrom, const TensorArg &);
void checkDim(CheckedFrom, const TensorArg &, long);
void checkSize(CheckedFrom, const TensorArg &, IntArrayRef);
void checkSize(CheckedFrom, const TensorArg &, long, long);
void checkNumel(CheckedFrom, const TensorArg &, long);
void checkScalarType(CheckedFrom, const TensorArg &, ScalarType);
void checkScalarTypes(CheckedFrom, const TensorArg &, ArrayRef<ScalarType>);
typedef ArrayRef<Tensor> TensorList;
typedef ArrayRef<Tensor> ITensorListRef;
template <class T> Tensor operator+(const Tensor &a, const T &b);
template <class T> Tensor operator-(const Tensor &a, const T &b);
template <class T> Tensor operator*(const Tensor &a, const T &b);
template <class T> Tensor operator/(const Tensor &a, const T &b);
Tensor empty(IntArrayRef sizes, TensorOptions options = {}, std::optional<MemoryFormat> format = std::nullopt);
Tensor zeros(IntArrayRef sizes, TensorOptions options = {});
Tensor ones(IntArrayRef sizes, TensorOptions options = {});
Tensor full(IntArrayRef sizes, Scalar value, TensorOptions options = {});
Tensor rand(IntArrayRef sizes, TensorOptions options = {});
Tensor randn(IntArrayRef sizes, TensorOptions options = {});
Tensor empty_like(const Tensor &like, TensorOptions options = {}, std::optional<MemoryFormat> format = std::nullopt);
Tensor zeros_like(const Tensor &like, TensorOptions options = {}, std::optional<MemoryFormat> format = std::nullopt);
Tensor zeros_like(const Tensor &like, MemoryFormat format);
Tensor empty_like(const Tensor &like, MemoryFormat format);
Tensor ones_like(const Tensor &like, TensorOptions options = {});
Tensor full_like(const Tensor &like, Scalar value, TensorOptions options = {});
Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, TensorOptions options = {});
template <class... A> Tensor arange(const A &...arguments);
template <class... A> Tensor tensor(const A &...arguments);
Tensor tensor(std::initializer_list<long> values, TensorOptions options = {});
template <class... A> Tensor from_blob(void *data, IntArrayRef sizes, const A &...arguments);
Tensor cat(TensorList tensors, long dim = 0);
Tensor stack(TensorList tensors, long dim = 0);
Tensor matmul(const Tensor &a, const Tensor &b);
Tensor mm(const Tensor &a, const Tensor &b);
Tensor bmm(const Tensor &a, const Tensor &b);
template <class... A> Tensor addmm(const Tensor &t, const A &...arguments);
template <class... A> Tensor baddbmm(const Tensor &t, const A &...arguments);
template <class... A> Tensor sum(const Tensor &t, const A &...arguments);
template <class... A> Tensor max(const Tensor &t, const A &...arguments);
template <class... A> Tensor softmax(const Tensor &t, const A &...arguments);
template <class... A> Tensor index_select(const Tensor &t, const A &...arguments);
template <class... A> Tensor gather(const Tensor &t, const A &...arguments);
template <class... A> Tensor masked_select(const Tensor &t, const A &...arguments);
template <class... A> Tensor nonzero(const Tensor &t, const A &...arguments);
template <class... A> Tensor cumsum(const Tensor &t, const A &...arguments);
template <class... A> Tensor repeat_interleave(const Tensor &t, const A &...arguments);
template <class... A> Tensor flatten(const Tensor &t, const A &...arguments);
template <class... A> Tensor reshape(const Tensor &t, const A &...arguments);
template <class... A> Tensor transpose(const Tensor &t, const A &...arguments);
template <class... A> Tensor squeeze(const Tensor &t, const A &...arguments);
template <class... A> Tensor unsqueeze(const Tensor &t, const A &...arguments);
template <class... A> Tensor select(const Tensor &t, const A &...arguments);
template <class... A> Tensor slice(const Tensor &t, const A &...arguments);
template <class... A> Tensor narrow(const Tensor &t, const A &...arguments);
template <class... A> Tensor flip(const Tensor &t, const A &...arguments);
template <class... A> Tensor clone(const Tensor &t, const A &...arguments);
template <class... A> Tensor abs(const Tensor &t, const A &...arguments);
template <class... A> Tensor exp(const Tensor &t, const A &...arguments);
template <class... A> Tensor log(const Tensor &t, const A &...arguments);
template <class... A> Tensor sqrt(const Tensor &t, const A &...arguments);
template <class... A> Tensor clamp(const Tensor &t, const A &...arguments);
template <class... A> Tensor mean(const Tensor &t, const A &...arguments);
template <class... A> Tensor min(const Tensor &t, const A &...arguments);
template <class... A> Tensor any(const Tensor &t, const A &...arguments);
template <class... A> Tensor all(const Tensor &t, const A &...arguments);
template <class... A> Tensor where(const A &...arguments);
template <class... A> Tensor _cast_Half(const A &...arguments);
template <class T> T ceil_div(T a, T b) { return (a + b - 1) / b; }
template <class T> T round_up(T a, T b) { return (a + b - 1) / b * b; }
inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device) { return TensorOptions(); }
template <class T> T *get_generator_or_default(const std::optional<Generator> &generator, const Generator &otherwise);
template <class T> T *check_generator(const Generator &generator);
struct DeviceGuard { explicit DeviceGuard(Device device); };
struct OptionalDeviceGuard { OptionalDeviceGuard(); explicit OptionalDeviceGuard(Device device); explicit OptionalDeviceGuard(std::optional<Device> device); };
std::optional<Device> device_of(const Tensor &tensor);
ScalarType typeMetaToScalarType(ScalarType type);
ScalarType toAccumulateType(ScalarType type, bool cuda);
ScalarType promote_types(ScalarType a, ScalarType b);
namespace native {
#pragma clang force_cuda_host_device begin
namespace memory {
template <class T, int N> struct alignas(sizeof(T) * N) aligned_vector { T val[N]; };
}  // namespace memory
namespace cuda_utils {
template <class T> __device__ T WarpReduceSum(T value) {
  for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}
template <class T, class R> __device__ T WarpReduce(T value, const R &op) {
  for (int offset = 16; offset > 0; offset >>= 1) value = op.combine(value, op.warp_shfl_down(value, offset));
  return value;
}
template <class T> __device__ T BlockReduceSum(T value, T *shared) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = WarpReduceSum(value);
  __syncthreads();
  if (lane == 0) shared[warp] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? shared[lane] : T(0);
  if (warp == 0) value = WarpReduceSum(value);
  return value;
}
template <class T, class R> __device__ T BlockReduce(T value, const R &op, const T &identity, T *shared) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = WarpReduce(value, op);
  __syncthreads();
  if (lane == 0) shared[warp] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? shared[lane] : identity;
  if (warp == 0) value = WarpReduce(value, op);
  return value;
}
}  // namespace cuda_utils
template <class T, class I> __device__ void fastAtomicAdd(T *tensor, I index, const I count, T value, bool fast) { gpuAtomicAddNoReturn(tensor + index, value); }
#pragma clang force_cuda_host_device end
}  // namespace native
}  // namespace at
namespace c10 {
using at::OptionalDeviceGuard; using at::DeviceGuard; using at::Tensor; using at::device_of; using at::TensorList;
template <class K, class V> struct Dict { bool contains(const K &) const; V at(const K &) const; };
template <class T> struct List { size_t size() const; T get(size_t i) const; };
}
namespace caffe2 { typedef c10::ScalarType TypeMeta; }
namespace torch {
using namespace at;
using at::Tensor;
typedef c10::TensorOptions TensorOptions;
typedef c10::ScalarType Dtype;
using c10::optional; using c10::nullopt;
struct CustomClassHolder {};
namespace autograd { typedef std::vector<Tensor> variable_list; typedef std::vector<Tensor> tensor_list; struct AutogradContext { void save_for_backward(variable_list); variable_list get_saved_variables(); std::map<std::string, c10::Scalar> saved_data; }; template <class T> struct Function { template <class... A> static Tensor apply(A &&...arguments); }; using at::Tensor; typedef Tensor Variable; }
namespace nn { namespace functional {} }
namespace cuda { using c10::cuda::device_count; void synchronize(long device = -1); bool is_available(); }
struct Library { template <class... A> Library &def(A &&...arguments); template <class... A> Library &impl(A &&...arguments); };
template <class F> F dispatch(F f);
namespace indexing { struct Slice { template <class... A> Slice(A...); }; struct None_ {}; inline constexpr None_ None{}; }
namespace stable { using at::Tensor; }
using c10::DeviceType;
}  // namespace torch
namespace pybind11 {
struct object { template <class T> T cast() const; };
struct module_ { template <class... A> module_ &def(const A &...arguments); template <class T> module_ &attr(const T &name); const char *doc(); };
typedef module_ module;
struct arg { constexpr arg(const char *name); template <class T> arg operator=(T &&value) const; };
struct gil_scoped_release {};
template <class... T> struct call_guard {};
template <class... A> struct init {};
template <class T, class... R> struct class_ { template <class... A> class_(A &&...arguments); template <class... A> class_ &def(A &&...arguments); template <class... A> class_ &def_readwrite(A &&...arguments); };
template <class... A, class R> auto overload_cast(R (*f)(A...)) { return f; }
struct dict : object {};
struct list : object {};
struct tuple : object {};
struct none : object {};
struct bytes : object {};
struct str : object {};
struct handle : object {};
struct function : object {};
template <class T> struct array_t : object { T *data(); long size(); };
}  // namespace pybind11
namespace py = pybind11;
inline namespace cudalint_pybind { inline pybind11::arg operator""_a(const char *name, size_t); }

#define PYBIND11_MODULE(name, variable) static void cudalint_module_##name(::pybind11::module_ &variable)
#define CUDALINT_PASTE_(a, b) a##b
#define CUDALINT_PASTE(a, b) CUDALINT_PASTE_(a, b)
#define TORCH_LIBRARY(ns, m) static void CUDALINT_PASTE(cudalint_library_, __COUNTER__)(::torch::Library &m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) TORCH_LIBRARY(ns, m)
#define TORCH_LIBRARY_EXPAND(ns, m) TORCH_LIBRARY(ns, m)
#define TORCH_LIBRARY_IMPL(ns, key, m) TORCH_LIBRARY(ns, m)
#define TORCH_FN(f) f
#define TORCH_EXTENSION_NAME torch_extension
#define TORCH_API
#define TORCH_CUDA_CU_API
#define TORCH_CUDA_CPP_API
#define C10_EXPORT
#define C10_API
#define C10_CUDA_API
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_ALWAYS_INLINE inline __attribute__((always_inline))
#define C10_RESTRICT __restrict__
#define C10_UNUSED __attribute__((unused))
#define C10_LIKELY(e) (e)
#define C10_UNLIKELY(e) (e)
#define C10_WARP_SIZE 32
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(n) __launch_bounds__(n)
#define C10_LAUNCH_BOUNDS_2(n, m) __launch_bounds__(n, m)
#define AT_FORALL_SCALAR_TYPES(_)
#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 6
#define TORCH_CHECK(condition, ...) __cudalint_check(static_cast<bool>(condition), ##__VA_ARGS__)
#define STD_TORCH_CHECK(...) TORCH_CHECK(__VA_ARGS__)
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b))
#define TORCH_CHECK_NE(a, b) TORCH_CHECK((a) != (b))
#define TORCH_CHECK_LT(a, b) TORCH_CHECK((a) < (b))
#define TORCH_CHECK_LE(a, b) TORCH_CHECK((a) <= (b))
#define TORCH_CHECK_GT(a, b) TORCH_CHECK((a) > (b))
#define TORCH_CHECK_GE(a, b) TORCH_CHECK((a) >= (b))
#define TORCH_CHECK_VALUE(...) TORCH_CHECK(__VA_ARGS__)
#define TORCH_CHECK_TYPE(...) TORCH_CHECK(__VA_ARGS__)
#define TORCH_CHECK_INDEX(...) TORCH_CHECK(__VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(...) TORCH_CHECK(__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(...) TORCH_CHECK(__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) ((void)0)
#define AT_ASSERT(...) TORCH_CHECK(__VA_ARGS__)
#define AT_ASSERTM(...) TORCH_CHECK(__VA_ARGS__)
#define AT_CHECK(...) TORCH_CHECK(__VA_ARGS__)
#define AT_ERROR(...) __cudalint_check(false, ##__VA_ARGS__)
#define TORCH_WARN(...) ((void)0)
#define TORCH_WARN_ONCE(...) ((void)0)
#define C10_CUDA_CHECK(e) __cudalint_check((e) == cudaSuccess)
#define AT_CUDA_CHECK(e) C10_CUDA_CHECK(e)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define STD_CUDA_CHECK(e) C10_CUDA_CHECK(e)
#define STD_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define THCudaCheck(e) C10_CUDA_CHECK(e)
#define TORCH_CUDABLAS_CHECK(e) ((void)(e))
#define CUDA_KERNEL_ASSERT(e) __cudalint_assert(static_cast<bool>(e))
#define CUDA_KERNEL_ASSERT2(e) __cudalint_assert(static_cast<bool>(e))
#define CUDA_KERNEL_ASSERT_MSG(e, ...) __cudalint_assert(static_cast<bool>(e))
#define CUDA_KERNEL_ASSERT_PRINTF(e, ...) __cudalint_assert(static_cast<bool>(e))
#define CUDA_KERNEL_LOOP_TYPE(i, n, T) for (T i = (T)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define AT_CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

// Dispatch: one case per type, each a call of the lambda under its own `scalar_t`.
#define AT_PRIVATE_CASE_TYPE_USING_HINT(type_, hint, ...)                                                        \
  case type_: { using hint [[maybe_unused]] = typename ::c10::impl_scalar<type_>::type; return __VA_ARGS__(); }
#define AT_DISPATCH_CASE(type_, ...) AT_PRIVATE_CASE_TYPE_USING_HINT(type_, scalar_t, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(type_, name, ...)                                                                     \
  [&] { switch (::cudalint_scalar_type(type_)) { __VA_ARGS__ default: __cudalint_check(false, name); } }()
#define THO_DISPATCH_CASE(...) AT_DISPATCH_CASE(__VA_ARGS__)
#define THO_DISPATCH_SWITCH(...) AT_DISPATCH_SWITCH(__VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES(...) AT_DISPATCH_CASE(::c10::kDouble, __VA_ARGS__) AT_DISPATCH_CASE(::c10::kFloat, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(::c10::kHalf, __VA_ARGS__)
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...) AT_DISPATCH_CASE(::c10::kHalf, __VA_ARGS__) AT_DISPATCH_CASE(::c10::kBFloat16, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)                                                                     \
  AT_DISPATCH_CASE(::c10::kByte, __VA_ARGS__) AT_DISPATCH_CASE(::c10::kChar, __VA_ARGS__) AT_DISPATCH_CASE(::c10::kInt, __VA_ARGS__) \
  AT_DISPATCH_CASE(::c10::kLong, __VA_ARGS__) AT_DISPATCH_CASE(::c10::kShort, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(__VA_ARGS__))
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(a, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(a, b, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES_AND(a, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(a, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(a, b, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND3(a, b, c, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__))
// The same over more types; those of complex numbers are left out.
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND(a, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND2(a, b, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND3(a, b, c, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND3(a, b, c, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_FLOATING_TYPES_AND3(a, b, c, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND4(a, b, c, d, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__) AT_DISPATCH_CASE(d, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND4(a, b, c, d, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_FLOATING_TYPES_AND4(a, b, c, d, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND(a, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND2(a, b, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND3(a, b, c, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND4(a, b, c, d, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__) AT_DISPATCH_CASE(d, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND4(a, b, c, d, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_ALL_TYPES_AND4(a, b, c, d, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND1(a, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND1(a, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND1(a, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND(a, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND(a, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND(a, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND2(a, b, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(a, b, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND2(a, b, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND3(a, b, c, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND3(a, b, c, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND3(a, b, c, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND4(a, b, c, d, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__) AT_DISPATCH_CASE(d, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND4(a, b, c, d, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND4(a, b, c, d, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND5(a, b, c, d, e, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__) AT_DISPATCH_CASE(d, __VA_ARGS__) AT_DISPATCH_CASE(e, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND5(a, b, c, d, e, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND5(a, b, c, d, e, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND6(a, b, c, d, e, f, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__) AT_DISPATCH_CASE(d, __VA_ARGS__) AT_DISPATCH_CASE(e, __VA_ARGS__) AT_DISPATCH_CASE(f, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND6(a, b, c, d, e, f, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND6(a, b, c, d, e, f, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND(a, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND(a, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND(a, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND2(a, b, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(a, b, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND2(a, b, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND3(a, b, c, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(a, b, c, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND3(a, b, c, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND4(a, b, c, d, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__) AT_DISPATCH_CASE(d, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(a, b, c, d, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND4(a, b, c, d, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND5(a, b, c, d, e, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__) AT_DISPATCH_CASE(d, __VA_ARGS__) AT_DISPATCH_CASE(e, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND5(a, b, c, d, e, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND5(a, b, c, d, e, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND6(a, b, c, d, e, f, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__) AT_DISPATCH_CASE(d, __VA_ARGS__) AT_DISPATCH_CASE(e, __VA_ARGS__) AT_DISPATCH_CASE(f, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND6(a, b, c, d, e, f, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND6(a, b, c, d, e, f, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND7(a, b, c, d, e, f, g, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__) AT_DISPATCH_CASE(d, __VA_ARGS__) AT_DISPATCH_CASE(e, __VA_ARGS__) AT_DISPATCH_CASE(f, __VA_ARGS__) AT_DISPATCH_CASE(g, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND7(a, b, c, d, e, f, g, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND7(a, b, c, d, e, f, g, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND8(a, b, c, d, e, f, g, h, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__) AT_DISPATCH_CASE(d, __VA_ARGS__) AT_DISPATCH_CASE(e, __VA_ARGS__) AT_DISPATCH_CASE(f, __VA_ARGS__) AT_DISPATCH_CASE(g, __VA_ARGS__) AT_DISPATCH_CASE(h, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND8(a, b, c, d, e, f, g, h, t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND8(a, b, c, d, e, f, g, h, __VA_ARGS__))
#define AT_DISPATCH_CASE_INTEGRAL_TYPES_AND(a, ...) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__)
#define AT_DISPATCH_FLOAT8_TYPES(t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_DISPATCH_CASE(::c10::kFloat8_e5m2, __VA_ARGS__) AT_DISPATCH_CASE(::c10::kFloat8_e4m3fn, __VA_ARGS__))
// AT_DISPATCH_V2(type, name, AT_WRAP([&] { ... }), AT_EXPAND(AT_FLOATING_TYPES), kHalf): the lambda once, the types as a list.
#define AT_EXPAND(...) __VA_ARGS__
#define AT_WRAP(...) __VA_ARGS__
#define AT_FLOATING_TYPES ::c10::kDouble, ::c10::kFloat
#define AT_REDUCED_FLOATING_TYPES ::c10::kHalf, ::c10::kBFloat16
#define AT_INTEGRAL_TYPES ::c10::kByte, ::c10::kChar, ::c10::kInt, ::c10::kLong, ::c10::kShort
#define AT_BAREBONES_UNSIGNED_TYPES ::c10::kUInt16, ::c10::kUInt32, ::c10::kUInt64
#define AT_INTEGRAL_TYPES_V2 AT_INTEGRAL_TYPES, AT_BAREBONES_UNSIGNED_TYPES
#define AT_ALL_TYPES AT_INTEGRAL_TYPES, AT_FLOATING_TYPES
#define AT_ALL_TYPES_AND_COMPLEX AT_ALL_TYPES
#define AT_FLOAT8_TYPES ::c10::kFloat8_e5m2, ::c10::kFloat8_e4m3fn
#define CUDALINT_UNWRAP(...) __VA_ARGS__
#define CUDALINT_CASES_1(b, t) AT_DISPATCH_CASE(t, CUDALINT_UNWRAP b)
#define CUDALINT_CASES_2(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_1(b, __VA_ARGS__)
#define CUDALINT_CASES_3(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_2(b, __VA_ARGS__)
#define CUDALINT_CASES_4(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_3(b, __VA_ARGS__)
#define CUDALINT_CASES_5(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_4(b, __VA_ARGS__)
#define CUDALINT_CASES_6(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_5(b, __VA_ARGS__)
#define CUDALINT_CASES_7(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_6(b, __VA_ARGS__)
#define CUDALINT_CASES_8(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_7(b, __VA_ARGS__)
#define CUDALINT_CASES_9(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_8(b, __VA_ARGS__)
#define CUDALINT_CASES_10(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_9(b, __VA_ARGS__)
#define CUDALINT_CASES_11(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_10(b, __VA_ARGS__)
#define CUDALINT_CASES_12(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_11(b, __VA_ARGS__)
#define CUDALINT_CASES_13(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_12(b, __VA_ARGS__)
#define CUDALINT_CASES_14(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_13(b, __VA_ARGS__)
#define CUDALINT_CASES_15(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_14(b, __VA_ARGS__)
#define CUDALINT_CASES_16(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_15(b, __VA_ARGS__)
#define CUDALINT_CASES_17(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_16(b, __VA_ARGS__)
#define CUDALINT_CASES_18(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_17(b, __VA_ARGS__)
#define CUDALINT_CASES_19(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_18(b, __VA_ARGS__)
#define CUDALINT_CASES_20(b, t, ...) CUDALINT_CASES_1(b, t) CUDALINT_CASES_19(b, __VA_ARGS__)
#define CUDALINT_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, _19, _20, picked, ...) picked
#define CUDALINT_CASES(b, ...) CUDALINT_PICK(__VA_ARGS__, CUDALINT_CASES_20, CUDALINT_CASES_19, CUDALINT_CASES_18, CUDALINT_CASES_17, CUDALINT_CASES_16, CUDALINT_CASES_15, CUDALINT_CASES_14, CUDALINT_CASES_13, CUDALINT_CASES_12, CUDALINT_CASES_11, CUDALINT_CASES_10, CUDALINT_CASES_9, CUDALINT_CASES_8, CUDALINT_CASES_7, CUDALINT_CASES_6, CUDALINT_CASES_5, CUDALINT_CASES_4, CUDALINT_CASES_3, CUDALINT_CASES_2, CUDALINT_CASES_1, )(b, __VA_ARGS__)
#define AT_DISPATCH_V2(t, n, b, ...) AT_DISPATCH_SWITCH(t, n, CUDALINT_CASES((b), __VA_ARGS__))
#define THO_DISPATCH_V2(...) AT_DISPATCH_V2(__VA_ARGS__)
#define AT_DISPATCH_INDEX_TYPES(t, n, ...) AT_DISPATCH_SWITCH(t, n, AT_PRIVATE_CASE_TYPE_USING_HINT(::c10::kInt, index_t, __VA_ARGS__) AT_PRIVATE_CASE_TYPE_USING_HINT(::c10::kLong, index_t, __VA_ARGS__))
namespace c10 {
template <ScalarType T> struct impl_scalar;
#define CUDALINT_SCALAR(name, T)                                                                                 \
  template <> struct impl_scalar<ScalarType::name> { typedef T type; };                                         \
  template <> struct CppTypeToScalarType<T> : std::integral_constant<ScalarType, ScalarType::name> {};
CUDALINT_SCALAR(Byte, unsigned char) CUDALINT_SCALAR(Char, signed char) CUDALINT_SCALAR(Short, short) CUDALINT_SCALAR(Int, int) CUDALINT_SCALAR(Long, long)
CUDALINT_SCALAR(Half, ::c10::Half) CUDALINT_SCALAR(Float, float) CUDALINT_SCALAR(Double, double) CUDALINT_SCALAR(Bool, bool) CUDALINT_SCALAR(BFloat16, ::c10::BFloat16)
CUDALINT_SCALAR(Float8_e5m2, ::c10::Float8_e5m2) CUDALINT_SCALAR(Float8_e4m3fn, ::c10::Float8_e4m3fn) CUDALINT_SCALAR(Float8_e4m3fnuz, ::c10::Float8_e4m3fnuz)
CUDALINT_SCALAR(ComplexFloat, ::c10::complex<float>) CUDALINT_SCALAR(ComplexDouble, ::c10::complex<double>) CUDALINT_SCALAR(UInt16, unsigned short)
CUDALINT_SCALAR(UInt32, unsigned) CUDALINT_SCALAR(UInt64, unsigned long)
#undef CUDALINT_SCALAR
namespace impl { template <ScalarType T> using ScalarTypeToCPPTypeT = typename impl_scalar<T>::type; template <ScalarType T> using ScalarTypeToCPPType = impl_scalar<T>; }
}  // namespace c10
inline c10::ScalarType cudalint_scalar_type(c10::ScalarType type) { return type; }
