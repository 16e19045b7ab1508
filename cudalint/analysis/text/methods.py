"""Which class a function of the text is a method of."""

from __future__ import annotations

from cudalint.ir.syntax import Outline, TextFunction

CLASSES = ("class_specifier", "struct_specifier")


def owners(function: TextFunction, outline: Outline) -> set[str]:
    """The class of a method, by its name or by where it stands, with those around it; empty for other functions."""
    found = {function.name.rpartition("::")[0].rpartition("::")[2]}
    for node in outline.root.walk():
        name = node.child("name") if node.kind in CLASSES else None
        if name is not None and node.start <= function.body.start < node.end:
            found.add(name.text.partition("<")[0].strip())
    return found - {""}
