// thrust: vectors, pointers, tuples, iterators and algorithms.
#pragma once
namespace thrust {
#pragma clang force_cuda_host_device begin
using std::pair; using std::make_pair; using std::tuple; using std::make_tuple; using std::tie; using std::get; using std::swap; using std::min; using std::max;
using std::plus; using std::minus; using std::multiplies; using std::divides; using std::modulus; using std::less; using std::greater; using std::less_equal; using std::greater_equal;
using std::equal_to; using std::not_equal_to; using std::logical_and; using std::logical_or; using std::bit_and; using std::bit_or; using std::bit_xor; using std::tuple_element; using std::tuple_size;
template <class T = void> struct maximum { constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
template <class T = void> struct minimum { constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
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
template <class T> struct counting_iterator { typedef T value_type; explicit counting_iterator(T first = T()); T operator*() const; T operator[](long i) const; counting_iterator operator+(long n) const; counting_iterator &operator++(); bool operator!=(const counting_iterator &) const; long operator-(const counting_iterator &) const; };
template <class T> struct constant_iterator : counting_iterator<T> { using counting_iterator<T>::counting_iterator; };
template <class F, class I, class R = int> struct transform_iterator { transform_iterator(I from, F f); auto operator*() const; auto operator[](long i) const; transform_iterator operator+(long n) const; };
template <class T> struct zip_iterator { zip_iterator(T iterators); zip_iterator operator+(long n) const; };
template <class A, class B> struct permutation_iterator { permutation_iterator(A elements, B indices); permutation_iterator operator+(long n) const; };
template <class T = void> struct discard_iterator { discard_iterator(); };
template <class T> counting_iterator<T> make_counting_iterator(T first);
template <class T> constant_iterator<T> make_constant_iterator(T value);
template <class I, class F> transform_iterator<F, I> make_transform_iterator(I from, F f);
template <class T> zip_iterator<T> make_zip_iterator(T iterators);
template <class... T> zip_iterator<tuple<T...>> make_zip_iterator(T... iterators);
template <class A, class B> permutation_iterator<A, B> make_permutation_iterator(A elements, B indices);
discard_iterator<> make_discard_iterator();
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
inline constexpr __cudalint_policy device{}, host{}, seq{};
namespace cuda { inline constexpr __cudalint_policy par{}, par_nosync{}; }
namespace hip { inline constexpr __cudalint_policy par{}; }
namespace placeholders { struct __cudalint_placeholder {}; inline constexpr __cudalint_placeholder _1{}, _2{}; }

// Algorithms take an optional policy, ranges and functions; results are iterators or values of the range.
template <class T> struct __cudalint_value { typedef typename T::value_type type; };
template <class T> struct __cudalint_value<T *> { typedef T type; };
#define CUDALINT_ALGORITHM(name) template <class I, class... A> I name(I first, A &&...arguments); template <class I, class... A> I name(const __cudalint_policy &policy, I first, A &&...arguments);
CUDALINT_ALGORITHM(copy) CUDALINT_ALGORITHM(copy_n) CUDALINT_ALGORITHM(copy_if) CUDALINT_ALGORITHM(fill) CUDALINT_ALGORITHM(fill_n) CUDALINT_ALGORITHM(sequence)
CUDALINT_ALGORITHM(tabulate) CUDALINT_ALGORITHM(generate) CUDALINT_ALGORITHM(for_each) CUDALINT_ALGORITHM(for_each_n) CUDALINT_ALGORITHM(transform) CUDALINT_ALGORITHM(transform_if)
CUDALINT_ALGORITHM(sort) CUDALINT_ALGORITHM(stable_sort) CUDALINT_ALGORITHM(sort_by_key) CUDALINT_ALGORITHM(stable_sort_by_key) CUDALINT_ALGORITHM(inclusive_scan)
CUDALINT_ALGORITHM(exclusive_scan) CUDALINT_ALGORITHM(inclusive_scan_by_key) CUDALINT_ALGORITHM(exclusive_scan_by_key) CUDALINT_ALGORITHM(unique) CUDALINT_ALGORITHM(remove_if)
CUDALINT_ALGORITHM(remove_copy_if) CUDALINT_ALGORITHM(partition) CUDALINT_ALGORITHM(stable_partition) CUDALINT_ALGORITHM(reverse) CUDALINT_ALGORITHM(gather) CUDALINT_ALGORITHM(gather_if)
CUDALINT_ALGORITHM(scatter) CUDALINT_ALGORITHM(scatter_if) CUDALINT_ALGORITHM(replace) CUDALINT_ALGORITHM(replace_if) CUDALINT_ALGORITHM(find) CUDALINT_ALGORITHM(find_if)
CUDALINT_ALGORITHM(lower_bound) CUDALINT_ALGORITHM(upper_bound) CUDALINT_ALGORITHM(max_element) CUDALINT_ALGORITHM(min_element) CUDALINT_ALGORITHM(adjacent_difference)
CUDALINT_ALGORITHM(merge) CUDALINT_ALGORITHM(uninitialized_fill) CUDALINT_ALGORITHM(swap_ranges) CUDALINT_ALGORITHM(next) CUDALINT_ALGORITHM(advance)
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
template <class... A> long distance(A &&...arguments);
template <class... A> bool all_of(A &&...arguments);
template <class... A> bool any_of(A &&...arguments);
template <class... A> bool none_of(A &&...arguments);
template <class... A> bool equal(A &&...arguments);
template <class... A> bool is_sorted(A &&...arguments);
#pragma clang force_cuda_host_device end
template <class T> struct host_vector : std::vector<T> {
  using std::vector<T>::vector;
  host_vector();
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
template <class T> device_ptr<T> device_malloc(size_t count);
template <class T> void device_free(device_ptr<T> pointer);
namespace system { struct system_error : std::runtime_error { using std::runtime_error::runtime_error; }; }
using system::system_error;
}  // namespace thrust
#define THRUST_VERSION 200800
