"""Which functions of a file hold a barrier, or call one that does."""

from __future__ import annotations

import re

from cudalint.ir.syntax import Outline, TextFunction


def synchronising_functions(outline: Outline, barriers: tuple[str, ...] = ("__syncthreads",)) -> frozenset[str]:
    """Functions of the file in which one of the barriers stands, or a call of such a function."""
    helpers = [f for f in outline.functions if f.role != "kernel"]
    found = {f.name for f in helpers if any(barrier in f.body.text for barrier in barriers) and _holds(f, barriers)}
    for _ in range(3):
        more = {f.name for f in outline.functions if f.role != "kernel" and f.name not in found and _calls(f, found)}
        if not more:
            break
        found |= more
    return frozenset(found)


def _calls(function: TextFunction, names: set[str]) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\s*[(<]", function.body.text) for name in sorted(names) if name)


def _holds(function: TextFunction, barriers: tuple[str, ...]) -> bool:
    """One of its words is a barrier: what is commented out, or for another compiler, is none."""
    return any(barrier in node.text for node in function.body.walk() if not node.children for barrier in barriers)
