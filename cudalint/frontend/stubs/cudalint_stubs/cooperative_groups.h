// Cooperative groups: blocks, tiles, coalesced threads, clusters, grids, and collective operations on them.
#pragma once
namespace cooperative_groups {
struct thread_group {
  __device__ void sync() const;
  __device__ unsigned long long size() const;
  __device__ unsigned long long num_threads() const;
  __device__ unsigned long long thread_rank() const;
  __device__ bool is_valid() const;
};
struct thread_block : thread_group {
  __device__ static void sync();
  __device__ static unsigned int size();
  __device__ static unsigned int num_threads();
  __device__ static unsigned int thread_rank();
  __device__ static dim3 group_dim();
  __device__ static dim3 dim_threads();
  __device__ static dim3 group_index();
  __device__ static dim3 thread_index();
  struct arrival_token {};
  __device__ arrival_token barrier_arrive() const;
  __device__ void barrier_wait(arrival_token &&token) const;
};
struct grid_group : thread_group {
  __device__ void sync() const;
  __device__ unsigned long long size() const;
  __device__ unsigned long long num_threads() const;
  __device__ unsigned long long thread_rank() const;
  __device__ unsigned long long block_rank() const;
  __device__ unsigned long long num_blocks() const;
  __device__ unsigned long long cluster_rank() const;
  __device__ unsigned long long num_clusters() const;
  __device__ dim3 cluster_index() const;
  __device__ dim3 dim_clusters() const;
  __device__ dim3 group_dim() const;
  __device__ dim3 dim_blocks() const;
  __device__ dim3 block_index() const;
  __device__ bool is_valid() const;
  typedef unsigned int arrival_token;
  __device__ arrival_token barrier_arrive() const;
  __device__ void barrier_wait(arrival_token &&token) const;
};
struct multi_grid_group : thread_group {
  __device__ unsigned grid_rank() const;
  __device__ unsigned num_grids() const;
};
struct cluster_group : thread_group {
  __device__ static void sync();
  __device__ static unsigned thread_rank();
  __device__ static unsigned block_rank();
  __device__ static unsigned num_threads();
  __device__ static unsigned num_blocks();
  __device__ static dim3 dim_blocks();
  __device__ static dim3 dim_threads();
  __device__ static dim3 block_index();
  __device__ static dim3 thread_index();
  struct arrival_token {};
  __device__ static arrival_token barrier_arrive();
  __device__ static void barrier_wait(arrival_token &&token);
  __device__ static void barrier_wait();
  __device__ static unsigned query_shared_rank(const void *pointer);
  template <class T> __device__ static T *map_shared_rank(T *pointer, int rank);
};
#define CUDALINT_WARP_METHODS                                                                                    \
  template <class T> __device__ T shfl(T value, int rank) const;                                                \
  template <class T> __device__ T shfl_up(T value, unsigned delta) const;                                       \
  template <class T> __device__ T shfl_down(T value, unsigned delta) const;                                     \
  template <class T> __device__ T shfl_xor(T value, unsigned mask) const;                                       \
  __device__ int any(int predicate) const;                                                                      \
  __device__ int all(int predicate) const;                                                                      \
  __device__ unsigned ballot(int predicate) const;                                                              \
  template <class T> __device__ unsigned match_any(T value) const;                                              \
  template <class T> __device__ unsigned match_all(T value, int &predicate) const;                              \
  __device__ unsigned meta_group_rank() const;                                                                  \
  __device__ unsigned meta_group_size() const;
struct coalesced_group : thread_group {
  unsigned mask;
  __device__ void sync() const;
  __device__ unsigned size() const;
  __device__ unsigned num_threads() const;
  __device__ unsigned thread_rank() const;
  CUDALINT_WARP_METHODS
};
template <unsigned Size, class Parent = void> struct thread_block_tile;
template <unsigned Size> struct thread_block_tile<Size, void> : thread_group {
  __device__ void sync() const;
  __device__ static constexpr unsigned size() { return Size; }
  __device__ static constexpr unsigned num_threads() { return Size; }
  __device__ unsigned thread_rank() const;
  CUDALINT_WARP_METHODS
};
template <unsigned Size, class Parent> struct thread_block_tile : thread_block_tile<Size, void> {};
#undef CUDALINT_WARP_METHODS
__device__ thread_block this_thread_block();
template <class M> __device__ thread_block this_thread_block(M &memory);
__device__ grid_group this_grid();
__device__ multi_grid_group this_multi_grid();
__device__ cluster_group this_cluster();
__device__ thread_group this_thread();
__device__ coalesced_group coalesced_threads();
template <unsigned Size, class P> __device__ thread_block_tile<Size, P> tiled_partition(const P &parent);
__device__ thread_group tiled_partition(const thread_group &parent, unsigned size);
__device__ coalesced_group tiled_partition(const coalesced_group &parent, unsigned size);
template <class G> __device__ coalesced_group binary_partition(const G &group, bool predicate);
template <class L, class G> __device__ coalesced_group labeled_partition(const G &group, L label);
template <class G> __device__ void sync(const G &group);
template <class G> __device__ auto thread_rank(const G &group) { return group.thread_rank(); }
template <class G> __device__ auto group_size(const G &group) { return group.size(); }
template <class G> __device__ void wait(const G &group);
template <unsigned Pending, class G> __device__ void wait_prior(const G &group);
template <class G, class T, class S> __device__ void memcpy_async(const G &group, T *to, const T *from, const S &bytes);
template <class G, class T, class L, class U, class S> __device__ void memcpy_async(const G &group, T *to, const L &to_layout, const U *from, const S &from_layout);
template <unsigned Threads> struct block_tile_memory { char bytes[1]; };
template <class T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };
template <class G, class T, class F> __device__ T reduce(const G &group, T value, F op);
template <class G, class T, class F> __device__ void reduce_update_async(const G &group, T &to, T value, F op);
template <class G, class T, class F> __device__ T inclusive_scan(const G &group, T value, F op);
template <class G, class T, class F> __device__ T exclusive_scan(const G &group, T value, F op);
template <class G, class T> __device__ T inclusive_scan(const G &group, T value);
template <class G, class T> __device__ T exclusive_scan(const G &group, T value);
template <class G, class F, class... A> __device__ void invoke_one(const G &group, F &&function, A &&...arguments) {
  if (group.thread_rank() == 0) function(static_cast<A &&>(arguments)...);
}
template <class G, class F, class... A> __device__ auto invoke_one_broadcast(const G &group, F &&function, A &&...arguments) -> decltype(function(static_cast<A &&>(arguments)...)) {
  decltype(function(static_cast<A &&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = function(static_cast<A &&>(arguments)...);
  return group.shfl(result, 0);
}
namespace experimental {
using cooperative_groups::this_thread_block;
using cooperative_groups::tiled_partition;
using cooperative_groups::block_tile_memory;
}  // namespace experimental
#define _CG_ASM_PTR_CONSTRAINT "l"
namespace details {
inline __device__ bool bar_has_flipped(unsigned int old_arrive, unsigned int current_arrive) {
  return ((old_arrive ^ current_arrive) & 0x80000000u) != 0;
}
}  // namespace details
}  // namespace cooperative_groups
