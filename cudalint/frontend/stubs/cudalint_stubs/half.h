// Narrow floating-point types: half, bfloat16 and fp8, with conversions, operators and intrinsics.
#pragma once
struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;
struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };
struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };
#pragma clang force_cuda_host_device begin

#define CUDALINT_NARROW(name, raw)                                                                               \
  struct __align__(2) name {                                                                                    \
    unsigned short __x;                                                                                         \
    name() = default;                                                                                           \
    name(float value);                                                                                          \
    name(double value);                                                                                         \
    name(int value);                                                                                            \
    name(unsigned value);                                                                                       \
    name(long value);                                                                                           \
    name(unsigned long value);                                                                                  \
    name(long long value);                                                                                      \
    name(unsigned long long value);                                                                             \
    name(short value);                                                                                          \
    name(unsigned short value);                                                                                 \
    constexpr name(const raw &value) : __x(value.x) {}                                                          \
    name &operator=(const raw &value);                                                                          \
    operator float() const;                                                                                     \
    operator raw() const;                                                                                       \
  };                                                                                                            \
  name operator+(name a, name b);                                                                               \
  name operator-(name a, name b);                                                                               \
  name operator*(name a, name b);                                                                               \
  name operator/(name a, name b);                                                                               \
  name operator+(name a);                                                                                       \
  name operator-(name a);                                                                                       \
  name &operator+=(name &a, name b);                                                                            \
  name &operator-=(name &a, name b);                                                                            \
  name &operator*=(name &a, name b);                                                                            \
  name &operator/=(name &a, name b);                                                                            \
  name &operator++(name &a);                                                                                    \
  name &operator--(name &a);                                                                                    \
  bool operator<(name a, name b);                                                                               \
  bool operator<=(name a, name b);                                                                              \
  bool operator>(name a, name b);                                                                               \
  bool operator>=(name a, name b);                                                                              \
  bool operator==(name a, name b);                                                                              \
  bool operator!=(name a, name b);                                                                              \
  CUDALINT_MIXED(name, +) CUDALINT_MIXED(name, -) CUDALINT_MIXED(name, *) CUDALINT_MIXED(name, /)               \
  CUDALINT_MIXED_TEST(name, <) CUDALINT_MIXED_TEST(name, <=) CUDALINT_MIXED_TEST(name, >)                       \
  CUDALINT_MIXED_TEST(name, >=) CUDALINT_MIXED_TEST(name, ==) CUDALINT_MIXED_TEST(name, !=)
// Between a narrow type and a built-in one the arithmetic is that of float and the other type.
#define CUDALINT_MIXED(name, op)                                                                                 \
  template <class T> typename __cudalint_with_float<T>::type operator op(name a, T b) { return float(a) op b; } \
  template <class T> typename __cudalint_with_float<T>::type operator op(T a, name b) { return a op float(b); }
#define CUDALINT_MIXED_TEST(name, op)                                                                            \
  template <class T> typename __cudalint_if_arithmetic<T, bool>::type operator op(name a, T b) { return float(a) op b; } \
  template <class T> typename __cudalint_if_arithmetic<T, bool>::type operator op(T a, name b) { return a op float(b); }
CUDALINT_NARROW(__half, __half_raw)
CUDALINT_NARROW(__nv_bfloat16, __nv_bfloat16_raw)

#define CUDALINT_NARROW2(name, T, raw)                                                                           \
  struct __align__(4) name {                                                                                    \
    T x, y;                                                                                                     \
    name() = default;                                                                                           \
    name(T a, T b) : x(a), y(b) {}                                                                              \
    name(const raw &value);                                                                                     \
    operator raw() const;                                                                                       \
  };                                                                                                            \
  name operator+(name a, name b);                                                                               \
  name operator-(name a, name b);                                                                               \
  name operator*(name a, name b);                                                                               \
  name operator/(name a, name b);                                                                               \
  name operator-(name a);                                                                                       \
  name &operator+=(name &a, name b);                                                                            \
  name &operator-=(name &a, name b);                                                                            \
  name &operator*=(name &a, name b);                                                                            \
  name &operator/=(name &a, name b);                                                                            \
  bool operator==(name a, name b);                                                                              \
  bool operator!=(name a, name b);                                                                              \
  bool operator<(name a, name b);                                                                               \
  bool operator>(name a, name b);
CUDALINT_NARROW2(__half2, __half, __half2_raw)
CUDALINT_NARROW2(__nv_bfloat162, __nv_bfloat16, __nv_bfloat162_raw)
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;

#define CUDALINT_INTRINSICS(T, T2)                                                                               \
  T __hadd(T a, T b); T __hsub(T a, T b); T __hmul(T a, T b); T __hdiv(T a, T b); T __hneg(T a); T __habs(T a);  \
  T __hadd_rn(T a, T b); T __hsub_rn(T a, T b); T __hmul_rn(T a, T b);                                          \
  T __hadd_sat(T a, T b); T __hsub_sat(T a, T b); T __hmul_sat(T a, T b);                                       \
  T __hfma(T a, T b, T c); T __hfma_sat(T a, T b, T c); T __hfma_relu(T a, T b, T c);                           \
  T __hmax(T a, T b); T __hmin(T a, T b); T __hmax_nan(T a, T b); T __hmin_nan(T a, T b);                       \
  bool __heq(T a, T b); bool __hne(T a, T b); bool __hlt(T a, T b); bool __hle(T a, T b);                       \
  bool __hgt(T a, T b); bool __hge(T a, T b); bool __hequ(T a, T b); bool __hneu(T a, T b);                     \
  bool __hltu(T a, T b); bool __hgtu(T a, T b); bool __hleu(T a, T b); bool __hgeu(T a, T b);                   \
  bool __hisnan(T a); int __hisinf(T a); T htanh_approx(T a); T2 h2tanh_approx(T2 a); T2 __hsub2_sat(T2 a, T2 b); \
  T hexp(T a); T hexp2(T a); T hexp10(T a); T hlog(T a); T hlog2(T a); T hlog10(T a); T hsqrt(T a); T hrsqrt(T a); \
  T hrcp(T a); T hsin(T a); T hcos(T a); T htanh(T a); T hfloor(T a); T hceil(T a); T htrunc(T a); T hrint(T a); \
  T2 __hadd2(T2 a, T2 b); T2 __hsub2(T2 a, T2 b); T2 __hmul2(T2 a, T2 b); T2 __h2div(T2 a, T2 b);               \
  T2 __hadd2_rn(T2 a, T2 b); T2 __hsub2_rn(T2 a, T2 b); T2 __hmul2_rn(T2 a, T2 b);                              \
  T2 __hadd2_sat(T2 a, T2 b); T2 __hmul2_sat(T2 a, T2 b); T2 __hneg2(T2 a); T2 __habs2(T2 a);                   \
  T2 __hfma2(T2 a, T2 b, T2 c); T2 __hfma2_sat(T2 a, T2 b, T2 c); T2 __hfma2_relu(T2 a, T2 b, T2 c);            \
  T2 __hmax2(T2 a, T2 b); T2 __hmin2(T2 a, T2 b); T2 __hmax2_nan(T2 a, T2 b); T2 __hmin2_nan(T2 a, T2 b);       \
  T2 __heq2(T2 a, T2 b); T2 __hne2(T2 a, T2 b); T2 __hlt2(T2 a, T2 b); T2 __hle2(T2 a, T2 b);                   \
  T2 __hgt2(T2 a, T2 b); T2 __hge2(T2 a, T2 b); T2 __hisnan2(T2 a); bool __hbeq2(T2 a, T2 b);                   \
  bool __hbne2(T2 a, T2 b); bool __hblt2(T2 a, T2 b); bool __hbgt2(T2 a, T2 b); bool __hbge2(T2 a, T2 b); bool __hble2(T2 a, T2 b); \
  T2 __hequ2(T2 a, T2 b); T2 __hneu2(T2 a, T2 b); T2 __hltu2(T2 a, T2 b); T2 __hleu2(T2 a, T2 b);               \
  T2 __hgtu2(T2 a, T2 b); T2 __hgeu2(T2 a, T2 b); bool __hbequ2(T2 a, T2 b); bool __hbneu2(T2 a, T2 b);         \
  bool __hbltu2(T2 a, T2 b); bool __hbleu2(T2 a, T2 b); bool __hbgtu2(T2 a, T2 b); bool __hbgeu2(T2 a, T2 b);   \
  unsigned __heq2_mask(T2 a, T2 b); unsigned __hgt2_mask(T2 a, T2 b); unsigned __hlt2_mask(T2 a, T2 b);         \
  unsigned __hne2_mask(T2 a, T2 b); unsigned __hge2_mask(T2 a, T2 b); unsigned __hle2_mask(T2 a, T2 b);         \
  unsigned __hequ2_mask(T2 a, T2 b); unsigned __hgtu2_mask(T2 a, T2 b); unsigned __hltu2_mask(T2 a, T2 b);      \
  unsigned __hneu2_mask(T2 a, T2 b); unsigned __hgeu2_mask(T2 a, T2 b); unsigned __hleu2_mask(T2 a, T2 b);      \
  T2 h2exp(T2 a); T2 h2exp2(T2 a); T2 h2exp10(T2 a); T2 h2log(T2 a); T2 h2log2(T2 a); T2 h2log10(T2 a);         \
  T2 h2sqrt(T2 a); T2 h2rsqrt(T2 a); T2 h2rcp(T2 a); T2 h2sin(T2 a); T2 h2cos(T2 a); T2 h2tanh(T2 a);           \
  T2 h2floor(T2 a); T2 h2ceil(T2 a); T2 h2trunc(T2 a); T2 h2rint(T2 a);                                         \
  T max(T a, T b); T min(T a, T b); T abs(T a); bool isnan(T a); bool isinf(T a);
CUDALINT_INTRINSICS(__half, __half2)
CUDALINT_INTRINSICS(__nv_bfloat16, __nv_bfloat162)

float __half2float(__half a);
__half __float2half(float a);
__half __float2half_rn(float a);
__half __float2half_rz(float a);
__half __float2half_ru(float a);
__half __float2half_rd(float a);
__half __double2half(double a);
__half2 __float2half2_rn(float a);
__half2 __floats2half2_rn(float a, float b);
__half2 __float22half2_rn(float2 a);
float2 __half22float2(__half2 a);
float __low2float(__half2 a);
float __high2float(__half2 a);
__half __low2half(__half2 a);
__half __high2half(__half2 a);
__half2 __low2half2(__half2 a);
__half2 __high2half2(__half2 a);
__half2 __lows2half2(__half2 a, __half2 b);
__half2 __highs2half2(__half2 a, __half2 b);
__half2 __lowhigh2highlow(__half2 a);
__half2 __half2half2(__half a);
__half2 __halves2half2(__half a, __half b);
__half2 make_half2(__half a, __half b);
__half __ushort_as_half(unsigned short a);
__half __short_as_half(short a);
unsigned short __half_as_ushort(__half a);
short __half_as_short(__half a);
__half2 __hcmadd(__half2 a, __half2 b, __half2 c);
#define CUDALINT_INTEGER(name, I)                                                                                \
  __half __##name##2half_rn(I a); __half __##name##2half_rz(I a); I __half2##name##_rn(__half a);               \
  __half __##name##2half_ru(I a); __half __##name##2half_rd(I a);                                               \
  I __half2##name##_rz(__half a); I __half2##name##_ru(__half a); I __half2##name##_rd(__half a);               \
  __nv_bfloat16 __##name##2bfloat16_rn(I a); __nv_bfloat16 __##name##2bfloat16_rz(I a);                         \
  __nv_bfloat16 __##name##2bfloat16_ru(I a); __nv_bfloat16 __##name##2bfloat16_rd(I a);                         \
  I __bfloat162##name##_rn(__nv_bfloat16 a); I __bfloat162##name##_rz(__nv_bfloat16 a);                         \
  I __bfloat162##name##_ru(__nv_bfloat16 a); I __bfloat162##name##_rd(__nv_bfloat16 a);
CUDALINT_INTEGER(int, int) CUDALINT_INTEGER(uint, unsigned) CUDALINT_INTEGER(short, short) CUDALINT_INTEGER(ushort, unsigned short)
CUDALINT_INTEGER(ll, long long) CUDALINT_INTEGER(ull, unsigned long long)
signed char __half2char_rz(__half a);
unsigned char __half2uchar_rz(__half a);
signed char __bfloat162char_rz(__nv_bfloat16 a);
unsigned char __bfloat162uchar_rz(__nv_bfloat16 a);

float __bfloat162float(__nv_bfloat16 a);
__nv_bfloat16 __float2bfloat16(float a);
__nv_bfloat16 __float2bfloat16_rn(float a);
__nv_bfloat16 __float2bfloat16_rz(float a);
__nv_bfloat16 __float2bfloat16_ru(float a);
__nv_bfloat16 __float2bfloat16_rd(float a);
__nv_bfloat16 __double2bfloat16(double a);
__nv_bfloat162 __float2bfloat162_rn(float a);
__nv_bfloat162 __floats2bfloat162_rn(float a, float b);
__nv_bfloat162 __float22bfloat162_rn(float2 a);
float2 __bfloat1622float2(__nv_bfloat162 a);
float __low2float(__nv_bfloat162 a);
float __high2float(__nv_bfloat162 a);
__nv_bfloat16 __low2bfloat16(__nv_bfloat162 a);
__nv_bfloat16 __high2bfloat16(__nv_bfloat162 a);
__nv_bfloat162 __low2bfloat162(__nv_bfloat162 a);
__nv_bfloat162 __high2bfloat162(__nv_bfloat162 a);
__nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b);
__nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b);
__nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a);
__nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b);
__nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b);
__nv_bfloat16 __ushort_as_bfloat16(unsigned short a);
__nv_bfloat16 __short_as_bfloat16(short a);
unsigned short __bfloat16_as_ushort(__nv_bfloat16 a);
short __bfloat16_as_short(__nv_bfloat16 a);

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
#define CUDALINT_FP8(name)                                                                                       \
  struct name {                                                                                                 \
    __nv_fp8_storage_t __x;                                                                                     \
    name() = default;                                                                                           \
    explicit name(float value);                                                                                 \
    explicit name(double value);                                                                                \
    explicit name(int value);                                                                                   \
    explicit name(__half value);                                                                                \
    explicit name(__nv_bfloat16 value);                                                                         \
    explicit operator float() const;                                                                            \
    explicit operator double() const;                                                                           \
    explicit operator __half() const;                                                                           \
    explicit operator __nv_bfloat16() const;                                                                    \
  };
CUDALINT_FP8(__nv_fp8_e4m3)
CUDALINT_FP8(__nv_fp8_e5m2)
CUDALINT_FP8(__nv_fp8_e8m0)
#define CUDALINT_FP8N(name, S, V)                                                                                \
  struct name { S __x; name() = default; explicit name(V value); explicit operator V() const; };
CUDALINT_FP8N(__nv_fp8x2_e4m3, __nv_fp8x2_storage_t, float2)
CUDALINT_FP8N(__nv_fp8x2_e5m2, __nv_fp8x2_storage_t, float2)
CUDALINT_FP8N(__nv_fp8x4_e4m3, __nv_fp8x4_storage_t, float4)
CUDALINT_FP8N(__nv_fp8x4_e5m2, __nv_fp8x4_storage_t, float4)
CUDALINT_FP8N(__nv_fp8x2_e8m0, __nv_fp8x2_storage_t, float2)
CUDALINT_FP8N(__nv_fp8x4_e8m0, __nv_fp8x4_storage_t, float4)
__nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format);
__nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format);
__nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format);
__nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format);
__nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format);
__nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format);
__half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format);
__half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t format);
__nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format);
__nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format);
__nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate, cudaRoundMode rounding);
__nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate, cudaRoundMode rounding);
__nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t saturate, cudaRoundMode rounding);
__nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 x, __nv_saturation_t saturate, cudaRoundMode rounding);
__nv_fp8x2_storage_t __nv_cvt_double2_to_e8m0x2(double2 x, __nv_saturation_t saturate, cudaRoundMode rounding);
__nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw x, __nv_saturation_t saturate, cudaRoundMode rounding);
__nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x);
__nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x);

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;
enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };
CUDALINT_FP8(__nv_fp6_e2m3)
CUDALINT_FP8(__nv_fp6_e3m2)
CUDALINT_FP8N(__nv_fp6x2_e2m3, __nv_fp6x2_storage_t, float2)
CUDALINT_FP8N(__nv_fp6x2_e3m2, __nv_fp6x2_storage_t, float2)
CUDALINT_FP8N(__nv_fp6x4_e2m3, __nv_fp6x4_storage_t, float4)
CUDALINT_FP8N(__nv_fp6x4_e3m2, __nv_fp6x4_storage_t, float4)
__nv_fp6_storage_t __nv_cvt_float_to_fp6(float x, __nv_fp6_interpretation_t format, cudaRoundMode rounding);
__nv_fp6_storage_t __nv_cvt_double_to_fp6(double x, __nv_fp6_interpretation_t format, cudaRoundMode rounding);
__nv_fp6x2_storage_t __nv_cvt_float2_to_fp6x2(float2 x, __nv_fp6_interpretation_t format, cudaRoundMode rounding);
__nv_fp6x2_storage_t __nv_cvt_double2_to_fp6x2(double2 x, __nv_fp6_interpretation_t format, cudaRoundMode rounding);
__nv_fp6_storage_t __nv_cvt_halfraw_to_fp6(__half_raw x, __nv_fp6_interpretation_t format, cudaRoundMode rounding);
__nv_fp6x2_storage_t __nv_cvt_halfraw2_to_fp6x2(__half2_raw x, __nv_fp6_interpretation_t format, cudaRoundMode rounding);
__nv_fp6_storage_t __nv_cvt_bfloat16raw_to_fp6(__nv_bfloat16_raw x, __nv_fp6_interpretation_t format, cudaRoundMode rounding);
__nv_fp6x2_storage_t __nv_cvt_bfloat16raw2_to_fp6x2(__nv_bfloat162_raw x, __nv_fp6_interpretation_t format, cudaRoundMode rounding);
__half_raw __nv_cvt_fp6_to_halfraw(__nv_fp6_storage_t x, __nv_fp6_interpretation_t format);
__half2_raw __nv_cvt_fp6x2_to_halfraw2(__nv_fp6x2_storage_t x, __nv_fp6_interpretation_t format);

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };
CUDALINT_FP8(__nv_fp4_e2m1)
CUDALINT_FP8N(__nv_fp4x2_e2m1, __nv_fp4x2_storage_t, float2)
CUDALINT_FP8N(__nv_fp4x4_e2m1, __nv_fp4x4_storage_t, float4)
__nv_fp4_storage_t __nv_cvt_float_to_fp4(float x, __nv_fp4_interpretation_t format, cudaRoundMode rounding);
__nv_fp4_storage_t __nv_cvt_double_to_fp4(double x, __nv_fp4_interpretation_t format, cudaRoundMode rounding);
__nv_fp4x2_storage_t __nv_cvt_double2_to_fp4x2(double2 x, __nv_fp4_interpretation_t format, cudaRoundMode rounding);
__nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(float2 x, __nv_fp4_interpretation_t format, cudaRoundMode rounding);
__nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(__half_raw x, __nv_fp4_interpretation_t format, cudaRoundMode rounding);
__nv_fp4x2_storage_t __nv_cvt_halfraw2_to_fp4x2(__half2_raw x, __nv_fp4_interpretation_t format, cudaRoundMode rounding);
__nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16_raw x, __nv_fp4_interpretation_t format, cudaRoundMode rounding);
__nv_fp4x2_storage_t __nv_cvt_bfloat16raw2_to_fp4x2(__nv_bfloat162_raw x, __nv_fp4_interpretation_t format, cudaRoundMode rounding);
__half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t x, __nv_fp4_interpretation_t format);
__half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t x, __nv_fp4_interpretation_t format);
#pragma clang force_cuda_host_device end

#undef CUDALINT_FP8
#undef CUDALINT_FP8N
#undef CUDALINT_NARROW
#undef CUDALINT_NARROW2
#undef CUDALINT_MIXED
#undef CUDALINT_MIXED_TEST
#undef CUDALINT_INTRINSICS
#undef CUDALINT_INTEGER
