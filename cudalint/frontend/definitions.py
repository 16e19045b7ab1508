"""Where functions of the device are defined in a text, found without parsing it: kernels, and the functions that they call.

template <int B> __global__ void k(...) {}     Definition("k", ...): from the template head to the closing brace
__device__ float f(float x) { return x; }      Definition("f", ...)
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cudalint.frontend.lexical import Blanked, Brackets

MAX_HEADER = 20_000

_WELL_KNOWN = (
    r"[A-Z][A-Z0-9_]*_KERNEL(?=\s+(?:(?:void|static|inline|extern|__\w+)\b|(?!__)[A-Za-z_]\w*\s*\([^;{}]*\)\s*\{))"
)
_HEADER_STOP = re.compile(r"[(\[{};]")
_BROKEN_STOP = re.compile(r"[{};]")
_HEAD_NAME = re.compile(r"\b([A-Za-z_]\w*)[ \t\r\n]*([(\[])?")
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


@dataclass(frozen=True, slots=True)
class Definition:
    """Of one function, in offsets: `start` of its template head, `body` of its opening brace."""

    name: str
    start: int
    end: int
    name_start: int
    name_end: int
    body: int


def kernels_in(blanked: Blanked, brackets: Brackets, markers: frozenset[str]) -> Iterator[Definition]:
    names = "|".join([re.escape(m) for m in sorted(markers)] + [r"__global__", _WELL_KNOWN])
    found = [m.span() for m in re.finditer(rf"\b(?:{names})(?!\w)", blanked.code)]
    earliest = 0
    for position, (start, end) in enumerate(found):
        limit = found[position + 1][0] if position + 1 < len(found) else len(blanked.code)
        kernel = _kernel(blanked.code, brackets, start, end, limit, earliest)
        if kernel is not None:
            earliest = kernel.name_end
            yield kernel


def device_functions_in(blanked: Blanked, brackets: Brackets, kernels: Sequence[Definition]) -> Iterator[Definition]:
    """The functions with bodies that say `__device__`, but for those inside of kernels; members of classes are among them."""
    if "__device__" not in blanked.code:
        return
    ends = [kernel.end for kernel in kernels]
    earliest = 0
    for mark in re.finditer(r"\b__device__\b", blanked.code):
        start, end = mark.span()
        around = bisect_left(ends, end)
        inside = around < len(kernels) and kernels[around].start <= start
        found = None if inside or start < earliest else _device_function(blanked.code, brackets, start, end, earliest)
        if found is not None:
            earliest = found.name_end
            yield found


def _device_function(code: str, brackets: Brackets, start: int, end: int, earliest: int) -> Definition | None:
    header = list(bracketed(code, brackets, end, end + MAX_HEADER))
    if not header or code[header[-1]] != "{":
        return None
    body = header.pop()
    name = _kernel_name(code, brackets, [g for g in header if code[g] == "("], start)
    if name is None or brackets.match.get(body) is None:
        return None
    first = _definition_start(code, start, earliest)
    return Definition(code[name[0] : name[1]], first, _body_end(code, brackets, body, len(code)), *name, body)


def _kernel(code: str, brackets: Brackets, start: int, end: int, limit: int, earliest: int) -> Definition | None:
    header = list(bracketed(code, brackets, end, min(limit, end + MAX_HEADER)))
    if not header or code[header[-1]] != "{":
        return _broken_kernel(code, brackets, start, end, limit, earliest)
    body = header.pop()
    name = _kernel_name(code, brackets, [g for g in header if code[g] == "("], start)
    if name is None:
        return _broken_kernel(code, brackets, start, end, limit, earliest)
    close = _body_end(code, brackets, body, limit)
    return Definition(code[name[0] : name[1]], _definition_start(code, start, earliest), close, *name, body)


def _broken_kernel(code: str, brackets: Brackets, start: int, end: int, limit: int, earliest: int) -> Definition | None:
    """A definition whose head has a syntax error, such as a bracket that nothing closes."""
    stop = _BROKEN_STOP.search(code, end, min(limit, end + MAX_HEADER))
    if stop is None or stop[0] != "{":
        return None
    named = [m for m in _HEAD_NAME.finditer(code, end, stop.start()) if m[1] not in _NOT_A_NAME]
    name = next((m for m in named if m[2]), named[0] if named else None)
    if name is None:
        return None
    close = _body_end(code, brackets, stop.start(), limit)
    return Definition(name[1], _definition_start(code, start, earliest), close, *name.span(1), stop.start())


def _body_end(code: str, brackets: Brackets, body: int, limit: int) -> int:
    """After the closing brace; where there is none, the end of what comes before the next kernel."""
    close = brackets.match.get(body)
    return close + 1 if close is not None else body + len(code[body:limit].rstrip())


def bracketed(code: str, brackets: Brackets, start: int, limit: int) -> Iterator[int]:
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
    named = [place for g in groups if (place := name_before(code, brackets, g, start)) is not None]
    spelled = [place for place in named if not code[place[0] : place[1]].isupper()]
    if spelled or named:
        return (spelled or named)[-1]
    if groups and (argument := _FIRST_ARGUMENT.match(code, groups[0] + 1)):
        return argument.span(1)
    return None


def name_before(code: str, brackets: Brackets, group: int, start: int) -> tuple[int, int] | None:
    """Where the identifier before an opening parenthesis is; template arguments and one macro call may stand between."""
    end = skip_space_back(code, group)
    if code[end - 1 : end] == ">":
        end = skip_space_back(code, angle_start(code, brackets, end))
    elif code[end - 1 : end] == ")":
        end = skip_space_back(code, brackets.match.get(end - 1, start))
    name = qualified_start(code, end, ("::",))
    word = code[_word_start(code, end) : end]
    if name == end or word in _NOT_A_NAME or word[0].isdigit() or name <= start:
        return None
    return name, end


def _definition_start(code: str, start: int, earliest: int) -> int:
    """The first character after the end of what comes before: the template head belongs to the definition."""
    low = max(earliest, start - MAX_HEADER)
    before = max(low, *(code.rfind(stop, low, start) + 1 for stop in ";{}"))
    return before + len(code[before:start]) - len(code[before:start].lstrip())


def skip_space_back(code: str, at: int) -> int:
    while at > 0 and code[at - 1].isspace():
        at -= 1
    return at


def _word_start(code: str, end: int) -> int:
    """Where the identifier or number that ends at `end` begins; a destructor's `~` belongs to it."""
    at = end
    while at > 0 and (code[at - 1].isalnum() or code[at - 1] == "_"):
        at -= 1
    return at - 1 if at < end and code[at - 1 : at] == "~" else at


def qualified_start(code: str, end: int, joints: tuple[str, ...]) -> int:
    """Where `a::b` begins that ends at `end`, with any of the joints between its words; `end` if there is no word."""
    at = _word_start(code, end)
    while at < end:
        before = skip_space_back(code, at)
        joint = next((j for j in joints if code.endswith(j, 0, before)), None)
        if joint is None:
            return at
        before = skip_space_back(code, before - len(joint))
        word = _word_start(code, before)
        if word == before:
            return at
        at = word
    return at


def angle_start(code: str, brackets: Brackets, end: int, furthest: int = 4_000) -> int:
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
