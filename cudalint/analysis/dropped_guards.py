"""Kernels that are given a size and never read it, where a kernel made alike keeps the same place below it.

first:   const int at = 8 * blockIdx.x + threadIdx.x % 8;  if (at >= blocks) return;  ...
second:  const int at = 8 * blockIdx.x + threadIdx.x % 8;  y[at] = 0;                  // with `blocks` at hand
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.crossed_guards import guard_parts
from cudalint.analysis.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.launched_kernels import launched_kernels
from cudalint.analysis.scopes import INT, UNSIGNED, WIDE, leaves
from cudalint.analysis.tail_patterns import is_rounded_up
from cudalint.analysis.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_PLACE = re.compile(r"\bblockIdx\b")
_THREAD = re.compile(r"\bthreadIdx\b")


def dropped_guards(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel, at the declaration of the place."""
    program = program_of(outline)
    kernels = list(bodies(program, ("kernel",)))
    unread = {id(body): sizes for body in kernels if (sizes := _unread(body))}
    if not unread:
        return
    guards = [(body, *guard) for body in kernels for guard in _guards(body)]
    for body in kernels:
        for other, name, size, condition in guards:
            place = _declarator(name, body)
            if other is body or size not in unread.get(id(body), ()) or place is None or not _is_used(place, body):
                continue
            if _made_of(name, body) != _made_of(name, other) or not _may_end_inside(body, outline, program):
                continue
            text = f"`{size}` is never read here; `{other.function.name}` keeps `{name}` below it: `{short(condition)}`"
            yield GuardIssue(body.function, place, text, condition)
            break


def _unread(body: Body) -> set[str]:
    """Whole numbers that the kernel is given and does not mention."""
    numbers = {name for name in body.scope.parameters if body.scope.types.get(name) in (INT, UNSIGNED, WIDE)}
    text = body.function.body.text
    return {name for name in numbers if re.search(rf"\b{re.escape(name)}\b", text) is None}


def _guards(body: Body) -> Iterator[tuple[str, str, Syntax]]:
    """(place, size, condition) of the outermost guards with a size that the kernel is given."""
    for node in body.function.body.children:
        condition, guarded = node.child("condition"), node.child("consequence")
        if node.kind == "if_statement" and condition is not None and guarded is not None:
            for part in guard_parts(condition, leaves(guarded)):
                made = " ".join(_made_of(part.name, body))
                if part.bound.text in body.scope.parameters and _PLACE.search(made) and _THREAD.search(made):
                    yield part.name, part.bound.text, condition


def _declarator(name: str, body: Body) -> Syntax | None:
    """Where the outermost block declares the variable with a value."""
    for node in body.function.body.children:
        for declarator in node.children if node.kind == "declaration" else ():
            declared = declarator.child("declarator")
            if declarator.kind == "init_declarator" and declared is not None and declared.text == name:
                return declarator
    return None


def _made_of(name: str, body: Body) -> list[str]:
    """What the variable and those that it is made of are declared with, as it is written."""
    found: list[str] = []
    pending = [name]
    for each in pending:
        declarator = _declarator(each, body)
        value = declarator.child("value") if declarator is not None else None
        if value is not None:
            found.append("".join(value.text.split()))
            pending += sorted(names_in(value) - set(pending))
    return found


def _is_used(place: Syntax, body: Body) -> bool:
    """The variable is used behind its declaration, and no condition speaks of it."""
    declared = place.child("declarator")
    name = "" if declared is None else declared.text
    conditions = [c for node in body.nodes if (c := node.child("condition")) is not None]
    if any(name in names_in(condition) for condition in conditions) or name in body.scope.grown:
        return False
    return any(node.kind == "identifier" and node.text == name and node.start > place.end for node in body.nodes)


def _may_end_inside(body: Body, outline: Outline, program: Program) -> bool:
    """No launch of the file is known to have as many threads as there are elements."""
    sides = [(launch, launch.grid[0]) for launch, launched in launched_kernels(program, outline) if launched is body]
    known = [(launch, side) for launch, side in sides if side is not None]
    return not known or any(is_rounded_up(side, launch, program) for launch, side in known)
