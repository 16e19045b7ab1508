// Declarations that every translation unit starts with: what nvcc and its headers provide, as far as analysis needs it.
// Written for cudalint from public documentation. Functions without a body are recognised by name.
//
//   __cudalint_assert(bool)      a device or host `assert`; true from there on
//   __cudalint_check(bool, ...)  a host check that throws or exits (TORCH_CHECK and the like); true from there on
//   __cudalint_assume(bool)      __builtin_assume and __assume
//
// cub, thrust, curand, torch and others are in their own headers, because most files do not need them.
#pragma once
#pragma clang system_header
extern "C++" {  // a walk over the declarations of a file meets one here, not thousands
#include "cudalint_stubs/language.h"
#include "cudalint_stubs/vector_types.h"
#include "cudalint_stubs/libc.h"
#include "cudalint_stubs/std.h"
#include "cudalint_stubs/runtime.h"
#include "cudalint_stubs/math.h"
#include "cudalint_stubs/device.h"
#include "cudalint_stubs/half.h"
#include "cudalint_stubs/atomics.h"
#include "cudalint_stubs/cooperative_groups.h"
}

// Errors of this compiler that nvcc does not report, or only as warnings.
#pragma clang diagnostic ignored "-Wc++11-narrowing"
#pragma clang diagnostic ignored "-Wreserved-user-defined-literal"
#pragma clang diagnostic ignored "-Wregister"
#pragma clang diagnostic ignored "-Wnon-pod-varargs"
#pragma clang diagnostic ignored "-Wstatic-float-init"
#pragma clang diagnostic ignored "-Winvalid-token-paste"
#pragma clang diagnostic ignored "-Wdynamic-exception-spec"
#pragma clang diagnostic ignored "-Waddress-of-temporary"
#pragma clang diagnostic ignored "-Wenum-constexpr-conversion"

// nvcc takes `__shared__ alignas(16) T x[N]`, the standard wants `alignas` first: as this attribute it may stand in both places.
template <class T> constexpr unsigned long __cudalint_alignment() { return alignof(T); }
template <auto N> constexpr unsigned long __cudalint_alignment() { return N; }
#define alignas(...) __attribute__((aligned(__cudalint_alignment<__VA_ARGS__>())))
