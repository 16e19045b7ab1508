"""The emulator's arithmetic is C's: against a compiler, against Python, and by worked examples."""

from __future__ import annotations

import math
import random
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model.expressions import C_NAMES, VARIABLES, Sample, dtype, random_expression, random_values

from cudalint.confirm.emulate.expressions import evaluate
from cudalint.ir import nodes as ir
from cudalint.ir import types as t
from cudalint.ir.nodes import BinaryOp as Op

ROWS = 8
COMPILER = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")


def c_program(samples: list[Sample], values: dict[str, np.ndarray]) -> str:
    """Prints one 64-bit pattern per sample and row of values."""
    params = ", ".join(f"{C_NAMES[type_]} {name}" for name, type_ in VARIABLES.items())
    lines = ["#include <stdio.h>"]
    for name, type_ in VARIABLES.items():
        row = ", ".join(f"({C_NAMES[type_]})0x{int(v) & (1 << 64) - 1:x}ULL" for v in values[name])
        lines.append(f"static {C_NAMES[type_]} {name}_[] = {{{row}}};")
    for i, sample in enumerate(samples):
        lines.append(f"static {C_NAMES[sample.expr.type]} f{i}({params}) {{ return {sample.text}; }}")
    arguments = ", ".join(f"{name}_[r]" for name in VARIABLES)
    lines.append(f"int main(void) {{ for (int r = 0; r < {ROWS}; r++) {{")
    lines += [f'printf("%llx\\n", (unsigned long long)f{i}({arguments}));' for i in range(len(samples))]
    return "\n".join([*lines, "} return 0; }", ""])


@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
@settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_two_hundred_expressions_agree_with_a_c_compiler(tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)
    samples = [random_expression(source, 4) for _ in range(200)]
    values = random_values(source, ROWS)
    (tmp_path / "e.c").write_text(c_program(samples, values))
    command = [str(COMPILER), "-fwrapv", "-O0", "-w", "-o", str(tmp_path / "e"), str(tmp_path / "e.c")]
    subprocess.run(command, check=True)
    printed = subprocess.run([str(tmp_path / "e")], check=True, capture_output=True, text=True).stdout.split()
    expected = np.array([int(word, 16) for word in printed], np.uint64).reshape(ROWS, len(samples))
    for i, sample in enumerate(samples):
        got = np.broadcast_to(evaluate(sample.expr, values), (ROWS,))
        assert isinstance(sample.expr.type, t.Int) and got.dtype == dtype(sample.expr.type)
        assert np.array_equal(got.astype(np.int64).view(np.uint64), expected[:, i].astype(np.uint64)), sample.text


def one(expr: ir.Expr, **env: np.generic) -> object:
    return np.asarray(evaluate(expr, dict(env))).item()  # type: ignore[arg-type]


def const(value: float, type_: t.Type) -> ir.Const:
    return ir.Const(value, type_)


def apply(op: Op, left: float, right: float, type_: t.Type) -> object:
    return one(ir.Binary(op, const(left, type_), const(right, type_), type_))


@pytest.mark.parametrize(
    ("op", "left", "right", "type_", "expected"),
    [
        (Op.ADD, 2**31 - 1, 1, t.INT32, -(2**31)),
        (Op.SUBTRACT, 0, 1, t.UINT32, 2**32 - 1),
        (Op.MULTIPLY, 65536, 65536, t.INT32, 0),
        (Op.MULTIPLY, 2**63, 3, t.UINT64, 2**63),
        (Op.DIVIDE, -7, 2, t.INT32, -3),
        (Op.REMAINDER, -7, 2, t.INT32, -1),
        (Op.REMAINDER, 7, -2, t.INT64, 1),
        (Op.DIVIDE, -(2**31), -1, t.INT32, -(2**31)),
        (Op.REMAINDER, -(2**31), -1, t.INT32, 0),
        (Op.DIVIDE, 5, 0, t.INT32, 0),
        (Op.SHIFT_LEFT, 1, 31, t.INT32, -(2**31)),
        (Op.SHIFT_LEFT, 1, 32, t.INT32, 0),
        (Op.SHIFT_RIGHT, -8, 1, t.INT32, -4),
        (Op.SHIFT_RIGHT, -8, 40, t.INT32, -1),
        (Op.SHIFT_RIGHT, 2**32 - 8, 1, t.UINT32, 2**31 - 4),
    ],
)
def test_integer_operators(op: Op, left: int, right: int, type_: t.Type, expected: int) -> None:
    assert apply(op, left, right, type_) == expected


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (300, t.INT32, t.UINT8, 44),
        (200, t.INT32, t.INT8, -56),
        (-1, t.INT32, t.UINT64, 2**64 - 1),
        (2**40 + 5, t.INT64, t.INT32, 5),
        (3.99, t.F32, t.INT32, 3),
        (-3.99, t.F64, t.INT32, -3),
        (1e20, t.F32, t.INT32, 2**31 - 1),
        (-5.0, t.F32, t.UINT32, 0),
        (math.nan, t.F32, t.INT32, 0),
        (math.inf, t.F64, t.INT64, 2**63 - 1),
        (0.5, t.F32, t.BOOL, True),
        (16777217, t.INT32, t.F32, 16777216.0),
        (70000, t.INT32, t.F16, math.inf),
        (1.00390625, t.F32, t.BF16, 1.0),
        (1.01171875, t.F32, t.BF16, 1.015625),
        (3.3, t.F32, t.Float("e4m3"), 3.25),
        (1000.0, t.F32, t.Float("e4m3"), 448.0),
    ],
)
def test_conversions(value: float, source: t.Type, target: t.Type, expected: object) -> None:
    assert one(ir.Cast(const(value, source), target)) == expected


def test_floats_compute_in_their_own_format() -> None:
    assert apply(Op.ADD, 16777216.0, 1.0, t.F32) == 16777216.0
    assert apply(Op.ADD, 16777216.0, 1.0, t.F64) == 16777217.0
    assert apply(Op.MULTIPLY, 3.0, 1.0009765625, t.F16) == 3.00390625
    assert apply(Op.ADD, 256.0, 1.0, t.BF16) == 256.0
    assert apply(Op.DIVIDE, 1.0, 0.0, t.F32) == math.inf


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.floats(width=32), st.floats(width=32), st.floats(width=32))
def test_fma_rounds_once(a: float, b: float, c: float) -> None:
    from fractions import Fraction

    got = one(ir.Math("fma", (const(a, t.F32), const(b, t.F32), const(c, t.F32)), t.F32))
    if not all(map(math.isfinite, (a, b, c))):
        return
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    near = np.float32(got)
    if not math.isfinite(float(near)):
        assert abs(exact) >= Fraction(float(np.finfo(np.float32).max))
        return
    error = abs(Fraction(float(near)) - exact)
    with np.errstate(all="ignore"):
        beside = np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))
    for other in beside:
        assert not math.isfinite(float(other)) or error <= abs(Fraction(float(other)) - exact)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.floats(allow_nan=False, width=64))
def test_double_to_bf16_rounds_once(value: float) -> None:
    got = one(ir.Cast(const(value, t.F64), t.BF16))
    assert isinstance(got, float)
    if not math.isfinite(got) or not math.isfinite(value):
        return
    bits = struct.unpack("<I", struct.pack("<f", got))[0]
    assert bits & 0xFFFF == 0
    for near in (bits + 0x10000, bits - 0x10000 if bits & 0x7FFFFFFF else bits):
        other = struct.unpack("<f", struct.pack("<I", near))[0]
        assert not math.isfinite(other) or abs(got - value) <= abs(other - value)


@pytest.mark.parametrize(
    ("name", "args", "type_", "expected"),
    [
        ("mulhi", (2**31 - 1, 4), t.INT32, 1),
        ("umulhi", (2**32 - 1, 2**32 - 1), t.UINT32, 2**32 - 2),
        ("mul64hi", (-1, 5), t.INT64, -1),
        ("popc", (-1,), t.INT32, 32),
        ("clz", (1,), t.INT32, 31),
        ("ffs", (40,), t.INT32, 4),
        ("brev", (1,), t.UINT32, 2**31),
        ("min", (-3, 2), t.INT32, -3),
        ("abs", (-3,), t.INT32, 3),
        ("rsqrt", (4.0,), t.F32, 0.5),
        ("fmax", (math.nan, 2.0), t.F32, 2.0),
        ("round", (-2.5,), t.F32, -3.0),
        ("rint", (2.5,), t.F32, 2.0),
        ("__expf", (0.0,), t.F32, 1.0),
        ("erf", (0.0,), t.F32, 0.0),
    ],
)
def test_functions(name: str, args: tuple[float, ...], type_: t.Type, expected: float) -> None:
    assert one(ir.Math(name, tuple(const(a, type_) for a in args), type_)) == expected


@pytest.mark.parametrize("name", ["round", "rint", "trunc", "ceil"])
def test_what_is_rounded_to_zero_keeps_its_sign(name: str) -> None:
    zero = one(ir.Math(name, (const(-0.3, t.F32),), t.F32))
    assert zero == 0 and math.copysign(1, zero) == -1


def test_the_positive_difference_of_what_is_no_number_is_none() -> None:
    assert math.isnan(one(ir.Math("fdim", (const(math.nan, t.F32), const(1.0, t.F32)), t.F32)))


def test_bits_under_another_type() -> None:
    assert one(ir.Bitcast(const(1.0, t.F32), t.UINT32)) == 0x3F800000
    assert one(ir.Bitcast(const(0x3F80, t.UINT16), t.BF16)) == 1.0


def test_unselected_branches_are_evaluated_quietly() -> None:
    x = ir.Var("x", t.INT32)
    safe = ir.Select(
        ir.Binary(Op.NOT_EQUAL, x, const(0, t.INT32), t.BOOL), ir.Binary(Op.DIVIDE, const(6, t.INT32), x, t.INT32), x, t.INT32
    )  # fmt: skip
    assert evaluate(safe, {"x": np.array([0, 2, -3], np.int32)}).tolist() == [0, 3, -2]
