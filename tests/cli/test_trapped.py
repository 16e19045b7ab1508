"""What a thread does behind a vector that it would have trapped at goes wrong in no run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_check_python import report
from tests.project.test_discovery import tree

ROWS = """
__global__ void rows(const float* x, float* y, int n) {{
  extern __shared__ float s[];
  int row = 2 * blockIdx.x + threadIdx.y;
  const {type}* four = (const {type}*)(x + row * n);
  float* own = s + threadIdx.y * ((n + 3) / 4 * 4);
  for (int i = threadIdx.x; i < (n + 3) / 4; i += blockDim.x) {{
    {type} v = four[i];
    own[4 * i + 3] = v.x;
  }}
  __syncwarp();
  if (threadIdx.x < n) y[row * n + threadIdx.x] = own[threadIdx.x];
}}
int main(int argc, char** argv) {{
  int n = atoi(argv[1]), m = atoi(argv[2]);
  float *x, *y;
  cudaMalloc(&x, 2 * m * n * sizeof(float) + 16);
  cudaMalloc(&y, 2 * m * n * sizeof(float));
  rows<<<m, dim3(32, 2), {floats} * sizeof(float)>>>(x, y, n);
}}
"""
FEW = "struct Four { float x, y, z, w; };\n"  # aligned as a float is


@pytest.mark.parametrize(
    ("type_", "floats", "found"),
    [
        (
            "float4",
            "((n + 3) / 4 * 4 + n)",
            "medium",
        ),  # where there are 8 places for 5, the second row of a block has trapped
        ("float4", "((n + 3) / 4 * 4 + n - 1)", "high"),
        ("Four", "((n + 3) / 4 * 4 + n)", "high"),
    ],
)
def test_an_index_behind_aligned_vectors_is_asked_about_for_rows_of_whole_vectors(
    type_: str, floats: str, found: str, tmp_path: Path
) -> None:
    text = FEW + ROWS.format(type=type_, floats=floats)
    result = report(tree(tmp_path, {"a.cu": text}), "--profile", "audit")
    told = [f["confidence"] for f in result["findings"] if f["code"] == "IDX102" and "write" in f["message"]]
    assert told == [found]
