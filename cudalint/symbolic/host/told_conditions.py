"""Which conditions of a launch its contract tells: those that have to do with what its other facts speak of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from cudalint.symbolic.host.fact_forms import is_much, is_unsettled, known_numbers
from cudalint.symbolic.host.same import representatives
from cudalint.symbolic.host.text import is_large, shown
from cudalint.symbolic.host.values import LARGEST_SIZE
from cudalint.symbolic.host.whole_rows import SIZE
from cudalint.term import TRUE, Term, free_symbols, substitute, symbol


def told_conditions(
    conditions: list[tuple[Term, str]], primary: set[Term], decided: Mapping[Term, frozenset[Term]]
) -> list[tuple[Term, str]]:
    """Conditions that speak, directly or through others, of the primary symbols; each once, in their order.

    `decided` has what the alternatives spoke of of which a condition is left.
    """
    waiting = [(c, t) for c, t in dict.fromkeys(_with_known_numbers(conditions)) if _is_told(c, primary)]
    symbols, chosen, before = _with_counts(primary), set[Term](), -1
    while len(chosen) != before:
        before = len(chosen)
        for cond, _ in waiting:
            equates = len(free_symbols(cond)) > 1 and representatives([cond])
            names = free_symbols(cond) if equates else _with_counts(free_symbols(cond))
            names = names | decided.get(cond, frozenset())
            if names & symbols:
                symbols |= names
                chosen.add(cond)
    found: dict[Term, str] = {}
    for cond, text in waiting:
        if cond in chosen and cond is not TRUE:
            found.setdefault(cond, text)
    return list(found.items())


def _with_known_numbers(conditions: list[tuple[Term, str]]) -> Iterator[tuple[Term, str]]:
    """The conditions, where a `case 3:` on the way has fixed what they speak of: too large a one may become small."""
    numbers = known_numbers(conditions)
    for cond, text in conditions:
        known = cond if representatives([cond]) or not is_large(cond) else substitute(cond, numbers)
        yield (cond, text) if known is cond else (known, shown(known))


def _with_counts(symbols: Iterable[Term]) -> set[Term]:
    """Sizes of a tensor have to do with the number of its elements."""
    names = (str(s.parts[0]) for s in symbols)
    counts = {f"{named[1]}.numel()" for name in names if (named := SIZE.match(name))}
    return {*symbols, *(symbol(name, 0, LARGEST_SIZE) for name in sorted(counts))}


def _is_told(cond: Term, primary: set[Term]) -> bool:
    """A condition on a lost value that no other fact speaks of says nothing of the launch."""
    names = free_symbols(cond)
    return not is_much(cond) and all(s in primary or not is_unsettled(s) for s in names)
