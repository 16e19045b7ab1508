"""Launches that nvcc takes and clang does not, rewritten before the parse.

    k<<<blocks, {16, 16, 1}>>>(x);        k<<<blocks, dim3(16, 16, 1)>>>(x);

Only columns behind such a brace move, and only on its line.
"""

from __future__ import annotations

import re

_START = re.compile(r"(?<!<)<<<(?!<)")
_TOKEN = re.compile(r"<<<|>>>|[()\[\]{},;]")
_FARTHEST = 2_000


def braced_dimensions_named(text: str) -> str:
    """The text with `dim3(...)` for each braced list that is a launch's grid or block."""
    if "<<<" not in text:
        return text
    edits: list[tuple[int, str]] = []
    for start in _START.finditer(text):
        edits += _edits(text, start.end())
    for at, written in sorted(set(edits), reverse=True):
        text = text[:at] + written + text[at + 1 :]
    return text


def _edits(text: str, start: int) -> list[tuple[int, str]]:
    """Replacements of the braces that open or close a whole item of the configuration."""
    found: list[tuple[int, str]] = []
    opened: list[int] = []
    item = start
    for token in _TOKEN.finditer(text, start, start + _FARTHEST):
        at, mark = token.start(), token[0]
        if mark in ("(", "[", "{"):
            opened.append(at)
        elif mark in (")", "]", "}"):
            if not opened:
                return []
            begin = opened.pop()
            if mark == "}" and not opened and not text[item:begin].strip():
                found += [(begin, "dim3("), (at, ")")]
        elif mark == "," and not opened:
            item = token.end()
        elif mark == ">>>" and not opened:
            return found
        elif mark in (";", "<<<") and not opened:
            return []
    return []
