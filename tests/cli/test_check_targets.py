"""Lanes of a warp make progress on their own from sm_70 on: what stops older devices is said where one of them is a target."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from tests.project.test_discovery import tree

HOST = """
void run(int blocks, const float *x, float *total, int *lock) {
  if (blocks < 1 || blocks > 1000) return;
  summed<<<blocks, 64>>>(x, total, lock);
  if (cudaGetLastError() != cudaSuccess) return;
}
"""
EVERY_LANE = """__global__ void summed(const float *x, float *total, int *lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  total[0] += 1.0f;
  __threadfence();
  atomicExch(lock, 0);
}
"""
FREED_INSIDE = """__global__ void summed(const float *x, float *total, int *lock) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      total[0] += 1.0f;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
"""
ONE_LANE = EVERY_LANE.replace("  while", "  if (threadIdx.x % 32 != 0) return;\n  while")


@pytest.mark.parametrize(
    ("kernel", "target", "told"),
    [
        (EVERY_LANE, "sm_60", [("SYN503", 2)]),
        (EVERY_LANE, "sm_80", []),
        (FREED_INSIDE, "sm_60", []),
        (ONE_LANE, "sm_60", []),
    ],
)
def test_a_lock_that_lanes_of_one_warp_want(
    kernel: str, target: str, told: list[tuple[str, int]], tmp_path: Path
) -> None:
    root = tree(tmp_path, {"a.cu": kernel + HOST})
    result = scan(ScanOptions(paths=(str(root),), jobs=1, targets=(target,)))
    assert [(finding.code, finding.span.line) for finding in result.findings] == told
