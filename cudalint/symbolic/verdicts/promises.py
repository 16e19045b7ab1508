"""Annotations are promises of the callers: each visible launch must be able to keep them.

    // cudalint: assume n % 4 == 0                k<<<1, 32>>>(x, 1001);      broken by every input
    // cudalint: extent(x) = n                    cudaMalloc(&x, n * 2)       broken by every ordinary input
    // cudalint: extent(kv.indices) = kv.nnz      the same for a member
    // cudalint: align(x) = 16                    k<<<1, 32>>>(x + 1, n)
    // cudalint: nullable(b) iff !has_b           k<<<1, 32>>>(x, nullptr, true)
    // cudalint: values(idx) in [0, n)            contents, see `promised_contents`

What only an entry point's own callers can break is theirs to keep, and no finding.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.contract import (
    Alignment,
    Assume,
    Contract,
    Distinct,
    ElementValues,
    Extent,
    Fact,
    Geometry,
    Initial,
    Nullable,
    Offsets,
    Values,
    What,
)
from cudalint.symbolic.verdicts.promised_contents import compared_contents
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


class Kept(Enum):
    """How a launch stands to a promise."""

    KEPT = "kept"
    BROKEN = "broken"
    LEFT = "left to the callers"
    OPEN = "not compared"


def broken_promises(unit: ir.Unit, kernel: ir.Function, launch: Contract, promises: tuple[Fact, ...]) -> list[Fact]:
    """The annotations that no ordinary input of the launch keeps, though something launches it at all."""
    compared = compared_promises(unit, kernel, launch, promises, kept=False)
    return [fact for fact, state in compared if state is Kept.BROKEN]


def compared_promises(
    unit: ir.Unit, kernel: ir.Function, launch: Contract, promises: tuple[Fact, ...], kept: bool = True
) -> list[tuple[Fact, Kept]]:
    """Each promise with whether the launch breaks it, or keeps it where that is asked; of an impossible launch nothing is said."""
    from cudalint.symbolic.verdicts.decide import Decider
    from cudalint.symbolic.walk.environment import Environment

    stated = [(fact, _comparison(fact.what, kernel, launch)) for fact in promises]
    if all(condition is None and not is_of_contents(fact.what) for fact, condition in stated):
        return [(fact, Kept.OPEN) for fact in promises]
    environment = Environment(unit, kernel, launch)
    decider = Decider(environment, [])
    if decider.contradictory():
        return [(fact, Kept.OPEN) for fact in promises]
    found: list[tuple[Fact, Kept]] = []
    for fact, condition in stated:
        contents = compared_contents(fact.what, launch, environment.stated)
        if contents is not None:
            found.append((fact, _state(contents.kept, contents.broken, decider, kept, contents.ordinary)))
        elif condition is not None:
            term = environment.stated(condition)
            found.append((fact, _state(term, negation(term), decider, kept)))
        else:
            found.append((fact, Kept.OPEN))
    return found


def _state(keeping: Term, breaking: Term, decider: Decider, kept: bool, ordinary: Term = TRUE) -> Kept:
    """Broken is what no launch keeps, or none of the `ordinary` ones."""
    from cudalint.symbolic.solver.question import Unsatisfiable

    if keeping is not TRUE and any(_is_broken(keeping, decider, among) for among in dict.fromkeys((TRUE, ordinary))):
        return Kept.BROKEN
    if breaking is FALSE or (kept and isinstance(decider.ask("kept", breaking, steps=STEPS), Unsatisfiable)):
        return Kept.KEPT
    return Kept.LEFT


def is_of_contents(what: What) -> bool:
    return isinstance(what, Values | ElementValues | Offsets | Distinct | Initial)


def _comparison(what: What, kernel: ir.Function, launch: Contract) -> Term | None:
    """What the launch has to keep; None where it says nothing of the matter."""
    condition = promised(what, kernel, launch)
    return None if condition is TRUE and not isinstance(what, Assume) else condition


def _is_broken(condition: Term, decider: Decider, among: Term) -> bool:
    from cudalint.symbolic.ordinary import ordinary_inputs
    from cudalint.symbolic.solver.question import Unsatisfiable

    if condition is FALSE and among is TRUE:
        return True
    facts, _ = decider.relevant(condition, among)
    atoms = sorted(frozenset().union(*(free_symbols(t) for t in (*facts, condition, among))), key=lambda t: t.digest)
    answer = decider.ask("promised", conjunction(*ordinary_inputs(atoms), condition, among), steps=STEPS)
    if not isinstance(answer, Unsatisfiable):
        return False
    alive = decider.ask("launched", conjunction(*ordinary_inputs(atoms), among), *facts, steps=STEPS)
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
