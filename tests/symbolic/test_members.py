"""Places in an array of records: which of them a write may change."""

from cudalint.symbolic.walk.members import EVERYWHERE, MOST, Places, few, places_of
from cudalint.term import add, multiply, number, symbol

LANE, WIDTH = symbol("lane"), symbol("width")
RECORD = multiply(number(16), LANE)


def test_members_of_records_lie_apart() -> None:
    done, count = places_of(add(RECORD, number(4)), 4), places_of(add(RECORD, number(8)), 4)
    assert not done.meet(count)
    assert not count.meet(done)


def test_one_member_of_two_records_may_be_the_same() -> None:
    other = multiply(number(16), symbol("other"))
    assert places_of(add(RECORD, number(4)), 4).meet(places_of(add(other, number(4)), 4))


def test_a_wide_write_reaches_the_next_member_and_the_first_of_the_next_record() -> None:
    assert places_of(add(RECORD, number(4)), 8).meet(places_of(add(RECORD, number(8)), 4))
    assert places_of(add(RECORD, number(12)), 8).meet(places_of(RECORD, 4))


def test_elements_of_a_member_array_may_be_any_of_their_width() -> None:
    element = places_of(add(RECORD, multiply(number(4), symbol("k"))), 4)
    assert element.meet(places_of(add(RECORD, number(8)), 4))


def test_single_places_meet_where_their_bytes_do() -> None:
    assert places_of(number(8), 8).meet(places_of(number(12), 4))
    assert not places_of(number(8), 4).meet(places_of(number(12), 4))
    assert places_of(number(20), 4).meet(places_of(add(RECORD, number(4)), 4))
    assert not places_of(number(24), 4).meet(places_of(add(RECORD, number(4)), 4))


def test_records_of_a_width_that_nobody_knows_may_be_anywhere() -> None:
    assert places_of(multiply(WIDTH, LANE), 4).meet(places_of(number(8), 4))
    assert places_of(LANE, 4) == EVERYWHERE


def test_many_places_are_everywhere() -> None:
    many = frozenset(Places(0, start, 1) for start in range(MOST + 1))
    assert few(many) == {EVERYWHERE}
    assert few(frozenset((Places(0, 1, 1), EVERYWHERE))) == {EVERYWHERE}
