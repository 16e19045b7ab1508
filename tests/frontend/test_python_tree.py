"""Python text is read without a word about it."""

from __future__ import annotations

import warnings

import pytest

from cudalint.frontend.python_tree import tree_of


def test_odd_escapes_are_read_in_silence() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tree_of('pattern = "a\\:b"') is not None


@pytest.mark.parametrize("text", ["def f(:", "x = 1\0", "(" * 10_000])
def test_what_is_no_python_has_no_tree(text: str) -> None:
    assert tree_of(text) is None
