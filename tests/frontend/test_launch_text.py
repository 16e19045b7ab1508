"""Braced dimensions of launches get the name of their type, and nothing else changes."""

from __future__ import annotations

import pytest

from cudalint.frontend.launch_text import braced_dimensions_named as named


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("k<<<n, {16, 16, 1}, 0, s>>>(x);", "k<<<n, dim3(16, 16, 1), 0, s>>>(x);"),
        ("k<<<{a[i], f({1})}, {32}>>>(x);", "k<<<dim3(a[i], f({1})), dim3(32)>>>(x);"),
        ("k<<<\n  {n / 4, 1},\n  t>>>();", "k<<<\n  dim3(n / 4, 1),\n  t>>>();"),
    ],
)
def test_braced_dimensions_are_named(written: str, read: str) -> None:
    assert named(written) == read


@pytest.mark.parametrize(
    "text",
    [
        "k<<<dim3{1, 2}, 32>>>(x);",
        "k<<<f([] { return 1; }), 32>>>(x);",
        "<<<<<<< HEAD\nint a[] = {1};\n=======\n>>>>>>> theirs",
        "k<<<n, {16, 16",
        "std::cout << a; if (b) { c; }",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert named(text) == text
