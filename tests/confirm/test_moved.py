"""Registers that hold what a function moved, so that what is made of them is rounded to another side on a device."""

from __future__ import annotations

import pytest

from cudalint import ir
from cudalint.confirm.moved import moved_registers
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile

BEFORE = """
__device__ float half_of(float value) { return 0.5f * value; }
__device__ void into(float *where, float value) { *where = value; }
__device__ float table[8];
"""


def moved(body: str) -> frozenset[str]:
    text = f"{BEFORE}__global__ void k(const float *x, float *y, float *z) {{ int i = threadIdx.x; {body} }}"
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    kernel = next(f for f in unit.functions.values() if f.role is ir.Role.KERNEL)
    return moved_registers(unit, unit.functions.values())[kernel.id]


@pytest.mark.parametrize(
    "body",
    [
        "float found = expf(x[i]) + 1.0f;",
        "float s = sinf(x[i]); float found = x[i]; if (i) found = s;",
        "float found = half_of(expf(x[i]));",
        "float found; { float a[2]; a[i % 2] = expf(x[i]); found = a[0]; }",
        "float a; into(&a, expf(x[i])); float found = a;",
        "__shared__ float s[8]; s[i] = expf(x[i]); __syncthreads(); float found = s[7 - i];",
        "table[i] = expf(x[i]); float found = table[i];",
        "float *row = y + 4; row[i] = expf(x[i]); float found = y[i];",
        "float found = __shfl_xor_sync(0xffffffff, expf(x[i]), 1);",
        "atomicAdd(y, x[i]); __syncthreads(); float found = y[0];",  # in an order that nobody promises
    ],
)
def test_what_a_function_gave_is_followed(body: str) -> None:
    assert "found" in moved(body + " z[i] = found;")


@pytest.mark.parametrize(
    "body",
    [
        "float found = x[i] * 3.0f; y[i] = expf(found);",  # in front of the function
        "y[i] = expf(x[i]); float found = z[i];",  # another buffer
        "float found = half_of(x[i]);",
        "float found = sqrtf(x[i]) / 3.0f;",  # rounded once, the same everywhere
    ],
)
def test_what_no_function_reaches_is_the_same_everywhere(body: str) -> None:
    assert "found" not in moved(body + " z[i] = found;")
