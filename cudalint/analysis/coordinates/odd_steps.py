"""Steps to the next element along one side, which the same function takes one element earlier back along the other sides.

const int down  = row < rows - 1 ? 1 : 0;
const int right = column < columns ? 1 : 0;            column + right comes to `columns`
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax


@dataclass(frozen=True, slots=True)
class _Step:
    """`name` gets 1 where `place < end`, and 0 elsewhere; `place + name` is used."""

    condition: Syntax
    place: str
    end: Syntax
    used: Syntax


def odd_steps(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each function: the only one of its steps that may be taken from the last element."""
    for body in bodies(program_of(outline)):
        steps = list(_steps(body))
        short = [step for step in steps if _is_before_last(step.end)]
        odd = [step for step in steps if step not in short]
        if len(odd) != 1 or not short or odd[0].end.kind not in ("identifier", "field_expression"):
            continue
        step = odd[0]
        text = f"`{step.condition.text}` lets the last {step.place} take a step to `{step.end.text}`"
        yield GuardIssue(body.function, step.condition, text, short[0].condition, behind=(step.used,))


def _is_before_last(end: Syntax) -> bool:
    return end.op == "-" and len(end.children) == 2 and end.children[1].text == "1"


def _steps(body: Body) -> Iterator[_Step]:
    for name, values in body.scope.values.items():
        value = values[0] if len(values) == 1 and name not in body.scope.grown else None
        while value is not None and value.kind == "parenthesized_expression" and value.children:
            value = value.children[0]
        if value is None or value.kind != "conditional_expression":
            continue
        condition = value.child("condition")
        while condition is not None and condition.kind == "parenthesized_expression" and condition.children:
            condition = condition.children[0]
        taken, left_out = value.child("consequence"), value.child("alternative")
        if condition is None or condition.op != "<" or len(condition.children) != 2:
            continue
        if taken is None or left_out is None or (taken.text, left_out.text) != ("1", "0"):
            continue
        place, end = condition.children
        used = _added(place.text, name, body)
        if place.kind == "identifier" and used is not None:
            yield _Step(condition, place.text, end, used)


def _added(place: str, step: str, body: Body) -> Syntax | None:
    """An index, or an argument, that is the place and the step."""
    sum_of = re.compile(rf"^\(?({re.escape(place)}\+{re.escape(step)}|{re.escape(step)}\+{re.escape(place)})\)?$")
    return next((n for n in body.nodes if n.op == "+" and sum_of.match(n.bare)), None)
