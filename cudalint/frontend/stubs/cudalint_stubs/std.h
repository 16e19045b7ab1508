// The C++ standard library in miniature: real type traits and limits, and classes with members but no bodies.
#pragma once
#pragma clang force_cuda_host_device begin
namespace std {
using ::size_t; using ::ptrdiff_t; using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::intptr_t; using ::uintptr_t;
using ::time_t; using ::clock_t; using ::FILE;
typedef decltype(nullptr) nullptr_t;
using ::max_align_t;
enum class byte : unsigned char {};
constexpr byte operator|(byte a, byte b) noexcept { return byte((unsigned char)a | (unsigned char)b); }
constexpr byte operator&(byte a, byte b) noexcept { return byte((unsigned char)a & (unsigned char)b); }
constexpr byte operator^(byte a, byte b) noexcept { return byte((unsigned char)a ^ (unsigned char)b); }
constexpr byte operator~(byte a) noexcept { return byte(~(unsigned char)a); }
template <class I> constexpr byte operator<<(byte a, I shift) noexcept { return byte((unsigned char)a << shift); }
template <class I> constexpr byte operator>>(byte a, I shift) noexcept { return byte((unsigned char)a >> shift); }
template <class I> constexpr I to_integer(byte a) noexcept { return I(a); }

template <class T, T V> struct integral_constant {
  static constexpr T value = V;
  typedef T value_type;
  typedef integral_constant type;
  constexpr operator T() const { return V; }
  constexpr T operator()() const { return V; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <bool B> using bool_constant = integral_constant<bool, B>;
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class U> struct conditional { typedef T type; };
template <class T, class U> struct conditional<false, T, U> { typedef U type; };
template <bool B, class T, class U> using conditional_t = typename conditional<B, T, U>::type;
template <class... T> struct __cudalint_voided { typedef void type; };
template <class... T> using __cudalint_void = typename __cudalint_voided<T...>::type;
template <class... T> using void_t = typename __cudalint_voided<T...>::type;
template <class T> struct type_identity { typedef T type; };
template <class T> using type_identity_t = typename type_identity<T>::type;
struct identity { template <class T> constexpr T &&operator()(T &&value) const noexcept { return static_cast<T &&>(value); } };
#define CUDALINT_TRAIT(name, ...)                                                                                \
  template <class T> struct name : bool_constant<__VA_ARGS__> {};                                               \
  template <class T> inline constexpr bool name##_v = __VA_ARGS__;
#define CUDALINT_TRAIT2(name, ...)                                                                               \
  template <class T, class U> struct name : bool_constant<__VA_ARGS__> {};                                      \
  template <class T, class U> inline constexpr bool name##_v = __VA_ARGS__;
CUDALINT_TRAIT2(is_same, __is_same(T, U))
CUDALINT_TRAIT2(is_base_of, __is_base_of(T, U))
CUDALINT_TRAIT2(is_convertible, __is_convertible_to(T, U))
CUDALINT_TRAIT2(is_assignable, __is_assignable(T, U))
#ifdef __STRICT_ANSI__  // as libstdc++: __int128 is no integer then
#define CUDALINT_STANDARD(T) (!__is_same(__remove_cv(T), __int128) && !__is_same(__remove_cv(T), unsigned __int128))
#else
#define CUDALINT_STANDARD(T) true
#endif
CUDALINT_TRAIT(is_void, __is_void(T)) CUDALINT_TRAIT(is_integral, __is_integral(T) && CUDALINT_STANDARD(T)) CUDALINT_TRAIT(is_floating_point, __is_floating_point(T))
CUDALINT_TRAIT(is_arithmetic, __is_arithmetic(T) && CUDALINT_STANDARD(T)) CUDALINT_TRAIT(is_fundamental, __is_fundamental(T)) CUDALINT_TRAIT(is_scalar, __is_scalar(T))
CUDALINT_TRAIT(is_signed, __is_signed(T) && CUDALINT_STANDARD(T)) CUDALINT_TRAIT(is_unsigned, __is_unsigned(T) && CUDALINT_STANDARD(T)) CUDALINT_TRAIT(is_const, __is_const(T))
CUDALINT_TRAIT(is_volatile, __is_volatile(T)) CUDALINT_TRAIT(is_pointer, __is_pointer(T)) CUDALINT_TRAIT(is_reference, __is_reference(T))
CUDALINT_TRAIT(is_lvalue_reference, __is_lvalue_reference(T)) CUDALINT_TRAIT(is_rvalue_reference, __is_rvalue_reference(T))
CUDALINT_TRAIT(is_array, __is_array(T)) CUDALINT_TRAIT(is_function, __is_function(T)) CUDALINT_TRAIT(is_enum, __is_enum(T))
CUDALINT_TRAIT(is_class, __is_class(T)) CUDALINT_TRAIT(is_union, __is_union(T)) CUDALINT_TRAIT(is_empty, __is_empty(T))
CUDALINT_TRAIT(is_trivial, __is_trivial(T)) CUDALINT_TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
CUDALINT_TRAIT(is_standard_layout, __is_standard_layout(T)) CUDALINT_TRAIT(is_pod, __is_pod(T)) CUDALINT_TRAIT(is_abstract, __is_abstract(T))
CUDALINT_TRAIT(is_default_constructible, __is_constructible(T)) CUDALINT_TRAIT(is_trivially_destructible, __is_trivially_destructible(T))
CUDALINT_TRAIT(is_object, __is_object(T)) CUDALINT_TRAIT(is_member_pointer, __is_member_pointer(T)) CUDALINT_TRAIT(is_final, __is_final(T))
CUDALINT_TRAIT(is_null_pointer, __is_same(__remove_cv(T), nullptr_t))
CUDALINT_TRAIT(is_trivially_default_constructible, __is_trivially_constructible(T)) CUDALINT_TRAIT(is_destructible, __is_destructible(T))
CUDALINT_TRAIT(is_copy_constructible, __is_constructible(T, const T &)) CUDALINT_TRAIT(is_move_constructible, __is_constructible(T, T &&))
CUDALINT_TRAIT(is_nothrow_copy_constructible, __is_nothrow_constructible(T, const T &)) CUDALINT_TRAIT(is_nothrow_move_constructible, __is_nothrow_constructible(T, T &&))
CUDALINT_TRAIT(is_trivially_copy_constructible, __is_trivially_constructible(T, const T &)) CUDALINT_TRAIT(is_trivially_move_constructible, __is_trivially_constructible(T, T &&))
CUDALINT_TRAIT(is_nothrow_default_constructible, __is_nothrow_constructible(T)) CUDALINT_TRAIT(is_copy_assignable, __is_assignable(T &, const T &))
CUDALINT_TRAIT(is_move_assignable, __is_assignable(T &, T &&)) CUDALINT_TRAIT(is_polymorphic, __is_polymorphic(T)) CUDALINT_TRAIT(is_aggregate, __is_aggregate(T))
CUDALINT_TRAIT(is_compound, __is_compound(T)) CUDALINT_TRAIT(is_member_function_pointer, __is_member_function_pointer(T)) CUDALINT_TRAIT(is_scoped_enum, __is_scoped_enum(T))
CUDALINT_TRAIT(has_unique_object_representations, __has_unique_object_representations(T)) CUDALINT_TRAIT(has_virtual_destructor, __has_virtual_destructor(T))
template <class T, class... A> struct is_constructible : bool_constant<__is_constructible(T, A...)> {};
template <class T, class... A> inline constexpr bool is_constructible_v = __is_constructible(T, A...);
template <class T, class... A> struct is_nothrow_constructible : bool_constant<__is_nothrow_constructible(T, A...)> {};
template <class T, class... A> inline constexpr bool is_nothrow_constructible_v = __is_nothrow_constructible(T, A...);
template <class T, class... A> struct is_trivially_constructible : bool_constant<__is_trivially_constructible(T, A...)> {};
template <class T, class... A> inline constexpr bool is_trivially_constructible_v = __is_trivially_constructible(T, A...);
#undef CUDALINT_TRAIT
#undef CUDALINT_TRAIT2
template <class T> struct remove_reference { typedef __remove_reference_t(T) type; };
template <class T> struct remove_cv { typedef __remove_cv(T) type; };
template <class T> struct remove_const { typedef __remove_const(T) type; };
template <class T> struct remove_volatile { typedef __remove_volatile(T) type; };
template <class T> struct remove_pointer { typedef __remove_pointer(T) type; };
template <class T> struct remove_cvref { typedef __remove_cvref(T) type; };
template <class T> struct remove_extent { typedef __remove_extent(T) type; };
template <class T> struct remove_all_extents { typedef __remove_all_extents(T) type; };
template <class T> struct add_volatile { typedef volatile T type; };
template <class T> struct add_cv { typedef const volatile T type; };
template <class T> using remove_all_extents_t = typename remove_all_extents<T>::type;
template <class T> using remove_volatile_t = typename remove_volatile<T>::type;
template <class T> using add_rvalue_reference_t = __add_rvalue_reference(T);
template <class T> struct add_pointer { typedef __add_pointer(T) type; };
template <class T> struct add_const { typedef const T type; };
template <class T> struct add_lvalue_reference { typedef __add_lvalue_reference(T) type; };
template <class T> struct add_rvalue_reference { typedef __add_rvalue_reference(T) type; };
template <class T> struct decay { typedef __decay(T) type; };
template <class T> struct underlying_type { typedef __underlying_type(T) type; };
template <class T> struct make_unsigned { typedef __make_unsigned(T) type; };
template <class T> struct make_signed { typedef __make_signed(T) type; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using remove_cvref_t = typename remove_cvref<T>::type;
template <class T> using remove_extent_t = typename remove_extent<T>::type;
template <class T> using add_pointer_t = typename add_pointer<T>::type;
template <class T> using add_const_t = typename add_const<T>::type;
template <class T> using add_lvalue_reference_t = typename add_lvalue_reference<T>::type;
template <class T> using decay_t = typename decay<T>::type;
template <class T> using underlying_type_t = typename underlying_type<T>::type;
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;
template <class T> using make_signed_t = typename make_signed<T>::type;
template <class T> __add_rvalue_reference(T) declval() noexcept;
template <class... B> struct conjunction : bool_constant<(bool(B::value) && ...)> {};
template <class... B> struct disjunction : bool_constant<(bool(B::value) || ...)> {};
template <class B> struct negation : bool_constant<!bool(B::value)> {};
template <class... B> inline constexpr bool conjunction_v = (bool(B::value) && ...);
template <class... B> inline constexpr bool disjunction_v = (bool(B::value) || ...);
template <class B> inline constexpr bool negation_v = !bool(B::value);
template <class T> struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class T> struct rank : integral_constant<size_t, __array_rank(T)> {};
template <class T, unsigned I = 0> struct extent : integral_constant<size_t, __array_extent(T, I)> {};
template <class T> inline constexpr size_t alignment_of_v = alignof(T);
template <size_t Size, size_t Align = 16> struct aligned_storage { struct type { alignas(Align) unsigned char data[Size]; }; };
template <size_t Size, size_t Align = 16> using aligned_storage_t = typename aligned_storage<Size, Align>::type;
template <class... T> struct common_type;
template <class T> struct common_type<T> { typedef __decay(T) type; };
template <class T, class U> struct common_type<T, U> { typedef __decay(decltype(true ? declval<T>() : declval<U>())) type; };
template <class T, class U, class... V> struct common_type<T, U, V...> : common_type<typename common_type<T, U>::type, V...> {};
template <class... T> using common_type_t = typename common_type<T...>::type;
template <class F, class... A> struct invoke_result { typedef decltype(declval<F>()(declval<A>()...)) type; };
template <class F, class... A> using invoke_result_t = typename invoke_result<F, A...>::type;
template <class T> struct unwrap_reference { typedef T type; };
template <class F> struct result_of;
template <class F, class... A> struct result_of<F(A...)> : invoke_result<F, A...> {};
template <class V, class F, class... A> struct __cudalint_invocable : false_type { template <class R> static constexpr bool gives = false; };
template <class F, class... A> struct __cudalint_invocable<__cudalint_void<decltype(declval<F>()(declval<A>()...))>, F, A...> : true_type {
  template <class R> static constexpr bool gives = __is_void(R) || __is_convertible_to(decltype(declval<F>()(declval<A>()...)), R);
};
template <class F, class... A> struct is_invocable : bool_constant<__cudalint_invocable<void, F, A...>::value> {};
template <class F, class... A> inline constexpr bool is_invocable_v = __cudalint_invocable<void, F, A...>::value;
template <class R, class F, class... A> struct is_invocable_r : bool_constant<__cudalint_invocable<void, F, A...>::template gives<R>> {};
template <class R, class F, class... A> inline constexpr bool is_invocable_r_v = is_invocable_r<R, F, A...>::value;
template <class F, class... A> struct is_nothrow_invocable : is_invocable<F, A...> {};
constexpr bool is_constant_evaluated() noexcept { return __builtin_is_constant_evaluated(); }

template <class T> constexpr remove_reference_t<T> &&move(T &&value) noexcept { return static_cast<remove_reference_t<T> &&>(value); }
template <class T> constexpr T &&forward(remove_reference_t<T> &value) noexcept { return static_cast<T &&>(value); }
template <class T> constexpr T &&forward(remove_reference_t<T> &&value) noexcept { return static_cast<T &&>(value); }
template <class T> constexpr const T &as_const(T &value) noexcept { return value; }
template <class T> void swap(T &a, T &b) { T old = a; a = b; b = old; }
template <class T, size_t N> void swap(T (&a)[N], T (&b)[N]);
template <class T, class U = T> T exchange(T &object, U &&value) { T old = object; object = value; return old; }
template <class T> constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> constexpr T max(T a, T b) { return a < b ? b : a; }
template <class T, class F> constexpr T min(T a, T b, F less);
template <class T, class F> constexpr T max(T a, T b, F less);
template <class T> constexpr T clamp(T value, typename type_identity<T>::type low, typename type_identity<T>::type high) { return value < low ? low : high < value ? high : value; }
void *align(size_t alignment, size_t bytes, void *&pointer, size_t &space);
template <size_t N, class T> constexpr T *assume_aligned(T *pointer) { return pointer; }
// Any function object: the type for a template parameter that only its name says something of.
template <class R, class... A> R __cudalint_called(A...);
struct __cudalint_function {
  template <class A, class... B> conditional_t<__is_arithmetic(remove_cvref_t<A>), remove_cvref_t<A>, int> operator()(A &&first, B &&...others) const;
  int operator()() const;
};
template <class T> constexpr T *addressof(T &value) noexcept { return __builtin_addressof(value); }
template <class To, class From> constexpr To bit_cast(const From &from) noexcept { return __builtin_bit_cast(To, from); }
template <class T> constexpr T midpoint(T a, T b);
template <class T, class U> constexpr typename common_type<T, U>::type gcd(T a, U b);
template <class T, class U> constexpr typename common_type<T, U>::type lcm(T a, U b);
using ::memcpy; using ::memset; using ::memmove; using ::memcmp; using ::strlen; using ::strcmp; using ::strcpy; using ::printf; using ::malloc; using ::free;
using ::abs; using ::labs; using ::clock;

template <class T> class initializer_list {
  const T *first;
  size_t count;
 public:
  typedef T value_type;
  constexpr initializer_list() noexcept : first(nullptr), count(0) {}
  constexpr size_t size() const noexcept { return count; }
  constexpr const T *begin() const noexcept { return first; }
  constexpr const T *end() const noexcept { return first + count; }
};
template <class T> constexpr T min(initializer_list<T> values);
template <class T> constexpr T max(initializer_list<T> values);

enum float_round_style { round_indeterminate = -1, round_toward_zero, round_to_nearest };
template <class T, bool = __is_integral(T), bool = __is_floating_point(T)> struct __cudalint_limits {
  static constexpr bool is_specialized = false, is_integer = false, is_signed = true, has_infinity = true;
  static constexpr int digits = 0;
  static constexpr T min();
  static constexpr T max();
  static constexpr T lowest();
  static constexpr T epsilon();
  static constexpr T infinity();
  static constexpr T quiet_NaN();
};
template <class T> struct __cudalint_limits<T, true, false> {
  static constexpr bool is_specialized = true, is_integer = true, is_signed = __is_signed(T), has_infinity = false;
  static constexpr bool is_iec559 = false, has_quiet_NaN = false, is_exact = true;
  static constexpr int digits = __is_same(T, bool) ? 1 : sizeof(T) * 8 - is_signed, digits10 = digits * 3 / 10;
  static constexpr T max() noexcept { return __is_same(T, bool) ? T(1) : is_signed ? T(((T(1) << (digits - 1)) - 1) * 2 + 1) : T(~T(0)); }
  static constexpr T min() noexcept { return is_signed ? T(-max() - 1) : T(0); }
  static constexpr T lowest() noexcept { return min(); }
  static constexpr T epsilon() noexcept { return 0; }
  static constexpr T infinity() noexcept { return 0; }
  static constexpr T quiet_NaN() noexcept { return 0; }
};
template <class T> struct __cudalint_limits<T, false, true> {
  static constexpr bool is_specialized = true, is_integer = false, is_signed = true, has_infinity = true;
  static constexpr bool is_iec559 = true, has_quiet_NaN = true, is_exact = false, __single = sizeof(T) == 4;
  static constexpr int digits = __single ? 24 : 53, digits10 = __single ? 6 : 15, max_digits10 = digits10 + 3;
  static constexpr T min() noexcept { return __single ? T(FLT_MIN) : T(DBL_MIN); }
  static constexpr T max() noexcept { return __single ? T(FLT_MAX) : T(DBL_MAX); }
  static constexpr T lowest() noexcept { return -max(); }
  static constexpr T epsilon() noexcept { return __single ? T(FLT_EPSILON) : T(DBL_EPSILON); }
  static constexpr T infinity() noexcept { return T(__builtin_inf()); }
  static constexpr T quiet_NaN() noexcept { return T(__builtin_nan("")); }
  static constexpr T signaling_NaN() noexcept { return T(__builtin_nan("")); }
  static constexpr T denorm_min() noexcept { return __single ? T(1.401298464e-45f) : T(4.9406564584124654e-324); }
};
template <class T> struct numeric_limits : __cudalint_limits<T> {};

template <class... T> struct tuple;
template <class T, class U> struct pair {
  typedef T first_type;
  typedef U second_type;
  T first;
  U second;
  constexpr pair() = default;
  constexpr pair(const T &a, const U &b) : first(a), second(b) {}
  template <class A = T, class B = U, class = enable_if_t<__is_constructible(T, A) && __is_constructible(U, B)>> constexpr pair(A &&a, B &&b) : first(static_cast<A &&>(a)), second(static_cast<B &&>(b)) {}
  template <class A, class B> constexpr pair(const pair<A, B> &other) : first(other.first), second(other.second) {}
  template <class A, class B> constexpr pair &operator=(const pair<A, B> &other) { first = other.first; second = other.second; return *this; }
  constexpr void swap(pair &other) { pair old = *this; *this = other; other = old; }
};
template <class T, class U> pair(T, U) -> pair<T, U>;
template <class T, class U> constexpr pair<decay_t<T>, decay_t<U>> make_pair(T &&a, U &&b) { return {static_cast<T &&>(a), static_cast<U &&>(b)}; }
template <class T, class U> constexpr bool operator==(const pair<T, U> &a, const pair<T, U> &b) { return a.first == b.first && a.second == b.second; }
template <class T, class U> constexpr bool operator!=(const pair<T, U> &a, const pair<T, U> &b) { return !(a == b); }
template <class T, class U> constexpr bool operator<(const pair<T, U> &a, const pair<T, U> &b) { return a.first < b.first || (!(b.first < a.first) && a.second < b.second); }
template <> struct tuple<> {};
// Members of their own for each length, because bases of instances are not visible to the lowering.
template <class T0> struct tuple<T0> {
  T0 __0;
  constexpr tuple() = default;
  constexpr tuple(const T0 &a0) : __0(a0) {}
  template <class A0 = T0, class = enable_if_t<__is_constructible(T0, A0) && !__is_same(remove_cvref_t<A0>, tuple)>> constexpr tuple(A0 &&a0) : __0(static_cast<A0 &&>(a0)) {}
  template <class A0, class = enable_if_t<!__is_same(tuple<A0>, tuple) && !__is_constructible(T0, const tuple<A0> &)>> constexpr tuple(const tuple<A0> &other) : __0(other.__0) {}
  constexpr tuple(const tuple &other) = default;
  constexpr tuple &operator=(const tuple &other) { __0 = other.__0; return *this; }
  constexpr tuple(tuple &&other) = default;
  constexpr tuple &operator=(tuple &&other) { __0 = static_cast<T0 &&>(other.__0); return *this; }
  template <class A0> constexpr tuple &operator=(const tuple<A0> &other) { __0 = other.__0; return *this; }
  template <class A0> constexpr tuple &operator=(tuple<A0> &&other) { __0 = static_cast<A0 &&>(other.__0); return *this; }
};
template <class T0, class T1> struct tuple<T0, T1> {
  T0 __0; T1 __1;
  constexpr tuple() = default;
  constexpr tuple(const T0 &a0, const T1 &a1) : __0(a0), __1(a1) {}
  template <class A0 = T0, class A1 = T1, class = enable_if_t<__is_constructible(T0, A0) && __is_constructible(T1, A1)>> constexpr tuple(A0 &&a0, A1 &&a1) : __0(static_cast<A0 &&>(a0)), __1(static_cast<A1 &&>(a1)) {}
  template <class A0, class A1, class = enable_if_t<!__is_same(tuple<A0, A1>, tuple)>> constexpr tuple(const tuple<A0, A1> &other) : __0(other.__0), __1(other.__1) {}
  constexpr tuple(const tuple &other) = default;
  constexpr tuple &operator=(const tuple &other) { __0 = other.__0; __1 = other.__1; return *this; }
  constexpr tuple(tuple &&other) = default;
  constexpr tuple &operator=(tuple &&other) { __0 = static_cast<T0 &&>(other.__0); __1 = static_cast<T1 &&>(other.__1); return *this; }
  template <class A0, class A1> constexpr tuple &operator=(const tuple<A0, A1> &other) { __0 = other.__0; __1 = other.__1; return *this; }
  template <class A0, class A1> constexpr tuple &operator=(tuple<A0, A1> &&other) { __0 = static_cast<A0 &&>(other.__0); __1 = static_cast<A1 &&>(other.__1); return *this; }
  template <class A, class B> constexpr tuple(const pair<A, B> &other) : __0(other.first), __1(other.second) {}
  template <class A, class B> constexpr tuple &operator=(const pair<A, B> &other) { __0 = other.first; __1 = other.second; return *this; }
  template <class A, class B> constexpr tuple &operator=(pair<A, B> &&other) { __0 = static_cast<A &&>(other.first); __1 = static_cast<B &&>(other.second); return *this; }
};
template <class T0, class T1, class T2> struct tuple<T0, T1, T2> {
  T0 __0; T1 __1; T2 __2;
  constexpr tuple() = default;
  constexpr tuple(const T0 &a0, const T1 &a1, const T2 &a2) : __0(a0), __1(a1), __2(a2) {}
  template <class A0 = T0, class A1 = T1, class A2 = T2, class = enable_if_t<__is_constructible(T0, A0) && __is_constructible(T1, A1) && __is_constructible(T2, A2)>> constexpr tuple(A0 &&a0, A1 &&a1, A2 &&a2) : __0(static_cast<A0 &&>(a0)), __1(static_cast<A1 &&>(a1)), __2(static_cast<A2 &&>(a2)) {}
  template <class A0, class A1, class A2, class = enable_if_t<!__is_same(tuple<A0, A1, A2>, tuple)>> constexpr tuple(const tuple<A0, A1, A2> &other) : __0(other.__0), __1(other.__1), __2(other.__2) {}
  constexpr tuple(const tuple &other) = default;
  constexpr tuple &operator=(const tuple &other) { __0 = other.__0; __1 = other.__1; __2 = other.__2; return *this; }
  constexpr tuple(tuple &&other) = default;
  constexpr tuple &operator=(tuple &&other) { __0 = static_cast<T0 &&>(other.__0); __1 = static_cast<T1 &&>(other.__1); __2 = static_cast<T2 &&>(other.__2); return *this; }
  template <class A0, class A1, class A2> constexpr tuple &operator=(const tuple<A0, A1, A2> &other) { __0 = other.__0; __1 = other.__1; __2 = other.__2; return *this; }
  template <class A0, class A1, class A2> constexpr tuple &operator=(tuple<A0, A1, A2> &&other) { __0 = static_cast<A0 &&>(other.__0); __1 = static_cast<A1 &&>(other.__1); __2 = static_cast<A2 &&>(other.__2); return *this; }
};
template <class T0, class T1, class T2, class T3> struct tuple<T0, T1, T2, T3> {
  T0 __0; T1 __1; T2 __2; T3 __3;
  constexpr tuple() = default;
  constexpr tuple(const T0 &a0, const T1 &a1, const T2 &a2, const T3 &a3) : __0(a0), __1(a1), __2(a2), __3(a3) {}
  template <class A0 = T0, class A1 = T1, class A2 = T2, class A3 = T3, class = enable_if_t<__is_constructible(T0, A0) && __is_constructible(T1, A1) && __is_constructible(T2, A2) && __is_constructible(T3, A3)>> constexpr tuple(A0 &&a0, A1 &&a1, A2 &&a2, A3 &&a3) : __0(static_cast<A0 &&>(a0)), __1(static_cast<A1 &&>(a1)), __2(static_cast<A2 &&>(a2)), __3(static_cast<A3 &&>(a3)) {}
  template <class A0, class A1, class A2, class A3, class = enable_if_t<!__is_same(tuple<A0, A1, A2, A3>, tuple)>> constexpr tuple(const tuple<A0, A1, A2, A3> &other) : __0(other.__0), __1(other.__1), __2(other.__2), __3(other.__3) {}
  constexpr tuple(const tuple &other) = default;
  constexpr tuple &operator=(const tuple &other) { __0 = other.__0; __1 = other.__1; __2 = other.__2; __3 = other.__3; return *this; }
  constexpr tuple(tuple &&other) = default;
  constexpr tuple &operator=(tuple &&other) { __0 = static_cast<T0 &&>(other.__0); __1 = static_cast<T1 &&>(other.__1); __2 = static_cast<T2 &&>(other.__2); __3 = static_cast<T3 &&>(other.__3); return *this; }
  template <class A0, class A1, class A2, class A3> constexpr tuple &operator=(const tuple<A0, A1, A2, A3> &other) { __0 = other.__0; __1 = other.__1; __2 = other.__2; __3 = other.__3; return *this; }
  template <class A0, class A1, class A2, class A3> constexpr tuple &operator=(tuple<A0, A1, A2, A3> &&other) { __0 = static_cast<A0 &&>(other.__0); __1 = static_cast<A1 &&>(other.__1); __2 = static_cast<A2 &&>(other.__2); __3 = static_cast<A3 &&>(other.__3); return *this; }
};
template <class T0, class T1, class T2, class T3, class T4> struct tuple<T0, T1, T2, T3, T4> {
  T0 __0; T1 __1; T2 __2; T3 __3; T4 __4;
  constexpr tuple() = default;
  constexpr tuple(const T0 &a0, const T1 &a1, const T2 &a2, const T3 &a3, const T4 &a4) : __0(a0), __1(a1), __2(a2), __3(a3), __4(a4) {}
  template <class A0 = T0, class A1 = T1, class A2 = T2, class A3 = T3, class A4 = T4, class = enable_if_t<__is_constructible(T0, A0) && __is_constructible(T1, A1) && __is_constructible(T2, A2) && __is_constructible(T3, A3) && __is_constructible(T4, A4)>> constexpr tuple(A0 &&a0, A1 &&a1, A2 &&a2, A3 &&a3, A4 &&a4) : __0(static_cast<A0 &&>(a0)), __1(static_cast<A1 &&>(a1)), __2(static_cast<A2 &&>(a2)), __3(static_cast<A3 &&>(a3)), __4(static_cast<A4 &&>(a4)) {}
  template <class A0, class A1, class A2, class A3, class A4, class = enable_if_t<!__is_same(tuple<A0, A1, A2, A3, A4>, tuple)>> constexpr tuple(const tuple<A0, A1, A2, A3, A4> &other) : __0(other.__0), __1(other.__1), __2(other.__2), __3(other.__3), __4(other.__4) {}
  constexpr tuple(const tuple &other) = default;
  constexpr tuple &operator=(const tuple &other) { __0 = other.__0; __1 = other.__1; __2 = other.__2; __3 = other.__3; __4 = other.__4; return *this; }
  constexpr tuple(tuple &&other) = default;
  constexpr tuple &operator=(tuple &&other) { __0 = static_cast<T0 &&>(other.__0); __1 = static_cast<T1 &&>(other.__1); __2 = static_cast<T2 &&>(other.__2); __3 = static_cast<T3 &&>(other.__3); __4 = static_cast<T4 &&>(other.__4); return *this; }
  template <class A0, class A1, class A2, class A3, class A4> constexpr tuple &operator=(const tuple<A0, A1, A2, A3, A4> &other) { __0 = other.__0; __1 = other.__1; __2 = other.__2; __3 = other.__3; __4 = other.__4; return *this; }
  template <class A0, class A1, class A2, class A3, class A4> constexpr tuple &operator=(tuple<A0, A1, A2, A3, A4> &&other) { __0 = static_cast<A0 &&>(other.__0); __1 = static_cast<A1 &&>(other.__1); __2 = static_cast<A2 &&>(other.__2); __3 = static_cast<A3 &&>(other.__3); __4 = static_cast<A4 &&>(other.__4); return *this; }
};
template <class T0, class T1, class T2, class T3, class T4, class T5> struct tuple<T0, T1, T2, T3, T4, T5> {
  T0 __0; T1 __1; T2 __2; T3 __3; T4 __4; T5 __5;
  constexpr tuple() = default;
  constexpr tuple(const T0 &a0, const T1 &a1, const T2 &a2, const T3 &a3, const T4 &a4, const T5 &a5) : __0(a0), __1(a1), __2(a2), __3(a3), __4(a4), __5(a5) {}
  template <class A0 = T0, class A1 = T1, class A2 = T2, class A3 = T3, class A4 = T4, class A5 = T5, class = enable_if_t<__is_constructible(T0, A0) && __is_constructible(T1, A1) && __is_constructible(T2, A2) && __is_constructible(T3, A3) && __is_constructible(T4, A4) && __is_constructible(T5, A5)>> constexpr tuple(A0 &&a0, A1 &&a1, A2 &&a2, A3 &&a3, A4 &&a4, A5 &&a5) : __0(static_cast<A0 &&>(a0)), __1(static_cast<A1 &&>(a1)), __2(static_cast<A2 &&>(a2)), __3(static_cast<A3 &&>(a3)), __4(static_cast<A4 &&>(a4)), __5(static_cast<A5 &&>(a5)) {}
  template <class A0, class A1, class A2, class A3, class A4, class A5, class = enable_if_t<!__is_same(tuple<A0, A1, A2, A3, A4, A5>, tuple)>> constexpr tuple(const tuple<A0, A1, A2, A3, A4, A5> &other) : __0(other.__0), __1(other.__1), __2(other.__2), __3(other.__3), __4(other.__4), __5(other.__5) {}
  constexpr tuple(const tuple &other) = default;
  constexpr tuple &operator=(const tuple &other) { __0 = other.__0; __1 = other.__1; __2 = other.__2; __3 = other.__3; __4 = other.__4; __5 = other.__5; return *this; }
  constexpr tuple(tuple &&other) = default;
  constexpr tuple &operator=(tuple &&other) { __0 = static_cast<T0 &&>(other.__0); __1 = static_cast<T1 &&>(other.__1); __2 = static_cast<T2 &&>(other.__2); __3 = static_cast<T3 &&>(other.__3); __4 = static_cast<T4 &&>(other.__4); __5 = static_cast<T5 &&>(other.__5); return *this; }
  template <class A0, class A1, class A2, class A3, class A4, class A5> constexpr tuple &operator=(const tuple<A0, A1, A2, A3, A4, A5> &other) { __0 = other.__0; __1 = other.__1; __2 = other.__2; __3 = other.__3; __4 = other.__4; __5 = other.__5; return *this; }
  template <class A0, class A1, class A2, class A3, class A4, class A5> constexpr tuple &operator=(tuple<A0, A1, A2, A3, A4, A5> &&other) { __0 = static_cast<A0 &&>(other.__0); __1 = static_cast<A1 &&>(other.__1); __2 = static_cast<A2 &&>(other.__2); __3 = static_cast<A3 &&>(other.__3); __4 = static_cast<A4 &&>(other.__4); __5 = static_cast<A5 &&>(other.__5); return *this; }
};
template <class T0, class T1, class T2, class T3, class T4, class T5, class T6> struct tuple<T0, T1, T2, T3, T4, T5, T6> {
  T0 __0; T1 __1; T2 __2; T3 __3; T4 __4; T5 __5; T6 __6;
  constexpr tuple() = default;
  constexpr tuple(const T0 &a0, const T1 &a1, const T2 &a2, const T3 &a3, const T4 &a4, const T5 &a5, const T6 &a6) : __0(a0), __1(a1), __2(a2), __3(a3), __4(a4), __5(a5), __6(a6) {}
  template <class A0 = T0, class A1 = T1, class A2 = T2, class A3 = T3, class A4 = T4, class A5 = T5, class A6 = T6, class = enable_if_t<__is_constructible(T0, A0) && __is_constructible(T1, A1) && __is_constructible(T2, A2) && __is_constructible(T3, A3) && __is_constructible(T4, A4) && __is_constructible(T5, A5) && __is_constructible(T6, A6)>> constexpr tuple(A0 &&a0, A1 &&a1, A2 &&a2, A3 &&a3, A4 &&a4, A5 &&a5, A6 &&a6) : __0(static_cast<A0 &&>(a0)), __1(static_cast<A1 &&>(a1)), __2(static_cast<A2 &&>(a2)), __3(static_cast<A3 &&>(a3)), __4(static_cast<A4 &&>(a4)), __5(static_cast<A5 &&>(a5)), __6(static_cast<A6 &&>(a6)) {}
  template <class A0, class A1, class A2, class A3, class A4, class A5, class A6, class = enable_if_t<!__is_same(tuple<A0, A1, A2, A3, A4, A5, A6>, tuple)>> constexpr tuple(const tuple<A0, A1, A2, A3, A4, A5, A6> &other) : __0(other.__0), __1(other.__1), __2(other.__2), __3(other.__3), __4(other.__4), __5(other.__5), __6(other.__6) {}
  constexpr tuple(const tuple &other) = default;
  constexpr tuple &operator=(const tuple &other) { __0 = other.__0; __1 = other.__1; __2 = other.__2; __3 = other.__3; __4 = other.__4; __5 = other.__5; __6 = other.__6; return *this; }
  constexpr tuple(tuple &&other) = default;
  constexpr tuple &operator=(tuple &&other) { __0 = static_cast<T0 &&>(other.__0); __1 = static_cast<T1 &&>(other.__1); __2 = static_cast<T2 &&>(other.__2); __3 = static_cast<T3 &&>(other.__3); __4 = static_cast<T4 &&>(other.__4); __5 = static_cast<T5 &&>(other.__5); __6 = static_cast<T6 &&>(other.__6); return *this; }
  template <class A0, class A1, class A2, class A3, class A4, class A5, class A6> constexpr tuple &operator=(const tuple<A0, A1, A2, A3, A4, A5, A6> &other) { __0 = other.__0; __1 = other.__1; __2 = other.__2; __3 = other.__3; __4 = other.__4; __5 = other.__5; __6 = other.__6; return *this; }
  template <class A0, class A1, class A2, class A3, class A4, class A5, class A6> constexpr tuple &operator=(tuple<A0, A1, A2, A3, A4, A5, A6> &&other) { __0 = static_cast<A0 &&>(other.__0); __1 = static_cast<A1 &&>(other.__1); __2 = static_cast<A2 &&>(other.__2); __3 = static_cast<A3 &&>(other.__3); __4 = static_cast<A4 &&>(other.__4); __5 = static_cast<A5 &&>(other.__5); __6 = static_cast<A6 &&>(other.__6); return *this; }
};
template <class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7> struct tuple<T0, T1, T2, T3, T4, T5, T6, T7> {
  T0 __0; T1 __1; T2 __2; T3 __3; T4 __4; T5 __5; T6 __6; T7 __7;
  constexpr tuple() = default;
  constexpr tuple(const T0 &a0, const T1 &a1, const T2 &a2, const T3 &a3, const T4 &a4, const T5 &a5, const T6 &a6, const T7 &a7) : __0(a0), __1(a1), __2(a2), __3(a3), __4(a4), __5(a5), __6(a6), __7(a7) {}
  template <class A0 = T0, class A1 = T1, class A2 = T2, class A3 = T3, class A4 = T4, class A5 = T5, class A6 = T6, class A7 = T7, class = enable_if_t<__is_constructible(T0, A0) && __is_constructible(T1, A1) && __is_constructible(T2, A2) && __is_constructible(T3, A3) && __is_constructible(T4, A4) && __is_constructible(T5, A5) && __is_constructible(T6, A6) && __is_constructible(T7, A7)>> constexpr tuple(A0 &&a0, A1 &&a1, A2 &&a2, A3 &&a3, A4 &&a4, A5 &&a5, A6 &&a6, A7 &&a7) : __0(static_cast<A0 &&>(a0)), __1(static_cast<A1 &&>(a1)), __2(static_cast<A2 &&>(a2)), __3(static_cast<A3 &&>(a3)), __4(static_cast<A4 &&>(a4)), __5(static_cast<A5 &&>(a5)), __6(static_cast<A6 &&>(a6)), __7(static_cast<A7 &&>(a7)) {}
  template <class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7, class = enable_if_t<!__is_same(tuple<A0, A1, A2, A3, A4, A5, A6, A7>, tuple)>> constexpr tuple(const tuple<A0, A1, A2, A3, A4, A5, A6, A7> &other) : __0(other.__0), __1(other.__1), __2(other.__2), __3(other.__3), __4(other.__4), __5(other.__5), __6(other.__6), __7(other.__7) {}
  constexpr tuple(const tuple &other) = default;
  constexpr tuple &operator=(const tuple &other) { __0 = other.__0; __1 = other.__1; __2 = other.__2; __3 = other.__3; __4 = other.__4; __5 = other.__5; __6 = other.__6; __7 = other.__7; return *this; }
  constexpr tuple(tuple &&other) = default;
  constexpr tuple &operator=(tuple &&other) { __0 = static_cast<T0 &&>(other.__0); __1 = static_cast<T1 &&>(other.__1); __2 = static_cast<T2 &&>(other.__2); __3 = static_cast<T3 &&>(other.__3); __4 = static_cast<T4 &&>(other.__4); __5 = static_cast<T5 &&>(other.__5); __6 = static_cast<T6 &&>(other.__6); __7 = static_cast<T7 &&>(other.__7); return *this; }
  template <class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7> constexpr tuple &operator=(const tuple<A0, A1, A2, A3, A4, A5, A6, A7> &other) { __0 = other.__0; __1 = other.__1; __2 = other.__2; __3 = other.__3; __4 = other.__4; __5 = other.__5; __6 = other.__6; __7 = other.__7; return *this; }
  template <class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7> constexpr tuple &operator=(tuple<A0, A1, A2, A3, A4, A5, A6, A7> &&other) { __0 = static_cast<A0 &&>(other.__0); __1 = static_cast<A1 &&>(other.__1); __2 = static_cast<A2 &&>(other.__2); __3 = static_cast<A3 &&>(other.__3); __4 = static_cast<A4 &&>(other.__4); __5 = static_cast<A5 &&>(other.__5); __6 = static_cast<A6 &&>(other.__6); __7 = static_cast<A7 &&>(other.__7); return *this; }
};
template <class... T> tuple(T...) -> tuple<T...>;
template <class A, class B> tuple(pair<A, B>) -> tuple<A, B>;
template <size_t I, class T> struct tuple_element;
template <class T, class... R> struct tuple_element<0, tuple<T, R...>> { typedef T type; };
template <size_t I, class T, class... R> struct tuple_element<I, tuple<T, R...>> : tuple_element<I - 1, tuple<R...>> {};
template <class T, class U> struct tuple_element<0, pair<T, U>> { typedef T type; };
template <class T, class U> struct tuple_element<1, pair<T, U>> { typedef U type; };
template <size_t I, class T> struct tuple_element<I, const T> { typedef const typename tuple_element<I, T>::type type; };
template <size_t I, class T> using tuple_element_t = typename tuple_element<I, T>::type;
template <class T> struct tuple_size;
template <class... T> struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class T, class U> struct tuple_size<pair<T, U>> : integral_constant<size_t, 2> {};
template <class T> struct tuple_size<const T> : integral_constant<size_t, tuple_size<T>::value> {};
template <class T> inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t I, class... T> constexpr tuple_element_t<I, tuple<T...>> &get(tuple<T...> &t) { if constexpr (I == 0) return t.__0; else if constexpr (I == 1) return t.__1; else if constexpr (I == 2) return t.__2; else if constexpr (I == 3) return t.__3; else if constexpr (I == 4) return t.__4; else if constexpr (I == 5) return t.__5; else if constexpr (I == 6) return t.__6; else if constexpr (I == 7) return t.__7; }
template <size_t I, class... T> constexpr const tuple_element_t<I, tuple<T...>> &get(const tuple<T...> &t) { if constexpr (I == 0) return t.__0; else if constexpr (I == 1) return t.__1; else if constexpr (I == 2) return t.__2; else if constexpr (I == 3) return t.__3; else if constexpr (I == 4) return t.__4; else if constexpr (I == 5) return t.__5; else if constexpr (I == 6) return t.__6; else if constexpr (I == 7) return t.__7; }
template <size_t I, class... T> constexpr tuple_element_t<I, tuple<T...>> &&get(tuple<T...> &&t) { if constexpr (I == 0) return static_cast<tuple_element_t<I, tuple<T...>> &&>(t.__0); else if constexpr (I == 1) return static_cast<tuple_element_t<I, tuple<T...>> &&>(t.__1); else if constexpr (I == 2) return static_cast<tuple_element_t<I, tuple<T...>> &&>(t.__2); else if constexpr (I == 3) return static_cast<tuple_element_t<I, tuple<T...>> &&>(t.__3); else if constexpr (I == 4) return static_cast<tuple_element_t<I, tuple<T...>> &&>(t.__4); else if constexpr (I == 5) return static_cast<tuple_element_t<I, tuple<T...>> &&>(t.__5); else if constexpr (I == 6) return static_cast<tuple_element_t<I, tuple<T...>> &&>(t.__6); else if constexpr (I == 7) return static_cast<tuple_element_t<I, tuple<T...>> &&>(t.__7); }
template <size_t I, class T, class U> constexpr tuple_element_t<I, pair<T, U>> &get(pair<T, U> &p) { if constexpr (I == 0) return p.first; else return p.second; }
template <size_t I, class T, class U> constexpr const tuple_element_t<I, pair<T, U>> &get(const pair<T, U> &p) { if constexpr (I == 0) return p.first; else return p.second; }
template <size_t I, class T, class U> constexpr tuple_element_t<I, pair<T, U>> &&get(pair<T, U> &&p) { if constexpr (I == 0) return static_cast<T &&>(p.first); else return static_cast<U &&>(p.second); }
template <class... T> constexpr tuple<decay_t<T>...> make_tuple(T &&...values) { return tuple<decay_t<T>...>(static_cast<T &&>(values)...); }
template <class... T> constexpr tuple<T &...> tie(T &...values) { return tuple<T &...>(values...); }
template <class... T> constexpr tuple<T &&...> forward_as_tuple(T &&...values) { return tuple<T &&...>(static_cast<T &&>(values)...); }
template <size_t I, class... T, class... U> constexpr bool __cudalint_same(const tuple<T...> &a, const tuple<U...> &b) { if constexpr (I == sizeof...(T)) return true; else return get<I>(a) == get<I>(b) && __cudalint_same<I + 1>(a, b); }
template <size_t I, class... T, class... U> constexpr bool __cudalint_before(const tuple<T...> &a, const tuple<U...> &b) { if constexpr (I == sizeof...(T)) return false; else return get<I>(a) < get<I>(b) || (!(get<I>(b) < get<I>(a)) && __cudalint_before<I + 1>(a, b)); }
template <class... T, class... U> constexpr bool operator==(const tuple<T...> &a, const tuple<U...> &b) { return __cudalint_same<0>(a, b); }
template <class... T, class... U> constexpr bool operator!=(const tuple<T...> &a, const tuple<U...> &b) { return !__cudalint_same<0>(a, b); }
template <class... T, class... U> constexpr bool operator<(const tuple<T...> &a, const tuple<U...> &b) { return __cudalint_before<0>(a, b); }
template <class... T, class... U> constexpr bool operator>(const tuple<T...> &a, const tuple<U...> &b) { return b < a; }
template <class... T, class... U> constexpr bool operator<=(const tuple<T...> &a, const tuple<U...> &b) { return !(b < a); }
template <class... T, class... U> constexpr bool operator>=(const tuple<T...> &a, const tuple<U...> &b) { return !(a < b); }
template <class F, class... A> constexpr invoke_result_t<F, A...> invoke(F &&f, A &&...args) { return f(static_cast<A &&>(args)...); }
struct __cudalint_ignore { template <class T> const __cudalint_ignore &operator=(const T &) const; };
inline constexpr __cudalint_ignore ignore{};
template <class T, T... I> struct integer_sequence { static constexpr size_t size() { return sizeof...(I); } };
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <class T, T N> using make_integer_sequence = __make_integer_seq<integer_sequence, T, N>;
template <size_t N> using make_index_sequence = make_integer_sequence<size_t, N>;
template <class... T> using index_sequence_for = make_index_sequence<sizeof...(T)>;
template <class F, class T, size_t... I> constexpr decltype(auto) __cudalint_apply(F &&f, T &&t, index_sequence<I...>) { return f(get<I>(static_cast<T &&>(t))...); }
template <class F, class T> constexpr decltype(auto) apply(F &&f, T &&t) { return __cudalint_apply(static_cast<F &&>(f), static_cast<T &&>(t), make_index_sequence<tuple_size_v<remove_cvref_t<T>>>{}); }
template <class... T, class... U, size_t... I, size_t... J> constexpr tuple<T..., U...> __cudalint_cat(const tuple<T...> &a, const tuple<U...> &b, index_sequence<I...>, index_sequence<J...>) { return tuple<T..., U...>(get<I>(a)..., get<J>(b)...); }
constexpr tuple<> tuple_cat() { return {}; }
template <class... T> constexpr tuple<T...> tuple_cat(const tuple<T...> &a) { return a; }
template <class... T, class... U, class... R> constexpr auto tuple_cat(const tuple<T...> &a, const tuple<U...> &b, const R &...rest) { return tuple_cat(__cudalint_cat(a, b, index_sequence_for<T...>{}, index_sequence_for<U...>{}), rest...); }
struct in_place_t { explicit in_place_t() = default; };
inline constexpr in_place_t in_place{};
template <class T> struct in_place_type_t { explicit in_place_type_t() = default; };
struct piecewise_construct_t {};
inline constexpr piecewise_construct_t piecewise_construct{};

template <class I> struct reverse_iterator;
template <class T, size_t N> struct array {
  typedef T value_type;
  T __data[N ? N : 1];
  constexpr T &operator[](size_t i) { return __data[i]; }
  constexpr const T &operator[](size_t i) const { return __data[i]; }
  constexpr T &at(size_t i) { return __data[i]; }
  constexpr const T &at(size_t i) const { return __data[i]; }
  constexpr size_t size() const { return N; }
  constexpr bool empty() const { return N == 0; }
  constexpr T *data() { return __data; }
  constexpr const T *data() const { return __data; }
  constexpr T *begin() { return __data; }
  constexpr const T *begin() const { return __data; }
  constexpr T *end() { return __data + N; }
  constexpr const T *end() const { return __data + N; }
  constexpr T &front() { return __data[0]; }
  constexpr T &back() { return __data[N - 1]; }
  typedef T *iterator;
  typedef const T *const_iterator;
  typedef T &reference;
  typedef const T &const_reference;
  typedef T *pointer;
  typedef const T *const_pointer;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  constexpr const T &front() const { return __data[0]; }
  constexpr const T &back() const { return __data[N - 1]; }
  constexpr const T *cbegin() const { return __data; }
  constexpr const T *cend() const { return __data + N; }
  constexpr auto rbegin() { return reverse_iterator<T *>(end()); }
  constexpr auto rbegin() const { return reverse_iterator<const T *>(end()); }
  constexpr auto rend() { return reverse_iterator<T *>(begin()); }
  constexpr auto rend() const { return reverse_iterator<const T *>(begin()); }
  constexpr auto crbegin() const { return reverse_iterator<const T *>(end()); }
  constexpr auto crend() const { return reverse_iterator<const T *>(begin()); }
  constexpr size_t max_size() const { return N; }
  constexpr void fill(const T &value) { for (size_t i = 0; i < N; i++) __data[i] = value; }
};
template <size_t I, class T, size_t N> struct tuple_element<I, array<T, N>> { typedef T type; };
template <class T, size_t N> constexpr bool operator==(const array<T, N> &a, const array<T, N> &b) { for (size_t i = 0; i < N; i++) if (!(a.__data[i] == b.__data[i])) return false; return true; }
template <size_t I, class T, size_t N> constexpr const T &get(const array<T, N> &a) { return a.__data[I]; }
template <class T, class... U> array(T, U...) -> array<T, 1 + sizeof...(U)>;
template <class T, size_t N> struct tuple_size<array<T, N>> : integral_constant<size_t, N> {};
template <size_t I, class T, size_t N> constexpr T &get(array<T, N> &a) { return a.__data[I]; }
template <class C> constexpr auto size(const C &c) -> decltype(c.size()) { return c.size(); }
template <class T, size_t N> constexpr size_t size(const T (&)[N]) { return N; }
template <class C> constexpr auto begin(C &c) -> decltype(c.begin()) { return c.begin(); }
template <class C> constexpr auto end(C &c) -> decltype(c.end()) { return c.end(); }
template <class T, size_t N> constexpr T *begin(T (&a)[N]) { return a; }
template <class T, size_t N> constexpr T *end(T (&a)[N]) { return a + N; }
template <class C> constexpr auto cbegin(const C &c) -> decltype(std::begin(c)) { return std::begin(c); }
template <class C> constexpr auto cend(const C &c) -> decltype(std::end(c)) { return std::end(c); }
template <class C> constexpr auto data(C &c) -> decltype(c.data()) { return c.data(); }
template <class T, size_t N> constexpr T *data(T (&a)[N]) { return a; }
template <class C> constexpr auto empty(const C &c) -> decltype(c.empty()) { return c.empty(); }
template <class C> constexpr auto ssize(const C &c) -> ptrdiff_t { return ptrdiff_t(c.size()); }
template <class T, class U> constexpr bool cmp_less(T a, U b) noexcept { if constexpr (is_signed_v<T> == is_signed_v<U>) return a < b; else if constexpr (is_signed_v<T>) return a < 0 || make_unsigned_t<T>(a) < b; else return b >= 0 && a < make_unsigned_t<U>(b); }
template <class T, class U> constexpr bool cmp_equal(T a, U b) noexcept { if constexpr (is_signed_v<T> == is_signed_v<U>) return a == b; else if constexpr (is_signed_v<T>) return a >= 0 && make_unsigned_t<T>(a) == b; else return b >= 0 && a == make_unsigned_t<U>(b); }
template <class T, class U> constexpr bool cmp_not_equal(T a, U b) noexcept { return !cmp_equal(a, b); }
template <class T, class U> constexpr bool cmp_greater(T a, U b) noexcept { return cmp_less(b, a); }
template <class T, class U> constexpr bool cmp_less_equal(T a, U b) noexcept { return !cmp_less(b, a); }
template <class T, class U> constexpr bool cmp_greater_equal(T a, U b) noexcept { return !cmp_less(a, b); }
template <class R, class T> constexpr bool in_range(T a) noexcept { return cmp_greater_equal(a, numeric_limits<R>::min()) && cmp_less_equal(a, numeric_limits<R>::max()); }
template <class T> constexpr int popcount(T x) noexcept { return sizeof(T) == 8 ? __builtin_popcountll(x) : __builtin_popcount(x); }
template <class T> constexpr int countl_zero(T x) noexcept { return x == 0 ? int(sizeof(T) * 8) : sizeof(T) == 8 ? __builtin_clzll(x) : __builtin_clz(x) - int(32 - sizeof(T) * 8); }
template <class T> constexpr int countr_zero(T x) noexcept { return x == 0 ? int(sizeof(T) * 8) : sizeof(T) == 8 ? __builtin_ctzll(x) : __builtin_ctz(x); }
template <class T> constexpr int countl_one(T x) noexcept { return countl_zero(T(~x)); }
template <class T> constexpr int countr_one(T x) noexcept { return countr_zero(T(~x)); }
template <class T> constexpr int bit_width(T x) noexcept { return int(sizeof(T) * 8) - countl_zero(x); }
template <class T> constexpr bool has_single_bit(T x) noexcept { return x != 0 && (x & (x - 1)) == 0; }
template <class T> constexpr T bit_floor(T x) noexcept { return x == 0 ? T(0) : T(T(1) << (bit_width(x) - 1)); }
template <class T> constexpr T bit_ceil(T x) noexcept { return x <= 1 ? T(1) : T(T(1) << bit_width(T(x - 1))); }
template <class T> constexpr T rotl(T x, int n) noexcept { constexpr int bits = sizeof(T) * 8; return (n & (bits - 1)) == 0 ? x : T((x << (n & (bits - 1))) | (x >> (bits - (n & (bits - 1))))); }
template <class T> constexpr T rotr(T x, int n) noexcept { return rotl(x, -n); }
template <class E> constexpr underlying_type_t<E> to_underlying(E e) noexcept { return underlying_type_t<E>(e); }

#define CUDALINT_FUNCTOR(name, R, ...)                                                                           \
  template <class T = void> struct name { constexpr R operator()(const T &a, const T &b) const { return __VA_ARGS__; } }; \
  template <> struct name<void> { template <class T, class U> constexpr auto operator()(const T &a, const U &b) const -> decltype(__VA_ARGS__) { return __VA_ARGS__; } };
CUDALINT_FUNCTOR(plus, T, a + b) CUDALINT_FUNCTOR(minus, T, a - b) CUDALINT_FUNCTOR(multiplies, T, a * b) CUDALINT_FUNCTOR(divides, T, a / b)
CUDALINT_FUNCTOR(modulus, T, a % b) CUDALINT_FUNCTOR(less, bool, a < b) CUDALINT_FUNCTOR(less_equal, bool, a <= b)
CUDALINT_FUNCTOR(greater, bool, a > b) CUDALINT_FUNCTOR(greater_equal, bool, a >= b) CUDALINT_FUNCTOR(equal_to, bool, a == b)
CUDALINT_FUNCTOR(not_equal_to, bool, a != b) CUDALINT_FUNCTOR(logical_and, bool, a && b) CUDALINT_FUNCTOR(logical_or, bool, a || b)
CUDALINT_FUNCTOR(bit_and, T, a & b) CUDALINT_FUNCTOR(bit_or, T, a | b) CUDALINT_FUNCTOR(bit_xor, T, a ^ b)
#undef CUDALINT_FUNCTOR
template <class T = void> struct logical_not { constexpr bool operator()(const T &a) const { return !a; } };
template <> struct logical_not<void> { template <class T> constexpr auto operator()(const T &a) const { return !a; } };
template <class T = void> struct negate { constexpr T operator()(const T &a) const { return -a; } };
template <> struct negate<void> { template <class T> constexpr auto operator()(const T &a) const { return -a; } };
template <class T = void> struct bit_not { constexpr T operator()(const T &a) const { return ~a; } };
template <> struct bit_not<void> { template <class T> constexpr auto operator()(const T &a) const { return ~a; } };
struct input_iterator_tag {};
struct output_iterator_tag {};
struct forward_iterator_tag : input_iterator_tag {};
struct bidirectional_iterator_tag : forward_iterator_tag {};
struct random_access_iterator_tag : bidirectional_iterator_tag {};
struct contiguous_iterator_tag : random_access_iterator_tag {};
template <class I> struct iterator_traits { typedef typename I::value_type value_type; typedef ptrdiff_t difference_type; typedef decltype(*declval<I &>()) reference; typedef random_access_iterator_tag iterator_category; };
template <class T> struct iterator_traits<T *> { typedef remove_cv_t<T> value_type; typedef ptrdiff_t difference_type; typedef T &reference; typedef T *pointer; typedef random_access_iterator_tag iterator_category; };
template <class I> using iter_value_t = typename iterator_traits<remove_cvref_t<I>>::value_type;
template <class I> using iter_reference_t = decltype(*declval<I &>());
template <class I> using iter_difference_t = ptrdiff_t;
template <class I, class J> constexpr auto distance(I first, J last) -> decltype(last - first) { return last - first; }
template <class I> constexpr I next(I at, ptrdiff_t n = 1) { return at + n; }
template <class I> constexpr I prev(I at, ptrdiff_t n = 1) { return at - n; }
template <class I, class N> constexpr void advance(I &at, N n) { at += n; }
struct nullopt_t { constexpr nullopt_t(int) {} };
inline constexpr nullopt_t nullopt{0};
template <class T, bool = __is_trivially_destructible(T)> struct __cudalint_storage {
  union { unsigned char __none; T __value; };
  constexpr __cudalint_storage() : __none() {}
  constexpr T &__get() { return __value; }
  constexpr const T &__get() const { return __value; }
  template <class... A> constexpr void __make(A &&...args) { __value = T(static_cast<A &&>(args)...); }
};
template <class T> struct __cudalint_storage<T, false> {
  alignas(T) unsigned char __bytes[sizeof(T)];
  T &__get();
  const T &__get() const;
  template <class... A> void __make(A &&...args);
};
template <class T> struct __cudalint_storage<T &, true> {
  T *__pointer;
  constexpr __cudalint_storage() : __pointer(nullptr) {}
  constexpr T &__get() const { return *__pointer; }
  constexpr void __make(T &value) { __pointer = &value; }
};
template <class T> struct optional {
  typedef T value_type;
  __cudalint_storage<T> __stored;
  bool __engaged;
  constexpr optional() noexcept : __engaged(false) {}
  constexpr optional(nullopt_t) noexcept : __engaged(false) {}
  template <class U = T, class = enable_if_t<__is_constructible(T, U) && !__is_same(remove_cvref_t<U>, optional) && !__is_same(remove_cvref_t<U>, in_place_t)>> constexpr optional(U &&value) : __engaged(true) { __stored.__make(static_cast<U &&>(value)); }
  template <class... A> constexpr explicit optional(in_place_t, A &&...args) : __engaged(true) { __stored.__make(static_cast<A &&>(args)...); }
  constexpr bool has_value() const noexcept { return __engaged; }
  constexpr explicit operator bool() const noexcept { return __engaged; }
  constexpr T &value() & { return __stored.__get(); }
  constexpr const T &value() const & { return __stored.__get(); }
  template <class U> constexpr T value_or(U &&other) const { return __engaged ? __stored.__get() : static_cast<T>(static_cast<U &&>(other)); }
  constexpr T &operator*() { return __stored.__get(); }
  constexpr const T &operator*() const { return __stored.__get(); }
  constexpr remove_reference_t<T> *operator->() { return &__stored.__get(); }
  constexpr const remove_reference_t<T> *operator->() const { return &__stored.__get(); }
  constexpr void reset() noexcept { __engaged = false; }
  template <class... A> constexpr T &emplace(A &&...args) { __stored.__make(static_cast<A &&>(args)...); __engaged = true; return __stored.__get(); }
  template <class F> constexpr auto transform(F f) const -> optional<decltype(f(declval<const T &>()))> { if (__engaged) return f(__stored.__get()); return nullopt; }
  template <class F> constexpr auto and_then(F f) const -> decltype(f(declval<const T &>())) { if (__engaged) return f(__stored.__get()); return nullopt; }
  template <class F> constexpr optional or_else(F f) const { if (__engaged) return *this; return f(); }
};
#if __cpp_deduction_guides
template <class T> optional(T) -> optional<T>;
#endif
template <class T> constexpr bool operator==(const optional<T> &a, nullopt_t) noexcept { return !a.__engaged; }
template <class T> constexpr bool operator!=(const optional<T> &a, nullopt_t) noexcept { return a.__engaged; }
template <class T, class U> constexpr bool operator==(const optional<T> &a, const optional<U> &b) { return a.__engaged == b.__engaged && (!a.__engaged || *a == *b); }
template <class T, class U> constexpr bool operator!=(const optional<T> &a, const optional<U> &b) { return !(a == b); }
template <class T, class U> constexpr enable_if_t<__is_convertible_to(U, T), bool> operator==(const optional<T> &a, const U &b) { return a.__engaged && *a == b; }
template <class T, class U> constexpr enable_if_t<__is_convertible_to(U, T), bool> operator!=(const optional<T> &a, const U &b) { return !(a == b); }
template <class T> constexpr optional<decay_t<T>> make_optional(T &&value) { return optional<decay_t<T>>(static_cast<T &&>(value)); }
template <class T, class... A> constexpr optional<T> make_optional(A &&...args) { return optional<T>(in_place, static_cast<A &&>(args)...); }
enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
template <class T> struct complex {
  typedef T value_type;
  complex(T re = T(), T im = T());
  T real() const;
  T imag() const;
  void real(T);
  void imag(T);
  complex &operator+=(const complex &);
  complex &operator-=(const complex &);
  complex &operator*=(const complex &);
  complex &operator/=(const complex &);
};
template <class T> complex<T> operator+(const complex<T> &, const complex<T> &);
template <class T> complex<T> operator-(const complex<T> &, const complex<T> &);
template <class T> complex<T> operator*(const complex<T> &, const complex<T> &);
template <class T> complex<T> operator/(const complex<T> &, const complex<T> &);
template <class T> complex<T> conj(const complex<T> &);
template <class T> T real(const complex<T> &);
template <class T> T imag(const complex<T> &);
template <class T> T abs(const complex<T> &);
}  // namespace std

// Helpers of the math and half headers.
template <class T, class R, bool = __is_integral(T)> struct __cudalint_if_integer {};
template <class T, class R> struct __cudalint_if_integer<T, R, true> { typedef R type; };
template <class T, class R, bool = __is_arithmetic(T)> struct __cudalint_if_arithmetic {};
template <class T, class R> struct __cudalint_if_arithmetic<T, R, true> { typedef R type; };
template <class T, bool = __is_arithmetic(T)> struct __cudalint_with_float {};
template <class T> struct __cudalint_with_float<T, true> { typedef decltype(1.0f + T()) type; };
template <class T, bool = __is_integral(T)> struct __cudalint_floating { typedef T type; };
template <class T> struct __cudalint_floating<T, true> { typedef double type; };
template <bool, class... T> struct __cudalint_promoted {};
template <class... T> struct __cudalint_promoted<true, T...> { typedef decltype((typename __cudalint_floating<T>::type() + ...)) type; };
template <class... T> struct __cudalint_promote : __cudalint_promoted<(__is_arithmetic(T) && ...), T...> {};
template <class T, class U, bool = __is_arithmetic(T) && __is_arithmetic(U)> struct __cudalint_mixed {};
template <class T, class U> struct __cudalint_mixed<T, U, true> { typedef decltype(T() + U()) type; };
#pragma clang force_cuda_host_device end

// Host-only classes.
namespace std {
using ::exit; using ::abort; using ::getenv; using ::rand; using ::srand; using ::atoi; using ::atof; using ::atol; using ::strtol;
using ::fprintf; using ::sprintf; using ::snprintf; using ::fopen; using ::fclose; using ::fread; using ::fwrite; using ::fflush; using ::calloc;
using ::realloc; using ::qsort; using ::time; using ::strtod; using ::strtof; using ::strtoul; using ::strtoll; using ::strtoull; using ::tolower; using ::toupper; using ::isdigit; using ::isspace;
using ::strncmp; using ::strstr; using ::strchr; using ::strrchr; using ::strncpy; using ::strcat; using ::strerror; using ::puts; using ::system; using ::remove; using ::getchar; using ::feof; using ::fgets; using ::fputs;
using ::fseek; using ::ftell; using ::rewind; using ::localtime; using ::strftime; using ::isalpha; using ::isalnum; using ::perror; using ::vsnprintf; using ::atexit; using ::tm;

struct exception { virtual ~exception(); virtual const char *what() const noexcept; };
struct ostream;
struct string_view;
template <class C> struct char_traits { typedef C char_type; static size_t length(const C *s); };
template <class T> struct allocator;
template <class C, class Traits = char_traits<C>, class Allocator = allocator<C>> struct basic_string {
  typedef C value_type;
  typedef C *iterator;
  typedef const C *const_iterator;
  static constexpr size_t npos = ~size_t(0);
  basic_string();
  basic_string(const C *s);
  basic_string(const C *s, size_t count);
  basic_string(size_t count, C c);
  basic_string(const basic_string &other, size_t from, size_t count = npos);
  template <class I> basic_string(I first, I last);
  basic_string(initializer_list<C> chars);
  size_t size() const;
  size_t length() const;
  size_t capacity() const;
  bool empty() const;
  const C *c_str() const;
  const C *data() const;
  C *data();
  C &operator[](size_t i);
  const C &operator[](size_t i) const;
  C &at(size_t i);
  C &front();
  C &back();
  iterator begin();
  iterator end();
  const_iterator begin() const;
  const_iterator end() const;
  basic_string substr(size_t from = 0, size_t count = npos) const;
  template <class T> size_t find(const T &what, size_t from = 0) const;
  template <class T> size_t rfind(const T &what, size_t from = npos) const;
  template <class T> size_t find_first_of(const T &what, size_t from = 0) const;
  template <class T> size_t find_last_of(const T &what, size_t from = npos) const;
  template <class T> size_t find_first_not_of(const T &what, size_t from = 0) const;
  template <class T> size_t find_last_not_of(const T &what, size_t from = npos) const;
  template <class T> int compare(const T &other) const;
  template <class... T> int compare(size_t from, size_t count, const T &...other) const;
  template <class... T> basic_string &append(const T &...what);
  template <class... T> basic_string &assign(const T &...what);
  template <class... T> basic_string &insert(const T &...what);
  template <class... T> basic_string &replace(const T &...what);
  basic_string &erase(size_t from = 0, size_t count = npos);
  iterator erase(iterator);
  void push_back(C c);
  void pop_back();
  void clear();
  void reserve(size_t);
  void resize(size_t);
  template <class T> basic_string &operator+=(const T &what);
};
typedef basic_string<char> string;
typedef basic_string<wchar_t> wstring;
struct string_view {
  static constexpr size_t npos = ~size_t(0);
  string_view();
  string_view(const char *s);
  string_view(const string &s);
  string_view(const char *s, size_t n);
  size_t size() const;
  bool empty() const;
  const char *data() const;
  char operator[](size_t) const;
  string_view substr(size_t from = 0, size_t count = npos) const;
  const char *begin() const;
  const char *end() const;
  operator string() const;
};
string operator+(const string &a, const string &b);
string operator+(const string &a, const char *b);
string operator+(const char *a, const string &b);
string operator+(const string &a, char b);
string operator+(char a, const string &b);
bool operator==(const string &a, const string &b);
bool operator==(const string &a, const char *b);
bool operator==(const char *a, const string &b);
bool operator!=(const string &a, const string &b);
bool operator!=(const string &a, const char *b);
bool operator<(const string &a, const string &b);
bool operator>(const string &a, const string &b);
bool operator==(string_view a, string_view b);
template <class T> string to_string(T value);
template <class F, class... A> string format(const F &text, A &&...values);
int stoi(const string &s, size_t *end = nullptr, int base = 10);
long stol(const string &s, size_t *end = nullptr, int base = 10);
long long stoll(const string &s, size_t *end = nullptr, int base = 10);
unsigned long stoul(const string &s, size_t *end = nullptr, int base = 10);
unsigned long long stoull(const string &s, size_t *end = nullptr, int base = 10);
float stof(const string &s, size_t *end = nullptr);
double stod(const string &s, size_t *end = nullptr);

struct runtime_error : exception { runtime_error(const string &); runtime_error(const char *); };
struct logic_error : exception { logic_error(const string &); logic_error(const char *); };
struct invalid_argument : logic_error { using logic_error::logic_error; };
struct out_of_range : logic_error { using logic_error::logic_error; };
struct length_error : logic_error { using logic_error::logic_error; };
struct domain_error : logic_error { using logic_error::logic_error; };
struct overflow_error : runtime_error { using runtime_error::runtime_error; };
struct range_error : runtime_error { using runtime_error::runtime_error; };
struct system_error : runtime_error { using runtime_error::runtime_error; };
struct bad_alloc : exception {};
struct bad_optional_access : exception {};
struct underflow_error : runtime_error { using runtime_error::runtime_error; };
struct bad_cast : exception {};
struct exception_ptr { explicit operator bool() const; };
exception_ptr current_exception();
[[noreturn]] void rethrow_exception(exception_ptr);
[[noreturn]] void terminate();

template <class T> struct allocator { typedef T value_type; T *allocate(size_t n); void deallocate(T *p, size_t n); };
#define CUDALINT_SEQUENCE(name, ...)                                                                             \
  typedef T value_type;                                                                                         \
  typedef size_t size_type;                                                                                     \
  typedef T &reference;                                                                                         \
  typedef const T &const_reference;                                                                             \
  typedef T *iterator;                                                                                          \
  typedef const T *const_iterator;                                                                              \
  name();                                                                                                       \
  explicit name(size_t count);                                                                                  \
  name(size_t count, const T &value);                                                                           \
  name(initializer_list<T> values);                                                                             \
  template <class I, class = enable_if_t<!is_integral_v<I>>> name(I first, I last);                             \
  size_t size() const;                                                                                          \
  bool empty() const;                                                                                           \
  T &operator[](size_t i);                                                                                      \
  const T &operator[](size_t i) const;                                                                          \
  T &at(size_t i);                                                                                              \
  const T &at(size_t i) const;                                                                                  \
  T &front();                                                                                                   \
  const T &front() const;                                                                                       \
  T &back();                                                                                                    \
  const T &back() const;                                                                                        \
  iterator begin();                                                                                             \
  iterator end();                                                                                               \
  const_iterator begin() const;                                                                                 \
  const_iterator end() const;                                                                                   \
  const_iterator cbegin() const;                                                                                \
  const_iterator cend() const;                                                                                  \
  iterator rbegin();                                                                                            \
  iterator rend();                                                                                              \
  void push_back(const T &value);                                                                               \
  void pop_back();                                                                                              \
  void push_front(const T &value);                                                                              \
  void pop_front();                                                                                             \
  template <class... A> T &emplace_back(A &&...args);                                                           \
  template <class... A> iterator insert(const A &...args);                                                      \
  iterator insert(const_iterator at, initializer_list<T> values);                                               \
  iterator erase(const_iterator at);                                                                            \
  iterator erase(const_iterator first, const_iterator last);                                                    \
  template <class... A> void assign(const A &...args);                                                          \
  void resize(size_t count);                                                                                    \
  void resize(size_t count, const T &value);                                                                    \
  void clear();                                                                                                 \
  void swap(name &other);
template <class T, class Allocator = allocator<T>> struct vector {
  CUDALINT_SEQUENCE(vector)
  T *data();
  const T *data() const;
  void reserve(size_t count);
  size_t capacity() const;
  void shrink_to_fit();
};
template <class T> vector(initializer_list<T>) -> vector<T>;
template <class T> bool operator==(const vector<T> &a, const vector<T> &b);
template <class T> bool operator!=(const vector<T> &a, const vector<T> &b);
template <class T> struct deque { CUDALINT_SEQUENCE(deque) };
template <class T> struct list { CUDALINT_SEQUENCE(list) };
#undef CUDALINT_SEQUENCE
template <class T> struct queue { bool empty() const; size_t size() const; T &front(); T &back(); T &top(); void push(const T &); void pop(); template <class... A> void emplace(A &&...); };
template <class T> struct stack : queue<T> {};
template <class T, class C = vector<T>, class F = less<T>> struct priority_queue : queue<T> {};
template <class K, class V, class... R> struct map {
  typedef pair<const K, V> value_type;
  typedef value_type *iterator;
  typedef const value_type *const_iterator;
  typedef K key_type;
  typedef V mapped_type;
  map();
  map(initializer_list<value_type> values);
  V &operator[](const K &key);
  V &at(const K &key);
  const V &at(const K &key) const;
  iterator find(const K &key);
  const_iterator find(const K &key) const;
  size_t count(const K &key) const;
  bool contains(const K &key) const;
  iterator begin();
  iterator end();
  const_iterator begin() const;
  const_iterator end() const;
  size_t size() const;
  bool empty() const;
  void clear();
  template <class... A> pair<iterator, bool> insert(const A &...args);
  pair<iterator, bool> insert(const value_type &value);
  template <class... A> pair<iterator, bool> emplace(A &&...args);
  template <class... A> pair<iterator, bool> try_emplace(A &&...args);
  size_t erase(const K &key);
  iterator erase(iterator at);
  void reserve(size_t);
};
template <class K, class V, class... R> struct unordered_map : map<K, V, R...> { using map<K, V, R...>::map; };
template <class K, class V, class... R> struct multimap : map<K, V, R...> { using map<K, V, R...>::map; };
template <class K, class... R> struct set {
  typedef const K *iterator;
  set();
  set(initializer_list<K> values);
  template <class I> set(I first, I last);
  iterator find(const K &key) const;
  size_t count(const K &key) const;
  bool contains(const K &key) const;
  iterator begin() const;
  iterator end() const;
  size_t size() const;
  bool empty() const;
  void clear();
  pair<iterator, bool> insert(const K &key);
  template <class I> void insert(I first, I last);
  size_t erase(const K &key);
};
template <class K, class... R> struct unordered_set : set<K, R...> { using set<K, R...>::set; };
template <class T> struct hash { size_t operator()(const T &value) const; };
template <size_t N> struct bitset { constexpr bitset(); constexpr bitset(unsigned long long bits); bool any() const; bool all() const; bool none() const; bool test(size_t) const; bitset &set(size_t, bool = true); size_t count() const; bool operator[](size_t) const; };

template <class T> struct default_delete { void operator()(T *pointer) const; };
template <class T, class D = default_delete<T>> struct unique_ptr {
  unique_ptr();
  unique_ptr(nullptr_t);
  explicit unique_ptr(T *pointer);
  unique_ptr(T *pointer, const D &deleter);
  unique_ptr(unique_ptr &&other);
  template <class U, class E> unique_ptr(unique_ptr<U, E> &&other);
  unique_ptr &operator=(unique_ptr &&other);
  unique_ptr &operator=(nullptr_t);
  T *get() const;
  T *release();
  void reset(T *pointer = nullptr);
  T &operator*() const;
  T *operator->() const;
  explicit operator bool() const;
};
template <class T, class D> struct unique_ptr<T[], D> {
  unique_ptr();
  explicit unique_ptr(T *pointer);
  unique_ptr(unique_ptr &&other);
  unique_ptr &operator=(unique_ptr &&other);
  T *get() const;
  T *release();
  void reset(T *pointer = nullptr);
  T &operator[](size_t i) const;
  explicit operator bool() const;
};
template <class T> struct shared_ptr {
  typedef T element_type;
  shared_ptr();
  shared_ptr(nullptr_t);
  template <class U> explicit shared_ptr(U *pointer);
  template <class U, class D> shared_ptr(U *pointer, D deleter);
  template <class U> shared_ptr(const shared_ptr<U> &other);
  template <class U> shared_ptr(unique_ptr<U> &&other);
  T *get() const;
  void reset();
  template <class U> void reset(U *pointer);
  T &operator*() const;
  T *operator->() const;
  long use_count() const;
  explicit operator bool() const;
};
template <class T> struct weak_ptr { weak_ptr(); template <class U> weak_ptr(const shared_ptr<U> &); shared_ptr<T> lock() const; bool expired() const; };
template <class T> struct enable_shared_from_this { shared_ptr<T> shared_from_this(); };
template <class T> bool operator==(const shared_ptr<T> &, nullptr_t);
template <class T> bool operator!=(const shared_ptr<T> &, nullptr_t);
template <class T, class D> bool operator==(const unique_ptr<T, D> &, nullptr_t);
template <class T, class D> bool operator!=(const unique_ptr<T, D> &, nullptr_t);
template <class T> struct __cudalint_made { typedef unique_ptr<T> type; };
template <class T> struct __cudalint_made<T[]> { typedef unique_ptr<T[]> type; };
template <class T> struct __cudalint_one { typedef unique_ptr<T> type; };
template <class T> struct __cudalint_one<T[]> {};
template <class T> struct __cudalint_many {};
template <class T> struct __cudalint_many<T[]> { typedef unique_ptr<T[]> type; };
template <class T, class... A> auto __cudalint_new(int, A &&...args) -> decltype(new T(static_cast<A &&>(args)...)) { return new T(static_cast<A &&>(args)...); }
template <class T, class... A> T *__cudalint_new(long, A &&...args);
template <class T, class... A> typename __cudalint_one<T>::type make_unique(A &&...args) { return unique_ptr<T>(__cudalint_new<T>(0, static_cast<A &&>(args)...)); }
template <class T> typename __cudalint_many<T>::type make_unique(size_t count);
template <class T, class... A> shared_ptr<T> make_shared(A &&...args) { return shared_ptr<T>(__cudalint_new<T>(0, static_cast<A &&>(args)...)); }
template <class T, class U> shared_ptr<T> static_pointer_cast(const shared_ptr<U> &);
template <class T, class U> shared_ptr<T> dynamic_pointer_cast(const shared_ptr<U> &);
template <class T> struct function;
template <class R, class... A> struct function<R(A...)> {
  function();
  function(nullptr_t);
  template <class F> function(F f);
  R operator()(A... args) const;
  explicit operator bool() const;
};
template <class... T> struct variant { variant(); template <class U> variant(U &&value); size_t index() const; };
template <class T, class... U> T &get(variant<U...> &v);
template <class T, class... U> T *get_if(variant<U...> *v);
template <class T, class... U> bool holds_alternative(const variant<U...> &v);
template <class F, class... V> auto visit(F &&f, V &&...variants);
struct monostate {};
struct any { any(); template <class T> any(T &&value); bool has_value() const; };
template <class T> T any_cast(const any &value);
template <class T> struct reference_wrapper { typedef T type; T *__pointer; constexpr reference_wrapper(T &value) : __pointer(__builtin_addressof(value)) {} constexpr T &get() const { return *__pointer; } constexpr operator T &() const { return *__pointer; } };
template <class T> reference_wrapper<T> ref(T &value);
template <class T> reference_wrapper<const T> cref(const T &value);
template <class F, class... A> function<void()> bind(F &&f, A &&...args);

template <class T> struct atomic {
  atomic();
  atomic(T value);
  T load(memory_order order = memory_order_seq_cst) const;
  void store(T value, memory_order order = memory_order_seq_cst);
  T exchange(T value, memory_order order = memory_order_seq_cst);
  T fetch_add(T value, memory_order order = memory_order_seq_cst);
  T fetch_sub(T value, memory_order order = memory_order_seq_cst);
  T operator++();
  T operator++(int);
  T operator--();
  T operator+=(T value);
  T operator=(T value);
  operator T() const;
};
typedef atomic<int> atomic_int;
typedef atomic<bool> atomic_bool;
struct mutex { void lock(); void unlock(); bool try_lock(); };
struct recursive_mutex : mutex {};
struct shared_mutex : mutex {};
template <class M = mutex> struct lock_guard { explicit lock_guard(M &m); };
template <class M = mutex> struct unique_lock { unique_lock(); explicit unique_lock(M &m); void lock(); void unlock(); };
template <class... M> struct scoped_lock { explicit scoped_lock(M &...m); };
struct once_flag {};
template <class F, class... A> void call_once(once_flag &flag, F &&f, A &&...args);
struct condition_variable { void notify_one(); void notify_all(); template <class L> void wait(L &lock); template <class L, class F> void wait(L &lock, F f); };
struct thread { struct id {}; thread(); template <class F, class... A> explicit thread(F &&f, A &&...args); void join(); void detach(); bool joinable() const; static unsigned hardware_concurrency(); };
namespace this_thread { thread::id get_id(); template <class D> void sleep_for(const D &); void yield(); }
template <class T> struct future { T get(); void wait(); bool valid() const; template <class D> int wait_for(const D &); };
template <class T> struct promise { future<T> get_future(); template <class U> void set_value(U &&); };
enum class launch { async = 1, deferred = 2 };
template <class F, class... A> future<decltype(declval<F>()(declval<A>()...))> async(launch, F &&f, A &&...args);
template <class F, class... A> future<decltype(declval<F>()(declval<A>()...))> async(F &&f, A &&...args);
struct atomic_flag { bool test(memory_order = memory_order_seq_cst) const; bool test_and_set(memory_order = memory_order_seq_cst); void clear(memory_order = memory_order_seq_cst); };
template <class M = mutex> struct shared_lock { explicit shared_lock(M &m); };

struct ios_base {
  typedef int openmode; typedef int fmtflags; typedef int iostate;
  static constexpr int in = 1, out = 2, binary = 4, ate = 8, app = 16, trunc = 32, beg = 0, cur = 1, end = 2, failbit = 1, badbit = 2, fixed = 4, scientific = 8;
  static bool sync_with_stdio(bool = true);
};
struct ios : ios_base {
  bool good() const; bool eof() const; bool fail() const; bool bad() const; void clear(int state = 0); explicit operator bool() const; bool operator!() const;
  long precision(long); long width(long); int setf(int, int = 0); int flags() const; void exceptions(int); char fill(char);
};
struct ostream : virtual ios {
  template <class T> ostream &operator<<(const T &value);
  ostream &operator<<(ostream &(*manipulator)(ostream &));
  ostream &operator<<(ios_base &(*manipulator)(ios_base &));
  ostream &write(const char *data, long count);
  ostream &put(char c);
  ostream &flush();
  ostream &seekp(long, int = 0);
  long tellp();
};
struct istream : virtual ios {
  template <class T> istream &operator>>(T &value);
  istream &read(char *data, long count);
  istream &getline(char *data, long count, char delimiter = '\n');
  istream &ignore(long = 1, int = -1);
  istream &seekg(long, int = 0);
  long tellg();
  long gcount() const;
  int get();
  istream &get(char &);
  int peek();
  void *rdbuf() const;
};
struct iostream : istream, ostream {};
struct ifstream : istream { ifstream(); explicit ifstream(const string &path, int mode = 1); void open(const string &path, int mode = 1); void close(); bool is_open() const; };
struct ofstream : ostream { ofstream(); explicit ofstream(const string &path, int mode = 2); void open(const string &path, int mode = 2); void close(); bool is_open() const; };
struct fstream : iostream { fstream(); explicit fstream(const string &path, int mode = 3); void open(const string &path, int mode = 3); void close(); bool is_open() const; };
struct stringstream : iostream { stringstream(); explicit stringstream(const string &text, int mode = 3); string str() const; void str(const string &text); };
struct ostringstream : ostream { ostringstream(); explicit ostringstream(const string &text); string str() const; void str(const string &text); };
struct istringstream : istream { istringstream(); explicit istringstream(const string &text); string str() const; };
extern ostream cout, cerr, clog;
extern istream cin;
ostream &endl(ostream &);
ostream &flush(ostream &);
ios_base &fixed(ios_base &);
ios_base &scientific(ios_base &);
ios_base &hex(ios_base &);
ios_base &dec(ios_base &);
ios_base &boolalpha(ios_base &);
ios_base &left(ios_base &);
ios_base &right(ios_base &);
ios_base &defaultfloat(ios_base &);
int setw(int);
int setprecision(int);
int setfill(char);
istream &getline(istream &stream, string &line, char delimiter = '\n');
typedef long streamsize;
typedef long streamoff;
typedef long streampos;


struct random_device { unsigned operator()(); };
struct mt19937 { typedef unsigned result_type; mt19937(unsigned seed = 0); unsigned operator()(); void seed(unsigned); static constexpr unsigned min() { return 0; } static constexpr unsigned max() { return ~0u; } };
struct mt19937_64 : mt19937 { using mt19937::mt19937; };
struct minstd_rand : mt19937 { using mt19937::mt19937; };
typedef mt19937 default_random_engine;
template <class T = double> struct uniform_real_distribution { uniform_real_distribution(T a = 0, T b = 1); template <class G> T operator()(G &generator); };
template <class T = int> struct uniform_int_distribution { uniform_int_distribution(T a = 0, T b = INT_MAX); template <class G> T operator()(G &generator); };
template <class T = double> struct normal_distribution { normal_distribution(T mean = 0, T deviation = 1); template <class G> T operator()(G &generator); };
struct bernoulli_distribution { bernoulli_distribution(double p = 0.5); template <class G> bool operator()(G &generator); };

template <class C> C *back_inserter(C &container);
template <class C, class I> C *inserter(C &container, I at);
template <class I> void push_heap(I first, I last);
template <class I, class F> void push_heap(I first, I last, F less);
template <class I> void pop_heap(I first, I last);
template <class I, class F> void pop_heap(I first, I last, F less);
template <class I> void make_heap(I first, I last);
template <class I, class F> void make_heap(I first, I last, F less);
template <class I> void sort(I first, I last);
template <class I, class F> void sort(I first, I last, F less);
template <class I> void stable_sort(I first, I last);
template <class I, class F> void stable_sort(I first, I last, F less);
template <class I> void nth_element(I first, I nth, I last);
template <class I, class F> void partial_sort(I first, I middle, I last, F less);
template <class I> void reverse(I first, I last);
template <class I> I unique(I first, I last);
template <class I, class T> void fill(I first, I last, const T &value);
template <class I, class N, class T> I fill_n(I first, N count, const T &value);
template <class I, class F> void generate(I first, I last, F f);
template <class I, class F> F for_each(I first, I last, F f);
template <class I, class O> O copy(I first, I last, O to);
template <class I, class N, class O> O copy_n(I first, N count, O to);
template <class I, class O, class F> O copy_if(I first, I last, O to, F f);
template <class I, class O, class F> O transform(I first, I last, O to, F f);
template <class I, class J, class O, class F> O transform(I first, I last, J other, O to, F f);
template <class I, class T> T accumulate(I first, I last, T init);
template <class I, class T, class F> T accumulate(I first, I last, T init, F f);
template <class I, class T> T reduce(I first, I last, T init);
template <class I, class J, class T> T inner_product(I first, I last, J other, T init);
template <class I, class O> O partial_sum(I first, I last, O to);
template <class I, class O, class T> O exclusive_scan(I first, I last, O to, T init);
template <class I, class O> O inclusive_scan(I first, I last, O to);
template <class I, class T> void iota(I first, I last, T value);
template <class I, class T> I find(I first, I last, const T &value);
template <class I, class F> I find_if(I first, I last, F f);
template <class I, class T> I remove(I first, I last, const T &value);
template <class I, class F> I remove_if(I first, I last, F f);
template <class I, class T> ptrdiff_t count(I first, I last, const T &value);
template <class I, class F> ptrdiff_t count_if(I first, I last, F f);
template <class I, class F> bool all_of(I first, I last, F f);
template <class I, class F> bool any_of(I first, I last, F f);
template <class I, class F> bool none_of(I first, I last, F f);
template <class I> I min_element(I first, I last);
template <class I> I max_element(I first, I last);
template <class I, class F> I max_element(I first, I last, F less);
template <class I> pair<I, I> minmax_element(I first, I last);
template <class I, class J> bool equal(I first, I last, J other);
template <class I, class T> I lower_bound(I first, I last, const T &value);
template <class I, class T> I upper_bound(I first, I last, const T &value);
template <class I, class T> bool binary_search(I first, I last, const T &value);
template <class I, class G> void shuffle(I first, I last, G &&generator);
template <class I> void random_shuffle(I first, I last);
template <class I> bool is_sorted(I first, I last);
namespace filesystem { struct path { path(); path(const char *); path(const string &); string string_() const; const char *c_str() const; path parent_path() const; path filename() const; path stem() const; path extension() const; path operator/(const path &) const; operator std::string() const; }; bool exists(const path &); bool create_directories(const path &); bool create_directory(const path &); path current_path(); size_t file_size(const path &); bool is_directory(const path &); bool remove(const path &); }
namespace numbers { inline constexpr double pi = M_PI, e = M_E, sqrt2 = M_SQRT2, ln2 = M_LN2; }
inline namespace literals { inline namespace string_literals { string operator""s(const char *s, size_t n); } }
struct type_info {
  const char *name() const; size_t hash_code() const;
  bool operator==(const type_info &) const; bool operator!=(const type_info &) const; bool before(const type_info &) const;
};
// What `typeid` of a type is: only of an object with virtual functions nobody knows it before the run.
template <class T> struct __cudalint_type : type_info {};
template <class T, bool = __is_polymorphic(T)> struct __cudalint_typeid { using type = __cudalint_type<T>; };
template <class T> struct __cudalint_typeid<T, true> { using type = type_info; };
template <class T> const typename __cudalint_typeid<__remove_cvref(T)>::type &__cudalint_type_of();
template <class T, class U> constexpr bool operator==(const __cudalint_type<T> &, const __cudalint_type<U> &) { return __is_same(T, U); }
template <class T, class U> constexpr bool operator!=(const __cudalint_type<T> &, const __cudalint_type<U> &) { return !__is_same(T, U); }
struct type_index { type_index(const type_info &); };
}  // namespace std
#define typeid(...) ::std::__cudalint_type_of<__typeof__(__VA_ARGS__)>()
