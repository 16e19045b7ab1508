// Iterators that compute: counting, constant, transform, zip, permutation, discard, reverse; for std, cuda and thrust.
#pragma once
namespace std {
#pragma clang force_cuda_host_device begin
#define CUDALINT_STEPS(name)                                                                                     \
  constexpr name &operator++() { ++__base; return *this; }                                                      \
  constexpr name operator++(int) { name old = *this; ++__base; return old; }                                    \
  constexpr name &operator--() { --__base; return *this; }                                                      \
  constexpr name operator--(int) { name old = *this; --__base; return old; }                                    \
  template <class N> constexpr name &operator+=(N n) { __base += n; return *this; }                             \
  template <class N> constexpr name &operator-=(N n) { __base -= n; return *this; }                             \
  template <class N, class = enable_if_t<__is_convertible_to(N, ptrdiff_t)>> constexpr name operator+(N n) const { name moved = *this; moved.__base += n; return moved; } \
  template <class N, class = enable_if_t<__is_convertible_to(N, ptrdiff_t)>> constexpr name operator-(N n) const { name moved = *this; moved.__base -= n; return moved; } \
  constexpr ptrdiff_t operator-(const name &other) const { return ptrdiff_t(__base - other.__base); }            \
  constexpr bool operator==(const name &other) const { return __base == other.__base; }                         \
  constexpr bool operator!=(const name &other) const { return !(__base == other.__base); }                      \
  constexpr bool operator<(const name &other) const { return __base < other.__base; }                           \
  constexpr bool operator>(const name &other) const { return other.__base < __base; }                           \
  constexpr bool operator<=(const name &other) const { return !(other.__base < __base); }                       \
  constexpr bool operator>=(const name &other) const { return !(__base < other.__base); }
#define CUDALINT_KINDS(V, R)                                                                                     \
  typedef V value_type;                                                                                         \
  typedef ptrdiff_t difference_type;                                                                            \
  typedef R reference;                                                                                          \
  typedef remove_reference_t<R> *pointer;                                                                       \
  typedef random_access_iterator_tag iterator_category;                                                         \
  typedef random_access_iterator_tag iterator_concept;
template <class I> struct reverse_iterator {
  typedef typename iterator_traits<I>::value_type value_type;
  typedef ptrdiff_t difference_type;
  typedef decltype(*declval<I &>()) reference;
  typedef I iterator_type;
  typedef random_access_iterator_tag iterator_category;
  I __at;
  constexpr reverse_iterator() = default;
  constexpr explicit reverse_iterator(I at) : __at(at) {}
  constexpr I base() const { return __at; }
  constexpr decltype(auto) operator*() const { I before = __at; --before; return *before; }
  constexpr decltype(auto) operator[](ptrdiff_t i) const { return *(__at - (i + 1)); }
  constexpr reverse_iterator &operator++() { --__at; return *this; }
  constexpr reverse_iterator operator++(int) { reverse_iterator old = *this; --__at; return old; }
  constexpr reverse_iterator &operator--() { ++__at; return *this; }
  constexpr reverse_iterator operator+(ptrdiff_t n) const { return reverse_iterator(__at - n); }
  constexpr reverse_iterator operator-(ptrdiff_t n) const { return reverse_iterator(__at + n); }
  constexpr reverse_iterator &operator+=(ptrdiff_t n) { __at -= n; return *this; }
  constexpr ptrdiff_t operator-(const reverse_iterator &other) const { return other.__at - __at; }
  constexpr bool operator==(const reverse_iterator &other) const { return __at == other.__at; }
  constexpr bool operator!=(const reverse_iterator &other) const { return !(__at == other.__at); }
  constexpr bool operator<(const reverse_iterator &other) const { return other.__at < __at; }
};
template <class I> constexpr reverse_iterator<I> make_reverse_iterator(I at) { return reverse_iterator<I>(at); }
template <class I> constexpr I make_move_iterator(I at) { return at; }
#pragma clang force_cuda_host_device end
}  // namespace std

namespace cuda {
#pragma clang force_cuda_host_device begin
using ::std::enable_if_t; using ::std::random_access_iterator_tag; using ::std::remove_reference_t; using ::std::remove_cvref_t;
template <class T, class... X> struct counting_iterator {
  CUDALINT_KINDS(T, T)
  T __base;
  constexpr counting_iterator() : __base() {}
  constexpr explicit counting_iterator(T first) : __base(first) {}
  constexpr T operator*() const { return __base; }
  template <class N> constexpr T operator[](N i) const { return static_cast<T>(__base + i); }
  constexpr const T &base() const { return __base; }
  CUDALINT_STEPS(counting_iterator)
};
template <class T> counting_iterator(T) -> counting_iterator<T>;
template <class T, class N, class... X> constexpr counting_iterator<T, X...> operator+(N n, const counting_iterator<T, X...> &i) { return i + n; }
template <class T> constexpr counting_iterator<T> make_counting_iterator(T first) { return counting_iterator<T>(first); }
template <class T, class... X> struct constant_iterator {
  CUDALINT_KINDS(T, T)
  T __value;
  ptrdiff_t __base;
  constexpr constant_iterator() : __value(), __base(0) {}
  constexpr explicit constant_iterator(T value, ptrdiff_t at = 0) : __value(value), __base(at) {}
  constexpr T operator*() const { return __value; }
  template <class N> constexpr T operator[](N) const { return __value; }
  CUDALINT_STEPS(constant_iterator)
};
template <class T> constant_iterator(T) -> constant_iterator<T>;
template <class T> constexpr constant_iterator<T> make_constant_iterator(T value) { return constant_iterator<T>(value); }
template <class F, class I, class... X> struct transform_iterator {
  typedef decltype(::std::declval<F &>()(*::std::declval<const I &>())) reference;
  typedef remove_cvref_t<reference> value_type;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  typedef random_access_iterator_tag iterator_category;
  typedef random_access_iterator_tag iterator_concept;
  I __base;
  mutable F __function;
  constexpr transform_iterator() = default;
  constexpr transform_iterator(I from, F f) : __base(from), __function(f) {}
  constexpr decltype(auto) operator*() const { return __function(*__base); }
  template <class N> constexpr decltype(auto) operator[](N i) const { return __function(__base[i]); }
  constexpr const I &base() const { return __base; }
  CUDALINT_STEPS(transform_iterator)
};
template <class I, class F> transform_iterator(I, F) -> transform_iterator<F, I>;
template <class I, class F> constexpr transform_iterator<F, I> make_transform_iterator(I from, F f) { return transform_iterator<F, I>(from, f); }
template <class E, class I> struct permutation_iterator {
  typedef decltype(*::std::declval<const E &>()) reference;
  typedef remove_cvref_t<reference> value_type;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  typedef random_access_iterator_tag iterator_category;
  E __elements;
  I __base;
  constexpr permutation_iterator(E elements, I indices) : __elements(elements), __base(indices) {}
  constexpr decltype(auto) operator*() const { return __elements[*__base]; }
  template <class N> constexpr decltype(auto) operator[](N i) const { return __elements[__base[i]]; }
  CUDALINT_STEPS(permutation_iterator)
};
template <class E, class I> permutation_iterator(E, I) -> permutation_iterator<E, I>;
template <class E, class I> constexpr permutation_iterator<E, I> make_permutation_iterator(E elements, I indices) { return permutation_iterator<E, I>(elements, indices); }
struct __cudalint_nowhere { template <class T> constexpr const __cudalint_nowhere &operator=(const T &) const { return *this; } };
template <class... X> struct __cudalint_discard_iterator {
  CUDALINT_KINDS(__cudalint_nowhere, __cudalint_nowhere)
  ptrdiff_t __base;
  constexpr __cudalint_discard_iterator(ptrdiff_t at = 0) : __base(at) {}
  constexpr __cudalint_nowhere operator*() const { return {}; }
  template <class N> constexpr __cudalint_nowhere operator[](N) const { return {}; }
  CUDALINT_STEPS(__cudalint_discard_iterator)
};
typedef __cudalint_discard_iterator<> discard_iterator;
template <class... X> constexpr discard_iterator make_discard_iterator() { return discard_iterator(); }
template <class N> constexpr discard_iterator make_discard_iterator(N at) { return discard_iterator(at); }
template <class F, class I> struct transform_output_iterator {
  struct __slot {
    I __to;
    F __function;
    template <class T> constexpr const __slot &operator=(const T &value) const { *__to = __function(value); return *this; }
  };
  CUDALINT_KINDS(void, __slot)
  I __base;
  F __function;
  constexpr transform_output_iterator(I to, F f) : __base(to), __function(f) {}
  constexpr __slot operator*() const { return {__base, __function}; }
  template <class N> constexpr __slot operator[](N i) const { return {__base + i, __function}; }
  CUDALINT_STEPS(transform_output_iterator)
};
template <class I, class F> transform_output_iterator(I, F) -> transform_output_iterator<F, I>;
template <class I, class F> constexpr transform_output_iterator<F, I> make_transform_output_iterator(I to, F f) { return transform_output_iterator<F, I>(to, f); }
template <class F, class T = long> struct tabulate_output_iterator {
  struct __slot {
    F __function;
    T __index;
    template <class V> constexpr const __slot &operator=(const V &value) const { __function(__index, value); return *this; }
  };
  CUDALINT_KINDS(void, __slot)
  F __function;
  T __base;
  constexpr tabulate_output_iterator(F f, T at = T()) : __function(f), __base(at) {}
  constexpr __slot operator*() const { return {__function, __base}; }
  template <class N> constexpr __slot operator[](N i) const { return {__function, T(__base + i)}; }
  CUDALINT_STEPS(tabulate_output_iterator)
};
template <class F> constexpr tabulate_output_iterator<F> make_tabulate_output_iterator(F f) { return tabulate_output_iterator<F>(f); }
template <class... I> struct __cudalint_zip {
  typedef ::std::tuple<decltype(*::std::declval<const I &>())...> reference;
  typedef ::std::tuple<remove_cvref_t<decltype(*::std::declval<const I &>())>...> value_type;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  typedef random_access_iterator_tag iterator_category;
  typedef ::std::index_sequence_for<I...> __all;
  ::std::tuple<I...> __iterators;
  constexpr __cudalint_zip(const ::std::tuple<I...> &iterators) : __iterators(iterators) {}
  constexpr const ::std::tuple<I...> &get_iterator_tuple() const { return __iterators; }
  template <size_t... K> constexpr reference __read(::std::index_sequence<K...>) const { return reference(*::std::get<K>(__iterators)...); }
  template <class N, size_t... K> constexpr ::std::tuple<I...> __moved(N n, ::std::index_sequence<K...>) const { return ::std::tuple<I...>((::std::get<K>(__iterators) + n)...); }
  constexpr reference operator*() const { return __read(__all{}); }
  template <class N> constexpr reference operator[](N n) const { return __cudalint_zip(__moved(n, __all{})).__read(__all{}); }
  template <class N, class = enable_if_t<__is_convertible_to(N, ptrdiff_t)>> constexpr __cudalint_zip operator+(N n) const { return __cudalint_zip(__moved(n, __all{})); }
  template <class N, class = enable_if_t<__is_convertible_to(N, ptrdiff_t)>> constexpr __cudalint_zip operator-(N n) const { return __cudalint_zip(__moved(-ptrdiff_t(n), __all{})); }
  constexpr __cudalint_zip &operator++() { __iterators = __moved(1, __all{}); return *this; }
  constexpr __cudalint_zip operator++(int) { __cudalint_zip old = *this; ++*this; return old; }
  constexpr __cudalint_zip &operator--() { __iterators = __moved(-1, __all{}); return *this; }
  template <class N> constexpr __cudalint_zip &operator+=(N n) { __iterators = __moved(n, __all{}); return *this; }
  constexpr ptrdiff_t operator-(const __cudalint_zip &other) const { return ::std::get<0>(__iterators) - ::std::get<0>(other.__iterators); }
  constexpr bool operator==(const __cudalint_zip &other) const { return ::std::get<0>(__iterators) == ::std::get<0>(other.__iterators); }
  constexpr bool operator!=(const __cudalint_zip &other) const { return !(*this == other); }
  constexpr bool operator<(const __cudalint_zip &other) const { return ::std::get<0>(__iterators) < ::std::get<0>(other.__iterators); }
};
template <class... I> struct zip_iterator : __cudalint_zip<I...> {
  constexpr zip_iterator(const I &...iterators) : __cudalint_zip<I...>(::std::tuple<I...>(iterators...)) {}
  constexpr zip_iterator(const ::std::tuple<I...> &iterators) : __cudalint_zip<I...>(iterators) {}
  constexpr zip_iterator(const __cudalint_zip<I...> &other) : __cudalint_zip<I...>(other) {}
};
template <class... I> zip_iterator(I...) -> zip_iterator<I...>;
template <class... I> constexpr zip_iterator<I...> make_zip_iterator(I... iterators) { return zip_iterator<I...>(iterators...); }
template <class... I> constexpr zip_iterator<I...> make_zip_iterator(const ::std::tuple<I...> &iterators) { return zip_iterator<I...>(iterators); }
template <class F> struct zip_function {
  F __function;
  constexpr zip_function(F f) : __function(f) {}
  template <class T> constexpr decltype(auto) operator()(T &&t) const { return ::std::apply(__function, static_cast<T &&>(t)); }
};
template <class F> constexpr zip_function<F> make_zip_function(F f) { return zip_function<F>(f); }
#pragma clang force_cuda_host_device end
}  // namespace cuda
#undef CUDALINT_STEPS
#undef CUDALINT_KINDS
