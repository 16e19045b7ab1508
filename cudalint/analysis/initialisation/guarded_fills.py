"""Shared arrays that only those threads fill which have an element of the data: in the last block a part stays unset.

if (i < n) tile[t] = x[i];  __syncthreads();  for (int k = 0; k < 128; ++k) sum += tile[k];        `tile`
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cudalint import ir
from cudalint.ir import walk

_DATA, _PLACE, _HELD = "data", "place", "@"  # and `@name`: what a shared array held


@dataclass(frozen=True, slots=True)
class _Use:
    """An access and what decides on it: parameters by their names, memory as `data`, the place in the launch as `place`.

    `fills` is false for a load and for a store of what the array held before, as in `part[t] += part[t + 64]`.
    """

    fills: bool
    conditions: frozenset[str]
    place: frozenset[str]


def guarded_fills(kernel: ir.Function, launched: bool = False) -> frozenset[str]:
    """The arrays of a kernel that are filled nowhere but behind a comparison with a parameter.

    Those are left out of whose accesses memory decides whether or where they happen, or a parameter that no store is guarded by;
    under a launch that is known such a parameter may decide whether an element is read: the launch relates the two.
    """
    shared = {
        s.var.name
        for s in walk.statements(kernel.body)
        if isinstance(s, ir.Declare) and s.storage in (ir.Storage.SHARED, ir.Storage.DYNAMIC_SHARED)
    }
    if not shared:
        return frozenset()
    sources = _sources(kernel, shared)
    uses: dict[str, list[_Use]] = {}
    for name, use in _uses(kernel.body, frozenset(), sources, shared):
        uses.setdefault(name, []).append(use)
    handed_on = {name for s in walk.statements(kernel.body) for name in _handed_on(s)}
    return frozenset(name for name, found in uses.items() if name not in handed_on and _is_guarded(found, launched))


def _is_guarded(uses: list[_Use], launched: bool) -> bool:
    fills = [use for use in uses if use.fills]
    if not fills or len(fills) == len(uses) or any(map(_hangs_on_memory, uses)):
        return False
    sizes = frozenset.intersection(*(fill.conditions for fill in fills))
    free = [use.place if launched and not use.fills else use.conditions | use.place for use in uses]
    return bool(sizes - {_PLACE}) and all(decided <= sizes for decided in free)


def _hangs_on_memory(use: _Use) -> bool:
    return any(source == _DATA or source.startswith(_HELD) for source in use.conditions | use.place)


def _sources(kernel: ir.Function, shared: set[str]) -> dict[str, frozenset[str]]:
    """What each variable is made of."""
    found = {param.var.name: frozenset({param.var.name}) for param in kernel.params}
    grown = True
    while grown:
        before = sum(map(len, found.values()))
        for stmt in walk.statements(kernel.body):
            target = walk.target(stmt)
            if target is not None:
                made = _of(walk.evaluated(stmt), found)
                if isinstance(stmt, ir.Load | ir.Atomic | ir.Call | ir.Warp):
                    root = walk.root(stmt.place) if isinstance(stmt, ir.Load) else None
                    held = root is not None and root.name in shared
                    made |= {f"{_HELD}{root.name}" if held and root is not None else _DATA}
                found[target.name] = found.get(target.name, frozenset()) | made
        grown = sum(map(len, found.values())) > before
    return found


def _of(parts: Iterable[ir.Expr], sources: dict[str, frozenset[str]]) -> frozenset[str]:
    made: set[str] = set()
    for part in parts:
        if isinstance(part, ir.Var):
            made |= sources.get(part.name, frozenset())
        elif isinstance(part, ir.Builtin) and part.name.startswith(("blockIdx", "threadIdx")):
            made.add(_PLACE)
        elif isinstance(part, ir.Opaque):
            made.add(_DATA)
    return frozenset(made)


def _uses(
    body: tuple[ir.Stmt, ...], conditions: frozenset[str], sources: dict[str, frozenset[str]], shared: set[str]
) -> Iterator[tuple[str, _Use]]:
    for stmt in body:
        if isinstance(stmt, ir.If):
            asked = conditions | _of(walk.expressions(stmt.cond), sources)
            yield from _uses(stmt.then, asked, sources, shared)
            yield from _uses(stmt.orelse, asked, sources, shared)
        elif isinstance(stmt, ir.Loop):
            asked = conditions | _of(walk.expressions(stmt.cond), sources)
            yield from _uses((*stmt.pre, *stmt.body, *stmt.step), asked, sources, shared)
        elif isinstance(stmt, ir.Load | ir.Store | ir.Atomic | ir.AsyncCopy):
            made = _of(walk.expressions(stmt.value), sources) if isinstance(stmt, ir.Store) else frozenset[str]()
            for place in walk.places(stmt):
                root = walk.root(place)
                if root is not None and root.name in shared:
                    at = _of((part for each in walk.place_operands(place) for part in walk.expressions(each)), sources)
                    fills = not isinstance(stmt, ir.Load) and f"{_HELD}{root.name}" not in made
                    yield root.name, _Use(fills, conditions, at - {root.name})


def _handed_on(stmt: ir.Stmt) -> Iterator[str]:
    """Variables that a call gets: what happens to them there is not looked at."""
    if isinstance(stmt, ir.Call | ir.Unmodelled):
        for part in walk.evaluated(stmt):
            if isinstance(part, ir.Var):
                yield part.name
            elif isinstance(part, ir.AddressOf) and (root := walk.root(part.place)) is not None:
                yield root.name
