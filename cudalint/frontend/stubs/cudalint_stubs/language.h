// The CUDA language: function and variable attributes, built-in variables.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device, annotate("managed")))
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__), annotate("launch_bounds", __VA_ARGS__)))
#define __maxnreg__(n)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline_hint__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __CUDA_ALIGN__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __nv_pure__
#define __cudart_builtin__
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#define CUDART_VERSION 12080
#define CUDA_VERSION 12080
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB
#define CUDART_INF __builtin_inf()
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN __builtin_nan("")
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_MAX_NORMAL_F 3.402823466e38f
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_L2E_F 1.442695041f
#define CUDART_LN2_F 0.693147181f
#define CUDART_ZERO_F 0.0f
#define CUDART_NEG_ZERO_F -0.0f
#define CUDART_ZERO 0.0
#define CUDART_NEG_ZERO -0.0
#define CUDART_ONE 1.0
#define CUDART_MIN_DENORM 4.9406564584124654e-324
#define CUDART_SQRT_TWO 1.4142135623730951e+0
#define CUDART_L2E 1.4426950408889634e+0
#define CUDART_LN2 6.9314718055994529e-1
#define CUDART_ONE_F 1.0f
#define CUDART_MIN_DENORM_F 1.401298464e-45f
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif
#define __CUDA_ARCH_LIST__ __CUDA_ARCH__

// Explicit specialisations of functions for the host and the device that do not repeat it; as long as what they replace.
#define __hd_templ_ template <> __host__ __device__
#define __hd_templ template <> __host__ __device__
#define __cx_templ_ template <> constexpr
#define __cx_templ template <> constexpr
// Shared objects with a constructor, which is not run.
#define __sharedx_ __attribute__((annotate("cudalint_shared")))
#define __shared_n __attribute__((annotate("cudalint_dynamic"))) __attribute__((shared))
#define __cdecl
#define __stdcall

#pragma clang force_cuda_host_device begin
void __cudalint_assert(bool condition);
template <class... T> void __cudalint_check(bool condition, const T &...message);
void __cudalint_host_check(bool condition);  // by a macro that nothing defines
constexpr bool __cudalint_holds(bool condition) { return condition; }
template <class T> constexpr bool __cudalint_holds(const T &value) { return true; }  // a status, of which nobody knows the good one
struct __cudalint_said { template <class T> const __cudalint_said &operator<<(const T &message) const; };
void __cudalint_assume(bool condition);
#define __builtin_assume(e) __cudalint_assume(static_cast<bool>(e))
#define __assume(e) __cudalint_assume(static_cast<bool>(e))
void __cudalint_unreachable();
[[noreturn]] void __assert_fail(const char *condition, const char *file, unsigned line, const char *function);
// Of the two that clang declares itself, for the host and for the device, one is left of a precompiled header in C++20.
template <class... None, char (*)[sizeof...(None) ? -1 : 1] = nullptr> void *operator new(unsigned long, None...);
template <class... None, char (*)[sizeof...(None) ? -1 : 1] = nullptr> void *operator new[](unsigned long, None...);
void *operator new(unsigned long, void *) noexcept;
void *operator new[](unsigned long, void *) noexcept;
#pragma clang force_cuda_host_device end
