"""Choices of host code that are too large to be asked about get names, each its own."""

from __future__ import annotations

from cudalint import term as t
from cudalint.contract import Binding, Fact, Origin
from cudalint.symbolic.host.fact_forms import without_large_choices
from cudalint.symbolic.host.text import plain


def capped(name: str) -> t.Term:
    """`max(min(max(min(n, ...), ...), ...), ...)`: each cap repeats what it caps."""
    value: t.Term = t.symbol(f"run:{name}", 0, 1 << 30)
    for most in (4096, 2048, 1024):
        value = t.choice(t.less(value, t.number(most)), value, t.number(most))
        value = t.choice(t.less(t.number(most // 4), value), value, t.number(most // 4))
    return value


def equations(facts: tuple[Fact, ...]) -> list[str]:
    return [plain(fact.text.partition(" == ")[0]) for fact in facts if " == " in fact.text]


def test_what_is_named_later_has_no_name_that_is_taken() -> None:
    rows, columns = (Fact(Binding(name, capped(name)), Origin.LAUNCH, name) for name in ("rows", "columns"))
    first = without_large_choices((rows,))
    both = without_large_choices((*first, columns))
    assert len(equations(first)) > 1
    assert len(equations(both)) == len(set(equations(both))) == 2 * len(equations(first))
