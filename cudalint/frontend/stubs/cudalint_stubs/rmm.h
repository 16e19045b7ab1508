// RAPIDS memory manager: streams, device buffers and vectors, execution policies, memory resources. Host code, no bodies.
#pragma once
#include "thrust.h"
namespace rmm {
struct cuda_stream_view {
  constexpr cuda_stream_view() = default;
  constexpr cuda_stream_view(cudaStream_t stream);
  cuda_stream_view(::cuda::stream_ref stream);
  cudaStream_t value() const noexcept;
  operator cudaStream_t() const noexcept;
  operator ::cuda::stream_ref() const noexcept;
  bool is_per_thread_default() const;
  bool is_default() const;
  void synchronize() const;
  void synchronize_no_throw() const noexcept;
};
bool operator==(const cuda_stream_view &, const cuda_stream_view &);
bool operator!=(const cuda_stream_view &, const cuda_stream_view &);
extern const cuda_stream_view cuda_stream_default, cuda_stream_legacy, cuda_stream_per_thread;
struct cuda_stream { cuda_stream(); bool is_valid() const; cudaStream_t value() const; cuda_stream_view view() const; operator cuda_stream_view() const; void synchronize() const; };
struct cuda_stream_pool { explicit cuda_stream_pool(size_t count = 16); cuda_stream_view get_stream() const; cuda_stream_view get_stream(size_t id) const; size_t get_pool_size() const; };
typedef ::cuda::mr::resource_ref<::cuda::mr::device_accessible> device_async_resource_ref, device_resource_ref;
typedef ::cuda::mr::resource_ref<::cuda::mr::host_accessible> host_async_resource_ref, host_resource_ref;
typedef ::cuda::mr::resource_ref<::cuda::mr::host_accessible, ::cuda::mr::device_accessible> host_device_async_resource_ref, host_device_resource_ref;
struct exec_policy : thrust::__cudalint_policy { template <class... A> explicit exec_policy(const A &...arguments); };
struct exec_policy_nosync : thrust::__cudalint_policy { template <class... A> explicit exec_policy_nosync(const A &...arguments); };
inline constexpr size_t CUDA_ALLOCATION_ALIGNMENT = 256;
inline constexpr size_t RMM_DEFAULT_HOST_ALIGNMENT = alignof(std::max_align_t);
constexpr bool is_pow2(size_t n) { return n != 0 && (n & (n - 1)) == 0; }
constexpr bool is_supported_alignment(size_t n) { return is_pow2(n); }
constexpr size_t align_up(size_t n, size_t to) { return (n + (to - 1)) & ~(to - 1); }
constexpr size_t align_down(size_t n, size_t to) { return n & ~(to - 1); }
struct cuda_device_id { typedef int value_type; cuda_device_id(); explicit constexpr cuda_device_id(int id); int value() const; };
struct cuda_set_device_raii { explicit cuda_set_device_raii(cuda_device_id id); };
cuda_device_id get_current_cuda_device();
int get_num_cuda_devices();
std::pair<size_t, size_t> available_device_memory();
struct bad_alloc : std::bad_alloc { bad_alloc(const char *); bad_alloc(const std::string &); };
struct out_of_memory : bad_alloc { using bad_alloc::bad_alloc; };
struct logic_error : std::logic_error { using std::logic_error::logic_error; };
struct cuda_error : std::runtime_error { using std::runtime_error::runtime_error; };
namespace mr {
struct device_memory_resource { void *allocate(size_t, cuda_stream_view = {}); void deallocate(void *, size_t, cuda_stream_view = {}); };
struct cuda_memory_resource : device_memory_resource {};
struct managed_memory_resource : device_memory_resource {};
struct cuda_async_memory_resource : device_memory_resource { template <class... A> cuda_async_memory_resource(A &&...); };
struct pinned_host_memory_resource : device_memory_resource {};
struct callback_memory_resource : device_memory_resource { template <class... A> callback_memory_resource(A &&...); };
template <class U = device_memory_resource> struct pool_memory_resource : device_memory_resource { template <class... A> pool_memory_resource(A &&...); };
template <class U = device_memory_resource> struct arena_memory_resource : device_memory_resource { template <class... A> arena_memory_resource(A &&...); };
template <class U = device_memory_resource> struct binning_memory_resource : device_memory_resource { template <class... A> binning_memory_resource(A &&...); };
template <class U = device_memory_resource> struct statistics_resource_adaptor : device_memory_resource { template <class... A> statistics_resource_adaptor(A &&...); };
template <class T> struct polymorphic_allocator { typedef T value_type; polymorphic_allocator(); template <class... A> polymorphic_allocator(const A &...); T *allocate(size_t, cuda_stream_view); void deallocate(T *, size_t, cuda_stream_view); };
template <class A> struct stream_allocator_adaptor { template <class... X> stream_allocator_adaptor(X &&...); };
device_async_resource_ref get_current_device_resource_ref();
device_memory_resource *get_current_device_resource();
template <class R> device_async_resource_ref set_current_device_resource(R &&resource);
template <class R> device_async_resource_ref set_current_device_resource_ref(R &&resource);
device_async_resource_ref reset_current_device_resource();
}  // namespace mr
struct device_buffer {
  device_buffer();
  device_buffer(size_t bytes, cuda_stream_view stream, device_async_resource_ref mr = mr::get_current_device_resource_ref());
  device_buffer(const void *from, size_t bytes, cuda_stream_view stream, device_async_resource_ref mr = mr::get_current_device_resource_ref());
  device_buffer(const device_buffer &from, cuda_stream_view stream, device_async_resource_ref mr = mr::get_current_device_resource_ref());
  device_buffer(device_buffer &&other) noexcept;
  device_buffer &operator=(device_buffer &&other) noexcept;
  void *data() noexcept;
  const void *data() const noexcept;
  size_t size() const noexcept;
  size_t ssize() const noexcept;
  size_t capacity() const noexcept;
  bool is_empty() const noexcept;
  void resize(size_t bytes, cuda_stream_view stream);
  void reserve(size_t bytes, cuda_stream_view stream);
  void shrink_to_fit(cuda_stream_view stream);
  cuda_stream_view stream() const noexcept;
  void set_stream(cuda_stream_view stream) noexcept;
  device_async_resource_ref memory_resource() const noexcept;
};
template <class T> struct device_uvector {
  typedef T value_type;
  typedef size_t size_type;
  typedef T &reference;
  typedef const T &const_reference;
  typedef T *pointer;
  typedef const T *const_pointer;
  typedef T *iterator;
  typedef const T *const_iterator;
  device_uvector() = delete;
  device_uvector(size_t size, cuda_stream_view stream, device_async_resource_ref mr = mr::get_current_device_resource_ref());
  device_uvector(const device_uvector &from, cuda_stream_view stream, device_async_resource_ref mr = mr::get_current_device_resource_ref());
  device_uvector(device_uvector &&other) noexcept;
  device_uvector &operator=(device_uvector &&other) noexcept;
  T *element_ptr(size_t i) noexcept;
  const T *element_ptr(size_t i) const noexcept;
  void set_element_async(size_t i, const T &value, cuda_stream_view stream);
  void set_element_to_zero_async(size_t i, cuda_stream_view stream);
  void set_element(size_t i, const T &value, cuda_stream_view stream);
  T element(size_t i, cuda_stream_view stream) const;
  T front_element(cuda_stream_view stream) const;
  T back_element(cuda_stream_view stream) const;
  void reserve(size_t size, cuda_stream_view stream);
  void resize(size_t size, cuda_stream_view stream);
  void shrink_to_fit(cuda_stream_view stream);
  device_buffer release() noexcept;
  size_t capacity() const noexcept;
  T *data() noexcept;
  const T *data() const noexcept;
  iterator begin() noexcept;
  iterator end() noexcept;
  const_iterator begin() const noexcept;
  const_iterator end() const noexcept;
  const_iterator cbegin() const noexcept;
  const_iterator cend() const noexcept;
  size_t size() const noexcept;
  long ssize() const noexcept;
  bool is_empty() const noexcept;
  cuda_stream_view stream() const noexcept;
  void set_stream(cuda_stream_view stream) noexcept;
  device_async_resource_ref memory_resource() const noexcept;
};
template <class T> struct device_scalar {
  typedef T value_type;
  explicit device_scalar(cuda_stream_view stream, device_async_resource_ref mr = mr::get_current_device_resource_ref());
  explicit device_scalar(const T &value, cuda_stream_view stream, device_async_resource_ref mr = mr::get_current_device_resource_ref());
  device_scalar(const device_scalar &from, cuda_stream_view stream, device_async_resource_ref mr = mr::get_current_device_resource_ref());
  device_scalar(device_scalar &&other) noexcept;
  device_scalar &operator=(device_scalar &&other) noexcept;
  T value(cuda_stream_view stream) const;
  void set_value_async(const T &value, cuda_stream_view stream);
  void set_value_to_zero_async(cuda_stream_view stream);
  T *data() noexcept;
  const T *data() const noexcept;
  size_t size() const noexcept;
  cuda_stream_view stream() const noexcept;
};
template <class T> using device_vector = thrust::device_vector<T>;
}  // namespace rmm
#define RMM_CUDA_TRY(...) __cudalint_check((__VA_ARGS__) == cudaSuccess)
#define RMM_CUDA_TRY_ALLOC(...) __cudalint_check((__VA_ARGS__) == cudaSuccess)
#define RMM_ASSERT_CUDA_SUCCESS(...) __cudalint_check((__VA_ARGS__) == cudaSuccess)
#define RMM_EXPECTS(condition, ...) __cudalint_check(static_cast<bool>(condition))
#define RMM_FAIL(...) __cudalint_check(false)
