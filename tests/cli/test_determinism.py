"""The same input gives the same bytes: whatever the processes, the folder, and the order in which Python hashes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.command import ROOT, cudalint
from tests.project.test_discovery import tree

HEADER = """template <int N> __global__ void scale(float *x, const float *w, int rows, int cols) {
  __shared__ float tile[N];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = w[i % cols];
  if (i <= rows * cols) x[i] = tile[threadIdx.x] * tile[(threadIdx.x + 1) % N];
}
"""
MAIN = """#include <cuda_runtime.h>
#include "scale.cuh"
void run(const float *w, int rows, int cols) {
  float *x;
  if (rows < 1 || cols < 1 || rows > 1000 || cols > 1000) return;
  cudaMalloc(&x, sizeof(float) * rows * cols);
  scale<SIZE><<<(rows * cols + SIZE - 1) / SIZE, SIZE>>>(x, w, rows, cols);
}
"""
PYTHON = (
    "import cupy\nk = cupy.RawKernel(r'''extern \"C\" __global__ void f(float *y) { y[threadIdx.x] = 0; }''', 'f')\n"
)


def project(root: Path) -> Path:
    tree(root, {
        "inc/scale.cuh": HEADER, "a.cu": MAIN.replace("SIZE", "128"), "b/b.cu": MAIN.replace("SIZE", "64"),
        "tools/f.py": PYTHON, "cudalint.toml": 'include = ["inc"]\n',
    })  # fmt: skip
    shutil.copytree(ROOT / "fixtures" / "showcase", root / "showcase")
    return root


@pytest.mark.parametrize("command", [("check", "--profile", "audit"), ("verify", "--format", "json")])
def test_the_same_input_gives_the_same_bytes(tmp_path: Path, command: tuple[str, ...]) -> None:
    here, there = project(tmp_path / "here"), project(tmp_path / "quite" / "elsewhere")
    runs = [
        cudalint(*command, str(here), "--jobs", "1", PYTHONHASHSEED="1"),
        cudalint(*command, str(here), "--jobs", "2", PYTHONHASHSEED="2"),
        cudalint(*command, ".", "--jobs", "2", cwd=there, PYTHONHASHSEED="3"),
    ]
    assert all("scale" in run.stdout for run in runs)
    assert len({run.stdout for run in runs}) == 1


SHARED = """#include <cuda_runtime.h>
__device__ void put(float *x, int i, int n) {
  if (i <= n) x[i] = 1.0f;
}
"""
KERNEL = """
__global__ void fill_NUMBER(float *x, int n, int step) {
  for (int i = threadIdx.x; i < n; i += step) x[i] = i;
  put(x, blockIdx.x * blockDim.x + threadIdx.x, n);
}
void run_NUMBER(int n, int step) {
  float *x;
  cudaMalloc(&x, sizeof(float) * (n + NUMBER % 2));
  fill_NUMBER<<<(n + 127) / 128, 128>>>(x, n, step);
}
"""


def test_a_file_gives_the_same_bytes_in_any_number_of_pieces(tmp_path: Path) -> None:
    path = tmp_path / "many.cu"
    path.write_text(SHARED + "".join(KERNEL.replace("NUMBER", str(number)) for number in range(7)))
    runs = [cudalint("check", "many.cu", "--jobs", jobs, cwd=tmp_path) for jobs in ("1", "2", "5")]
    assert "7 kernels analysed" in runs[0].stdout and "IDX101" in runs[0].stdout
    assert len({run.stdout for run in runs}) == 1
