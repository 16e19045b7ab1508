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


NEXT = """struct Node { int next[4]; };

__global__ void follow(const Node *nodes, const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at[4] = {%s};
  y[i] = x[at[i %% 4]];
}

void run(int n) {
  Node *nodes;
  float *x, *y;
  cudaMalloc(&nodes, n * sizeof(Node));
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  follow<<<(n + 255) / 256, 256>>>(nodes, x, y, n);
}
"""


@pytest.mark.parametrize(
    ("entries", "confidence"),
    [
        ("nodes[i].next[0], nodes[i].next[1], nodes[i].next[2], nodes[i].next[3]", Confidence.LOW),
        ("i, i + 1, i + 2, i + 3", Confidence.HIGH),
    ],
    ids=["loaded", "worked out"],
)
def test_a_place_out_of_an_array_of_places_is_as_sure_as_these(
    tmp_path: Path, entries: str, confidence: Confidence
) -> None:
    (tmp_path / "k.cu").write_text(NEXT % entries)
    given = ScanOptions(paths=(str(tmp_path),), project_root=str(tmp_path), jobs=1, select=("IDX101",), profile="audit")
    found = [f for f in scan(given).findings if f.span.line == 7]
    assert {f.confidence for f in found} == {confidence}
