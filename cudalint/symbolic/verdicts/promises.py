"""Annotations are promises of the callers: each visible launch must be able to keep them.

    // cudalint: assume n % 4 == 0                k<<<1, 32>>>(x, 1001);      broken by every input
    // cudalint: extent(x) = n                    cudaMalloc(&x, n * 2)       broken by every ordinary input
    // cudalint: extent(kv.indices) = kv.nnz      the same for a member
    // cudalint: align(x) = 16                    k<<<1, 32>>>(x + 1, n)
    // cudalint: nullable(b) iff !has_b           k<<<1, 32>>>(x, nullptr, true)

What only an entry point's own callers can break is theirs to keep, and no finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.contract import Alignment, Assume, Contract, Extent, Fact, Geometry, Nullable, What
from cudalint.symbolic.walk.parameters import type_of_parameter
from cudalint.term import (
    FALSE,
    TRUE,
    Term,
    at_most,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    multiply,
    negation,
    number,
    remainder,
)

if TYPE_CHECKING:
    from cudalint.symbolic.verdicts.decide import Decider

STEPS = 60_000


def broken_promises(unit: ir.Unit, kernel: ir.Function, launch: Contract, promises: tuple[Fact, ...]) -> list[Fact]:
    """The annotations that no ordinary input of the launch keeps, though something launches it at all."""
    from cudalint.symbolic.verdicts.decide import Decider
    from cudalint.symbolic.walk.environment import Environment

    stated = [(fact, condition) for fact in promises if (condition := promised(fact.what, kernel, launch)) is not TRUE]
    if not stated:
        return []
    environment = Environment(unit, kernel, launch)
    decider = Decider(environment, [])
    if decider.contradictory():
        return []
    return [fact for fact, condition in stated if _is_broken(environment.stated(condition), decider)]


def _is_broken(condition: Term, decider: Decider) -> bool:
    from cudalint.symbolic.ordinary import ordinary_inputs
    from cudalint.symbolic.solver.question import Unsatisfiable

    if condition is FALSE:
        return True
    facts, _ = decider.relevant(condition)
    atoms = sorted(frozenset().union(*(free_symbols(t) for t in (*facts, condition))), key=lambda t: t.digest)
    answer = decider.ask("promised", conjunction(*ordinary_inputs(atoms), condition), steps=STEPS)
    if not isinstance(answer, Unsatisfiable):
        return False
    alive = decider.ask("launched", conjunction(*ordinary_inputs(atoms)), *facts, steps=STEPS)
    return not isinstance(alive, Unsatisfiable)


def promised(what: What, kernel: ir.Function, launch: Contract) -> Term:
    """What an annotation says of a launch; TRUE where the launch itself says nothing of the matter."""
    if isinstance(what, Assume):
        return what.cond
    if isinstance(what, Extent):
        return _large_enough(what, kernel, launch)
    if isinstance(what, Alignment):
        return _aligned(what, launch)
    if isinstance(what, Nullable):
        return _there(what, launch)
    if isinstance(what, Geometry):
        given = next((f.what for f in launch.facts if isinstance(f.what, Geometry)), None)
        pairs = zip((*what.grid, *what.block), (*given.grid, *given.block)) if given else ()
        return conjunction(*(equal(a, b) for a, b in pairs if a is not None and b is not None))
    return TRUE


def _large_enough(what: Extent, kernel: ir.Function, launch: Contract) -> Term:
    width = 1 if what.unit == "bytes" else _element_bytes(what.pointer, kernel)
    for fact in launch.facts:
        given = fact.what
        if isinstance(given, Extent) and given.pointer == what.pointer and given.unit == "bytes" and width is not None:
            return at_most(multiply(what.size, number(width)), given.size)
    return TRUE


def _there(what: Nullable, launch: Contract) -> Term:
    """What the launch passes is no null pointer where the promise says that there is memory."""
    for fact in launch.facts:
        given = fact.what
        if isinstance(given, Nullable) and given.pointer == what.pointer and None not in (given.present, what.present):
            assert given.present is not None and what.present is not None
            return disjunction(negation(what.present), given.present)
    return TRUE


def _aligned(what: Alignment, launch: Contract) -> Term:
    """Memory that is allocated begins where every type may; what is moved from there is aligned as the distance is."""
    for fact in launch.facts:
        given = fact.what
        if isinstance(given, Extent) and given.pointer == what.pointer and given.offset is not None and given.buffer:
            return equal(remainder(given.offset, number(what.bytes)), number(0))
    return TRUE


def _element_bytes(pointer: str, kernel: ir.Function) -> int | None:
    """Of what a parameter, or a member of one, points to."""
    type_ = type_of_parameter(kernel, pointer)
    return ir.size_of(type_.element) if isinstance(type_, ir.Pointer) else None
