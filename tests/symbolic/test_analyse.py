"""Verdicts of the engine on kernels in IR: bounds, loops, two threads. Point numbers are those of the semantics."""

from __future__ import annotations

import pytest

from cudalint import ir
from cudalint.contract import Assume, Binding, Contract, Extent, Fact, Geometry, Origin
from cudalint.finding import Confidence, LaunchSite, Reason, Verdict
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.issues import Analysis
from cudalint.symbolic.solver.effort import Effort
from cudalint.symbolic.walk.parameters import parameter_symbol
from cudalint.term import Term, at_most, ceil_quotient, choice, less, minimum, multiply, number, symbol, wrapped
from tests.confirm import emulate_build as k

N = parameter_symbol("n", ir.INT32)
n = k.var("n")
x, y = k.pointer("x"), k.pointer("y")
i, v, w = k.var("i"), k.var("v", ir.F32), k.var("w", ir.F32)
half_block = ir.Binary(ir.BinaryOp.DIVIDE, k.builtin("blockDim.x"), ir.Const(2, ir.INT32), ir.INT32)


def fact(what: object) -> Fact:
    return Fact(what, Origin.ANNOTATION, str(what))  # type: ignore[arg-type]


def launched(grid: Term, block: int, *extents: tuple[str, Term]) -> tuple[Fact, ...]:
    geometry = Geometry((grid, number(1), number(1)), (number(block), number(1), number(1)), number(0))
    small = Assume(at_most(N, number(1 << 30)))
    return (fact(geometry), fact(small), *(fact(Extent(name, size)) for name, size in extents))


BY_N = launched(ceil_quotient(N, number(256)), 256, ("x", N), ("y", N))
ONE_BLOCK = launched(number(1), 256)


def verdicts(
    body: tuple[ir.Stmt, ...],
    facts: tuple[Fact, ...],
    kinds: tuple[str, ...] = ("bounds", "dimension"),
    effort: Effort | None = None,
) -> Analysis:
    params = (ir.Param(n), ir.Param(x, const=True), ir.Param(y))
    span = k.here()
    kernel = ir.Function("kernel", "kernel", ir.Role.KERNEL, (), params, ir.VOID, body, span)
    return analyse(ir.Unit("kernel.cu", {"kernel": kernel}), kernel, Contract("kernel", facts), effort)


def answers(analysis: Analysis) -> list[Verdict]:
    return [o.verdict for o in analysis.obligations if o.kind in ("bounds", "dimension")]


def copy_under(guard: ir.Expr) -> tuple[ir.Stmt, ...]:
    return (k.let(i, k.GID), k.when(guard, k.load(v, k.at(x, i)), k.store(k.at(y, i), v)))


def test_a_guard_by_the_extent_is_safe() -> None:
    assert answers(verdicts(copy_under(k.less(i, n)), BY_N)) == [Verdict.SAFE, Verdict.SAFE]


def test_a_guard_that_lets_one_more_through_is_violated_by_the_smallest_launch() -> None:
    analysis = verdicts(copy_under(k.op(ir.BinaryOp.LESS_EQUAL, i, n)), BY_N)
    first = analysis.obligations[0]
    assert first.verdict is Verdict.VIOLATED and first.confidence is Confidence.HIGH
    assert first.witness is not None
    assert (first.witness.values, first.witness.index, first.witness.extent) == ({"n": 1}, 1, 1)


A, B = (parameter_symbol(name, ir.INT32) for name in "ab")


def with_host_product(value: Term, extent: Term) -> list[Verdict]:
    """Of a copy of n elements that a host function launches with this value for n, and this much memory."""
    geometry = Geometry((ceil_quotient(N, number(256)), number(1), number(1)), (number(256),) + (number(1),) * 2, None)
    facts = (fact(geometry), fact(Binding("n", value)), fact(Extent("x", extent)), fact(Extent("y", extent)))
    site = LaunchSite("host.cu", 3, "run")
    body = copy_under(k.less(i, n))
    params = (ir.Param(n), ir.Param(x, const=True), ir.Param(y))
    kernel = ir.Function("kernel", "kernel", ir.Role.KERNEL, (), params, ir.VOID, body, k.here())
    return answers(analyse(ir.Unit("kernel.cu", {"kernel": kernel}), kernel, Contract("kernel", facts, site)))


@pytest.mark.parametrize(("signed", "proved"), [(True, True), (False, False)])
def test_signed_products_of_the_host_do_not_overflow_and_unsigned_ones_may(signed: bool, proved: bool) -> None:
    times = symbol("times", 1, (1 << 31) - 1, "launch")
    found = with_host_product(A, wrapped(multiply(A, times), 32, signed))
    assert (found == [Verdict.SAFE, Verdict.SAFE]) is proved


def test_what_the_host_computes_under_a_condition_tells_nothing_of_other_launches() -> None:
    large = less(number(100_000), A)
    value = choice(large, A, minimum(wrapped(multiply(A, A), 32, True), number(5)))
    assert Verdict.SAFE not in with_host_product(value, number(100_000))


def test_an_unrelated_extent_is_unknown_and_no_finding() -> None:
    """6: index and extent share no input."""
    facts = launched(ceil_quotient(N, number(256)), 256, ("x", parameter_symbol("m", ir.INT32)), ("y", N))
    first = verdicts(copy_under(k.less(i, n)), facts).obligations[0]
    assert (first.verdict, first.reason) == (Verdict.UNKNOWN, Reason.UNTIED_EXTENT)


@pytest.mark.parametrize(("described", "verdict"), [(False, Verdict.VIOLATED), (True, Verdict.UNKNOWN)])
def test_sizes_that_a_struct_tells_are_related_to_others_by_who_fills_it(described: bool, verdict: Verdict) -> None:
    size = parameter_symbol("m", ir.INT32)
    made = Extent("x", size, given=True, described=described)
    facts = (*launched(ceil_quotient(N, number(256)), 256, ("y", N)), fact(made), fact(Assume(at_most(size, N))))
    first = verdicts(copy_under(k.less(i, n)), facts).obligations[0]
    assert first.verdict is verdict


@pytest.mark.parametrize(("described", "verdict"), [(False, Verdict.SAFE), (True, Verdict.VIOLATED)])
def test_an_index_may_overflow_where_only_a_struct_says_how_small_the_memory_is(
    described: bool, verdict: Verdict
) -> None:
    made = Extent("x", number(100), given=True, described=described)
    facts = (*launched(ceil_quotient(N, number(256)), 256, ("y", N)), fact(made))
    body = (k.let(i, k.GID), k.when(k.less(i, n), k.load(v, k.at(x, k.mul(i, n)))))
    found = [o.verdict for o in verdicts(body, facts, ("overflow",)).obligations if o.kind == "overflow"]
    assert found == [verdict]


def test_a_pointer_without_extent_is_unknown() -> None:
    first = verdicts(copy_under(k.less(i, n)), ONE_BLOCK).obligations[0]
    assert (first.verdict, first.reason) == (Verdict.UNKNOWN, Reason.NO_EXTENT)


def test_a_grid_stride_loop_is_safe_for_every_size() -> None:
    stride = k.mul(k.builtin("gridDim.x"), k.builtin("blockDim.x"))
    body = (
        k.let(i, k.GID),
        k.loop(k.less(i, n), k.load(v, k.at(x, i)), k.store(k.at(y, i), v), step=(k.let(i, k.add(i, stride)),)),
    )
    facts = launched(number(80), 256, ("x", N), ("y", N))
    small = Fact(Assume(at_most(N, number(1 << 20))), Origin.ANNOTATION, "n <= 2^20")
    assert answers(verdicts(body, (*facts, small))) == [Verdict.SAFE, Verdict.SAFE]


def test_contradictory_facts_prove_nothing() -> None:
    """5: the contract must be satisfiable."""
    impossible = Fact(Assume(at_most(N, number(-1))), Origin.ANNOTATION, "n < 0")
    analysis = verdicts(copy_under(k.less(i, n)), (*BY_N, impossible))
    assert analysis.contradictory
    assert Verdict.SAFE not in answers(analysis)


# --- two threads -------------------------------------------------------------------------------------------------------

s, declare_s = k.shared("s", ir.F32, 256)


def reduction(*tail: ir.Stmt) -> tuple[ir.Stmt, ...]:
    """A tree reduction whose loop ends with `tail`."""
    stride = k.var("stride")
    add_pair = k.when(
        k.less(k.TID, stride),
        k.load(v, k.at(s, k.TID)),
        k.load(w, k.at(s, k.add(k.TID, stride))),
        k.store(k.at(s, k.TID), k.op(ir.BinaryOp.ADD, v, w)),
    )
    halve = k.let(stride, ir.Binary(ir.BinaryOp.SHIFT_RIGHT, stride, ir.Const(1, ir.INT32), ir.INT32))
    return (
        declare_s,
        k.store(k.at(s, k.TID), 1.0),
        k.barrier(),
        k.let(stride, half_block),
        k.loop(k.op(ir.BinaryOp.GREATER, stride, 0), add_pair, *tail, step=(halve,)),
    )


@pytest.mark.parametrize("facts", [ONE_BLOCK, launched(number(1), 512)], ids=["256 threads", "512 threads"])
def test_a_tree_reduction_with_its_barriers_is_free_of_races(facts: tuple[Fact, ...]) -> None:
    """10 and 11: the stride is one value for both threads."""
    analysis = verdicts(reduction(k.barrier()), facts)
    assert not analysis.races and not analysis.barriers


def test_a_tree_reduction_without_the_barrier_races() -> None:
    races = verdicts(reduction(), ONE_BLOCK).races
    assert races and races[0].confidence is Confidence.HIGH
    first, second = races[0].witness.threads
    assert first.thread != second.thread and first.index == second.index


def test_a_race_is_found_where_bounds_have_spent_the_effort_for_the_kernel() -> None:
    effort = Effort(thorough=False)
    effort.steps = effort.limit
    assert verdicts(reduction(), ONE_BLOCK, effort=effort).races


def test_writes_of_then_and_else_are_compared() -> None:
    """12: the two sides of a branch are on no common path, yet two threads run them at the same time."""
    body = (
        declare_s,
        k.when(k.less(k.TID, 16), k.store(k.at(s, k.TID), 1.0), orelse=[k.store(k.at(s, k.sub(k.TID, 16)), 2.0)]),
    )
    assert verdicts(body, ONE_BLOCK).races


def test_a_loop_with_a_barrier_has_one_iteration_number() -> None:
    """10: numbers of their own would let iteration 1 of one thread meet iteration 2 of another."""
    m = k.var("m")
    body = (
        declare_s,
        k.let(m, 0),
        k.loop(
            k.less(m, n),
            k.when(k.equal(k.TID, m), k.store(k.at(s, m), 1.0)),
            k.barrier(),
            step=(k.let(m, k.add(m, 1)),),
        ),
    )
    assert not verdicts(body, ONE_BLOCK).races


def test_the_tail_of_an_iteration_meets_the_head_of_the_next() -> None:
    """10: write, barrier, read: the read of iteration k races with the write of iteration k + 1."""
    m = k.var("m")
    neighbour = ir.Binary(ir.BinaryOp.XOR, k.TID, ir.Const(1, ir.INT32), ir.INT32)

    def rounds(*tail: ir.Stmt) -> tuple[ir.Stmt, ...]:
        body = (k.store(k.at(s, k.TID), 1.0), k.barrier(), k.load(v, k.at(s, neighbour)), *tail)
        return (declare_s, k.let(m, 0), k.loop(k.less(m, n), *body, step=(k.let(m, k.add(m, 1)),)))

    assert verdicts(rounds(), ONE_BLOCK).races
    assert not verdicts(rounds(k.barrier()), ONE_BLOCK).races


def test_a_barrier_under_a_thread_condition_diverges() -> None:
    (issue,) = verdicts((k.when(k.less(k.TID, 32), k.barrier()),), ONE_BLOCK).barriers
    assert issue.cause == "branch" and issue.confidence is Confidence.HIGH


def test_a_barrier_under_a_uniform_condition_does_not() -> None:
    assert not verdicts((k.when(k.less(k.BID, n), k.barrier()),), ONE_BLOCK).barriers


def test_an_exit_before_a_barrier_is_its_own_issue() -> None:
    """15: legal where the others do not need the threads that left."""
    body = (k.when(k.op(ir.BinaryOp.GREATER_EQUAL, k.GID, n), k.leave()), k.barrier())
    (issue,) = verdicts(body, BY_N).barriers
    assert issue.cause == "exit"
