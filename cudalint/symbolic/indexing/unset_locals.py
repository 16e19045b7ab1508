"""Elements of a thread's own arrays that are read, and that nothing ever writes.

    float w[5];  for (int k = 0; k < 4; ++k) w[k] = x[i + k];  for (int k = 0; k < 5; ++k) sum += w[k];         w[4]

A write whose place rests on more than constants and the rounds of its loops counts for all elements, and the order of writes
and reads is not looked at, so what is left is certain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import prod

from cudalint import ir
from cudalint.symbolic.issues import UnsetElement
from cudalint.symbolic.model import Access, MemoryObject, applications
from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import Number, Sum, Symbol, Term, Undefined, equal, evaluator, free_symbols, ideal, number

MOST_ELEMENTS = 256
MOST_ROUNDS = 1 << 12  # of the loops around one access, all together
MOST_ACCESSES = 256  # of one array
THREADS = ("threadIdx.", "blockIdx.", "blockDim.", "gridDim.")


def find_unset_locals(walk: Walk, decider: Decider) -> Iterator[UnsetElement]:
    """One for each array, at the first read."""
    if walk.stopped:
        return
    arrays: dict[MemoryObject, list[Access]] = {}
    for access in walk.own_accesses:
        arrays.setdefault(access.object, []).append(access)
    for array, accesses in arrays.items():
        if array in walk.disturbed or len(accesses) > MOST_ACCESSES:
            continue
        found = _first_unset(array, accesses, decider)
        if found is not None:
            yield found


def _first_unset(array: MemoryObject, accesses: list[Access], decider: Decider) -> UnsetElement | None:
    width = _width(array.type)
    total = array.size.value if isinstance(array.size, Number) else 0
    if not width or not 0 < total // width <= MOST_ELEMENTS:
        return None
    written: set[int] = set()
    for write in (a for a in accesses if a.kind != "read"):
        places = _places(write)
        if places is None:
            return None
        written.update(byte for place in places for byte in range(place, place + write.size))
    if not written:
        return None  # IDX301 tells of arrays that nothing is written to
    for read in sorted((a for a in accesses if a.kind == "read" and a.size == width), key=lambda a: a.span):
        unset = [place for place in _places(read) or () if 0 <= place < total and place not in written]
        asked = (
            c.term for c in read.path if c.cause != "check"
        )  # whoever has passed a loop meets what is known behind it
        if unset and all(_may_be_chosen(term, read.loops) for term in asked):
            found = _shown(read, unset[0], decider)
            if found is not None:
                return found
    return None


def _width(type_: ir.Type) -> int:
    """The bytes of an element that is a number, else 0."""
    while isinstance(type_, ir.Array):
        type_ = type_.element
    return (ir.size_of(type_) or 0) if isinstance(type_, ir.Int | ir.Float | ir.Bool) else 0


def _places(access: Access) -> list[int] | None:
    """The bytes at which it begins, round by round; None where more than the round decides."""
    offset = ideal(access.offset)
    steps = _steps(offset, access.loops)
    if steps is None or not isinstance(access.object.size, Number):
        return None
    constant = offset.constant if isinstance(offset, Sum) else 0
    rounds = {name: (access.object.size.value + abs(constant)) // abs(step) + 1 for name, step in steps.items()}
    if prod(rounds.values()) > MOST_ROUNDS:
        return None
    permitted = {name: list(range(count)) for name, count in rounds.items()}
    of_several = []
    for term in (c.term for c in access.path):
        names = {str(s.parts[0]) for s in free_symbols(term)}
        if len(names) == 1 and (name := names.pop()) in permitted:
            permitted[name] = [turn for turn in permitted[name] if _may_hold(term, evaluator({name: turn}))]
        elif names <= rounds.keys():  # what rests on more than the rounds may hold in each of them
            of_several.append(term)
    found: dict[int, None] = {}
    for chosen in product(*permitted.values()):
        value = evaluator(dict(zip(permitted, chosen)))
        if all(_may_hold(term, value) for term in of_several):
            found[value(offset)] = None
    return list(found)


def _steps(offset: Term, loops: tuple[Symbol, ...]) -> dict[str, int] | None:
    """How far each round of a loop goes, all in one direction: no round behind the array comes back."""
    if isinstance(offset, Number):
        return {}
    monomials = offset.monomials if isinstance(offset, Sum) else (((offset,), 1),)
    steps = {m[0].name: step for m, step in monomials if len(m) == 1 and isinstance(m[0], Symbol) and m[0] in loops}
    one_way = len({step > 0 for step in steps.values()}) == 1
    return steps if one_way and len(steps) == len(monomials) else None


def _may_hold(term: Term, value: Callable[[Term], int]) -> bool:
    try:
        return bool(value(term))
    except Undefined:
        return True


def _may_be_chosen(term: Term, rounds: tuple[Symbol, ...]) -> bool:
    """A condition on inputs, the thread's place and the rounds of its loops: nothing that memory holds."""
    return not applications(term) and all(
        isinstance(a, Symbol) and (is_input(a) or a in rounds or a.name.startswith(THREADS)) for a in free_symbols(term)
    )


def _shown(read: Access, place: int, decider: Decider) -> UnsetElement | None:
    here = equal(read.offset, number(place))
    path = [conjunct.term for conjunct in read.path]
    facts, assumptions = decider.relevant(*path, here)
    question = [*facts, *path, here]
    atoms = sorted(frozenset().union(*map(free_symbols, question)), key=lambda t: t.digest)
    model = decider.ordinary_model(question, atoms)
    if model is None:
        return None
    try:
        witness = decider.witness(model, number(place // read.size), None)
    except Undefined:
        return None
    return UnsetElement(read.span, read.object, witness, tuple(assumptions))
