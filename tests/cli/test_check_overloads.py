"""A kernel that nothing launches is looked at in the block of its launched overload: what leaves a tile there is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from tests.project.test_discovery import tree

TURNS = """__global__ void turn(const float *in, float *out) {
  __shared__ float tile[32][9];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 8 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x * 32 + threadIdx.y] = tile[threadIdx.y][threadIdx.x];
}
__global__ void turn(const float *in, float *out, const int *rows) {
  __shared__ float tile[32][9];
  tile[ROW][threadIdx.x] = in[rows[threadIdx.y] * 8 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x * 32 + threadIdx.y] = tile[threadIdx.y][threadIdx.x];
}
int turned(const float *in, float *out) {
  turn<<<1, dim3(8, 32)>>>(in, out);
  return cudaGetLastError() != cudaSuccess;
}
"""


@pytest.mark.parametrize(("row", "told"), [("threadIdx.y", []), ("threadIdx.y + 1", [("IDX102", 9)])])
def test_the_tile_of_an_overload(row: str, told: list[tuple[str, int]], tmp_path: Path) -> None:
    root = tree(tmp_path, {"a.cu": TURNS.replace("ROW", row)})
    findings = scan(ScanOptions(paths=(str(root),), jobs=1)).findings
    assert [(finding.code, finding.span.line) for finding in findings if finding.code.startswith("IDX1")] == told
