"""Lemmas hold whatever the values are, and decide what products of symbols leave open."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cudalint import term as t
from cudalint.symbolic.solver.lemmas import quotient_lemmas, row_lemmas
from cudalint.symbolic.solver.query import Solver
from cudalint.symbolic.solver.question import Query, Unsatisfiable

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


@settings(max_examples=200)
@given(st.lists(st.integers(0, 40), min_size=len(NAMES), max_size=len(NAMES)))
def test_a_lemma_of_rows_is_true(chosen: list[int]) -> None:
    values = dict(zip(NAMES, chosen))
    products = {m for rows in (BLOCK, COUNT) for m, _ in t.multiply(rows, STRIDE).monomials}
    (lemma,) = row_lemmas([t.less(BLOCK, COUNT)], products)
    assert t.evaluate(lemma, values)


def test_an_index_in_a_row_is_below_the_checked_number_of_elements() -> None:
    for most in (1 << 29, 1 << 30, 1_073_000_000, 2_000_000_000):
        rest = (
            t.less(BLOCK, COUNT),
            t.at_most(t.multiply(COUNT, STRIDE), t.number(most)),
            t.at_most(t.number(1 << 31), t.add(t.multiply(BLOCK, STRIDE), PLACE)),
        )
        assert isinstance(Solver().check(Query("beyond", (*rest, t.less(PLACE, STRIDE)), 20_000)), Unsatisfiable)
        assert not isinstance(
            Solver().check(Query("beyond", (*rest[1:], t.less(PLACE, STRIDE)), 20_000)), Unsatisfiable
        )


def test_there_is_no_lemma_of_rows_where_one_of_the_products_is_not_there() -> None:
    assert not row_lemmas([t.less(BLOCK, COUNT)], {m for m, _ in t.multiply(BLOCK, STRIDE).monomials})
