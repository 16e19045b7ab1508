"""A launch with too much shared memory is told once: by its text where that is shown, else by its number."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan

LAUNCHES = """
template <int M> struct Tile { static constexpr int bytes = M * 1024; };
template <class T> __global__ void k(float *x) { extern __shared__ float s[]; s[threadIdx.x] = x[threadIdx.x]; }
template <class T> void run(float *x) { k<T><<<1, 256, T::bytes>>>(x); }
void by_a_template(float *x) { run<Tile<64>>(x); }
void by_a_number(float *x) { k<Tile<64>><<<1, 256, 65536>>>(x); }
"""


@pytest.mark.parametrize(
    ("select", "ignore", "told"),
    [
        (("API104", "API136"), (), [("API136", 4), ("API104", 6)]),
        (("API136",), (), [("API136", 4), ("API136", 6)]),
        (("API1",), ("API104", "API101"), [("API136", 4), ("API136", 6)]),
    ],
)
def test_too_much_shared_memory(
    select: tuple[str, ...], ignore: tuple[str, ...], told: list[tuple[str, int]], tmp_path: Path
) -> None:
    (tmp_path / "k.cu").write_text(LAUNCHES)
    result = scan(ScanOptions((str(tmp_path),), project_root=str(tmp_path), jobs=1, select=select, ignore=ignore))
    assert [(f.code, f.span.line) for f in result.findings] == told
