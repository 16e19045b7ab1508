"""Kernels that nothing launches are checked under ordinary launches, and every report says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.engine.contracts import NO_LAUNCH, NOT_UNDERSTOOD
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


def test_nor_does_it_where_one_stands_that_was_not_understood(tmp_path: Path) -> None:
    lost = "template <typename T> struct Runs { void run(T *x) { stage<<<1, 256>>>(x->missing(&, ); } };\n"
    (finding,) = scanned(tmp_path, KERNEL % 100 + lost).findings
    texts = [a.text for a in finding.assumptions]
    assert NOT_UNDERSTOOD in texts and NO_LAUNCH not in texts


ROWS = """__global__ void clear(float *x, unsigned n_images, unsigned height, unsigned width) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x, image = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= height || image >= n_images) return;
  x += image * height * width + row * width;
  for (unsigned c = 0; c < width; ++c) x[c] = 0;
}
"""
LOST = "template <typename T> struct Runs { void run(T *x) { clear<<<1, 256>>>(x->missing(&, ); } };\n"


@pytest.mark.parametrize(("launch", "confidence"), [("", Confidence.HIGH), (LOST, Confidence.MEDIUM)])
def test_how_large_sizes_are_is_said_by_a_launch_that_was_not_understood(
    tmp_path: Path, launch: str, confidence: Confidence
) -> None:
    (finding,) = scanned(tmp_path, ROWS + launch, select=("IDX201",)).findings
    assert finding.confidence is confidence


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


TILE = """__global__ void tile(float *out, const float *in, int width) {
  __shared__ float s[40];
  const int t = threadIdx.x, left = min(32, width - (int)blockIdx.x * 32);
  if (t < left) s[t + 1] = in[blockIdx.x * 32 + t];
  if (t == 1) s[0] = 0.0f;
  if (t == 0) s[%s] = 1.0f;
  __syncthreads();
  if (t < left) out[blockIdx.x * 32 + t] = s[t] + s[t + 2];
}
"""
BEHIND = "min(33, max(0, left + 1))"  # the place of thread 1 in blocks that lie behind the data alone
INSIDE = "min(33, max(1, left))"


@pytest.mark.parametrize(("place", "confidence"), [(BEHIND, Confidence.MEDIUM), (INSIDE, Confidence.HIGH)])
def test_a_race_of_blocks_behind_the_data_is_not_sure_where_nothing_tells_the_grid(
    tmp_path: Path, place: str, confidence: Confidence
) -> None:
    (finding,) = scanned(tmp_path, TILE % place, select=("SYN101",)).findings
    assert finding.confidence is confidence


@pytest.mark.parametrize("blocks", ["width / 32 + 2", "blocks"])
def test_it_is_sure_where_the_launch_tells_the_grid(tmp_path: Path, blocks: str) -> None:
    launch = (
        f"void run(float *out, const float *in, int width, int blocks) {{ tile<<<{blocks}, 32>>>(out, in, width); }}"
    )
    (finding,) = scanned(tmp_path, TILE % BEHIND + launch, select=("SYN101",)).findings
    assert finding.confidence is Confidence.HIGH


def test_a_race_in_any_block_but_the_first_is_sure(tmp_path: Path) -> None:
    kernel = (
        "__global__ void k(float *x) { __shared__ float s[1]; if (blockIdx.x > 0) s[0] = x[threadIdx.x]; x[0] = s[0]; }"
    )
    (finding,) = scanned(tmp_path, kernel, select=("SYN101",)).findings
    assert finding.confidence is Confidence.HIGH
