"""What arrays of a Python function hold when a kernel gets them, and the uses behind which nothing is known of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions
from cudalint.engine.contract_view import kernel_contracts

FILE = """import cupy as cp
import torch
kernel = cp.RawKernel(r'''
// cudalint: PROMISE
extern "C" __global__ void k(float *y, const float *x, const int *idx, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[idx[i]];
}
extern "C" __global__ void look(const int *idx, int n) {}
extern "C" __global__ void fill(int *idx, int n) { if (threadIdx.x < n) idx[threadIdx.x] = 7; }
''', "k")
module = cp.RawModule(code=kernel.code)
fill = cp.RawKernel(kernel.code, "fill")
ones = fill

def run(x, n, change):
    y = cp.empty(n, dtype=cp.float32)
    MADE
    kernel(((n + 255) // 256,), (256,), (y, x.astype(cp.float32), idx, n))
    return y
"""
ARANGE = "idx = cp.arange(n, dtype=cp.int32)"


def state(folder: Path, promise: str, made: str) -> str:
    file = folder / "a.py"
    file.write_text(FILE.replace("PROMISE", promise).replace("MADE", made))
    (view,) = kernel_contracts("k", ScanOptions(paths=(str(file),), project_root=str(folder), jobs=1, cache=False))
    ((_, found),) = view.promises
    return found


@pytest.mark.parametrize(
    ("promise", "made", "found"),
    [
        ("values(idx) in [0, n)", ARANGE, "kept"),
        ("values(idx) in [1, n]", ARANGE, "broken"),
        ("values(idx) in [0, n)", "idx = cp.arange(1, n + 1, dtype=cp.int32)", "broken"),
        ("distinct(idx)", "idx = cp.arange(0, 2 * n, 2, dtype=cp.int32)", "kept"),
        ("values(idx) in [0, n)", "idx = cp.full(n, -1, dtype=cp.int32)", "broken"),
        ("values(idx) in [0, n)", "idx = cp.zeros(n, cp.int32)", "kept"),
        ("distinct(idx)", "idx = cp.ones_like(x, dtype=cp.int32)", "broken"),
        ("values(idx) in [0, n)", "idx = torch.zeros(n, dtype=torch.int32)", "kept"),
        ("values(idx) in [0, n)", ARANGE + "; assert idx.size == n", "kept"),
    ],
)
def test_an_array_that_is_only_passed_on_holds_what_it_was_made_with(
    tmp_path: Path, promise: str, made: str, found: str
) -> None:
    assert state(tmp_path, promise, made) == found


@pytest.mark.parametrize(
    "later",
    [
        "idx[0] = n",
        "idx += 1",
        "idx.sort()",
        "idx.fill(n)",
        "change(idx)",
        "cp.add(idx, 1, out=idx)",
        "other = idx; other[0] = n",
        "part = idx[1:]; part[0] = n",
        "x.table = idx; change(x)",
        "fill((1,), (32,), (idx, n))",
        "change((1,), (32,), (idx, n))",
        "idx = cp.empty(n, dtype=cp.int32)",
        "def inner():\n        idx[0] = n\n    inner()",
    ],
)
def test_what_python_may_have_changed_is_not_compared(tmp_path: Path, later: str) -> None:
    assert state(tmp_path, "values(idx) in [0, n)", f"{ARANGE}\n    {later}") == "not compared"


@pytest.mark.parametrize("type_", ["int64", "uint32", "float32"])
def test_elements_of_another_type_are_not_compared(tmp_path: Path, type_: str) -> None:
    assert state(tmp_path, "values(idx) in [0, n)", f"idx = cp.arange(n, dtype=cp.{type_})") == "not compared"
