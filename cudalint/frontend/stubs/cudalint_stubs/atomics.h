// Atomic functions, in all scopes.
#pragma once
#define CUDALINT_ATOMIC(name, T)                                                                                 \
  __device__ T name(T *address, T value);                                                                       \
  __device__ T name##_block(T *address, T value);                                                               \
  __device__ T name##_system(T *address, T value);
#define CUDALINT_ATOMIC_INTEGER(name)                                                                            \
  CUDALINT_ATOMIC(name, int) CUDALINT_ATOMIC(name, unsigned) CUDALINT_ATOMIC(name, unsigned long long)
#define CUDALINT_ATOMIC_SIGNED(name) CUDALINT_ATOMIC_INTEGER(name) CUDALINT_ATOMIC(name, long long)
#define CUDALINT_CAS(T)                                                                                          \
  __device__ T atomicCAS(T *address, T compare, T value);                                                       \
  __device__ T atomicCAS_block(T *address, T compare, T value);                                                 \
  __device__ T atomicCAS_system(T *address, T compare, T value);
CUDALINT_ATOMIC_INTEGER(atomicAdd)
CUDALINT_ATOMIC(atomicAdd, float)
CUDALINT_ATOMIC(atomicAdd, float2)
CUDALINT_ATOMIC(atomicAdd, float4)
CUDALINT_ATOMIC(atomicAdd, double)
CUDALINT_ATOMIC(atomicAdd, __half)
CUDALINT_ATOMIC(atomicAdd, __half2)
CUDALINT_ATOMIC(atomicAdd, __nv_bfloat16)
CUDALINT_ATOMIC(atomicAdd, __nv_bfloat162)
CUDALINT_ATOMIC(atomicSub, int) CUDALINT_ATOMIC(atomicSub, unsigned)
CUDALINT_ATOMIC_INTEGER(atomicExch) CUDALINT_ATOMIC(atomicExch, float)
CUDALINT_ATOMIC_SIGNED(atomicMin) CUDALINT_ATOMIC_SIGNED(atomicMax)
CUDALINT_ATOMIC_SIGNED(atomicAnd) CUDALINT_ATOMIC_SIGNED(atomicOr) CUDALINT_ATOMIC_SIGNED(atomicXor)
CUDALINT_ATOMIC(atomicInc, unsigned) CUDALINT_ATOMIC(atomicDec, unsigned)
CUDALINT_CAS(int) CUDALINT_CAS(unsigned) CUDALINT_CAS(unsigned long long) CUDALINT_CAS(unsigned short)
#undef CUDALINT_ATOMIC
#undef CUDALINT_ATOMIC_INTEGER
#undef CUDALINT_ATOMIC_SIGNED
#undef CUDALINT_CAS
