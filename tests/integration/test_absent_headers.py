"""Kernels whose headers are not there: guards and indices that need none of them count, what the headers say is nobody's."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan

ELEMENTS = """#include "not_here.cuh"
__global__ void copied(const real_t *x, real_t *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    real_t w = y[%s];
    y[i] = w;
}
void run(const real_t *x, int n) {
    real_t *y;
    cudaMalloc(&y, %s);
    copied<<<(n + 255) / 256, 256>>>(x, y, n);
}
"""


@pytest.mark.parametrize("size", ["n * sizeof(real_t)", "n * sizeof( real_t )", "n * sizeof(*y)", "4 * n"])
@pytest.mark.parametrize(("index", "lines"), [("i", []), ("i + 1", [5])])
def test_elements_of_a_type_that_is_not_there_lie_in_memory_that_is_made_for_them(
    tmp_path: Path, size: str, index: str, lines: list[int]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(ELEMENTS % (index, size))
    result = scan(ScanOptions(paths=(str(path),), project_root=str(tmp_path), confirm="none", jobs=1))
    assert sorted(f.span.line for f in result.findings if f.code == "IDX101") == lines
