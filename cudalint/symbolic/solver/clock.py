"""Queries that the clock ended before their steps: what follows from them is true, but of this machine alone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

BACKSTOP_MS = 10_000
_ended = 0


def ended() -> int:
    """How many queries of this process the clock has ended."""
    return _ended


@contextmanager
def watched() -> Iterator[None]:
    """Around one query that has `BACKSTOP_MS` milliseconds."""
    global _ended
    began = time.monotonic()
    yield
    _ended += (time.monotonic() - began) * 1000 >= BACKSTOP_MS
