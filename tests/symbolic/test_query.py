"""The solver gives terms the meaning that evaluation gives them, and its answers are honest."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cudalint import term as t
from cudalint.symbolic.solver.effort import Effort
from cudalint.symbolic.solver.encoder import Encoder
from cudalint.symbolic.solver.parts import independent_parts
from cudalint.symbolic.solver.query import Solver
from cudalint.symbolic.solver.question import Model, Query, Undecided, Unsatisfiable, satisfies
from tests.test_term import INTEGERS, RANGES, TRUTHS, Case, expected, values

STEPS = 3_000_000


def pinned(assignment: dict[str, int]) -> list[t.Term]:
    """Each symbol has its value in the assignment."""
    fixed = [t.equal(t.symbol(name, *RANGES[name]), t.number(assignment[name])) for name in RANGES]
    return fixed + [t.flag(n) if v else t.negation(t.flag(n)) for n, v in assignment.items() if n not in RANGES]


@settings(max_examples=60, deadline=None)
@given(INTEGERS, values)
def test_an_integer_term_has_exactly_its_value(case: Case, assignment: dict[str, int]) -> None:
    value = expected(case, assignment)
    solver = Solver()
    same = t.equal(case.term, t.number(value))
    assert not isinstance(solver.check(Query("same", (*pinned(assignment), same), STEPS)), Unsatisfiable)
    assert not isinstance(solver.check(Query("other", (*pinned(assignment), t.negation(same)), STEPS)), Model)


@settings(max_examples=60, deadline=None)
@given(TRUTHS, values)
def test_a_truth_has_exactly_its_value(case: Case, assignment: dict[str, int]) -> None:
    holds = case.term if expected(case, assignment) else t.negation(case.term)
    solver = Solver()
    assert not isinstance(solver.check(Query("same", (*pinned(assignment), holds), STEPS)), Unsatisfiable)
    assert not isinstance(solver.check(Query("other", (*pinned(assignment), t.negation(holds)), STEPS)), Model)


@settings(max_examples=40, deadline=None)
@given(TRUTHS)
def test_a_model_satisfies_the_query(case: Case) -> None:
    answer = Solver().check(Query("any", (case.term,), STEPS))
    assume(isinstance(answer, Model))
    assert isinstance(answer, Model)
    try:
        assert answer.value(case.term) == 1
    except t.Undefined:
        assume(False)  # a division by zero is unspecified


def test_a_limit_in_steps_is_an_honest_answer() -> None:
    x, y, z = (t.symbol(name, 2, 10**30) for name in "xyz")
    cubes = t.equal(
        t.add(t.multiply(x, t.multiply(x, x)), t.multiply(y, t.multiply(y, y))), t.multiply(z, t.multiply(z, z))
    )
    assert isinstance(Solver().check(Query("fermat", (cubes,), steps=20_000)), Undecided)


def test_who_has_a_share_of_the_effort_leaves_the_rest_to_others() -> None:
    x = t.symbol("x", 0, 10)
    effort = Effort(thorough=False)
    first, second = Solver(effort, 0.5), Solver(effort)
    first.count(effort.limit // 2)
    assert isinstance(first.check(Query("own", (t.at_most(x, t.number(3)),))), Undecided)
    assert isinstance(second.check(Query("other", (t.at_most(x, t.number(3)),))), Model)
    second.count(effort.limit // 2)
    assert isinstance(second.check(Query("late", (t.equal(x, t.number(4)),))), Undecided)


def test_who_has_a_reserve_asks_until_it_is_used_up_where_others_have_spent_the_effort() -> None:
    x = t.symbol("x", 0, 10)
    effort = Effort(thorough=False)
    Solver(effort).count(effort.limit)
    late = Solver(effort, reserve=10_000)
    assert isinstance(late.check(Query("first", (t.at_most(x, t.number(3)),))), Model)
    late.count(10_000)
    assert isinstance(late.check(Query("last", (t.equal(x, t.number(4)),))), Undecided)


def test_the_same_query_is_solved_once() -> None:
    solver = Solver()
    n = t.symbol("n", 0, 100)
    for _ in range(3):
        solver.check(Query("small", (t.less(n, t.number(5)),)))
    assert solver.statistics.queries == 1


def test_what_the_solver_of_one_launch_was_asked_costs_that_of_the_next_its_steps_and_no_time() -> None:
    rows, cols = t.symbol("rows", 1, 1 << 20), t.symbol("cols", 1, 1 << 20)
    query = Query("even", (t.equal(t.multiply(rows, cols), t.number(4094)), t.at_most(t.number(3), rows)))
    effort, asked = Effort(), list[tuple[t.Term, ...]]()
    solver_of, fresh = Encoder.solver, Solver(Effort())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Encoder, "solver", lambda self, about, heavy=False: (asked.append(about), solver_of(self, about, heavy))[1]
        )
        first, answer = Solver(effort), fresh.check(query)
        assert first.check(query) == answer and (before := len(asked))
        second = Solver(effort)
        assert second.check(query) == answer
    assert len(asked) == before
    assert second.statistics.steps == first.statistics.steps == fresh.statistics.steps


def test_products_of_sizes_need_no_search() -> None:
    """Row-major indices: r < rows and c < cols give r*cols + c < rows*cols (SEMANTICS 3)."""
    rows, cols = t.symbol("rows", 1, 1 << 31), t.symbol("cols", 1, 1 << 31)
    r, c = t.symbol("r", 0, 1 << 31), t.symbol("c", 0, 1 << 31)
    inside = t.less(t.add(t.multiply(r, cols), c), t.multiply(rows, cols))
    query = Query("row-major", (t.less(r, rows), t.less(c, cols), t.negation(inside)), steps=200_000)
    assert isinstance(Solver().check(query), Unsatisfiable)


def test_a_query_prints_as_smtlib() -> None:
    n = t.symbol("n", 0, 100)
    text = Solver().smtlib(Query("small", (t.less(n, t.number(5)),)))
    assert text.startswith("; small") and "(check-sat)" in text


def test_a_model_takes_bit_operations_for_what_they_are() -> None:
    x, y = t.symbol("x", 0, 1000), t.symbol("y", 0, 1000)
    low_bits = t.apply("bits &", (x, y), 0, 1000)
    found = Solver().check(
        Query("bits", (t.equal(low_bits, t.number(5)), t.at_most(x, t.number(40)), t.at_most(t.number(9), y)))
    )
    assert isinstance(found, Model)
    assert found.values["x"] & found.values["y"] == 5 == found.value(low_bits)


def test_a_mask_never_gives_more_than_the_value() -> None:
    x, y = t.symbol("x", 0, 1000), t.symbol("y", 0, 1000)
    masked = t.apply("bits &", (x, y), 0, 1000)
    assert isinstance(Solver().check(Query("mask", (t.less(x, masked),))), Unsatisfiable)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([("bits &", int.__and__), ("bits |", int.__or__), ("bits ^", int.__xor__)]),
    st.integers(0, 500),
    st.integers(0, 500),
)
def test_the_bits_of_two_values_are_found_from_their_result(
    operation: tuple[str, Callable[[int, int], int]], a: int, b: int
) -> None:
    name, meaning = operation
    x, y = t.symbol("x", 0, 1000), t.symbol("y", 0, 1000)
    result = t.apply(name, (x, y), 0, 1023)
    given_result = Query("bits", (t.equal(result, t.number(meaning(a, b))), t.equal(x, t.number(a))))
    found = Solver().check(given_result)
    assert isinstance(found, Model)
    assert meaning(found.values["x"], found.values["y"]) == meaning(a, b)


@settings(max_examples=150, deadline=None)
@given(st.lists(TRUTHS, min_size=1, max_size=5), values)
def test_parts_hold_where_the_constraints_do_and_have_nothing_in_common(
    cases: list[Case], assignment: dict[str, int]
) -> None:
    truth = all(bool(expected(case, assignment)) for case in cases)
    parts = independent_parts([case.term for case in cases])
    named = {**assignment, **{name: bool(assignment[name]) for name in ("p", "q")}}
    try:
        assert all(t.evaluate(term, named) for part in parts for term in part) == truth
    except t.Undefined:
        assume(False)  # a division by zero is unspecified
    names = [name for part in parts for name in set().union(*(t.labels(term) for term in part))]
    assert len(names) == len(set(names))


def test_constraints_on_other_symbols_do_not_make_a_query_harder() -> None:
    """Loops that have ended leave what is known of their counters on the path; what excludes an index is elsewhere."""
    x, y, z = (t.symbol(name, 2, 10**30) for name in "xyz")
    cubes = [t.multiply(each, t.multiply(each, each)) for each in (x, y, z)]
    hard = t.equal(t.add(cubes[0], cubes[1]), cubes[2])
    n = t.symbol("n", 0, 100)
    none = (t.less(n, t.number(5)), t.less(t.number(7), n))
    assert isinstance(Solver().check(Query("beside", (hard, *none), steps=20_000)), Unsatisfiable)


def test_what_a_conjunct_excludes_is_no_alternative() -> None:
    n, k = t.symbol("n", 0, 100), t.symbol("k", 0, 100)
    first, finished = t.equal(n, t.number(0)), t.less(k, t.number(4))
    parts = independent_parts([t.disjunction(t.negation(first), finished), first])
    assert sorted(parts, key=str) == sorted([(first,), (finished,)], key=str)


def test_one_of_many_strides_makes_an_offset_large() -> None:
    """A tensor of four dimensions: with one stride large and the others small the question is linear, and cheap."""
    length, sides = t.symbol("n0", 1024, 1 << 20), [t.symbol(f"n{i}", 1, 65535) for i in (1, 2, 3)]
    strides = [t.symbol(f"s{i}", 1, 1 << 20) for i in (1, 2, 3)]
    places = [t.symbol(f"p{i}", 0, None, "thread") for i in (1, 2, 3)]
    rows = t.multiply(sides[0], t.multiply(sides[1], sides[2]))
    offset = t.add(*(t.multiply(t.quotient(s, t.number(4)), p) for s, p in zip(strides, places)))
    constraints = (
        *(t.at_most(t.add(place, t.number(1)), side) for place, side in zip(places, sides)),
        t.disjunction(t.negation(t.equal(rows, t.number(1))), t.at_most(length, t.number(1024))),
        t.at_most(t.quotient(length, rows), t.number(4096)),
        t.at_most(t.number(1 << 31), offset),
        t.at_most(t.scale(offset, 4), t.number(80 << 30)),
    )
    found = Solver().find(Query("offset", constraints, 2_000))
    assert found is not None and found.value(offset) >= 1 << 31


def test_sizes_that_hang_together_are_chosen_one_after_the_other() -> None:
    """64 channels a head, and so many heads and batches as a grid has room for: no table of sizes meets that."""
    heads, channels, batches = (t.symbol(name, 1, 1 << 20) for name in ("heads", "channels", "batches"))
    block, thread = t.symbol("blockIdx.x", 0, None, "block"), t.symbol("threadIdx.x", 0, 63, "thread")
    batch, head = t.quotient(block, heads), t.remainder(block, heads)
    meant = t.add(t.scale(t.multiply(batch, channels), 64), t.scale(head, 4096), thread)
    product = t.wrapped(t.multiply(batch, t.wrapped(t.scale(channels, 64), 32, True)), 32, True)
    computed = t.wrapped(t.add(product, t.scale(head, 4096), thread), 32, True)
    asked = (
        t.equal(t.quotient(channels, heads), t.number(64)),
        t.equal(channels, t.multiply(heads, t.quotient(channels, heads))),
        t.at_most(t.multiply(heads, batches), t.number((1 << 31) - 1)),
        t.less(block, t.multiply(heads, batches)),
        t.negation(t.equal(computed, meant)),
        t.at_most(meant, t.number(20 << 30)),
    )
    solver = Solver(Effort(thorough=False))
    answer = solver.find(Query("ordinary", asked))
    assert isinstance(answer, Model)
    assert all(answer.value(each) == 1 for each in asked)
    assert solver.statistics.steps < 12_000


def row_of(scale: int) -> tuple[t.Term, ...]:
    """Element `scale * (row * cols + col) + place` is outside of `scale * rows * cols` elements."""
    rows, cols = t.symbol("rows", 1, 1 << 30), t.symbol("cols", 1, 1 << 18)
    row, col = t.symbol("row", 0, None, "block"), t.symbol("col", 0, None, "thread")
    place = t.symbol("place", 0, scale - 1, "thread")
    element = t.add(t.scale(t.add(t.multiply(row, cols), col), scale), place)
    return t.less(row, rows), t.less(col, cols), t.at_most(t.scale(t.multiply(rows, cols), scale), element)


def test_rows_of_vectors_are_told_apart_by_linear_arithmetic() -> None:
    for scale in (1, 4, 64):
        assert Solver().refutes(Query("outside", row_of(scale)))


def test_as_many_rows_as_the_count_makes_of_the_columns() -> None:
    count, cols = t.symbol("count", 1, 1 << 40), t.symbol("cols", 1, 1 << 20)
    row, col = t.symbol("row", 0, None, "block"), t.symbol("col", 0, None, "thread")
    element = t.add(t.multiply(row, cols), col)
    inside = t.less(row, t.quotient(count, cols)), t.less(col, cols)
    assert Solver().refutes(Query("past the end", (*inside, t.at_most(count, element))))
    assert isinstance(
        Solver().check(Query("the last", (*inside, t.equal(element, t.subtract(count, t.number(1)))))), Model
    )


def test_a_kernel_whose_effort_is_spent_is_told_what_earlier_models_show() -> None:
    rows, cols, row = t.symbol("rows", 0, 1 << 31), t.symbol("cols", 0, 1 << 31), t.symbol("row", 0, 1 << 31, "block")
    large, inside = t.less(t.number(1 << 31), t.multiply(row, cols)), t.less(row, rows)
    solver = Solver()
    assert isinstance(solver.check(Query("large", (large, inside))), Model)
    solver.count(1 << 40)
    shown = solver.check(Query("as large beside it", (inside, t.less(t.number(1 << 30), t.multiply(row, cols)))))
    assert isinstance(shown, Model) and shown.value(t.multiply(row, cols)) > 1 << 31
    assert isinstance(solver.check(Query("small", (t.at_most(row, t.number(0)), t.less(cols, row)))), Undecided)


@settings(max_examples=200, deadline=None)
@given(TRUTHS, values, st.integers(-3, 3))
def test_a_model_satisfies_what_is_true_of_its_values_and_in_their_ranges(
    case: Case, assignment: dict[str, int], beyond: int
) -> None:
    value = expected(case, assignment)
    assert satisfies(Model(dict(assignment), {}), (case.term,)) == bool(value)
    narrow = t.symbol("c", -3, 3)
    least = t.at_most(t.number(-100), t.multiply(narrow, t.symbol("b", 1, 40)))
    shown = satisfies(Model({"c": 5 * beyond, "b": 1}, {}), (least, case.term))
    assert not shown or -3 <= 5 * beyond <= 3


def test_who_is_tired_answers_part_by_part_and_asks_once_more_what_a_launch_is_like() -> None:
    """The sizes that make the products of a tile linear are none of the launch, of which nothing is asked but that there is one."""
    width, first, second = t.symbol("width", 1, 64), t.symbol("t@1", 0, 31, "thread"), t.symbol("t@2", 0, 31, "thread")
    meets = t.equal(t.add(t.multiply(width, first), t.number(3)), t.add(second, t.number(60)))
    start, end, batch = (t.symbol(name, 1, 1 << 20) for name in ("start", "end", "batch"))
    launched = (
        t.equal(t.remainder(start, t.number(512)), t.number(0)),
        t.less(start, end),
        t.at_most(t.multiply(batch, t.subtract(end, start)), t.number((1 << 31) - 1)),
    )
    effort = Effort(thorough=False)
    solver = Solver(effort)
    solver.count(effort.limit - 1_000_000)
    assert solver.is_tired
    answer = solver.check(Query("race", (meets, *launched)))
    assert isinstance(answer, Model) and answer.holds(meets) and all(map(answer.holds, launched))
