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

from cudalint.frontend.following import Following
from cudalint.frontend.lexical import Blanked, Brackets, blank
from cudalint.frontend.shape_comments import ShapeComment, parameter_before, shapes_in
from cudalint.source import SourceFile, Span

MAX_HEADER = 20_000

_WELL_KNOWN = (
    r"[A-Z][A-Z0-9_]*_KERNEL(?=\s+(?:(?:void|static|inline|extern|__\w+)\b|(?!__)[A-Za-z_]\w*\s*\([^;{}]*\)\s*\{))"
)
_HEADER_STOP = re.compile(r"[(\[{};]")
_BROKEN_STOP = re.compile(r"[{};]")
_HEAD_NAME = re.compile(r"\b([A-Za-z_]\w*)[ \t\r\n]*([(\[])?")
_CONFIG_STOP = re.compile(r"[(\[{)\]};,]|<{3,}|>{3,}")
_ANNOTATION = re.compile(
    r"(?://[/!]?|/\*[*!]?|^[ \t]*\*?)[ \t]*cudalint:[ \t]*(.*?)[ \t]*(?:\*/)?[ \t\r]*$", re.MULTILINE
)
_IGNORE = re.compile(r"ignore\b[ \t]*(?:\[([^\]\n]*)\])?[ \t]*(.*)", re.DOTALL)
_CUDA = re.compile(r"__global__|__device__|(?<!<)<<<(?!<)")
_NOT_A_NAME = {
    *(
        "__attribute__",
        "__launch_bounds__",
        "__align__",
        "__cluster_dims__",
        "__maxnreg__",
        "__block_size__",
        "__declspec",
    ),
    *(
        "alignas",
        "decltype",
        "noexcept",
        "requires",
        "throw",
        "sizeof",
        "if",
        "for",
        "while",
        "switch",
        "catch",
        "return",
    ),
    *("explicit", "void", "int", "float", "double", "bool", "char", "long", "unsigned"),
}
_FIRST_ARGUMENT = re.compile(r"\s*([A-Za-z_]\w*)")
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
    """The text after `cudalint:`, where `span` begins; `kernel` is the span of its kernel's name, None if it has none."""

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
    found = list(_kernels(blanked, brackets, markers))
    kernels = tuple(k.at(places) for k in found)
    notes, ignores = _directions(blanked, places, found, kernels)
    has_cuda = bool(kernels) or _CUDA.search(blanked.code) is not None
    shapes = tuple(_shapes(blanked, places, found, kernels))
    return SyntaxIndex(kernels, tuple(_launches(blanked, brackets, places)), notes, ignores, has_cuda, shapes)


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


# --- kernels -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Kernel:
    name: str
    start: int
    end: int
    name_start: int
    name_end: int
    body: int

    def at(self, places: _Places) -> KernelSyntax:
        name = places.span(self.name_start, self.name_end)
        return KernelSyntax(self.name, places.span(self.start, self.end), name, places.span(self.body, self.end))


def _kernels(blanked: Blanked, brackets: Brackets, markers: frozenset[str]) -> Iterator[_Kernel]:
    names = "|".join([re.escape(m) for m in sorted(markers)] + [r"__global__", _WELL_KNOWN])
    found = [m.span() for m in re.finditer(rf"\b(?:{names})(?!\w)", blanked.code)]
    earliest = 0
    for position, (start, end) in enumerate(found):
        limit = found[position + 1][0] if position + 1 < len(found) else len(blanked.code)
        kernel = _kernel(blanked.code, brackets, start, end, limit, earliest)
        if kernel is not None:
            earliest = kernel.name_end
            yield kernel


def _kernel(code: str, brackets: Brackets, start: int, end: int, limit: int, earliest: int) -> _Kernel | None:
    groups = list(_groups(code, brackets, end, min(limit, end + MAX_HEADER)))
    if not groups or code[groups[-1]] != "{":
        return _broken_kernel(code, brackets, start, end, limit, earliest)
    body = groups.pop()
    name = _kernel_name(code, brackets, [g for g in groups if code[g] == "("], start)
    if name is None:
        return _broken_kernel(code, brackets, start, end, limit, earliest)
    close = _body_end(code, brackets, body, limit)
    return _Kernel(code[name[0] : name[1]], _definition_start(code, start, earliest), close, *name, body)


def _broken_kernel(code: str, brackets: Brackets, start: int, end: int, limit: int, earliest: int) -> _Kernel | None:
    """A definition whose head has a syntax error, such as a bracket that nothing closes."""
    stop = _BROKEN_STOP.search(code, end, min(limit, end + MAX_HEADER))
    if stop is None or stop[0] != "{":
        return None
    named = [m for m in _HEAD_NAME.finditer(code, end, stop.start()) if m[1] not in _NOT_A_NAME]
    name = next((m for m in named if m[2]), named[0] if named else None)
    if name is None:
        return None
    close = _body_end(code, brackets, stop.start(), limit)
    return _Kernel(name[1], _definition_start(code, start, earliest), close, *name.span(1), stop.start())


def _body_end(code: str, brackets: Brackets, body: int, limit: int) -> int:
    """After the closing brace; where there is none, the end of what comes before the next kernel."""
    close = brackets.match.get(body)
    return close + 1 if close is not None else body + len(code[body:limit].rstrip())


def _groups(code: str, brackets: Brackets, start: int, limit: int) -> Iterator[int]:
    """Openings of the bracketed groups of a header, one after the other, up to and with the brace of the body."""
    at = start
    while (stop := _HEADER_STOP.search(code, at, limit)) is not None:
        if stop[0] in "};":
            return
        yield stop.start()
        close = brackets.match.get(stop.start())
        if stop[0] == "{" or close is None or close < stop.start():
            return
        at = close + 1


def _kernel_name(code: str, brackets: Brackets, groups: list[int], start: int) -> tuple[int, int] | None:
    """The name before the parameter list, the last group that can be one; a macro in capitals only if there is no other."""
    named = [place for g in groups if (place := _name_before(code, brackets, g, start)) is not None]
    spelled = [place for place in named if not code[place[0] : place[1]].isupper()]
    if spelled or named:
        return (spelled or named)[-1]
    if groups and (argument := _FIRST_ARGUMENT.match(code, groups[0] + 1)):
        return argument.span(1)
    return None


def _name_before(code: str, brackets: Brackets, group: int, start: int) -> tuple[int, int] | None:
    """Where the identifier before an opening parenthesis is; template arguments and one macro call may stand between."""
    end = _skip_space_back(code, group)
    if code[end - 1 : end] == ">":
        end = _skip_space_back(code, _angle_start(code, brackets, end))
    elif code[end - 1 : end] == ")":
        end = _skip_space_back(code, brackets.match.get(end - 1, start))
    name = _qualified_start(code, end, ("::",))
    word = code[_word_start(code, end) : end]
    if name == end or word in _NOT_A_NAME or word[0].isdigit() or name <= start:
        return None
    return name, end


def _definition_start(code: str, start: int, earliest: int) -> int:
    """The first character after the end of what comes before: the template head belongs to the definition."""
    low = max(earliest, start - MAX_HEADER)
    before = max(low, *(code.rfind(stop, low, start) + 1 for stop in ";{}"))
    return before + len(code[before:start]) - len(code[before:start].lstrip())


def _skip_space_back(code: str, at: int) -> int:
    while at > 0 and code[at - 1].isspace():
        at -= 1
    return at


def _word_start(code: str, end: int) -> int:
    """Where the identifier or number that ends at `end` begins; a destructor's `~` belongs to it."""
    at = end
    while at > 0 and (code[at - 1].isalnum() or code[at - 1] == "_"):
        at -= 1
    return at - 1 if at < end and code[at - 1 : at] == "~" else at


def _qualified_start(code: str, end: int, joints: tuple[str, ...]) -> int:
    """Where `a::b` begins that ends at `end`, with any of the joints between its words; `end` if there is no word."""
    at = _word_start(code, end)
    while at < end:
        before = _skip_space_back(code, at)
        joint = next((j for j in joints if code.endswith(j, 0, before)), None)
        if joint is None:
            return at
        before = _skip_space_back(code, before - len(joint))
        word = _word_start(code, before)
        if word == before:
            return at
        at = word
    return at


def _angle_start(code: str, brackets: Brackets, end: int, furthest: int = 4_000) -> int:
    """Where the `<` is that the `>` before `end` closes; `end` itself where there is none near."""
    depth, at = 0, end - 1
    while at >= max(0, end - furthest):
        char = code[at]
        if char in ")]}":
            at = brackets.match.get(at, at)
        elif char in ";{":
            return end
        elif char == ">" and code[at - 1 : at] != "-":
            depth += 1
        elif char == "<":
            depth -= 1
            if depth == 0:
                return at
        at -= 1
    return end


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
    end = _skip_space_back(code, at)
    template = None
    if code[end - 1 : end] == ">":
        start = _angle_start(code, brackets, end)
        if start == end:
            return None, None
        template = (start, end)
        end = _skip_space_back(code, start)
    if code[end - 1 : end] in (")", "]"):
        start = brackets.match.get(end - 1, end)
        return ((_qualified_start(code, start, ("::", ".", "->")), end) if start < end else None), template
    start = _qualified_start(code, end, ("::", ".", "->"))
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
    for group in _groups(code, brackets, low, brace):
        place = _name_before(code, brackets, group, low - 1) if code[group] == "(" else None
        if place is not None:
            return "".join(code[place[0] : place[1]].split())
    return None


# --- comments that speak to us -----------------------------------------------------------------------------------------


def _directions(
    blanked: Blanked, places: _Places, found: list[_Kernel], kernels: tuple[KernelSyntax, ...]
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
                annotations.append(Annotation(match[1], span, None if kernel is None else kernels[kernel].name_span))
    return tuple(annotations), tuple(suppressions)


def _shapes(
    blanked: Blanked, places: _Places, found: list[_Kernel], kernels: tuple[KernelSyntax, ...]
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


def _annotated(found: list[_Kernel], ends: list[int], start: int, nexts: tuple[int, int]) -> int | None:
    """The kernel that a comment stands in, or that its block of comments stands right before."""
    position = bisect_left(ends, start)
    if position < len(found) and (found[position].start <= start or found[position].start == nexts[1]):
        return position
    return None
