"""Mutants that fail are held against what a scan shows of them and does not show of the original."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.mutations import mutations
from tests.benchmarks.proofs import project_of
from tests.benchmarks.random_launches import Chosen
from tests.benchmarks.reported import Scored, findings_of, scored

TEXT = """\
#include <cuda_runtime.h>
__global__ void shift(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}
void all(int n) {
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  shift<<<(n + 63) / 64, 64>>>(x, n);
  cudaGetLastError();
}
"""


def outcomes(folder: Path, kind: str) -> list[Scored]:
    (folder / "shift.cu").write_text(TEXT)
    project = project_of([folder / "shift.cu"], folder)
    chosen = Chosen("shift", project, project.jobs[0])
    before = findings_of(chosen, chosen.job)
    assert not any(before.values())
    every = enumerate(mutations(TEXT))
    return [scored(chosen, number, mutation, 8, before) for number, mutation in every if mutation.kind == kind]


def test_a_guard_that_is_gone_is_told_of(tmp_path: Path) -> None:
    (dropped,) = outcomes(tmp_path, "drop-guard")
    assert dropped.outcome == "right family"
    assert dropped.told == ["IDX101:4"]
    assert dropped.seen.startswith("out_of_bounds")


def test_a_mutant_that_never_fails_counts_for_nothing(tmp_path: Path) -> None:
    assert {each.outcome for each in outcomes(tmp_path, "swap-dimensions") if not each.seen} <= {"clean"}
