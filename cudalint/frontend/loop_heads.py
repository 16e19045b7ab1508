"""Heads of loops that a macro writes, where no tree of C++ has a place for their arguments, as heads of plain loops.

    KERNEL_LOOP_TYPE(i, rows * columns * planes, int) {       ->       while           (i, rows * columns * planes, Int) {

What stands there otherwise reads as the head of a function, as long as its arguments read as parameters; the kernel around any
other is lost. Every character keeps its place.
"""

from __future__ import annotations

import re

_HEAD = re.compile(r"(?<![\w#])([A-Z][A-Z0-9_]*(?:LOOP|STRIDE)[A-Z0-9_]*)[ \t]*\(")
_ARITHMETIC = re.compile(r"[-+*/%(.]")
_BUILT_IN = re.compile(r"\b(?:unsigned|signed|long|short|int|size_t|u?int(?:8|16|32|64)_t)\b")
_STATEMENT = re.compile(r"\s*[A-Za-z_{*]")
LONGEST = 400
WHILE = "while"


def plain_loop_heads(text: str, clean: str) -> str:
    """`clean` is the text without what is quoted or commented, character for character."""
    pieces: list[str] = []
    at = 0
    for head in _HEAD.finditer(clean):
        end = _closing(clean, head.end())
        if end is None or head.start() < at or len(head[1]) < len(WHILE) or _is_of_directive(clean, head.start()):
            continue
        if _ARITHMETIC.search(clean, head.end(), end) is None or _STATEMENT.match(clean, end + 1) is None:
            continue
        given = _BUILT_IN.sub(lambda m: m[0].capitalize(), text[head.end() : end])
        pieces += [text[at : head.start()], WHILE.ljust(head.end() - head.start() - 1), "(", given]
        at = end
    return "".join([*pieces, text[at:]])


def _closing(clean: str, start: int) -> int | None:
    """The end of the arguments, of which none is a block or a statement."""
    depth = 1
    for place in range(start, min(len(clean), start + LONGEST)):
        sign = clean[place]
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place
        if sign in "{};":
            return None
    return None


def _is_of_directive(clean: str, place: int) -> bool:
    """It stands in a line of a directive, or in one that such a line goes on with."""
    begin = clean.rfind("\n", 0, place) + 1
    return clean[begin:place].lstrip().startswith("#") or clean[:begin].rstrip("\n").endswith("\\")
