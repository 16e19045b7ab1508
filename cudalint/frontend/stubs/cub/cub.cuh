// cub: block-, warp- and device-wide primitives. Members have no body; the lowering knows what they access.
#pragma once
namespace cub {
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

#pragma clang force_cuda_host_device begin
struct Sum { template <class T, class U> constexpr auto operator()(T a, U b) const { return a + b; } };
struct Difference { template <class T, class U> constexpr auto operator()(T a, U b) const { return a - b; } };
struct Max { template <class T> constexpr T operator()(T a, T b) const { return a < b ? b : a; } };
struct Min { template <class T> constexpr T operator()(T a, T b) const { return b < a ? b : a; } };
struct ArgMax { template <class T> T operator()(const T &a, const T &b) const; };
struct ArgMin { template <class T> T operator()(const T &a, const T &b) const; };
struct Equality { template <class T> constexpr bool operator()(const T &a, const T &b) const { return a == b; } };
struct Inequality { template <class T> constexpr bool operator()(const T &a, const T &b) const { return !(a == b); } };
template <class K, class V> struct KeyValuePair {
  typedef K Key;
  typedef V Value;
  K key;
  V value;
  KeyValuePair() = default;
  KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
};
struct NullType {};
template <class T> struct Uninitialized { unsigned char storage[sizeof(T)]; T &Alias(); };
template <class T> struct DoubleBuffer {
  T *d_buffers[2];
  int selector;
  DoubleBuffer();
  DoubleBuffer(T *current, T *alternate);
  T *Current();
  T *Alternate();
};
template <class T, int N, int M = 0> struct Log2 { enum { VALUE = 31 - __builtin_clz(N) }; };
template <int N, int C = 0> struct PowerOfTwo { enum { VALUE = (N & (N - 1)) == 0 }; };
template <int N> struct Int2Type { enum { VALUE = N }; };
template <int Bytes> struct __cudalint_bits {};
template <> struct __cudalint_bits<1> { typedef unsigned char type; };
template <> struct __cudalint_bits<2> { typedef unsigned short type; };
template <> struct __cudalint_bits<4> { typedef unsigned int type; };
template <> struct __cudalint_bits<8> { typedef unsigned long long type; };
// Keys as unsigned numbers of the same order.
template <class T> struct Traits {
  typedef typename __cudalint_bits<sizeof(T)>::type UnsignedBits;
  static constexpr UnsignedBits HIGH_BIT = UnsignedBits(UnsignedBits(1) << (sizeof(T) * 8 - 1));
  static __host__ __device__ UnsignedBits TwiddleIn(UnsignedBits key) {
    if constexpr (__is_integral(T)) return T(-1) < T(0) ? UnsignedBits(key ^ HIGH_BIT) : key;
    else return UnsignedBits(key ^ (key & HIGH_BIT ? UnsignedBits(-1) : HIGH_BIT));
  }
  static __host__ __device__ UnsignedBits TwiddleOut(UnsignedBits key) {
    if constexpr (__is_integral(T)) return T(-1) < T(0) ? UnsignedBits(key ^ HIGH_BIT) : key;
    else return UnsignedBits(key ^ (key & HIGH_BIT ? HIGH_BIT : UnsignedBits(-1)));
  }
};

#define CUDALINT_STORAGE(name)                                                                                   \
  struct TempStorage { unsigned char storage[1]; };                                                             \
  name() {}                                                                                                     \
  explicit name(TempStorage &) {}

// Blocked: N neighbours for each thread. Striped: every X-th. Other arrangements touch the same elements of the block.
#define CUDALINT_THREAD ((int)(threadIdx.x + X * (threadIdx.y + Y * threadIdx.z)))
#define CUDALINT_LANE ((int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % Lanes))
#define CUDALINT_LANE_ITEM(striped) ((striped) ? CUDALINT_LANE + i * Lanes : CUDALINT_LANE * N + i)
#define CUDALINT_ITEM(striped) ((striped) ? CUDALINT_THREAD + i * (X * Y * Z) : CUDALINT_THREAD * N + i)

template <class T, int X, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int Arch = 0> struct BlockReduce {
  CUDALINT_STORAGE(BlockReduce)
  template <class F> T Reduce(T input, F op);
  template <class F> T Reduce(T input, F op, int valid);
  template <int N, class F> T Reduce(T (&inputs)[N], F op);
  T Sum(T input);
  T Sum(T input, int valid);
  template <int N> T Sum(T (&inputs)[N]);
};
template <class T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int Arch = 0> struct BlockScan {
  CUDALINT_STORAGE(BlockScan)
#define CUDALINT_SCAN(I)                                                                                         \
  void ExclusiveSum(I input, T &output);                                                                        \
  void ExclusiveSum(I input, T &output, T &aggregate);                                                          \
  void InclusiveSum(I input, T &output);                                                                        \
  void InclusiveSum(I input, T &output, T &aggregate);                                                          \
  template <class F> void ExclusiveScan(I input, T &output, T initial, F op);                                   \
  template <class F> void ExclusiveScan(I input, T &output, T initial, F op, T &aggregate);                     \
  template <class F> void InclusiveScan(I input, T &output, F op);                                              \
  template <class F> void InclusiveScan(I input, T &output, F op, T &aggregate);
  CUDALINT_SCAN(T)
  template <class P, class = decltype(std::declval<P &>()(std::declval<T>()))> void ExclusiveSum(T input, T &output, P &prefix);
  template <class P, class = decltype(std::declval<P &>()(std::declval<T>()))> void InclusiveSum(T input, T &output, P &prefix);
  template <class F, class P, class = decltype(std::declval<P &>()(std::declval<T>()))> void ExclusiveScan(T input, T &output, F op, P &prefix);
  template <class F, class P, class = decltype(std::declval<P &>()(std::declval<T>()))> void InclusiveScan(T input, T &output, F op, P &prefix);
  template <class P> void ExclusiveSum(T input, T &output, T &aggregate, P &prefix);
  template <class P> void InclusiveSum(T input, T &output, T &aggregate, P &prefix);
  template <int N> void ExclusiveSum(T (&input)[N], T (&output)[N]);
  template <int N> void ExclusiveSum(T (&input)[N], T (&output)[N], T &aggregate);
  template <int N> void InclusiveSum(T (&input)[N], T (&output)[N]);
  template <int N> void InclusiveSum(T (&input)[N], T (&output)[N], T &aggregate);
  template <int N, class... R> void ExclusiveScan(T (&input)[N], T (&output)[N], R... rest);
  template <int N, class... R> void InclusiveScan(T (&input)[N], T (&output)[N], R... rest);
};
template <class T, int X, int N, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int Arch = 0> struct BlockLoad {
  CUDALINT_STORAGE(BlockLoad)
  void exchange(); // through the storage, where the algorithm transposes
  template <class I> void Load(I from, T (&items)[N]) { if constexpr (A >= BLOCK_LOAD_TRANSPOSE) exchange(); for (int i = 0; i < N; i++) items[i] = from[CUDALINT_ITEM(A == BLOCK_LOAD_STRIPED)]; }
  template <class I> void Load(I from, T (&items)[N], int valid) { if constexpr (A >= BLOCK_LOAD_TRANSPOSE) exchange(); for (int i = 0; i < N; i++) if (CUDALINT_ITEM(A == BLOCK_LOAD_STRIPED) < valid) items[i] = from[CUDALINT_ITEM(A == BLOCK_LOAD_STRIPED)]; }
  template <class I, class D> void Load(I from, T (&items)[N], int valid, D otherwise) { if constexpr (A >= BLOCK_LOAD_TRANSPOSE) exchange(); for (int i = 0; i < N; i++) if (CUDALINT_ITEM(A == BLOCK_LOAD_STRIPED) < valid) items[i] = from[CUDALINT_ITEM(A == BLOCK_LOAD_STRIPED)]; else items[i] = otherwise; }
};
template <class T, int X, int N, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int Arch = 0> struct BlockStore {
  CUDALINT_STORAGE(BlockStore)
  void exchange();
  template <class I> void Store(I to, T (&items)[N]) { if constexpr (A >= BLOCK_STORE_TRANSPOSE) exchange(); for (int i = 0; i < N; i++) to[CUDALINT_ITEM(A == BLOCK_STORE_STRIPED)] = items[i]; }
  template <class I> void Store(I to, T (&items)[N], int valid) { if constexpr (A >= BLOCK_STORE_TRANSPOSE) exchange(); for (int i = 0; i < N; i++) if (CUDALINT_ITEM(A == BLOCK_STORE_STRIPED) < valid) to[CUDALINT_ITEM(A == BLOCK_STORE_STRIPED)] = items[i]; }
};
template <class T, int X, int N, bool Slice = false, int Y = 1, int Z = 1, int Arch = 0> struct BlockExchange {
  CUDALINT_STORAGE(BlockExchange)
  void StripedToBlocked(T (&items)[N]);
  void BlockedToStriped(T (&items)[N]);
  template <class U> void StripedToBlocked(T (&items)[N], U (&output)[N]);
  template <class U> void BlockedToStriped(T (&items)[N], U (&output)[N]);
  template <class O> void ScatterToBlocked(T (&items)[N], O (&ranks)[N]);
  template <class O> void ScatterToStriped(T (&items)[N], O (&ranks)[N]);
};
template <class K, int X, int N, class V = NullType, int... R> struct BlockRadixSort {
  CUDALINT_STORAGE(BlockRadixSort)
  void Sort(K (&keys)[N], int begin = 0, int end = sizeof(K) * 8);
  void SortDescending(K (&keys)[N], int begin = 0, int end = sizeof(K) * 8);
  void SortBlockedToStriped(K (&keys)[N], int begin = 0, int end = sizeof(K) * 8);
  void SortDescendingBlockedToStriped(K (&keys)[N], int begin = 0, int end = sizeof(K) * 8);
  template <class W> void Sort(K (&keys)[N], W (&values)[N], int begin = 0, int end = sizeof(K) * 8);
  template <class W> void SortDescending(K (&keys)[N], W (&values)[N], int begin = 0, int end = sizeof(K) * 8);
  template <class W> void SortBlockedToStriped(K (&keys)[N], W (&values)[N], int begin = 0, int end = sizeof(K) * 8);
  template <class W> void SortDescendingBlockedToStriped(K (&keys)[N], W (&values)[N], int begin = 0, int end = sizeof(K) * 8);
};
template <class K, int X, int N, class V = NullType, int... R> struct BlockMergeSort {
  CUDALINT_STORAGE(BlockMergeSort)
  template <class F> void Sort(K (&keys)[N], F less);
  template <class W, class F> void Sort(K (&keys)[N], W (&values)[N], F less);
};
template <class T, int X, int N, int Bins, BlockHistogramAlgorithm A = BLOCK_HISTO_SORT, int... R> struct BlockHistogram {
  CUDALINT_STORAGE(BlockHistogram)
  template <class C> void InitHistogram(C (&histogram)[Bins]);
  template <class C> void Histogram(T (&items)[N], C (&histogram)[Bins]);
  template <class C> void Composite(T (&items)[N], C (&histogram)[Bins]);
};
template <class T, int X, int... R> struct BlockAdjacentDifference {
  CUDALINT_STORAGE(BlockAdjacentDifference)
  template <int N, class O, class F> void SubtractLeft(T (&input)[N], O (&output)[N], F op);
  template <int N, class O, class F> void SubtractLeft(T (&input)[N], O (&output)[N], F op, T predecessor);
  template <int N, class O, class F> void SubtractLeftPartialTile(T (&input)[N], O (&output)[N], F op, int valid);
  template <int N, class O, class F> void SubtractRight(T (&input)[N], O (&output)[N], F op);
  template <int N, class O, class F> void SubtractRight(T (&input)[N], O (&output)[N], F op, T successor);
  template <int N, class O, class F> void SubtractRightPartialTile(T (&input)[N], O (&output)[N], F op, int valid);
  template <int N, class O, class F> void FlagHeads(O (&flags)[N], T (&items)[N], F op);
  template <int N, class O, class F> void FlagTails(O (&flags)[N], T (&items)[N], F op);
};
template <class T, int X, int... R> struct BlockDiscontinuity {
  CUDALINT_STORAGE(BlockDiscontinuity)
  template <int N, class B, class F> void FlagHeads(B (&flags)[N], T (&items)[N], F op);
  template <int N, class B, class F> void FlagTails(B (&flags)[N], T (&items)[N], F op);
};
template <class T, int X, int... R> struct BlockShuffle {
  CUDALINT_STORAGE(BlockShuffle)
  void Offset(T input, T &output, int distance = 1);
  void Rotate(T input, T &output, unsigned distance = 1);
  template <int N> void Up(T (&input)[N], T (&previous)[N]);
  template <int N> void Up(T (&input)[N], T (&previous)[N], T &suffix);
  template <int N> void Down(T (&input)[N], T (&next)[N]);
  template <int N> void Down(T (&input)[N], T (&next)[N], T &prefix);
};
template <class T, int Lanes = 32, int Arch = 0> struct WarpReduce {
  CUDALINT_STORAGE(WarpReduce)
  T Sum(T input);
  T Sum(T input, int valid);
  template <class F> T Reduce(T input, F op);
  template <class F> T Reduce(T input, F op, int valid);
  template <class B> T HeadSegmentedSum(T input, B flag);
  template <class B> T TailSegmentedSum(T input, B flag);
  template <class B, class F> T HeadSegmentedReduce(T input, B flag, F op);
  template <class B, class F> T TailSegmentedReduce(T input, B flag, F op);
};
template <class T, int Lanes = 32, int Arch = 0> struct WarpScan {
  CUDALINT_STORAGE(WarpScan)
  CUDALINT_SCAN(T)
  template <class F> void ExclusiveScan(T input, T &output, F op);
  T Broadcast(T input, unsigned lane);
};
#undef CUDALINT_SCAN
template <class K, int N, int Lanes = 32, class V = NullType, int... R> struct WarpMergeSort {
  CUDALINT_STORAGE(WarpMergeSort)
  template <class F> void Sort(K (&keys)[N], F less);
  template <class W, class F> void Sort(K (&keys)[N], W (&values)[N], F less);
};
template <class T, int N, int Lanes = 32, int... R> struct WarpExchange {
  CUDALINT_STORAGE(WarpExchange)
  template <class U> void StripedToBlocked(const T (&items)[N], U (&output)[N]);
  template <class U> void BlockedToStriped(const T (&items)[N], U (&output)[N]);
  template <class O> void ScatterToStriped(T (&items)[N], O (&ranks)[N]);
  template <class U, class O> void ScatterToStriped(const T (&items)[N], U (&output)[N], O (&ranks)[N]);
};
template <class T, int N, WarpLoadAlgorithm A = WARP_LOAD_DIRECT, int Lanes = 32, int Arch = 0> struct WarpLoad {
  CUDALINT_STORAGE(WarpLoad)
  template <class I> void Load(I from, T (&items)[N]) { for (int i = 0; i < N; i++) items[i] = from[CUDALINT_LANE_ITEM(A == WARP_LOAD_STRIPED)]; }
  template <class I> void Load(I from, T (&items)[N], int valid) { for (int i = 0; i < N; i++) if (CUDALINT_LANE_ITEM(A == WARP_LOAD_STRIPED) < valid) items[i] = from[CUDALINT_LANE_ITEM(A == WARP_LOAD_STRIPED)]; }
  template <class I, class D> void Load(I from, T (&items)[N], int valid, D otherwise) { for (int i = 0; i < N; i++) if (CUDALINT_LANE_ITEM(A == WARP_LOAD_STRIPED) < valid) items[i] = from[CUDALINT_LANE_ITEM(A == WARP_LOAD_STRIPED)]; else items[i] = otherwise; }
};
template <class T, int N, WarpStoreAlgorithm A = WARP_STORE_DIRECT, int Lanes = 32, int Arch = 0> struct WarpStore {
  CUDALINT_STORAGE(WarpStore)
  template <class I> void Store(I to, T (&items)[N]) { for (int i = 0; i < N; i++) to[CUDALINT_LANE_ITEM(A == WARP_STORE_STRIPED)] = items[i]; }
  template <class I> void Store(I to, T (&items)[N], int valid) { for (int i = 0; i < N; i++) if (CUDALINT_LANE_ITEM(A == WARP_STORE_STRIPED) < valid) to[CUDALINT_LANE_ITEM(A == WARP_STORE_STRIPED)] = items[i]; }
};
#undef CUDALINT_STORAGE
#undef CUDALINT_THREAD
#undef CUDALINT_ITEM
#undef CUDALINT_LANE
#undef CUDALINT_LANE_ITEM
template <CacheLoadModifier M, class I> auto ThreadLoad(I from) { return *from; }
template <CacheStoreModifier M, class I, class T> void ThreadStore(I to, T value) { *to = value; }
template <int N, class T, class F> T ThreadReduce(T *input, F op);
template <int N, class T, class F> T ThreadReduce(T (&input)[N], F op);
template <int N, class T, class F> T ThreadReduce(T (&input)[N], F op, T prefix);
template <class T, int N, class I> void LoadDirectBlocked(int thread, I from, T (&items)[N]) { for (int i = 0; i < N; i++) items[i] = from[thread * N + i]; }
template <class T, int N, class I> void LoadDirectBlocked(int thread, I from, T (&items)[N], int valid) { for (int i = 0; i < N; i++) if (thread * N + i < valid) items[i] = from[thread * N + i]; }
template <class T, int N, class I, class D> void LoadDirectBlocked(int thread, I from, T (&items)[N], int valid, D otherwise) { for (int i = 0; i < N; i++) if (thread * N + i < valid) items[i] = from[thread * N + i]; else items[i] = otherwise; }
template <class T, int N> void LoadDirectBlockedVectorized(int thread, T *from, T (&items)[N]) { for (int i = 0; i < N; i++) items[i] = from[thread * N + i]; }
template <int X, class T, int N, class I> void LoadDirectStriped(int thread, I from, T (&items)[N]) { for (int i = 0; i < N; i++) items[i] = from[thread + i * X]; }
template <int X, class T, int N, class I> void LoadDirectStriped(int thread, I from, T (&items)[N], int valid) { for (int i = 0; i < N; i++) if (thread + i * X < valid) items[i] = from[thread + i * X]; }
template <int X, class T, int N, class I, class D> void LoadDirectStriped(int thread, I from, T (&items)[N], int valid, D otherwise) { for (int i = 0; i < N; i++) if (thread + i * X < valid) items[i] = from[thread + i * X]; else items[i] = otherwise; }
template <class T, int N, class I> void StoreDirectBlocked(int thread, I to, T (&items)[N]) { for (int i = 0; i < N; i++) to[thread * N + i] = items[i]; }
template <class T, int N, class I> void StoreDirectBlocked(int thread, I to, T (&items)[N], int valid) { for (int i = 0; i < N; i++) if (thread * N + i < valid) to[thread * N + i] = items[i]; }
template <class T, int N> void StoreDirectBlockedVectorized(int thread, T *to, T (&items)[N]) { for (int i = 0; i < N; i++) to[thread * N + i] = items[i]; }
template <int X, class T, int N, class I> void StoreDirectStriped(int thread, I to, T (&items)[N]) { for (int i = 0; i < N; i++) to[thread + i * X] = items[i]; }
template <int X, class T, int N, class I> void StoreDirectStriped(int thread, I to, T (&items)[N], int valid) { for (int i = 0; i < N; i++) if (thread + i * X < valid) to[thread + i * X] = items[i]; }
template <class I, class O, class T> O LowerBound(I from, O count, T value);
template <class I, class O, class T> O UpperBound(I from, O count, T value);
template <class U> unsigned BFE(U source, unsigned start, unsigned bits);
template <int Lanes, class T> T ShuffleIndex(T input, int lane, unsigned mask);
template <int Lanes, class T> T ShuffleDown(T input, int delta, int last, unsigned mask);
template <int Lanes, class T> T ShuffleUp(T input, int delta, int first, unsigned mask);
unsigned LaneId();
unsigned WarpId();
int RowMajorTid(int x, int y, int z);
template <class T, class O = long> struct CountingInputIterator { typedef T value_type; CountingInputIterator(T first); T operator*() const; T operator[](O i) const; CountingInputIterator operator+(O n) const; };
template <class T, class F, class I, class O = long> struct TransformInputIterator { typedef T value_type; TransformInputIterator(I from, F op); T operator*() const; T operator[](O i) const; TransformInputIterator operator+(O n) const; };
template <class T, class O = long> struct ConstantInputIterator { typedef T value_type; ConstantInputIterator(T value); T operator*() const; T operator[](O i) const; };
template <CacheLoadModifier M, class T, class O = long> struct CacheModifiedInputIterator { typedef T value_type; const T *__at; CacheModifiedInputIterator(const T *from) : __at(from) {} const T &operator*() const { return *__at; } const T &operator[](O i) const { return __at[i]; } CacheModifiedInputIterator operator+(O n) const { return CacheModifiedInputIterator(__at + n); } };
template <CacheStoreModifier M, class T, class O = long> struct CacheModifiedOutputIterator { typedef T value_type; T *__at; CacheModifiedOutputIterator(T *to) : __at(to) {} T &operator*() const { return *__at; } T &operator[](O i) const { return __at[i]; } CacheModifiedOutputIterator operator+(O n) const { return CacheModifiedOutputIterator(__at + n); } };
template <class I, class O = long, class T = int> struct ArgIndexInputIterator { ArgIndexInputIterator(I from); };

// Device-wide primitives share their first two parameters: scratch memory and its size.
#define CUDALINT_DEVICE(name) template <class... A> static cudaError_t name(void *storage, size_t &bytes, A... arguments);
struct DeviceReduce { CUDALINT_DEVICE(Reduce) CUDALINT_DEVICE(Sum) CUDALINT_DEVICE(Min) CUDALINT_DEVICE(Max) CUDALINT_DEVICE(ArgMin) CUDALINT_DEVICE(ArgMax) CUDALINT_DEVICE(ReduceByKey) CUDALINT_DEVICE(TransformReduce) };
struct DeviceSegmentedReduce : DeviceReduce {};
struct DeviceScan { CUDALINT_DEVICE(ExclusiveSum) CUDALINT_DEVICE(InclusiveSum) CUDALINT_DEVICE(ExclusiveScan) CUDALINT_DEVICE(InclusiveScan) CUDALINT_DEVICE(ExclusiveSumByKey) CUDALINT_DEVICE(InclusiveSumByKey) };
struct DeviceRadixSort { CUDALINT_DEVICE(SortKeys) CUDALINT_DEVICE(SortKeysDescending) CUDALINT_DEVICE(SortPairs) CUDALINT_DEVICE(SortPairsDescending) };
struct DeviceSegmentedRadixSort : DeviceRadixSort {};
struct DeviceSegmentedSort : DeviceRadixSort { CUDALINT_DEVICE(StableSortPairs) CUDALINT_DEVICE(StableSortKeys) };
struct DeviceMergeSort : DeviceSegmentedSort {};
struct DeviceSelect { CUDALINT_DEVICE(Flagged) CUDALINT_DEVICE(FlaggedIf) CUDALINT_DEVICE(If) CUDALINT_DEVICE(Unique) CUDALINT_DEVICE(UniqueByKey) };
struct DevicePartition : DeviceSelect {};
struct DeviceRunLengthEncode { CUDALINT_DEVICE(Encode) CUDALINT_DEVICE(NonTrivialRuns) };
struct DeviceHistogram { CUDALINT_DEVICE(HistogramEven) CUDALINT_DEVICE(HistogramRange) };
struct DeviceTransform { template <class... A> static cudaError_t Transform(A &&...arguments); template <class... A> static cudaError_t TransformIf(A &&...arguments); template <class... A> static cudaError_t Fill(A &&...arguments); };
struct DeviceFor { template <class... A> static cudaError_t ForEach(A &&...arguments); template <class... A> static cudaError_t ForEachN(A &&...arguments); template <class... A> static cudaError_t Bulk(A &&...arguments); };
struct DeviceMemcpy { CUDALINT_DEVICE(Batched) };
struct DeviceCopy { CUDALINT_DEVICE(Batched) };
struct DeviceTopK { CUDALINT_DEVICE(MaxKeys) CUDALINT_DEVICE(MinKeys) CUDALINT_DEVICE(MaxPairs) CUDALINT_DEVICE(MinPairs) };
struct DeviceFind { CUDALINT_DEVICE(FindIf) CUDALINT_DEVICE(LowerBound) CUDALINT_DEVICE(UpperBound) };
struct DeviceAdjacentDifference { CUDALINT_DEVICE(SubtractLeft) CUDALINT_DEVICE(SubtractLeftCopy) };
struct DeviceSpmv { CUDALINT_DEVICE(CsrMV) };
#undef CUDALINT_DEVICE
#pragma clang force_cuda_host_device end
}  // namespace cub
#define CUB_PTX_WARP_THREADS 32
#define CUB_VERSION 200800
#define CUB_MIN(a, b) (((a) > (b)) ? (b) : (a))
#define CUB_MAX(a, b) (((a) > (b)) ? (a) : (b))
namespace hipcub = cub;
