"""Numbers that are chosen for a template which nothing instantiates: what they make unreachable is not proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.engine.kernel import NOT_REACHED
from cudalint.finding import ObligationResult, Reason, Verdict

TOTALS = """\
template <int GROUPS, int ROWS>
__global__ void totals(const float *x, float *y, int n) {
  __shared__ float part[GROUPS];
  assert(blockDim.x == THREADS && blockDim.y == GROUPS);
  const int row = blockIdx.x * ROWS + threadIdx.y;
  if (row < n) {
    if (threadIdx.x == 0) part[threadIdx.y] = x[row];
    y[row * THREADS + threadIdx.x] = part[threadIdx.y];
  }
}
"""
LAUNCH = """\
void run(const float *x, float *y, int n) {
  totals<4, 4><<<n / 4, dim3(THREADS, 4)>>>(x, y, n);
}
"""


def obligations(folder: Path, text: str) -> list[ObligationResult]:
    (folder / "k.cu").write_text(text)
    (kernel,) = scan(ScanOptions((str(folder),), profile="audit", cache=False, jobs=1)).kernels
    return list(kernel.obligations)


def test_numbers_that_no_block_has_prove_nothing(tmp_path: Path) -> None:
    found = obligations(tmp_path, TOTALS.replace("THREADS", "512"))
    assert found and not any(o.verdict in (Verdict.SAFE, Verdict.UNREACHABLE) for o in found)
    assert {o.detail for o in found if o.reason is Reason.NO_LAUNCH} == {NOT_REACHED}


def test_numbers_that_a_block_has_are_what_is_walked(tmp_path: Path) -> None:
    found = obligations(tmp_path, TOTALS.replace("THREADS", "64"))
    assert {o.verdict for o in found if o.kind == "shared-access-race"} == {Verdict.VIOLATED}


@pytest.mark.parametrize("threads", ["64", "512"])
def test_under_a_launch_nothing_is_chosen(tmp_path: Path, threads: str) -> None:
    text = (TOTALS + LAUNCH).replace("THREADS", threads)
    found = obligations(tmp_path, text)
    assert not any(o.reason is Reason.NO_LAUNCH for o in found)
