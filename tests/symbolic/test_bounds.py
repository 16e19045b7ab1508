"""Bounds that constraints imply change how terms are written, never which assignments satisfy them."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cudalint import term as t
from cudalint.symbolic.solver.bounds import Tightener
from tests.test_term import TRUTHS, Case, values


def within(bounded: t.Symbol, value: int) -> bool:
    low, high = t.interval(bounded)
    return (low is None or low <= value) and (high is None or value <= high)


def satisfied(constraints: Iterable[t.Term], assignment: dict[str, int]) -> bool:
    """Raises Undefined where any of them divides by zero."""
    held = [t.evaluate(constraint, assignment) for constraint in constraints]
    return all(held)


@settings(max_examples=150, deadline=None)
@given(st.lists(TRUTHS, min_size=1, max_size=4), values)
def test_the_same_assignments_satisfy_the_tightened_constraints(cases: list[Case], assignment: dict[str, int]) -> None:
    constraints = [case.term for case in cases]
    try:
        before = satisfied(constraints, assignment)
    except t.Undefined:
        assume(False)
    tightened = Tightener().tighten(constraints)
    if tightened is None:
        assert not before
        return
    ranges = all(within(bounded, assignment[bounded.name]) for bounded in tightened.symbols)
    try:
        after = satisfied(tightened.constraints, assignment) and ranges
    except t.Undefined:
        assume(False)
    assert before == after


@settings(max_examples=120, deadline=None)
@given(st.lists(TRUTHS, min_size=1, max_size=4), values)
def test_a_value_that_bounds_exclude_is_that_of_no_assignment(cases: list[Case], assignment: dict[str, int]) -> None:
    constraints = [case.term for case in cases]
    symbols = sorted(
        (s for c in constraints for s in t.free_symbols(c) if isinstance(s, t.Symbol)), key=lambda s: s.name
    )
    try:
        satisfying = satisfied(constraints, assignment)
    except t.Undefined:
        assume(False)
    if satisfying:
        assert not any(Tightener().excludes(constraints, s, assignment[s.name]) for s in symbols)


def test_a_size_that_leaves_no_room_for_another_one_is_excluded() -> None:
    rows, cols = t.symbol("rows", 8), t.symbol("cols", 1)
    room = [t.at_most(t.multiply(rows, cols), t.number(1 << 20))]
    assert Tightener().excludes(room, cols, 1 << 18)
    assert not Tightener().excludes(room, cols, 1 << 17)


def test_a_positive_product_settles_the_sign_of_a_division() -> None:
    rows, cols = t.symbol("rows"), t.symbol("cols")
    place, row = t.symbol("place", 0), t.symbol("row")
    product = t.multiply(rows, cols)
    divided = t.equal(row, t.truncated_quotient(place, product))
    assert "?" in t.text(divided)
    tightened = Tightener().tighten([t.less(place, product), divided])
    assert tightened is not None
    assert "?" not in t.text(tightened.constraints[1])


def test_a_guard_takes_the_wrap_off_an_index() -> None:
    place, size = t.symbol("place", 0), t.symbol("size", 1, 1000)
    index = t.wrapped(t.add(t.scale(place, 4), t.number(3)), 32, True)
    tightened = Tightener().tighten([t.less(place, size), t.less(index, t.number(4096))])
    assert tightened is not None
    assert all("int32" not in t.text(constraint) for constraint in tightened.constraints)


def test_what_every_alternative_bounds_is_bounded() -> None:
    step, place = t.symbol("step", 0), t.symbol("place", 0, 31)
    first = t.equal(step, t.number(0))
    later = t.at_most(t.add(t.scale(step, 32), place), t.number(1631))
    tightened = Tightener().tighten([t.disjunction(first, later)])
    assert tightened is not None
    assert [t.interval(bounded) for bounded in tightened.symbols] == [(0, 50)]


def test_bounds_that_exclude_each_other_leave_nothing() -> None:
    x, y = t.symbol("x", 0, 10), t.symbol("y")
    assert Tightener().tighten([t.less(y, x), t.less(t.number(20), t.scale(y, 3)), t.less(t.number(10), y)]) is None


def test_alternatives_inside_alternatives_are_given_up_before_they_take_for_ever() -> None:
    x, y = t.symbol("x", 0, 100), [t.symbol(f"y{i}", 0, 100) for i in range(40)]
    nested = t.at_most(x, t.number(5))
    for symbol in y:
        nested = t.disjunction(t.conjunction(t.at_most(symbol, x), nested), t.conjunction(t.at_most(x, symbol), nested))
    assert Tightener().tighten([nested]) is not None


def test_a_quotient_bounds_what_is_divided_and_what_divides() -> None:
    heads, channels = t.symbol("heads", 1, 100), t.symbol("channels", 0, 10_000)
    tightened = Tightener().tighten([t.equal(t.quotient(channels, heads), t.number(64))])
    assert tightened is not None
    assert {s.name: t.interval(s) for s in tightened.symbols} == {"channels": (64, 6499)}
    tightened = Tightener().tighten([t.less(t.number(999), t.quotient(channels, heads))])
    assert tightened is not None
    assert {s.name: t.interval(s) for s in tightened.symbols} == {"channels": (1000, 10_000), "heads": (1, 10)}


def test_blocks_of_256_threads_bound_what_they_are_made_for() -> None:
    n = t.symbol("n", 0, 1 << 30)
    tightened = Tightener().tighten([t.equal(t.quotient(t.add(n, t.number(255)), t.number(256)), t.number(3))])
    assert tightened is not None
    assert [t.interval(s) for s in tightened.symbols] == [(513, 768)]


def test_alternatives_are_tried_under_the_bounds_of_each_question() -> None:
    """What they said under other bounds is kept, and is the answer to nothing else."""
    place, size = t.symbol("place", 0, 100, "thread"), t.symbol("size", 0, 100, "launch")
    either = t.disjunction(t.at_most(place, size), t.at_most(place, t.number(20)))

    def highest(most: int) -> int | None:
        tightened = Tightener().tighten([t.at_most(size, t.number(most)), either])
        assert tightened is not None
        return next((t.interval(s)[1] for s in tightened.symbols if s.name == "place"), None)

    assert [highest(most) for most in (10, 60, 10, 60)] == [20, 60, 20, 60]
