"""Constants of which only the name is known: one value for all uses, neither so large that an index overflows nor leading before
the start."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Verdict

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


TILES = """
__global__ void turn(float* x, int n) {
    extern __shared__ float tile[];
    for (int base = blockIdx.x * TILE; base < n; base += gridDim.x * TILE) {
        tile[threadIdx.x] = base + threadIdx.x < n ? x[base + threadIdx.x] : 0;
        __syncthreads();
        float last = tile[TILE - 1 - threadIdx.x];
        __syncthreads();
        if (base + threadIdx.x < n) x[base + threadIdx.x] = last;
    }
}
void run(int n) { float* x; cudaMalloc(&x, n * 4); turn<<<BLOCKS, THREADS, THREADS * 4>>>(x, n); }
"""


@pytest.mark.parametrize(
    ("blocks", "threads", "told"),
    [("(n + TILE - 1) / TILE", "TILE", set()), ("4", "TILE", set()), ("4", "TILE + 1", {"SYN102"})],
)
def test_kernel_and_launch_mean_the_same_constant_and_so_does_a_run(
    tmp_path: Path, blocks: str, threads: str, told: set[str]
) -> None:
    path = tmp_path / "turn.cu"
    path.write_text(TILES.replace("BLOCKS", blocks).replace("THREADS", threads))
    options = ScanOptions(
        paths=(str(path),), project_root=str(tmp_path), confirm="emulator", jobs=1, select=("IDX1", "SYN1")
    )
    assert {finding.code for finding in scan(options).findings} == told


def test_a_guard_holds_whatever_the_number_of_threads_is_called(tmp_path: Path) -> None:
    path = tmp_path / "fill.cu"
    path.write_text("""
    __global__ void fill(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 0; }
    void run(int n) { float* x; cudaMalloc(&x, n * 4); fill<<<(n + THREADS - 1) / THREADS, THREADS>>>(x, n); }
    """)
    (kernel,) = scan(ScanOptions(paths=(str(path),), project_root=str(tmp_path), jobs=1)).kernels
    assert kernel.obligations and all(o.verdict is Verdict.SAFE for o in kernel.obligations)


@pytest.mark.parametrize(("named", "verdicts"), [("", {Verdict.UNKNOWN}), (", PLACE", {Verdict.SAFE})])
def test_a_name_of_the_kernel_alone_may_be_another_value_in_each_thread(
    tmp_path: Path, named: str, verdicts: set[Verdict]
) -> None:
    path = tmp_path / "wait.cu"
    path.write_text(f"""
    __global__ void wait(float* x, int n, int m) {{ int i = PLACE; if (i < n) {{ __syncthreads(); x[0] = 1; }} }}
    void run(float* x, int n) {{ wait<<<4, 256>>>(x, n{named or ", n"}); }}
    """)
    (kernel,) = scan(ScanOptions(paths=(str(path),), project_root=str(tmp_path), jobs=1)).kernels
    assert {o.verdict for o in kernel.obligations if o.kind == "barrier-divergence"} == verdicts
