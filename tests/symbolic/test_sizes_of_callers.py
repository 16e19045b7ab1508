"""Arrays of fixed length and sizes that callers choose: which lengths there are is their business, not one of the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Reason, Verdict

HEADS = """
__global__ void gather_heads(float* out, const float* in, int heads, int hidden) {
    __shared__ float rows[3072];
    int size = hidden / heads;
    int half = blockDim.z * (blockDim.y >> 1);
    int first = (threadIdx.y >> 1) + threadIdx.z * (blockDim.y >> 1);
    for (int turn = 0; turn < 2; turn++) {
        int row = turn * half + first;
        int at = (row % blockDim.y) * size;
        rows[threadIdx.x + at + (row / blockDim.y + (threadIdx.y % 2) * blockDim.z) * hidden] = in[threadIdx.x];
    }
}
"""

LEVELS = """
struct Filters { int span[8]; float weight[8 * 16]; float more[400]; };
__constant__ Filters filters;

__global__ void blur(float* out, int first, int last) {
    for (int level = first; level < last; level++) out[level * 64 + threadIdx.x] = filters.span[level];
}

void blur_levels(float* out, int first, int last) { blur<<<1, 64>>>(out, first, last); }
"""

MARKS = """
#include <cuda_runtime.h>
__global__ void marked(const int *ids, int *active, int tokens, int first, int last) {
    extern __shared__ int seen[];
    for (int i = threadIdx.x; i < tokens; i += blockDim.x) {
        int id = ids[i];
        if (id >= first && id < last) seen[id - first] = 1;
    }
    __syncthreads();
    active[threadIdx.x] = seen[0];
}
void mark(const int *ids, int *active, int tokens, int first, int last, int local, int slots) {
    if (local == last - first) marked<<<1, 256, slots * sizeof(int)>>>(ids, active, tokens, first, last);
}
"""


def verdicts_of(tmp_path: Path, text: str, line: str) -> set[tuple[Verdict, Reason | None]]:
    (tmp_path / "k.cu").write_text(text)
    result = scan(ScanOptions(paths=(str(tmp_path / "k.cu"),), cache=False, jobs=1))
    numbers = {number for number, each in enumerate(text.splitlines(), 1) if line in each}
    found = (o for kernel in result.kernels for o in kernel.obligations if o.span.line in numbers)
    return {(o.verdict, o.reason) for o in found if o.kind.endswith(("dimension", "shared-write-bounds"))}


def test_rows_by_quotients_of_the_block_are_asked_about_in_one_launch(tmp_path: Path) -> None:
    assert verdicts_of(tmp_path, HEADS, "rows[threadIdx") == {(Verdict.UNKNOWN, Reason.UNTIED_EXTENT)}


def test_how_much_shared_memory_a_launch_has_is_as_open_as_what_its_caller_passes(tmp_path: Path) -> None:
    """Three inputs that one check relates have no values that are all the same."""
    assert verdicts_of(tmp_path, MARKS, "seen[id - first]") == {(Verdict.UNKNOWN, Reason.UNTIED_EXTENT)}


def test_two_ends_of_a_loop_that_callers_choose_are_as_one(tmp_path: Path) -> None:
    assert verdicts_of(tmp_path, LEVELS, "filters.span[level]") == {(Verdict.UNKNOWN, Reason.UNTIED_EXTENT)}


@pytest.mark.parametrize(
    ("text", "line", "given", "made"),
    [
        (HEADS, "rows[threadIdx", "(row % blockDim.y) * size", "(row % blockDim.y) * 512"),
        (LEVELS, "filters.span[level]", "level < last", "level <= 8"),
        (MARKS, "seen[id - first]", "slots * sizeof", "(local - 1) * sizeof"),
    ],
)
def test_what_no_size_of_theirs_mends_is_violated(tmp_path: Path, text: str, line: str, given: str, made: str) -> None:
    assert given in text
    found = verdicts_of(tmp_path, text.replace(given, made), line)
    assert Verdict.VIOLATED in {verdict for verdict, _ in found}
