"""Kernels that take OpenCV's views are checked as if its headers were there."""

from __future__ import annotations

from pathlib import Path

from cudalint.engine import ScanOptions, scan

DATA = Path(__file__).parent.parent / "data" / "opencv"


def found(name: str) -> list[tuple[str, int]]:
    result = scan(ScanOptions(paths=(str(DATA / name),)))
    return [(finding.code, finding.span.line) for finding in result.findings if finding.code.startswith("IDX1")]


def test_the_pixel_before_the_first_one_is_told() -> None:
    assert found("bad_view.cu") == [("IDX101", 8)]


def test_a_guarded_pixel_is_not() -> None:
    assert found("ok_view.cu") == []


def test_what_a_function_asserts_of_an_image_is_known_and_what_it_does_not_is_not() -> None:
    assert found("ok_input_array.cu") == []
    assert found("bad_input_array.cu") == [("IDX101", 12)]
