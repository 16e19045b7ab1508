// Built-in vector types, dim3, and the built-in variables of a thread.
#pragma once
#pragma clang force_cuda_host_device begin

#define CUDALINT_VECTOR(T, name, align1, align2, align4)                                                        \
  struct name##1 { T x; };                                                                                      \
  struct __align__(align2) name##2 { T x, y; };                                                                 \
  struct name##3 { T x, y, z; };                                                                                \
  struct __align__(align4) name##4 { T x, y, z, w; };                                                           \
  inline name##1 make_##name##1(T x) { return {x}; }                                                            \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                                    \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                            \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

CUDALINT_VECTOR(signed char, char, 1, 2, 4)
CUDALINT_VECTOR(unsigned char, uchar, 1, 2, 4)
CUDALINT_VECTOR(short, short, 2, 4, 8)
CUDALINT_VECTOR(unsigned short, ushort, 2, 4, 8)
CUDALINT_VECTOR(int, int, 4, 8, 16)
CUDALINT_VECTOR(unsigned int, uint, 4, 8, 16)
CUDALINT_VECTOR(long, long, 8, 16, 16)
CUDALINT_VECTOR(unsigned long, ulong, 8, 16, 16)
CUDALINT_VECTOR(long long, longlong, 8, 16, 16)
CUDALINT_VECTOR(unsigned long long, ulonglong, 8, 16, 16)
CUDALINT_VECTOR(float, float, 4, 8, 16)
CUDALINT_VECTOR(double, double, 8, 16, 16)
#undef CUDALINT_VECTOR

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
#pragma clang force_cuda_host_device end

extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;
