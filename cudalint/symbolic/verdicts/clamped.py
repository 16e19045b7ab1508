"""Values from memory that the kernel itself keeps between two limits: how far it goes is what the limits say.

int v = min(max(in[i], 0), 256);                // 256 is one of the places that this is written for
y = table[v];                                   // of 256 elements
"""

from __future__ import annotations

from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.verdicts.checked import contents_in
from cudalint.term import (
    AtMostZero,
    Choice,
    Number,
    Term,
    equal,
    free_symbols,
    interval,
    rewrite,
    subterms,
    subtract,
    symbol,
)

BELOW, ABOVE = -1, 1
BOTH = frozenset((BELOW, ABOVE))


def without_clamps(index: Term, sides: frozenset[int] = BOTH) -> Term:
    """The index with a number of its own in the place of each value that is held on these sides."""

    def leaf(part: Term) -> Term | None:
        if not isinstance(part, Choice) or not sides <= _held_sides(part):
            return None
        return symbol(f"clamped#{part.digest.hex()[:12]}", *interval(part))

    return rewrite(index, leaf)


def at_upper_limits(index: Term) -> list[Term]:
    """Each value from memory that is held above is as large as that: `min(x, hi)` is written for an x that is larger."""
    held = (part for part in subterms([index]) if isinstance(part, Choice) and ABOVE in _held_sides(part))
    return [
        equal(part, limit) for part in held for limit in part.parts[1:] if _side(part) == ABOVE and _is_limit(limit)
    ]


def _held_sides(term: Term) -> frozenset[int]:
    """On which sides a value is held: `min(x, hi)` above, `max(x, lo)` below, and of what is counted, below as it is."""
    low, _ = interval(term)
    own = frozenset((BELOW,)) if low is not None and low >= 0 else frozenset[int]()
    if not isinstance(term, Choice):
        return own
    _, then, orelse = term.parts
    limits = [part for part in (then, orelse) if _is_limit(part)]
    values = [part for part in (then, orelse) if not _is_limit(part)]
    side = _side(term)
    if len(limits) != 1 or not side:
        return own
    return own | {side} | _held_sides(values[0])


def _side(term: Choice) -> int:
    """1 where it is the smaller one of its two parts, -1 where it is the larger one, else 0."""
    cond, then, orelse = term.parts
    if not isinstance(cond, AtMostZero):
        return 0
    smaller, larger = subtract(then, orelse), subtract(orelse, then)
    if _differ_by_little(cond.parts[0], smaller):
        return ABOVE
    return BELOW if _differ_by_little(cond.parts[0], larger) else 0


def _differ_by_little(a: Term, b: Term) -> bool:
    """`x <= hi` and `x < hi` make the same choice."""
    apart = subtract(a, b)
    return isinstance(apart, Number) and apart.value in (0, 1)


def _is_limit(term: Term) -> bool:
    return not contents_in([term]) and all(map(is_input, free_symbols(term)))
