// cuCollections: hash sets and maps. What a reference does to its table is opaque; iterators of it point to slots.
#pragma once
#include "libcudacxx.h"
#pragma clang force_cuda_host_device begin
namespace cuco {
template <class K, class V> struct pair {
  typedef K first_type;
  typedef V second_type;
  K first;
  V second;
  pair() = default;
  constexpr pair(const K &k, const V &v) : first(k), second(v) {}
  template <class A, class B> constexpr pair(const pair<A, B> &other) : first(other.first), second(other.second) {}
  template <class A, class B> constexpr pair(const ::std::pair<A, B> &other) : first(other.first), second(other.second) {}
};
template <class K, class V> pair(K, V) -> pair<K, V>;
template <class K, class V> constexpr pair<::std::decay_t<K>, ::std::decay_t<V>> make_pair(K &&k, V &&v) { return {k, v}; }
template <class A, class B, class C, class D> constexpr bool operator==(const pair<A, B> &a, const pair<C, D> &b) { return a.first == b.first && a.second == b.second; }
inline constexpr size_t dynamic_extent = ~size_t(0);
template <class T, size_t N = dynamic_extent> struct extent { typedef T value_type; T __size; constexpr extent() : __size(T(N)) {} template <class U, class = ::std::enable_if_t<__is_convertible_to(U, T)>> constexpr extent(U size) : __size(T(size)) {} constexpr operator T() const noexcept { return __size; } };
template <class T> extent(T) -> extent<T>;
template <class T, size_t N = dynamic_extent> struct valid_extent { typedef T value_type; T __size; constexpr T value() const { return __size; } constexpr operator T() const { return __size; } };
template <int G, int B, class T, size_t N> constexpr valid_extent<T, N> make_valid_extent(extent<T, N> size);
template <class P, class S, class T, size_t N> constexpr valid_extent<T, N> make_valid_extent(extent<T, N> size);
template <class P, class S, class T> constexpr valid_extent<T> make_valid_extent(T size, double load = 1);
template <class T> using bucket_extent = valid_extent<T>;
template <class T> struct empty_key { T value; constexpr explicit empty_key(T v) : value(v) {} constexpr operator T() const { return value; } };
template <class T> struct empty_value { T value; constexpr explicit empty_value(T v) : value(v) {} constexpr operator T() const { return value; } };
template <class T> struct erased_key { T value; constexpr explicit erased_key(T v) : value(v) {} constexpr operator T() const { return value; } };
// Where the search for a key goes on: any slot.
struct __cudalint_probing { size_t __at; constexpr size_t operator*() const { return __at; } __cudalint_probing &operator++(); };
#define CUDALINT_PROBING template <int B, class K, class E> __cudalint_probing make_iterator(const K &key, E size) const; template <int B, class Q, class K, class E> __cudalint_probing make_iterator(const Q &group, const K &key, E size) const;
template <int G, class H> struct linear_probing { CUDALINT_PROBING typedef H hasher; static constexpr int cg_size = G; H hash; constexpr linear_probing() = default; constexpr linear_probing(const H &h) : hash(h) {} };
template <int G, class H, class H2 = H> struct double_hashing { CUDALINT_PROBING typedef H hasher; static constexpr int cg_size = G; H hash; H2 hash2; constexpr double_hashing() = default; constexpr double_hashing(const H &h, const H2 &h2 = {}) : hash(h), hash2(h2) {} };
#undef CUDALINT_PROBING
template <int B> struct storage { static constexpr int bucket_size = B; };
template <::cuda::thread_scope S> struct cuda_thread_scope { constexpr operator ::cuda::thread_scope() const { return S; } };
inline constexpr cuda_thread_scope<::cuda::thread_scope_device> thread_scope_device{};
inline constexpr cuda_thread_scope<::cuda::thread_scope_block> thread_scope_block{};
inline constexpr cuda_thread_scope<::cuda::thread_scope_thread> thread_scope_thread{};
inline constexpr cuda_thread_scope<::cuda::thread_scope_system> thread_scope_system{};
#define CUDALINT_OPERATOR(name) struct name##_tag {}; inline constexpr name##_tag name{}; namespace op { using ::cuco::name##_tag; inline constexpr name##_tag name{}; }
CUDALINT_OPERATOR(insert) CUDALINT_OPERATOR(insert_and_find) CUDALINT_OPERATOR(insert_or_assign) CUDALINT_OPERATOR(insert_or_apply) CUDALINT_OPERATOR(find)
CUDALINT_OPERATOR(contains) CUDALINT_OPERATOR(count) CUDALINT_OPERATOR(erase) CUDALINT_OPERATOR(retrieve) CUDALINT_OPERATOR(for_each)
#undef CUDALINT_OPERATOR
template <class T, int B, class E = valid_extent<size_t>> struct bucket_storage_ref {
  typedef T value_type;
  typedef T *iterator;
  typedef E extent_type;
  static constexpr int bucket_size = B;
  T *__slots;
  E __extent;
  template <class U> constexpr bucket_storage_ref(U, T *slots) : __slots(slots), __extent() {}
  constexpr T *data() const { return __slots; }
  constexpr E bucket_extent() const { return __extent; }
  constexpr E extent() const { return __extent; }
  constexpr E num_buckets() const { return __extent; }
  constexpr size_t capacity() const { return size_t(__extent) * B; }
  template <class G> void initialize(const G &group, T value);
  template <class G> void initialize(const G &group, T value) const;
};
template <class T, int B, class E = extent<size_t>, class A = void> struct bucket_storage { typedef bucket_storage_ref<T, B, E> ref_type; template <class... X> bucket_storage(X &&...); ref_type ref() const; T *data() const; size_t capacity() const; size_t num_buckets() const; template <class... X> void initialize(X &&...); template <class... X> void initialize_async(X &&...); };
// Members of a reference; V is what a slot holds.
#define CUDALINT_TABLE(name, V)                                                                                  \
  typedef V value_type;                                                                                         \
  typedef K key_type;                                                                                           \
  typedef V *iterator;                                                                                          \
  typedef const V *const_iterator;                                                                              \
  typedef P probing_scheme_type;                                                                                \
  static constexpr int cg_size = P::cg_size;                                                                    \
  template <class... A> name(const A &...arguments);                                                            \
  template <class... N> auto rebind_operators(N...) const -> name<CUDALINT_TABLE_ARGUMENTS, N...>;               \
  template <class... N> auto with_operators(N...) const -> name<CUDALINT_TABLE_ARGUMENTS, N...>;                 \
  template <class Q> auto rebind_key_eq(const Q &) const -> CUDALINT_TABLE_EQUAL(name, Q);                      \
  template <class H> auto rebind_hash_function(const H &) const -> CUDALINT_TABLE_HASH(name, H);                \
  template <class T> bool insert(const T &value);                                                               \
  template <class G, class T> bool insert(const G &group, const T &value);                                      \
  template <class T> void insert_or_assign(const T &value);                                                     \
  template <class T> ::std::pair<iterator, bool> insert_and_find(const T &value);                               \
  template <class G, class T> ::std::pair<iterator, bool> insert_and_find(const G &group, const T &value);      \
  template <class T> iterator find(const T &key) const;                                                         \
  template <class G, class T> iterator find(const G &group, const T &key) const;                                \
  template <class T> bool contains(const T &key) const;                                                         \
  template <class G, class T> bool contains(const G &group, const T &key) const;                                \
  template <class T> size_t count(const T &key) const;                                                          \
  template <class G, class T> size_t count(const G &group, const T &key) const;                                 \
  iterator end() const;                                                                                         \
  size_t capacity() const;                                                                                      \
  K empty_key_sentinel() const;                                                                                 \
  template <class G> void initialize(const G &group);                                                           \
  V *__slots;
#define CUDALINT_TABLE_ARGUMENTS K, S, E, P, R
#define CUDALINT_TABLE_EQUAL(name, Q) name<K, S, Q, P, R, O...>
#define CUDALINT_TABLE_HASH(name, H) name<K, S, E, linear_probing<P::cg_size, H>, R, O...>
template <class K, ::cuda::thread_scope S, class E, class P, class R, class... O> struct static_set_ref { CUDALINT_TABLE(static_set_ref, K) };
template <class K, ::cuda::thread_scope S, class E, class P, class R, class... O> struct static_multiset_ref { CUDALINT_TABLE(static_multiset_ref, K) };
template <class K, class E, class P, ::cuda::thread_scope S, class R> static_set_ref(empty_key<K>, E, P, cuda_thread_scope<S>, R) -> static_set_ref<K, S, E, P, R>;
template <class K, class E, class P, ::cuda::thread_scope S, class R> static_multiset_ref(empty_key<K>, E, P, cuda_thread_scope<S>, R) -> static_multiset_ref<K, S, E, P, R>;
#undef CUDALINT_TABLE_ARGUMENTS
#undef CUDALINT_TABLE_EQUAL
#undef CUDALINT_TABLE_HASH
#define CUDALINT_TABLE_ARGUMENTS K, T_, S, E, P, R
#define CUDALINT_TABLE_EQUAL(name, Q) name<K, T_, S, Q, P, R, O...>
#define CUDALINT_TABLE_HASH(name, H) name<K, T_, S, E, linear_probing<P::cg_size, H>, R, O...>
template <class K, class T_, ::cuda::thread_scope S, class E, class P, class R, class... O> struct static_map_ref { typedef T_ mapped_type; typedef pair<K, T_> __slot; CUDALINT_TABLE(static_map_ref, __slot) T_ empty_value_sentinel() const; };
template <class K, class T_, class E, class P, ::cuda::thread_scope S, class R> static_map_ref(empty_key<K>, empty_value<T_>, E, P, cuda_thread_scope<S>, R) -> static_map_ref<K, T_, S, E, P, R>;
#undef CUDALINT_TABLE
#undef CUDALINT_TABLE_ARGUMENTS
#undef CUDALINT_TABLE_EQUAL
#undef CUDALINT_TABLE_HASH
}  // namespace cuco
#pragma clang force_cuda_host_device end
namespace cuco {
namespace detail {
constexpr int default_block_size() { return 128; }
constexpr int default_stride() { return 1; }
template <class N> constexpr N grid_size(N count, int group = 1, int stride = 1, int block = 128) { return (group * count + stride * block - 1) / (stride * block); }
namespace open_addressing_ns { template <int G, int B, class... X> __global__ void insert_if_n(X...); template <int G, int B, class... X> __global__ void insert_n(X...); }
}  // namespace detail
// Tables that own their memory, on the host.
#define CUDALINT_OWNER                                                                                           \
  template <class... X> size_t insert(X &&...);                                                                 \
  template <class... X> void insert_async(X &&...);                                                             \
  template <class... X> void insert_if_async(X &&...);                                                          \
  template <class... X> size_t insert_if(X &&...);                                                              \
  template <class... X> void insert_and_find(X &&...);                                                          \
  template <class... X> void insert_and_find_async(X &&...);                                                    \
  template <class... X> void contains(X &&...) const;                                                           \
  template <class... X> void contains_async(X &&...) const;                                                     \
  template <class... X> void contains_if_async(X &&...) const;                                                  \
  template <class... X> void find(X &&...) const;                                                               \
  template <class... X> void find_async(X &&...) const;                                                         \
  template <class... X> size_t count(X &&...) const;                                                            \
  template <class... X> void clear_async(X &&...);                                                              \
  size_t size(cudaStream_t = {}) const;                                                                         \
  size_t capacity() const;                                                                                      \
  template <class I, class... X> I retrieve_all(I to, X &&...) const;
template <class K, class E = extent<size_t>, ::cuda::thread_scope S = ::cuda::thread_scope_device, class Q = ::std::equal_to<K>, class P = linear_probing<1, int>, class A = int, class B = storage<1>> struct static_set {
  typedef K key_type;
  typedef K value_type;
  typedef bucket_storage_ref<K, B::bucket_size, valid_extent<size_t>> storage_ref_type;
  template <class... O> using ref_type = static_set_ref<K, S, Q, P, storage_ref_type, O...>;
  template <class... X> static_set(X &&...);
  template <class... O> ref_type<O...> ref(O...) const;
  Q key_eq() const;
  typename P::hasher hash_function() const;
  CUDALINT_OWNER
};
template <class T, class K, class Q, class P, ::cuda::thread_scope S, int B, class... X> static_set(extent<T>, empty_key<K>, Q, P, cuda_thread_scope<S>, storage<B>, X...) -> static_set<K, extent<T>, S, Q, P, int, storage<B>>;
template <class K, class E = extent<size_t>, ::cuda::thread_scope S = ::cuda::thread_scope_device, class Q = ::std::equal_to<K>, class P = linear_probing<1, int>, class A = int, class B = storage<1>> struct static_multiset {
  typedef bucket_storage_ref<K, B::bucket_size, valid_extent<size_t>> storage_ref_type;
  template <class... O> using ref_type = static_multiset_ref<K, S, Q, P, storage_ref_type, O...>;
  template <class... X> static_multiset(X &&...);
  template <class... O> ref_type<O...> ref(O...) const;
  Q key_eq() const;
  typename P::hasher hash_function() const;
  CUDALINT_OWNER
};
template <class K, class T, class E = extent<size_t>, ::cuda::thread_scope S = ::cuda::thread_scope_device, class Q = ::std::equal_to<K>, class P = linear_probing<1, int>, class A = int, class B = storage<1>> struct static_map {
  typedef bucket_storage_ref<pair<K, T>, B::bucket_size, valid_extent<size_t>> storage_ref_type;
  template <class... O> using ref_type = static_map_ref<K, T, S, Q, P, storage_ref_type, O...>;
  template <class... X> static_map(X &&...);
  template <class... O> ref_type<O...> ref(O...) const;
  Q key_eq() const;
  typename P::hasher hash_function() const;
  CUDALINT_OWNER
};
template <class N, class K, class T, class Q, class P, ::cuda::thread_scope S, int B, class... X> static_map(extent<N>, empty_key<K>, empty_value<T>, Q, P, cuda_thread_scope<S>, storage<B>, X...) -> static_map<K, T, extent<N>, S, Q, P, int, storage<B>>;
#undef CUDALINT_OWNER
#pragma clang force_cuda_host_device begin
#define CUDALINT_HASH(name, R) template <class K> struct name { typedef K argument_type; typedef R result_type; R seed; constexpr name(R s = {}) : seed(s) {} R operator()(const K &key) const; template <class E> R compute_hash(const ::std::byte *bytes, E size) const; };
CUDALINT_HASH(xxhash_32, unsigned) CUDALINT_HASH(xxhash_64, unsigned long) CUDALINT_HASH(murmurhash3_32, unsigned) CUDALINT_HASH(identity_hash, unsigned long)
#undef CUDALINT_HASH
template <class K> struct murmurhash3_x64_128 { typedef K argument_type; typedef ::std::array<unsigned long, 2> result_type; unsigned long seed; constexpr murmurhash3_x64_128(unsigned long s = 0) : seed(s) {} result_type operator()(const K &key) const; template <class E> result_type compute_hash(const ::std::byte *bytes, E size) const; };
template <class K> using default_hash_function = xxhash_32<K>;
template <class T> struct is_bitwise_comparable : ::std::bool_constant<__has_unique_object_representations(T)> {};
template <class T> inline constexpr bool is_bitwise_comparable_v = is_bitwise_comparable<T>::value;
struct precision { int value; constexpr explicit precision(int v) : value(v) {} };
struct register_count { int value; };
struct sketch_size_kb { double value; };
struct standard_deviation { double value; };
template <class T, ::cuda::thread_scope S = ::cuda::thread_scope_device, class H = xxhash_64<T>> struct hyperloglog_ref { typedef T value_type; unsigned char *__registers; template <class... X> hyperloglog_ref(X &&...); void add(const T &item); template <class G> void clear(const G &group); template <class G, class O> void merge(const G &group, const O &other); template <class G> size_t estimate(const G &group) const; static constexpr size_t sketch_bytes(...); static constexpr size_t sketch_alignment(); };
template <class H, class W = unsigned, unsigned N = 8> struct default_filter_policy { typedef H hasher; typedef W word_type; static constexpr unsigned words_per_block = N; template <class... X> default_filter_policy(X &&...); };
template <class H, class W, unsigned N, auto... X> struct parametric_filter_policy { typedef H hasher; typedef W word_type; static constexpr unsigned words_per_block = N; template <class B, class E> size_t block_index(B hash, E size) const; };
template <class T, class E = extent<size_t>, ::cuda::thread_scope S = ::cuda::thread_scope_device, class P = int> struct bloom_filter_ref { struct filter_block_type { unsigned words[8]; }; template <class... X> bloom_filter_ref(X &&...); template <class K> bool contains(const K &key) const; template <class K> void add(const K &key); template <class G, class K> bool contains(const G &group, const K &key) const; };
template <class T, class E = extent<size_t>, ::cuda::thread_scope S = ::cuda::thread_scope_device, class P = int, class A = int> struct bloom_filter { typedef bloom_filter_ref<T, E, S, P> ref_type_; template <class... O> using ref_type = ref_type_; typedef P policy_type; typedef typename P::word_type word_type; static constexpr auto words_per_block = P::words_per_block; template <class... X> bloom_filter(X &&...); template <class... O> ref_type_ ref(O...) const; template <class... X> void add(X &&...); template <class... X> void add_async(X &&...); template <class... X> void add_if_async(X &&...); template <class... X> void contains_async(X &&...) const; template <class... X> void clear_async(X &&...); };
namespace experimental { template <class T, class A = int> struct roaring_bitmap { template <class... X> roaring_bitmap(X &&...); template <class... X> void contains_async(X &&...) const; size_t size_bytes() const; bool empty() const; }; template <class T> struct roaring_bitmap_ref { bool contains(T) const; }; }
#pragma clang force_cuda_host_device end
}  // namespace cuco
