"""What a run saw: accesses and events, kept once per pair of lines and in the order of execution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from cudalint.source import Span

EventKind = Literal[
    "out_of_bounds", "null", "misaligned", "uninitialised", "race", "divergence", "exit_before_barrier", "overflow",
    "division_by_zero", "warp_mask", "trap", "check_failed", "opaque",
]  # fmt: skip
AccessKind = Literal["read", "write", "atomic", "none"]
Dim = tuple[int, int, int]
WRAPPED = 1 << 30  # elements


@dataclass(frozen=True, slots=True)
class Access:
    """One lane at one place. `offset`, `size` and `extent` are bytes, `index` is in elements of the accessed type.

    `kind` is "none" and `place` empty where the event is about arithmetic, a barrier or a warp operation.
    """

    span: Span
    kind: AccessKind
    place: str
    offset: int
    index: int
    size: int
    extent: int
    block: Dim
    thread: Dim


@dataclass(frozen=True, slots=True)
class Event:
    """`other` is the earlier access of a race, or the exit of a thread that a barrier waits for.

    A race whose two writes store equal bytes has the detail `same_value`, a read of what nobody set the kind of memory.
    """

    kind: EventKind
    access: Access
    other: Access | None
    detail: str


@dataclass(slots=True)
class Recorder:
    """Keeps the first event of each (kind, access, other access, place), up to `limit` of them.

    Harmless races are kept apart, and those within a block from those between blocks; so are indices that have wrapped from
    those just outside.
    """

    limit: int = 100
    wanted: Callable[[Event], bool] | None = None
    shown: bool = False  # an event that was wanted has been seen
    events: list[Event] = field(default_factory=list)
    counts: dict[tuple[object, ...], int] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        other = (event.other.span, event.other.kind) if event.other else None
        harmless = event.kind == "race" and event.detail == "same_value"
        within = event.kind == "race" and event.other is not None and event.access.block == event.other.block
        far = event.kind == "out_of_bounds" and has_wrapped(event.access.index)
        key = (event.kind, event.access.span, event.access.kind, other, event.access.place, harmless, within, far)
        seen = self.counts.get(key, 0)
        self.counts[key] = seen + 1
        if seen == 0 and len(self.events) < self.limit:
            self.events.append(event)
            self.shown = self.shown or (self.wanted is not None and self.wanted(event))


def has_wrapped(index: int) -> bool:
    """It is no place in memory that is too small, as is memory whose size nobody knows: an overflow leads far away."""
    return index < 0 or index >= WRAPPED
