"""Guards of the thread's place in the whole launch that let the number of threads that are needed pass.

int i = blockIdx.x * blockDim.x + threadIdx.x;
if (i > work) return;                                 k<<<ceil_div(work, 256), 256>>>(x, work)
x[i] = 0;                                             thread `work` exists unless work % 256 == 0

Whatever the bound is called: the launch makes as many threads, or the name is that of a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_conditions import guards_of
from cudalint.analysis.text.guard_patterns import (
    GuardIssue,
    bodies,
    compared,
    counts_ends,
    indexed_through,
    indexed_with,
    knows_the_end,
    names_in,
)
from cudalint.analysis.text.launch_text import launches_of
from cudalint.analysis.text.scopes import FLOATING, POINTER, Scope, uncast
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_NUMBER = re.compile(r"(^|_)[nN][a-zA-Z]?$|(^|_)(work|items|tokens|points|samples|nodes|edges|vertices|queries)$")
_BOUNDARY = re.compile(r"last|max|end|upper|limit|stop|final|high|radius|order|degree", re.IGNORECASE)
_ONE_MORE = re.compile(r"\+\s*1\b(?!\s*\.)")
_SIDES = ("x", "y", "z")
DEEPEST = 4


def flat_ends(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each guard."""
    program = program_of(outline)
    for body in bodies(program, ("kernel",)):
        for node in body.nodes:
            for part, operators, end in guards_of(node, body):
                used = _used(part, operators, end, body, program)
                if used is not None:
                    text = f"`{part.text}` lets the thread behind the last one pass"
                    yield GuardIssue(body.function, part, text, used)


def _used(part: Syntax, operators: tuple[str, str], end: int, body: Body, program: Program) -> Syntax | None:
    """The element that the place behind the last one leads to."""
    sides = compared(part, operators)
    if sides is None:
        return None
    place, bound = sides
    if place.kind != "identifier" or not is_flat(place.text, body.scope) or not _is_given(bound, body):
        return None
    if knows_the_end(place.text, bound.text, body) or not _is_number_of_threads(bound, body, program):
        return None
    more = rf"{re.escape(bound.text)}\s*\+\s*1\b|\b{re.escape(place.text)}\s*-"
    if re.search(more, body.function.body.text):
        return None
    used = [use for use in indexed_with(place.text, body, part.end) if use.start < end]
    used = used or [use for use in indexed_through(place.text, body, part.end) if use.start < end]
    return used[0] if used and not counts_ends(place.text, used, body) else None


def is_flat(name: str, scope: Scope) -> bool:
    """`blockIdx.x * blockDim.x + threadIdx.x`, through variables and casts, with a constant for the length of the block or not."""
    values = scope.values.get(name, [])
    whole = uncast(values[0]) if len(values) == 1 and name not in scope.parameters else None
    if whole is None or whole.kind != "binary_expression" or whole.op != "+" or len(whole.children) != 2:
        return False
    for first, thread in (whole.children, reversed(whole.children)):
        for side in _SIDES:
            if _is(thread, f"threadIdx.{side}", scope) and _is_first_of_block(first, side, scope):
                return True
    return False


def _is_first_of_block(node: Syntax, side: str, scope: Scope) -> bool:
    node = uncast(node)
    if node.kind != "binary_expression" or node.op != "*" or len(node.children) != 2:
        return False
    left, right = node.children
    return any(
        _is(a, f"blockIdx.{side}", scope) and _is_length(b, side, scope) for a, b in ((left, right), (right, left))
    )


def _is_length(node: Syntax, side: str, scope: Scope) -> bool:
    """That of the block, or a constant by its spelling, which the block has then."""
    plain = uncast(node).text
    fixed = plain in scope.outline.constants or plain in scope.function.template or plain.isupper()
    return fixed or _is(node, f"blockDim.{side}", scope)


def _is(node: Syntax, place: str, scope: Scope, depth: int = 0) -> bool:
    node = uncast(node)
    if node.bare == place:
        return True
    values = scope.values.get(node.text, []) if node.kind == "identifier" else []
    alone = len(values) == 1 and node.text not in scope.grown and depth < DEEPEST
    return alone and _is(values[0], place, scope, depth + 1)


def _is_given(bound: Syntax, body: Body) -> bool:
    """A number that the kernel is passed, a member of it, or a product of such numbers."""
    bound = uncast(bound)
    if bound.kind == "binary_expression" and bound.op == "*":
        return all(_is_given(factor, body) or factor.kind == "number_literal" for factor in bound.children)
    owner = bound.text.partition(".")[0] if bound.kind == "field_expression" else bound.text
    if bound.kind not in ("identifier", "field_expression") or owner not in body.scope.parameters:
        return False
    return body.scope.types.get(owner) not in (POINTER, FLOATING) and _BOUNDARY.search(bound.text) is None


def _is_number_of_threads(bound: Syntax, body: Body, program: Program) -> bool:
    """Every launch of the file makes its grid of what it passes; without a launch the name has to say so."""
    launches = launches_of(body.function.name.rpartition("::")[2], program)
    if not launches:
        return bound.kind == "identifier" and _NUMBER.search(bound.text) is not None
    return all(_is_grid_of(bound, launch, body, program) for launch in launches)


def _is_grid_of(bound: Syntax, launch: TextLaunch, body: Body, program: Program) -> bool:
    scope = program.scope(launch.function)
    given: set[str] = set()
    for name in sorted(names_in(bound) & set(body.scope.parameters)):
        position = body.scope.parameters.index(name)
        if position >= len(launch.arguments):
            return False
        given |= _made_of(launch.arguments[position], scope, frozenset())[0]
    names, texts = _made_of(launch.written[0], scope, frozenset(given))
    return bool(given) and given <= names and not any(_ONE_MORE.search(text) for text in texts)


def _made_of(node: Syntax, scope: Scope, known: frozenset[str]) -> tuple[set[str], list[str]]:
    """The names in an expression and in the values of its variables, and these texts, but for those of `known` ones."""
    names, texts, pending = names_in(node), [node.text], sorted(names_in(node))
    for name in pending:
        for value in scope.values.get(name, []):
            texts += [] if name in known else [value.text]
            further = names_in(value) - names
            names |= further
            pending += sorted(further)
    return names, texts
