"""`cudalint contract`: facts with their origin, what is open, and lines that settle it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cudalint.cli.main import run

KERNEL = """
__global__ void add_rows(float *out, const float *x, const float *bias, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  size_t r = blockIdx.y;
  if (c < cols && r < rows) out[r * cols + c] = x[r * cols + c] + bias[c];
}
"""
LAUNCH = """
void run(float *out, const float *x, int rows, int cols) {
  float *bias;
  cudaMalloc(&bias, cols * sizeof(float));
  add_rows<<<dim3((cols + 255) / 256, rows), 256>>>(out, x, bias, rows, cols);
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "cudalint.toml").write_text("")
    (tmp_path / "rows.cu").write_text(KERNEL + LAUNCH)
    return tmp_path


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["contract", *arguments]) == 0
    return capsys.readouterr().out


def test_each_fact_has_its_origin_and_place(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, "add_rows", str(project)).splitlines()
    assert lines[0] == "add_rows at rows.cu:2"
    assert lines[1] == "  launched by run at rows.cu:11"
    assert "    grid = ((cols + 255) / 256, rows), block = 256  launch rows.cu:11" in lines
    assert any(line.split("  ")[2].strip() == "bias = cudaMalloc(4*cols bytes)" for line in lines if "bias =" in line)


def test_open_pointers_name_who_decides_and_the_line_to_paste(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(capsys, "add_rows", str(project))
    assert "    open: out: `out` is a parameter of run; run is an entry point, its callers decide" in text
    assert "    // cudalint: extent(out) = rows * cols" in text
    assert "extent(bias)" not in text


def test_the_pasted_lines_give_what_was_announced(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = json.loads(shown(capsys, "add_rows", str(project), "--format", "json"))["contracts"][0]
    pasted = "\n".join(before["suggested"])
    (project / "rows.cu").write_text(KERNEL.replace("__global__", pasted + "\n__global__") + LAUNCH)
    after = json.loads(shown(capsys, "add_rows", str(project), "--format", "json"))["contracts"][0]
    assert before["verdicts"] != before["verdicts_with_suggested"] == after["verdicts"]
    assert after["suggested"] == []
    assert before["open"] and not after["open"]
    assert {"annotation", "launch"} <= {fact["origin"] for fact in after["facts"]}


def test_without_a_launch_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.cu").write_text(KERNEL)
    assert "  no launch is visible" in shown(capsys, "add_rows", str(tmp_path / "k.cu"))


def test_an_unknown_kernel_is_a_mistake_of_the_user(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["contract", "add_row", str(project)]) == 2
    assert capsys.readouterr().err == "error: no kernel named `add_row` in the given paths\n"
