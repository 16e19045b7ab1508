"""What holds of the numbers that a host loop counts, halves or multiplies, in it and behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.ir.walk import expressions, statements
from cudalint.symbolic.host.evaluate import Frame
from cudalint.symbolic.host.recurrence import recurrence_of
from cudalint.symbolic.host.scan import Counter, assigned_registers, uncast
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import Value
from cudalint.term import (
    Number,
    Term,
    add,
    at_most,
    conjunction,
    disjunction,
    equal,
    multiply,
    negation,
    number,
    quotient,
    remainder,
    subtract,
)

if TYPE_CHECKING:
    from cudalint.symbolic.host.walk import Walk

_HALVES = ((ir.BinaryOp.DIVIDE, 2), (ir.BinaryOp.SHIFT_RIGHT, 1))


def bound_counter(counter: Counter, start: Term, state: State, frame: Frame) -> None:
    """The counter has only moved one way from where it started, in whole steps."""
    value = state.registers.get(frame.prefix + counter.name)
    if not isinstance(value, Term):
        return
    state.assume(at_most(start, value) if counter.step > 0 else at_most(value, start), "lasting")
    if abs(counter.step) > 1:
        moved = remainder(subtract(value, start), number(abs(counter.step)))
        state.assume(equal(moved, number(0)), "lasting")


def bound_last_step(walk: Walk, stmt: ir.Loop, counter: Counter, start: Term, state: State, frame: Frame) -> None:
    """Behind the loop the counter is where it started, or one step behind a value that let the loop go on."""
    register = frame.prefix + counter.name
    value = state.registers.get(register)
    others = (assigned_registers((*stmt.pre, *stmt.body)).keys() - {counter.name}) & _read_by(stmt.cond)
    if not stmt.test_first or stmt.pre or others or not isinstance(value, Term):
        return
    _went_on(walk, stmt, register, subtract(value, number(counter.step)), start, state, frame)


def bound_last_factor(walk: Walk, stmt: ir.Loop, starts: Mapping[str, Value], state: State, frame: Frame) -> None:
    """The same where the loop multiplies: `while (block < n) block *= 2` ends with less than twice n.

    And where it halves: `while (block > n) block >>= 1` ends with at least half of n.
    """
    assigned = assigned_registers((*stmt.pre, *stmt.body, *stmt.step)).keys()
    for name, factor in _factors(stmt) if stmt.test_first and not stmt.pre else ():
        register = frame.prefix + name
        start, value = starts.get(register), state.registers.get(register)
        if assigned & _read_by(stmt.cond) == {name} and isinstance(start, Term) and isinstance(value, Term):
            _went_on(walk, stmt, register, quotient(value, number(factor)), start, state, frame)

    for name in _halved(stmt) if stmt.test_first and not stmt.pre else ():
        start, value = starts.get(frame.prefix + name), state.registers.get(frame.prefix + name)
        if assigned & _read_by(stmt.cond) == {name} and isinstance(start, Term) and isinstance(value, Term):
            _was_halved(walk, stmt, frame.prefix + name, start, value, state, frame)


def _was_halved(walk: Walk, stmt: ir.Loop, register: str, start: Term, value: Term, state: State, frame: Frame) -> None:
    """The loop went on with twice the value, or with one more: powers of two are halved without a rest down to 1."""
    even = multiply(value, number(2))
    went_on = []
    for last in (even, add(even, number(1))):
        before = state.copy()
        before.registers[register] = last
        went_on.append(walk.evaluator.truth(stmt.cond, before, frame))
    if isinstance(start, Number) and start.value > 0 and start.value.bit_count() == 1:
        went_on[1] = conjunction(equal(value, number(0)), went_on[1])
    ordinary = at_most(number(0), start)
    state.assume(disjunction(negation(ordinary), equal(value, start), *went_on), "lasting")


def ends_where_asked(stmt: ir.Loop, name: str, start: Term) -> bool:
    """`n = 1; while (n < x) n *= 2`: the power of two that x is rounded up to, and no other value."""
    factor = dict(_factors(stmt)).get(name, 0) if stmt.test_first and not stmt.pre else 0
    compares = isinstance(stmt.cond, ir.Binary) and stmt.cond.op in (ir.BinaryOp.LESS, ir.BinaryOp.GREATER)
    asked = compares and assigned_registers((*stmt.body, *stmt.step)).keys() & _read_by(stmt.cond) == {name}
    return asked and factor == 2 and isinstance(start, Number) and start.value.bit_count() == 1


def _went_on(walk: Walk, stmt: ir.Loop, register: str, last: Term, start: Term, state: State, frame: Frame) -> None:
    """The register has its value from before the loop, or the loop went on with the last one."""
    value, before = state.registers[register], state.copy()
    before.registers[register] = last
    assert isinstance(value, Term)
    went_on = walk.evaluator.truth(stmt.cond, before, frame)
    state.assume(disjunction(equal(value, start), went_on), "lasting")


def _read_by(cond: ir.Expr) -> set[str]:
    return {each.name for each in expressions(cond) if isinstance(each, ir.Var)}


def _halved(stmt: ir.Loop) -> Iterator[str]:
    """Registers that every iteration halves, once, and nothing else assigns."""
    targets = [each.target.name for each in statements((*stmt.body, *stmt.step)) if isinstance(each, ir.Assign)]
    for each in (*stmt.body, *stmt.step):
        value = uncast(each.value) if isinstance(each, ir.Assign) else None
        if not isinstance(each, ir.Assign) or not isinstance(value, ir.Binary) or targets.count(each.target.name) > 1:
            continue
        right = uncast(value.right)
        by = right.value if isinstance(right, ir.Const) else None
        if uncast(value.left) != each.target or (value.op, by) not in _HALVES:
            continue
        if isinstance(value.type, ir.Int) and recurrence_of(stmt, each.target.name) is not None:
            yield each.target.name


def _factors(stmt: ir.Loop) -> Iterator[tuple[str, int]]:
    """Registers that every iteration multiplies, once, by a constant; the products do not wrap."""
    targets = [each.target.name for each in statements((*stmt.body, *stmt.step)) if isinstance(each, ir.Assign)]
    for each in (*stmt.body, *stmt.step):
        value = uncast(each.value) if isinstance(each, ir.Assign) else None
        if not isinstance(each, ir.Assign) or not isinstance(value, ir.Binary) or targets.count(each.target.name) > 1:
            continue
        left, right, type_ = uncast(value.left), uncast(value.right), value.type
        by = right.value if isinstance(right, ir.Const) else None
        if left != each.target or not isinstance(by, int) or not isinstance(type_, ir.Int):
            continue
        if not type_.signed and type_.bits < 64:
            continue
        if recurrence_of(stmt, each.target.name) is None:
            continue  # something else assigns it, too
        if value.op is ir.BinaryOp.MULTIPLY and by > 1:
            yield each.target.name, by
        elif value.op is ir.BinaryOp.SHIFT_LEFT and 0 < by < 31:
            yield each.target.name, 1 << by
