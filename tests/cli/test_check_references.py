"""The address of an element that a call gives by reference is its address: who writes there makes the access.

An instrumented copy names the line of the operator, where the element is found: see tests/confirm/test_plan_places.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from tests.project.test_discovery import tree

VIEW = """struct View {
  float *data;
  __device__ float &operator[](int i) const { return data[i]; }
  __device__ float &at(int i) const { return data[i]; }
};
__global__ void change(View sums, const float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  WRITE
}
void run(int n) {
  View sums;
  float *values;
  cudaMalloc(&sums.data, n * sizeof(float));
  cudaMalloc(&values, n * sizeof(float));
  change<<<(n + 255) / 256, 256>>>(sums, values, n);
  if (cudaGetLastError() != cudaSuccess) return;
}
"""


@pytest.mark.parametrize(
    ("write", "told"),
    [
        ("atomicAdd(&sums[i], values[i]);", []),
        ("atomicAdd(&sums[i + 2], values[i]);", [("IDX101", 9)]),
        ("float *place = &sums.at(i); *place = values[i];", []),
        ("float *place = &sums.at(i + 1); *place = values[i];", [("IDX101", 9)]),
    ],
)
def test_a_write_to_an_element_that_a_view_gives(write: str, told: list[tuple[str, int]], tmp_path: Path) -> None:
    root = tree(tmp_path, {"a.cu": VIEW.replace("WRITE", write)})
    result = scan(ScanOptions(paths=(str(root),), jobs=1))
    assert [(finding.code, finding.span.line) for finding in result.findings] == told
