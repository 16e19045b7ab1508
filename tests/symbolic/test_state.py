"""Two states become one where branches join."""

from __future__ import annotations

from cudalint.symbolic.walk.state import LONGEST_NAME, State, join
from cudalint.term import flag, symbol

FRESH = symbol("fresh", 0, 1)


def joined(number: int, then: State, orelse: State) -> State:
    return join(flag(f"c{number}"), then, orelse, State(), FRESH)


def test_the_interval_behind_many_branches_has_a_short_name_and_each_round_once() -> None:
    round_ = symbol("round", 0, 9)
    state, names = State(epoch=("1", (round_,))), set()
    for number in range(64):
        state = joined(number, state, State(epoch=(str(number + 2), (round_,))))
        names.add(state.epoch[0])
    assert len(names) == 64 and max(map(len, names)) <= LONGEST_NAME
    assert state.epoch[1] == (round_,)


def test_intervals_of_equal_rounds_are_not_those_of_different_ones() -> None:
    one, other = symbol("one", 0, 9), symbol("other", 0, 9)
    same = joined(0, State(epoch=("1", (one,))), State(epoch=("2", (one,))))
    different = joined(0, State(epoch=("1", (one,))), State(epoch=("2", (other,))))
    assert same.epoch[0] != different.epoch[0]
