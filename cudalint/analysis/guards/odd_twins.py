"""Two places of one element that are kept inside alike, token by token, but for what one of them lacks.

if (y0 >= height - 1) y1 = y0 = height - 1; else y1 = y0 + 1;
if (x0 >= width) x1 = x0 = width - 1; else x1 = x0 + 1;             x0 + 1 may be width

py = (y - dy + ny) % ny;  px = (x - dx) % nx;                       the remainder of what is below zero is no place
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from cudalint.analysis.coordinates.tripled_sides import are_of_two_axes
from cudalint.analysis.text.called_functions import given_to
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import leaves
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\S")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
_MEMBER = re.compile(r"[A-Za-z_][\w.]*|[A-Za-z_]\w*->\w+")
_STEP = re.compile(r"([A-Za-z_]\w*)\+1")
_OPEN = {"<": True, "<=": True, ">": False, ">=": False}
_CHOICES = ("if_statement", "conditional_expression")
_MOST = 24  # of one function


def odd_twins(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each place that lacks what the other has."""
    program = program_of(outline)
    for body in bodies(program):
        yield from _beyond_last(body, program)


@dataclass(frozen=True, slots=True)
class _Choice:
    """`x0 >= width ? .. : x0 + 1`, `if (x0 < width) ..`: both ways are there, and `place` is compared with `end`.

    `is_last` where it is compared with the last place: `x0 >= width - 1`, `x0 + 1 < width`; `is_below` of the one with `<`.
    """

    node: Syntax
    condition: Syntax
    place: str
    end: str
    is_last: bool
    is_below: bool


def _beyond_last(body: Body, program: Program) -> Iterator[GuardIssue]:
    """The next place is taken up to the end of its side, and by the twin up to the last place only."""
    choices = [choice for node in body.nodes if node.kind in _CHOICES and (choice := _choice(node)) is not None]
    for odd, twin in permutations(choices, 2) if len(choices) <= _MOST else ():
        if odd.is_last or not twin.is_last or odd.place == twin.place or odd.end == twin.end or not _steps(odd):
            continue
        renamed = _renaming(_tokens(odd), _tokens(twin))
        if renamed is None or renamed.get(odd.place) != twin.place:
            continue
        if not _is_length(odd.end, twin.end, body, program):
            continue
        if are_of_one_element(_given(odd, body), _given(twin, body), body):
            text = f"`{odd.place} + 1` may be {odd.end} behind `{short(odd.condition)}`, unlike behind `{short(twin.condition)}`"
            yield GuardIssue(body.function, odd.condition, text, twin.condition)


def _choice(node: Syntax) -> _Choice | None:
    condition = node.child("condition")
    while condition is not None and condition.kind in ("parenthesized_expression", "condition_clause"):
        condition = condition.children[0]
    left, right = (None, None) if condition is None else (condition.child("left"), condition.child("right"))
    if condition is None or left is None or right is None:
        return None
    steps = _STEP.fullmatch(left.bare)
    place, end = (steps[1], right.bare) if steps else (left.bare, right.bare.removesuffix("-1"))
    if not _NAME.fullmatch(place) or not _MEMBER.fullmatch(end) or condition.op not in _OPEN:
        return None
    if node.child("alternative") is None and not _takes_next(node.child("consequence"), place):
        return None
    is_last = (steps is not None or right.bare != end) and condition.op in ("<", ">=")
    is_whole = steps is None and (condition.op in ("<", ">=")) == (right.bare == end)
    return _Choice(node, condition, place, end, is_last, _OPEN[condition.op]) if is_last or is_whole else None


def _tokens(choice: _Choice) -> list[str]:
    """The words of a choice, whose condition is spelled as one with the end of the side."""
    node, condition = choice.node, choice.condition
    spelled = f"{choice.place} {'<' if choice.is_below else '>='} {choice.end}"
    text = node.text[: condition.start - node.start] + spelled + node.text[condition.end - node.start :]
    return _TOKEN.findall(_COMMENT.sub(" ", text))


def _renaming(mine: list[str], its: list[str]) -> dict[str, str] | None:
    """What each name of the one is called in the other, where all else is the same and no two names become one."""
    if len(mine) != len(its):
        return None
    renamed: dict[str, str] = {}
    for own, other in zip(mine, its):
        is_name = _NAME.fullmatch(own) is not None and _NAME.fullmatch(other) is not None
        if (not is_name and own != other) or renamed.setdefault(own, other) != other:
            return None
    return renamed if len(set(renamed.values())) == len(renamed) else None


def _steps(choice: _Choice) -> bool:
    """Where the place lies before the end, the one behind it is taken."""
    below = choice.node.child("consequence" if choice.is_below else "alternative")
    return below is not None and re.search(rf"\b{re.escape(choice.place)}\+1\b", below.bare) is not None


def _takes_next(statement: Syntax | None, place: str) -> bool:
    """`x1 = x + 1;` and nothing else, of a variable that was the place before."""
    return statement is not None and re.fullmatch(rf"\{{?\w+={re.escape(place)}\+1;?\}}?", statement.bare) is not None


def _is_length(end: str, other: str, body: Body, program: Program) -> bool:
    """The end is known for the number of places: it is no last place, and no guard or row has one more.

    It is the factor of rows, `end - 1` is a place, what lies at it leaves, or it is called as the side of the other axis.
    """
    text, name = body.function.body.bare, re.escape(end)
    given = [argument for argument, _ in given_to(end, body.function, program)]
    if any(value.bare.rstrip(")").endswith("-1") for value in (*body.scope.values.get(end, []), *given)):
        return False
    if re.search(
        rf"(?<![\w.>]){name}\+1(?!\w)|(?<!\w)1\+{name}(?!\w)|>{name}(?![\w.([*/+-]|->)|<={name}(?![\w.([*/+-]|->)", text
    ):
        return False
    if re.search(rf"\*{name}(?![\w.(\[]|->)|(?<![\w.>)]){name}\*|(?<![\w.>]){name}-1(?!\w)", text):
        return True
    return are_of_two_axes(end, other) or any(_leaves_at(node, end) for node in body.nodes)


def _leaves_at(node: Syntax, end: str) -> bool:
    """`if (x >= end) return;`"""
    condition, then = node.child("condition"), node.child("consequence")
    asks = (
        node.kind == "if_statement"
        and condition is not None
        and re.search(rf"\w>={re.escape(end)}(?![\w*/+-])", condition.bare)
    )
    return bool(asks) and then is not None and leaves(then)


def _given(choice: _Choice, body: Body) -> set[str]:
    """The variables that the choice sets."""
    if choice.node.kind == "conditional_expression":
        outer = (target_of(parent) for parent, _ in body.ancestors(choice.node))
        return {next((name for name in outer if name), "")}
    return {name for node in choice.node.walk() if (name := target_of(node))}


def target_of(node: Syntax) -> str:
    """The variable that a declaration or an assignment gives a value."""
    target = node.child("declarator") if node.kind == "init_declarator" else None
    target = node.child("left") if node.kind == "assignment_expression" else target
    return "" if target is None else target.text


def are_of_one_element(mine: set[str], its: set[str], body: Body) -> bool:
    """An index, or the arguments of a call, has variables of both."""
    for node in body.nodes:
        if node.kind in ("subscript_expression", "argument_list", "init_declarator"):
            used = names_in(node)
            if used & (mine - its) and used & (its - mine):
                return True
    return False
