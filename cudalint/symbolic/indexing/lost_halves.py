"""Elements that a fold in halves leaves out, since the launch gives it a number of them that is odd on the way.

Which loops do so is read from the code (`halving_loops`); how many elements there are, from the launch. A number that callers
choose as such, or that is not understood, is taken to be fit for the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint import ir
from cudalint.analysis.loops.halving_loops import HalvingLoop, halving_loops, lost_at
from cudalint.symbolic.issues import LostHalf
from cudalint.symbolic.model import Access
from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.solver.parts import conjuncts
from cudalint.symbolic.solver.question import Query
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.walk.environment import Environment
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import (
    Number,
    Symbol,
    Term,
    Undefined,
    at_most,
    equal,
    free_symbols,
    ideal,
    multiply,
    negation,
    number,
    remainder,
)

POWERS = tuple(1 << bit for bit in range(11))  # the sizes of blocks that halve without a rest
_OF_LAUNCH = re.compile(r"block|group|thread|warp|tile|cta|per_|lane|chunk|dim")


def find_lost_halves(walk: Walk, decider: Decider) -> Iterator[LostHalf]:
    """One for each loop that the kernel comes to under a launch that is known."""
    environment = decider.environment
    if not environment.launch_known or walk.stopped or environment.contract.uncalled:
        return
    for loop in halving_loops(environment.unit, environment.kernel):
        come = next((a for a in walk.accesses if a.kind == "write" and a.span == loop.span), None)
        count = _counted(loop.count, environment)
        lost = _lost(loop, ideal(count), come, decider) if come is not None and count is not None else None
        if lost is not None:
            yield lost


def _counted(count: ir.Expr, environment: Environment) -> Term | None:
    """The number of elements where it is a number or made of sides of the block."""
    match count:
        case ir.Const(value=int() as value):
            return number(value)
        case ir.Builtin(name=name) if name.startswith("blockDim."):
            return environment.builtin(name)
        case ir.Binary(op=ir.BinaryOp.MULTIPLY, left=left, right=right):
            sides = _counted(left, environment), _counted(right, environment)
            return multiply(sides[0], sides[1]) if sides[0] is not None and sides[1] is not None else None
        case _:
            return None


def _lost(loop: HalvingLoop, count: Term, come: Access, decider: Decider) -> LostHalf | None:
    if isinstance(count, Number):
        left = lost_at(count.value, loop.least)
        return None if left is None else LostHalf(loop.span, come.object, count.value, left, (), True)
    sizes = free_symbols(count)
    if not sizes or not all(is_input(a) and isinstance(a, Symbol) and not _is_of_launch(a) for a in sizes):
        return None
    way = [p for c in come.path for p in map(ideal, conjuncts(c.term)) if all(map(is_input, free_symbols(p)))]
    terms, _ = decider.relevant(*way, count)
    question = [ideal(part) for part in (*terms, *way, *_odd(count, loop.least))]
    if decider.solver.refutes(Query("lost half", tuple(question))):
        return None
    atoms = sorted(frozenset().union(*map(free_symbols, question)), key=lambda t: t.digest)
    model = decider.ordinary_model(question, atoms)
    try:
        found = model.value(count) if model is not None else 0
        values = tuple(sorted(decider.input_values(model).items())) if model is not None else ()
    except Undefined:
        return None
    left = lost_at(found, loop.least)
    return None if left is None else LostHalf(loop.span, come.object, found, left, values, False)


def _odd(count: Term, least: int) -> list[Term]:
    """Of a fold down to one element any other number than a power of two; else one that is odd from the first."""
    if least == 0:
        return [at_most(number(2), count), *(negation(equal(count, number(power))) for power in POWERS)]
    return [at_most(number(2 * least + 2), count), equal(remainder(count, number(2)), number(1))]


def _is_of_launch(size: Symbol) -> bool:
    """`block_size`: whoever passes it knows what the kernel needs."""
    return _OF_LAUNCH.search(size.name.rpartition(":")[2].lower()) is not None
