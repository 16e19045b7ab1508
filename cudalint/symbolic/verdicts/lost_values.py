"""Questions in which values occur that a walk has lost, and answers that do not depend on them.

bool banned = length == 1;
if (length > 1) for (...) if (text[k] != word[k]) banned = false;      lost, and of no interest where length is 1
if (banned) x[row * columns] = 0;
"""

from __future__ import annotations

from cudalint.symbolic.model import APPROXIMATE_PREFIX, MEMORY_PREFIX, rests_on
from cudalint.symbolic.solver.question import Model, nearest
from cudalint.term import (
    TRUE,
    Apply,
    Flag,
    Symbol,
    Term,
    Undefined,
    negation,
    number,
    rewrite,
)

LOST = (APPROXIMATE_PREFIX,)
HELD = (APPROXIMATE_PREFIX, MEMORY_PREFIX)  # and what memory holds
TRIED = (0, 1009, 77_003)


def holds_whatever_is_lost(question: Term, model: Model, lost: tuple[str, ...] = LOST) -> bool:
    """The model satisfies the question whatever the values are whose names begin so."""

    def leaf(part: Term) -> Term | None:
        if isinstance(part, Symbol | Apply | Flag) and not _is_lost(part, lost):
            if isinstance(part, Flag):
                return TRUE if model.holds(part) else negation(TRUE)
            return number(model.value(part))
        return None

    try:
        return rewrite(question, leaf) is TRUE
    except Undefined:
        return False


def for_several_values(question: Term, lost: tuple[str, ...] = LOST) -> list[Term]:
    """The question for several values of all that was lost, and of what is read there: a model of all seldom depends on them."""

    def with_all(value: int) -> Term:
        def leaf(part: Term) -> Term | None:
            if not isinstance(part, Symbol | Apply | Flag) or not _is_lost(part, lost):
                return None
            if isinstance(part, Flag):
                return TRUE if value else negation(TRUE)
            return number(nearest(part, value) if isinstance(part, Symbol) else value)

        return rewrite(question, leaf)

    return [with_all(value) for value in TRIED]


def _is_lost(part: Term, lost: tuple[str, ...]) -> bool:
    return any(rests_on(part, prefix) for prefix in lost)
