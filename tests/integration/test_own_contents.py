"""What is reached as values say that the kernel itself has put into shared memory is not sure where no run can be made."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Confidence

KERNEL = """__device__ int any_of_block(int x);

__global__ void join(const int *flags, const float *x, float *y, int n) {
  __shared__ int edge[256];
  __shared__ float val[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  int c = i < n ? flags[i] : 0;
  if (t == 0) c &= ~1;
  edge[t] = c;
  val[t] = i < n ? x[i] : 0.f;
  __syncthreads();
  float v = val[t] + any_of_block(c);
  if (%s & 1) v += val[t - 1];
  if (i < n) y[i] = v;
}

void run(const int *flags, const float *x, float *y, int n) { join<<<(n + 255) / 256, 256>>>(flags, x, y, n); }
"""


@pytest.mark.parametrize(
    ("asked", "confidence"),
    [("edge[t]", Confidence.LOW), ("(i < n ? flags[i] : 0)", Confidence.HIGH)],
    ids=["its own values", "those of its callers"],
)
def test_who_writes_what_is_asked(tmp_path: Path, asked: str, confidence: Confidence) -> None:
    (tmp_path / "k.cu").write_text(KERNEL % asked)
    given = ScanOptions(paths=(str(tmp_path),), project_root=str(tmp_path), jobs=1, select=("IDX102",), profile="audit")
    (finding,) = scan(given).findings
    assert finding.confidence is confidence
