"""Values of the host that are too large for a question: a witness has them as the host computes them."""

from __future__ import annotations

from cudalint.contract import Chosen, Contract, Fact, Origin
from cudalint.symbolic.solver.question import Model
from cudalint.symbolic.verdicts.choices import as_computed, is_as_computed
from cudalint.term import add, ceil_quotient, equal, multiply, number, symbol

N, LOST = symbol("f:n", 1, 1 << 20), symbol("~f:left", 0, 9)
BLOCKS = symbol("~f:choice#1", 0, 1024)
CONTRACT = Contract("k", (Fact(Chosen(BLOCKS, ceil_quotient(N, number(100))), Origin.LAUNCH, "blocks"),))


def test_a_model_with_another_value_is_none() -> None:
    assert is_as_computed(CONTRACT, Model({"f:n": 250, "~f:choice#1": 3}, {}))
    assert not is_as_computed(CONTRACT, Model({"f:n": 250, "~f:choice#1": 41}, {}))


def test_values_that_the_question_did_not_ask_about_are_none_of_its_business() -> None:
    assert is_as_computed(CONTRACT, Model({"f:n": 250}, {}))


def test_the_inputs_of_the_model_come_first() -> None:
    first, *others = as_computed(CONTRACT, Model({"f:n": 250, "~f:choice#1": 41}, {}))
    assert first == [equal(N, number(250)), equal(BLOCKS, number(3))]
    assert [equal(N, number(300)), equal(BLOCKS, number(3))] in others


def test_what_was_lost_is_left_to_the_question() -> None:
    value = add(multiply(number(2), N), LOST)
    contract = Contract("k", (Fact(Chosen(BLOCKS, value), Origin.LAUNCH, "blocks"),))
    first = next(as_computed(contract, Model({"f:n": 10, "~f:choice#1": 9, "~f:left": 4}, {})))
    assert first == [equal(N, number(10)), equal(BLOCKS, number(24))]
