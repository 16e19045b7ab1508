"""Threads that return before a barrier that nobody needs them for: legal from sm_70 on, and told to who audits (SEMANTICS 15)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Confidence, Level

SUM = """
__global__ void sum(const float *x, float *out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  part[t] = 0;
  if (i >= n) return;
  part[t] = x[i];
  __syncthreads();
  if (t == 0) *out = part[0];
}
void start(const float *x, float *out, int n) { sum<<<(n + 255) / 256, 256>>>(x, out, n); }
"""


@pytest.mark.parametrize(
    ("target", "level", "confidence"),
    [("sm_80", Level.NOTE, Confidence.MEDIUM), ("sm_61", Level.WARNING, Confidence.HIGH)],
)
def test_it_is_a_note_for_new_targets(tmp_path: Path, target: str, level: Level, confidence: Confidence) -> None:
    path = tmp_path / "sum.cu"
    path.write_text(SUM)
    found = scan(ScanOptions((str(path),), profile="audit", targets=(target,))).findings
    assert [(f.level, f.confidence) for f in found if f.code == "SYN202"] == [(level, confidence)]
