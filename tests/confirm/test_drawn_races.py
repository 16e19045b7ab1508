"""Shared arrays that the solver leaves open are tried in drawn launches: what every launch shows is a race."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine.drawn_races import try_open_races
from cudalint.engine.options import ScanOptions
from cudalint.engine.scan import scan
from cudalint.finding import Reason, Verdict
from cudalint.rule import shown_by_default
from cudalint.symbolic.issues import Analysis, OpenRace
from cudalint.symbolic.model import Access
from tests.benchmarks.proofs import Walked, project_of, visit_walks

EXCHANGE = """
#include <cuda_runtime.h>
__global__ void exchange(const float *x, float *y, const int *length, int n) {
  extern __shared__ float s[];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  y[blockIdx.x * blockDim.x + t] = s[(t + 1) % blockDim.x] + n;
}
void run(const float *x, float *y, const int *length, int n, int blocks, int threads) {
  if (threads % 32 == 0 && blocks > 0) exchange<<<blocks, threads, threads * sizeof(float)>>>(x, y, length, n);
}
"""
WITHOUT_BARRIER = EXCHANGE.replace("  __syncthreads();\n", "")
IN_A_SMALL_PART = WITHOUT_BARRIER.replace("(t + 1) % blockDim.x", "t == 999 ? t - 1 : t")


def left_open(source: str, folder: Path, reason: Reason = Reason.SOLVER_LIMIT) -> Analysis:
    """The analysis as if the solver had decided nothing of `s`, after the runs."""
    path = folder / "exchange.cu"
    path.write_text(source)
    project = project_of([path], folder)
    walks: list[Walked] = []
    (job,) = project.jobs
    visit_walks(job, project, walks.append)
    (walked,) = walks
    analysis = walked.analysis
    (result,) = (r for r in analysis.sync_results if r.kind == "race" and r.object and r.object.name == "s")
    known: list[Access] = [side for race in analysis.races for side in (race.first, race.second)]
    accesses = next((race.accesses for race in analysis.open_races if race.result is result), tuple(known))
    result.verdict, result.reason = Verdict.UNKNOWN, reason
    analysis.races, analysis.open_races = [], [OpenRace(result, accesses)]
    try_open_races(analysis, walked.unit, walked.kernel, walked.contract, 0)
    return analysis


def test_a_missing_barrier_is_told_with_the_launch_that_shows_it(tmp_path: Path) -> None:
    (race,) = left_open(WITHOUT_BARRIER, tmp_path).races
    lines = {race.first.span.line, race.second.span.line}
    assert lines == {
        n + 1 for n, line in enumerate(WITHOUT_BARRIER.splitlines()) if "s[" in line and "__shared__" not in line
    }
    assert race.witness.launch.block[0] > 32 and len(race.witness.threads) == 2


@pytest.mark.parametrize("source", [EXCHANGE, IN_A_SMALL_PART], ids=["barrier", "never there"])
def test_nothing_is_told_where_no_launch_shows_it(source: str, tmp_path: Path) -> None:
    assert not left_open(source, tmp_path).races


def test_what_the_solver_did_not_leave_open_is_not_tried(tmp_path: Path) -> None:
    assert not left_open(WITHOUT_BARRIER, tmp_path, Reason.MEMORY_VALUE).races


TREE = """
#include <cuda_runtime.h>
__global__ void sums(const float *x, float *y, unsigned n) {
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  extern __shared__ float s[];
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 32; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t < 32) {
    float v = sum_of_warp(s[t]);
    if (t == 0) y[blockIdx.x] = v;
  }
}
"""
IN_THE_LOOP = TREE.replace("    __syncthreads();\n", "")
BEFORE_IT = TREE.replace("  __syncthreads();\n  for", "  for")


@pytest.mark.parametrize(("source", "lines"), [(TREE, []), (IN_THE_LOOP, [9]), (BEFORE_IT, [6])])
def test_blocks_of_usual_sizes_show_it_where_nobody_knows_the_launch(
    source: str, lines: list[int], tmp_path: Path
) -> None:
    """Its sum of a warp stands in no file; in the loop the smallest block comes to no second round."""
    (tmp_path / "sums.cu").write_text(source)
    result = scan(ScanOptions((str(tmp_path / "sums.cu"),), project_root=str(tmp_path), jobs=1, select=("SYN101",)))
    assert [finding.span.line for finding in result.findings if shown_by_default(finding)] == lines


DILATION = """
#include "view.h"
__constant__ float window[MOST * MOST];
template <typename T> __device__ void load(T *s, const View<T> &in, int at, int x) { s[at] = x < in.dims[0] ? in.ptr[x] : T(0); }
template <typename T>
__global__ void dilate(View<T> out, View<T> in, int width) {
  SharedMemory<T> shared;
  T *s = shared.getPointer();
  const int first = blockIdx.x * blockDim.x, half = width / 2;
  for (int at = threadIdx.x; at < blockDim.x + 2 * half; at += blockDim.x) load(s, in, at, first + at - half);
  __syncthreads();
  T most = Limits<T>::lowest();
  for (int k = 0; k < width; ++k)
    if (window[k] > 0) most = max(most, s[threadIdx.x + k]);
  if (first + threadIdx.x < in.dims[0]) out.ptr[first + threadIdx.x] = most;
}
"""


@pytest.mark.parametrize(("source", "lines"), [(DILATION, []), (DILATION.replace("  __syncthreads();\n", ""), [4])])
def test_classes_of_headers_that_are_not_there_are_run_as_they_were_guessed(
    source: str, lines: list[int], tmp_path: Path
) -> None:
    """The host fills the window, and how wide it is nobody says: it differs from launch to launch."""
    (tmp_path / "dilate.cu").write_text(source)
    result = scan(ScanOptions((str(tmp_path / "dilate.cu"),), project_root=str(tmp_path), jobs=1, select=("SYN101",)))
    assert [finding.span.line for finding in result.findings if shown_by_default(finding)] == lines


RANKED = """
#include <cuda_runtime.h>
#include <cub/cub.cuh>
__global__ void ranked(const int *x, float *y, int n) {
  typedef cub::BlockScan<int, 128> Scan;
  __shared__ typename Scan::TempStorage storage;
  __shared__ float s[128];
  const int t = threadIdx.x;
  int rank, total;
  Scan(storage).ExclusiveSum(x[blockIdx.x * 128 + t] > 0 ? 1 : 0, rank, total);
  s[t] = x[blockIdx.x * 128 + t];
  __syncthreads();
  y[blockIdx.x * 128 + t] = s[(t + 1) % 128] + rank;
}
void run(const int *x, float *y, int n, int blocks) {
  if (blocks > 0) ranked<<<blocks, 128>>>(x, y, n);
}
"""
BY_RANK = RANKED.replace("s[t] = x", "s[rank] = x").replace("  __syncthreads();\n", "")
WHERE_RANKED = RANKED.replace("s[t] = x", "if (rank > 0) s[t] = x").replace("  __syncthreads();\n", "")


def test_a_run_goes_on_past_what_has_no_body(tmp_path: Path) -> None:
    assert not left_open(RANKED, tmp_path).races
    (race,) = left_open(RANKED.replace("  __syncthreads();\n", ""), tmp_path).races
    assert {race.first.span.line, race.second.span.line} == {11, 12}


@pytest.mark.parametrize("source", [BY_RANK, WHERE_RANKED], ids=["where", "who"])
def test_what_rests_on_a_value_that_nobody_knows_is_not_told(source: str, tmp_path: Path) -> None:
    assert not left_open(source, tmp_path).races
