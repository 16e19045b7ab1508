"""Which parameters are the same memory, as annotations and launches say."""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.contract import Alias, Fact
from cudalint.term import Term, number, subtract


def names_of_one(facts: Iterable[Fact], name: str) -> frozenset[str]:
    """The names of what may be the same memory as `name`, directly or through a third one."""
    pairs = [(f.what.a, f.what.b) for f in facts if isinstance(f.what, Alias)]
    found, grown = frozenset[str](), frozenset((name,))
    while grown != found:
        found = grown
        grown |= frozenset(each for pair in pairs if not found.isdisjoint(pair) for each in pair)
    return found - {name}


def distance(facts: Iterable[Fact], name: str, other: str) -> Term | None:
    """How many bytes `other` begins behind `name`; a launch tells both from one parameter."""
    aliases = [f.what for f in facts if isinstance(f.what, Alias)]
    for first in dict.fromkeys(alias.a for alias in aliases):
        begins: dict[str, Term | None] = {first: number(0)}
        begins |= {alias.b: alias.distance for alias in aliases if alias.a == first}
        mine, theirs = begins.get(name), begins.get(other)
        if mine is not None and theirs is not None:
            return subtract(theirs, mine)
    return None
