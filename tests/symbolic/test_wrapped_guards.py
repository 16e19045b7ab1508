"""A guard that a wrapped place passes is one finding; what memory holds is no place in the launch."""

from __future__ import annotations

import pytest

from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts
from cudalint.term import is_number

PROGRAM = """
__global__ void count(const int *rows, float *total, int step) {
  int row = PLACE;
  for (int e = rows[row]; e < rows[row + 1]; e++) atomicAdd(total, 1.0f);
}
void counted(const int *rows, float *total, int step) { count<<<1 << 20, 256>>>(rows, total, step); }
"""


@pytest.mark.parametrize(
    ("place", "asked"),
    [("blockIdx.x * step", True), ("rows[blockIdx.x]", False), ("rows[blockIdx.x * blockDim.x + threadIdx.x] + 1", False)],
)  # fmt: skip
def test_only_a_place_of_the_launch_is_asked_about(place: str, asked: bool) -> None:
    source = PROGRAM.replace("PLACE", place)
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((kernel, contracts),) = launch_contracts(unit).items()
    found = [o for c in contracts for o in analyse(unit, unit.functions[kernel], c).obligations]
    assert any(o.kind == "overflow" and is_number(o.index, 0) for o in found) is asked
