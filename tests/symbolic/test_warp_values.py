"""The number of a warp that a shuffle hands round, and rows of threads that part a warp."""

from __future__ import annotations

import pytest

from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

ROWS = """
__global__ void rows(float *y) {
  __shared__ float first[COLUMNS];
  int warp = __shfl_sync(0xffffffff, NUMBER, 0);
  if (threadIdx.y == 0) first[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.y * COLUMNS + threadIdx.x] = first[threadIdx.x - 32 * warp];
}
void run() {
  float *y;
  cudaMalloc(&y, 2 * COLUMNS * sizeof(float));
  rows<<<1, dim3(COLUMNS, 2)>>>(y);
}
"""
ALONG_X, LINEAR = "threadIdx.x / 32", "(threadIdx.x + COLUMNS * threadIdx.y) / 32"


@pytest.mark.parametrize(
    ("columns", "warp_number", "proved"),
    [
        (64, ALONG_X, True),  # warps 0 and 1 in each row
        (48, ALONG_X, False),  # the second warp begins at column 32, and goes on with columns 0 to 15 of the next row
        (48, LINEAR, False),  # its number is 1 there, too
    ],
)
def test_the_number_of_a_warp_along_x_is_that_of_all_its_lanes_in_whole_rows_alone(
    columns: int, warp_number: str, proved: bool
) -> None:
    source = ROWS.replace("NUMBER", warp_number).replace("COLUMNS", str(columns))
    unit = translate(SourceFile("a.cu", "/a.cu", source), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    found = analyse(unit, unit.functions[kernel], contract).obligations
    reads = [o for o in found if o.access == "read" and o.object is not None and o.object.memory == "shared"]
    assert reads and all(o.verdict is Verdict.SAFE for o in reads) is proved
