"""Asynchronous copies under way, as a state and a walk keep them."""

from __future__ import annotations

from dataclasses import dataclass

from cudalint.symbolic.model import Access, Path


@dataclass(frozen=True, slots=True)
class Queue:
    """Asynchronous copies that are under way for threads on the path: by group, the last one not committed, and by barrier.

    Older groups than these may be under way, too. Of a `lost` one nobody knows what is.
    """

    path: Path = ()
    groups: tuple[tuple[Access, ...], ...] = ()
    bound: tuple[Access, ...] = ()
    lost: bool = False


@dataclass(frozen=True, slots=True)
class EarlyRead:
    """A thread reads while its own asynchronous copy may still be under way."""

    copy: Access
    read: Access
