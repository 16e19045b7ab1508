// Mathematical functions, overloaded for float and double, with their single-precision and intrinsic spellings.
#pragma once
#pragma clang force_cuda_host_device begin
#define CUDALINT_MATH1(name)                                                                                     \
  float name(float x);                                                                                          \
  double name(double x);                                                                                        \
  float name##f(float x);                                                                                       \
  template <class T> typename __cudalint_if_integer<T, double>::type name(T x);
CUDALINT_MATH1(sqrt) CUDALINT_MATH1(rsqrt) CUDALINT_MATH1(cbrt) CUDALINT_MATH1(rcbrt) CUDALINT_MATH1(exp)
CUDALINT_MATH1(exp2) CUDALINT_MATH1(exp10) CUDALINT_MATH1(expm1) CUDALINT_MATH1(log) CUDALINT_MATH1(log2)
CUDALINT_MATH1(log10) CUDALINT_MATH1(log1p) CUDALINT_MATH1(logb) CUDALINT_MATH1(sin) CUDALINT_MATH1(cos)
CUDALINT_MATH1(tan) CUDALINT_MATH1(asin) CUDALINT_MATH1(acos) CUDALINT_MATH1(atan) CUDALINT_MATH1(sinh)
CUDALINT_MATH1(cosh) CUDALINT_MATH1(tanh) CUDALINT_MATH1(asinh) CUDALINT_MATH1(acosh) CUDALINT_MATH1(atanh)
CUDALINT_MATH1(sinpi) CUDALINT_MATH1(cospi) CUDALINT_MATH1(erf) CUDALINT_MATH1(erfc) CUDALINT_MATH1(erfinv)
CUDALINT_MATH1(erfcinv) CUDALINT_MATH1(erfcx) CUDALINT_MATH1(normcdf) CUDALINT_MATH1(normcdfinv) CUDALINT_MATH1(tgamma)
CUDALINT_MATH1(lgamma) CUDALINT_MATH1(j0) CUDALINT_MATH1(j1) CUDALINT_MATH1(floor) CUDALINT_MATH1(ceil)
CUDALINT_MATH1(trunc) CUDALINT_MATH1(round) CUDALINT_MATH1(rint) CUDALINT_MATH1(nearbyint) CUDALINT_MATH1(fabs)
CUDALINT_MATH1(cyl_bessel_i0) CUDALINT_MATH1(cyl_bessel_i1)
#undef CUDALINT_MATH1
#define CUDALINT_MATH2(name)                                                                                     \
  float name(float x, float y);                                                                                 \
  double name(double x, double y);                                                                              \
  float name##f(float x, float y);                                                                              \
  template <class T, class U> typename __cudalint_promote<T, U>::type name(T x, U y);
CUDALINT_MATH2(pow) CUDALINT_MATH2(atan2) CUDALINT_MATH2(fmod) CUDALINT_MATH2(remainder) CUDALINT_MATH2(hypot)
CUDALINT_MATH2(rhypot) CUDALINT_MATH2(fmin) CUDALINT_MATH2(fmax) CUDALINT_MATH2(fdim) CUDALINT_MATH2(copysign)
CUDALINT_MATH2(nextafter)
#undef CUDALINT_MATH2
float powif(float x, int n);
double powi(double x, int n);
float fma(float x, float y, float z);
double fma(double x, double y, double z);
float fmaf(float x, float y, float z);
template <class T, class U, class V> typename __cudalint_promote<T, U, V>::type fma(T x, U y, V z);
float norm3df(float a, float b, float c);
float norm4df(float a, float b, float c, float d);
float rnorm3df(float a, float b, float c);
float rnorm4df(float a, float b, float c, float d);
double norm3d(double a, double b, double c);
double rnorm3d(double a, double b, double c);
double norm4d(double a, double b, double c, double d);
double rnorm4d(double a, double b, double c, double d);
double norm(int dim, const double *p);
float normf(int dim, const float *p);
double rnorm(int dim, const double *p);
float rnormf(int dim, const float *p);
double jn(int n, double x);
float jnf(int n, float x);
double y0(double x);
float y0f(float x);
double y1(double x);
float y1f(float x);
double yn(int n, double x);
float ynf(int n, float x);
float fdividef(float x, float y);
void sincos(double x, double *s, double *c);
void sincos(float x, float *s, float *c);
void sincosf(float x, float *s, float *c);
void sincospi(double x, double *s, double *c);
void sincospif(float x, float *s, float *c);
float frexp(float x, int *exponent);
double frexp(double x, int *exponent);
float frexpf(float x, int *exponent);
float ldexp(float x, int exponent);
double ldexp(double x, int exponent);
float ldexpf(float x, int exponent);
float scalbn(float x, int exponent);
double scalbn(double x, int exponent);
float scalbnf(float x, int exponent);
double scalbln(double x, long exponent);
float scalblnf(float x, long exponent);
double remquo(double x, double y, int *quotient);
float remquo(float x, float y, int *quotient);
float modf(float x, float *integral);
double modf(double x, double *integral);
float modff(float x, float *integral);
float remquof(float x, float y, int *quotient);
int ilogb(double x);
int ilogbf(float x);
long lround(float x);
long lround(double x);
long lroundf(float x);
long lrint(float x);
long lrint(double x);
long lrintf(float x);
long long llround(float x);
long long llround(double x);
long long llroundf(float x);
long long llrint(double x);
long long llrintf(float x);
double nan(const char *tag);
float nanf(const char *tag);
float abs(float x);
double abs(double x);
bool isnan(float x);
bool isnan(double x);
int __isnanf(float x); int __isnan(double x); int __isinff(float x); int __isinf(double x);
int __finitef(float x); int __finite(double x); int __signbitf(float x); int __signbit(double x); int __signbitd(double x);
bool isinf(float x);
bool isinf(double x);
bool isfinite(float x);
bool isfinite(double x);
bool signbit(float x);
bool signbit(double x);
template <class T> typename __cudalint_if_integer<T, bool>::type isnan(T x);
template <class T> typename __cudalint_if_integer<T, bool>::type isinf(T x);
int finite(double x);
int finitef(float x);
float saturate(float x);

#define CUDALINT_MINMAX(T) T min(T a, T b); T max(T a, T b);
CUDALINT_MINMAX(int) CUDALINT_MINMAX(unsigned) CUDALINT_MINMAX(long) CUDALINT_MINMAX(unsigned long)
CUDALINT_MINMAX(long long) CUDALINT_MINMAX(unsigned long long) CUDALINT_MINMAX(float) CUDALINT_MINMAX(double)
#undef CUDALINT_MINMAX
template <class T, class U> typename __cudalint_mixed<T, U>::type min(T a, U b);
template <class T, class U> typename __cudalint_mixed<T, U>::type max(T a, U b);
unsigned umin(unsigned a, unsigned b);
unsigned umax(unsigned a, unsigned b);
long long llmin(long long a, long long b);
long long llmax(long long a, long long b);
unsigned long long ullmin(unsigned long long a, unsigned long long b);
unsigned long long ullmax(unsigned long long a, unsigned long long b);

float __expf(float x);
float __exp10f(float x);
float __exp2f(float x);
float __logf(float x);
float __log2f(float x);
float __log10f(float x);
float __sinf(float x);
float __cosf(float x);
float __tanf(float x);
float __tanhf(float x);
float __powf(float x, float y);
float __fdividef(float x, float y);
float __frsqrt_rn(float x);
float __saturatef(float x);
void __sincosf(float x, float *s, float *c);
float __fabsf(float x);
#define CUDALINT_ROUNDED(R)                                                                                      \
  float __fadd_r##R(float a, float b);                                                                          \
  float __fsub_r##R(float a, float b);                                                                          \
  float __fmul_r##R(float a, float b);                                                                          \
  float __fdiv_r##R(float a, float b);                                                                          \
  float __fmaf_r##R(float a, float b, float c);                                                                 \
  float __frcp_r##R(float a);                                                                                   \
  float __fsqrt_r##R(float a);                                                                                  \
  double __dadd_r##R(double a, double b);                                                                       \
  double __dsub_r##R(double a, double b);                                                                       \
  double __dmul_r##R(double a, double b);                                                                       \
  double __ddiv_r##R(double a, double b);                                                                       \
  double __fma_r##R(double a, double b, double c);                                                              \
  double __drcp_r##R(double a);                                                                                 \
  double __dsqrt_r##R(double a);
CUDALINT_ROUNDED(n) CUDALINT_ROUNDED(z) CUDALINT_ROUNDED(u) CUDALINT_ROUNDED(d)
#undef CUDALINT_ROUNDED
#pragma clang force_cuda_host_device end

namespace std {
#define CUDALINT_USING(name) using ::name; using ::name##f;
CUDALINT_USING(sqrt) CUDALINT_USING(cbrt) CUDALINT_USING(exp) CUDALINT_USING(exp2) CUDALINT_USING(expm1)
CUDALINT_USING(log) CUDALINT_USING(log2) CUDALINT_USING(log10) CUDALINT_USING(log1p) CUDALINT_USING(logb)
CUDALINT_USING(sin) CUDALINT_USING(cos) CUDALINT_USING(tan) CUDALINT_USING(asin) CUDALINT_USING(acos)
CUDALINT_USING(atan) CUDALINT_USING(sinh) CUDALINT_USING(cosh) CUDALINT_USING(tanh) CUDALINT_USING(asinh)
CUDALINT_USING(acosh) CUDALINT_USING(atanh) CUDALINT_USING(erf) CUDALINT_USING(erfc) CUDALINT_USING(tgamma)
CUDALINT_USING(lgamma) CUDALINT_USING(floor) CUDALINT_USING(ceil) CUDALINT_USING(trunc) CUDALINT_USING(round)
CUDALINT_USING(rint) CUDALINT_USING(nearbyint) CUDALINT_USING(fabs) CUDALINT_USING(pow) CUDALINT_USING(atan2)
CUDALINT_USING(fmod) CUDALINT_USING(remainder) CUDALINT_USING(hypot) CUDALINT_USING(fmin) CUDALINT_USING(fmax)
CUDALINT_USING(fdim) CUDALINT_USING(copysign) CUDALINT_USING(nextafter) CUDALINT_USING(fma) CUDALINT_USING(frexp)
CUDALINT_USING(ldexp) CUDALINT_USING(modf) CUDALINT_USING(lround) CUDALINT_USING(llround) CUDALINT_USING(lrint)
#undef CUDALINT_USING
using ::abs; using ::scalbn; using ::isnan; using ::isinf; using ::isfinite; using ::signbit; using ::ilogb;
}  // namespace std
