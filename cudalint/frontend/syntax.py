"""A fast index of one file, before and beside the real parser: kernels, launches, annotations, suppressions.

    // cudalint: extent(x) = n                    Annotation("extent(x) = n", kernel=the name's span)
    template <int B> __global__ void k(...) {}    KernelSyntax("k", ...)
    k<64><<<grid, 64>>>(x, n);                    LaunchSyntax("k", "64", "grid", "64", None, None, ("x", "n"), ...)

It reads the text in two linear passes. The first one blanks what is not code (comments, literals, directives, `#if 0`)
to the same length, so that every place stays where it was; the second one matches brackets, and gives each branch of
a conditional the nesting that its `#if` had. Nothing is parsed beyond that: measured on real files, a grammar of the
whole language loses the kernels whose attributes or macros it does not know, and this does not. Any text has an index.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from cudalint.frontend.definitions import (
    MAX_HEADER,
    Definition,
    angle_start,
    bracketed,
    device_functions_in,
    kernels_in,
    name_before,
    qualified_start,
    skip_space_back,
)
from cudalint.frontend.following import Following
from cudalint.frontend.lexical import Blanked, Brackets, blank
from cudalint.frontend.shape_comments import ShapeComment, parameter_before, shapes_in
from cudalint.source import SourceFile, Span

_CONFIG_STOP = re.compile(r"[(\[{)\]};,]|<{3,}|>{3,}")
_ANNOTATION = re.compile(
    r"(?://[/!]?|/\*[*!]?|^[ \t]*\*?)[ \t]*cudalint:[ \t]*(.*?)[ \t]*(?:\*/)?[ \t\r]*$", re.MULTILINE
)
_IGNORE = re.compile(r"ignore\b[ \t]*(?:\[([^\]\n]*)\])?[ \t]*(.*)", re.DOTALL)
_CUDA = re.compile(r"__global__|__device__|(?<!<)<<<(?!<)")
_ARGUMENTS = re.compile(r"\s*\(")
_BLANK = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class KernelSyntax:
    """A kernel's definition. `span` covers the template head to the closing brace, `body` the braces."""

    name: str
    span: Span
    name_span: Span
    body: Span


@dataclass(frozen=True, slots=True)
class LaunchSyntax:
    """`callee<template><<<grid, block, shared, stream>>>(args)` as text; `function` is the enclosing host function."""

    callee: str
    template: str | None
    grid: str | None
    block: str | None
    shared: str | None
    stream: str | None
    args: tuple[str, ...]
    span: Span
    function: str | None


@dataclass(frozen=True, slots=True)
class Annotation:
    """The text after `cudalint:`, where `span` begins; `kernel` is the name of the kernel or device function that it is for."""

    text: str
    span: Span
    kernel: Span | None


@dataclass(frozen=True, slots=True)
class Suppression:
    """`cudalint: ignore[rules] reason`, which holds for `line`. Without brackets `rules` is empty and hides nothing."""

    rules: tuple[str, ...]
    reason: str
    line: int
    span: Span


@dataclass(frozen=True, slots=True)
class SyntaxIndex:
    """All in the order of the text."""

    kernels: tuple[KernelSyntax, ...]
    launches: tuple[LaunchSyntax, ...]
    annotations: tuple[Annotation, ...]
    suppressions: tuple[Suppression, ...]
    has_cuda: bool
    shapes: tuple[ShapeComment, ...] = ()


def index(source: SourceFile, macros: Mapping[str, str] | None = None) -> SyntaxIndex:
    """The index of a file. `macros` are definitions from elsewhere, by name: those with `__global__` make kernels."""
    blanked = blank(source.text)
    places = _Places(source)
    brackets = Brackets(blanked)
    markers = blanked.kernel_macros | {
        n for n, body in (macros or {}).items() if "__global__" in body and "{" not in body
    }
    found = list(kernels_in(blanked, brackets, markers))
    kernels = tuple(_written(k, places) for k in found)
    both = sorted((*found, *device_functions_in(blanked, brackets, found)), key=lambda each: each.end)
    names = [places.span(each.name_start, each.name_end) for each in both]
    notes, ignores = _directions(blanked, places, both, names)
    has_cuda = bool(kernels) or _CUDA.search(blanked.code) is not None
    shapes = tuple(_shapes(blanked, places, found, kernels))
    return SyntaxIndex(kernels, tuple(_launches(blanked, brackets, places)), notes, ignores, has_cuda, shapes)


def _written(kernel: Definition, places: _Places) -> KernelSyntax:
    name = places.span(kernel.name_start, kernel.name_end)
    whole, body = places.span(kernel.start, kernel.end), places.span(kernel.body, kernel.end)
    return KernelSyntax(kernel.name, whole, name, body)


class _Places:
    """Offsets to spans."""

    def __init__(self, source: SourceFile) -> None:
        self._path = source.path
        self._starts = [0, *(m.end() for m in re.finditer("\n", source.text))]

    def line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def span(self, start: int, end: int) -> Span:
        line, end_line = self.line(start), self.line(end)
        column, end_column = start - self._starts[line - 1] + 1, end - self._starts[end_line - 1] + 1
        return Span(self._path, line, column, end_line, end_column)


# --- launches ----------------------------------------------------------------------------------------------------------


def _launches(blanked: Blanked, brackets: Brackets, places: _Places) -> Iterator[LaunchSyntax]:
    known: dict[int, str | None] = {}
    for match in re.finditer(r"(?<!<)<<<(?!<)", blanked.code):
        launch = _launch(blanked, brackets, places, match.start(), known)
        if launch is not None:
            yield launch


def _launch(
    blanked: Blanked, brackets: Brackets, places: _Places, at: int, known: dict[int, str | None]
) -> LaunchSyntax | None:
    code, plain = blanked.code, blanked.plain
    callee, template = _callee(code, brackets, at)
    close, commas = _list_end(code, brackets, at + 3)
    if callee is None or close is None or code[callee[0] : callee[1]].strip() == "operator":
        return None
    config = _items(plain, at + 3, close - 3, commas)
    args: tuple[str, ...] = ()
    end = close
    after = _ARGUMENTS.match(code, close)
    if after is not None and (last := brackets.match.get(after.end() - 1)) is not None:
        _, commas = _list_end(code, brackets, after.end())
        args, end = tuple(_items(plain, after.end(), last, commas)), last + 1
    grid, block, shared, stream = [*config, None, None, None, None][:4]
    text = plain[template[0] + 1 : template[1] - 1].strip() if template else None
    function = _function(code, brackets, brackets.outer.get(at, ()), known)
    span = places.span(callee[0], end)
    return LaunchSyntax(plain[callee[0] : callee[1]].strip(), text, grid, block, shared, stream, args, span, function)


def _callee(code: str, brackets: Brackets, at: int) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Places of the launched expression and of its template arguments with their angle brackets."""
    end = skip_space_back(code, at)
    template = None
    if code[end - 1 : end] == ">":
        start = angle_start(code, brackets, end)
        if start == end:
            return None, None
        template = (start, end)
        end = skip_space_back(code, start)
    if code[end - 1 : end] in (")", "]"):
        start = brackets.match.get(end - 1, end)
        return ((qualified_start(code, start, ("::", ".", "->")), end) if start < end else None), template
    start = qualified_start(code, end, ("::", ".", "->"))
    return ((start, end) if start < end else None), template


def _list_end(code: str, brackets: Brackets, start: int) -> tuple[int | None, list[int]]:
    """The end of `>>>` and the commas before it; None where the list ends otherwise. Template commas count as well."""
    commas: list[int] = []
    at = start
    while (stop := _CONFIG_STOP.search(code, at)) is not None:
        what = stop[0]
        if what == ",":
            commas.append(stop.start())
        elif what in ("(", "[", "{"):
            close = brackets.match.get(stop.start())
            if close is None or close < stop.start():
                return None, commas
            at = close + 1
            continue
        else:
            return (stop.end() if what.startswith(">>>") else None), commas
        at = stop.end()
    return None, commas


def _items(text: str, start: int, end: int, commas: list[int]) -> list[str]:
    """The texts between commas; a piece with an unclosed `name<` goes on past its comma."""
    cuts = [start - 1, *(c for c in commas if c < end), end]
    items: list[str] = []
    open_angles = 0
    for before, cut in pairwise(cuts):
        piece = text[before + 1 : cut]
        joined = open_angles > 0
        open_angles = max(
            0, open_angles + len(re.findall(r"\w<(?![<=])", piece)) - len(re.findall(r"(?<![-=>\s])>", piece))
        )
        if joined:
            items[-1] += "," + piece
        else:
            items.append(piece)
    items = [item.strip() for item in items]
    return [] if items == [""] else items


def _function(code: str, brackets: Brackets, braces: tuple[int, ...], known: dict[int, str | None]) -> str | None:
    """The outermost function among the braces around a place; `known` keeps what was found out about each brace."""
    for brace in braces:
        if brace not in known:
            known[brace] = _function_of(code, brackets, brace)
        if (name := known[brace]) is not None:
            return name
    return None


def _function_of(code: str, brackets: Brackets, brace: int) -> str | None:
    """The name before the first parameter list of a brace's header: what follows may be initialisers."""
    far = max(0, brace - MAX_HEADER)
    low = max(far, *(code.rfind(stop, far, brace) + 1 for stop in ";{}"))
    for group in bracketed(code, brackets, low, brace):
        place = name_before(code, brackets, group, low - 1) if code[group] == "(" else None
        if place is not None:
            return "".join(code[place[0] : place[1]].split())
    return None


# --- comments that speak to us -----------------------------------------------------------------------------------------


def _directions(
    blanked: Blanked, places: _Places, found: list[Definition], names: list[Span]
) -> tuple[tuple[Annotation, ...], tuple[Suppression, ...]]:
    annotations: list[Annotation] = []
    suppressions: list[Suppression] = []
    nexts, following = _next_code(blanked), Following(blanked, found)
    ends = [kernel.end for kernel in found]
    for position, (start, end) in enumerate(blanked.comments):
        if blanked.text.find("cudalint:", start, end) < 0:
            continue
        for match in _ANNOTATION.finditer(blanked.text[start:end]):
            span = places.span(start + match.start(1), start + match.end(1))
            if ignore := _IGNORE.match(match[1]):
                line = _governed_line(blanked, places, start, nexts[position])
                suppressions.append(_suppression(ignore, span, line))
            else:
                kernel = _annotated(found, ends, start, nexts[position])
                kernel = following.kernel_after(end) if kernel is None else kernel
                annotations.append(Annotation(match[1], span, None if kernel is None else names[kernel]))
    return tuple(annotations), tuple(suppressions)


def _shapes(
    blanked: Blanked, places: _Places, found: list[Definition], kernels: tuple[KernelSyntax, ...]
) -> Iterator[ShapeComment]:
    """Of the comments before a kernel and between its parameters."""
    ends = [kernel.end for kernel in found]
    nexts = _next_code(blanked) if found else []
    for (start, end), after in zip(blanked.comments, nexts):
        position = _annotated(found, ends, start, after)
        if position is None or start >= found[position].body:
            continue
        kernel = found[position]
        beside = parameter_before(blanked.code, start) if start > kernel.name_end else None
        for shape in shapes_in(blanked.text[start:end], start, beside):
            span = places.span(shape.start, shape.end)
            yield ShapeComment(shape.pointer, shape.dimensions, span, kernels[position].name_span)


def _suppression(match: re.Match[str], span: Span, line: int) -> Suppression:
    rules = tuple(name for part in (match[1] or "").split(",") if (name := part.strip()))
    return Suppression(rules, match[2].strip(), line, span)


def _next_code(blanked: Blanked) -> list[tuple[int, int]]:
    """For each comment: where code goes on after it, and after the block of comments without a blank line behind it."""
    nexts: list[tuple[int, int]] = []
    for position in range(len(blanked.comments) - 1, -1, -1):
        _, end = blanked.comments[position]
        blanks = _BLANK.match(blanked.text, end)
        code = blanks.end() if blanks else end
        block = code if blanked.text.count("\n", end, code) <= 1 else -1
        if position + 1 < len(blanked.comments) and blanked.comments[position + 1][0] == code:
            after, after_block = nexts[-1]
            code, block = after, (after_block if block >= 0 else -1)
        nexts.append((code, block))
    return nexts[::-1]


def _governed_line(blanked: Blanked, places: _Places, start: int, nexts: tuple[int, int]) -> int:
    line_start = blanked.text.rfind("\n", 0, start) + 1
    if blanked.plain[line_start:start].strip():
        return places.line(start)
    return places.line(min(nexts[0], len(blanked.text)))


def _annotated(found: list[Definition], ends: list[int], start: int, nexts: tuple[int, int]) -> int | None:
    """The kernel that a comment stands in, or that its block of comments stands right before."""
    position = bisect_left(ends, start)
    if position < len(found) and (found[position].start <= start or found[position].start == nexts[1]):
        return position
    return None
