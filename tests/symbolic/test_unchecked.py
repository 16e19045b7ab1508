"""What host functions do not check and contracts take for granted is told once for each function, as lines to paste."""

from __future__ import annotations

from pathlib import Path

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Note, Noted

KERNEL = """#include <torch/extension.h>
__global__ void k(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }
"""
LAUNCH = "k<<<(n + 255) / 256, 256>>>((float *)x.data_ptr(), (float *)y.data_ptr(), n);"


def notes(folder: Path, text: str) -> list[Note]:
    (folder / "k.cu").write_text(KERNEL + text)
    result = scan(ScanOptions(paths=(str(folder / "k.cu"),), cache=False))
    return [note for note in result.notes if note.kind is Noted.UNCHECKED]


def test_a_function_that_checks_no_element_type_is_told_what_to_check(tmp_path: Path) -> None:
    (note,) = notes(tmp_path, f"void run(torch::Tensor x, torch::Tensor y) {{ int n = y.numel(); {LAUNCH} }}\n")
    assert note.text.startswith("what run() launches")
    assert "TORCH_CHECK(x.element_size() == 4); TORCH_CHECK(y.element_size() == 4);" in note.text
    assert note.line == 3 and not note.failed


def test_two_launches_of_one_function_are_one_note(tmp_path: Path) -> None:
    text = f"void run(torch::Tensor x, torch::Tensor y) {{ int n = y.numel(); {LAUNCH} {LAUNCH} }}\n"
    (note,) = notes(tmp_path, text)
    assert note.text.count("y.element_size()") == 1


def test_each_function_has_a_note_of_its_own(tmp_path: Path) -> None:
    body = f"(torch::Tensor x, torch::Tensor y) {{ int n = y.numel(); {LAUNCH} }}\n"
    assert [note.line for note in notes(tmp_path, "void one" + body + "void two" + body)] == [3, 4]


def test_what_is_checked_is_not_told(tmp_path: Path) -> None:
    launch = LAUNCH.replace("(float *)x.data_ptr()", "x.data_ptr<float>()").replace(
        "(float *)y.data_ptr()", "y.data_ptr<float>()"
    )
    checked = "TORCH_CHECK(x.numel() == y.numel()); int n = y.numel();"
    assert notes(tmp_path, f"void run(torch::Tensor x, torch::Tensor y) {{ {checked} {launch} }}\n") == []
