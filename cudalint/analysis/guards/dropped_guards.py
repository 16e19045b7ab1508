"""Functions that use a place which functions made alike keep below a size, and that never ask about it.

first:   const int at = 8 * blockIdx.x + threadIdx.x % 8;  if (at >= blocks) return;  y[at] = ...
second:  const int at = 8 * blockIdx.x + threadIdx.x % 8;  y[at] = 0;                     // with `blocks` at hand
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.coordinates.crossed_guards import GuardPart, guard_parts
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.scopes import leaves
from cudalint.analysis.text.tail_patterns import is_checked, is_rounded_up, worked_out
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

MOST = 12  # names that a place is made of
_USES = ("subscript_expression", "pointer_expression")
_REDUCED = re.compile(r"\b(min|max|clamp\w*)\b|[%&?]")
_LIMITS = re.compile(r"min|assert|check", re.IGNORECASE)
_THREAD = re.compile(r"\b(threadIdx|blockIdx)\b")


@dataclass(frozen=True, slots=True)
class _Kept:
    """A comparison of a function, with what the place is made of there."""

    body: Body
    part: GuardPart
    condition: Syntax
    made: tuple[str, ...]


def dropped_guards(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each function, where the place is declared, with the first element that it chooses."""
    program = program_of(outline)
    every = list(bodies(program))
    kept: dict[tuple[str, str], list[_Kept]] = {}
    for body in every:
        for each in _kept(body):
            kept.setdefault((each.part.name, each.part.bound.text), []).append(each)
    told: set[int] = set()
    for (name, bound), guards in kept.items():
        for alike, lost in _groups(name, bound, guards, every):
            use = _use(name, lost) if id(lost.function) not in told else None
            if use is None or not _may_end_inside(name, lost, outline, program):
                continue
            told.add(id(lost.function))
            other = alike[0]
            text = (
                f"`{short(use)}` is reached without asking about `{name}`; "
                f"`{other.body.function.name}` keeps it below `{bound}`: `{short(other.condition)}`"
            )
            place = _declarator(name, use, lost)
            behind = () if place is use else (use,)
            yield GuardIssue(lost.function, place, text, other.condition, behind=behind)


def _groups(name: str, bound: str, guards: list[_Kept], every: list[Body]) -> Iterator[tuple[list[_Kept], Body]]:
    """Functions of one kind that make the place alike and keep it below the size, and the only one that asks no such thing."""
    for made, role in {(guard.made, guard.body.function.role): None for guard in guards}:
        alike = [guard for guard in guards if guard.made == made and guard.body.function.role == role]
        asked = {text for guard in alike for text in _asked(name, bound, guard.body)} - {
            guard.condition.bare for guard in alike
        }
        silent = [
            body
            for body in every
            if body.function.role == role
            and name in body.scope.values
            and bound in body.scope.parameters
            and not any(guard.body is body for guard in alike)
            and made_of(name, body) == made
            and _asked(name, bound, body) <= asked
        ]
        if len(silent) == 1:
            yield alike, silent[0]


def _kept(body: Body) -> Iterator[_Kept]:
    for node in body.nodes:
        condition, guarded = node.child("condition"), node.child("consequence")
        if node.kind == "if_statement" and condition is not None and guarded is not None:
            for part in guard_parts(condition, leaves(guarded)):
                if part.bound.text in body.scope.parameters and part.name in body.scope.values:
                    made = made_of(part.name, body)
                    if any(_THREAD.search(each) for each in made):
                        yield _Kept(body, part, condition, made)


def made_of(name: str, body: Body) -> tuple[str, ...]:
    """What the variable and those that it is made of get, as it is written."""
    found: list[str] = []
    pending = [name]
    while len(found) < min(len(pending), MOST):
        each = pending[len(found)]
        values = body.scope.values.get(each, [])
        found.append(
            ";".join(
                [
                    each,
                    *(value.bare for value in values),
                    *(s.bare for s in body.scope.steps.get(each, [])),
                ]
            )
        )
        pending += sorted({n for value in values for n in names_in(value)} - set(pending))
    return tuple(found)


def _asked(name: str, bound: str, body: Body) -> set[str]:
    """What conditions and the smaller of two say of the place and of the size."""
    found: set[str] = set()
    for node in body.nodes:
        condition = node.child("condition")
        if condition is None and node.kind == "call_expression" and _LIMITS.search(node.children[0].text):
            condition = node
        if condition is not None and not names_in(condition).isdisjoint({name, bound}):
            found.add(condition.bare)
    return found


def _declarator(name: str, use: Syntax, body: Body) -> Syntax:
    """Where the place gets its value before the use; the use itself where it is not declared with it."""
    for node in body.nodes:
        declared = node.child("declarator") if node.kind == "init_declarator" and node.start < use.start else None
        if declared is not None and declared.text == name:
            return node
    return use


def _use(name: str, body: Body) -> Syntax | None:
    made = worked_out(name, body)
    for node in body.nodes:
        given = names_in(node) & made if node.kind in _USES else set()
        if given and not is_checked(node, made, body):
            if not any(
                _REDUCED.search(value.text) for each in given - {name} for value in body.scope.values.get(each, [])
            ):
                return node
    return None


def _may_end_inside(name: str, body: Body, outline: Outline, program: Program) -> bool:
    """A launch of the file rounds that side up."""
    axes = {axis for each in made_of(name, body) for axis in re.findall(r"blockIdx\.([xyz])", each)}
    sides = [
        (launch, launch.grid["xyz".index(axis)])
        for launch, launched in launched_kernels(program, outline)
        for axis in axes
        if launched is body
    ]
    return any(side is not None and is_rounded_up(side, launch, program) for launch, side in sides)
