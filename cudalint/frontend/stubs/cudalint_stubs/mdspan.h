// std::mdspan: dense row-major or column-major views of up to any rank.
#pragma once
#include "span.h"
namespace std {
#pragma clang force_cuda_host_device begin
template <class I, size_t... E> struct extents {
  typedef I index_type;
  typedef size_t rank_type;
  typedef I size_type;
  I __sizes[sizeof...(E) ? sizeof...(E) : 1];
  constexpr extents() : __sizes{I(E)...} {}
  template <class... S, class = enable_if_t<sizeof...(S) == sizeof...(E) && sizeof...(S) != 0>> constexpr extents(S... sizes) : __sizes{I(sizes)...} {}
  static constexpr size_t __rank = sizeof...(E);
  static constexpr size_t rank() { return sizeof...(E); }
  static constexpr size_t rank_dynamic() { return __dynamic; }
  template <size_t... R> constexpr size_t __count(index_sequence<R...>) const { return (size_t(1) * ... * size_t(extent(R))); }
  static constexpr size_t __dynamic = ((E == dynamic_extent) + ... + 0);
  static constexpr size_t static_extent(size_t i) { size_t at = 0, found = dynamic_extent; ((at++ == i ? (void)(found = E) : (void)0), ...); return found; }
  template <class... S, class = enable_if_t<sizeof...(S) == __dynamic && sizeof...(S) != sizeof...(E)>, class = void> constexpr extents(S... sizes) : __sizes{I(E)...} {
    const I given[sizeof...(S) ? sizeof...(S) : 1] = {I(sizes)...};
    size_t at = 0, next = 0;
    ((E == dynamic_extent ? (void)(__sizes[at++] = given[next++]) : (void)at++), ...);
  }
  constexpr I extent(size_t i) const {
    if constexpr (__dynamic == sizeof...(E)) { return __sizes[i]; }
    else { size_t fixed = static_extent(i); return fixed == dynamic_extent ? __sizes[i] : I(fixed); }
  }
};
template <class I, size_t R, size_t... E> struct __cudalint_dextents : __cudalint_dextents<I, R - 1, dynamic_extent, E...> {};
template <class I, size_t... E> struct __cudalint_dextents<I, 0, E...> { typedef extents<I, E...> type; };
template <class I, size_t R> using dextents = typename __cudalint_dextents<I, R>::type;
template <size_t R, class I = size_t> using dims = dextents<I, R>;
struct layout_right {};
struct layout_left {};
struct layout_stride {};
template <class T> struct default_accessor {};
template <class T, class E, class L = layout_right, class A = default_accessor<T>> struct mdspan {
  typedef T element_type;
  typedef remove_cv_t<T> value_type;
  typedef typename E::index_type index_type;
  typedef E extents_type;
  typedef L layout_type;
  typedef T &reference;
  typedef T *data_handle_type;
  T *__handle;
  E __extents;
  constexpr mdspan() : __handle(nullptr), __extents() {}
  constexpr mdspan(T *pointer, const E &extents) : __handle(pointer), __extents(extents) {}
  template <class... S> constexpr explicit mdspan(T *pointer, S... sizes) : __handle(pointer), __extents(sizes...) {}
  static constexpr size_t rank() { return E::rank(); }
  constexpr index_type extent(size_t i) const { return __extents.extent(i); }
  constexpr const E &extents() const { return __extents; }
  constexpr T *data_handle() const { return __handle; }
  constexpr index_type stride(size_t r) const {
    index_type s = 1;
    if constexpr (__is_same(L, layout_left)) { for (size_t i = 0; i < r; i++) s *= __extents.extent(i); }
    else { for (size_t i = r + 1; i < E::__rank; i++) s *= __extents.extent(i); }
    return s;
  }
  constexpr size_t size() const { return __extents.__count(make_index_sequence<E::__rank>{}); }
  constexpr bool empty() const { return size() == 0; }
  template <class... N> constexpr T &operator()(N... at) const { return __handle[__offset(make_index_sequence<sizeof...(N)>{}, index_type(at)...)]; }
#if __cpp_multidimensional_subscript
  template <class... N> constexpr T &operator[](N... at) const { return __handle[__offset(make_index_sequence<sizeof...(N)>{}, index_type(at)...)]; }
#else
  constexpr T &operator[](index_type at) const { return __handle[at]; }
#endif
  template <size_t... R, class... N> constexpr index_type __offset(index_sequence<R...>, N... at) const { return ((at * stride(R)) + ...); }
};
#pragma clang force_cuda_host_device end
}  // namespace std
