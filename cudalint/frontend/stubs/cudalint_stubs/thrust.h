// thrust: vectors, pointers, tuples, iterators and algorithms.
#pragma once
#include "libcudacxx.h"
#include "iterators.h"
namespace thrust {
#pragma clang force_cuda_host_device begin
using std::pair; using std::make_pair; using std::tuple; using std::make_tuple; using std::tie; using std::get; using std::swap; using std::min; using std::max;
using std::plus; using std::minus; using std::multiplies; using std::divides; using std::modulus; using std::less; using std::greater; using std::less_equal; using std::greater_equal;
using std::equal_to; using std::not_equal_to; using std::logical_and; using std::logical_or; using std::bit_and; using std::bit_or; using std::bit_xor; using std::tuple_element; using std::tuple_size; using std::logical_not;
using ::cuda::maximum; using ::cuda::minimum;
template <class T = void> struct identity { constexpr const T &operator()(const T &a) const { return a; } };
template <class T = void> struct negate { constexpr T operator()(const T &a) const { return -a; } };
template <class T = void> struct square { constexpr T operator()(const T &a) const { return a * a; } };
template <class A, class R> struct unary_function { typedef A argument_type; typedef R result_type; };
template <class A, class B, class R> struct binary_function { typedef A first_argument_type; typedef B second_argument_type; typedef R result_type; };
template <class T> struct complex {
  typedef T value_type;
  T re, im;
  complex() = default;
  complex(T r, T i = T()) : re(r), im(i) {}
  T real() const { return re; }
  T imag() const { return im; }
  void real(T r) { re = r; }
  void imag(T i) { im = i; }
};
template <class T> complex<T> operator+(const complex<T> &a, const complex<T> &b) { return {a.re + b.re, a.im + b.im}; }
template <class T> complex<T> operator-(const complex<T> &a, const complex<T> &b) { return {a.re - b.re, a.im - b.im}; }
template <class T> complex<T> operator*(const complex<T> &a, const complex<T> &b);
template <class T> complex<T> operator/(const complex<T> &a, const complex<T> &b);
template <class T> T abs(const complex<T> &a);
template <class T> complex<T> conj(const complex<T> &a);
template <class T> complex<T> exp(const complex<T> &a);
template <class T> struct device_ptr;
template <class T> struct device_reference { device_ptr<T> operator&() const; operator T() const; device_reference &operator=(const T &value); };
template <class T> struct device_ptr {
  typedef T value_type;
  typedef long difference_type;
  device_ptr();
  explicit device_ptr(T *pointer);
  T *get() const;
  device_reference<T> operator*() const;
  device_reference<T> operator[](long i) const;
  device_ptr operator+(long n) const;
  device_ptr operator-(long n) const;
  long operator-(const device_ptr &other) const;
  device_ptr &operator++();
  device_ptr &operator+=(long n);
  bool operator==(const device_ptr &) const;
  bool operator!=(const device_ptr &) const;
};
template <class T> T *raw_pointer_cast(device_ptr<T> pointer);
template <class T> T *raw_pointer_cast(T *pointer);
template <class T> T &raw_reference_cast(device_reference<T> reference);
template <class T> device_ptr<T> device_pointer_cast(T *pointer);
using ::cuda::counting_iterator; using ::cuda::constant_iterator; using ::cuda::transform_iterator; using ::cuda::permutation_iterator; using ::cuda::transform_output_iterator;
using ::cuda::make_counting_iterator; using ::cuda::make_constant_iterator; using ::cuda::make_transform_iterator; using ::cuda::make_permutation_iterator; using ::cuda::make_transform_output_iterator;
using ::cuda::zip_function; using ::cuda::make_zip_function; using ::cuda::make_discard_iterator;
using std::reverse_iterator; using std::make_reverse_iterator; using std::iterator_traits; using std::distance; using std::next; using std::prev; using std::advance;
template <class... X> struct discard_iterator : ::cuda::__cudalint_discard_iterator<X...> { using ::cuda::__cudalint_discard_iterator<X...>::__cudalint_discard_iterator; };
template <class T> struct zip_iterator;
template <class... I> struct zip_iterator<tuple<I...>> : ::cuda::__cudalint_zip<I...> {
  constexpr zip_iterator(const tuple<I...> &iterators) : ::cuda::__cudalint_zip<I...>(iterators) {}
  constexpr zip_iterator(const ::cuda::__cudalint_zip<I...> &other) : ::cuda::__cudalint_zip<I...>(other) {}
};
template <class... I> constexpr zip_iterator<tuple<I...>> make_zip_iterator(const tuple<I...> &iterators) { return zip_iterator<tuple<I...>>(iterators); }
template <class... I> constexpr zip_iterator<tuple<I...>> make_zip_iterator(I... iterators) { return zip_iterator<tuple<I...>>(tuple<I...>(iterators...)); }
struct any_system_tag {};
struct random_access_traversal_tag {};
typedef std::input_iterator_tag input_device_iterator_tag;
typedef std::output_iterator_tag output_device_iterator_tag;
typedef std::random_access_iterator_tag random_access_device_iterator_tag;
struct use_default {};
struct incrementable_traversal_tag {};
struct forward_traversal_tag {};
// Reaches the members that a class made by a facade or an adaptor keeps to itself.
struct iterator_core_access {
  template <class D> static constexpr decltype(auto) __dereference(const D &i) { return i.dereference(); }
  template <class D> static constexpr void __increment(D &i) { i.increment(); }
  template <class D> static constexpr void __decrement(D &i) { i.decrement(); }
  template <class D, class N> static constexpr void __advance(D &i, N n) { i.advance(n); }
  template <class D> static constexpr bool __equal(const D &a, const D &b) { return a.equal(b); }
  template <class D> static constexpr auto __distance(const D &a, const D &b) { return a.distance_to(b); }
};
template <class D, class V, class S = use_default, class K = use_default, class R = V, class N = long> struct iterator_facade {
  typedef V value_type;
  typedef N difference_type;
  typedef R reference;
  typedef void pointer;
  typedef std::random_access_iterator_tag iterator_category;
  constexpr D &__self() { return static_cast<D &>(*this); }
  constexpr const D &__self() const { return static_cast<const D &>(*this); }
  constexpr decltype(auto) operator*() const { return iterator_core_access::__dereference(__self()); }
  constexpr decltype(auto) operator[](N n) const { D moved = __self(); iterator_core_access::__advance(moved, n); return *moved; }
  constexpr D &operator++() { iterator_core_access::__increment(__self()); return __self(); }
  constexpr D operator++(int) { D old = __self(); iterator_core_access::__increment(__self()); return old; }
  constexpr D &operator--() { iterator_core_access::__decrement(__self()); return __self(); }
  constexpr D &operator+=(N n) { iterator_core_access::__advance(__self(), n); return __self(); }
  constexpr D &operator-=(N n) { iterator_core_access::__advance(__self(), -n); return __self(); }
  constexpr D operator+(N n) const { D moved = __self(); iterator_core_access::__advance(moved, n); return moved; }
  constexpr D operator-(N n) const { D moved = __self(); iterator_core_access::__advance(moved, -n); return moved; }
  constexpr N operator-(const iterator_facade &other) const { return iterator_core_access::__distance(other.__self(), __self()); }
  constexpr bool operator==(const iterator_facade &other) const { return iterator_core_access::__equal(__self(), other.__self()); }
  constexpr bool operator!=(const iterator_facade &other) const { return !(*this == other); }
  constexpr bool operator<(const iterator_facade &other) const { return iterator_core_access::__distance(__self(), other.__self()) > 0; }
};
template <class D, class B, class V = use_default, class S = use_default, class K = use_default, class R = use_default, class N = use_default> struct iterator_adaptor {
  typedef B base_type;
  typedef iterator_adaptor super_t;
  typedef typename std::iterator_traits<B>::value_type value_type;
  typedef ptrdiff_t difference_type;
  typedef std::random_access_iterator_tag iterator_category;
  B __base;
  constexpr iterator_adaptor() = default;
  constexpr explicit iterator_adaptor(const B &base) : __base(base) {}
  constexpr const B &base() const { return __base; }
  constexpr B &base_reference() { return __base; }
  constexpr const B &base_reference() const { return __base; }
  constexpr decltype(auto) dereference() const { return *__base; }
  constexpr D &__self() { return static_cast<D &>(*this); }
  constexpr const D &__self() const { return static_cast<const D &>(*this); }
  constexpr decltype(auto) operator*() const { return iterator_core_access::__dereference(__self()); }
  constexpr decltype(auto) operator[](ptrdiff_t n) const { D moved = __self(); moved.__base += n; return *moved; }
  constexpr D &operator++() { ++__base; return __self(); }
  constexpr D operator++(int) { D old = __self(); ++__base; return old; }
  constexpr D &operator--() { --__base; return __self(); }
  constexpr D &operator+=(ptrdiff_t n) { __base += n; return __self(); }
  constexpr D operator+(ptrdiff_t n) const { D moved = __self(); moved.__base += n; return moved; }
  constexpr D operator-(ptrdiff_t n) const { D moved = __self(); moved.__base -= n; return moved; }
  constexpr ptrdiff_t operator-(const iterator_adaptor &other) const { return __base - other.__base; }
  constexpr bool operator==(const iterator_adaptor &other) const { return __base == other.__base; }
  constexpr bool operator!=(const iterator_adaptor &other) const { return !(__base == other.__base); }
  constexpr bool operator<(const iterator_adaptor &other) const { return __base < other.__base; }
};
struct minstd_rand { typedef unsigned result_type; explicit minstd_rand(unsigned seed = 1); unsigned operator()(); void discard(unsigned long long n); };
typedef minstd_rand default_random_engine;
template <class T = float> struct uniform_real_distribution { uniform_real_distribution(T a = 0, T b = 1); template <class G> T operator()(G &generator); };
template <class T = int> struct uniform_int_distribution { uniform_int_distribution(T a = 0, T b = 0); template <class G> T operator()(G &generator); };
template <class T = float> struct normal_distribution { normal_distribution(T mean = 0, T deviation = 1); template <class G> T operator()(G &generator); };
namespace random { using thrust::default_random_engine; using thrust::uniform_real_distribution; }
struct __cudalint_policy {
  template <class S> __cudalint_policy on(S stream) const;
  template <class A> __cudalint_policy operator()(A &&allocator) const;
};
inline constexpr __cudalint_policy device{}, host{};
struct __cudalint_sequential : __cudalint_policy {};
inline constexpr __cudalint_sequential seq{};
namespace cuda { inline constexpr __cudalint_policy par{}, par_nosync{}; }
namespace hip { inline constexpr __cudalint_policy par{}; }
namespace placeholders { struct __cudalint_placeholder {}; inline constexpr __cudalint_placeholder _1{}, _2{}; }

// Algorithms take an optional policy, ranges and functions; results are iterators or values of the range.
template <class T> struct __cudalint_value { typedef typename T::value_type type; };
template <class T> struct __cudalint_value<T *> { typedef T type; };
#define CUDALINT_ALGORITHM(name) template <class I, class... A, class = std::enable_if_t<!__is_base_of(__cudalint_policy, I)>> I name(I first, A... arguments); template <class I, class... A> I name(const __cudalint_policy &policy, I first, A... arguments);
CUDALINT_ALGORITHM(copy) CUDALINT_ALGORITHM(copy_n) CUDALINT_ALGORITHM(copy_if) CUDALINT_ALGORITHM(fill) CUDALINT_ALGORITHM(fill_n) CUDALINT_ALGORITHM(sequence)
CUDALINT_ALGORITHM(tabulate) CUDALINT_ALGORITHM(generate) CUDALINT_ALGORITHM(for_each) CUDALINT_ALGORITHM(for_each_n) CUDALINT_ALGORITHM(transform) CUDALINT_ALGORITHM(transform_if)
CUDALINT_ALGORITHM(sort) CUDALINT_ALGORITHM(stable_sort) CUDALINT_ALGORITHM(sort_by_key) CUDALINT_ALGORITHM(stable_sort_by_key) CUDALINT_ALGORITHM(inclusive_scan)
CUDALINT_ALGORITHM(exclusive_scan) CUDALINT_ALGORITHM(inclusive_scan_by_key) CUDALINT_ALGORITHM(exclusive_scan_by_key) CUDALINT_ALGORITHM(unique) CUDALINT_ALGORITHM(remove_if)
CUDALINT_ALGORITHM(remove_copy_if) CUDALINT_ALGORITHM(partition) CUDALINT_ALGORITHM(stable_partition) CUDALINT_ALGORITHM(reverse) CUDALINT_ALGORITHM(gather) CUDALINT_ALGORITHM(gather_if)
CUDALINT_ALGORITHM(scatter) CUDALINT_ALGORITHM(scatter_if) CUDALINT_ALGORITHM(replace) CUDALINT_ALGORITHM(replace_if) CUDALINT_ALGORITHM(find) CUDALINT_ALGORITHM(find_if)
CUDALINT_ALGORITHM(lower_bound) CUDALINT_ALGORITHM(upper_bound) CUDALINT_ALGORITHM(max_element) CUDALINT_ALGORITHM(min_element) CUDALINT_ALGORITHM(adjacent_difference)
CUDALINT_ALGORITHM(merge) CUDALINT_ALGORITHM(uninitialized_fill) CUDALINT_ALGORITHM(swap_ranges) CUDALINT_ALGORITHM(uninitialized_fill_n) CUDALINT_ALGORITHM(uninitialized_copy)
CUDALINT_ALGORITHM(transform_inclusive_scan) CUDALINT_ALGORITHM(transform_exclusive_scan) CUDALINT_ALGORITHM(remove) CUDALINT_ALGORITHM(remove_copy) CUDALINT_ALGORITHM(unique_copy)
CUDALINT_ALGORITHM(generate_n) CUDALINT_ALGORITHM(find_if_not) CUDALINT_ALGORITHM(merge_by_key) CUDALINT_ALGORITHM(shuffle_copy) CUDALINT_ALGORITHM(shuffle) CUDALINT_ALGORITHM(partition_copy)
CUDALINT_ALGORITHM(set_difference) CUDALINT_ALGORITHM(set_intersection) CUDALINT_ALGORITHM(set_union) CUDALINT_ALGORITHM(partition_point)
#undef CUDALINT_ALGORITHM
template <class... A> pair<int *, int *> reduce_by_key(A &&...arguments);
template <class... A> pair<int *, int *> unique_by_key(A &&...arguments);
template <class I> typename __cudalint_value<I>::type reduce(I first, I last);
template <class I, class T> T reduce(I first, I last, T init);
template <class I, class T, class F> T reduce(I first, I last, T init, F op);
template <class I> typename __cudalint_value<I>::type reduce(const __cudalint_policy &policy, I first, I last);
template <class I, class T> T reduce(const __cudalint_policy &policy, I first, I last, T init);
template <class I, class T, class F> T reduce(const __cudalint_policy &policy, I first, I last, T init, F op);
template <class I, class U, class T, class F> T transform_reduce(I first, I last, U unary, T init, F op);
template <class I, class U, class T, class F> T transform_reduce(const __cudalint_policy &policy, I first, I last, U unary, T init, F op);
template <class I, class J, class T> T inner_product(I first, I last, J other, T init);
template <class... A> long count(A &&...arguments);
template <class... A> long count_if(A &&...arguments);
template <class... A> bool all_of(A &&...arguments);
template <class... A> bool any_of(A &&...arguments);
template <class... A> bool none_of(A &&...arguments);
template <class... A> bool equal(A &&...arguments);
template <class... A> bool is_sorted(A &&...arguments);
template <class... A> bool binary_search(A &&...arguments);
template <class... A> long unique_count(A &&...arguments);
template <class... A> pair<int *, int *> unique_by_key_copy(A &&...arguments);
template <class... A> bool equal_range(A &&...arguments);
// With the policy `seq` the calling thread does the work, in order.
#define CUDALINT_SEQ const __cudalint_sequential &
template <class I, class F> constexpr I for_each(CUDALINT_SEQ, I first, I last, F f) { for (; first != last; ++first) f(*first); return first; }
template <class I, class N, class F> constexpr I for_each_n(CUDALINT_SEQ, I first, N count, F f) { for (N i = 0; i < count; i++) { f(*first); ++first; } return first; }
template <class I, class O> constexpr O copy(CUDALINT_SEQ, I first, I last, O to) { for (; first != last; ++first) { *to = *first; ++to; } return to; }
template <class I, class N, class O> constexpr O copy_n(CUDALINT_SEQ, I first, N count, O to) { for (N i = 0; i < count; i++) { *to = *first; ++first; ++to; } return to; }
template <class I, class O, class F> constexpr O copy_if(CUDALINT_SEQ, I first, I last, O to, F f) { for (; first != last; ++first) if (f(*first)) { *to = *first; ++to; } return to; }
template <class I, class T> constexpr void fill(CUDALINT_SEQ, I first, I last, T value) { for (; first != last; ++first) *first = value; }
template <class I, class N, class T> constexpr I fill_n(CUDALINT_SEQ, I first, N count, T value) { for (N i = 0; i < count; i++) { *first = value; ++first; } return first; }
template <class I, class T> constexpr void uninitialized_fill(CUDALINT_SEQ, I first, I last, T value) { for (; first != last; ++first) *first = value; }
template <class I> constexpr void sequence(CUDALINT_SEQ, I first, I last) { for (int i = 0; first != last; ++first, ++i) *first = i; }
template <class I, class F> constexpr void tabulate(CUDALINT_SEQ, I first, I last, F f) { for (int i = 0; first != last; ++first, ++i) *first = f(i); }
template <class I, class O, class F> constexpr O transform(CUDALINT_SEQ, I first, I last, O to, F f) { for (; first != last; ++first) { *to = f(*first); ++to; } return to; }
template <class I, class J, class O, class F> constexpr O transform(CUDALINT_SEQ, I first, I last, J other, O to, F f) { for (; first != last; ++first) { *to = f(*first, *other); ++other; ++to; } return to; }
template <class I, class T> constexpr I find(CUDALINT_SEQ, I first, I last, T value) { for (; first != last; ++first) if (*first == value) break; return first; }
template <class I, class F> constexpr I find_if(CUDALINT_SEQ, I first, I last, F f) { for (; first != last; ++first) if (f(*first)) break; return first; }
template <class I, class F> constexpr I find_if_not(CUDALINT_SEQ, I first, I last, F f) { for (; first != last; ++first) if (!f(*first)) break; return first; }
template <class I, class F> constexpr bool any_of(CUDALINT_SEQ, I first, I last, F f) { for (; first != last; ++first) if (f(*first)) return true; return false; }
template <class I, class F> constexpr bool all_of(CUDALINT_SEQ, I first, I last, F f) { for (; first != last; ++first) if (!f(*first)) return false; return true; }
template <class I, class F> constexpr bool none_of(CUDALINT_SEQ, I first, I last, F f) { for (; first != last; ++first) if (f(*first)) return false; return true; }
template <class I, class T> constexpr long count(CUDALINT_SEQ, I first, I last, T value) { long n = 0; for (; first != last; ++first) if (*first == value) n++; return n; }
template <class I, class F> constexpr long count_if(CUDALINT_SEQ, I first, I last, F f) { long n = 0; for (; first != last; ++first) if (f(*first)) n++; return n; }
template <class I, class J> constexpr bool equal(CUDALINT_SEQ, I first, I last, J other) { for (; first != last; ++first) { if (!(*first == *other)) return false; ++other; } return true; }
template <class I, class J, class F> constexpr bool equal(CUDALINT_SEQ, I first, I last, J other, F f) { for (; first != last; ++first) { if (!f(*first, *other)) return false; ++other; } return true; }
template <class I, class J> constexpr pair<I, J> mismatch(CUDALINT_SEQ, I first, I last, J other) { for (; first != last; ++first) { if (!(*first == *other)) break; ++other; } return pair<I, J>(first, other); }
template <class I> constexpr void reverse(CUDALINT_SEQ, I first, I last) { for (; first < last; ++first) { --last; if (first < last) { auto kept = *first; *first = *last; *last = kept; } } }
template <class I, class O> constexpr O inclusive_scan(CUDALINT_SEQ, I first, I last, O to) { if (first == last) return to; auto sum = *first; *to = sum; for (++first, ++to; first != last; ++first) { sum = sum + *first; *to = sum; ++to; } return to; }
template <class I, class O, class T> constexpr O exclusive_scan(CUDALINT_SEQ, I first, I last, O to, T init) { for (; first != last; ++first) { T next = init + *first; *to = init; init = next; ++to; } return to; }
template <class I, class T> constexpr I lower_bound(CUDALINT_SEQ, I first, I last, T value) { auto n = last - first; while (n > 0) { auto half = n / 2; if (*(first + half) < value) { first += half + 1; n -= half + 1; } else n = half; } return first; }
template <class I, class T, class F> constexpr I lower_bound(CUDALINT_SEQ, I first, I last, T value, F less) { auto n = last - first; while (n > 0) { auto half = n / 2; if (less(*(first + half), value)) { first += half + 1; n -= half + 1; } else n = half; } return first; }
template <class I, class T> constexpr I upper_bound(CUDALINT_SEQ, I first, I last, T value) { auto n = last - first; while (n > 0) { auto half = n / 2; if (!(value < *(first + half))) { first += half + 1; n -= half + 1; } else n = half; } return first; }
template <class I, class T, class F> constexpr I upper_bound(CUDALINT_SEQ, I first, I last, T value, F less) { auto n = last - first; while (n > 0) { auto half = n / 2; if (!less(value, *(first + half))) { first += half + 1; n -= half + 1; } else n = half; } return first; }
template <class I, class T> constexpr bool binary_search(CUDALINT_SEQ, I first, I last, T value) { I at = lower_bound(seq, first, last, value); return at != last && !(value < *at); }
template <class I> constexpr typename std::iterator_traits<I>::value_type reduce(CUDALINT_SEQ, I first, I last) { typename std::iterator_traits<I>::value_type sum{}; for (; first != last; ++first) sum = sum + *first; return sum; }
template <class I, class T> constexpr T reduce(CUDALINT_SEQ, I first, I last, T init) { for (; first != last; ++first) init = init + *first; return init; }
template <class I, class T, class F> constexpr T reduce(CUDALINT_SEQ, I first, I last, T init, F op) { for (; first != last; ++first) init = op(init, *first); return init; }
template <class I, class U, class T, class F> constexpr T transform_reduce(CUDALINT_SEQ, I first, I last, U unary, T init, F op) { for (; first != last; ++first) init = op(init, unary(*first)); return init; }
template <class I> constexpr I max_element(CUDALINT_SEQ, I first, I last) { I best = first; for (; first != last; ++first) if (*best < *first) best = first; return best; }
template <class I, class F> constexpr I max_element(CUDALINT_SEQ, I first, I last, F less) { I best = first; for (; first != last; ++first) if (less(*best, *first)) best = first; return best; }
template <class I> constexpr I min_element(CUDALINT_SEQ, I first, I last) { I best = first; for (; first != last; ++first) if (*first < *best) best = first; return best; }
template <class I, class F> constexpr I min_element(CUDALINT_SEQ, I first, I last, F less) { I best = first; for (; first != last; ++first) if (less(*first, *best)) best = first; return best; }
#undef CUDALINT_SEQ
#pragma clang force_cuda_host_device end
template <class T, class Allocator = std::allocator<T>> struct host_vector : std::vector<T> {
  typedef Allocator allocator_type;
  using std::vector<T>::vector;
  host_vector();
  explicit host_vector(const Allocator &allocator);
  host_vector(size_t count, const Allocator &allocator);
  Allocator get_allocator() const;
  template <class V> host_vector(const V &other);
  template <class V> host_vector &operator=(const V &other);
};
template <class T, class A = void> struct device_vector {
  typedef T value_type;
  typedef device_ptr<T> pointer;
  typedef device_ptr<T> iterator;
  typedef device_ptr<const T> const_iterator;
  typedef device_reference<T> reference;
  device_vector();
  explicit device_vector(size_t count);
  device_vector(size_t count, const T &value);
  device_vector(std::initializer_list<T> values);
  template <class V> device_vector(const V &other);
  template <class I> device_vector(I first, I last);
  template <class V> device_vector &operator=(const V &other);
  size_t size() const;
  bool empty() const;
  iterator begin();
  iterator end();
  const_iterator begin() const;
  const_iterator end() const;
  const_iterator cbegin() const;
  const_iterator cend() const;
  device_ptr<T> data();
  device_ptr<const T> data() const;
  device_reference<T> operator[](size_t i);
  device_reference<const T> operator[](size_t i) const;
  device_reference<T> front();
  device_reference<T> back();
  void resize(size_t count);
  void resize(size_t count, const T &value);
  void reserve(size_t count);
  void push_back(const T &value);
  void clear();
  void shrink_to_fit();
  template <class I> void assign(I first, I last);
  template <class... X> iterator insert(X &&...arguments);
  template <class... X> iterator erase(X &&...arguments);
  void swap(device_vector &other);
};
template <class T> using universal_vector = device_vector<T>;
template <class T> device_ptr<T> device_malloc(size_t count) { T *made = nullptr; cudaMalloc((void **)&made, count * sizeof(T)); return device_ptr<T>(made); }
template <class T> void device_free(device_ptr<T> pointer);
namespace system { struct system_error : std::runtime_error { using std::runtime_error::runtime_error; }; }
using system::system_error;
}  // namespace thrust
#define THRUST_VERSION 200800
