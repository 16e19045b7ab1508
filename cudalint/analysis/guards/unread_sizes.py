"""Kernels that get the size a grid is rounded up from, never look at it, and write at their place in the grid.

set<<<(n + 255) / 256, 256>>>(x, n);      __global__ void set(view x, int n) { int i = ...; x(i) = 1; }
p.n = min(n, 64);  set<<<1, 64>>>(p);     __global__ void set(Part p) { int i = ...; p.x[i] = 1; }

Where nothing in the file launches the kernel, a count that it gets and never reads says the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, is_count, is_count_name, names_in, short
from cudalint.analysis.text.launch_text import text_launches, wrapped_launches
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.scopes import INT, POINTER, UNSIGNED, WIDE, kind_of_type
from cudalint.analysis.text.tail_patterns import is_element, is_rounded_up, lower_side, size_of_side, worked_out
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_REDUCED = re.compile(r"\b(min|max|clamp\w*)\b|[%&?]")
_CAP = re.compile(r"(?:::|std::)?min\b")


def unread_sizes(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel."""
    program = program_of(outline)
    reported: set[int] = set()
    for launch, body in launched_kernels(program, outline):
        if id(body.function) in reported:
            continue
        for axis, side in zip("xyz", launch.grid):
            rounded = side is not None and is_rounded_up(side, launch, program)
            unread = _unread(side, launch, body, program) if side is not None and rounded else None
            below = "" if side is None or unread is None else _capped_side(axis, side, launch, program)
            touched = (_written(axis, body, below) or _handed(axis, body)) if unread is not None else None
            if touched is not None:
                reported.add(id(body.function))
                text = f"`{short(touched)}` is for every thread of a grid that is rounded up from `{unread}`"
                yield GuardIssue(body.function, touched, f"{text}, which the kernel never reads", side)
                break


def unread_members(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel that gets a struct of this file: the number in it is set before the launch, and read nowhere."""
    program = program_of(outline)
    reported: set[int] = set()
    for launch, body in launched_kernels(program, outline):
        written = _written("x", body)
        if written is None or id(body.function) in reported:
            continue
        for name, argument in zip(body.scope.parameters, launch.arguments):
            number = _number_of(name, argument, launch, body, outline) if name in names_in(written) else None
            if number is not None:
                reported.add(id(body.function))
                text = f"`{short(written)}` is written by every thread, and nothing reads `{number.text}`"
                yield GuardIssue(body.function, written, text, number)
                break


def _number_of(name: str, argument: Syntax, launch: TextLaunch, body: Body, outline: Outline) -> Syntax | None:
    """A number of elements that the launching function stores in the struct, and that nobody asks for."""
    scope = program_of(outline).scope(launch.function)
    structure = body.scope.structures.get(name, "")
    text = outline.root.text
    if re.search(rf"\bstruct\s+{re.escape(structure)}\b\s*\{{", text) is None:
        return None
    for member, sets in scope.fields.items():
        owner, _, last = member.rpartition(".")
        left = sets[0].child("left")
        if owner != argument.text or left is None or not is_count(left, body):
            continue
        kind = kind_of_type(outline.members.get(f"{structure}::{last}") or outline.members.get(last, ""), outline)
        if kind in (INT, UNSIGNED, WIDE) and len(re.findall(rf"(?:\.|->)\s*{re.escape(last)}\b", text)) == len(sets):
            return left
    return None


def _unread(side: Syntax, launch: TextLaunch, body: Body, program: Program) -> str | None:
    """A parameter for the size that the side of the grid counts, which the kernel's body does not mention."""
    size = size_of_side(side, program.scope(launch.function))
    counted = "" if size is None else size.bare
    for name, argument in zip(body.scope.parameters, launch.arguments):
        given = argument.bare
        number = body.scope.types.get(name) in (INT, UNSIGNED, WIDE) and not argument.kind.endswith("literal")
        named = re.search(rf"(?<![\w.>]){re.escape(given)}(?!\w|->|\.)", counted) is not None
        if number and named and not _is_read(name, body):
            return name
    return None


def _is_read(name: str, body: Body) -> bool:
    """More is done with it than to update it, `n /= 4`, or to make something that nothing mentions again."""
    text = body.function.body.text
    mentions = len(re.findall(rf"\b{re.escape(name)}\b", text))
    updates = len(re.findall(rf"(?<![\w.>]){re.escape(name)}\s*(?:[-+*/]|>>|<<)=(?!=)", text))
    for other, values in body.scope.values.items():
        if len(values) == 1 and other != name and len(re.findall(rf"\b{re.escape(other)}\b", text)) == 1:
            mentions -= len(re.findall(rf"\b{re.escape(name)}\b", values[0].text))
    return mentions > updates


def _capped_side(axis: str, side: Syntax, launch: TextLaunch, program: Program) -> str:
    """The side of the grid that has `min(n, limit)` blocks, where this one has what is left of `n`."""
    scope = program.scope(launch.function)
    counted = size_of_side(side, scope)
    for other, given in zip("xyz", launch.grid):
        size = None if given is None or other == axis else size_of_side(given, scope)
        if size is not None and counted is not None and _CAP.match(size.text) and names_in(size) & names_in(counted):
            return other
    return ""


def _unasked_places(axis: str, body: Body, below: str = "") -> Iterator[set[str]]:
    """Each place along the axis that no condition mentions, with what is worked out from it; `below`: or that goes on from it."""
    for name in sorted(body.positions):
        value = body.scope.values[name][0]
        if not (is_element(value, axis) or (below and lower_side(value, axis) == below)):
            continue
        derived = {name, *(each for each in worked_out(name, body) if not _is_remainder(each, body))}
        conditions = [c for node in body.nodes if (c := node.child("condition")) is not None]
        if any(not derived.isdisjoint(names_in(condition)) for condition in conditions):
            continue
        if not any(_REDUCED.search(value.text) for each in derived for value in body.scope.values.get(each, [])):
            yield derived


def _is_remainder(name: str, body: Body) -> bool:
    """`token = i % tokens`: whatever is asked of it, the place may be outside."""
    return any(value.op == "%" for value in body.scope.values.get(name, []))


def _written(axis: str, body: Body, below: str = "") -> Syntax | None:
    """The first assignment to an element chosen by such a place, or by a pointer that is made of it."""
    for derived in _unasked_places(axis, body, below):
        derived = derived | _pointers_of(derived, body)
        for node in body.nodes:
            left = node.child("left") if node.kind == "assignment_expression" else None
            if left is not None and left.kind in ("subscript_expression", "call_expression"):
                if not derived.isdisjoint(names_in(left)):
                    return left
    return None


def _pointers_of(derived: set[str], body: Body) -> set[str]:
    """`row = x + i * columns`"""
    return {
        name
        for name, values in body.scope.values.items()
        if body.scope.types.get(name) == POINTER
        and len(values) == 1
        and name not in body.scope.grown
        and values[0].op == "+"
        and not derived.isdisjoint(names_in(values[0]))
    }


def _handed(axis: str, body: Body) -> Syntax | None:
    """The first element so chosen that a call is handed: `load(v, x + row * stride + i)`, `store(&rows[i], v)`."""
    pointers = {name for name, kind in body.scope.types.items() if kind == POINTER}
    for derived in _unasked_places(axis, body):
        for node in body.nodes:
            arguments = node.child("arguments") if node.kind == "call_expression" else None
            for argument in () if arguments is None else arguments.children:
                names = names_in(argument)
                chosen = argument.text.startswith("&") or "*)" in argument.text or not names.isdisjoint(pointers)
                if chosen and not derived.isdisjoint(names) and re.search(r"[+\[]", argument.text):
                    return argument
    return None


def unasked_counts(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel without a launch in its file: it gets one count, never reads it, and writes at its place."""
    program = program_of(outline)
    launched = {launch.kernel for launch in chain(text_launches(program), wrapped_launches(program))}
    for body in bodies(program, ("kernel",)):
        name = body.function.name
        if name in launched:
            continue
        counts = [each for each in body.scope.parameters if _is_unread_count(each, body)]
        written = _written("x", body) if len(counts) == 1 else None
        if written is not None and _is_grid_wide(written, body):
            text = f"`{short(written)}` is written at a place that nothing compares with `{counts[0]}`"
            yield GuardIssue(body.function, written, f"{text}, which the kernel gets and never reads")
            continue
        read = _read(body) if len(counts) == 1 else None
        if read is not None:
            text = f"`{short(read)}` is read at a place that nothing compares with `{counts[0]}`"
            yield GuardIssue(body.function, read, f"{text}, which the kernel gets and never reads")


def _read(body: Body) -> Syntax | None:
    """An element of the kernel's memory, at a place in the whole grid that no condition mentions."""
    for name in sorted(body.positions):
        value = body.scope.values[name][0]
        conditions = (c for node in body.nodes if (c := node.child("condition")) is not None)
        if not is_element(value, "x") or "threadIdx" not in value.text or any(name in names_in(c) for c in conditions):
            continue
        for node in body.nodes:
            base = node.child("argument") if node.kind == "subscript_expression" else None
            given = base is not None and base.text in body.scope.parameters
            if base is not None and given and body.scope.types.get(base.text) == POINTER:
                if node.children[-1].bare.strip("[]") == name:
                    return node
    return None


def _is_unread_count(name: str, body: Body) -> bool:
    return body.scope.types.get(name) in (INT, UNSIGNED, WIDE) and is_count_name(name) and not _is_read(name, body)


def _is_grid_wide(written: Syntax, body: Body) -> bool:
    """The place is one of the whole grid: of the block and the thread."""
    places = [value.text for name in names_in(written) & body.positions for value in body.scope.values[name]]
    return any("blockIdx" in text and "threadIdx" in text for text in places)
