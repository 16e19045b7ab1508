"""What NVRTC does not declare: numbers of the standard headers, a few of its templates, PyTorch's names for device code.

A slice begins with those that it uses and does not define itself.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Za-z_]\w*")

STANDARD_NAMES = {
    **{f"{u}int{b}_t": f"typedef {s} {n} {u}int{b}_t;" for u, s in (("", "signed"), ("u", "unsigned"))
       for b, n in ((8, "char"), (16, "short"), (32, "int"), (64, "long long"))},
    "uintptr_t": "typedef unsigned long uintptr_t;", "intptr_t": "typedef long intptr_t;",
    "ssize_t": "typedef long ssize_t;", "uint": "typedef unsigned int uint;",
    "INT_MAX": "#define INT_MAX 2147483647", "INT_MIN": "#define INT_MIN (-2147483647 - 1)",
    "UINT_MAX": "#define UINT_MAX 4294967295u", "FLT_MAX": "#define FLT_MAX 3.402823466e+38f",
    "FLT_MIN": "#define FLT_MIN 1.175494351e-38f", "FLT_EPSILON": "#define FLT_EPSILON 1.192092896e-07f",
    "DBL_MAX": "#define DBL_MAX 1.7976931348623158e+308", "M_PI": "#define M_PI 3.14159265358979323846",
    "INFINITY": "#define INFINITY __int_as_float(0x7f800000)", "NAN": "#define NAN __int_as_float(0x7fffffff)",
    "CUDART_INF_F": "#define CUDART_INF_F __int_as_float(0x7f800000)",
    "cudaGridDependencySynchronize":
        "#define cudaGridDependencySynchronize() asm volatile(\"griddepcontrol.wait;\" ::: \"memory\")",
    "cudaTriggerProgrammaticLaunchCompletion":
        "#define cudaTriggerProgrammaticLaunchCompletion() asm volatile(\"griddepcontrol.launch_dependents;\" :::)",
    "__extension__": "#define __extension__",
    "assert": "#define assert(condition) ((condition) ? (void)0 : __trap())",
}  # fmt: skip

NARROW_NUMBERS = {  # host headers such as cuBLAS's declare them as well
    "cuda_fp16.h": {"__half", "half", "__half2", "half2", "__half2float", "__float2half"},
    "cuda_bf16.h": {"__nv_bfloat16", "nv_bfloat16", "__nv_bfloat162", "nv_bfloat162"},
}

WARP_FUNCTIONS = {  # of PyTorch's DeviceUtils.cuh
    f"WARP_SHFL{kind}":
        f"template <class A> __device__ A WARP_SHFL{kind}(A value, {type_} lane, int width = 32, unsigned mask = 0xffffffff) "
        f"{{ return __shfl{kind.lower()}_sync(mask, value, lane, width); }}"
    for kind, type_ in (("", "int"), ("_XOR", "int"), ("_UP", "unsigned"), ("_DOWN", "unsigned"))
}  # fmt: skip

TORCH_NUMBERS = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
namespace c10 { using Half = __half; using BFloat16 = __nv_bfloat16; }
namespace at { using c10::Half; using c10::BFloat16; }
"""
_TORCH_NUMBER = re.compile(r"\b(?:at|c10)::(?:Half|BFloat16)\b")

STANDARD_LIBRARY = """namespace std {
template <class A, class B> struct is_same { static constexpr bool value = false; };
template <class A> struct is_same<A, A> { static constexpr bool value = true; };
template <class A, class B> constexpr bool is_same_v = is_same<A, B>::value;
template <bool, class A, class B> struct conditional { using type = A; };
template <class A, class B> struct conditional<false, A, B> { using type = B; };
template <bool C, class A, class B> using conditional_t = typename conditional<C, A, B>::type;
template <bool, class A = void> struct enable_if {};
template <class A> struct enable_if<true, A> { using type = A; };
template <bool C, class A = void> using enable_if_t = typename enable_if<C, A>::type;
template <class A> struct remove_reference { using type = A; };
template <class A> struct remove_reference<A&> { using type = A; };
template <class A> struct remove_reference<A&&> { using type = A; };
template <class A> using remove_reference_t = typename remove_reference<A>::type;
template <class A> struct remove_cv { using type = A; };
template <class A> struct remove_cv<const A> { using type = A; };
template <class A> struct remove_cv<volatile A> { using type = A; };
template <class A> using remove_cv_t = typename remove_cv<A>::type;
template <class A, A V> struct integral_constant { static constexpr A value = V; };
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;
template <class A> struct is_floating_point : integral_constant<bool, is_same_v<A, float> || is_same_v<A, double>> {};
template <class A> constexpr bool is_floating_point_v = is_floating_point<A>::value;
template <decltype(sizeof(0)) N, decltype(sizeof(0)) A> struct aligned_storage {
  struct type { alignas(A) unsigned char data[N]; };
};
}
"""
_STANDARD_TYPE = re.compile(
    r"\bstd::(?:is_same|conditional|enable_if|remove_reference|remove_cv|integral_constant|true_type|false_type"
    r"|is_floating_point|aligned_storage)"
)


def prelude_of(text: str) -> str:
    """The declarations that `text` lacks."""
    used = set(_WORD.findall(text))
    narrow = (f"#include <{name}>\n" for name, words in NARROW_NUMBERS.items() if used & words and name not in text)
    library = STANDARD_LIBRARY if _STANDARD_TYPE.search(text) else ""
    torch = TORCH_NUMBERS if _TORCH_NUMBER.search(text) else ""
    known = sorted((STANDARD_NAMES | WARP_FUNCTIONS).items())
    lines = (f"{line}\n" for name, line in known if name in used and not _defines(text, name))
    return "".join((*narrow, torch, library, *lines))


def _defines(text: str, name: str) -> bool:
    definition = (
        rf"#\s*define\s+{name}\b|\btypedef\b[^;]*\b{name}\s*;|\busing\s+{name}\b|__device__[^;{{]*\b{name}\s*\("
    )
    return re.search(definition, text) is not None
