"""Entries of small arrays that callers choose: `strides[dim]` for the `dim` of a tensor with four of them (DESIGN 3, origin 7).

Nothing relates the number to the array, so that the access itself stays open. What every thread comes to under no condition is
taken for granted behind it: a launch that reads past the array goes wrong there, and what follows from it is no defect of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.contract import Origin
from cudalint.finding import Assumption, Reason, Verdict
from cudalint.symbolic.model import Obligation, scope_of
from cudalint.symbolic.walk.environment import Environment, KnownFact
from cudalint.term import FALSE, TRUE, Term


def chooses_entry(obligation: Obligation) -> bool:
    """An index into one dimension of an array that is the same for all threads, asked about under no condition."""
    settled = obligation.holds in (TRUE, FALSE)
    return (
        obligation.kind == "dimension"
        and not obligation.path
        and not settled
        and scope_of(obligation.index) == "launch"
    )


def take_inside(entries: Iterable[Obligation], environment: Environment) -> frozenset[Assumption]:
    """Let the index of each entry that stays open be inside its array from now on; what that assumes."""
    taken: dict[Term, Assumption] = {}
    for entry in entries:
        is_open = entry.verdict is Verdict.UNKNOWN and entry.reason is Reason.UNTIED_EXTENT
        if is_open and entry.object is not None and entry.holds not in taken:
            text = f"the entry of `{entry.object.name}` that callers choose is one of its {entry.extent}"
            taken[entry.holds] = Assumption(text, Origin.INFERRED.value, entry.span.path, entry.span.line)
    environment.facts += [KnownFact(holds, assumption) for holds, assumption in taken.items()]
    return frozenset(taken.values())


def mark_conditional(obligations: Iterable[Obligation], taken: frozenset[Assumption]) -> None:
    """What is safe is so under what was taken, where that was used."""
    for obligation in obligations:
        if obligation.verdict is Verdict.SAFE and not taken.isdisjoint(obligation.facts):
            obligation.reason = Reason.PRECONDITION
