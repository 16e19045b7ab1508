"""The emulator's arithmetic is the GPU's, bit for bit: integers, floats without contraction, conversions, intrinsics."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from model.expressions import C_NAMES, VARIABLES, random_expression, random_values

from cudalint.confirm.emulate.expressions import evaluate
from cudalint.confirm.emulate.formats import decode, dtype_of, encode, storage_of
from cudalint.ir import nodes as ir
from cudalint.ir import types as t
from cudalint.ir.nodes import BinaryOp as Op

pytestmark = pytest.mark.gpu
BATCH, BATCHES, ROWS = 500, 20, 64
COUNT = 1 << 16


@pytest.fixture(scope="module")
def cupy() -> Any:
    module = pytest.importorskip("cupy", reason="needs CuPy")
    try:
        module.cuda.runtime.getDeviceCount()
    except module.cuda.runtime.CUDARuntimeError as problem:
        pytest.skip(f"needs an NVIDIA GPU: {problem}")
    return module


def compiled(cupy: Any, source: str, name: str, *extra: str) -> Any:
    """The kernel as NVRTC compiles it; RawModule would append `-ftz=true`, which flushes subnormal floats."""
    folders = (f"-I{path}" for path in include_folders(cupy))
    options = ("--fmad=false", "--ftz=false", "--std=c++17", *folders, *extra)
    binary, _ = cupy.cuda.compiler.compile_using_nvrtc(source, options, filename="kernel.cu")
    module = cupy.cuda.function.Module()
    module.load(binary)
    return module.get_function(name)


def include_folders(cupy: Any) -> list[str]:
    """Where cuda_fp16.h lies: beside the NVRTC package, or in the toolkit."""
    import importlib.util
    import os
    from pathlib import Path

    found = importlib.util.find_spec("nvidia")
    roots = [Path(p) for p in (found.submodule_search_locations or [])] if found else []
    roots += [Path(os.environ.get("CUDA_PATH", "/usr/local/cuda"))]
    return sorted(str(header.parent) for root in roots for header in root.glob("**/include/cuda_fp16.h"))[:1]


def test_ten_thousand_integer_expressions(cupy: Any) -> None:
    """Without the optimiser of ptxas: that of CUDA 13.0 loses a conversion to unsigned short in one of these."""
    source = random.Random(20)
    params = ", ".join(f"{C_NAMES[type_]} {name}" for name, type_ in VARIABLES.items())
    pointers = ", ".join(f"const {C_NAMES[type_]} *{name}_" for name, type_ in VARIABLES.items())
    arguments = ", ".join(f"{name}_[r]" for name in VARIABLES)
    for _ in range(BATCHES):
        samples = [random_expression(source, 4, wraps=False) for _ in range(BATCH)]
        values = random_values(source, ROWS)
        lines = [
            f"__device__ __noinline__ {C_NAMES[s.expr.type]} f{i}({params}) {{ return {s.text}; }}"  # type: ignore[index]
            for i, s in enumerate(samples)
        ]
        lines.append(f'extern "C" __global__ void k({pointers}, unsigned long long *out) {{ int r = threadIdx.x;')
        lines += [f"out[{i * ROWS} + r] = f{i}({arguments});" for i in range(BATCH)]
        out = cupy.zeros((BATCH, ROWS), np.uint64)
        device = [cupy.asarray(values[name]) for name in VARIABLES]
        compiled(cupy, "\n".join([*lines, "}"]), "k", "--ptxas-options=-O0")((1,), (ROWS,), (*device, out))
        expected = cupy.asnumpy(out)
        for i, sample in enumerate(samples):
            got = np.broadcast_to(evaluate(sample.expr, values), (ROWS,)).astype(np.int64).view(np.uint64)
            assert np.array_equal(got, expected[i]), sample.text


# --- floats ----------------------------------------------------------------------------------------------------------

HEADERS = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
C_TYPES = {
    t.F16: "__half", t.BF16: "__nv_bfloat16", t.F32: "float", t.F64: "double", t.INT8: "signed char",
    t.INT32: "int", t.UINT32: "unsigned int", t.INT64: "long long", t.UINT64: "unsigned long long",
}  # fmt: skip


def random_bits(type_: t.Type, seed: int) -> np.ndarray:
    """Values in memory form: random bits, with small and special ones among them."""
    storage = storage_of(type_)
    raw = np.random.default_rng(seed).integers(0, 256, COUNT * storage.itemsize, np.uint8).view(storage)
    near = np.random.default_rng(seed + 1).normal(0, 4, COUNT // 2)
    kind = dtype_of(type_)
    raw[: COUNT // 2] = encode(near.astype(kind), type_) if isinstance(type_, t.Float) else near.astype(kind)
    return raw


def agree(cupy: Any, expr: ir.Expr, text: str, sources: dict[str, t.Type]) -> None:
    """`expr` in the emulator and `text` on the GPU give the same bits (any NaN for NaN)."""
    raw = {name: random_bits(type_, 10 + i) for i, (name, type_) in enumerate(sources.items())}
    params = ", ".join(f"const {C_TYPES[type_]} *{name}_" for name, type_ in sources.items())
    reads = " ".join(f"{C_TYPES[type_]} {name} = {name}_[i];" for name, type_ in sources.items())
    head = f'{HEADERS}extern "C" __global__ void k({params}, {C_TYPES[expr.type]} *out)'
    code = f"{head} {{ int i = blockIdx.x * 256 + threadIdx.x; {reads} out[i] = {text}; }}"
    out = cupy.zeros(COUNT, storage_of(expr.type))
    compiled(cupy, code, "k")((COUNT // 256,), (256,), (*[cupy.asarray(a) for a in raw.values()], out))
    theirs = decode(cupy.asnumpy(out), expr.type)
    ours = np.broadcast_to(evaluate(expr, {n: decode(raw[n], sources[n]) for n in sources}), (COUNT,))
    same = encode(ours, expr.type) == encode(theirs, expr.type)
    if isinstance(expr.type, t.Float):
        same &= np.signbit(ours) == np.signbit(theirs)  # of zeros too
        same |= np.isnan(ours) & np.isnan(theirs)
    wrong = np.flatnonzero(~same)
    assert not len(wrong), (text, len(wrong), [a[wrong[0]] for a in raw.values()], ours[wrong[0]], theirs[wrong[0]])


@pytest.mark.parametrize("type_", [t.F16, t.BF16, t.F32, t.F64], ids=lambda f: f.format)
@pytest.mark.parametrize("op", [Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE])
def test_float_operators(cupy: Any, op: Op, type_: t.Float) -> None:
    if op is Op.DIVIDE and type_ in (t.F16, t.BF16):
        pytest.skip("the header divides half types through an approximate reciprocal")
    expr = ir.Binary(op, ir.Var("a", type_), ir.Var("b", type_), type_)
    text = f"a {op.value} b"
    if type_ in (t.F16, t.BF16):  # the operators of the header may contract; these do not
        text = f"__{ {Op.ADD: 'hadd', Op.SUBTRACT: 'hsub', Op.MULTIPLY: 'hmul'}[op] }_rn(a, b)"
    agree(cupy, expr, text, {"a": type_, "b": type_})


@pytest.mark.parametrize(
    ("name", "count"),
    [("sqrt", 1), ("fma", 3), ("fmin", 2), ("fdim", 2), ("floor", 1), ("trunc", 1), ("rint", 1), ("round", 1)],
)
@pytest.mark.parametrize("type_", [t.F32, t.F64], ids=lambda f: f.format)
def test_exact_float_functions(cupy: Any, type_: t.Float, name: str, count: int) -> None:
    names = ["a", "b", "c"][:count]
    suffix = "f" if type_ == t.F32 else ""
    expr = ir.Math(name, tuple(ir.Var(n, type_) for n in names), type_)
    agree(cupy, expr, f"{name}{suffix}({', '.join(names)})", dict.fromkeys(names, type_))


CASTS = [
    (t.F32, t.INT32, "(int)a"), (t.F32, t.UINT32, "(unsigned int)a"), (t.F64, t.INT64, "(long long)a"),
    (t.F32, t.INT64, "(long long)a"), (t.F64, t.UINT64, "(unsigned long long)a"), (t.F64, t.F32, "(float)a"),
    (t.INT64, t.F32, "(float)a"), (t.UINT64, t.F64, "(double)a"), (t.UINT32, t.F32, "(float)a"),
    (t.F32, t.F16, "__float2half_rn(a)"), (t.F16, t.F32, "__half2float(a)"), (t.F64, t.F16, "__double2half(a)"),
    (t.F32, t.BF16, "__float2bfloat16_rn(a)"), (t.BF16, t.F32, "__bfloat162float(a)"),
    (t.F64, t.BF16, "__double2bfloat16(a)"), (t.INT32, t.F16, "__int2half_rn(a)"),
    (t.F16, t.INT32, "__half2int_rz(a)"), (t.F32, t.INT8, "(signed char)a"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "target", "text"), CASTS, ids=[text for *_, text in CASTS])
def test_conversions(cupy: Any, source: t.Type, target: t.Type, text: str) -> None:
    agree(cupy, ir.Cast(ir.Var("a", source), target), text, {"a": source})


INTRINSICS = [
    ("mulhi", t.INT32, 2, "__mulhi(a, b)"), ("umulhi", t.UINT32, 2, "__umulhi(a, b)"),
    ("mul64hi", t.INT64, 2, "__mul64hi(a, b)"), ("umul64hi", t.UINT64, 2, "__umul64hi(a, b)"),
    ("popc", t.INT32, 1, "__popc(a)"), ("clz", t.INT32, 1, "__clz(a)"), ("ffs", t.INT32, 1, "__ffs(a)"),
    ("brev", t.UINT32, 1, "__brev(a)"), ("mul24", t.INT32, 2, "__mul24(a, b)"), ("sad", t.INT32, 3, "(int)__sad(a, b, c)"),
    ("hadd", t.INT32, 2, "__hadd(a, b)"), ("rhadd", t.INT32, 2, "__rhadd(a, b)"), ("dp4a", t.INT32, 3, "__dp4a(a, b, c)"),
    ("byte_perm", t.UINT32, 3, "__byte_perm(a, b, c)"), ("funnelshift_l", t.UINT32, 3, "__funnelshift_l(a, b, c)"),
    ("funnelshift_r", t.UINT32, 3, "__funnelshift_r(a, b, c)"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "type_", "count", "text"), INTRINSICS, ids=[text for *_, text in INTRINSICS])
def test_integer_intrinsics(cupy: Any, name: str, type_: t.Int, count: int, text: str) -> None:
    names = ["a", "b", "c"][:count]
    expr = ir.Math(name, tuple(ir.Var(n, type_) for n in names), type_)
    agree(cupy, expr, text, dict.fromkeys(names, type_))
