"""What the kernels of a file may take together does not grow with their number."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint import term as t
from cudalint.engine import ScanOptions, scan
from cudalint.finding import Verdict
from cudalint.symbolic.solver.effort import (
    LEAST_SHARE,
    OF_READING,
    SPENT_AFTER,
    THOROUGH,
    TIRED_AFTER,
    WHOLE_KERNELS,
    Effort,
)
from cudalint.symbolic.solver.query import Solver
from cudalint.symbolic.solver.question import Model, Query, Undecided
from tests.project.test_discovery import tree


@pytest.mark.parametrize("kernels", [1, WHOLE_KERNELS])
def test_each_kernel_of_a_file_with_few_may_use_up_all_its_steps(kernels: int) -> None:
    assert Effort(thorough=False, kernels=kernels).limit == SPENT_AFTER


@pytest.mark.parametrize("kernels", [WHOLE_KERNELS + 1, 2 * WHOLE_KERNELS, 5 * WHOLE_KERNELS])
def test_many_kernels_take_no_more_than_a_few_hard_ones(kernels: int) -> None:
    """With what it takes to read them, which is no question to the solver."""
    together = kernels * (Effort(thorough=False, kernels=kernels).limit + OF_READING * SPENT_AFTER)
    assert together == pytest.approx(WHOLE_KERNELS * SPENT_AFTER, rel=1e-3)


def test_a_kernel_among_thousands_is_still_asked_about() -> None:
    assert Effort(thorough=False, kernels=5000).limit == LEAST_SHARE * SPENT_AFTER


def test_proofs_take_more_of_a_small_file_and_twice_as_much_of_a_large_one() -> None:
    assert Effort(thorough=True, kernels=1).limit == THOROUGH * SPENT_AFTER
    many = 4 * WHOLE_KERNELS
    assert Effort(thorough=True, kernels=many).limit >= 2 * Effort(thorough=False, kernels=many).limit
    assert many * Effort(thorough=True, kernels=many).limit < 2 * WHOLE_KERNELS * SPENT_AFTER


def test_the_limits_of_one_kernel_of_many_shrink_together() -> None:
    few = Effort(thorough=False, kernels=2 * WHOLE_KERNELS, steps=TIRED_AFTER // 2)
    assert few.is_tired and not few.is_spent and not few.is_patient


def test_who_waits_chooses_how_many_steps_a_kernel_may_take() -> None:
    usual = Effort(thorough=False)
    assert Effort(thorough=False, percent=25).limit == usual.limit / 4
    assert Effort(thorough=False, percent=200).limit == 2 * usual.limit


def test_with_little_effort_what_is_left_open_is_unknown() -> None:
    x = t.symbol("x", 0, 10)
    little = Effort(thorough=False, percent=1)
    solver = Solver(little)
    assert isinstance(solver.check(Query("first", (t.at_most(x, t.number(3)),))), Model)
    solver.count(little.limit)
    assert isinstance(solver.check(Query("second", (t.equal(x, t.number(4)),))), Undecided)


CHOSEN = """#include <cuda_runtime.h>
__global__ void multiply(const int* first, const int* column, const float* a, const float* x, float* y) {
    int tile = blockIdx.x, row = threadIdx.x;
    float sum = 0.f;
    for (int k = first[tile]; k < first[tile + 1]; ++k)
        for (int c = 0; c < 16; ++c) sum += a[(k * 16 + row) * 16 + c] * x[column[k] * 16 + c];
    y[tile * 16 + row] = sum;
}
void run(const int* first, const int* column, const float* a, const float* x, int rows) {
    if (rows < 16 || rows > 100000) return;
    float* y;
    cudaMalloc(&y, rows * sizeof(float));
    multiply<<<BLOCKS, 16>>>(first, column, a, x, y);
}
"""


@pytest.mark.parametrize("blocks, verdict", [("(rows + 15) / 16", Verdict.VIOLATED), ("rows / 16", Verdict.SAFE)])
def test_elements_that_memory_chooses_take_no_steps_from_others(blocks: str, verdict: Verdict, tmp_path: Path) -> None:
    folder = str(tree(tmp_path, {"a.cu": CHOSEN.replace("BLOCKS", blocks)}))
    (kernel,) = scan(ScanOptions((folder,), jobs=1, confirm="off")).kernels
    assert {o.verdict for o in kernel.obligations if o.kind == "global-write-bounds"} == {verdict}
