"""A question to the solver, and what it may answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from cudalint.symbolic.solver.lemmas import computed_value
from cudalint.term import Apply, Symbol, Term, Undefined, evaluator, free_symbols, interval

DEFAULT_STEPS = 150_000
PROOF_STEPS = 300_000  # of the query that decides between safe and not
SMALL_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Query:
    """A question with a name: is there an assignment under which all constraints hold?"""

    name: str
    constraints: tuple[Term, ...]
    steps: int = DEFAULT_STEPS


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    pass


@dataclass(frozen=True, slots=True)
class Model:
    """Values of symbols and flags by name, and of functions by name and arguments."""

    values: dict[str, int]
    applications: dict[tuple[str, tuple[int, ...]], int]
    of_any_launch: bool = False  # the inputs, of which it says nothing, make no difference
    extraordinary: bool = False  # sizes of ordinary use were asked for, and none were found in time

    def value(self, term: Term) -> int:
        """The value of any term over the model; symbols that the query did not mention take their smallest value."""
        return values_of(self)(term)

    def holds(self, cond: Term) -> bool:
        """Whether the model says so; a quotient by zero says nothing."""
        with suppress(Undefined):
            return bool(self.value(cond))
        return False


@dataclass(frozen=True, slots=True)
class Undecided:
    reason: str


Answer: TypeAlias = Unsatisfiable | Model | Undecided


@dataclass(frozen=True, slots=True)
class GaveUp:
    """Undecided within these steps: a query with more of them asks again."""

    reason: str
    steps: int


@dataclass(slots=True)
class Statistics:
    queries: int = 0
    cached: int = 0
    undecided: int = 0
    refutations: int = 0
    steps: int = 0


def values_of(model: Model) -> Callable[[Term], int]:
    """Values of terms under the model, where what it leaves open has its default."""

    def missing(atom: Term, value: Callable[[Term], int]) -> int:
        if not isinstance(atom, Apply):
            return default(atom)
        key = atom.parts[0], tuple(value(arg) for arg in atom.parts[1])
        given = computed_value(*key)
        return model.applications.get(key, interval(atom)[0] or 0) if given is None else given

    return evaluator(model.values, missing)


def satisfies(model: Model, constraints: Iterable[Term]) -> bool:
    """Whether the model of another question is one of this question, too; what it leaves open has its default."""
    value = values_of(model)
    with suppress(Undefined):
        return all(value(each) and all(_is_in_range(s, model) for s in free_symbols(each)) for each in constraints)
    return False


def _is_in_range(atom: Term, model: Model) -> bool:
    if not isinstance(atom, Symbol) or atom.name not in model.values:
        return True
    low, high = interval(atom)
    return (low is None or low <= model.values[atom.name]) and (high is None or model.values[atom.name] <= high)


def default(atom: Term) -> int:
    """The value of a symbol that no constraint speaks of: one for what a caller chooses, else the smallest."""
    if not isinstance(atom, Symbol):
        return 0
    low, high = interval(atom)
    if atom.scope == "launch":
        return nearest(atom, 1)
    return low if low is not None else (min(0, high) if high is not None else 0)


def nearest(size: Symbol, value: int) -> int:
    low, high = interval(size)
    value = value if low is None else max(low, value)
    return value if high is None else min(high, value)
