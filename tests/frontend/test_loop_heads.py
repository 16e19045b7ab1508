"""Heads of loops that a macro writes, in the tree of a file."""

import pytest

from cudalint.frontend.loop_heads import plain_loop_heads
from cudalint.frontend.outline import outline
from cudalint.source import SourceFile


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("KERNEL_LOOP_TYPE(i, n * m * k, int) {", "while           (i, n * m * k, Int) {"),
        ("GRID_STRIDE(i, x.n)\n  y[i] = 0;", "while      (i, x.n)\n  y[i] = 0;"),
    ],
)
def test_arithmetic_stands_in_the_head_of_a_plain_loop(text: str, plain: str) -> None:
    assert plain_loop_heads(text, text) == plain


@pytest.mark.parametrize(
    "text",
    [
        "KERNEL_LOOP(i, n) {",  # reads as it is
        "KERNEL_LOOP(i, n * m);",
        "KERNEL_LOOP(i, n * m) }",
        "int LOOPS = f(a * b);",
        "#define STRIDE_LOOP(i, n) for (int i = 0; i < (n); ++i)",
        "#define OUTER(n) \\\n  KERNEL_LOOP(i, n * 4) x[i] = 0;",
    ],
)
def test_anything_else_stays(text: str) -> None:
    assert plain_loop_heads(text, text) == text


def test_the_kernel_around_such_a_loop_is_a_function() -> None:
    text = "__global__ void k(float *x, int n, int m) {\n  KERNEL_LOOP_TYPE(i, n * m * m, int) { x[i] = 0; }\n}\n"
    (function,) = outline(SourceFile("k.cu", "k.cu", text)).functions
    assert (function.name, function.role) == ("k", "kernel")
