"""What NVRTC does not declare: numbers of the standard headers, a few of its templates, PyTorch's names for device code.

A slice begins with those that it uses and does not define itself.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Za-z_]\w*")

STANDARD_NAMES = {
    **{f"{u}int{b}_t": f"typedef {s} {n} {u}int{b}_t;" for u, s in (("", "signed"), ("u", "unsigned"))
       for b, n in ((8, "char"), (16, "short"), (32, "int"), (64, "long long"))},
    "uintptr_t": "typedef unsigned long long uintptr_t;", "intptr_t": "typedef long long intptr_t;",
    "ssize_t": "typedef long ssize_t;", "uint": "typedef unsigned int uint;",
    "INT_MAX": "#define INT_MAX 2147483647", "INT_MIN": "#define INT_MIN (-2147483647 - 1)",
    "UINT_MAX": "#define UINT_MAX 4294967295u", "FLT_MAX": "#define FLT_MAX 3.402823466e+38f",
    "FLT_MIN": "#define FLT_MIN 1.175494351e-38f", "FLT_EPSILON": "#define FLT_EPSILON 1.192092896e-07f",
    "DBL_MAX": "#define DBL_MAX 1.7976931348623158e+308", "M_PI": "#define M_PI 3.14159265358979323846",
    "INFINITY": "#define INFINITY __int_as_float(0x7f800000)", "NAN": "#define NAN __int_as_float(0x7fffffff)",
    "CUDART_INF_F": "#define CUDART_INF_F __int_as_float(0x7f800000)",
    "CUDART_NAN_F": "#define CUDART_NAN_F __int_as_float(0x7fffffff)",
    "CUDART_PI_F": "#define CUDART_PI_F 3.141592654f", "CUDART_PI": "#define CUDART_PI 3.1415926535897931e+0",
    "CUDART_INF": "#define CUDART_INF __longlong_as_double(0x7ff0000000000000ULL)",
    "CUDART_NAN": "#define CUDART_NAN __longlong_as_double(0xfff8000000000000ULL)",
    "cufftReal": "typedef float cufftReal;", "cufftComplex": "typedef float2 cufftComplex;",
    "cufftDoubleReal": "typedef double cufftDoubleReal;", "cufftDoubleComplex": "typedef double2 cufftDoubleComplex;",
    "CUDA_VERSION": "#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)",
    "CUDART_VERSION": "#define CUDART_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)",
    "CLOCKS_PER_SEC": "#define CLOCKS_PER_SEC 1000000",
    "__linux__": "#define __linux__ 1", "__builtin_prefetch": "#define __builtin_prefetch(...) (void)0",
    "C10_WARP_SIZE": "#define C10_WARP_SIZE 32",
    "cudaGridDependencySynchronize":
        "#define cudaGridDependencySynchronize() asm volatile(\"griddepcontrol.wait;\" ::: \"memory\")",
    "cudaTriggerProgrammaticLaunchCompletion":
        "#define cudaTriggerProgrammaticLaunchCompletion() asm volatile(\"griddepcontrol.launch_dependents;\" :::)",
    "__extension__": "#define __extension__",
    "assert": "#define assert(condition) ((condition) ? (void)0 : __trap())",
    **{f"__{scope}{word}": f"#define __{scope}{word}(...) (void)0"
       for scope in ("", "global_") for word in ("requires", "ensures", "invariant", "assert")},
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

TORCH_ATOMICS = {  # of its Atomic.cuh
    name: f"template <class A> __device__ {type_} {name}(A* at, A value) {{ {back}atomicAdd(at, value); }}"
    for name, type_, back in (("gpuAtomicAdd", "A", "return "), ("gpuAtomicAddNoReturn", "void", ""))
}

TORCH_NUMBERS = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
namespace c10 { using Half = __half; using BFloat16 = __nv_bfloat16; }
namespace at { using c10::Half; using c10::BFloat16; }
"""
_TORCH_NUMBER = re.compile(r"\b(?:at|c10)::(?:Half|BFloat16)\b")

STANDARD_LIBRARY = """namespace std {
using size_t = decltype(sizeof(0));
using ptrdiff_t = decltype((char*)0 - (char*)0);
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
using uintptr_t = unsigned long long;
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
template <class A> struct is_integral : false_type {};
#define INTEGRAL(A) template <> struct is_integral<A> : true_type {};
INTEGRAL(bool) INTEGRAL(char) INTEGRAL(signed char) INTEGRAL(unsigned char) INTEGRAL(short) INTEGRAL(unsigned short)
INTEGRAL(int) INTEGRAL(unsigned) INTEGRAL(long) INTEGRAL(unsigned long) INTEGRAL(long long) INTEGRAL(unsigned long long)
#undef INTEGRAL
template <class A> constexpr bool is_integral_v = is_integral<A>::value;
template <class A> struct is_arithmetic : integral_constant<bool, is_integral_v<A> || is_floating_point<A>::value> {};
template <class A> constexpr bool is_arithmetic_v = is_arithmetic<A>::value;
template <class A, bool = is_arithmetic_v<A>> struct is_signed : integral_constant<bool, A(-1) < A(0)> {};
template <class A> struct is_signed<A, false> : false_type {};
template <class A> constexpr bool is_signed_v = is_signed<A>::value;
template <class A, bool = is_arithmetic_v<A>> struct is_unsigned : integral_constant<bool, A(0) < A(-1)> {};
template <class A> struct is_unsigned<A, false> : false_type {};
template <class A> constexpr bool is_unsigned_v = is_unsigned<A>::value;
template <class A> struct is_pointer : false_type {};
template <class A> struct is_pointer<A*> : true_type {};
template <class A> constexpr bool is_pointer_v = is_pointer<A>::value;
template <class A> using decay_t = remove_cv_t<remove_reference_t<A>>;
template <class A> struct decay { using type = decay_t<A>; };
template <class...> using void_t = void;
template <class A> __device__ constexpr const A& min(const A& a, const A& b) { return b < a ? b : a; }
template <class A> __device__ constexpr const A& max(const A& a, const A& b) { return a < b ? b : a; }
template <class A> constexpr bool is_floating_point_v = is_floating_point<A>::value;
template <decltype(sizeof(0)) N, decltype(sizeof(0)) A> struct aligned_storage {
  struct type { alignas(A) unsigned char data[N]; };
};
}
"""
_EXTREMES = "".join(
    re.findall(r".*const A& (?:min|max)\(.*\n", STANDARD_LIBRARY)
)  # CCCL has them elsewhere in each version
_OWN_NAMES = frozenset(re.findall(r"\b(?:struct|using|bool|const A&) (\w+)", STANDARD_LIBRARY))
_STANDARD_NAME = re.compile(r"\bstd::(\w+)")
_TRAIT = re.compile(
    r"(?:is|has|add|remove|make)_\w+|common_type\w*|underlying_type\w*|invoke_result\w*|conjunction\w*|disjunction\w*"
    r"|negation\w*|bool_constant|alignment_of\w*|rank\w*|extent\w*"
)
_CCCL_HEADERS = {
    "numeric_limits": "limits", "array": "array", "tuple": "tuple", "get": "tuple", "optional": "optional",
    "move": "utility", "forward": "utility", "swap": "utility", "exchange": "utility", "pair": "utility",
    "declval": "utility", "index_sequence": "utility", "make_index_sequence": "utility", "integer_sequence": "utility",
    "abs": "cmath", "isnan": "cmath", "isinf": "cmath",
    "sqrt": "cmath", "exp": "cmath", "log": "cmath", "pow": "cmath", "tanh": "cmath", "ceil": "cmath", "floor": "cmath",
    **dict.fromkeys(("log1p", "expm1", "log2", "exp2", "sin", "cos", "erf", "fmax", "fmin", "fma", "round", "trunc"), "cmath"),
}  # fmt: skip


def prelude_of(text: str) -> str:
    """The declarations that `text` lacks."""
    used = set(_WORD.findall(text))
    narrow = (f"#include <{name}>\n" for name, words in NARROW_NUMBERS.items() if used & words and name not in text)
    library = _standard_library(set(_STANDARD_NAME.findall(text)))
    torch = TORCH_NUMBERS if _TORCH_NUMBER.search(text) else ""
    known = sorted((STANDARD_NAMES | WARP_FUNCTIONS | TORCH_ATOMICS).items())
    lines = (f"{line}\n" for name, line in known if name in used and not _defines(text, name))
    return "".join((*narrow, torch, library, *lines))


def _standard_library(names: set[str]) -> str:
    """Our few templates where they are enough (they cost nothing to compile), else those of CCCL, which lie in cuda::std."""
    headers = {_CCCL_HEADERS[name] for name in names & set(_CCCL_HEADERS)}
    if any(_TRAIT.fullmatch(name) for name in names - _OWN_NAMES):
        headers.add("type_traits")
    if not headers:
        return STANDARD_LIBRARY if names & _OWN_NAMES else ""
    lines = [f"#include <cuda/std/{header}>\n" for header in sorted({*headers, "cstddef", "cstdint", "type_traits"})]
    extremes = _EXTREMES if names & {"min", "max"} else ""
    return "".join((*lines, f"namespace std {{ using namespace cuda::std;\n{extremes}}}\n"))


def _defines(text: str, name: str) -> bool:
    definition = (
        rf"#\s*define\s+{name}\b|\btypedef\b[^;]*\b{name}\s*;|\busing\s+{name}\b|__device__[^;{{]*\b{name}\s*\("
    )
    return re.search(definition, text) is not None
