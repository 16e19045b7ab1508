"""Memory that one side of a condition fills, and what is left of values and conditions on that side.

if (SUCCEEDED(start())) cudaMallocPitch(&x, &pitch, ...);          later: k<<<...>>>(x, pitch)      x is what was allocated
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from cudalint.symbolic.host.launched import LaunchRecord
from cudalint.symbolic.host.values import APPROXIMATE, Address, Either, Value
from cudalint.term import Any_, Choice, Term, disjunction, free_symbols, negation, rewrite


def side_of_filled(value: Value) -> Term | None:
    """When a pointer leads to what was allocated, and else to what was there before; who uses one that may be null asks."""
    sides = sides_of_filled(value)
    return sides[0] if len(sides) == 1 else None


def sides_of_filled(value: Value) -> list[Term]:
    """The same behind several conditions, each of which leaves it as it was: `if (n < 1) return; if (n > m) return; ...`."""
    sides: list[Term] = []
    while isinstance(value, Either):
        if _kind_behind(value.then) == "input":
            sides, value = [*sides, negation(value.cond)], value.orelse
        elif _kind_behind(value.orelse) == "input":
            sides, value = [*sides, value.cond], value.then
        else:
            return []
    return sides if _kind_behind(value) == "allocation" else []


def _kind_behind(value: Value) -> str:
    return value.object.kind if isinstance(value, Address) and value.object is not None else ""


def known_on_side(condition: Term, side: Term) -> Term:
    """What is left of `other side || condition`."""
    parts = condition.parts[0] if isinstance(condition, Any_) else (condition,)
    other = negation(side)
    return disjunction(*(part for part in parts if part is not other)) if other in parts else condition


def on_side(value: Value, side: Term) -> Value:
    """The value where this side of a condition holds."""
    other = negation(side)

    def leaf(part: Term) -> Term | None:
        if not isinstance(part, Choice) or part.parts[0] not in (side, other):
            return None
        return rewrite(part.parts[1 if part.parts[0] is side else 2], leaf)

    if isinstance(value, Either) and value.cond in (side, other):
        return on_side(value.then if value.cond is side else value.orelse, side)
    return rewrite(value, leaf) if isinstance(value, Term) else value


def on_sides(value: Value, held: Collection[Term]) -> Value:
    """What is left of a choice where these conditions hold; one that stands inside of something else stays."""
    while isinstance(value, Either | Choice):
        cond, then, orelse = (value.cond, value.then, value.orelse) if isinstance(value, Either) else value.parts
        if cond in held:
            value = then
        elif negation(cond) in held:
            value = orelse
        else:
            break
    return value


def on_the_filled_side(record: LaunchRecord) -> tuple[LaunchRecord, tuple[str, ...]]:
    """The launch where variables that it passes have been filled, if code that was not understood decides that.

    A variable of the program that nobody has filled is null: nothing is launched with it. The variables come back.
    """
    names: list[str] = []
    for arg in record.args:
        side = side_of_filled(arg)
        if side is None or not all(str(s.parts[0]).startswith(APPROXIMATE) for s in free_symbols(side)):
            continue
        before = next(a for a in (arg.then, arg.orelse) if _kind_behind(a) == "input")  # type: ignore[union-attr]
        label = before.object.name  # type: ignore[union-attr]
        if not any(mark in label for mark in (":", "@", APPROXIMATE)):  # of the program, as it was when that began
            names.append(label)
            record = _on(record, side)
    return record, tuple(names)


def _on(record: LaunchRecord, side: Term) -> LaunchRecord:
    def held(term: Term) -> Term:
        value = on_side(term, side)
        assert isinstance(value, Term)
        return value

    return replace(
        record,
        grid=(held(record.grid[0]), held(record.grid[1]), held(record.grid[2])),
        block=(held(record.block[0]), held(record.block[1]), held(record.block[2])),
        shared=held(record.shared),
        args=tuple(on_side(arg, side) for arg in record.args),
        path=(*(known_on_side(cond, side) for cond in record.path), side),
    )
