"""Arrays that a Python function makes without values, and to which the kernel adds."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan

FILE = '''
import cupy as cp

CODE = r"""
extern "C" __global__ void count(const unsigned char *x, unsigned int *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i]], 1u);
}
"""
count = cp.RawKernel(CODE, "count")
clear = cp.RawKernel('extern "C" __global__ void clear(unsigned int *b) { b[threadIdx.x] = 0; }', "clear")

def histogram(x):
    x = cp.ascontiguousarray(x, dtype=cp.uint8)
    bins = cp.MADE(256, dtype=cp.uint32)
    SETS
    count(((x.size + 255) // 256,), (256,), (x, bins, cp.int32(x.size)))
    return bins
'''


def lines(tmp_path: Path, made: str, sets: str) -> list[int]:
    """Where the findings are."""
    path = tmp_path / "histogram.py"
    path.write_text(FILE.replace("MADE", made).replace("SETS", sets))
    options = ScanOptions(paths=(str(path),), project_root=str(tmp_path), confirm="off", jobs=1, select=("IDX308",))
    return [finding.span.line for finding in scan(options).findings]


def test_memory_without_values_is_told_where_python_makes_it(tmp_path: Path) -> None:
    assert lines(tmp_path, "empty", "n = x.size") == [15]


def test_zeros_are_values(tmp_path: Path) -> None:
    assert lines(tmp_path, "zeros", "n = x.size") == []


@pytest.mark.parametrize(
    "sets",
    [
        "bins.fill(0)",
        "bins[:] = 0",
        "bins[...] *= 0",
        "cp.copyto(bins, 0)",
        "clear((1,), (256,), (bins,))",
        "reset(bins)",
    ],
)
def test_whatever_names_it_in_between_may_set_it(tmp_path: Path, sets: str) -> None:
    assert lines(tmp_path, "empty", sets) == []
