"""Which values from memory count as held on both sides by the kernel itself."""

from __future__ import annotations

import pytest

from cudalint.symbolic.model import MEMORY_PREFIX
from cudalint.symbolic.verdicts.checked import contents_in
from cudalint.symbolic.verdicts.clamped import ABOVE, at_upper_limits, without_clamps
from cudalint.term import Term, add, equal, maximum, minimum, multiply, number, symbol

READ = symbol(f"{MEMORY_PREFIX}x", None, None)
COUNTED = symbol(f"{MEMORY_PREFIX}x", 0, 255)
OTHER = symbol(f"{MEMORY_PREFIX}y", None, None)
WIDTH = symbol("run:width", 1, None)


@pytest.mark.parametrize(
    "index",
    [
        minimum(maximum(READ, number(0)), number(256)),
        maximum(minimum(READ, WIDTH), number(0)),
        add(multiply(minimum(maximum(READ, number(0)), WIDTH), WIDTH), number(3)),
        minimum(COUNTED, WIDTH),
    ],
)
def test_what_two_limits_hold_is_no_matter_of_contents(index: Term) -> None:
    assert contents_in([without_clamps(index)]) == []


@pytest.mark.parametrize(
    "index",
    [
        READ,
        minimum(READ, WIDTH),
        maximum(READ, number(0)),
        minimum(maximum(READ, OTHER), WIDTH),
        add(minimum(maximum(READ, number(0)), WIDTH), OTHER),
    ],
)
def test_one_limit_or_one_that_is_read_itself_holds_nothing(index: Term) -> None:
    assert contents_in([without_clamps(index)])


def test_what_is_held_above_only_is_held_where_it_matters_alone() -> None:
    index = add(minimum(READ, WIDTH), number(1))
    assert contents_in([without_clamps(index, frozenset((ABOVE,)))]) == []
    assert at_upper_limits(index) == [equal(minimum(READ, WIDTH), WIDTH)]
    assert at_upper_limits(maximum(READ, number(0))) == []
