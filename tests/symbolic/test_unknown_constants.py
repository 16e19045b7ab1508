"""A constant of which only the name is known is neither so large that an index overflows, nor does it lead before the start."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan

KERNEL = """
__global__ void put(float* x, const long* at, int columns, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    %s
}
void run(float* x, const long* at, int columns, int n) { put<<<(n + 255) / 256, 256>>>(x, at, columns, n); }
"""


@pytest.mark.parametrize(
    ("store", "told"),
    [
        ("x[i * columns - FIRST] = 0;", {"IDX201"}),  # the product does
        ("int place = i + FIRST; x[place] = 0;", set()),
        ("x[i - FIRST] = 0;", set()),
        ("x[i - 1 - FIRST] = 0;", {"IDX101"}),
    ],
)
def test_what_only_a_large_constant_shows_is_not_told(tmp_path: Path, store: str, told: set[str]) -> None:
    path = tmp_path / "put.cu"
    path.write_text(KERNEL % store)
    options = ScanOptions(
        paths=(str(path),), project_root=str(tmp_path), confirm="emulator", jobs=1, select=("IDX101", "IDX201")
    )
    assert {finding.code for finding in scan(options).findings} == told
