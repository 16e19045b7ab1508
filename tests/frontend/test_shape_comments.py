"""Shapes in ordinary comments: which pointers they speak of, and what is a remark."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudalint.frontend.syntax import ShapeComment, index
from cudalint.source import SourceFile


def shapes(text: str) -> tuple[ShapeComment, ...]:
    return index(SourceFile("a.cu", "/a.cu", text)).shapes


def told(text: str) -> dict[str, tuple[str, ...]]:
    return {shape.pointer: shape.dimensions for shape in shapes(text)}


def behind(comment: str) -> tuple[str, ...] | None:
    """What a comment behind the parameter `x` says of it."""
    return told(f"__global__ void k(float *x, {comment}\n int n) {{}}").get("x")


def before(comment: str) -> dict[str, tuple[str, ...]]:
    """What a comment before the kernel says."""
    return told(f"{comment}\n__global__ void k(float *x, float *y, int B, int T) {{}}")


@pytest.mark.parametrize(
    ("comment", "dimensions"),
    [
        ("// [B, T, C]", ("B", "T", "C")),
        ("// (B, T)", ("B", "T")),
        ("/* [rows, cols] */", ("rows", "cols")),
        ("///< [n]", ("n",)),
        ("// [B][T][C]", ("B", "T", "C")),
        ("// M x K", ("M", "K")),
        ("// [M x K], row-major", ("M", "K")),
        ("// [n, k/8]", ("n", "k/8")),
        ("// (L, 3C)", ("L", "3 * C")),
        ("// in: [rows, cols]", ("rows", "cols")),
        ("// [batch * heads, (n + 31) / 32]", ("batch * heads", "(n + 31) / 32")),
    ],
)
def test_a_comment_behind_a_parameter_gives_its_shape(comment: str, dimensions: tuple[str, ...]) -> None:
    assert behind(comment) == dimensions


@pytest.mark.parametrize(
    "comment",
    [
        "// the input (optional)",
        "// (n)",
        "// [0, n)",
        "// [3]",
        "// [N, K] or [N, K / 64]",
        "// [B, C, H, W] -> [B, H, W, C]",
        "// [a, b; c]",
        '// ["x", y]',
        "// see f(a, b)",
    ],
)
def test_what_is_no_list_of_sizes_gives_none(comment: str) -> None:
    assert behind(comment) is None


@pytest.mark.parametrize(
    ("comment", "found"),
    [
        ("// x is (B, T), y has shape (B, 4)", {"x": ("B", "T"), "y": ("B", "4")}),
        ("// x, y are (B, T)", {"x": ("B", "T"), "y": ("B", "T")}),
        ("/* x: [B, T] */", {"x": ("B", "T")}),
        ("// @param x  input of shape [B, T]\n// @param y - [B]", {"x": ("B", "T"), "y": ("B",)}),
        ("// @param x input, shape [n, 4]", {"x": ("n", "4")}),
        ("// x[B][T]", {"x": ("B", "T")}),
        ("// sums x[i]", {}),
        ("// swaps x and y", {}),
    ],
)
def test_a_comment_before_the_kernel_speaks_of_the_names_that_it_gives(
    comment: str, found: dict[str, tuple[str, ...]]
) -> None:
    assert before(comment) == found


def test_a_comment_inside_the_body_or_of_another_function_is_not_read() -> None:
    inside = "__global__ void k(float *x, int B, int T) { // x is (B, T)\n}"
    far = "// x is (B, T)\n\n__global__ void k(float *x, int B, int T) {}"
    assert shapes(inside) == shapes(far) == ()


def test_the_place_is_that_of_the_brackets() -> None:
    (shape,) = shapes("__global__ void k(float *x, // [B, T]\n int B, int T) {}")
    assert (shape.span.line, shape.span.column, shape.span.end_column) == (1, 32, 38)


@given(
    st.lists(st.from_regex(r"[a-z][a-z_0-9]{0,6}\Z", fullmatch=True).filter(lambda n: n != "x"), min_size=2, max_size=8)
)
def test_every_list_of_names_is_a_shape(names: list[str]) -> None:
    assert behind(f"// [{', '.join(names)}]") == tuple(names)


@given(st.text(max_size=80))
def test_no_comment_stops_the_index(text: str) -> None:
    shapes(
        f"/* {text.replace('*/', '')} */ __global__ void k(float *x, // {text.splitlines()[0] if text else ''}\n int n) {{}}"
    )
