"""What the walk of a kernel knows of its launch."""

from __future__ import annotations

from cudalint import ir
from cudalint.contract import Contract, Fact, Geometry, Origin
from cudalint.finding import CHOSEN
from cudalint.source import Span
from cudalint.symbolic.ordinary import ordinary_inputs
from cudalint.symbolic.walk.environment import Environment
from cudalint.term import Term, choice, equal, less, negation, number, quotient, subtract, symbol

SPAN = Span("kernel.cu", 1, 1, 1, 2)
N, TILE = symbol("n", 0, 1 << 20, "launch"), symbol("tile", 0, 256, "launch")


def facts_of(blocks: Term) -> list[Term]:
    """The facts under a launch of so many blocks of 256 threads."""
    kernel = ir.Function("kernel", "kernel", ir.Role.KERNEL, (), (), ir.VOID, (), SPAN)
    geometry = Geometry((blocks, number(1), number(1)), (number(256), number(1), number(1)), None)
    contract = Contract("kernel", (Fact(geometry, Origin.LAUNCH, "a launch"),))
    return [fact.term for fact in Environment(ir.Unit("kernel.cu", {}), kernel, contract).facts]


def test_a_host_that_has_launched_divided_by_nothing_that_is_zero() -> None:
    rest = subtract(number(256), TILE)
    assert negation(equal(rest, number(0))) in facts_of(quotient(N, rest))


def test_a_quotient_of_one_branch_says_nothing_of_the_other() -> None:
    known = facts_of(choice(less(number(0), TILE), quotient(N, TILE), number(1)))
    assert negation(equal(TILE, number(0))) not in known


def test_a_choice_of_the_host_is_as_ordinary_as_what_it_is_made_of() -> None:
    chosen = symbol(f"main{CHOSEN}1", -8, 8, "launch")
    assert ordinary_inputs([chosen]) == []
    assert ordinary_inputs([chosen, N]) == ordinary_inputs([N]) != []
