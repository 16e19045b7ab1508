"""The weakest extents that would make a kernel's open accesses safe, in terms of its parameters (DESIGN 3, origin 7).

    if (i < rows * cols) y[i] = x[i / cols];        extent(x) = rows, extent(y) = rows * cols

Candidates are products of the integer parameters that index and guards speak of, simplest first; the first one is taken
that the solver shows to cover every open access of the pointer.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from cudalint import ir
from cudalint.contract import Contract
from cudalint.finding import Reason, Verdict
from cudalint.symbolic.model import MemoryObject, Obligation
from cudalint.symbolic.solver.question import Unsatisfiable
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.walk import integers
from cudalint.symbolic.walk.environment import Environment
from cudalint.symbolic.walk.execute import Walk, WalkLimit
from cudalint.term import Number, Term, add, at_most, conjunction, free_symbols, ideal, multiply, number

MOST_PARAMETERS = 5
MOST_CANDIDATES = 40
MOST_FACTORS = 3
STEPS = 40_000


@dataclass(frozen=True, slots=True)
class InferredExtent:
    """`pointer` needs at least `size` elements of its type; `text` says that in the kernel's parameters."""

    pointer: str
    size: Term
    text: str


def inferred_extents(unit: ir.Unit, kernel: ir.Function, contract: Contract) -> tuple[InferredExtent, ...]:
    """For each pointer whose extent is not known or not tied to its indices; none where no candidate is enough."""
    environment = Environment(unit, kernel, contract)
    walk = Walk(unit, kernel, environment)
    try:
        walk.run()
    except (WalkLimit, RecursionError):
        return ()
    decider = Decider(environment, walk.axioms)
    for obligation in walk.obligations:
        decider.decide(obligation)
    open_: dict[str, list[Obligation]] = {}
    for obligation in walk.obligations:
        if obligation.object is not None and _is_open(obligation):
            open_.setdefault(obligation.object.name, []).append(obligation)
    parameters = _parameters(kernel, environment, walk)
    found = (_inferred(name, obligations, parameters, decider) for name, obligations in open_.items())
    return tuple(each for each in found if each is not None)


def _is_open(obligation: Obligation) -> bool:
    """Undecided for want of an extent, or of one that is tied to the index."""
    if obligation.verdict is not Verdict.UNKNOWN or obligation.kind == "overflow" or obligation.object is None:
        return False
    unsized = obligation.object.size is None and obligation.object.memory == "global"
    return unsized or obligation.reason is Reason.UNTIED_EXTENT


def _parameters(kernel: ir.Function, environment: Environment, walk: Walk) -> dict[str, Term]:
    """Values of the integer parameters by name; a constant is no help in a relation."""
    values: dict[str, Term] = {}
    for param in kernel.params:
        if isinstance(param.var.type, ir.Int):
            value = environment.argument(param, walk.evaluator)
            if isinstance(value, Term) and not isinstance(value, Number):
                values.setdefault(param.var.name, integers.as_integer(value))
    return values


def _inferred(
    name: str, obligations: list[Obligation], parameters: dict[str, Term], decider: Decider
) -> InferredExtent | None:
    element = ir.size_of(_element(obligations[0].object))
    if element is None:
        return None
    spoken = frozenset().union(*(free_symbols(o.index) | _path_symbols(o) for o in obligations))
    names = [n for n, value in parameters.items() if free_symbols(value) & spoken][:MOST_PARAMETERS]
    for text, size in _candidates(names, parameters):
        if all(_covered(o, multiply(size, number(element)), decider) for o in obligations):
            return InferredExtent(name, size, text)
    return None


def _element(object_: MemoryObject | None) -> ir.Type:
    assert object_ is not None
    type_ = object_.type
    return type_.element if isinstance(type_, ir.Array) else type_


def _path_symbols(obligation: Obligation) -> frozenset[Term]:
    return frozenset().union(*(free_symbols(c.term) for c in obligation.path))


def _candidates(names: list[str], parameters: dict[str, Term]) -> list[tuple[str, Term]]:
    found: list[tuple[str, Term]] = []
    for count in range(1, MOST_FACTORS + 1):
        for chosen in combinations(names, count):
            size = number(1)
            for name in chosen:
                size = multiply(size, parameters[name])
            found.append((" * ".join(chosen), size))
            if count == 1:
                found.append((f"{chosen[0]} + 1", add(size, number(1))))
    return found[:MOST_CANDIDATES]


def _covered(obligation: Obligation, size: Term, decider: Decider) -> bool:
    """No thread that gets there goes beyond `size` bytes."""
    path = ideal(conjunction(*(c.term for c in obligation.path)))
    end = multiply(add(ideal(obligation.index), number(1)), number(obligation.unit))
    beyond = at_most(add(size, number(1)), end)
    return isinstance(decider.ask("inferred", path, beyond, steps=STEPS), Unsatisfiable)
