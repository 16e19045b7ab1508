// libcu++: scoped atomics, barriers, pipelines and asynchronous copies; cuda::std is std.
#pragma once
namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
namespace std {
using namespace ::std;
#define CUDALINT_TRAIT(name) template <class T> struct name : bool_constant<__##name(T)> {}; template <class T> inline constexpr bool name##_v = __##name(T);
CUDALINT_TRAIT(is_integral) CUDALINT_TRAIT(is_arithmetic) CUDALINT_TRAIT(is_signed) CUDALINT_TRAIT(is_unsigned)  // __int128 too
#undef CUDALINT_TRAIT
using ::cuda::thread_scope; using ::cuda::thread_scope_system; using ::cuda::thread_scope_device; using ::cuda::thread_scope_block; using ::cuda::thread_scope_thread;
}
using ::std::memory_order; using ::std::memory_order_relaxed; using ::std::memory_order_consume; using ::std::memory_order_acquire; using ::std::memory_order_release; using ::std::memory_order_acq_rel; using ::std::memory_order_seq_cst;
#pragma clang force_cuda_host_device begin
// Members of the two have no body: the lowering makes them atomic statements on `value` or behind `object`.
#define CUDALINT_ATOMIC_MEMBERS(qualifier)                                                                       \
  typedef T value_type;                                                                                         \
  static constexpr bool is_always_lock_free = true;                                                             \
  T load(::std::memory_order order = ::std::memory_order_seq_cst) const;                                        \
  void store(T v, ::std::memory_order order = ::std::memory_order_seq_cst) qualifier;                           \
  T exchange(T v, ::std::memory_order order = ::std::memory_order_seq_cst) qualifier;                           \
  bool compare_exchange_strong(T &expected, T v, ::std::memory_order order = ::std::memory_order_seq_cst) qualifier; \
  bool compare_exchange_strong(T &expected, T v, ::std::memory_order success, ::std::memory_order failure) qualifier; \
  bool compare_exchange_weak(T &expected, T v, ::std::memory_order order = ::std::memory_order_seq_cst) qualifier; \
  bool compare_exchange_weak(T &expected, T v, ::std::memory_order success, ::std::memory_order failure) qualifier; \
  T fetch_add(T v, ::std::memory_order order = ::std::memory_order_seq_cst) qualifier;                          \
  T fetch_sub(T v, ::std::memory_order order = ::std::memory_order_seq_cst) qualifier;                          \
  T fetch_and(T v, ::std::memory_order order = ::std::memory_order_seq_cst) qualifier;                          \
  T fetch_or(T v, ::std::memory_order order = ::std::memory_order_seq_cst) qualifier;                           \
  T fetch_xor(T v, ::std::memory_order order = ::std::memory_order_seq_cst) qualifier;                          \
  T fetch_min(T v, ::std::memory_order order = ::std::memory_order_seq_cst) qualifier;                          \
  T fetch_max(T v, ::std::memory_order order = ::std::memory_order_seq_cst) qualifier;                          \
  T operator++() qualifier;                                                                                     \
  T operator++(int) qualifier;                                                                                  \
  T operator--() qualifier;                                                                                     \
  T operator--(int) qualifier;                                                                                  \
  T operator+=(T v) qualifier;                                                                                  \
  T operator-=(T v) qualifier;                                                                                  \
  T operator&=(T v) qualifier;                                                                                  \
  T operator|=(T v) qualifier;                                                                                  \
  T operator^=(T v) qualifier;                                                                                  \
  T operator=(T v) qualifier;                                                                                   \
  operator T() const;                                                                                           \
  void wait(T old, ::std::memory_order order = ::std::memory_order_seq_cst) const;                              \
  void notify_one() qualifier;                                                                                  \
  void notify_all() qualifier;
template <class T, thread_scope S = thread_scope_system> struct atomic {
  T value;
  atomic() = default;
  constexpr atomic(T v) : value(v) {}
  CUDALINT_ATOMIC_MEMBERS()
};
template <class T, thread_scope S = thread_scope_system> struct atomic_ref {
  T *object;
  constexpr explicit atomic_ref(T &to) : object(&to) {}
  CUDALINT_ATOMIC_MEMBERS(const)
};
#undef CUDALINT_ATOMIC_MEMBERS
void atomic_thread_fence(::std::memory_order order, thread_scope scope = thread_scope_system);
template <class T, size_t N> struct __cudalint_shape {};
template <size_t N> struct aligned_size_t { size_t value; constexpr aligned_size_t(size_t v) : value(v) {} constexpr operator size_t() const { return value; } };
template <thread_scope S, class F = void> struct barrier {
  struct arrival_token {};
  unsigned long long state;
  barrier() = default;
  barrier(long expected);
  arrival_token arrive(long count = 1);
  void wait(arrival_token &&token) const;
  void arrive_and_wait();
  void arrive_and_drop();
  bool try_wait(arrival_token &&token) const;
  bool try_wait_parity(bool parity) const;
  void wait_parity(bool parity) const;
  static constexpr long max() { return (1 << 20) - 1; }
};
template <thread_scope S> void init(barrier<S> *b, long expected);
namespace device {
template <thread_scope S> unsigned long long *barrier_native_handle(barrier<S> &b);
template <thread_scope S> typename barrier<S>::arrival_token barrier_arrive_tx(barrier<S> &b, long count, long bytes);
template <class B> void barrier_expect_tx(B &b, long bytes);
template <class T> void memcpy_async_tx(T *to, const T *from, size_t bytes, barrier<thread_scope_block> &b);
namespace experimental {
template <class B, class... C> void cp_async_bulk_tensor_2d_global_to_shared(C &&...arguments);
void fence_proxy_async_shared_cta();
template <class S> void cp_async_bulk_global_to_shared(void *to, const void *from, S bytes, barrier<thread_scope_block> &b);
}
}  // namespace device
template <thread_scope S, unsigned Stages> struct pipeline_shared_state { unsigned char storage[Stages * 16]; };
enum class pipeline_role { producer, consumer };
template <thread_scope S> struct pipeline {
  void producer_acquire();
  void producer_commit();
  void consumer_wait();
  void consumer_release();
  bool quit();
};
pipeline<thread_scope_thread> make_pipeline();
template <class G, thread_scope S, unsigned N> pipeline<S> make_pipeline(const G &group, pipeline_shared_state<S, N> *state);
template <class G, thread_scope S, unsigned N> pipeline<S> make_pipeline(const G &group, pipeline_shared_state<S, N> *state, size_t producers);
template <class G, thread_scope S, unsigned N> pipeline<S> make_pipeline(const G &group, pipeline_shared_state<S, N> *state, pipeline_role role);
template <unsigned N, thread_scope S> void pipeline_consumer_wait_prior(pipeline<S> &p);
template <class T, class Size, class B> void memcpy_async(T *to, const T *from, Size bytes, B &barrier);
template <class G, class T, class Size, class B> void memcpy_async(const G &group, T *to, const T *from, Size bytes, B &barrier);
template <class B> void memcpy_async(void *to, const void *from, size_t bytes, B &barrier);
template <class T, class U> constexpr ::std::common_type_t<T, U> ceil_div(T a, U b) { return (a + b - 1) / b; }
template <class T, class U> constexpr ::std::common_type_t<T, U> round_up(T a, U b) { return (a + b - 1) / b * b; }
template <class T, class U> constexpr ::std::common_type_t<T, U> round_down(T a, U b) { return a / b * b; }
template <class T = void> struct maximum { constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
template <> struct maximum<void> { template <class T, class U> constexpr ::std::common_type_t<T, U> operator()(const T &a, const U &b) const { return a < b ? b : a; } };
template <class T, bool = false> struct fast_mod_div {
  T __divisor;
  explicit fast_mod_div(T divisor) : __divisor(divisor) {}
  operator T() const { return __divisor; }
  template <class U> friend ::std::common_type_t<T, U> operator/(U n, fast_mod_div d) { return n / d.__divisor; }
  template <class U> friend ::std::common_type_t<T, U> operator%(U n, fast_mod_div d) { return n % d.__divisor; }
};
template <class T = void> struct minimum { constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <> struct minimum<void> { template <class T, class U> constexpr ::std::common_type_t<T, U> operator()(const T &a, const U &b) const { return b < a ? b : a; } };
template <class R, class F> struct __cudalint_returning { F __function; template <class... A> constexpr R operator()(A &&...arguments) const { return __function(static_cast<A &&>(arguments)...); } };
template <class R, class F> constexpr __cudalint_returning<R, F> proclaim_return_type(F f) { return {f}; }
template <class F> constexpr F proclaim_copyable_arguments(F f) { return f; }
template <class T> struct overflow_result { T value; bool overflow; constexpr explicit operator bool() const { return overflow; } };
#define CUDALINT_OVERFLOW(name)                                                                                  \
  template <class R = void, class T, class U> constexpr auto name##_overflow(T a, U b) -> overflow_result<::std::conditional_t<__is_void(R), ::std::common_type_t<T, U>, R>>; \
  template <class R, class T, class U> constexpr bool name##_overflow(R &result, T a, U b);
CUDALINT_OVERFLOW(add) CUDALINT_OVERFLOW(sub) CUDALINT_OVERFLOW(mul) CUDALINT_OVERFLOW(div)
#undef CUDALINT_OVERFLOW
template <class T> constexpr T neg_overflow(T a);
template <class T> constexpr bool is_power_of_two(T x) { return x > 0 && (x & (x - 1)) == 0; }
struct stream_ref { stream_ref(cudaStream_t stream); cudaStream_t get() const; void sync() const; void wait() const; bool ready() const; };
struct device_ref { constexpr device_ref(int id) : __id(id) {} constexpr int get() const { return __id; } int __id; template <class A> int attribute(const A &) const; };
namespace mr {
struct device_accessible {};
struct host_accessible {};
struct get_memory_resource_t {};
template <class... P> struct any_resource { any_resource(); template <class R> any_resource(R &&resource); void *allocate(stream_ref, size_t, size_t = 256); void deallocate(stream_ref, void *, size_t, size_t = 256); };
template <class... P> struct resource_ref { resource_ref(const resource_ref &) = default; template <class R> resource_ref(const R &resource); void *allocate(stream_ref, size_t, size_t = 256); void deallocate(stream_ref, void *, size_t, size_t = 256); bool operator==(const resource_ref &) const; };
template <class... P> using async_resource_ref = resource_ref<P...>;
#if __cpp_concepts
template <class R, class... P> concept resource = true;
template <class R, class... P> concept resource_with = true;
template <class R, class... P> concept synchronous_resource_with = true;
#endif
}  // namespace mr
struct get_stream_t {};
namespace execution {
struct requirements_t {};
template <class... A> constexpr requirements_t require(const A &...) { return {}; }
namespace determinism { struct __cudalint_level {}; inline constexpr __cudalint_level not_guaranteed{}, run_to_run{}, gpu_to_gpu{}; }
namespace output_ordering { struct __cudalint_ordering {}; inline constexpr __cudalint_ordering unsorted{}, sorted{}; }
}
namespace std {
namespace execution {
template <class Q, class V> struct prop { Q query; V value; constexpr prop(Q q, V v) : query(q), value(v) {} };
template <class... A> struct env { constexpr env(A...) {} };
template <class... A> env(A...) -> env<A...>;
}
}
template <int N, class T> T *assume_aligned(T *pointer);
namespace ptx {
struct sem_release_t {}; struct sem_acquire_t {}; struct scope_cta_t {}; struct scope_cluster_t {}; struct space_shared_t {}; struct space_cluster_t {};
inline constexpr sem_release_t sem_release{}; inline constexpr sem_acquire_t sem_acquire{}; inline constexpr scope_cta_t scope_cta{}; inline constexpr scope_cluster_t scope_cluster{}; inline constexpr space_shared_t space_shared{}; inline constexpr space_cluster_t space_cluster{};
}
#pragma clang force_cuda_host_device end
}  // namespace cuda
#define LIBCUDACXX_VERSION 300000
#define CCCL_MAJOR_VERSION 3
#define CCCL_MINOR_VERSION 0
#define CCCL_VERSION 3000000
