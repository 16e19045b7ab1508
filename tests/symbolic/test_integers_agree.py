"""The symbolic meaning of integer expressions is the emulator's; tests/confirm and tests/gpu hold that to compilers."""

from __future__ import annotations

import random

import numpy as np
import pytest
from model.expressions import VARIABLES, random_expression, random_values

from cudalint import ir, term
from cudalint.confirm.emulate.expressions import evaluate
from cudalint.contract import Contract
from cudalint.source import Span
from cudalint.symbolic.solver.query import Solver
from cudalint.symbolic.solver.question import Model, Query
from cudalint.symbolic.walk.environment import Environment
from cudalint.symbolic.walk.execute import Frame, Walk
from cudalint.symbolic.walk.integers import as_integer
from cudalint.symbolic.walk.parameters import parameter_symbol
from cudalint.symbolic.walk.state import State

ROWS = 12


def meaning(expr: ir.Expr) -> term.Term:
    """The Term of an expression over VARIABLES."""
    span = Span("kernel.cu", 1, 1, 1, 2)
    kernel = ir.Function("kernel", "kernel", ir.Role.KERNEL, (), (), ir.VOID, (), span)
    unit = ir.Unit("kernel.cu", {})
    walk = Walk(unit, kernel, Environment(unit, kernel, Contract("kernel", ())))
    state = State(registers={name: parameter_symbol(name, type_) for name, type_ in VARIABLES.items()})
    value = walk.evaluator.value(expr, state, Frame(kernel, "", ()))
    assert isinstance(value, term.Term)
    return as_integer(value)


def pin(bits_of: term.Term, row: dict[str, int]) -> int | None:
    """The value under a row of variables; None where a bit operation has no arithmetic form."""
    try:
        return term.evaluate(bits_of, row)
    except term.Undefined:
        return None


@pytest.mark.parametrize("seed", range(6))
def test_terms_have_the_values_of_the_emulator(seed: int) -> None:
    source = random.Random(seed)
    decided = 0
    for _ in range(60):
        sample = random_expression(source, depth=3)
        columns = random_values(source, ROWS)
        expected = np.broadcast_to(evaluate(sample.expr, columns), ROWS)
        value = meaning(sample.expr)
        low, high = term.interval(value)
        for position in range(ROWS):
            row = {name: int(column[position]) for name, column in columns.items()}
            wanted = int(expected[position])
            assert low is None or low <= wanted, sample.text
            assert high is None or wanted <= high, sample.text
            found = pin(value, row)
            decided += found is not None
            assert found is None or found == wanted, (sample.text, row)
    assert decided > 60 * ROWS // 4


@pytest.mark.parametrize("seed", range(3))
def test_the_solver_agrees_with_the_emulator(seed: int) -> None:
    source = random.Random(1000 + seed)
    for _ in range(12):
        sample = random_expression(source, depth=2)
        columns = random_values(source, 1)
        wanted = int(np.broadcast_to(evaluate(sample.expr, columns), 1)[0])
        value = meaning(sample.expr)
        row = [
            term.equal(parameter_symbol(name, type_), term.number(int(columns[name][0])))
            for name, type_ in VARIABLES.items()
        ]
        if pin(value, {name: int(column[0]) for name, column in columns.items()}) is None:
            continue
        other = term.negation(term.equal(value, term.number(wanted)))
        assert not isinstance(Solver().check(Query("other", (*row, other))), Model), sample.text
