"""A barrier that not all threads reach is told with two threads: one that waits, and another one that does not come."""

from __future__ import annotations

from pathlib import Path

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Finding

ROUNDS = """
__global__ void followed(const int *next, int *out) {
    int at = 1;
    while (at) {
        __syncthreads();
        at = next[threadIdx.x];
    }
    out[threadIdx.x] = at;
}
void follow(const int *next, int *out) { followed<<<1, 64>>>(next, out); }
"""


def found_in(tmp_path: Path, text: str) -> list[Finding]:
    (tmp_path / "k.cu").write_text(text)
    result = scan(ScanOptions(paths=(str(tmp_path / "k.cu"),), cache=False, jobs=1))
    return [finding for finding in result.findings if finding.code == "SYN201"]


def test_threads_that_leave_a_loop_in_different_rounds_are_two(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, ROUNDS)
    assert finding.witness is not None
    waits, absent = (side.thread for side in finding.witness.threads)
    assert waits != absent


def test_one_thread_alone_waits_for_no_other(tmp_path: Path) -> None:
    assert not found_in(tmp_path, ROUNDS.replace("<<<1, 64>>>", "<<<1, 1>>>"))
