"""Loops without block barriers, in which each thread is in an iteration of its own.

    for (s = n; s > 0; s /= 2) x[t + s] = t;      s is the same for all threads in one iteration, and they may be in different ones

The walk has one symbol for what it does not know of such a value, the same for all threads: so it is behind the loop. Inside, every
thread has one of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from cudalint.symbolic.model import Access, Conjunct, CountedVisit, Path, Rounds, scope_of
from cudalint.symbolic.walk.closed_forms import made_at
from cudalint.term import Symbol, Term, flag, free_symbols, substitute, symbol

if TYPE_CHECKING:
    from cudalint.symbolic.walk.execute import Walk

Range = tuple[int, int]
Own = dict[Term, Term]


def tell_threads_apart(walk: Walk) -> list[Term]:
    """Give accesses, barriers of warps, tickets, extremes and claims symbols of their thread for what the loops around them made.

    Returns what is known of these symbols.
    """
    ranges = tuple(walk.made_in.values())
    if not ranges:
        return []
    walk.accesses = [_access(walk, access) for access in walk.accesses]
    walk.warp_barriers = [
        replace(barrier, path=_path(barrier.path, _own((c.term for c in barrier.path), _around(walk, barrier.loops))))
        for barrier in walk.warp_barriers
    ]
    walk.counted = [_visit(walk, visit) for visit in walk.counted]
    for position, ticket in enumerate(walk.tickets):
        own = _own((ticket.offset, ticket.step), _holding(ticket.result, ranges))
        walk.tickets[position] = replace(
            ticket, offset=substitute(ticket.offset, own), step=substitute(ticket.step, own)
        )
    for position, extreme in enumerate(walk.extremes):
        own = _own((extreme.offset, extreme.value), _holding(extreme.result, ranges))
        walk.extremes[position] = replace(
            extreme, offset=substitute(extreme.offset, own), value=substitute(extreme.value, own)
        )
    for name, claim in walk.claims.items():
        expected = () if claim.expected is None else (claim.expected,)
        own = _own((claim.offset, claim.desired, *expected), _holding(claim.result, ranges))
        walk.claims[name] = replace(
            claim, offset=substitute(claim.offset, own), desired=substitute(claim.desired, own),
            expected=substitute(expected[0], own) if expected else None,
        )  # fmt: skip
    known = ((axiom, _own((axiom,), ranges)) for axiom in walk.axioms)
    return [substitute(axiom, own) for axiom, own in known if own]


def _access(walk: Walk, access: Access) -> Access:
    return _in_ranges(access, _around(walk, access.loops))


def _in_ranges(access: Access, ranges: tuple[Range, ...]) -> Access:
    terms = [access.offset, *(c.term for c in access.path)]
    terms += [access.value] if isinstance(access.value, Term) else []
    terms += (term for found in access.rounds for term in (found.arrived, found.waited))
    own = _own(terms, ranges)
    if not own:
        return access
    value = substitute(access.value, own) if isinstance(access.value, Term) else access.value
    return replace(
        access, offset=substitute(access.offset, own), path=_path(access.path, own), value=value,
        rounds=_rounds(access.rounds, own),
    )  # fmt: skip


def _visit(walk: Walk, visit: CountedVisit) -> CountedVisit:
    terms = [visit.id, *(c.term for c in visit.path)]
    terms += (term for found in visit.rounds for term in (found.arrived, found.waited))
    own = _own(terms, _around(walk, visit.loops))
    path, found = _path(visit.path, own), _rounds(visit.rounds, own)
    return replace(visit, id=substitute(visit.id, own), path=path, rounds=found)


def _rounds(rounds: tuple[Rounds, ...], own: Own) -> tuple[Rounds, ...]:
    return tuple(Rounds(r.barrier, substitute(r.arrived, own), substitute(r.waited, own)) for r in rounds)


def of_any_iteration(access: Access, made: Range) -> Access:
    """The access in an iteration of its own of the loop that made these symbols."""
    return _in_ranges(access, (made,))


def _path(path: Path, own: Own) -> Path:
    return tuple(Conjunct(substitute(c.term, own), c.cause) for c in path) if own else path


def _around(walk: Walk, loops: Iterable[Symbol]) -> tuple[Range, ...]:
    return tuple(walk.made_in[loop] for loop in loops)


def _holding(made: Symbol, ranges: Iterable[Range]) -> tuple[Range, ...]:
    return tuple(r for r in ranges if _is_within(made_at(made), (r,)))


def _own(terms: Iterable[Term], ranges: tuple[Range, ...]) -> Own:
    """What differs between iterations only, by the symbol that each thread has of it."""
    if not ranges:
        return {}
    atoms = frozenset[Term]().union(*map(free_symbols, terms))
    return {a: _of_thread(a) for a in atoms if scope_of(a) != "thread" and _is_within(made_at(a), ranges)}


def _is_within(made: int, ranges: Iterable[Range]) -> bool:
    return any(first < made <= last for first, last in ranges)


def _of_thread(atom: Term) -> Term:
    name = f"{atom.parts[0]}'"
    return symbol(name, atom.parts[1], atom.parts[2], "thread") if isinstance(atom, Symbol) else flag(name, "thread")
