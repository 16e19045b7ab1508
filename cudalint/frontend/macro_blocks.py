"""Statements in the arguments of a macro, which no tree of C++ has a place for, as a plain block.

    TYPE_SWITCH(x.dtype(), DType, {                                   {
      copy<DType><<<grid, block>>>(x.ptr, y.ptr, n);       ->           copy<DType><<<grid, block>>>(x.ptr, y.ptr, n);
    });                                                               } ;

What the macro makes of its other arguments is lost: names of types, mostly. Every character keeps its place.
"""

from __future__ import annotations

import re

_HEAD = re.compile(r"(?<![\w#])[A-Z][A-Z0-9_]{3,}[ \t]*\(")
_BLOCK = re.compile(r",\s*\{")
_BRACKETS = re.compile(r"[(){};]")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


def plain_blocks(text: str, clean: str) -> str:
    """`clean` is the text without what is quoted or commented, character for character."""
    if _BLOCK.search(clean) is None:
        return text
    clean = _DEFINE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), clean)
    pieces: list[str] = []
    ends: list[int] = []
    at = 0
    for head in _HEAD.finditer(clean):
        found = _last_block(clean, head.end())
        if found is not None and head.start() >= at:
            start, end = found
            pieces += [text[at : head.start()], _blank(text[head.start() : start])]
            at = start
            ends.append(end)
    whole = "".join([*pieces, text[at:]])
    for end in ends:
        whole = whole[:end] + " " + whole[end + 1 :]
    return whole


def _last_block(clean: str, start: int) -> tuple[int, int] | None:
    """Where the block of statements begins that is the last argument, and where the arguments end."""
    depth, braces, statements, block = 0, 0, False, -1
    for bracket in _BRACKETS.finditer(clean, start):
        sign, place = bracket[0], bracket.start()
        if sign == "{":
            if braces == depth == 0:
                if block >= 0 or not clean[start:place].rstrip().endswith(","):
                    return None
                block = place
            braces += 1
        elif sign == "}":
            braces -= 1
        elif sign == "(":
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
        elif sign == ")":
            return (block, place) if statements and clean[block:place].rstrip().endswith("}") else None
        elif not braces:
            return None
        statements |= sign == ";" and block >= 0
        if braces < 0:
            return None
    return None


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
