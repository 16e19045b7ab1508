"""What of a device function that nobody calls goes wrong whatever its callers pass, and what is theirs to choose.

    int held[8];
    held[k] = x;                               the caller's choice: it may pass no k beyond 7
    if (k <= 8) held[k] = x;                   the function lets an 8 pass itself
    for (int i = 0; i <= 8; i++) held[i] = x;  nobody passes anything

Callers choose the arguments, which memory a pointer leads to and whether other threads lead there, and which threads call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cudalint.finding import Confidence, Reason, Verdict
from cudalint.symbolic.model import MEMORY_PREFIX, Obligation, base_name
from cudalint.symbolic.ordinary import is_passed
from cudalint.symbolic.solver.question import PROOF_STEPS, Query
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.walk.arguments import CALLER, NULL_PREFIX
from cudalint.symbolic.walk.environment import Environment
from cudalint.symbolic.walk.parameters import BUILTIN_RANGES
from cudalint.term import (
    Flag,
    Number,
    Remainder,
    Symbol,
    Term,
    Undefined,
    Wrapped,
    add,
    at_most,
    conjunction,
    free_symbols,
    labels,
    less,
    negation,
    number,
    rewrite,
    symbol,
)

FARTHEST = 1 << 20  # elements beyond an array: who stays below that has a limit of the function's own
PLACES = frozenset(name for name, (_, _, scope) in BUILTIN_RANGES.items() if scope != "launch")
NARROW = (8, 16)  # bits of types whose largest value is nobody's limit
FREE = " of any caller#"  # ends the name of what has no limit but those of the function


def rests_on_caller(environment: Environment, *terms: Term) -> bool:
    """A value that the terms speak of is an argument, or is read from memory that a caller passes."""
    return any(map(_is_of_caller, frozenset().union(*map(free_symbols, terms)))) or any(
        label.startswith(MEMORY_PREFIX)
        and environment.is_memory_of_caller(base_name(label.removeprefix(MEMORY_PREFIX)))
        for term in terms
        for label in labels(term)
    )


def _is_of_caller(atom: Term) -> bool:
    return atom is CALLER or is_passed(atom) or (isinstance(atom, Flag) and str(atom.parts[0]).startswith(NULL_PREFIX))


def is_left_to_callers(obligation: Obligation, decider: Decider) -> bool:
    """Decide what needs no search for a witness, since none would be a finding: it is the caller's where it is not proved."""
    environment, found = decider.environment, obligation.object
    if obligation.extent is None and found is not None and obligation.kind != "overflow":
        if environment.is_of_caller(found):
            obligation.verdict, obligation.reason = Verdict.UNKNOWN, Reason.NO_EXTENT
        return environment.is_of_caller(found)
    if not rests_on_caller(environment, *_beside(obligation)):
        return False
    path, violation = conjunction(*(c.term for c in obligation.path)), negation(obligation.holds)
    if decider.excluded("violated", path, violation):
        return False
    if obligation.kind != "overflow" and any(_limited_sides(obligation, path, decider)):
        return False
    leave(obligation)
    return True


def leave_bounds_to_callers(obligations: Iterable[Obligation], decider: Decider, all_come: bool) -> None:
    """Of what is violated only that stays which goes wrong whatever callers pass, or by a limit of the function's own.

    An argument that the function itself compares with the end of its array is tied to it. `all_come`: a barrier says that all
    threads of the block call the function; else callers choose which do.
    """
    for obligation in obligations:
        if obligation.verdict is Verdict.VIOLATED and not _is_of_function(obligation, decider, all_come):
            leave(obligation)
        elif obligation.reason is Reason.UNTIED_EXTENT and _is_of_own_array(obligation):
            if _has_own_limit(obligation, decider):
                obligation.verdict, obligation.reason = Verdict.VIOLATED, None
                obligation.confidence = Confidence.HIGH


def leave(obligation: Obligation) -> None:
    """The verdict is the caller's."""
    obligation.verdict, obligation.reason, obligation.confidence = Verdict.UNKNOWN, Reason.CALLER, None
    obligation.witness, obligation.approximate = None, False


def _is_of_function(obligation: Obligation, decider: Decider, all_come: bool) -> bool:
    environment, found = decider.environment, obligation.object
    if found is not None and obligation.extent is None:
        return False
    beside = _beside(obligation)
    chosen = frozenset[str]().union(*map(labels, beside)) if not all_come else frozenset[str]()
    if not rests_on_caller(environment, *beside) and not any(label in PLACES for label in chosen):
        return True
    return obligation.kind != "overflow" and _has_own_limit(obligation, decider)


def _is_of_own_array(obligation: Obligation) -> bool:
    found = obligation.object
    return found is not None and found.memory in ("local", "shared") and isinstance(obligation.extent, Number)


def _beside(obligation: Obligation) -> list[Term]:
    """The index, and those of the conditions on the way that have to do with it."""
    found, atoms = [obligation.index], set(free_symbols(obligation.index))
    waiting = [conjunct.term for conjunct in obligation.path]
    while near := [term for term in waiting if not atoms.isdisjoint(free_symbols(term))]:
        found += near
        atoms.update(*map(free_symbols, near))
        waiting = [term for term in waiting if term not in near]
    return found


def _has_own_limit(obligation: Obligation, decider: Decider) -> bool:
    """What the function lets pass is near the end of the array, or its start, and some of it is beyond.

    The witness is one of that side.
    """
    if obligation.extent is None or decider.rests_on_contents(obligation.index):
        return False
    path = conjunction(*(c.term for c in obligation.path))
    for side in _limited_sides(obligation, path, decider):
        violation = conjunction(negation(obligation.holds), side)
        model = decider._ordinary(obligation, path, violation)
        if model is None:
            continue
        try:
            obligation.witness = decider._witness_of(obligation, model)
        except Undefined:
            continue
        return True
    return False


def _limited_sides(obligation: Obligation, path: Term, decider: Decider) -> Iterator[Term]:
    """That the index is beyond the end, or before the start, where no argument leads far beyond it.

    However large the argument is, whatever its type, and however many threads there are.
    """
    index, extent = obligation.index, obligation.extent
    if extent is None:
        return
    facts, _ = decider.relevant(path, obligation.holds)
    told = [fact for fact in facts if any(map(is_passed, free_symbols(fact)))]
    known = tuple(rewrite(term, _free) for term in (*told, path))
    place, end = rewrite(index, _free), rewrite(extent, _free)
    for side, far in (
        (at_most(extent, index), at_most(add(end, number(FARTHEST)), place)),
        (less(index, number(0)), at_most(place, number(-FARTHEST))),
    ):
        if decider.solver.refutes(Query("beyond any limit", (*known, far), PROOF_STEPS)):
            yield side


def _free(part: Term) -> Term | None:
    """An argument, a place in the launch, or one of those in a narrow type, without the limits that types and launches have."""
    if isinstance(part, Symbol) and (is_passed(part) or part.name in BUILTIN_RANGES):
        return symbol(f"{part.name}{FREE}", scope="thread")
    narrow = isinstance(part, Wrapped) and part.parts[1] in NARROW
    narrow |= isinstance(part, Remainder) and part.parts[1] in [number(1 << bits) for bits in NARROW]
    return symbol(f"{part.digest.hex()}{FREE}", scope="thread") if narrow else None
