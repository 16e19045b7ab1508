"""Kernels that compare their place along one side of a grid with its end, and not along another that is rounded up as well.

const dim3 grid(div_up(width, 16), div_up(height, 16));
if (x >= width) return;  out[y * width + x] = 0;            // with y = blockIdx.y * blockDim.y + threadIdx.y
if (x < view.width()) view.at(y, x) = 0;                    // launched elsewhere; view.height() is asked nowhere
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, names_in, short
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.tail_patterns import ROUNDS, is_element, is_rounded_up, worked_out
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_SIDES = (("width", "height"), ("cols", "rows"), ("columns", "rows"), ("size_x", "size_y"), ("ncols", "nrows"))
_SIDE = re.compile(r"(\w+)\s*(?:\.|->)\s*(?:get_?)?(\w+?)_?(?:\(\))?$", re.IGNORECASE)
_REDUCED = re.compile(r"\b(min|max|clamp\w*)\b|[%&?]")
_ORDERS = ("<", "<=", ">", ">=")


def half_guarded(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel."""
    program = program_of(outline)
    reported: set[int] = set()
    for launch, body in launched_kernels(program, outline):
        if id(body.function) in reported:
            continue
        rounded = [a for a, s in zip("xyz", launch.grid) if s is not None and is_rounded_up(s, launch, program)]
        for open_, closed in permutations(rounded, 2):
            access = _unguarded(open_, closed, body)
            if access is not None:
                reported.add(id(body.function))
                side = launch.grid["xyz".index(open_)]
                text = f"`{short(access)}` is used whatever the place along {open_} is, and that side of the grid is rounded up"
                yield GuardIssue(body.function, access, text, side)
                break


def half_guarded_views(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel that no launch of the file is known of: a view with two sides, one of which it asks for."""
    program = program_of(outline)
    launched = {id(body.function) for launch, body in launched_kernels(program, outline) if launch.grid[1] is not None}
    for body in bodies(program, ("kernel",)):
        if id(body.function) in launched:
            continue
        for open_, closed in (("x", "y"), ("y", "x")):
            asked = (
                (access, view)
                for access in _accesses(open_, closed, body, ("subscript_expression", "call_expression"))
                if (view := _half_asked(access, closed, body)) is not None
            )
            access, view = next(asked, (None, None))
            if access is not None and view is not None:
                text = f"`{short(access)}` is used whatever the place along {open_} is: `{short(view)}` ends the other side"
                yield GuardIssue(body.function, access, text, view)
                break


def _half_asked(access: Syntax, closed: str, body: Body) -> Syntax | None:
    """The side of a view that the place along this axis is compared with; the other side of the view is asked nowhere."""
    text = body.function.body.text
    place = next(n for n in sorted(body.positions) if _is_place(n, closed, body))
    for node in body.nodes:
        found = [_SIDE.match(c.text) for c in node.children] if node.op in _ORDERS and place in names_in(node) else []
        for side in filter(None, found):
            for pair in _SIDES:
                other = pair[1 - pair.index(side[2].lower())] if side[2].lower() in pair else None
                if other is not None and re.search(other, text, re.IGNORECASE) is None and side[1] in access.text:
                    return node
    return None


def _unguarded(open_: str, closed: str, body: Body) -> Syntax | None:
    return next(_accesses(open_, closed, body, ("subscript_expression",)), None)


def _accesses(open_: str, closed: str, body: Body, uses: tuple[str, ...]) -> Iterator[Syntax]:
    """Elements chosen by both places, where comparisons speak of one of them and no condition of the other."""
    places = {axis: [n for n in sorted(body.positions) if _is_place(n, axis, body)] for axis in (open_, closed)}
    if len(places[open_]) != 1 or len(places[closed]) != 1:
        return
    lost, kept = _moved(places[open_][0], body), worked_out(places[closed][0], body)
    conditions = [c for node in body.nodes if (c := node.child("condition")) is not None]
    compared = [part for c in conditions for part in c.walk() if part.op in _ORDERS]
    ends = [part for part in compared if not (kept - lost).isdisjoint(names_in(part)) and _has_end(part)]
    if not ends or any(not lost.isdisjoint(_asked(condition, body)) for condition in conditions):
        return
    if any(_REDUCED.search(value.text) for value in body.scope.values[places[open_][0]]):
        return
    for node in body.nodes:
        if node.kind in uses and node.start > ends[0].start:
            index = names_in(node.children[-1]) | _row(node)
            if not index.isdisjoint(lost) and (not index.isdisjoint(kept) or not index.isdisjoint(lost & kept)):
                yield node


def _asked(condition: Syntax, body: Body) -> set[str]:
    """What a condition speaks of; whether two places are the same says nothing of where they end."""
    same = [
        node
        for node in condition.walk()
        if node.op in ("==", "!=") and all(_is_worked_out(child.text, body) for child in node.children)
    ]
    names = {id(part) for node in same for part in node.walk()}
    return {part.text for part in condition.walk() if id(part) not in names and part.kind == "identifier"}


def _is_worked_out(name: str, body: Body) -> bool:
    """A variable that is worked out from the place in the launch."""
    return name in body.scope.values and any("threadIdx" in each for each in closure_of(name, body))


def _moved(place: str, body: Body) -> set[str]:
    """The place and what is so many further on; what a minimum or a remainder keeps inside asks nothing of the place itself."""
    found, every = {place}, worked_out(place, body)
    for _ in range(ROUNDS):
        for name, values in body.scope.values.items():
            moved = [value for value in values if not _REDUCED.search(value.text)]
            if name in every and any(not found.isdisjoint(names_in(value)) for value in moved):
                found.add(name)
    return found


def _row(access: Syntax) -> set[str]:
    """What chooses the row of `image.ptr(y)[x]`."""
    base = access.child("argument")
    arguments = base.child("arguments") if base is not None and base.kind == "call_expression" else None
    return set() if arguments is None else names_in(arguments)


def _is_place(name: str, axis: str, body: Body) -> bool:
    value = body.scope.values[name][0]
    return is_element(value, axis) and "threadIdx" in value.text


def _has_end(part: Syntax) -> bool:
    """It is no comparison with a number: `x < 0` says nothing of the other end."""
    return not any(child.kind == "number_literal" for child in part.children)
