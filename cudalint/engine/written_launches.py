"""The launches of a kernel as they are written, where none of them could be followed: all by a single thread.

template <class T> void step(T *x) { ...; clamp<<<1, 1, 0, stream>>>(x, limit); }        that nobody instantiates
"""

from __future__ import annotations

from cudalint.contract import Fact, Geometry, Origin
from cudalint.frontend.translate import KernelEntry, Translation
from cudalint.project.written_shapes import is_one
from cudalint.term import number


def written_shape(entry: KernelEntry, translation: Translation) -> tuple[Fact, ...]:
    """One block of one thread, where every launch of that name says so; nothing of any other launch."""
    named = [
        launch for index in translation.indexes for launch in index.launches
        if launch.callee.rpartition("::")[2] == entry.name
    ]  # fmt: skip
    if not (named or entry.single) or not all(is_one(side or "") for each in named for side in (each.grid, each.block)):
        return ()
    one = (number(1), number(1), number(1))
    at = named[0].span if named else None
    return (Fact(Geometry(one, one), Origin.LAUNCH, "one thread, as its launches are written", at),)
