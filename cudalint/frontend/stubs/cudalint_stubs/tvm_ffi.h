// TVM FFI and DLPack: tensors as opaque handles with their documented accessors, containers, checks and exports.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin
typedef enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLROCM = 10, kDLCUDAManaged = 13 } DLDeviceType;
typedef enum {
  kDLInt, kDLUInt, kDLFloat, kDLOpaqueHandle, kDLBfloat, kDLComplex, kDLBool, kDLFloat8_e3m4, kDLFloat8_e4m3,
  kDLFloat8_e4m3b11fnuz, kDLFloat8_e4m3fn, kDLFloat8_e4m3fnuz, kDLFloat8_e5m2, kDLFloat8_e5m2fnuz, kDLFloat8_e8m0fnu,
  kDLFloat6_e2m3fn, kDLFloat6_e3m2fn, kDLFloat4_e2m1fn,
} DLDataTypeCode;
typedef struct { DLDeviceType device_type; int32_t device_id; } DLDevice;
typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
typedef struct { void *data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t *shape; int64_t *strides; uint64_t byte_offset; } DLTensor;
typedef struct DLManagedTensor { DLTensor dl_tensor; void *manager_ctx; void (*deleter)(DLManagedTensor *self); } DLManagedTensor;
inline constexpr bool operator==(DLDataType a, DLDataType b) { return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes; }
inline constexpr bool operator!=(DLDataType a, DLDataType b) { return !(a == b); }
inline constexpr bool operator==(DLDevice a, DLDevice b) { return a.device_type == b.device_type && a.device_id == b.device_id; }
inline constexpr bool operator!=(DLDevice a, DLDevice b) { return !(a == b); }
typedef void *TVMFFIStreamHandle;
TVMFFIStreamHandle TVMFFIEnvGetStream(int32_t device_type, int32_t device_id);
int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id, TVMFFIStreamHandle stream, TVMFFIStreamHandle *old);
int TVMFFIEnvTensorAlloc(DLTensor *prototype, void *out);
namespace tvm {
namespace ffi {
struct Object {};
struct ObjectRef { bool defined() const; template <class T> const T *as() const; };
struct Any { Any(); template <class T> Any(const T &value); template <class T> T cast() const; };
using AnyView = Any;
struct ShapeView {
  ShapeView(); ShapeView(const int64_t *data, size_t size); ShapeView(std::initializer_list<int64_t> values);
  int64_t operator[](size_t i) const; size_t size() const; const int64_t *data() const; bool empty() const;
  const int64_t *begin() const; const int64_t *end() const; int64_t Product() const; int64_t front() const; int64_t back() const;
};
struct Shape : ShapeView { using ShapeView::ShapeView; template <class I> Shape(I begin, I end); Shape(const std::vector<int64_t> &values); };
struct TensorView {
  TensorView(); TensorView(const DLTensor *tensor);
  void *data_ptr() const; int32_t ndim() const; int32_t dim() const; int64_t numel() const; int64_t size(int64_t i) const;
  int64_t stride(int64_t i) const; ShapeView shape() const; ShapeView sizes() const; ShapeView strides() const;
  DLDataType dtype() const; DLDevice device() const; bool IsContiguous() const; bool is_contiguous() const; uint64_t byte_offset() const;
  size_t element_size() const; const DLTensor *GetDLTensorPtr() const; TensorView as_strided(ShapeView shape, ShapeView strides) const;
};
struct Tensor : TensorView {
  Tensor();
  template <class A, class... B> static Tensor FromNDAlloc(A alloc, ShapeView shape, DLDataType dtype, DLDevice device, B... more);
  template <class A> static Tensor FromEnvAlloc(A alloc, ShapeView shape, DLDataType dtype, DLDevice device);
  static Tensor FromDLPack(DLManagedTensor *tensor);
  bool defined() const; DLTensor *operator->() const;
};
size_t GetDataSize(int64_t count, DLDataType dtype); size_t GetDataSize(const TensorView &tensor);
struct String { String(); String(const char *text); String(const std::string &text); const char *c_str() const; const char *data() const; size_t size() const; operator std::string() const; bool operator==(const char *) const; };
using Bytes = String;
std::string DLDataTypeToString(DLDataType dtype); DLDataType StringToDLDataType(const String &text);
template <class T> struct Optional {
  Optional(); Optional(std::nullopt_t); template <class U> Optional(const U &value);
  bool has_value() const; explicit operator bool() const; const T &value() const; template <class U> T value_or(U &&other) const;
  const T &operator*() const; const T *operator->() const; bool operator==(std::nullptr_t) const;
};
template <class T> struct Array {
  Array(); Array(std::initializer_list<T> values); Array(const std::vector<T> &values); template <class I> Array(I begin, I end);
  const T operator[](int64_t i) const; size_t size() const; bool empty() const; const T *begin() const; const T *end() const;
  void push_back(const T &value); void reserve(int64_t n); void Set(int64_t i, T value); T front() const; T back() const;
};
template <class... T> struct Tuple {
  Tuple(); template <class... U> Tuple(U &&...values);
  template <size_t I> typename std::tuple_element<I, std::tuple<T...>>::type get() const;
};
template <class K, class V> struct Map { Map(); V operator[](const K &key) const; size_t size() const; size_t count(const K &key) const; void Set(const K &key, const V &value); };
template <class... T> struct Variant { Variant(); template <class U> Variant(const U &value); template <class U> std::optional<U> as() const; template <class U> U get() const; };
struct Function { Function(); template <class F> static Function FromTyped(F f); template <class F> static Function FromTyped(F f, const char *name); template <class... A> Any operator()(A &&...arguments) const; static std::optional<Function> GetGlobal(const char *name); static Function GetGlobalRequired(const char *name); };
template <class F> struct TypedFunction { template <class G> TypedFunction(G g); template <class... A> Any operator()(A &&...arguments) const; };
template <class T> using ObjectPtr = T *;
template <class T, class... A> ObjectPtr<T> make_object(A &&...arguments);
struct ModuleObj : Object { virtual const char *kind() const; virtual int GetPropertyMask() const; virtual Optional<Function> GetFunction(const String &name); };
struct Module : ObjectRef { Module(); template <class T> explicit Module(T pointer); };
struct CUDADeviceGuard { CUDADeviceGuard(); explicit CUDADeviceGuard(int device); ~CUDADeviceGuard(); };
struct dim3 { unsigned x, y, z; dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1); };
struct CubinKernel { template <class... A> int Launch(A &&...arguments); };
struct CubinModule { template <class... A> CubinModule(A &&...arguments); CubinKernel GetKernel(const char *name); };
namespace details {
struct message { template <class T> const message &operator<<(const T &value) const; };
struct unread { void operator&(const message &said) const; };  // what is said where a check fails is not evaluated
}
}  // namespace ffi
}  // namespace tvm
#pragma clang force_cuda_host_device end
#define TVM_FFI_CHECK(condition, kind) __cudalint_check(static_cast<bool>(condition)), true ? (void)0 : ::tvm::ffi::details::unread() & ::tvm::ffi::details::message() << ""
#define TVM_FFI_ICHECK(condition) TVM_FFI_CHECK(condition, InternalError)
#define TVM_FFI_ICHECK_EQ(a, b) TVM_FFI_ICHECK((a) == (b))
#define TVM_FFI_ICHECK_NE(a, b) TVM_FFI_ICHECK((a) != (b))
#define TVM_FFI_ICHECK_LT(a, b) TVM_FFI_ICHECK((a) < (b))
#define TVM_FFI_ICHECK_LE(a, b) TVM_FFI_ICHECK((a) <= (b))
#define TVM_FFI_ICHECK_GT(a, b) TVM_FFI_ICHECK((a) > (b))
#define TVM_FFI_ICHECK_GE(a, b) TVM_FFI_ICHECK((a) >= (b))
#define TVM_FFI_ICHECK_NOTNULL(a) (a)
#define TVM_FFI_THROW(kind) TVM_FFI_CHECK(false, kind)
#define TVM_FFI_LOG_AND_THROW(kind) TVM_FFI_CHECK(false, kind)
#define TVM_FFI_UNREACHABLE() __cudalint_check(false)
#define TVM_FFI_CHECK_SAFE_CALL(...) __cudalint_check((__VA_ARGS__) == 0)
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, function)
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(name, ...)
#define TVM_FFI_STATIC_INIT_BLOCK(...) static void cudalint_static_init()
#define TVM_FFI_INLINE inline
#define TVM_FFI_DLL
#define TVM_FFI_DLL_EXPORT
