"""Text as a terminal shows it: what is safe to print, how wide it is, and its colours."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

TAB = "    "
COLOURS = {"error": "1;31", "warning": "1;33", "note": "1;36", "bold": "1", "dim": "2", "good": "32"}


@dataclass(frozen=True, slots=True)
class Style:
    """Paints text, or leaves it as it is."""

    colour: bool = False

    def paint(self, text: str, kind: str) -> str:
        return f"\x1b[{COLOURS[kind]}m{text}\x1b[0m" if self.colour and text else text


def clean(text: str) -> str:
    """Without what would drive the terminal: control, bidirectional and surrogate characters become U+FFFD."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character == "\t":
        return TAB
    if character == "\u200d" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return character
    return "\ufffd"


def width(text: str) -> int:
    """Terminal cells of a cleaned text: wide characters take two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(character: str) -> int:
    if character == "\u200d" or unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
