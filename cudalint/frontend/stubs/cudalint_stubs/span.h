// std::span and cuda::std::span: a pointer and a length, with element access through the pointer.
#pragma once
namespace std {
inline constexpr size_t dynamic_extent = ~size_t(0);
#pragma clang force_cuda_host_device begin
template <class T, size_t N = dynamic_extent> struct span;
template <class T> struct __cudalint_is_span : false_type {};
template <class T, size_t N> struct __cudalint_is_span<span<T, N>> : true_type {};
template <class T, size_t N> struct span {
  typedef T element_type;
  typedef remove_cv_t<T> value_type;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef T *pointer;
  typedef const T *const_pointer;
  typedef T &reference;
  typedef const T &const_reference;
  typedef T *iterator;
  static constexpr size_t extent = N;
  T *__pointer;
  size_t __size;
  constexpr span() noexcept : __pointer(nullptr), __size(0) {}
  constexpr span(T *first, size_t count) : __pointer(first), __size(count) {}
  constexpr span(T *first, T *last) : __pointer(first), __size(size_t(last - first)) {}
  template <size_t M> constexpr span(T (&array)[M]) noexcept : __pointer(array), __size(M) {}
  template <class U, size_t M, class = enable_if_t<__is_convertible_to(U (*)[], T (*)[])>> constexpr span(const span<U, M> &other) noexcept : __pointer(other.__pointer), __size(other.__size) {}
  template <class C, class = enable_if_t<!__cudalint_is_span<remove_cvref_t<C>>::value && !__is_array(remove_reference_t<C>) && __is_convertible_to(decltype(declval<C &>().data()), T *)>, class = decltype(declval<C &>().size())> constexpr span(C &&container) : __pointer(container.data()), __size(container.size()) {}
  constexpr T &operator[](size_t i) const { return __pointer[i]; }
  constexpr T &front() const { return __pointer[0]; }
  constexpr T &back() const { return __pointer[__size - 1]; }
  constexpr T *data() const noexcept { return __pointer; }
  constexpr size_t size() const noexcept { return __size; }
  constexpr size_t size_bytes() const noexcept { return __size * sizeof(T); }
  constexpr bool empty() const noexcept { return __size == 0; }
  constexpr T *begin() const noexcept { return __pointer; }
  constexpr T *end() const noexcept { return __pointer + __size; }
  constexpr const T *cbegin() const noexcept { return __pointer; }
  constexpr const T *cend() const noexcept { return __pointer + __size; }
  constexpr span<T> first(size_t count) const { return span<T>(__pointer, count); }
  constexpr span<T> last(size_t count) const { return span<T>(__pointer + (__size - count), count); }
  constexpr span<T> subspan(size_t from, size_t count = dynamic_extent) const { return span<T>(__pointer + from, count == dynamic_extent ? __size - from : count); }
};
template <class T, size_t M> span(T (&)[M]) -> span<T, M>;
template <class T> span(T *, size_t) -> span<T>;
template <class T> span(T *, T *) -> span<T>;
template <class C> span(C &&) -> span<remove_reference_t<decltype(*declval<C &>().data())>>;
template <class T, size_t N> span<const byte> as_bytes(span<T, N> s) { return span<const byte>(reinterpret_cast<const byte *>(s.data()), s.size_bytes()); }
template <class T, size_t N> span<byte> as_writable_bytes(span<T, N> s) { return span<byte>(reinterpret_cast<byte *>(s.data()), s.size_bytes()); }
#pragma clang force_cuda_host_device end
}  // namespace std
