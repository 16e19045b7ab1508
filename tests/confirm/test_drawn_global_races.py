"""Global arrays that the solver leaves open are tried in drawn launches of their caller: what each of them shows is a race."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cudalint.engine.drawn_races import try_open_races
from cudalint.finding import Confidence, Reason, Verdict
from cudalint.symbolic.issues import Analysis, OpenRace
from tests.benchmarks.proofs import Walked, project_of, visit_walks

ROWS = """
#include <cuda_runtime.h>
__global__ void scaled(const float *x, float *y, int rows, int cols, int pitch) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) y[i] = 2.0f * x[i];
}
void run(const float *x, float *y, int rows, int cols, int pitch) {
  scaled<<<(rows * cols + 127) / 128, 128>>>(x, y, rows, cols, pitch);
}
"""
HALVED = ROWS.replace("y[i] =", "y[i / 2] =")
NARROW = ROWS.replace("y[i] =", "y[i / cols * pitch + i % cols] =")
OF_DATA = ROWS.replace("y[i] =", "y[(int)x[i]] =")
LOST = "int blocks_for(int, int);" + HALVED.replace("(rows * cols + 127) / 128", "blocks_for(rows, cols)")


def walked(source: str, folder: Path) -> Walked:
    """The only walk of the file."""
    path = folder / "scaled.cu"
    path.write_text(source)
    project = project_of([path], folder)
    walks: list[Walked] = []
    (job,) = project.jobs
    visit_walks(job, project, walks.append)
    (only,) = walks
    return only


def left_open(walk: Walked, reason: Reason = Reason.SOLVER_LIMIT) -> Analysis:
    """The analysis as if the solver had decided nothing of `y`, after the runs."""
    analysis = walk.analysis
    (result,) = (r for r in analysis.sync_results if r.kind == "race" and r.object and r.object.name == "y")
    known = [race.accesses for race in analysis.open_races if race.result is result]
    result.verdict, result.reason = Verdict.UNKNOWN, reason
    analysis.races, analysis.open_races = [], [OpenRace(result, accesses) for accesses in known]
    try_open_races(analysis, walk.unit, walk.kernel, walk.contract, 0)
    return analysis


def test_two_threads_of_one_element_are_told_with_the_launch_that_shows_them(tmp_path: Path) -> None:
    (race,) = left_open(walked(HALVED, tmp_path)).races
    assert race.confidence is Confidence.HIGH
    assert {race.first.span.line, race.second.span.line} == {5}
    assert len({side.index for side in race.witness.threads}) == 1


@pytest.mark.parametrize("source", [NARROW, OF_DATA, LOST], ids=["some launches", "index of data", "lost grid"])
def test_what_hangs_on_more_than_the_launch_is_not_told(source: str, tmp_path: Path) -> None:
    """Rows overlap only where a pitch is too small; where the grid is lost, it may be of one thread."""
    assert not left_open(walked(source, tmp_path)).races


def test_what_the_solver_did_not_leave_open_is_not_tried(tmp_path: Path) -> None:
    assert not left_open(walked(HALVED, tmp_path), Reason.UNTIED_EXTENT).races


@pytest.mark.parametrize(("extraordinary", "confidence"), [(True, Confidence.HIGH), (False, Confidence.MEDIUM)])
def test_a_race_of_extraordinary_sizes_is_tried_with_ordinary_ones(
    extraordinary: bool, confidence: Confidence, tmp_path: Path
) -> None:
    """What the solver found in sizes of nobody is as sure as the launches of usual sizes make it."""
    walk = walked(HALVED, tmp_path)
    (race,) = walk.analysis.races
    walk.analysis.races = [replace(race, confidence=Confidence.MEDIUM, extraordinary=extraordinary)]
    try_open_races(walk.analysis, walk.unit, walk.kernel, walk.contract, 0)
    assert [each.confidence for each in walk.analysis.races] == [confidence]


@pytest.mark.parametrize(("window", "told"), [(4, 1), (1 << 20, 0)], ids=["in some launches", "in all launches"])
def test_equal_values_race_where_they_differ_in_another_launch(window: int, told: int, tmp_path: Path) -> None:
    """A sum over the rounds of a window is the same zero for all threads where the window is empty."""
    source = HALVED.replace("= 2.0f * x[i];", f"= pitch > {window} ? x[i] : 0.0f;")
    source = source.replace("rows, cols, pitch);\n}", "rows, cols, cols);\n}")
    races = left_open(walked(source, tmp_path)).races
    assert [race.confidence for race in races] == [Confidence.HIGH] * told


STRIDED = """
#include <torch/extension.h>
__global__ void copied(const float *x, float *y, int64_t pitch) {
  const int64_t row = blockIdx.x;
  for (int col = threadIdx.x; col < 5000; col += blockDim.x) y[row * pitch + col] = x[row * 5000 + col];
}
void run(torch::Tensor x, torch::Tensor y) {
  TORCH_CHECK(x.dim() == 2 && y.dim() == 2 && x.is_contiguous() && y.size(0) == x.size(0));
  TORCH_CHECK(x.size(1) == 5000 && y.size(1) == 5000);
  copied<<<x.size(0), 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), y.stride(0));
}
"""


def test_rows_of_a_tensor_with_strides_are_not_drawn_over_each_other(tmp_path: Path) -> None:
    """`y.stride(0)` is what the caller's tensor has: a draw of it that is too small says nothing of the kernel."""
    assert not left_open(walked(STRIDED, tmp_path)).races
