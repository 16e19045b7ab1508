"""The statement that computes the value that wraps first, where an index overflows (DESIGN 3: the first operation on the way).

int offset = row * cols;        the product wraps here
...
y[offset + i] = 0;              and leads to another element here
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from cudalint.finding import Confidence, Verdict
from cudalint.source import Span
from cudalint.symbolic.model import Address, Either, Obligation, Value
from cudalint.symbolic.verdicts.facts import wrapped_parts
from cudalint.symbolic.walk.environment import Environment
from cudalint.term import Term, Undefined, Wrapped, evaluate, ideal, subterms


def mark_first_wraps(
    overflows: Iterable[Obligation], computed: Iterable[tuple[Value, Span]], environment: Environment
) -> None:
    """Fill in `computed_at` of the violated ones; what the host computed wraps where the kernel uses it.

    The place of what takes extreme inputs is left to what its text says of them.
    """
    violated = [o for o in overflows if o.verdict is Verdict.VIOLATED and o.confidence is Confidence.HIGH]
    if not violated:
        return
    places = _places(computed, [*(f.term for f in environment.facts), *environment.bindings.values()])
    for obligation in violated:
        spans = [places[part] for part in _first_wraps(obligation) if places.get(part) is not None]
        obligation.computed_at = spans[0] if len(set(spans)) == 1 and spans[0] != obligation.span else None


def _places(computed: Iterable[tuple[Value, Span]], given: list[Term]) -> dict[Term, Span | None]:
    """Where each value that may wrap was computed first; None for those of the host."""
    places: dict[Term, Span | None] = {part: None for part in subterms(given) if isinstance(part, Wrapped)}
    seen: set[Term] = set()
    for value, span in computed:
        for term in _terms(value):
            if term in seen or ideal(term) is term:
                continue
            fresh = [part for part in subterms([term]) if part not in seen]
            seen.update(fresh)
            for part in fresh:
                if isinstance(part, Wrapped):
                    places.setdefault(part, span)
    return places


def _terms(value: Value) -> tuple[Term, ...]:
    if isinstance(value, Term):
        return (value,)
    if isinstance(value, Address):
        return (value.offset,)
    if isinstance(value, Either):
        return (*_terms(value.then), *_terms(value.orelse))
    return ()


def _first_wraps(obligation: Obligation) -> list[Term]:
    """The innermost values that the witness makes wrap."""
    wrapping: list[Term] = []
    for part in wrapped_parts(obligation.holds):
        with suppress(Undefined):
            if evaluate(part, obligation.model) != evaluate(part.parts[0], obligation.model):
                wrapping.append(part)
    inner = {part for whole in wrapping for part in subterms([whole.parts[0]]) if isinstance(part, Wrapped)}
    return [part for part in wrapping if part not in inner]
