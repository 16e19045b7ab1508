"""The block of a kernel that nothing launches, as launches of another one of its name have it."""

from __future__ import annotations

import pytest

from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.verdicts.intended_block import block_of_overloads

TURNS = """
__global__ void turn(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.y]; }
__global__ void turn(const float *in, float *out, const int *rows) { out[threadIdx.x] = in[rows[threadIdx.y]]; }
void turned(const float *in, float *out, int width) { LAUNCHES }
"""


@pytest.mark.parametrize(
    ("launches", "block"),
    [
        ("turn<<<4, dim3(8, 32)>>>(in, out);", (8, 32, 1)),
        ("turn<<<4, dim3(8, 32)>>>(in, out); turn<<<4, dim3(16, 16)>>>(in, out);", None),  # either may be meant
        ("turn<<<4, dim3(width, 32)>>>(in, out);", None),
        ("", None),
    ],
)
def test_it_is_that_of_the_launched_overload(launches: str, block: tuple[int, int, int] | None) -> None:
    source = SourceFile("k.cu", "/k.cu", TURNS.replace("LAUNCHES", launches))
    unit = translate(source, ParseOptions(), "/").unit
    second = next(f for f in unit.functions.values() if f.name == "turn" and len(f.params) == 3)
    assert block_of_overloads(unit, second) == block
