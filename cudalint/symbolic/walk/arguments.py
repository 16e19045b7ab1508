"""What the threads pass to a device function that nobody calls: each one values of its own.

A launch passes a number to all threads; a caller inside a kernel may pass its thread's number, and a pointer into memory that
only this thread has. Such values have the scope of a thread, under the names that annotations have for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cudalint import ir
from cudalint.symbolic.model import MemoryObject
from cudalint.symbolic.walk.expressions import members_of
from cudalint.symbolic.walk.parameters import type_range
from cudalint.term import Term, flag, keep, symbol

CALLER = keep(symbol("caller#0", None, None, "thread"))  # whose memory it is that a pointer leads to

NULL_PREFIX = "null("


def passed_by_thread(params: Iterable[ir.Param]) -> dict[str, Term]:
    """The numbers among the parameters and their members, by name."""
    found: dict[str, Term] = {}
    for param in params:
        for name, type_ in _leaves(param.var.name, param.var.type):
            if not isinstance(type_, ir.Pointer):
                low, high = type_range(type_)
                found[name] = symbol(name, low, high, "thread")
    return found


def may_be_null(params: Iterable[ir.Param]) -> dict[str, Term]:
    """Of each pointer among the parameters and their members that is no reference: whether it is null."""
    named = (leaf for p in params if not p.reference for leaf in _leaves(p.var.name, p.var.type))
    return {name: flag(f"{NULL_PREFIX}{name})", "thread") for name, type_ in named if isinstance(type_, ir.Pointer)}


def reached_by_both(
    found: MemoryObject, passed: list[MemoryObject], shared: list[MemoryObject], params: Iterable[ir.Param]
) -> list[MemoryObject]:
    """Other memory that a caller may pass as this one: of the `passed`, and of what all threads share, where it is passed.

    A store through a pointer to floating point changes no integer, and `__restrict__` promises memory of its own.
    """
    alone = {p.var.name for p in params if p.restrict}
    if found.name in alone or (found not in passed and found not in shared):
        return []
    others = (each for each in (*passed, *(shared if found in passed else ())) if each is not found)
    is_float = isinstance(found.type, ir.Float)
    return [each for each in others if isinstance(each.type, ir.Float) is is_float and each.name not in alone]


def _leaves(name: str, type_: ir.Type) -> Iterator[tuple[str, ir.Type]]:
    members = members_of(type_)
    for position, (_, member) in enumerate(members):
        yield from _leaves(member_label(name, type_, position), member)
    if not members:
        yield name, type_


def member_label(name: str, type_: ir.Type, position: int) -> str:
    """What the member of a parameter is called: `p.n`, `p.x`, `p[0]`."""
    if isinstance(type_, ir.Array):
        return f"{name}[{position}]"
    return f"{name}.{type_.fields[position].name if isinstance(type_, ir.Struct) else ir.LANES[position]}"
