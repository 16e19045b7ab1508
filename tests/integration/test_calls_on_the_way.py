"""What goes wrong inside of a helper is told with the calls that lead to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan

NEXT = """__device__ float next(const float *p, int i) { return p[i + 1]; }
__global__ void k(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = next(x, i);
}
void run(int n) {
  float *x, *y;
  cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);
  k<<<(n + 255) / 256, 256>>>(y, x, n);
}
"""
SUM = """__device__ float both(float v) { return v + __shfl_xor_sync(0xffffffff, v, 1); }
__global__ void k(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = both(x[i]);
}
void run(float *y, const float *x, int n) { k<<<(n + 255) / 256, 256>>>(y, x, n); }
"""


@pytest.mark.parametrize(("code", "text"), [("IDX101", NEXT), ("SYN301", SUM)])
def test_the_call_is_related(tmp_path: Path, code: str, text: str) -> None:
    (tmp_path / "k.cu").write_text(text)
    options = ScanOptions(paths=(str(tmp_path),), project_root=str(tmp_path), jobs=1, select=(code,))
    (finding,) = scan(options).findings
    assert finding.span.line == 1
    assert ("called from here", 4) in [(each.message, each.span.line) for each in finding.related]
