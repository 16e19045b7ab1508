"""Lemmas hold whatever the values are, and decide what products of symbols leave open."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cudalint import term as t
from cudalint.symbolic.solver.lemmas import quotient_lemmas
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
