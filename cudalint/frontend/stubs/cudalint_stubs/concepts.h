// <concepts>, where the dialect has them.
#pragma once
#if __cpp_concepts
namespace std {
template <class T, class U> concept same_as = __is_same(T, U) && __is_same(U, T);
template <class T, class B> concept derived_from = __is_base_of(B, T) && __is_convertible_to(const volatile T *, const volatile B *);
template <class T, class U> concept convertible_to = __is_convertible_to(T, U);
template <class T> concept integral = is_integral_v<T>;
template <class T> concept signed_integral = is_integral_v<T> && is_signed_v<T>;
template <class T> concept unsigned_integral = is_integral_v<T> && !is_signed_v<T>;
template <class T> concept floating_point = __is_floating_point(T);
template <class T, class... A> concept constructible_from = __is_constructible(T, A...);
template <class T> concept default_initializable = __is_constructible(T);
template <class T> concept destructible = __is_destructible(T);
template <class T> concept move_constructible = __is_constructible(T, T);
template <class T> concept copy_constructible = __is_constructible(T, const T &);
template <class T> concept movable = __is_object(T) && __is_constructible(T, T) && __is_assignable(T &, T);
template <class T> concept copyable = movable<T> && __is_constructible(T, const T &) && __is_assignable(T &, const T &);
template <class T> concept semiregular = copyable<T> && __is_constructible(T);
template <class T> concept equality_comparable = requires(const T &a, const T &b) { { a == b } -> convertible_to<bool>; { a != b } -> convertible_to<bool>; };
template <class T, class U> concept equality_comparable_with = requires(const T &a, const U &b) { { a == b } -> convertible_to<bool>; { b == a } -> convertible_to<bool>; };
template <class T> concept totally_ordered = equality_comparable<T> && requires(const T &a, const T &b) { { a < b } -> convertible_to<bool>; { a > b } -> convertible_to<bool>; };
template <class T> concept regular = semiregular<T> && equality_comparable<T>;
template <class T, class U> concept assignable_from = __is_assignable(T, U);
template <class T, class U> concept common_with = requires { typename common_type_t<T, U>; };
template <class F, class... A> concept invocable = is_invocable_v<F, A...>;
template <class F, class... A> concept regular_invocable = is_invocable_v<F, A...>;
template <class F, class... A> concept predicate = is_invocable_r_v<bool, F, A...>;
template <class I> concept input_or_output_iterator = requires(I i) { *i; ++i; };
template <class I> concept input_iterator = input_or_output_iterator<I>;
template <class I> concept forward_iterator = input_iterator<I>;
template <class I> concept bidirectional_iterator = forward_iterator<I> && requires(I i) { --i; };
template <class I> concept random_access_iterator = bidirectional_iterator<I> && requires(I i) { i + 1; i[0]; };
template <class I> concept contiguous_iterator = __is_pointer(I);
}  // namespace std
#endif
