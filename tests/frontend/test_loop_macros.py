"""Loops that macros open which nothing defines."""

from __future__ import annotations

import pytest

from cudalint.frontend.loop_macros import loop_macro


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("  CUDA_KERNEL_LOOP(i, n) {", "CUDA_KERNEL_LOOP"),
        ("CUDA_KERNEL_LOOP(i,\n   rows * columns)\n  y[i] = 0;", "CUDA_KERNEL_LOOP"),
        ("GRID_STRIDE(i, n) {", "GRID_STRIDE"),
    ],
)
def test_what_declares_a_name_before_a_statement_is_a_loop(text: str, name: str) -> None:
    found = loop_macro(text.split("\n"), 1, text)
    assert found is not None
    assert found[0] == name
    assert found[1].startswith("(ix, nx, ...) for (")


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("KERNEL_LOOP_TYPE(i, n, index_t) { y[i] = 0; }", "(ix, nx, tx)"),
        ("KERNEL_LOOP_TYPE(i, rows * columns, int)\n  y[i] = 0;", "(ix, nx, tx)"),
        ("KERNEL_LOOP_T(int32_t, i, n) {", "(tx, ix, nx)"),
        ("KERNEL_LOOP_FROM(i, n, first) {", "(ix, nx, ...)"),
    ],
)
def test_a_type_beside_the_name_is_the_type_of_the_name(text: str, parameters: str) -> None:
    found = loop_macro(text.split("\n"), 1, text)
    assert found is not None
    assert found[1].startswith(f"{parameters} for (long long ")
    assert ("if (tx ix = static_cast<tx>(" in found[1]) == ("tx" in parameters)


@pytest.mark.parametrize(
    "text",
    [
        "CUDA_KERNEL_LOOP(i, n);",  # a call
        "KERNEL_LOOP(n) {",  # nothing is declared
        "PLATFORM(i, n) {",
        "CHECKED(i, n) {",
        "#define KERNEL_LOOP(i, n) for (int i = 0; i < n; ++i)\nKERNEL_LOOP(i, n) {",
    ],
)
def test_anything_else_is_none(text: str) -> None:
    lines = text.split("\n")
    assert loop_macro(lines, len(lines), text) is None


def test_rows_and_columns_are_two_loops() -> None:
    found = loop_macro(["KERNEL_LOOP_2D(y, h, x, w) {"], 1, "")
    assert found is not None
    assert found[1].count("for (") == 2
