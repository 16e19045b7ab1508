"""Kernels that nothing launches are checked under ordinary launches, and every report says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.engine.contracts import NO_LAUNCH
from cudalint.engine.registry import rules
from cudalint.finding import Confidence, ScanResult
from cudalint.report import json_report, sarif, text
from cudalint.source import SourceFile

KERNEL = """__global__ void stage(float *x) {
  __shared__ float tile[%d];
  tile[threadIdx.x] = x[threadIdx.x];
}
"""
LAUNCH = "void run(float *x) { stage<<<2, 512>>>(x); }\n"


def scanned(root: Path, program: str, **options: object) -> ScanResult:
    (root / "k.cu").write_text(program)
    path = str(root / "k.cu")
    given = ScanOptions(paths=(path,), project_root=str(root), jobs=1, select=("IDX102",), profile="audit")
    return scan(replace(given, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(("size", "confidence"), [(12, Confidence.HIGH), (256, Confidence.MEDIUM)])
def test_what_every_ordinary_block_leaves_is_sure_and_what_some_leave_is_not(
    tmp_path: Path, size: int, confidence: Confidence
) -> None:
    (finding,) = scanned(tmp_path, KERNEL % size).findings
    assert finding.confidence is confidence


def test_an_array_for_the_largest_block_is_safe(tmp_path: Path) -> None:
    assert not scanned(tmp_path, KERNEL % 1024).findings


def test_the_finding_says_that_no_launch_was_found(tmp_path: Path) -> None:
    (finding,) = scanned(tmp_path, KERNEL % 100).findings
    assert finding.launch_site is None
    assert [a.origin for a in finding.assumptions if a.text == NO_LAUNCH] == ["ordinary"]


@pytest.mark.parametrize("program", [KERNEL % 100 + LAUNCH, "// cudalint: launch block=(512)\n" + KERNEL % 100])
def test_a_launch_or_the_promise_of_one_is_no_ordinary_one(tmp_path: Path, program: str) -> None:
    (finding,) = scanned(tmp_path, program).findings
    assert NO_LAUNCH not in [a.text for a in finding.assumptions]


def test_nor_is_the_block_of_the_options(tmp_path: Path) -> None:
    (finding,) = scanned(tmp_path, KERNEL % 100, block_dim=(512, 1, 1)).findings
    assert NO_LAUNCH not in [a.text for a in finding.assumptions]


@pytest.mark.parametrize("report", [text, json_report, sarif], ids=["text", "json", "sarif"])
def test_every_report_says_it(tmp_path: Path, report: ModuleType) -> None:
    program = KERNEL % 100
    result, sources = scanned(tmp_path, program), {"k.cu": SourceFile("k.cu", str(tmp_path / "k.cu"), program)}
    shown = " ".join(report.render(result, sources, rules()).split())
    assert NO_LAUNCH in shown
