"""A run may name the place where a function finds an element, a finding the line that uses what it gives: both are right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from tests.project.test_discovery import tree

VIEW = """struct View {
  float *data;
  __device__ float &operator[](int i) const {
    return data[i];
  }
  __device__ float *row(int i) const {
    float *start = data + i * 4;
    return start;
  }
  __device__ float &first(int i) const {
    return *row(i);
  }
};
__global__ void change(View sums, const float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  WRITE
}
void run(int n) {
  View sums;
  float *values;
  cudaMalloc(&sums.data, n * 4 * sizeof(float));
  cudaMalloc(&values, n * sizeof(float));
  change<<<(n + 255) / 256, 256>>>(sums, values, n);
  if (cudaGetLastError() != cudaSuccess) return;
}
"""


@pytest.mark.parametrize(
    ("write", "lines"),
    [
        ("sums[i + 4 * n] = values[i];", [4, 17]),
        ("float *row = sums.row(i + n); row[0] = values[i];", [8, 17]),
        ("sums.first(i + n) = values[i];", [8, 11, 17]),
        ("sums.data[i + 4 * n] = values[i];", [17]),
    ],
)
def test_the_places_that_a_plan_expects(write: str, lines: list[int], tmp_path: Path) -> None:
    root = tree(tmp_path / "code", {"a.cu": VIEW.replace("WRITE", write)})
    scan(ScanOptions(paths=(str(root),), jobs=1, plan_dir=str(tmp_path / "plans")))
    (path,) = (tmp_path / "plans").rglob("*.plan.json")
    expectation = json.loads(path.read_text())["expectation"]
    assert expectation["lines"] == [["a.cu", line] for line in lines]
