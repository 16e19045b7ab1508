"""Which class a function of the text is a method of."""

from __future__ import annotations

from functools import lru_cache

from cudalint.analysis.text.text_program import PROGRAMS_KEPT
from cudalint.ir.syntax import Outline, TextFunction

CLASSES = ("class_specifier", "struct_specifier")


def owners(function: TextFunction, outline: Outline) -> set[str]:
    """The class of a method, by its name or by where it stands, with those around it; empty for other functions."""
    found = {function.name.rpartition("::")[0].rpartition("::")[2]}
    found.update(name for name, start, end in _classes(outline) if start <= function.body.start < end)
    return found - {""}


@lru_cache(maxsize=PROGRAMS_KEPT)
def _classes(outline: Outline) -> list[tuple[str, int, int]]:
    """The classes of a file, and where each begins and ends."""
    named = ((node, node.child("name")) for node in outline.root.walk() if node.kind in CLASSES)
    return [(name.text.partition("<")[0].strip(), node.start, node.end) for node, name in named if name is not None]
