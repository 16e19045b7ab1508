"""A witness divides nothing by zero: where a model does, another one is looked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from cudalint.finding import Confidence
from cudalint.symbolic.solver.question import Model, Query, Unsatisfiable
from cudalint.symbolic.synchronization.pairs import decide_pair
from cudalint.symbolic.verdicts.facts import defined
from cudalint.term import Term, add, at_most, equal, negation, number, quotient, remainder, symbol

N, M = symbol("n", 0, None, "launch"), symbol("m", None, None, "launch")
NOT_ZERO = negation(equal(M, number(0)))


def test_only_divisors_that_may_be_zero_are_told() -> None:
    assert defined(quotient(N, number(4)), add(N, M), quotient(M, add(N, number(1)))) == []
    assert defined(quotient(N, M), remainder(number(7), M)) == [NOT_ZERO]


class Asked:
    """A solver that takes every unknown to be as small as it may be."""

    def __init__(self, possible: bool) -> None:
        self.possible = possible
        self.queries: list[tuple[Term, ...]] = []

    def check(self, query: Query) -> Model | Unsatisfiable:
        self.queries.append(query.constraints)
        given = NOT_ZERO in query.constraints
        return Model({"n": 0, "m": int(given)}, {}) if self.possible or not given else Unsatisfiable()


def decided(solver: Asked, *terms: Term) -> tuple[Model | None, Confidence | None, bool]:
    environment = SimpleNamespace(builtin=lambda name: number(1), geometry=None)
    decider = SimpleNamespace(
        environment=environment, solver=solver, relevant_to=lambda atoms: ([], []), ordinary_model=lambda *_: None,
        shape=lambda model: None,
    )  # fmt: skip
    return decide_pair(cast(Any, decider), "race", list(terms))


def test_a_model_that_divides_by_zero_is_asked_for_again() -> None:
    solver = Asked(possible=True)
    model, confidence, sure = decided(solver, at_most(quotient(N, M), number(5)))
    assert (model, confidence, sure) == (Model({"n": 0, "m": 1}, {}, extraordinary=True), Confidence.MEDIUM, True)
    assert len(solver.queries) == 2


def test_where_only_a_division_by_zero_leads_there_it_stays_open() -> None:
    """`m ? n / m : 0` divides nothing where m is zero."""
    assert decided(Asked(possible=False), at_most(quotient(N, M), number(5))) == (None, None, False)


def test_other_models_are_asked_for_once() -> None:
    solver = Asked(possible=True)
    assert decided(solver, at_most(quotient(N, number(4)), number(5)))[2]
    assert len(solver.queries) == 1
