"""Inputs of which the host says how large they may be: an array of fixed length that they exceed is no matter of callers.

TORCH_CHECK(T <= 8192);  k<<<grid, 128, 128 * sizeof(float)>>>(..., T);        p[T - 1] of 128 elements
TORCH_CHECK(k >= 1 && k <= x.size(1));  float best[16];                        best[k - 1]
"""

from __future__ import annotations

from cudalint.contract import Assume, Origin
from cudalint.symbolic.ordinary import is_input, is_of_tensor
from cudalint.symbolic.walk.environment import Environment
from cudalint.term import All, AtMostZero, Sum, Symbol, Term, interval

LARGEST_STATED = 1 << 20  # a bound beyond it is that of the type


def is_limited(size: Term, environment: Environment) -> bool:
    """A number of the host function's text, or for its own parameter another size, ends the input in a check."""
    if not isinstance(size, Symbol):
        return False
    low, high = interval(size)
    checks = [
        f.what.cond for f in environment.contract.facts if isinstance(f.what, Assume) and f.origin is Origin.LAUNCH
    ]
    parts = [part for cond in checks for part in _parts(cond)]
    if high is not None and high <= LARGEST_STATED:
        return any(_ends(part, size, by_number=True) for part in parts)
    own = not is_of_tensor(size)
    return own and (low or 0) >= 0 and any(_ends(part, size, by_number=False) for part in parts)


def _parts(cond: Term) -> list[Term]:
    return [inner for part in cond.parts[0] for inner in _parts(part)] if isinstance(cond, All) else [cond]


def _ends(part: Term, size: Symbol, by_number: bool) -> bool:
    """`size <= 8192`, or `size <= other`."""
    if not isinstance(part, AtMostZero):
        return False
    whole = part.parts[0]
    factors = dict(whole.monomials) if isinstance(whole, Sum) else {}
    names = {m[0].name if len(m) == 1 and isinstance(m[0], Symbol) else "" for m in factors}
    if size.name not in names or not any(
        factor > 0 for m, factor in factors.items() if isinstance(m[0], Symbol) and m[0].name == size.name
    ):
        return False
    if by_number:
        return len(factors) == 1
    return len(factors) == 2 and all(len(m) == 1 and is_input(m[0]) for m in factors)
