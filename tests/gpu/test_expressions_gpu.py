"""10,000 random integer expressions in one kernel give what the emulator gives, bit for bit."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

from cudalint import ir
from cudalint.confirm.emulate.run import Buffer, LaunchInput, PointerTo, run
from cudalint.ir import types as t
from cudalint.source import Span
from tests.model.expressions import C_NAMES, VARIABLES, Sample, dtype, random_expression, random_values

pytestmark = pytest.mark.gpu

EXPRESSIONS = 10_000
PER_FUNCTION = 10
DEPTH = 3
ROWS = 32
SEED = 20_260_101
HERE = Span("expressions.cu", 1, 1, 1, 1)


def samples() -> list[Sample]:
    source = random.Random(SEED)
    return [random_expression(source, DEPTH, wraps=False) for _ in range(EXPRESSIONS)]


def kernel_text(chosen: list[Sample]) -> str:
    """One kernel: row r of the values by thread r; result e of row r, widened to 64 bits, goes to out[e * ROWS + r]."""
    parameters = ", ".join(f"{C_NAMES[type_]} {name}" for name, type_ in VARIABLES.items())
    functions = []
    for start in range(0, len(chosen), PER_FUNCTION):
        body = "\n".join(
            f"    out[{start + i} * {ROWS} + row] = (long long)({sample.text});"
            for i, sample in enumerate(chosen[start : start + PER_FUNCTION])
        )
        functions.append(
            f"__device__ __noinline__ void part{start}(long long* out, int row, {parameters}) {{\n{body}\n}}"
        )
    pointers = ", ".join(f"const {C_NAMES[type_]}* p_{name}" for name, type_ in VARIABLES.items())
    loads = ", ".join(f"p_{name}[row]" for name in VARIABLES)
    calls = "\n".join(f"    part{start}(out, row, {loads});" for start in range(0, len(chosen), PER_FUNCTION))
    kernel = (
        f'extern "C" __global__ void evaluate(long long* out, {pointers}) {{\n    int row = threadIdx.x;\n{calls}\n}}'
    )
    return "\n".join((*functions, kernel))


def emulated(chosen: list[Sample], values: dict[str, np.ndarray]) -> np.ndarray:
    """The same by the emulator, a few hundred expressions in one function."""
    results = [_emulated_part(chosen[at : at + 500], values) for at in range(0, len(chosen), 500)]
    return np.concatenate(results)


def _emulated_part(chosen: list[Sample], values: dict[str, np.ndarray]) -> np.ndarray:
    int64 = t.Pointer(t.INT64)
    row = ir.Builtin("threadIdx.x", t.UINT32)
    out = ir.Var("out", int64)
    params = [ir.Param(out), *(ir.Param(ir.Var(f"p_{n}", t.Pointer(type_))) for n, type_ in VARIABLES.items())]
    body: list[ir.Stmt] = []
    for name, type_ in VARIABLES.items():
        variable = ir.Var(name, type_)
        body.append(ir.Declare(variable, ir.Storage.REGISTER, HERE))
        place = ir.Element(ir.Var(f"p_{name}", t.Pointer(type_)), row, type_)
        body.append(ir.Load(variable, place, HERE))
    for number, sample in enumerate(chosen):
        start = ir.Const(number * ROWS, t.UINT32)
        index = ir.Binary(ir.BinaryOp.ADD, start, row, t.UINT32)
        body.append(ir.Store(ir.Element(out, index, t.INT64), ir.Cast(sample.expr, t.INT64), HERE))
    kernel = ir.Function("evaluate", "evaluate", ir.Role.KERNEL, (), tuple(params), t.VOID, tuple(body), HERE)
    unit = ir.Unit("expressions.cu", {"evaluate": kernel})
    buffers = [Buffer("out", np.zeros(len(chosen) * ROWS * 8, dtype=np.uint8))]
    buffers += [Buffer(f"p_{n}", np.ascontiguousarray(values[n]).view(np.uint8)) for n in VARIABLES]
    args = tuple(PointerTo(buffer.name) for buffer in buffers)
    outcome = run(unit, "evaluate", LaunchInput((1, 1, 1), (ROWS, 1, 1), 0, args), tuple(buffers), step_limit=10**6)
    assert outcome.status == "finished", outcome.reason
    return np.frombuffer(outcome.buffers["out"].tobytes(), dtype=np.int64)


def test_expressions_agree_with_the_emulator() -> None:
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    chosen = samples()
    values = random_values(random.Random(SEED), ROWS)
    assert all(values[name].dtype == dtype(type_) for name, type_ in VARIABLES.items())
    ours, theirs = emulated(chosen, values), on_gpu(cupy, chosen, values)
    wrong = sorted({int(i) // ROWS for i in np.flatnonzero(ours != theirs)})
    assert len(wrong) <= len(chosen) // 1000, f"{len(wrong)} differ, the first: {chosen[wrong[0]].text}"
    doubtful = [chosen[i] for i in wrong]
    if doubtful:  # an optimiser's mistake goes away without the optimiser, ours stays
        plain = on_gpu(cupy, doubtful, values, "--device-debug")
        assert [s.text for s, ok in zip(doubtful, same(emulated(doubtful, values), plain)) if not ok] == []
        warnings.warn(f"the compiler's optimiser changes {[s.text for s in doubtful]}", stacklevel=1)


def on_gpu(cupy: Any, chosen: list[Sample], values: dict[str, Any], *options: str) -> Any:
    """The value of each expression in each row, as the compiler and the device have it."""
    module = cupy.RawModule(code=kernel_text(chosen), options=("-std=c++17", *options), backend="nvrtc")
    out = cupy.zeros(len(chosen) * ROWS, dtype=cupy.int64)
    module.get_function("evaluate")((1,), (ROWS,), (out, *(cupy.asarray(values[name]) for name in VARIABLES)))
    return cupy.asnumpy(out)


def same(ours: Any, theirs: Any) -> list[bool]:
    """Whether all rows of an expression agree."""
    return [bool(row.all()) for row in (ours == theirs).reshape(-1, ROWS)]
