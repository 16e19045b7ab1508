"""Locks in memory: taken by a compare-and-swap, an exchange or (wrongly) a store, given back by an exchange or a store.

    while (atomicCAS(lock, 0, 1) != 0) ;   total[0] += x;   __threadfence();   atomicExch(lock, 0);

What a lock guards is free of races where all take the same one, stay inside, and fence what they wrote before they give it back.
"""

from __future__ import annotations

from dataclasses import replace

from cudalint.symbolic.model import MEMORY_PREFIX, Access, Path, Taken, base_name
from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.synchronization.pairs import Threads
from cudalint.symbolic.walk.atomics import CHOSEN
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import (
    FALSE,
    Flag,
    Number,
    Symbol,
    Term,
    conjunction,
    equal,
    free_symbols,
    labels,
    negation,
    substitute,
    symbol,
)

BUILTINS = ("threadIdx.", "blockIdx.", "blockDim.", "gridDim.", "laneid", "warpid")


class Locks:
    """The locks of one walk."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self._asked = {label for access in walk.accesses if walk.takes for label in _labels(access.path)}
        self._takes = {taken.serial for label, taken in walk.takes.items() if label in self._asked}

    def holds(self, access: Access) -> dict[str, Taken]:
        """The atomics whose results the way to the access asks for, by the names of the results."""
        return {label: self.walk.takes[label] for label in _labels(access.path) if label in self.walk.takes}

    def given_back(self, access: Access) -> set[str]:
        """The takes on the way to the access after which its thread has let go of the lock."""
        return {label for label, taken in self.holds(access).items() if self._is_released(taken, access)}

    def _is_released(self, taken: Taken, access: Access) -> bool:
        """Whoever has taken it and comes to the access has passed a release between the two."""
        way = {conjunct.term for conjunct in (*access.path, *taken.path)}
        return any(
            taken.serial < release.serial < access.serial and self._conditions(release, taken) <= way
            for release in self._changes(taken)
        )

    def _conditions(self, release: Access, taken: Taken) -> set[Term]:
        """What is asked on the way to a release, but for whether the lock was got, and in which round."""
        own = {label for label, other in self.walk.takes.items() if other.object is taken.object}
        return {c.term for c in release.path if c.cause != "loop" and own.isdisjoint(labels(c.term))}

    def _changes(self, taken: Taken) -> list[Access]:
        """Where the lock is changed other than by taking it."""
        own = [a for a in self.walk.accesses if a.object is taken.object and a.kind != "read"]
        return [a for a in own if a.serial not in self._takes]

    def may_differ(self, threads: Threads, a: Access, b: Access) -> Term | None:
        """When the locks of the two are different ones; None where they rely on more than locks, or on which is not known."""
        for access in (a, b):
            takes = self.holds(access)
            told = {label for label in _labels(access.path) if _is_signal(self.walk, label)}
            if not takes or not told <= takes.keys():
                return None
            if any(taken.object is access.object or not _is_plain(taken.offset) for taken in takes.values()):
                return None
        if len({taken.object is CHOSEN for access in (a, b) for taken in self.holds(access).values()}) > 1:
            return None
        apart = [
            negation(equal(threads.first(one.offset), threads.second(other.offset)))
            for one in self.holds(a).values()
            for other in self.holds(b).values()
            if one.object is other.object
        ]
        cond = conjunction(*dict.fromkeys(apart))
        return None if cond is FALSE else cond

    def leaves_unfenced(self, access: Access) -> bool:
        """What it wrote under the lock may arrive after the lock is free: no fence stands before it is given back."""
        if access.kind != "write" or access.order != "plain" or access.object.memory != "global":
            return False
        for taken in self.holds(access).values():
            later = [release for release in self._changes(taken) if release.serial > access.serial]
            if later and not any(access.serial < f.serial <= r.serial for f in self.walk.fences for r in later):
                return True
        return False


def _is_signal(walk: Walk, label: str) -> bool:
    return label in walk.signals or base_name(label) in walk.signals


def _labels(path: Path) -> set[str]:
    return {label for conjunct in path for label in labels(conjunct.term)}


def _is_plain(offset: Term) -> bool:
    """Made of inputs and of the thread's place alone."""
    return all(
        isinstance(atom, Symbol) and (is_input(atom) or atom.name.startswith(BUILTINS)) for atom in free_symbols(offset)
    )


def taken_by_store(walk: Walk, a: Access, b: Access) -> tuple[Access, Access] | None:
    """`while (*lock) ; *lock = 1;`: two threads that both saw it free, as accesses that no value makes equal.

    The store has to shut out whoever waits as its own thread did; a turn that goes round is no such lock.
    """
    if a.span != b.span or a.kind != "write" or b.kind != "write" or a.object is not b.object:
        return None
    if any(other.object is a.object and other.kind == "atomic" for other in walk.accesses):
        return None
    if not all(_shuts_out(access) for access in (a, b)):
        return None
    free = symbol(f"{MEMORY_PREFIX}free({a.object.name})", None, None, "launch")
    return _seen_as(a, free), _seen_as(b, free)


def _own_values(access: Access) -> set[Term]:
    own = f"{MEMORY_PREFIX}{access.object.name}"
    atoms = frozenset().union(*(free_symbols(conjunct.term) for conjunct in access.path))
    return {atom for atom in atoms if not isinstance(atom, Flag) and base_name(str(atom.parts[0])) == own}


def _shuts_out(access: Access) -> bool:
    values = _own_values(access)
    if not values or not isinstance(access.value, Number):
        return False
    stored: dict[Term, Term] = dict.fromkeys(values, access.value)
    return any(substitute(conjunct.term, stored) is FALSE for conjunct in access.path)


def _seen_as(access: Access, value: Term) -> Access:
    seen: dict[Term, Term] = dict.fromkeys(_own_values(access), value)
    path = tuple(replace(conjunct, term=substitute(conjunct.term, seen)) for conjunct in access.path)
    return replace(access, path=path, value=None)
