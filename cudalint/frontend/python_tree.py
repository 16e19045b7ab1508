"""The syntax tree of Python text, which is read and never run."""

from __future__ import annotations

import ast
import warnings


def tree_of(text: str) -> ast.Module | None:
    """None where it is no Python that this version reads; what a newer version says of odd escapes is not ours to tell."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
