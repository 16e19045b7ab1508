"""Launches that nothing but names of the host code tells apart are walked once, and where one only assumes more, the other."""

from __future__ import annotations

from dataclasses import replace

from cudalint import term as t
from cudalint.contract import Assume, Binding, Contract, Extent, Fact, Origin
from cudalint.engine.alike import once_each
from cudalint.engine.contracts import representatives
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


def checked(launch: Contract, *conditions: Term) -> Contract:
    return replace(launch, facts=launch.facts + tuple(Fact(Assume(c), Origin.LAUNCH, "checked") for c in conditions))


def numbered(name: str, serial: int) -> Term:
    return value(f"main:{name}@{serial}")


def test_a_launch_of_which_more_is_assumed_is_left_out() -> None:
    n = value("train:n")
    first = launch("train", n)
    assert once_each([checked(first, t.less(n, t.number(512))), first]) == (first,)


def test_launches_of_which_other_things_are_assumed_are_two() -> None:
    n = value("train:n")
    first, second = (checked(launch("train", n), c) for c in (t.less(n, t.number(512)), t.less(t.number(3), n)))
    assert once_each([first, second]) == (first, second)


def test_more_is_assumed_of_another_launch() -> None:
    n = value("train:n")
    first, second = launch("train", n), launch("train", t.multiply(n, t.number(2)))
    second = checked(second, t.less(n, t.number(512)))
    assert once_each([first, second]) == (first, second)


def test_values_of_one_name_that_are_made_anew_are_told_apart_by_their_order() -> None:
    n = value("train:n")
    first, second = (
        checked(launch("train", n), t.equal(numbered("r", i), n), t.equal(numbered("r", i + 1), t.number(3)))
        for i in (7, 90)
    )
    assert once_each([first, second]) == (first,)


def test_one_value_is_not_two_of_one_name() -> None:
    n = value("train:n")
    first = checked(launch("train", n), t.less(numbered("r", 7), n), t.less(t.number(3), numbered("r", 7)))
    second = checked(launch("train", n), t.less(numbered("r", 7), n), t.less(t.number(3), numbered("r", 8)))
    assert once_each([first, second]) == (first, second)


def test_launches_of_one_place_come_from_both_ends() -> None:
    a, b, c, d = (Contract("kernel", (), LaunchSite("a.cu", 3, host)) for host in "abcd")
    assert representatives((a, b, c, d)) == (a, d, b, c)


def test_each_place_has_its_turn() -> None:
    first, second = (Contract("kernel", (), LaunchSite("a.cu", 3, host)) for host in "ab")
    other = Contract("kernel", (), LaunchSite("a.cu", 9, "c"))
    assert representatives((first, second, other)) == (first, other, second)
