"""Signals: what one thread may learn of another's progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudalint.symbolic.model import MEMORY_PREFIX, Address, Path, Value, base_name, objects_of
from cudalint.symbolic.walk.state import State
from cudalint.term import Term, labels

if TYPE_CHECKING:
    from cudalint.symbolic.walk.execute import Walk


def signal(walk: Walk, address: Value, value: Value) -> None:
    """The value tells of other threads: an atomic or ordered load gave it."""
    if isinstance(value, Term):
        walk.signals |= labels(value)
        walk.sources |= {label: objects_of(address) for label in labels(value)}
        if any(found.memory != "shared" for found in objects_of(address)):
            walk.grid_signals |= labels(value)


def is_signalled(signals: set[str], *terms: Term) -> bool:
    """One of the terms rests on what other threads have signalled."""
    return bool(signals) and any(
        label in signals or base_name(label) in signals for term in terms for label in labels(term)
    )


def pass_signals(walk: Walk, state: State, address: Value, value: Value) -> None:
    """Memory that holds a signal, or was written under one, passes it on."""
    if not walk.signals or not isinstance(address, Address) or address.object is None:
        return
    terms = [c.term for c in state.path] + ([value] if isinstance(value, Term) else [])
    for signals in (walk.signals, walk.grid_signals):
        if is_signalled(signals, *terms):
            signals.add(f"{MEMORY_PREFIX}{address.object.name}")


def learned(walk: Walk, before: Path, now: Path) -> frozenset[str]:
    """The signals from other threads of the launch that a way rests on since it was another."""
    if not walk.grid_signals:
        return frozenset()
    known = {c.term for c in before}
    found = (label for c in now if c.term not in known for label in labels(c.term))
    return frozenset(label for label in found if label in walk.grid_signals or base_name(label) in walk.grid_signals)
