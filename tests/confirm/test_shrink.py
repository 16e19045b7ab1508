"""Shrinking: the same failure, never larger, the same when done again, inside of what is promised and within its budget."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cudalint.confirm.shrink import (
    Budget,
    Contents,
    Shrinker,
    contents_order,
    contents_passes,
    launch_order,
    smaller,
    value_passes,
)
from cudalint.finding import LaunchShape

Sizes = dict[str, int]
NAMES = ("a", "b", "c")
ENOUGH = 10_000
FAILURES: tuple[Callable[[Sizes], bool], ...] = (
    lambda v: v["a"] * v["b"] > 100,
    lambda v: v["a"] == v["b"] and v["a"] > 7,
    lambda v: v["c"] % 4 != 0,
    lambda v: v["a"] + v["b"] + v["c"] > 50 and v["b"] >= 3,
)
sizes = st.fixed_dictionaries({name: st.integers(1, 3000) for name in NAMES})


def order(values: Sizes) -> tuple[int, tuple[int, ...]]:
    return sum(values.values()), tuple(values[name] for name in NAMES)


def shrunk(
    start: Sizes,
    failure: Callable[[Sizes], bool],
    inside: Callable[[Sizes], bool] = lambda v: True,
    budget: Budget | None = None,
) -> tuple[Sizes, list[Sizes]]:
    """The smallest values, and all that were run."""
    run: list[Sizes] = []

    def fails(values: Sizes) -> tuple[bool, int]:
        run.append(values)
        return failure(values), 1

    shrinker = Shrinker(start, order, fails, budget or Budget(ENOUGH, ENOUGH))
    passes = value_passes(NAMES, lambda v: v if inside(v) else None, lambda v: v, lambda name: 1)
    return shrinker.shrink(passes), run


# --- sizes -----------------------------------------------------------------------------------------------------------


@given(start=sizes, failure=st.sampled_from(FAILURES))
def test_what_is_shrunk_fails_is_never_larger_and_stays_when_shrunk_again(
    start: Sizes, failure: Callable[[Sizes], bool]
) -> None:
    if not failure(start):
        return
    least, _ = shrunk(start, failure)
    assert failure(least) and order(least) <= order(start)
    assert shrunk(least, failure)[0] == least


@given(start=sizes)
def test_no_single_size_can_be_smaller(start: Sizes) -> None:
    failure = FAILURES[3]
    if not failure(start):
        return
    least, _ = shrunk(start, failure)
    for name in NAMES:
        assert least[name] == 1 or not failure({**least, name: least[name] - 1})


@given(start=sizes)
def test_nothing_outside_of_the_contract_is_run(start: Sizes) -> None:
    start = {**start, "b": start["a"]}
    _, run = shrunk(start, lambda v: v["a"] > 5, inside=lambda v: v["a"] == v["b"])
    assert all(values["a"] == values["b"] for values in run)


def test_sizes_that_are_equal_are_made_smaller_together() -> None:
    least, _ = shrunk({"a": 512, "b": 512, "c": 9}, lambda v: v["a"] == v["b"] and v["a"] > 7)
    assert least == {"a": 8, "b": 8, "c": 1}


@given(start=sizes, runs=st.integers(0, 12))
def test_no_more_runs_than_the_budget_has(start: Sizes, runs: int) -> None:
    least, run = shrunk(start, lambda v: True, budget=Budget(runs, ENOUGH))
    assert len(run) <= runs and order(least) <= order(start)
    assert len(shrunk(start, lambda v: True, budget=Budget(ENOUGH, runs))[1]) <= runs


def test_nothing_is_run_twice_and_nothing_that_is_larger() -> None:
    start = {"a": 900, "b": 77, "c": 50}
    _, run = shrunk(start, FAILURES[0])
    assert len({order(values) for values in run}) == len(run)
    assert all(order(values) < order(start) for values in run)


def test_two_searches_try_the_same() -> None:
    start = {"a": 900, "b": 77, "c": 50}
    assert shrunk(start, FAILURES[3]) == shrunk(start, FAILURES[3])


@given(value=st.integers(0, 10**6), least=st.integers(0, 10**6))
def test_smaller_numbers_begin_with_the_least(value: int, least: int) -> None:
    given_ = list(smaller(value, least))
    assert all(least <= each < value for each in given_) and len(given_) <= 20
    assert not given_ or (given_[0], given_[-1]) == (least, value - 1)


def test_the_order_of_launches_is_bytes_grid_block_sizes_values() -> None:
    def place(size: int, grid: int, block: int, n: int, m: int) -> tuple[object, ...]:
        return launch_order(size, LaunchShape((grid, 1, 1), (block, 1, 1)), {"n": n, "m": m})

    ordered = [(1, 9, 9, 9, 9), (2, 1, 9, 9, 9), (2, 2, 1, 9, 9), (2, 2, 2, 1, 1), (2, 2, 2, 2, 1), (2, 2, 2, 1, 2)]
    assert [place(*each) for each in ordered[:4]] == sorted(place(*each) for each in ordered[:4])
    assert place(2, 2, 2, 1, 1) < place(2, 2, 2, 1, 2) != place(2, 2, 2, 2, 1)


# --- contents --------------------------------------------------------------------------------------------------------


def contents(values: list[int], bounds: tuple[int, int] | None = None, kept: bool = False) -> Contents:
    data = np.array(values, dtype="<i4").view(np.uint8).copy()
    return Contents({"x": data}, {"x": 4}, {"x": bounds} if bounds else {}, frozenset({"x"} if kept else ()))


def elements(of: Contents) -> list[int]:
    return [int(value) for value in of.data["x"].view("<i4")]


def least_contents(start: Contents, failure: Callable[[list[int]], bool]) -> Contents:
    shrinker = Shrinker(start, contents_order, lambda c: (failure(elements(c)), 1), Budget(ENOUGH, ENOUGH))
    return shrinker.shrink(contents_passes())


@settings(max_examples=60)
@given(values=st.lists(st.integers(1, 9), min_size=1, max_size=24), data=st.data())
def test_only_the_elements_that_matter_are_left(values: list[int], data: st.DataObject) -> None:
    wanted = data.draw(st.sets(st.sampled_from(range(len(values))), max_size=3))
    least = least_contents(contents(values), lambda found: all(found[at] == values[at] for at in wanted))
    assert elements(least) == [value if at in wanted else 0 for at, value in enumerate(values)]


@given(values=st.lists(st.integers(1, 9), min_size=1, max_size=8))
def test_contents_shrunk_again_stay(values: list[int]) -> None:
    def failure(found: list[int]) -> bool:
        return max(found) == max(values)

    least = least_contents(contents(values), failure)
    assert failure(elements(least)) and sum(map(bool, elements(least))) == 1
    assert elements(least_contents(least, failure)) == elements(least)


@pytest.mark.parametrize(
    "start", [contents([3, 4, 5], bounds=(1, 9)), contents([3, 4, 5], kept=True)], ids=["no zero", "promised"]
)
def test_what_is_promised_of_elements_is_kept(start: Contents) -> None:
    assert elements(least_contents(start, lambda found: True)) == [3, 4, 5]


def test_a_range_that_holds_zero_leaves_room() -> None:
    assert elements(least_contents(contents([3, 4, 5], bounds=(0, 9)), lambda found: True)) == [0, 0, 0]
