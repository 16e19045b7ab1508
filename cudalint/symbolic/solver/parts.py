"""Constraints taken apart: into conjuncts, and into groups that can be solved one by one.

A path holds what is known of every loop that ended on the way. Where that shares nothing with a question, the question is
small again, and the rest is asked once for all questions on the path.
"""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.symbolic.solver.lemmas import is_computed
from cudalint.term import TRUE, All, Any_, Term, disjunction, labels, negation


def independent_parts(constraints: Iterable[Term]) -> list[tuple[Term, ...]]:
    """The constraints in groups that share no symbol, flag or unknown function; small groups first."""
    groups: list[tuple[set[str], list[int]]] = []
    resolved = _resolved(constraints)
    for position, constraint in enumerate(resolved):
        names = {name for name in labels(constraint) if not is_computed(name)}
        touched = [group for group in groups if not names.isdisjoint(group[0])]
        groups = [group for group in groups if names.isdisjoint(group[0])]
        members = sorted([position, *(p for group in touched for p in group[1])])
        groups.append((names.union(*(group[0] for group in touched)), members))
    return sorted((tuple(resolved[p] for p in members) for _, members in groups), key=len)


def _resolved(constraints: Iterable[Term]) -> list[Term]:
    """The conjuncts, where alternatives that another conjunct excludes are gone (unit resolution)."""
    known = dict.fromkeys(part for each in constraints for part in conjuncts(each))
    while True:
        excluded = {negation(part) for part in known if not isinstance(part, Any_)}
        less: dict[Term, None] = {}
        for part in known:
            if isinstance(part, Any_) and not excluded.isdisjoint(part.parts[0]):
                part = disjunction(*(option for option in part.parts[0] if option not in excluded))
            less |= dict.fromkeys(conjuncts(part))
        less.pop(TRUE, None)
        if less.keys() == known.keys() - {TRUE}:
            return list(less)
        known = less


def conjuncts(constraint: Term) -> tuple[Term, ...]:
    return constraint.parts[0] if isinstance(constraint, All) else (constraint,)
