"""Launches that nothing but the name of a host function tells apart are walked once."""

from __future__ import annotations

from cudalint import term as t
from cudalint.contract import Assume, Binding, Contract, Extent, Fact, Origin
from cudalint.engine.alike import once_each
from cudalint.finding import LaunchSite
from cudalint.term import Term


def launch(host: str, size: Term, *, line: int = 3, other: Term | None = None) -> Contract:
    """`kernel<<<...>>>(x, n)` in a helper that `host` calls."""
    facts = (
        Fact(Extent("x", size, buffer=f"{host}:x"), Origin.LAUNCH, f"x = {host}'s x"),
        Fact(Binding("n", size if other is None else other), Origin.LAUNCH, "n"),
        Fact(Assume(t.less(t.number(0), size)), Origin.LAUNCH, "0 < n"),
    )
    return Contract("kernel", facts, LaunchSite("a.cu", line, host))


def value(name: str) -> Term:
    return t.symbol(name, -(2**31), 2**31 - 1, "launch")


def test_the_same_launch_from_two_functions_is_one() -> None:
    first, second = launch("train", value("train:n")), launch("infer", value("infer:n"))
    assert once_each([first, second]) == (first,)


def test_another_size_is_another_launch() -> None:
    first = launch("train", value("train:n"))
    second = launch("infer", t.multiply(value("infer:n"), t.number(2)))
    assert once_each([first, second]) == (first, second)


def test_another_line_is_another_launch() -> None:
    first, second = launch("train", value("train:n")), launch("infer", value("infer:n"), line=4)
    assert once_each([first, second]) == (first, second)


def test_values_of_one_name_in_two_functions_stay_two_values() -> None:
    one = launch("train", value("train:n"), other=value("helper:n"))
    two = launch("infer", value("infer:n"), other=value("infer:n"))
    assert once_each([one, two]) == (one, two)
