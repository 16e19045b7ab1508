"""Windows that fit into what they move over: `(height + 2 * pad - kernel) / stride + 1` of a kernel no larger than the image.

C's division rounds towards zero, so that a kernel that is larger by less than a stride still gives one output. A caller who
asks for that is possible, and none that an ordinary witness speaks of.
"""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.symbolic.ordinary import is_input
from cudalint.term import AtMostZero, Choice, Quotient, Sum, Term, free_symbols, subterms


def windows_that_fit(terms: Iterable[Term]) -> list[Term]:
    """For each quotient of a difference of inputs that the terms round towards zero: the difference is not negative."""
    choices = (part for part in subterms(terms) if isinstance(part, Choice))
    found = [part.parts[0] for part in choices if _is_rounded_difference(part)]
    return sorted(dict.fromkeys(found), key=lambda term: term.digest)


def _is_rounded_difference(choice: Choice) -> bool:
    """`0 <= a ? a / b : -(-a / b)` where inputs alone make up a, one of them with a minus."""
    cond, _, orelse = choice.parts
    if not isinstance(cond, AtMostZero) or not isinstance(cond.parts[0], Sum):
        return False
    below = cond.parts[0]
    signs = {coefficient < 0 for _, coefficient in below.monomials}
    if len(signs) < 2 or not all(map(is_input, free_symbols(below))):
        return False
    quotients = (part for part in subterms([orelse]) if isinstance(part, Quotient))
    return any(free_symbols(part.parts[0]) <= free_symbols(below) for part in quotients)
