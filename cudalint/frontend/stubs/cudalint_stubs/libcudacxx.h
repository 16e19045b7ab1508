// libcu++: scoped atomics, barriers, pipelines and asynchronous copies; cuda::std is std.
#pragma once
namespace cuda {
namespace std {
using namespace ::std;
}
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
#pragma clang force_cuda_host_device begin
template <class T, thread_scope S = thread_scope_system> struct atomic {
  T value;
  atomic() = default;
  atomic(T v);
  T load(::std::memory_order order = ::std::memory_order_seq_cst) const;
  void store(T v, ::std::memory_order order = ::std::memory_order_seq_cst);
  T exchange(T v, ::std::memory_order order = ::std::memory_order_seq_cst);
  bool compare_exchange_strong(T &expected, T v, ::std::memory_order order = ::std::memory_order_seq_cst);
  bool compare_exchange_strong(T &expected, T v, ::std::memory_order success, ::std::memory_order failure);
  bool compare_exchange_weak(T &expected, T v, ::std::memory_order order = ::std::memory_order_seq_cst);
  bool compare_exchange_weak(T &expected, T v, ::std::memory_order success, ::std::memory_order failure);
  T fetch_add(T v, ::std::memory_order order = ::std::memory_order_seq_cst);
  T fetch_sub(T v, ::std::memory_order order = ::std::memory_order_seq_cst);
  T fetch_and(T v, ::std::memory_order order = ::std::memory_order_seq_cst);
  T fetch_or(T v, ::std::memory_order order = ::std::memory_order_seq_cst);
  T fetch_xor(T v, ::std::memory_order order = ::std::memory_order_seq_cst);
  T fetch_min(T v, ::std::memory_order order = ::std::memory_order_seq_cst);
  T fetch_max(T v, ::std::memory_order order = ::std::memory_order_seq_cst);
  T operator++();
  T operator++(int);
  T operator+=(T v);
  T operator=(T v);
  operator T() const;
  void wait(T old, ::std::memory_order order = ::std::memory_order_seq_cst) const;
  void notify_one();
  void notify_all();
};
template <class T, thread_scope S = thread_scope_system> struct atomic_ref : atomic<T, S> { explicit atomic_ref(T &object); using atomic<T, S>::operator=; };
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
template <class T, class U> constexpr auto ceil_div(T a, U b) { return (a + b - 1) / b; }
template <class T> constexpr T round_up(T a, T b) { return (a + b - 1) / b * b; }
template <int N, class T> T *assume_aligned(T *pointer);
namespace ptx {
struct sem_release_t {}; struct sem_acquire_t {}; struct scope_cta_t {}; struct scope_cluster_t {}; struct space_shared_t {}; struct space_cluster_t {};
inline constexpr sem_release_t sem_release{}; inline constexpr sem_acquire_t sem_acquire{}; inline constexpr scope_cta_t scope_cta{}; inline constexpr scope_cluster_t scope_cluster{}; inline constexpr space_shared_t space_shared{}; inline constexpr space_cluster_t space_cluster{};
}
#pragma clang force_cuda_host_device end
}  // namespace cuda
