"""Who has left before a barrier is known where the text says who leaves, not where a value was lost that they leave by."""

from __future__ import annotations

import pytest

from cudalint import ir
from cudalint.source import Span
from cudalint.symbolic.model import Access, Conjunct, MemoryObject
from cudalint.symbolic.synchronization.barriers import _reads_of_exited
from cudalint.term import FALSE, Term, at_most, conjunction, number, scale, symbol

PART = MemoryObject("part", "shared", ir.Array(ir.Float("f32"), 128), number(512))
THREAD = symbol("threadIdx.x", 0, 127, "thread")
LOST = symbol("~any#14", 0, 65535, "thread")
SIZE = symbol("n", 1, 1 << 20)


def access(kind: str, offset: Term, *left: Term) -> Access:
    return Access(PART, offset, 4, kind, Span("k.cu", 1, 1, 1, 1), tuple(Conjunct(t, "exit") for t in left), (), ())


@pytest.mark.parametrize(
    ("stays", "may_be_unwritten"),
    [(at_most(THREAD, SIZE), True), (at_most(number(1), LOST), False), (at_most(THREAD, LOST), False)],
)
def test_an_element_is_unwritten_where_known_threads_left(stays: Term, may_be_unwritten: bool) -> None:
    write, read = access("write", scale(THREAD, 4), stays), access("read", number(0), stays)
    assert (conjunction(*_reads_of_exited(write, read)) is not FALSE) is may_be_unwritten
