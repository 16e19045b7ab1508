"""What host code asks of the runtime: which demands fail with ordinary inputs, and which are nobody's to judge."""

from __future__ import annotations

import pytest

from cudalint.source import Span
from cudalint.symbolic.host.demands import Demand, Kind, unmet
from cudalint.symbolic.host_vocabulary import Copy, VocabularyError, extended, shipped
from cudalint.term import Term, add, at_most, multiply, number, quotient, scale, symbol

N = symbol("f:n", 0, 1 << 31)
ROWS = symbol("f:rows", 0, 1 << 31)
CAPACITY = symbol("f:capacity", 0, 1 << 31)
LOST = symbol("~f:n#3", 0, 1 << 31)
BLOCKS = quotient(add(N, number(255)), number(256))


def demand(needed: Term, limit: Term, *path: Term, kind: Kind = "write", line: int = 5) -> Demand:
    return Demand(kind, Span("k.cu", line, 3, line, 9), "f", "x", "cudaMemcpy", needed, limit, path)


def test_the_smallest_inputs_tell_a_copy_that_is_too_long() -> None:
    (found,) = unmet([demand(scale(N, 8), scale(N, 4))])
    assert (found.needed, found.limit) == (8 * found.inputs[0][1], 4 * found.inputs[0][1])
    assert found.inputs[0][0] == "f:n"
    assert found.inputs[0][1] <= 40


def test_a_factor_that_the_buffer_does_not_have_is_too_long() -> None:
    assert unmet([demand(multiply(N, ROWS), N)])


@pytest.mark.parametrize(
    ("needed", "limit"),
    [
        (scale(N, 4), scale(N, 4)),
        (N, CAPACITY),  # callers relate them
        (scale(N, 4), number(256)),
        (scale(LOST, 8), scale(LOST, 4)),
    ],
)
def test_nothing_is_said_where_only_callers_know(needed: Term, limit: Term) -> None:
    assert unmet([demand(needed, limit)]) == []


def test_a_condition_on_the_way_counts() -> None:
    small = at_most(N, number(1 << 18))
    assert unmet([demand(BLOCKS, number(1024), kind="block")])
    assert unmet([demand(BLOCKS, number(1024), small, kind="block")]) == []


def test_where_a_loop_counter_ends_elsewhere_does_not_matter() -> None:
    counter = symbol("f:i#3", 0, 1 << 31)
    assert unmet([demand(number(64), number(32), at_most(number(1 << 22), counter))])


def test_a_size_that_is_passed_on_as_it_is_is_the_callers() -> None:
    assert unmet([demand(N, number(1024), kind="block")]) == []


def test_one_buffer_is_told_once_and_each_launch() -> None:
    copies = [demand(scale(N, 8), scale(N, 4), line=line) for line in (5, 6)]
    launches = [demand(number(2048), number(1024), kind="block", line=line) for line in (7, 8)]
    assert [u.demand.span.line for u in unmet(copies + launches)] == [5, 7, 8]


def test_a_project_has_copies_of_its_own() -> None:
    own = extended(shipped(), {"copies": {"my_copy": {"to": 1, "bytes": 0}}})
    assert own.copies["my_copy"] == Copy(to=1, bytes=0)
    with pytest.raises(VocabularyError, match="my_copy"):
        extended(shipped(), {"copies": {"my_copy": {"bytes": 0}}})
