"""Host terms as a reader would write them: without function prefixes, marks of unknowns and the cases that C adds."""

from __future__ import annotations

import re

from cudalint.finding import without_first_value
from cudalint.term import (
    Choice,
    Flag,
    Number,
    Quotient,
    Sum,
    Symbol,
    Term,
    Wrapped,
    at_most,
    cached_by_term,
    children,
    flag,
    free_symbols,
    negate,
    number,
    quotient,
    rewrite,
    symbol,
    text,
)

_LARGEST = 120
_LONGEST = 160


_NUMBERED = re.compile(r"#\d+(?=\.)")
_SAID = {
    ".__size": ".size()",
    ".__pointer": ".data()",
    ".__engaged": ".has_value()",
    ".__handle": ".data_handle()",
    ".__stored.__value.": "->",
    ".__stored.__value": "",
}  # members of the header stubs


def said(text_: str) -> str:
    """Members of the header stubs as their users know them: `points.__handle` is `points.data_handle()`."""
    if "__" in text_:
        for inner, known in _SAID.items():
            text_ = text_.replace(inner, known)
    return text_


def plain(name: str) -> str:
    """A symbol's name without the host function and the marks of unknowns."""
    return said(
        _NUMBERED.sub("", without_first_value(name).removeprefix("~").split(":", 1)[-1].removeprefix("?"))
        .split("#")[0]
        .split("@")[0]
    )


@cached_by_term(maxsize=4096)
def shown(term: Term) -> str:
    """The ideal value for ordinary inputs: `(n + 255) / 256`, whatever C makes of a negative or huge `n`."""
    if is_large(term):
        return "..."
    found = text(_Plain(False).term(term))
    if found in ("true", "false"):  # the conversions are the point
        found = text(_Plain(True).term(term))
    return found if len(found) <= _LONGEST else found[: _LONGEST - 3] + "..."


@cached_by_term(maxsize=1 << 16)
def is_large(term: Term, limit: int = _LARGEST) -> bool:
    """More than a reader (or a solver) can be asked to take in."""
    return _nodes(term, limit) < 0


def has_window_quotient(term: Term) -> bool:
    """A size is divided as that of a sliding window is: `(H + 2*pad - K) / stride`, no rounding up to multiples.

    Terms that are too large to be looked through have none.
    """
    if is_large(term):
        return False
    return _is_window(term) or any(map(has_window_quotient, children(term)))


def _is_window(term: Term) -> bool:
    if not isinstance(term, Quotient) or isinstance(term.parts[1], Number):
        return False
    size, step = term.parts
    sizes = [atoms for atoms, _ in size.monomials if atoms] if isinstance(size, Sum) else []
    return len(sizes) > 1 and free_symbols(step).isdisjoint(free_symbols(size))


class _Plain:
    """Renames the symbols of one term; two that would get one name are told apart by primes."""

    def __init__(self, conversions: bool) -> None:
        self._conversions = conversions
        self._names: dict[str, Term] = {}
        self._memo: dict[Term, Term] = {}

    def term(self, term: Term) -> Term:
        return rewrite(term, self._leaf, self._memo)

    def _leaf(self, term: Term) -> Term | None:
        if isinstance(term, Symbol):
            return symbol(self._name(term, term.name), term.parts[1], term.parts[2])
        if isinstance(term, Flag):
            return flag(self._name(term, str(term.parts[0])))
        if isinstance(term, Wrapped) and not self._conversions:
            return self.term(term.parts[0])
        if isinstance(term, Choice):
            floor = floor_of(term)
            return None if floor is None else self.term(floor)
        return None

    def _name(self, symbol_: Term, name: str) -> str:
        label = plain(name)
        while self._names.setdefault(label, symbol_) is not symbol_:
            label += "'"
        return label


def floor_of(term: Term) -> Quotient | None:
    """`a / b` where the term is C's `a / b`, spelt as `0 <= a ? floor(a / b) : -floor(-a / b)`."""
    if not isinstance(term, Choice):
        return None
    cond, then, orelse = term.parts
    if not isinstance(then, Quotient):
        return None
    a, b = then.parts
    if cond is at_most(number(0), a) and orelse is negate(quotient(negate(a), b)):
        return then
    return None


def _nodes(term: Term, left: int) -> int:
    """What is left of a budget of nodes after the term as text, where a shared part counts each time; below 0: too much."""
    left -= 1
    for child in children(term):
        if left < 0:
            return left
        left = _nodes(child, left)
    return left
