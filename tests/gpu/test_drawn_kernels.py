"""Drawn launches of kernels whose program runs them on more than an emulator can follow. Needs no GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.gpu.drawn_kernels import ORDINARY, SMALLER, drawn_kernels

SUM = """
__global__ void sum_rows(const float *x, float *sums, int columns) {
    extern __shared__ float part[];
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += x[blockIdx.x * columns + i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
"""
FIXED = """
void launch(const float *x, float *sums, int rows, int columns, int block) {
    sum_rows<<<rows, block, block * sizeof(float)>>>(x, sums, columns);
}
int main() {
    int rows = 8192;
    int columns = 3072;
    int block = 128;
    float *x, *sums;
    cudaMalloc(&x, rows * columns * sizeof(float));
    cudaMalloc(&sums, rows * sizeof(float));
    launch(x, sums, rows, columns, block);
}
"""
VECTORS = """
__global__ void scale(float4 *x, const float *by, int columns) {
    const float4 *row = reinterpret_cast<const float4 *>(by + blockIdx.x * columns);
    for (int i = threadIdx.x; i < columns / 4; i += blockDim.x) {
        float4 v = row[i];
        x[blockIdx.x * (columns / 4) + i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    }
}
"""


def drawn(folder: Path, text: str) -> dict[str, Any]:
    (folder / ".git").mkdir()
    (folder / "k.cu").write_text(text)
    return {kernel.name: found for kernel, found in drawn_kernels(folder, "1/1", 40)}


def test_sizes_that_a_program_fixes_are_halved_and_its_blocks_stay(tmp_path: Path) -> None:
    found = drawn(tmp_path, SUM + FIXED)["sum_rows"]
    assert (len(found.instead), found.launch) == (3, SMALLER)
    for plan in found.instead:
        launch, columns = plan["launch"], plan["args"][2]["value"]
        extents = {buffer["name"]: buffer["size"] for buffer in plan["buffers"]}
        assert (launch["block"], launch["shared"]) == ([128, 1, 1], 512)
        assert launch["grid"][0] in {8192 >> k for k in range(14)} and columns in {3072 >> k for k in range(12)}
        assert extents == {"main:x": 4 * launch["grid"][0] * columns, "main:sums": 4 * launch["grid"][0]}


def test_a_program_that_is_small_is_run_as_it_is(tmp_path: Path) -> None:
    found = drawn(tmp_path, SUM + FIXED.replace("8192", "64").replace("3072", "100"))["sum_rows"]
    assert [plan["launch"]["grid"][0] for plan in found.plans] == [64]
    assert found.instead is None


@pytest.mark.parametrize("name", ["sum_rows", "scale"])
def test_what_nothing_launches_has_shared_memory_and_whole_vectors(tmp_path: Path, name: str) -> None:
    found = drawn(tmp_path, SUM + VECTORS)[name]
    assert (len(found.instead), found.launch) == (3, ORDINARY), found.reasons
