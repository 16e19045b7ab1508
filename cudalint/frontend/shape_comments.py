"""What comments beside a kernel say of the shapes of its pointers.

    // x is (B, T, C), scale has shape (C)
    __global__ void norm(float *out,          // [B, T, C]
                         const float *x, const float *scale, int B, int T, int C)

A comment behind a parameter speaks of it; one before the kernel, or between its parameters, of the names that it gives. Nothing
holds a comment to what it says: it proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.source import Span

MOST_DIMENSIONS = 8
LONGEST = 4_000  # characters of one comment that are read

_SHAPE = r"(?:\[[^][\n]{1,120}\](?:\s?\[[^][\n]{1,60}\]){0,7}|\((?:[^()\n]|\([^()\n]{1,40}\)){1,120}\))"
_WORDS = r"is|are|has|have|of|shape|shapes|shaped|tensor|matrix|array|input|output|in|out|an?|the|with|size|dims?"
_SAYING = rf"(?:(?:{_WORDS})[,:;]?\s+){{0,5}}"
_NAMED = re.compile(
    rf"(?<![\w.>])(?P<names>[A-Za-z_]\w*(?:\s*(?:,|/|&|\band\b)\s*[A-Za-z_]\w*){{0,5}})"
    rf"(?:\s*[:=]\s*|\s+-\s+|\s+|(?=\[)){_SAYING}[:=]?\s*(?P<shape>{_SHAPE})(?=(?P<after>[^\n]{{0,12}}))"
)
_ALONE = re.compile(
    rf"(?:///?<?|/\*\*?<?)\s*(?:(?:in|out|inout|input|output|shape)\b[:,]?\s*){{0,2}}(?P<shape>{_SHAPE})(?=(?P<after>[^\n]{{0,12}}))"
)
_CROSSED = re.compile(
    r"(?:///?<?|/\*\*?<?)\s*(?P<shape>[A-Za-z_]\w*(?:\s*(?:\bx\b|×)\s*[A-Za-z_0-9]\w*){1,3})\s*(?=(?P<after>[^\n]{0,12}))"
)
_OTHERWISE = re.compile(r"\s*(?:or\b|->|→|/|\+|if\b|when\b|\*/\s*\w)")
_DIMENSION = re.compile(r"[\w\s+*/()-]{1,60}\Z")
_NAME = re.compile(r"[A-Za-z_]\w*")
_LAST_NAME = re.compile(r"([A-Za-z_]\w*)\s*(?:\[\s*\w*\s*\]\s*)?[,)]?[\s{]*\Z")
_PRODUCT = re.compile(r"\b(\d+)\s*([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class ShapeComment:
    """An ordinary comment on the shape of a kernel's pointer; `kernel` is the span of the kernel's name."""

    pointer: str
    dimensions: tuple[str, ...]
    span: Span
    kernel: Span


@dataclass(frozen=True, slots=True)
class Shape:
    """`dimensions` are as written, slowest first; `start` and `end` are the offsets of the brackets around them."""

    pointer: str
    dimensions: tuple[str, ...]
    start: int
    end: int


def shapes_in(comment: str, at: int, beside: str | None) -> Iterator[Shape]:
    """The shapes that a comment at the offset `at` states; `beside` is the parameter that it stands behind."""
    comment = comment[:LONGEST]
    if beside is not None:
        match = _ALONE.match(comment) or _CROSSED.match(comment)
        if match is not None and (shape := _shape(beside, match, at)) is not None:
            yield shape
            return
    for match in _NAMED.finditer(comment):
        for name in _NAME.findall(match["names"]):
            if name != "and" and (shape := _shape(name, match, at)) is not None:
                yield shape


def parameter_before(code: str, start: int) -> str | None:
    """The parameter that a comment at the offset `start` stands behind, on its line."""
    line = code[code.rfind("\n", 0, start) + 1 : start]
    found = _LAST_NAME.search(line)
    return found[1] if found is not None else None


def names_of(dimensions: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name for dimension in dimensions for name in _NAME.findall(dimension))


def _shape(pointer: str, match: re.Match[str], at: int) -> Shape | None:
    """None where the text is no list of sizes, or says that it is only one of several."""
    if _OTHERWISE.match(match["after"]):
        return None
    written = match["shape"].strip()
    inner = written[1:-1] if written[0] in "[(" else written
    crossed = re.split(r"\s*(?:\bx\b|×)\s*", inner)
    parts = re.split(r"\]\s?\[", inner) if "[" in inner else inner.split(",") if "," in inner else crossed
    sizes = tuple(_PRODUCT.sub(r"\1 * \2", part.strip()) for part in parts)
    if len(sizes) > MOST_DIMENSIONS or not all(map(_DIMENSION.match, sizes)) or not names_of(sizes):
        return None
    adjacent = match.string[match.start("shape") - 1 : match.start("shape")].isidentifier()
    if len(sizes) == 1 and (written[0] == "(" or adjacent):
        return None  # a remark, or an element
    start = at + match.start("shape")
    return Shape(pointer, sizes, start, start + len(match["shape"]))
