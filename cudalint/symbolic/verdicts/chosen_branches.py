"""Places beyond an array in a function that is written for longer ones, where a value that the host code lost chooses the branch.

template <int N> __device__ void add(float (&sums)[N], int order) { ...  if (order == 3) sums[6] += x; }
add(six, lens.across);  add(fifteen, lens.along);           // with six sums nobody passes an order of 3
"""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.finding import Confidence, Verdict
from cudalint.source import Span
from cudalint.symbolic.model import Obligation
from cudalint.symbolic.verdicts.checked import guard_parts
from cudalint.symbolic.verdicts.facts import is_lost_argument
from cudalint.term import Number, Symbol, free_symbols


def leave_branches_to_host(obligations: Iterable[Obligation]) -> None:
    """Make such a violation one that rests on what the host code does: the same access is inside of another, longer array."""
    obligations = [each for each in obligations if isinstance(each.extent, Number)]
    longest: dict[Span, int] = {}
    for each in obligations:
        if each.verdict is Verdict.SAFE and isinstance(each.extent, Number):
            longest[each.span] = max(longest.get(each.span, 0), each.extent.value)
    for each in obligations:
        if (
            each.verdict is not Verdict.VIOLATED
            or each.confidence is Confidence.LOW
            or not isinstance(each.extent, Number)
        ):
            continue
        if isinstance(each.index, Number) and longest.get(each.span, 0) > each.extent.value and _is_chosen(each):
            each.confidence = Confidence.LOW


def _is_chosen(obligation: Obligation) -> bool:
    """Whether any thread of the launch reaches the access is up to a value that was lost on the way there."""
    for guard in guard_parts(obligation.path):
        symbols = [atom for atom in free_symbols(guard) if isinstance(atom, Symbol)]
        if all(atom.scope == "launch" for atom in symbols) and any(map(is_lost_argument, symbols)):
            return True
    return False
