"""Atomics that keep nobody out: several threads may pass a test of what they returned.

    if (key < atomicMin(best, key)) label[0] = i;          // each thread that lowers the minimum comes here
    if (atomicSub(left, 1) > 0) total[0] += x;             // as many threads as there were

What two results say of each other is stated as facts, so that the one who finds the last (`atomicSub(left, 1) == 1`) is alone.
A thread that waits for such a value in a loop does keep an order.
"""

from __future__ import annotations

from collections.abc import Callable

from cudalint import ir
from cudalint.symbolic.model import Access, Extreme, MemoryObject
from cudalint.symbolic.synchronization.ordering import apart
from cudalint.symbolic.synchronization.pairs import Threads
from cudalint.symbolic.walk import integers
from cudalint.symbolic.walk.atomics import COUNT, EXTREME, LOWERED
from cudalint.symbolic.walk.execute import Walk
from cudalint.symbolic.walk.signals import is_signalled
from cudalint.term import Number, Term, at_most, disjunction, equal, free_symbols, interval, negation

_UNORDERED = ("plain", "read_only")
_PASSED = ("branch", "exit")  # causes of conditions that are asked once


class Contests:
    """Those of one walk."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        objects = _contested(walk)
        self.tickets = [ticket for ticket in walk.tickets if ticket.object in objects]
        self.extremes = [extreme for extreme in walk.extremes if extreme.object in objects]
        results = [ticket.result for ticket in self.tickets] + [extreme.result for extreme in self.extremes]
        self.names = {str(result.parts[0]) for result in results}

    def learned(self, signals: set[str], access: Access) -> bool:
        """The way to the access asks for something that others have signalled, other than by a contest."""
        asked = [c.term for c in access.path if c.cause in _PASSED]
        waited = [c.term for c in access.path if c.cause not in _PASSED]
        return is_signalled(signals - self.names, *asked) or is_signalled(signals, *waited)

    def facts(self, threads: Threads, *terms: Term) -> list[Term]:
        """What the results of two threads say of each other, where the terms ask for them."""
        atoms = frozenset().union(*(free_symbols(term) for term in terms)) if self.names else frozenset()
        tickets = [ticket for ticket in self.tickets if ticket.result in atoms]
        extremes = [extreme for extreme in self.extremes if extreme.result in atoms]
        found = [apart(a, b, threads) for a in tickets for b in tickets if a.object is b.object]
        return found + [_after(a, b, threads) for a in extremes for b in extremes if a.object is b.object]


def _contested(walk: Walk) -> set[MemoryObject]:
    """Global memory that atomics of one kind alone change, and that nobody reads in order."""
    if not (walk.tickets or walk.extremes):
        return set()
    kinds: dict[MemoryObject, set[str]] = {}
    for access in walk.accesses:
        if access.object.memory != "global":
            continue
        own = kinds.setdefault(access.object, set())
        if access.kind != "read" or access.order not in _UNORDERED:
            own.add(access.order if access.kind == "atomic" and not access.narrow else "")
    for extreme in walk.extremes:
        kinds.setdefault(extreme.object, set()).update(() if _is_comparable(extreme) else ("",))
    still = {ticket.object for ticket in walk.tickets if not _always_moves(ticket.step)}
    alone = {
        found
        for found, own in kinds.items()
        if own in ({COUNT}, {LOWERED}) or (own == {EXTREME} and len(walk.pulled.get(found, ())) == 1)
    }
    return alone - still - walk.disturbed


def _always_moves(step: Term) -> bool:
    """An addition of zero is a load: who waits may use it."""
    low, high = interval(step)
    return (low is not None and low > 0) or (high is not None and high < 0)


def _is_comparable(extreme: Extreme) -> bool:
    """Bits are comparable where the mask is a number; those that are taken away are not stated."""
    return extreme.op in ("min", "max") or (extreme.op == "or" and isinstance(extreme.value, Number))


def _after(first: Extreme, second: Extreme, threads: Threads) -> Term:
    """At one place, the later of two has found what the earlier one left, or more of the same."""
    elsewhere = negation(equal(threads.first(first.offset), threads.second(second.offset)))
    sides = (first, threads.first), (second, threads.second)
    return disjunction(elsewhere, _found_by(sides[0], sides[1]), _found_by(sides[1], sides[0]))


def _found_by(later: tuple[Extreme, Callable[[Term], Term]], earlier: tuple[Extreme, Callable[[Term], Term]]) -> Term:
    result, value = later[1](later[0].result), earlier[1](earlier[0].value)
    match later[0].op:
        case "min":
            return at_most(result, value)
        case "max":
            return at_most(value, result)
        case _:
            return equal(integers.arithmetic(ir.BinaryOp.AND, result, value, later[0].type), value)
