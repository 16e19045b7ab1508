"""The macros that a file defines, as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\\r?\n|[^\n])*)", re.MULTILINE)
_WORD = re.compile(r"\b[A-Za-z_]\w*")


def macros_of(text: str) -> list[tuple[str, str]]:
    """(name, parameters and what it stands for) of each."""
    return [(found[1], found[2]) for found in _MACRO.finditer(text)]


def words_of(text: str) -> set[str]:
    return set(_WORD.findall(text))


def that_mention(names: set[str], texts: Iterable[tuple[str, str]]) -> set[str]:
    """The names, those whose text has one of them, those whose text has one of these, and so on."""
    each = [(name, words_of(text)) for name, text in texts]
    found, size = set(names), -1
    while size < len(found):
        size = len(found)
        found |= {name for name, words in each if words & found}
    return found
