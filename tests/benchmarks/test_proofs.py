"""Runs inside a contract refute a `safe` exactly where they leave an object or race at a place that is called safe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cudalint.finding import LaunchShape, Verdict
from tests.benchmarks.proofs import (
    SCHEDULES,
    Refuted,
    Walked,
    claims,
    launches,
    project_of,
    refuted,
    run_of,
    visit_walks,
)

RIGHT = """
#include <cuda_runtime.h>
__global__ void twice(const float* x, float* y, int n) {
    __shared__ float s[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : 0.f;
    __syncthreads();
    if (i < n) y[i] = s[threadIdx.x ^ 1];
}
void run(int n) {
    if (n <= 0 || n > 1000000) return;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    twice<<<(n + 127) / 128, 128>>>(x, y, n);
}
"""
FREE = """
// cudalint: extent(x) = n
// cudalint: assume 0 < n <= 100000
__global__ void fill(float* x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = 0;
}
"""


def walks(source: str, folder: Path) -> list[Walked]:
    path = folder / "kernel.cu"
    path.write_text(source)
    project = project_of([path], folder)
    found: list[Walked] = []
    visit_walks(project.jobs[0], project, found.append)
    return found


def called_safe(walked: Walked) -> None:
    """As a wrong engine would."""
    for obligation in (*walked.analysis.obligations, *walked.analysis.sync_results):
        obligation.verdict = Verdict.SAFE


def seen(walked: Walked, count: int = 6) -> list[Refuted]:
    found: list[Refuted] = []
    for number, draw in enumerate(launches(walked, 1, count)):
        outcome = run_of(walked, draw, number, SCHEDULES[number % 4])
        assert outcome is not None and outcome.status == "finished"
        found += refuted(walked.analysis, outcome)
    return found


ROWS = """
__global__ void rows(float *x, int width) {
  if (threadIdx.x >= width) return;
  x[(size_t)blockIdx.x * width + threadIdx.x] = threadIdx.x;
}
"""


def test_inputs_for_which_a_condition_wraps_refute_no_order_that_assumes_it_does_not(tmp_path: Path) -> None:
    (walked,) = walks(ROWS, tmp_path)
    (order,) = [o for o in walked.analysis.sync_results if o.kind == "race"]
    assert order.verdict is Verdict.SAFE and "does not wrap" in order.facts[0].text
    draw = replace(next(launches(walked, 1, 1)), shape=LaunchShape((4, 1, 1), (32, 1, 1)), values={"width": -1})
    outcome = run_of(walked, draw, 1)
    assert outcome is not None
    assert {each.what for each in refuted(walked.analysis, outcome)} == {"race"}
    assert not refuted(walked.analysis, outcome, draw.values)


def test_nothing_refutes_what_is_right(tmp_path: Path) -> None:
    (walked,) = walks(RIGHT, tmp_path)
    assert claims(walked.analysis) == (4, 2)
    assert not seen(walked)


@pytest.mark.parametrize(
    ("former", "changed", "what"),
    [
        ("if (i < n) y", "if (i <= n) y", "bounds"),
        ("    __syncthreads();\n", "", "race"),
        ("__syncthreads();", "if (threadIdx.x < 100) __syncthreads();", "divergence"),
        ("s[128]", "s[127]", "bounds"),
    ],
)
def test_a_wrong_safe_is_refuted(former: str, changed: str, what: str, tmp_path: Path) -> None:
    (walked,) = walks(RIGHT.replace(former, changed), tmp_path)
    assert not [each for each in seen(walked) if each.what == what], "the engine says what is wrong"
    called_safe(walked)
    assert what in {each.what for each in seen(walked)}


def test_free_dimensions_are_drawn(tmp_path: Path) -> None:
    (walked,) = walks(FREE, tmp_path)
    shapes = {draw.shape for draw in launches(walked, 1, 12)}
    assert len({shape.block for shape in shapes}) > 4
    assert {shape.block[1:] for shape in shapes} == {(1, 1)}, "nobody reads the other axes"
    assert not seen(walked, 12)
