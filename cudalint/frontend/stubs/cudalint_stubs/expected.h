// std::expected: a value or an error, side by side.
#pragma once
namespace std {
#pragma clang force_cuda_host_device begin
struct unexpect_t { explicit unexpect_t() = default; };
inline constexpr unexpect_t unexpect{};
template <class E> struct unexpected {
  E __error;
  template <class U = E, class = enable_if_t<!__is_same(remove_cvref_t<U>, unexpected)>> constexpr explicit unexpected(U &&error) : __error(static_cast<U &&>(error)) {}
  constexpr const E &error() const { return __error; }
};
template <class E> unexpected(E) -> unexpected<E>;
template <class T, class E> struct expected {
  typedef T value_type;
  typedef E error_type;
  bool __engaged;
  T __value;
  E __error;
  constexpr expected() : __engaged(true), __value(), __error() {}
  template <class U = T, class = enable_if_t<__is_constructible(T, U) && !__is_same(remove_cvref_t<U>, expected)>> constexpr expected(U &&value) : __engaged(true), __value(static_cast<U &&>(value)), __error() {}
  template <class G> constexpr expected(const unexpected<G> &error) : __engaged(false), __value(), __error(error.error()) {}
  constexpr bool has_value() const { return __engaged; }
  constexpr explicit operator bool() const { return __engaged; }
  constexpr T &value() { return __value; }
  constexpr const T &value() const { return __value; }
  constexpr T &operator*() { return __value; }
  constexpr const T &operator*() const { return __value; }
  constexpr T *operator->() { return &__value; }
  constexpr const T *operator->() const { return &__value; }
  constexpr E &error() { return __error; }
  constexpr const E &error() const { return __error; }
  template <class U> constexpr T value_or(U &&other) const { return __engaged ? __value : static_cast<T>(other); }
};
template <class E> struct expected<void, E> {
  bool __engaged;
  E __error;
  constexpr expected() : __engaged(true), __error() {}
  template <class G> constexpr expected(const unexpected<G> &error) : __engaged(false), __error(error.error()) {}
  constexpr bool has_value() const { return __engaged; }
  constexpr explicit operator bool() const { return __engaged; }
  constexpr void value() const {}
  constexpr const E &error() const { return __error; }
};
#pragma clang force_cuda_host_device end
}  // namespace std
