// Device intrinsics: barriers, fences, warp operations, loads and stores with cache hints, integer intrinsics, SIMD in a word.
#pragma once
extern "C" __device__ void __syncthreads();  // as the compiler, which knows it, has it
inline __device__ void __cluster_barrier_arrive() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
inline __device__ void __cluster_barrier_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed;"); }
inline __device__ void __cluster_barrier_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
__device__ int __syncthreads_count(int predicate);
__device__ int __syncthreads_and(int predicate);
__device__ int __syncthreads_or(int predicate);
__device__ void __syncwarp(unsigned mask = 0xffffffffu);
__device__ void __barrier_sync(unsigned id);
__device__ void __barrier_sync_count(unsigned id, unsigned count);
__device__ void __threadfence();
__device__ void __threadfence_block();
__device__ void __threadfence_system();
__device__ void __trap();
__device__ void __brkpt();
__device__ void __prof_trigger(int counter);
__device__ void __nanosleep(unsigned ns);
__device__ long long clock64();
__device__ unsigned long long globaltimer();
__device__ unsigned __isGlobal(const void *pointer);
__device__ unsigned __isShared(const void *pointer);
__device__ unsigned __isConstant(const void *pointer);
__device__ unsigned __isLocal(const void *pointer);
__device__ size_t __cvta_generic_to_shared(const void *pointer);
__device__ size_t __cvta_generic_to_global(const void *pointer);
__device__ void *__cvta_shared_to_generic(size_t address);
__device__ void *__cvta_global_to_generic(size_t address);
__device__ unsigned __nvvm_get_smem_pointer(void *pointer);
__device__ void cudaGridDependencySynchronize();
__device__ void cudaTriggerProgrammaticLaunchCompletion();

__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);

__device__ int __all_sync(unsigned mask, int predicate);
__device__ int __any_sync(unsigned mask, int predicate);
__device__ int __uni_sync(unsigned mask, int predicate);
__device__ unsigned __ballot_sync(unsigned mask, int predicate);
__device__ unsigned __activemask();
__device__ int __all(int predicate);
__device__ int __any(int predicate);
__device__ unsigned __ballot(int predicate);
template <class T> __device__ T __shfl_sync(unsigned mask, T value, int lane, int width = 32);
template <class T> __device__ T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <class T> __device__ T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <class T> __device__ T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32);
template <class T> __device__ T __shfl(T value, int lane, int width = 32);
template <class T> __device__ T __shfl_up(T value, unsigned delta, int width = 32);
template <class T> __device__ T __shfl_down(T value, unsigned delta, int width = 32);
template <class T> __device__ T __shfl_xor(T value, int lane_mask, int width = 32);
template <class T> __device__ unsigned __match_any_sync(unsigned mask, T value);
template <class T> __device__ unsigned __match_all_sync(unsigned mask, T value, int *predicate);
template <class T> __device__ T __reduce_add_sync(unsigned mask, T value);
template <class T> __device__ T __reduce_min_sync(unsigned mask, T value);
template <class T> __device__ T __reduce_max_sync(unsigned mask, T value);
__device__ unsigned __reduce_and_sync(unsigned mask, unsigned value);
__device__ unsigned __reduce_or_sync(unsigned mask, unsigned value);
__device__ unsigned __reduce_xor_sync(unsigned mask, unsigned value);

#define CUDALINT_LOAD(name) template <class T> __device__ T name(const T *pointer);
#define CUDALINT_STORE(name) template <class T> __device__ void name(T *pointer, T value);
CUDALINT_LOAD(__ldg) CUDALINT_LOAD(__ldca) CUDALINT_LOAD(__ldcg) CUDALINT_LOAD(__ldcs) CUDALINT_LOAD(__ldlu) CUDALINT_LOAD(__ldcv)
CUDALINT_STORE(__stwb) CUDALINT_STORE(__stcg) CUDALINT_STORE(__stcs) CUDALINT_STORE(__stwt)
#undef CUDALINT_LOAD
#undef CUDALINT_STORE

__device__ void __pipeline_memcpy_async(void *shared, const void *global, size_t bytes, size_t zfill = 0);
__device__ void __pipeline_commit();
__device__ void __pipeline_wait_prior(size_t pending);

#pragma clang force_cuda_host_device begin
int __mul24(int a, int b);
unsigned __umul24(unsigned a, unsigned b);
int mul24(int a, int b);
unsigned umul24(unsigned a, unsigned b);
int __mulhi(int a, int b);
unsigned __umulhi(unsigned a, unsigned b);
long long __mul64hi(long long a, long long b);
unsigned long long __umul64hi(unsigned long long a, unsigned long long b);
int mulhi(int a, int b);
unsigned mulhi(unsigned a, unsigned b);
long long mul64hi(long long a, long long b);
unsigned long long umul64hi(unsigned long long a, unsigned long long b);
int __sad(int a, int b, unsigned c);
unsigned __usad(unsigned a, unsigned b, unsigned c);
int __hadd(int a, int b);
int __rhadd(int a, int b);
unsigned __uhadd(unsigned a, unsigned b);
unsigned __urhadd(unsigned a, unsigned b);
int __clz(int x);
int __clzll(long long x);
int __popc(unsigned x);
int __popcll(unsigned long long x);
int __ffs(int x);
int __ffsll(long long x);
int __ffsll(unsigned long long x);
int __ffs(unsigned x);
unsigned __fns(unsigned mask, unsigned base, int offset);
unsigned __brev(unsigned x);
unsigned long long __brevll(unsigned long long x);
unsigned __byte_perm(unsigned a, unsigned b, unsigned selector);
unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift);
unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift);
unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift);
unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift);
int __dp4a(int a, int b, int c);
unsigned __dp4a(unsigned a, unsigned b, unsigned c);
int __dp4a(char4 a, char4 b, int c);
unsigned __dp4a(uchar4 a, uchar4 b, unsigned c);
int __dp2a_lo(int a, int b, int c);
int __dp2a_hi(int a, int b, int c);
#define CUDALINT_SIMD2(name) unsigned name(unsigned a, unsigned b);
CUDALINT_SIMD2(__vadd2) CUDALINT_SIMD2(__vadd4) CUDALINT_SIMD2(__vsub2) CUDALINT_SIMD2(__vsub4) CUDALINT_SIMD2(__vaddss2)
CUDALINT_SIMD2(__vaddss4) CUDALINT_SIMD2(__vaddus2) CUDALINT_SIMD2(__vaddus4) CUDALINT_SIMD2(__vsubss2) CUDALINT_SIMD2(__vsubss4)
CUDALINT_SIMD2(__vsubus2) CUDALINT_SIMD2(__vsubus4) CUDALINT_SIMD2(__vavgu2) CUDALINT_SIMD2(__vavgu4) CUDALINT_SIMD2(__vavgs2)
CUDALINT_SIMD2(__vavgs4) CUDALINT_SIMD2(__vcmpeq2) CUDALINT_SIMD2(__vcmpeq4) CUDALINT_SIMD2(__vcmpne2) CUDALINT_SIMD2(__vcmpne4)
CUDALINT_SIMD2(__vcmpges4) CUDALINT_SIMD2(__vcmpgeu4) CUDALINT_SIMD2(__vcmpgts4) CUDALINT_SIMD2(__vcmpgtu4) CUDALINT_SIMD2(__vcmples4)
CUDALINT_SIMD2(__vcmpleu4) CUDALINT_SIMD2(__vcmplts4) CUDALINT_SIMD2(__vcmpltu4) CUDALINT_SIMD2(__vmaxs2) CUDALINT_SIMD2(__vmaxs4)
CUDALINT_SIMD2(__vmaxu2) CUDALINT_SIMD2(__vmaxu4) CUDALINT_SIMD2(__vmins2) CUDALINT_SIMD2(__vmins4) CUDALINT_SIMD2(__vminu2)
CUDALINT_SIMD2(__vminu4) CUDALINT_SIMD2(__vseteq4) CUDALINT_SIMD2(__vsetne4) CUDALINT_SIMD2(__vabsdiffu4) CUDALINT_SIMD2(__vabsdiffs4)
CUDALINT_SIMD2(__vsadu4) CUDALINT_SIMD2(__vsads4) CUDALINT_SIMD2(__vsadu2) CUDALINT_SIMD2(__vsads2) CUDALINT_SIMD2(__vhaddu2)
CUDALINT_SIMD2(__vhaddu4) CUDALINT_SIMD2(__vabsdiffu2) CUDALINT_SIMD2(__vabsdiffs2) CUDALINT_SIMD2(__vcmpges2) CUDALINT_SIMD2(__vcmpgeu2)
CUDALINT_SIMD2(__vcmpgts2) CUDALINT_SIMD2(__vcmpgtu2) CUDALINT_SIMD2(__vcmples2) CUDALINT_SIMD2(__vcmpleu2) CUDALINT_SIMD2(__vcmplts2)
CUDALINT_SIMD2(__vcmpltu2) CUDALINT_SIMD2(__vseteq2) CUDALINT_SIMD2(__vsetne2) CUDALINT_SIMD2(__vsetges2) CUDALINT_SIMD2(__vsetgeu2)
CUDALINT_SIMD2(__vsetgts2) CUDALINT_SIMD2(__vsetgtu2) CUDALINT_SIMD2(__vsetles2) CUDALINT_SIMD2(__vsetleu2) CUDALINT_SIMD2(__vsetlts2)
CUDALINT_SIMD2(__vsetltu2) CUDALINT_SIMD2(__vsetges4) CUDALINT_SIMD2(__vsetgeu4) CUDALINT_SIMD2(__vsetgts4) CUDALINT_SIMD2(__vsetgtu4)
CUDALINT_SIMD2(__vsetles4) CUDALINT_SIMD2(__vsetleu4) CUDALINT_SIMD2(__vsetlts4) CUDALINT_SIMD2(__vsetltu4)
CUDALINT_SIMD2(__vimax_s16x2_relu) CUDALINT_SIMD2(__vimin_s16x2_relu)
#undef CUDALINT_SIMD2
unsigned __vabs2(unsigned a);
unsigned __vabs4(unsigned a);
unsigned __vneg2(unsigned a);
unsigned __vneg4(unsigned a);
unsigned __vabsss2(unsigned a);
unsigned __vabsss4(unsigned a);
unsigned __vnegss2(unsigned a);
unsigned __vnegss4(unsigned a);
int __vimax_s32_relu(int a, int b);
int __vimin_s32_relu(int a, int b);
int __vimax3_s32(int a, int b, int c);
int __vimin3_s32(int a, int b, int c);
#define CUDALINT_DPX3(name)                                                                                      \
  unsigned name##_u32(unsigned a, unsigned b, unsigned c); unsigned name##_u16x2(unsigned a, unsigned b, unsigned c); \
  unsigned name##_s16x2(unsigned a, unsigned b, unsigned c); unsigned name##_s16x2_relu(unsigned a, unsigned b, unsigned c); \
  int name##_s32_relu(int a, int b, int c);
CUDALINT_DPX3(__vimax3) CUDALINT_DPX3(__vimin3) CUDALINT_DPX3(__viaddmax) CUDALINT_DPX3(__viaddmin)
#undef CUDALINT_DPX3
int __viaddmax_s32(int a, int b, int c);
int __viaddmin_s32(int a, int b, int c);
#define CUDALINT_DPX(name)                                                                                       \
  int name##_s32(int a, int b, bool *pred); unsigned name##_u32(unsigned a, unsigned b, bool *pred);            \
  unsigned name##_s16x2(unsigned a, unsigned b, bool *high, bool *low);                                         \
  unsigned name##_u16x2(unsigned a, unsigned b, bool *high, bool *low);
CUDALINT_DPX(__vibmax) CUDALINT_DPX(__vibmin)
#undef CUDALINT_DPX
float __fmaf_ieee_rn(float x, float y, float z);
float __fmaf_ieee_rz(float x, float y, float z);
float __fmaf_ieee_ru(float x, float y, float z);
float __fmaf_ieee_rd(float x, float y, float z);
#define CUDALINT_PAIRS(mode)                                                                                     \
  float2 __fadd2_##mode(float2 a, float2 b); float2 __fmul2_##mode(float2 a, float2 b);                         \
  float2 __ffma2_##mode(float2 a, float2 b, float2 c);
CUDALINT_PAIRS(rn) CUDALINT_PAIRS(rz) CUDALINT_PAIRS(ru) CUDALINT_PAIRS(rd)
#undef CUDALINT_PAIRS

float __int_as_float(int x);
int __float_as_int(float x);
float __uint_as_float(unsigned x);
unsigned __float_as_uint(float x);
double __longlong_as_double(long long x);
long long __double_as_longlong(double x);
double __hiloint2double(int hi, int lo);
int __double2hiint(double x);
int __double2loint(double x);
#define CUDALINT_ROUND(R, from, A, to, B) B __##from##2##to##_r##R(A x);
#define CUDALINT_ROUNDS(from, A, to, B)                                                                          \
  CUDALINT_ROUND(n, from, A, to, B) CUDALINT_ROUND(z, from, A, to, B) CUDALINT_ROUND(u, from, A, to, B) CUDALINT_ROUND(d, from, A, to, B)
CUDALINT_ROUNDS(float, float, int, int) CUDALINT_ROUNDS(float, float, uint, unsigned)
CUDALINT_ROUNDS(float, float, ll, long long) CUDALINT_ROUNDS(float, float, ull, unsigned long long)
CUDALINT_ROUNDS(double, double, int, int) CUDALINT_ROUNDS(double, double, uint, unsigned)
CUDALINT_ROUNDS(double, double, ll, long long) CUDALINT_ROUNDS(double, double, ull, unsigned long long)
CUDALINT_ROUNDS(double, double, float, float)
CUDALINT_ROUNDS(int, int, float, float) CUDALINT_ROUNDS(uint, unsigned, float, float)
CUDALINT_ROUNDS(ll, long long, float, float) CUDALINT_ROUNDS(ull, unsigned long long, float, float)
CUDALINT_ROUNDS(ll, long long, double, double) CUDALINT_ROUNDS(ull, unsigned long long, double, double)
#undef CUDALINT_ROUND
#undef CUDALINT_ROUNDS
double __int2double_rn(int x);
double __uint2double_rn(unsigned x);
#pragma clang force_cuda_host_device end
