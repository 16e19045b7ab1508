"""What the comments beside a kernel say of shapes: never a proof, and a finding where the code leaves them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.cli.main import run
from cudalint.engine.options import ScanOptions
from cudalint.engine.scan import scan
from cudalint.finding import Confidence, Finding, KernelResult, Verdict

ROWS = """
__global__ void rows_of(float *out,        // [rows, cols]
                        const float *x,    // [rows, cols]
                        int rows, int cols) {
  int r = blockIdx.x;
  int c = threadIdx.x;
  if (r < rows && c < cols) out[(size_t)r * cols + c] = x[%s];
}
"""
INSIDE, OUTSIDE = "(size_t)r * cols + c", "c * rows + c"


def scanned(folder: Path, text: str, profile: str = "audit") -> tuple[list[Finding], list[KernelResult]]:
    (folder / "cudalint.toml").write_text("")
    (folder / "k.cu").write_text(text)
    result = scan(ScanOptions((str(folder),), project_root=str(folder), jobs=1, profile=profile, select=("IDX101",)))
    return list(result.findings), list(result.kernels)


def test_an_access_that_leaves_its_commented_shape_is_told_with_the_comment(tmp_path: Path) -> None:
    (finding,), _ = scanned(tmp_path, ROWS % OUTSIDE)
    (comment,) = [fact for fact in finding.assumptions if fact.origin == "comment"]
    assert (comment.text, comment.line) == ("shape(x) = [rows, cols]", 3)
    assert finding.span.line == 7 and finding.confidence is Confidence.MEDIUM


def test_accesses_inside_of_the_shape_are_not_proved_by_it(tmp_path: Path) -> None:
    findings, (kernel,) = scanned(tmp_path, ROWS % INSIDE)
    bounds = [o for o in kernel.obligations if o.kind.endswith("bounds")]
    assert findings == [] and {o.verdict for o in bounds} == {Verdict.UNKNOWN}
    assert "`// cudalint: shape(x) = [rows, cols]` promises it" in next(o.detail for o in bounds if "read" in o.kind)


def test_what_a_launch_allocates_counts_and_the_comment_does_not(tmp_path: Path) -> None:
    launch = """
    void run(int rows, int cols) {
      float *out, *x;
      cudaMalloc(&out, 4l * rows * cols);
      cudaMalloc(&x, 4l * (rows + cols) * (rows + cols));
      rows_of<<<rows, 256>>>(out, x, rows, cols);
    }"""
    findings, _ = scanned(tmp_path, ROWS % OUTSIDE + launch)
    assert not any(fact.origin == "comment" for finding in findings for fact in finding.assumptions)


@pytest.mark.parametrize("other", ["[cols, cols]", "[rows, width]", "[rows, out]"])
def test_two_shapes_or_one_in_names_that_the_kernel_has_not_say_nothing(tmp_path: Path, other: str) -> None:
    text = (ROWS % OUTSIDE).replace("int rows,", f"/* x: {other} */ int rows,")
    if "cols, cols" not in other:
        text = text.replace("x,    // [rows, cols]", f"x,    // {other}").replace(f"/* x: {other} */ ", "")
    assert scanned(tmp_path, text)[0] == []


def test_the_contract_shows_the_comment_as_a_line_to_promise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scanned(tmp_path, ROWS % INSIDE)
    assert run(["contract", "rows_of", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "    shape(x) = [rows, cols]    comment k.cu:3" in shown
    assert "    // cudalint: shape(x) = [rows, cols]" in shown
