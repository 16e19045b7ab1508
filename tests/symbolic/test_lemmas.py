"""Lemmas hold whatever the values are, and decide what products of symbols leave open."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cudalint import term as t
from cudalint.symbolic.lemmas import definitions, quotient_lemmas
from cudalint.symbolic.query import Solver
from cudalint.symbolic.question import Query, Unsatisfiable

LENGTH, WINDOW, STRIDE, COUNT = (t.symbol(name, 0, 1 << 30) for name in ("length", "window", "stride", "count"))
STEP = t.symbol("step", 1, 1 << 30)
PLACE, TAP = (t.symbol(name, 0, 1 << 30, "thread") for name in ("place", "tap"))
BLOCK = t.symbol("block", 0, 1 << 30, "block")
WINDOWS = t.quotient(t.subtract(LENGTH, WINDOW), STEP)
PLACES = (PLACE, t.add(t.scale(BLOCK, 128), PLACE), t.wrapped(t.add(t.scale(BLOCK, 128), PLACE), 32, True))
NAMES = ("length", "window", "stride", "step", "count", "place", "tap", "block")


@settings(max_examples=200)
@given(st.sampled_from(PLACES), st.lists(st.integers(1, 40), min_size=len(NAMES), max_size=len(NAMES)))
def test_a_lemma_of_quotients_is_true(place: t.Term, chosen: list[int]) -> None:
    values = dict(zip(NAMES, chosen))
    named = t.equal(t.subtract(COUNT, t.number(1)), WINDOWS)
    products = {m for m, _ in t.multiply(t.ideal(place), STEP).monomials}
    constraints = [named, t.less(place, COUNT), t.less(place, WINDOWS)]
    for lemma in quotient_lemmas(constraints, products):
        holds_anyway = all(t.evaluate(part, values) for part in constraints[:1])
        assert not holds_anyway or t.evaluate(lemma, values)


def test_there_are_such_lemmas_for_each_kind_of_place() -> None:
    for place in PLACES:
        products = {m for m, _ in t.multiply(t.ideal(place), STEP).monomials}
        assert quotient_lemmas([t.equal(t.subtract(COUNT, t.number(1)), WINDOWS), t.less(place, COUNT)], products)


def test_a_window_that_the_count_of_windows_permits_lies_in_the_row() -> None:
    rest = (
        t.equal(t.subtract(COUNT, t.number(1)), WINDOWS),
        t.less(PLACE, COUNT),
        t.at_most(LENGTH, t.add(t.multiply(PLACE, STEP), TAP)),
    )
    assert isinstance(Solver().check(Query("beyond", (*rest, t.less(TAP, WINDOW)), 20_000)), Unsatisfiable)
    assert not isinstance(Solver().check(Query("beyond", (*rest, t.at_most(TAP, WINDOW)), 20_000)), Unsatisfiable)


@given(st.integers(-60, 60), st.integers(-9, 9).filter(bool), st.booleans(), st.booleans())
def test_what_a_quotient_is_defined_by_is_true(divided: int, divisor: int, known: bool, unsigned: bool) -> None:
    """Whatever the signs, and where the ranges say that one of the sides is not negative."""
    divided, divisor = abs(divided) if known else divided, abs(divisor) if unsigned else divisor
    a, b = t.symbol("a", 0 if known else -60, 60), t.symbol("b", 0 if unsigned else -9, 9)
    values = {"a": divided, "b": divisor}
    for part in definitions([t.quotient(a, b), t.remainder(a, b)]):
        assert t.evaluate(part, values)


def test_a_quotient_is_no_larger_than_what_is_divided() -> None:
    number_, divisor = t.symbol("number", 0, 1 << 20), t.symbol("divisor", -(1 << 31), (1 << 31) - 1)
    divided = t.truncated_quotient(number_, divisor)
    assert t.wrapped(divided, 32, True) is divided
    assert Solver().refutes(Query("beyond", (t.less(number_, divided),)))
    assert not Solver().refutes(Query("as far", (t.at_most(number_, divided),)))


def test_a_divisor_that_is_not_negative_is_at_least_one() -> None:
    place, height = t.symbol("place", 0, 65_535), t.symbol("height", 0, (1 << 32) - 1)
    assert t.interval(t.quotient(place, height)) == (0, 65_535)
    assert t.interval(t.remainder(place, height)) == (0, 65_535)
