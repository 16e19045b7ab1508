"""What is left out where the solver has worked enough on a kernel, and that it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint import ir
from cudalint.contract import Contract
from cudalint.engine import ScanOptions, scan
from cudalint.finding import ScanResult, Verdict
from cudalint.symbolic import analyse as symbolic
from cudalint.symbolic.model import Analysis
from cudalint.symbolic.solver.effort import TIRED_AFTER, Effort
from tests.project.test_discovery import tree

LAUNCHED_TWICE = """
__global__ void fill(float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 0.f; }
void run(float* y, int n) {
  fill<<<1, 256>>>(y, n);
  fill<<<1, 64>>>(y, n / 2);
}
"""
TWO_INSTANCES = """
template <int N> __global__ void fill(float* y) { if (threadIdx.x < N) y[threadIdx.x] = 0.f; }
void run(float* y) {
  fill<16><<<1, 32>>>(y);
  fill<32><<<1, 64>>>(y);
}
"""


def notes_where_a_launch_takes(
    steps: int, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **more: int
) -> list[str]:
    """Of a scan in which the questions about each launch take so many steps."""
    costly_launches(steps, monkeypatch)
    return [note.text for note in scanned(text, folder, **more).notes]


def costly_launches(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    analyse = symbolic.analyse

    def costly(unit: ir.Unit, kernel: ir.Function, contract: Contract, effort: Effort) -> Analysis:
        effort.steps += steps
        return analyse(unit, kernel, contract, effort)

    monkeypatch.setattr(symbolic, "analyse", costly)


def scanned(text: str, folder: Path, **more: int) -> ScanResult:
    return scan(ScanOptions((str(tree(folder, {"a.cu": text})),), jobs=1, **more))  # type: ignore[arg-type]


def test_a_further_launch_is_left_out_where_the_first_took_many_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert notes_where_a_launch_takes(0, LAUNCHED_TWICE, tmp_path, monkeypatch) == []
    notes = notes_where_a_launch_takes(TIRED_AFTER, LAUNCHED_TWICE, tmp_path, monkeypatch)
    assert notes == ["kernel `fill`: 1 launches not walked"]


def test_a_further_instance_is_left_out_where_the_first_tired_the_solver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert notes_where_a_launch_takes(0, TWO_INSTANCES, tmp_path, monkeypatch) == []
    notes = notes_where_a_launch_takes(TIRED_AFTER, TWO_INSTANCES, tmp_path, monkeypatch)
    assert notes == ["kernel `fill`: 1 instances not walked"]


def verdicts(result: ScanResult) -> set[Verdict]:
    return {o.verdict for kernel in result.kernels for o in kernel.obligations if o.kind == "global-write-bounds"}


def test_what_is_proved_of_one_instance_is_not_proved_of_one_that_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allocated = TWO_INSTANCES.replace("(float* y) {\n", "() {\n  float* y; cudaMalloc(&y, 32 * 4);\n")
    assert "cudaMalloc" in allocated
    folder = tmp_path / "all"
    folder.mkdir()
    assert verdicts(scanned(allocated, folder)) == {Verdict.SAFE}
    costly_launches(TIRED_AFTER, monkeypatch)
    assert verdicts(scanned(allocated, tmp_path)) == {Verdict.UNKNOWN}


def test_more_effort_looks_at_all_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert notes_where_a_launch_takes(TIRED_AFTER, LAUNCHED_TWICE, tmp_path, monkeypatch, effort=200) == []
