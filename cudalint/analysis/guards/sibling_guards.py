"""Kernels of a file that place their threads alike and guard both coordinates, and one that guards one of them.

resize:   if (x >= out.width || y >= out.height) return;  ...
smooth:   if (x >= out.width || y >= out.height) return;  ...
sharpen:  if (x >= out.width) return;  out.data[y * out.pitch + x] = 0;       with the same x and y

Where a launch of the file says that the side is no rounded-up number of blocks, the coordinate needs no guard.
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

ENOUGH = 2  # kernels that guard both, where no launch of the file shows that the side is rounded up
_TILED = re.compile(r"blockIdx(?:\s*\.\s*|_)([xyz])\b")
_REDUCED = re.compile(r"\b(min|max|clamp\w*)\b|[%&?]")
_OBJECT = re.compile(r"^(\w+)(\.|->)")
_USES = ("subscript_expression", "pointer_expression", "call_expression")


@dataclass(frozen=True, slots=True)
class _Guarded:
    """A guard of a kernel: its comparisons of coordinates, by name; `placed` are the coordinates as they are declared."""

    body: Body
    condition: Syntax
    parts: dict[str, GuardPart]
    placed: dict[str, str]


def sibling_guards(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel: the first use of the coordinate that its siblings compare."""
    program = program_of(outline)
    guards = [guard for body in bodies(program) for guard in _guards(body)]
    whole = [guard for guard in guards if len(guard.parts) > 1]
    told: set[int] = set()
    for guard in guards if whole else ():
        own = guard.body
        if len(guard.parts) != 1 or id(own.function) in told:
            continue
        for name in sorted(guard.placed.keys() - guard.parts.keys()):
            siblings = [w for w in whole if w.body is not own and _are_alike(guard, w, name)]
            use = _unguarded(name, guard) if siblings else None
            if use is None or not _is_rounded(name, guard, siblings, outline, program):
                continue
            told.add(id(own.function))
            other = siblings[0]
            text = (
                f"`{short(use)}` is reached without a guard of `{name}`, which "
                f"`{other.body.function.name}` compares beside `{next(iter(guard.parts))}`: `{short(other.condition)}`"
            )
            yield GuardIssue(own.function, guard.condition, text, other.condition, behind=(use,))
            break


def _guards(body: Body) -> Iterator[_Guarded]:
    placed = _placed(body)
    for node in body.nodes if len(placed) > 1 else ():
        condition, guarded = node.child("condition"), node.child("consequence")
        if node.kind == "if_statement" and condition is not None and guarded is not None:
            parts = {part.name: part for part in guard_parts(condition, leaves(guarded), True) if part.name in placed}
            if parts:
                yield _Guarded(body, condition, parts, placed)


def _placed(body: Body) -> dict[str, str]:
    """Coordinates that are declared in the outermost block: a block's place along one side and a thread's within it."""
    found: dict[str, str] = {}
    for node in body.function.body.children:
        for declarator in node.children if node.kind == "declaration" else ():
            name, value = declarator.child("declarator"), declarator.child("value")
            if declarator.kind == "init_declarator" and name is not None and value is not None:
                if len(set(_TILED.findall(value.text))) == 1 and "threadIdx" in value.text:
                    found[name.text] = value.bare
    return found


def _are_alike(guard: _Guarded, other: _Guarded, name: str) -> bool:
    """The other kernel compares the same coordinates with the sides of one object, or with sizes that both are given.

    Of two sides of an object it may give each the other axis of the grid: one is still held against its columns.
    """
    ((kept, own),) = guard.parts.items()
    part, twin = other.parts.get(name), other.parts.get(kept)
    if part is None or twin is None:
        return False
    if any(guard.placed[n] != other.placed[n] for n in (kept, name)) and _object(part.bound) is None:
        return False
    if _member(own.bound) != _member(twin.bound):
        return False
    if _object(twin.bound) != _object(part.bound):
        return False
    return _object(part.bound) is not None or part.bound.text in guard.body.scope.parameters


def _object(bound: Syntax) -> str | None:
    found = _OBJECT.match(bound.text)
    return None if found is None else found[1]


def _member(bound: Syntax) -> str:
    """The bound without the name of its object."""
    return _OBJECT.sub(".", bound.bare)


def _unguarded(name: str, guard: _Guarded) -> Syntax | None:
    """An element behind the guard that the coordinate chooses, though no condition speaks of it."""
    body = guard.body
    made = worked_out(name, body)
    if any(_compares(node, name) and not _is_shadowed(node, name, body) for node in body.nodes):
        return None
    for node in body.nodes:
        if node.kind not in _USES or node.start < guard.condition.start:
            continue
        given = names_in(node) & made
        if node.kind == "call_expression" and not _gets_both(node, name, guard):
            continue
        if not given or _is_shadowed(node, name, body) or is_checked(node, made, body):
            continue
        if not any(_REDUCED.search(value.text) for each in given for value in body.scope.values.get(each, [])):
            return node
    return None


def _gets_both(call: Syntax, name: str, guard: _Guarded) -> bool:
    """A function of the place is handed both coordinates as they are: `image.at(y, x)`, `smooth(in, out, x, y)`."""
    arguments = call.child("arguments")
    texts = set() if arguments is None else {argument.text for argument in arguments.children}
    return {name, *guard.parts} <= texts


def _compares(node: Syntax, name: str) -> bool:
    """The name itself stands on one side of a comparison."""
    if node.kind != "binary_expression" or node.op not in ("<", "<=", ">", ">=", "=="):
        return False
    return any(child.text == name for child in node.children)


def _is_shadowed(node: Syntax, name: str, body: Body) -> bool:
    """The name is the counter of a loop around the node."""
    starts = (parent.child("initializer") for parent, _ in body.ancestors(node))
    return any(
        s is not None and s.kind == "declaration" and re.search(rf"\b{re.escape(name)}\s*=", s.text) for s in starts
    )


def _is_rounded(name: str, guard: _Guarded, siblings: list[_Guarded], outline: Outline, program: Program) -> bool:
    """A launch of the file rounds that side up; where none is known, two kernels have to guard it."""
    axis = _TILED.findall(guard.placed[name])[0]
    at = "xyz".index(axis)
    launches = [launch for launch, body in launched_kernels(program, outline) if body is guard.body]
    known = [(launch, side) for launch in launches if (side := launch.grid[at]) is not None]
    if known:
        return any(is_rounded_up(side, launch, program) for launch, side in known)
    kernels = {id(sibling.body.function) for sibling in siblings}
    return len(kernels) >= ENOUGH
