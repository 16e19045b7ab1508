"""What CUDA's built-in functions are in the IR, as data. Names are those of functions without a body in the stubs."""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor
from cudalint.frontend.lowering.types import NARROW
from cudalint.ir.nodes import BinaryOp, Order, Scope
from cudalint.ir.types import BF16, F16, F32, F64, INT32, INT64, UINT32, UINT64, Type

_NAMES = (
    "sqrt rsqrt cbrt rcbrt exp exp2 exp10 expm1 log log2 log10 log1p logb sin cos tan asin acos atan sinh cosh tanh "
    "asinh acosh atanh sinpi cospi erf erfc erfinv erfcinv erfcx normcdf normcdfinv tgamma lgamma j0 j1 floor ceil "
    "trunc round rint nearbyint fabs isnan isinf isfinite signbit pow atan2 fmod remainder hypot rhypot fmin fmax "
    "fdim copysign nextafter fma ldexp scalbn abs min max lround lrint llround llrint ilogb powi cyl_bessel_i0 "
    "cyl_bessel_i1"
)
_ONE = tuple(_NAMES.split())

MATH: dict[str, str] = {name: name for name in _ONE}
MATH |= {f"{name}f": name for name in _ONE}
MATH |= {f"std::{name}": name for name in _ONE}
MATH |= {f"::{name}": name for name in _ONE}
MATH |= {f"cuda::std::{name}": name for name in ("min", "max", "abs", "sqrt", "exp", "log", "isnan", "isinf")}
MATH |= {f"__{name}{suffix}": name for name in ("isnan", "isinf", "signbit") for suffix in ("", "f", "d")}
MATH |= {"__finite": "isfinite", "__finitef": "isfinite"}
MATH |= {
    "umin": "min", "umax": "max", "llmin": "min", "llmax": "max", "ullmin": "min", "ullmax": "max", "labs": "abs",
    "llabs": "abs", "fabs": "fabs", "fabsf": "fabs", "powif": "powi", "fdividef": "fast_div", "__fdividef": "fast_div",
    "__expf": "fast_exp", "__exp10f": "fast_exp10", "__logf": "fast_log", "__log2f": "fast_log2",
    "__log10f": "fast_log10", "__powf": "fast_pow", "__sinf": "fast_sin", "__cosf": "fast_cos", "__tanf": "fast_tan",
    "__tanhf": "fast_tanh", "__saturatef": "saturate", "__frcp_rn": "rcp", "__fsqrt_rn": "sqrt", "__frsqrt_rn": "rsqrt",
    "__dsqrt_rn": "sqrt", "__drcp_rn": "rcp", "__fmaf_rn": "fma", "__fma_rn": "fma", "__fmaf_ieee_rn": "fma",
    "__popc": "popc", "__popcll": "popc", "__clz": "clz", "__clzll": "clz", "__ffs": "ffs", "__ffsll": "ffs",
    "__brev": "brev", "__brevll": "brev", "__mulhi": "mulhi", "__umulhi": "mulhi", "__mul64hi": "mulhi",
    "__umul64hi": "mulhi", "mulhi": "mulhi", "umulhi": "mulhi", "mul64hi": "mulhi", "umul64hi": "mulhi",
    "__mul24": "mul24", "__umul24": "mul24", "mul24": "mul24", "umul24": "mul24", "__hfma": "fma", "__hfma_rn": "fma",
    "__hfma2": "fma", "__habs": "abs", "__habs2": "abs", "__hmax": "max", "__hmin": "min", "__hmax2": "max",
    "__hmin2": "min", "__hisnan": "isnan", "__hisinf": "isinf", "hexp": "exp", "hexp2": "exp2", "hlog": "log",
    "hlog2": "log2", "hsqrt": "sqrt", "hrsqrt": "rsqrt", "hrcp": "rcp", "hsin": "sin", "hcos": "cos", "htanh": "tanh",
    "hfloor": "floor", "hceil": "ceil", "htrunc": "trunc", "hrint": "rint", "h2exp": "exp", "h2exp2": "exp2",
    "h2log": "log", "h2sqrt": "sqrt", "h2rsqrt": "rsqrt", "h2rcp": "rcp", "norm3df": "norm3d", "norm4df": "norm4d",
    "norm3d": "norm3d", "rnorm3df": "rnorm3d", "__sad": "sad", "__usad": "sad", "__byte_perm": "byte_perm",
    "__funnelshift_l": "funnelshift_l", "__funnelshift_r": "funnelshift_r", "__dp4a": "dp4a", "__rhadd": "rhadd",
    "__uhadd": "hadd", "__urhadd": "rhadd",
}  # fmt: skip

INTEGER_ARGUMENTS = ("ldexp", "scalbn", "powi")

BINARY: dict[str, BinaryOp] = {
    "__fadd_rn": BinaryOp.ADD, "__fsub_rn": BinaryOp.SUBTRACT, "__fmul_rn": BinaryOp.MULTIPLY,
    "__fdiv_rn": BinaryOp.DIVIDE, "__dadd_rn": BinaryOp.ADD, "__dsub_rn": BinaryOp.SUBTRACT,
    "__dmul_rn": BinaryOp.MULTIPLY, "__ddiv_rn": BinaryOp.DIVIDE, "__hsub": BinaryOp.SUBTRACT,
    "__hmul": BinaryOp.MULTIPLY, "__hdiv": BinaryOp.DIVIDE, "__hadd_rn": BinaryOp.ADD, "__hsub_rn": BinaryOp.SUBTRACT,
    "__hmul_rn": BinaryOp.MULTIPLY, "__hadd2": BinaryOp.ADD, "__hsub2": BinaryOp.SUBTRACT, "__hmul2": BinaryOp.MULTIPLY,
    "__h2div": BinaryOp.DIVIDE, "__hadd2_rn": BinaryOp.ADD, "__hsub2_rn": BinaryOp.SUBTRACT,
    "__hmul2_rn": BinaryOp.MULTIPLY, "__heq": BinaryOp.EQUAL, "__hne": BinaryOp.NOT_EQUAL, "__hlt": BinaryOp.LESS,
    "__hle": BinaryOp.LESS_EQUAL, "__hgt": BinaryOp.GREATER, "__hge": BinaryOp.GREATER_EQUAL,
}  # fmt: skip
OPERATORS: dict[str, BinaryOp] = {
    f"operator{op}": BinaryOp(op) for op in ("+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=")
}

CONVERSIONS: dict[str, Type] = {
    "__half2float": F32, "__float2half": F16, "__float2half_rn": F16, "__double2half": F16, "__bfloat162float": F32,
    "__float2bfloat16": BF16, "__float2bfloat16_rn": BF16, "__double2bfloat16": BF16, "__int2half_rn": F16,
    "__uint2half_rn": F16, "__half2int_rz": INT32, "__half2uint_rz": UINT32, "__int2float_rn": F32,
    "__uint2float_rn": F32, "__float2int_rz": INT32, "__float2uint_rz": UINT32, "__double2float_rn": F32,
    "__int2double_rn": F64, "__uint2double_rn": F64, "__ll2float_rn": F32, "__ull2float_rn": F32,
    "__ll2double_rn": F64, "__ull2double_rn": F64, "__double2int_rz": INT32, "__double2uint_rz": UINT32,
    "__float2ll_rz": INT64, "__float2ull_rz": UINT64, "__double2ll_rz": INT64, "__double2ull_rz": UINT64,
    "__int2bfloat16_rn": BF16, "__ushort2half_rn": F16, "__short2half_rn": F16,
}  # fmt: skip
ROUNDED_CONVERSIONS: dict[str, str] = {
    "__float2int_rn": "rint", "__float2uint_rn": "rint", "__float2ll_rn": "rint", "__double2int_rn": "rint",
    "__double2ll_rn": "rint", "__float2int_rd": "floor", "__float2uint_rd": "floor", "__float2int_ru": "ceil",
    "__float2uint_ru": "ceil", "__double2int_rd": "floor", "__double2int_ru": "ceil", "__half2int_rn": "rint",
}  # fmt: skip
BITCASTS = (
    "__int_as_float", "__float_as_int", "__uint_as_float", "__float_as_uint", "__longlong_as_double",
    "__double_as_longlong", "__ushort_as_half", "__short_as_half", "__half_as_ushort", "__half_as_short",
    "__ushort_as_bfloat16", "__bfloat16_as_ushort", "__short_as_bfloat16", "__bfloat16_as_short",
)  # fmt: skip

# Each string names lanes of the arguments: `0` an argument, `0x` a lane of one.
PACKED: dict[str, tuple[str, ...]] = {
    "__float2half2_rn": ("0", "0"), "__floats2half2_rn": ("0", "1"), "__float22half2_rn": ("0x", "0y"),
    "__half22float2": ("0x", "0y"), "__low2half2": ("0x", "0x"), "__high2half2": ("0y", "0y"),
    "__lows2half2": ("0x", "1x"), "__highs2half2": ("0y", "1y"), "__lowhigh2highlow": ("0y", "0x"),
    "__half2half2": ("0", "0"), "__halves2half2": ("0", "1"), "make_half2": ("0", "1"),
    "__float2bfloat162_rn": ("0", "0"), "__floats2bfloat162_rn": ("0", "1"), "__float22bfloat162_rn": ("0x", "0y"),
    "__bfloat1622float2": ("0x", "0y"), "__bfloat162bfloat162": ("0", "0"), "__halves2bfloat162": ("0", "1"),
    "make_bfloat162": ("0", "1"), "__low2bfloat162": ("0x", "0x"), "__high2bfloat162": ("0y", "0y"),
}  # fmt: skip
LANES: dict[str, str] = {
    "__low2float": "x", "__high2float": "y", "__low2half": "x", "__high2half": "y", "__low2bfloat16": "x",
    "__high2bfloat16": "y",
}  # fmt: skip

ATOMICS: dict[str, str] = {
    "atomicAdd": "add", "atomicSub": "sub", "atomicMin": "min", "atomicMax": "max", "atomicInc": "inc",
    "atomicDec": "dec", "atomicAnd": "and", "atomicOr": "or", "atomicXor": "xor", "atomicExch": "exch",
    "atomicCAS": "cas", "gpuAtomicAdd": "add", "gpuAtomicAddNoReturn": "add", "gpuAtomicMax": "max",
    "gpuAtomicMin": "min", "gpuAtomicMul": "mul",
}  # fmt: skip
ATOMIC_SCOPES = {"_block": Scope.BLOCK, "_system": Scope.SYSTEM}

LOADS: dict[str, Order] = {
    "__ldg": Order.READ_ONLY, "__ldca": Order.PLAIN, "__ldcg": Order.PLAIN, "__ldcs": Order.PLAIN,
    "__ldlu": Order.PLAIN, "__ldcv": Order.VOLATILE,
}  # fmt: skip
STORES = ("__stwb", "__stcg", "__stcs", "__stwt")

WARPS: dict[str, str] = {
    "__shfl": "shfl", "__shfl_up": "shfl_up", "__shfl_down": "shfl_down", "__shfl_xor": "shfl_xor",
    "__ballot": "ballot", "__any": "any", "__all": "all", "__match_any": "match_any",
    "__reduce_add": "reduce_add", "__reduce_min": "reduce_min", "__reduce_max": "reduce_max",
    "__reduce_and": "reduce_and", "__reduce_or": "reduce_or", "__reduce_xor": "reduce_xor",
}  # fmt: skip

FENCES: dict[str, Scope] = {
    "__threadfence": Scope.DEVICE, "__threadfence_block": Scope.BLOCK, "__threadfence_system": Scope.SYSTEM,
}  # fmt: skip
REDUCING_BARRIERS = {"__syncthreads_count": "count", "__syncthreads_and": "and", "__syncthreads_or": "or"}

# Arguments are evaluated; nothing that the IR shows happens.
IGNORED = (
    "printf", "fprintf", "__brkpt", "__prof_trigger", "__nanosleep", "cudaGridDependencySynchronize",
    "cudaTriggerProgrammaticLaunchCompletion", "__builtin_prefetch", "vprintf", "puts", "putchar", "fflush", "fputs",
)  # fmt: skip
EXITS = (
    "__trap", "abort", "exit", "_exit", "__cudalint_unreachable", "std::terminate", "std::abort", "std::exit",
    "__builtin_unreachable", "__builtin_trap", "__assert_fail",
)  # fmt: skip
CHECK_OF_HOST = "__cudalint_host_check"  # of a macro that is guessed: in device code it may be empty, or end the thread
CHECKS = {
    "__cudalint_assert": "assert", "__cudalint_check": "host_check", CHECK_OF_HOST: "host_check",
    "__cudalint_assume": "assume",
}  # fmt: skip

# Pure, but no value is modelled.
OPAQUE = (
    "clock", "clock64", "globaltimer", "__isGlobal", "__isShared", "__isConstant", "__isLocal",
    "nan", "nanf", "__double2hiint", "__double2loint", "__hiloint2double", "__activemask", "__fns",
)  # fmt: skip


def binds_no_reference(target: Cursor) -> bool:
    """Functions that take references in some library but are values here."""
    owner = target.semantic_parent
    if owner is not None and owner.spelling in NARROW:
        return True
    return target.spelling in _BY_VALUE or (target.spelling.startswith("operator") and _all_narrow(target))


_BY_VALUE = ("min", "max", "move", "forward", "swap", "__cudalint_check", "clamp")


def _all_narrow(target: Cursor) -> bool:
    types = [t.get_pointee() if t.kind.name.endswith("REFERENCE") else t for t in clang.parameter_types(target.type)]
    return bool(types) and types[0].get_canonical().get_declaration().spelling in NARROW
