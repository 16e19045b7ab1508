// Complex numbers of the CUDA runtime.
#pragma once
#pragma clang force_cuda_host_device begin
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
inline cuFloatComplex make_cuFloatComplex(float re, float im) { return {re, im}; }
inline cuFloatComplex make_cuComplex(float re, float im) { return {re, im}; }
inline cuDoubleComplex make_cuDoubleComplex(double re, double im) { return {re, im}; }
inline float cuCrealf(cuFloatComplex a) { return a.x; }
inline float cuCimagf(cuFloatComplex a) { return a.y; }
inline double cuCreal(cuDoubleComplex a) { return a.x; }
inline double cuCimag(cuDoubleComplex a) { return a.y; }
inline cuFloatComplex cuConjf(cuFloatComplex a) { return {a.x, -a.y}; }
inline cuDoubleComplex cuConj(cuDoubleComplex a) { return {a.x, -a.y}; }
inline cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) { return {a.x + b.x, a.y + b.y}; }
inline cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) { return {a.x + b.x, a.y + b.y}; }
inline cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) { return {a.x - b.x, a.y - b.y}; }
inline cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) { return {a.x - b.x, a.y - b.y}; }
inline cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
inline cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b);
cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b);
float cuCabsf(cuFloatComplex a);
double cuCabs(cuDoubleComplex a);
#pragma clang force_cuda_host_device end
