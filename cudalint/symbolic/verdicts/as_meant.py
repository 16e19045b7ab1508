"""What an obligation says of mathematical values, which do not wrap."""

from __future__ import annotations

from cudalint.symbolic.model import Obligation
from cudalint.symbolic.verdicts.facts import wrapped_parts
from cudalint.term import TRUE, Term, add, at_most, conjunction, ideal, less, negate, number, scale


def has_plain_size(obligation: Obligation) -> bool:
    """What the memory holds was computed without a wrap, so that it is what was meant."""
    found = obligation.object
    return found is not None and not wrapped_parts(*(t for t in (found.size, found.before) if t is not None))


def holds_as_meant(obligation: Obligation) -> Term:
    """The obligation of the mathematical index; what the type of the C value settles by itself has to be stated again: an
    unsigned one is not negative, and an `int` is less than 2^31."""
    found = obligation.object
    before = found.before if found is not None else None
    lowest = number(0) if before is None else negate(before)
    above = at_most(lowest, scale(ideal(obligation.index), obligation.unit))
    return conjunction(above, _ends_as_meant(obligation), ideal(obligation.holds))


def _ends_as_meant(obligation: Obligation) -> Term:
    """The mathematical index is not past the end."""
    if obligation.kind == "dimension":
        return TRUE if obligation.extent is None else less(ideal(obligation.index), ideal(obligation.extent))
    size = obligation.object.size if obligation.object is not None else None
    if size is None or obligation.offset is None:
        return TRUE
    return at_most(add(ideal(obligation.offset), number(obligation.unit)), ideal(size))
