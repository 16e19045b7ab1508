"""Inputs that conditions equate are one input."""

from __future__ import annotations

from cudalint import term as t
from cudalint.symbolic.host.same import representatives

a, b, c = (t.symbol(name, 0, 1000) for name in ("f:a", "f:b", "f:c"))


def test_a_chain_of_equations_has_one_representative() -> None:
    found = representatives([t.equal(a, b), t.equal(b, c)])
    assert len({found.get(x, x) for x in (a, b, c)}) == 1


def test_a_number_stands_for_all_that_equal_it() -> None:
    found = representatives([t.equal(a, b), t.equal(b, t.number(64))])
    assert found == {a: t.number(64), b: t.number(64)}


def test_other_conditions_equate_nothing() -> None:
    conditions = [
        t.less(a, b),
        t.equal(a, t.add(b, t.number(1))),
        t.equal(t.scale(a, 2), b),
        t.equal(a, t.multiply(b, c)),
    ]
    assert not representatives(conditions)


def test_values_of_single_threads_are_no_inputs() -> None:
    assert not representatives([t.equal(a, t.symbol("threadIdx.x", 0, 31, "thread"))])
