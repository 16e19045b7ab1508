// raft: resources, dense matrices and vectors on the device and the host, and views of them.
#pragma once
#include "mdspan.h"
#include "rmm.h"
namespace raft {
using std::dynamic_extent;
using std::extents;
typedef std::layout_right layout_c_contiguous, row_major;
typedef std::layout_left layout_f_contiguous, col_major;
typedef std::layout_stride layout_stride;
struct resources {};
struct device_resources : resources {
  template <class... A> device_resources(A &&...);
  rmm::cuda_stream_view get_stream() const;
  void sync_stream() const;
  int get_device() const;
};
typedef device_resources handle_t;
typedef device_resources device_resources_snmg;
namespace resource {
rmm::cuda_stream_view get_cuda_stream(const resources &);
void sync_stream(const resources &);
rmm::exec_policy get_thrust_policy(const resources &);
cudaDeviceProp &get_device_properties(const resources &);
rmm::mr::device_memory_resource *get_workspace_resource(const resources &);
}  // namespace resource
template <class I> using vector_extent = std::extents<I, dynamic_extent>;
template <class I> using matrix_extent = std::extents<I, dynamic_extent, dynamic_extent>;
template <class I> using extent_1d = vector_extent<I>;
template <class I> using extent_2d = matrix_extent<I>;
template <class T, class E, class L = row_major> using device_mdspan = std::mdspan<T, E, L>;
template <class T, class E, class L = row_major> using host_mdspan = std::mdspan<T, E, L>;
template <class T, class E, class L = row_major> using managed_mdspan = std::mdspan<T, E, L>;
template <class T, class I = std::uint32_t, class L = row_major> using device_vector_view = device_mdspan<T, vector_extent<I>, L>;
template <class T, class I = std::uint32_t, class L = row_major> using device_matrix_view = device_mdspan<T, matrix_extent<I>, L>;
template <class T, class I = std::uint32_t> using device_scalar_view = device_mdspan<T, std::extents<I, 1>>;
template <class T, class I = std::uint32_t, class L = row_major> using host_vector_view = host_mdspan<T, vector_extent<I>, L>;
template <class T, class I = std::uint32_t, class L = row_major> using host_matrix_view = host_mdspan<T, matrix_extent<I>, L>;
template <class T, class I = std::uint32_t> using host_scalar_view = host_mdspan<T, std::extents<I, 1>>;
template <class T, class E, class L, bool OnDevice> struct __cudalint_mdarray {
  typedef T value_type;
  typedef T element_type;
  typedef typename E::index_type index_type;
  typedef std::mdspan<T, E, L> view_type;
  typedef std::mdspan<const T, E, L> const_view_type;
  T *__handle;
  E __extents;
  explicit __cudalint_mdarray(E extents) : __handle(nullptr), __extents(extents) {
    size_t count = extents.__count(std::make_index_sequence<E::__rank>{});
    if constexpr (OnDevice) cudaMalloc((void **)&__handle, count * sizeof(T));
    else __handle = (T *)malloc(count * sizeof(T));
  }
  T *data_handle() { return __handle; }
  const T *data_handle() const { return __handle; }
  index_type extent(size_t i) const { return __extents.extent(i); }
  const E &extents() const { return __extents; }
  size_t size() const { return view().size(); }
  view_type view() { return view_type(__handle, __extents); }
  const_view_type view() const { return const_view_type(__handle, __extents); }
  template <class... N> T &operator()(N... at) const;
};
template <class T, class E, class L = row_major> using device_mdarray = __cudalint_mdarray<T, E, L, true>;
template <class T, class E, class L = row_major> using host_mdarray = __cudalint_mdarray<T, E, L, false>;
template <class T, class I = std::uint32_t, class L = row_major> using device_vector = device_mdarray<T, vector_extent<I>, L>;
template <class T, class I = std::uint32_t, class L = row_major> using device_matrix = device_mdarray<T, matrix_extent<I>, L>;
template <class T, class I = std::uint32_t> using device_scalar = device_mdarray<T, std::extents<I, 1>>;
template <class T, class I = std::uint32_t, class L = row_major> using host_vector = host_mdarray<T, vector_extent<I>, L>;
template <class T, class I = std::uint32_t, class L = row_major> using host_matrix = host_mdarray<T, matrix_extent<I>, L>;
template <class T, class I = std::uint32_t, class L = row_major> device_vector<T, I, L> make_device_vector(const resources &, I n) { return device_vector<T, I, L>(vector_extent<I>(n)); }
template <class T, class I = std::uint32_t, class L = row_major> device_matrix<T, I, L> make_device_matrix(const resources &, I rows, I cols) { return device_matrix<T, I, L>(matrix_extent<I>(rows, cols)); }
template <class T, class I = std::uint32_t, class L = row_major> host_vector<T, I, L> make_host_vector(I n) { return host_vector<T, I, L>(vector_extent<I>(n)); }
template <class T, class I = std::uint32_t, class L = row_major> host_matrix<T, I, L> make_host_matrix(I rows, I cols) { return host_matrix<T, I, L>(matrix_extent<I>(rows, cols)); }
template <class T, class I = std::uint32_t, class L = row_major> device_vector_view<T, I, L> make_device_vector_view(T *data, I n) { return device_vector_view<T, I, L>(data, n); }
template <class T, class I = std::uint32_t, class L = row_major> device_matrix_view<T, I, L> make_device_matrix_view(T *data, I rows, I cols) { return device_matrix_view<T, I, L>(data, rows, cols); }
template <class T, class I = std::uint32_t, class L = row_major> host_vector_view<T, I, L> make_host_vector_view(T *data, I n) { return host_vector_view<T, I, L>(data, n); }
template <class T, class I = std::uint32_t, class L = row_major> host_matrix_view<T, I, L> make_host_matrix_view(T *data, I rows, I cols) { return host_matrix_view<T, I, L>(data, rows, cols); }
template <class M> auto make_const_mdspan(const M &view) { return std::mdspan<const typename M::element_type, typename M::extents_type, typename M::layout_type>(view.data_handle(), view.extents()); }
struct exception : std::runtime_error { using std::runtime_error::runtime_error; };
struct logic_error : exception { using exception::exception; };
struct cuda_error : exception { using exception::exception; };
template <class A, class B> constexpr auto ceildiv(A a, B b) { return (a + b - 1) / b; }
}  // namespace raft
#ifndef RAFT_EXPECTS
#define RAFT_EXPECTS(cond, ...) do { if (!(cond)) throw raft::logic_error("raft"); } while (0)
#define RAFT_FAIL(...) throw raft::logic_error("raft")
#define RAFT_CUDA_TRY(call) do { if ((call) != cudaSuccess) throw raft::cuda_error("cuda"); } while (0)
#define RAFT_CUDA_TRY_NO_THROW(call) (void)(call)
#define RAFT_CHECK_CUDA(...) RAFT_CUDA_TRY(cudaPeekAtLastError())
#define RAFT_LOG_DEBUG(...)
#define RAFT_LOG_INFO(...)
#define RAFT_LOG_WARN(...)
#endif
