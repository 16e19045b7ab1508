"""What needs to know the block, of kernels that nothing launches: the block that they are made for is taken, or an ordinary one."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan

TEAMS = """
__device__ void wait_first() { asm volatile("bar.sync 1, 64;" ::: "memory"); }
__device__ void wait_second() { asm volatile("bar.sync 2, COUNT;" ::: "memory"); }

__global__ void swap_in_teams(const int *in, int *out) {
  __shared__ int box[128];
  int t = threadIdx.x;
  box[t] = in[blockIdx.x * (size_t)128 + t];
  if (t < 64) {
    wait_first();
    out[blockIdx.x * (size_t)128 + t] = box[63 - t];
  } else {
    wait_second();
    out[blockIdx.x * (size_t)128 + t] = box[191 - t];
  }
}
"""
STEPS = """
__global__ void steps(const int *in, int *out) {
  __shared__ int s[257];
  int t = threadIdx.x;
  size_t first = (size_t)blockIdx.x * 256;
  s[t] = in[first + t];
  LAST
  __syncthreads();
  out[first + t] = s[t + 1] - s[t];
}
"""
BINS = """
__global__ void BOUNDS count(const unsigned char *in, int *bins, int n) {
  __shared__ int own[SIZE];
  int t = threadIdx.x;
  CLEAR
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i] % SIZE], 1);
  __syncthreads();
  for (int b = t; b < SIZE; b += blockDim.x) atomicAdd(&bins[b], own[b]);
}
"""


def told(folder: Path, code: str, text: str, **changed: str) -> int:
    for name, value in changed.items():
        text = text.replace(name, value)
    path = folder / "k.cu"
    path.write_text(text)
    return sum(finding.code == code for finding in scan(ScanOptions((str(path),))).findings)


@pytest.mark.parametrize(("count", "wrong"), [("128", 1), ("64", 0)])
def test_a_team_waits_for_as_many_threads_as_the_array_says_that_it_has(tmp_path: Path, count: str, wrong: int) -> None:
    assert told(tmp_path, "SYN204", TEAMS, COUNT=count) == wrong


@pytest.mark.parametrize(("last", "wrong"), [("", 1), ("if (t == 0) s[256] = in[first + 255];", 0)])
def test_the_place_behind_the_last_thread_has_to_be_filled(tmp_path: Path, last: str, wrong: int) -> None:
    assert told(tmp_path, "IDX303", STEPS, LAST=last) == wrong


@pytest.mark.parametrize(
    ("bounds", "size", "clear", "wrong"),
    [
        ("", "1024", "if (t < 1024) own[t] = 0;", 1),
        ("", "1024", "for (int b = t; b < 1024; b += blockDim.x) own[b] = 0;", 0),
        ("", "256", "if (t < 256) own[t] = 0;", 0),  # an ordinary block clears it
        ("__launch_bounds__(64)", "256", "if (t < 256) own[t] = 0;", 1),
    ],
)
def test_a_kernel_that_goes_round_in_its_block_runs_in_an_ordinary_one(
    tmp_path: Path, bounds: str, size: str, clear: str, wrong: int
) -> None:
    assert told(tmp_path, "IDX303", BINS, BOUNDS=bounds, SIZE=size, CLEAR=clear) == wrong
