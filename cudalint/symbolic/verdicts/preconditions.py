"""The weakest relation between sizes under which open accesses are safe, where nothing relates them (DESIGN 3, origin 7).

    void run(float *y, const float *x, int n)       k: if (i < n) y[i] = x[i];      extent(y) >= n, extent(x) >= n
    void run(Tensor y, Tensor x)                    k(y, x, x.numel())              y.numel() >= x.numel()

Candidates are products of what the kernel is passed. Which of them is the weakest is asked with numbers for the inputs, which
is cheap: the smallest that covers the accesses there, and of which the last byte is used. It is assumed where it covers them for
all inputs. An index that goes past every such size (a grid that is rounded up, another pitch) has none, and stays open.

A tensor was taken to have the dimensions that the host code reads of it. Where accesses go past those, as far as such a product,
it has more of them: the relation is told of the number of its elements, in place of the guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement

from cudalint import ir
from cudalint.contract import Extent, Origin
from cudalint.finding import Assumption, Reason, Verdict
from cudalint.symbolic.host.text import shown
from cudalint.symbolic.model import APPROXIMATE_PREFIX, MEMORY_PREFIX, MemoryObject, Obligation
from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.solver.effort import Effort
from cudalint.symbolic.solver.query import Solver
from cudalint.symbolic.solver.question import Model, Query, Unsatisfiable
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.walk import integers
from cudalint.symbolic.walk.environment import Environment
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import (
    Number,
    Sum,
    Symbol,
    Term,
    add,
    at_most,
    conjunction,
    free_symbols,
    ideal,
    interval,
    labels,
    multiply,
    negate,
    negation,
    number,
    quotient,
    substitute,
    symbol,
)

EFFORT = 20  # per cent of what the verdicts about a kernel may take
MOST_FACTORS = 4
MOST_NAMES = 6
MOST_CONSTANTS = 4
MOST_OBLIGATIONS = 24  # about one pointer
MOST_PROOFS = 3
LARGEST_ARRAY = 1 << 20  # elements, where a number alone says how many
LONGEST = 80  # characters of a condition that somebody would write
PROOF_STEPS = 60_000
SIZE_STEPS = 20_000
PRIMES = (5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43)
SCALES = (1, 4, 32)  # of the primes: what a host function checks of its sizes is that they are such multiples
# the check of an inferred rank: so many elements as the sizes make that are read
GUESSED_RANK = re.compile(r"((?P<tensor>.+)\.numel\(\)) == (?P=tensor)\.size\(\d+\)(\*(?P=tensor)\.size\(\d+\))*")


@dataclass(frozen=True, slots=True)
class Precondition:
    """A relation between sizes that nothing checks, under which the accesses are safe.

    `check` is a condition in the host's words, or a `promise` of its callers in those of annotations. It is told `instead`
    of one that the launch was taken to keep.
    """

    obligations: tuple[Obligation, ...]
    assumption: Assumption
    check: str
    promise: bool
    instead: str | None


@dataclass(frozen=True, slots=True)
class _Candidate:
    """So many elements, in the words of the kernel; `open_end` is one more than a product."""

    text: str
    size: Term
    open_end: bool = False


@dataclass(frozen=True, slots=True)
class _Question:
    """Where a thread comes to the access, and from which byte to before which one it reaches."""

    path: Term
    offset: Term
    end: Term
    lowest: Term

    def outside(self, size: Term) -> Term:
        return negation(conjunction(at_most(self.lowest, self.offset), at_most(self.end, size)))


@dataclass(slots=True)
class _Search:
    """Of one pointer: what it is asked of, and the numbers at which sizes are compared."""

    decider: Decider
    questions: list[_Question]
    pins: dict[Term, Term] = field(default_factory=dict)

    def pin(self, spoken: frozenset[Term]) -> bool:
        """Numbers for the inputs with which each access is reached."""
        facts, _ = self.decider.relevant_to(spoken)
        atoms = spoken.union(*map(free_symbols, facts))
        inputs = sorted((a for a in atoms if is_input(a)), key=lambda a: a.digest)
        if len(inputs) > len(PRIMES):
            return False
        for scale in SCALES:
            self.pins = {atom: number(scale * prime) for atom, prime in zip(inputs, PRIMES)}
            if all(self._there(q, ()) for q in self.questions):
                return True
        return False

    def value(self, size: Term) -> int | None:
        found = substitute(size, self.pins)
        return found.value if isinstance(found, Number) else None

    def covers(self, question: _Question, size: int) -> bool:
        """No thread goes beyond so many bytes, with these numbers."""
        return not self._there(question, (question.outside(number(size)),))

    def _there(self, question: _Question, beyond: Sequence[Term]) -> bool:
        facts = [substitute(f, self.pins) for f in self.decider.relevant(question.path, question.offset, *beyond)[0]]
        asked = (substitute(term, self.pins) for term in (question.path, *beyond))
        return isinstance(self.decider.solver.check(Query("at sizes", (*facts, *asked), SIZE_STEPS)), Model)

    def proves(self, question: _Question, size: Term) -> bool:
        """The same for all inputs."""
        outside = question.outside(size)
        if self.decider.excluded("precondition", question.path, outside):
            return True
        return isinstance(self.decider.ask("precondition", question.path, outside, steps=PROOF_STEPS), Unsatisfiable)


def find_preconditions(
    walk: Walk, overflows: Sequence[tuple[Obligation, Obligation]], effort: Effort
) -> list[Precondition]:
    """For each pointer whose accesses are open because nothing tells its extent, or ties that to them; of a launch by host code."""
    environment = walk.environment
    if environment.contract.launch_site is None:
        return []
    wraps = {id(access): overflow for access, overflow in overflows}
    of_callers = {each.subject for each in environment.contract.missing if each.caller is not None}
    open_: dict[MemoryObject, list[Obligation]] = {}
    for obligation in walk.obligations:
        if obligation.object is not None and _is_open(obligation, of_callers):
            open_.setdefault(obligation.object, []).append(obligation)
    wrong = {o.object for o in walk.obligations if o.verdict is Verdict.VIOLATED and o.kind == "bounds"}
    small = Effort(effort.thorough, max(1, effort.percent * EFFORT // 100), effort.kernels)
    found: list[Precondition] = []
    for object_, obligations in open_.items():
        if object_ not in wrong and len(obligations) <= MOST_OBLIGATIONS:
            decider = Decider(environment, walk.axioms, Solver(small))
            found += _of_pointer(object_, obligations, walk, decider, wraps)
    return found


def _is_open(obligation: Obligation, of_callers: set[str]) -> bool:
    """Undecided for want of an extent that callers decide, or of one that is tied to the index."""
    found = obligation.object
    if obligation.verdict is not Verdict.UNKNOWN or obligation.kind != "bounds" or found is None:
        return False
    if found.memory != "global" or found.entry or obligation.offset is None:
        return False
    if obligation.reason is Reason.NO_EXTENT:
        return found.size is None and found.name in of_callers
    return obligation.reason is Reason.UNTIED_EXTENT and found.size is not None


def _of_pointer(
    object_: MemoryObject,
    obligations: list[Obligation],
    walk: Walk,
    decider: Decider,
    wraps: dict[int, Obligation],
) -> Iterator[Precondition]:
    """What memory holds decides nothing here: an access by it is covered as well, or stays open."""
    width = ir.size_of(object_.type)
    asked = {id(o): _question(o, wraps.get(id(o))) for o in obligations}
    firm = [o for o in obligations if not any(map(_is_from_elsewhere, labels(o.index)))]
    if not width or not firm:
        return
    search = _Search(decider, [asked[id(o)] for o in firm])
    candidates = list(_candidates(object_, firm, walk))
    spoken = frozenset().union(
        *(free_symbols(t) for q in search.questions for t in (q.path, q.offset)),
        *(free_symbols(c.size) for c in candidates),
    )
    if not search.pin(spoken):
        return
    guess = _guessed_rank(object_, walk.environment)
    for candidate in _weakest(candidates, search, width):
        size = multiply(candidate.size, number(width))
        if not all(search.proves(question, size) for question in search.questions):
            continue
        if object_.size is not None and guess is None and not _may_hold(size, object_.size, decider):
            continue
        sure = {id(o) for o in firm}
        held = [o for o in obligations if id(o) in sure or search.proves(asked[id(o)], size)]
        yield _precondition(object_, candidate, tuple(held), width, walk.environment, guess)
        return


def _guessed_rank(object_: MemoryObject, environment: Environment) -> re.Match[str] | None:
    """The check that the tensor has the dimensions whose sizes are read, where nothing else says how large it is."""
    facts = (f for f in environment.contract.facts if isinstance(f.what, Extent) and f.what.pointer == object_.name)
    checks = (check for fact in facts if fact.origin is Origin.INFERRED for check in fact.checks)
    return next((guess for check in checks if (guess := GUESSED_RANK.fullmatch(check))), None)


def _question(obligation: Obligation, wrap: Obligation | None) -> _Question:
    """As C computes it; as it is meant where it is shown that the index does not wrap."""
    found, offset = obligation.object, obligation.offset
    assert found is not None and offset is not None
    path = conjunction(*(c.term for c in obligation.path))
    if wrap is not None and wrap.verdict in (Verdict.SAFE, Verdict.UNREACHABLE):
        path, offset = ideal(path), ideal(offset)
    lowest = number(0) if found.before is None else negate(found.before)
    return _Question(path, offset, add(offset, number(obligation.unit)), lowest)


def _is_from_elsewhere(label: str) -> bool:
    return label.startswith((MEMORY_PREFIX, APPROXIMATE_PREFIX))


def _weakest(candidates: list[_Candidate], search: _Search, width: int) -> Iterator[_Candidate]:
    """Those that come to the smallest number that covers the accesses, where its last byte is used."""
    valued = [(value, place) for place, each in enumerate(candidates) if (value := search.value(each.size))]
    values = sorted({value for value, _ in valued})
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if all(search.covers(question, values[middle] * width) for question in search.questions):
            high = middle
        else:
            low = middle + 1
    if low == len(values):
        return
    least = values[low]
    if all(search.covers(question, least * width - 1) for question in search.questions):
        return
    fitting = [candidates[place] for value, place in valued if value == least]
    for candidate in fitting[:MOST_PROOFS]:
        inner = (least - 1) * width
        if not candidate.open_end or any(search.covers(question, inner) for question in search.questions):
            yield candidate


def _may_hold(needed: Term, size: Term, decider: Decider) -> bool:
    return not isinstance(decider.ask("kept", at_most(needed, size)), Unsatisfiable)


# --- candidates ------------------------------------------------------------------------------------------------------


def _candidates(object_: MemoryObject, obligations: list[Obligation], walk: Walk) -> Iterator[_Candidate]:
    """Products of parameters, sides of the launch and constants, simplest first."""
    environment = walk.environment
    spoken = frozenset().union(*(free_symbols(t) for o in obligations for t in (o.index, *(c.term for c in o.path))))
    factors = _factors(environment, walk, obligations, spoken)
    constants = _constants(environment, obligations)
    rows = isinstance(object_.type, ir.Int) and all(o.access == "read" for o in obligations)
    for size in _arrays(obligations, constants):
        yield _Candidate(str(size), number(size))
    for count in range(1, MOST_FACTORS + 1):
        for names in combinations_with_replacement(factors, count):
            product = number(1)
            for name in names:
                product = multiply(product, factors[name])
            text = " * ".join(names)
            yield _Candidate(text, product)
            for constant in constants:
                yield _Candidate(f"{constant} * {text}", multiply(number(constant), product))
            if count == 1 and rows:  # where rows begin, and the last of them ends
                yield _Candidate(f"{text} + 1", add(product, number(1)), True)


def _factors(
    environment: Environment, walk: Walk, obligations: list[Obligation], spoken: frozenset[Term]
) -> dict[str, Term]:
    """What the kernel is passed and its indices or guards speak of; a side of the grid that no parameter tells."""
    found: dict[str, Term] = {}
    for name, value in _passed(environment, walk):
        if free_symbols(value) & spoken and value not in found.values() and len(found) < MOST_NAMES:
            found[name] = value
    indices = frozenset().union(*(free_symbols(o.index) for o in obligations))
    named = {str(a.parts[0]) for a in indices if isinstance(a, Symbol)}
    for axis in "xyz":
        grid, block = (environment.builtin(f"{side}.{axis}") for side in ("gridDim", "blockDim"))
        if f"blockIdx.{axis}" in named:
            side, value = f"gridDim.{axis}", grid
        elif f"threadIdx.{axis}" in named:
            side, value = f"blockDim.{axis}", block
        else:
            continue
        if not isinstance(value, Number) and value not in found.values():
            found[side] = value
    return found


def _passed(environment: Environment, walk: Walk) -> Iterator[tuple[str, Term]]:
    """Integer parameters, and the members of structs, with their values; a constant is no help in a relation."""
    for param in environment.kernel.params:
        if isinstance(param.var.type, ir.Int):
            value = environment.argument(param, walk.evaluator)
            if isinstance(value, Term) and not isinstance(value, Number):
                yield param.var.name, integers.as_integer(value)


def _constants(environment: Environment, obligations: list[Obligation]) -> list[int]:
    """Sides of the launch that are numbers, and what the indices are multiplied with."""
    found: dict[int, None] = {}
    for obligation in obligations:
        for atoms, coefficient in obligation.index.monomials if isinstance(obligation.index, Sum) else ():
            names = {str(a.parts[0]) for a in atoms if isinstance(a, Symbol)}
            if not any(name.startswith("blockIdx.") for name in names) and coefficient > 1:
                found[coefficient] = None
    for axis in "xyz":
        side = environment.builtin(f"gridDim.{axis}")
        if isinstance(side, Number) and side.value > 1:
            found[side.value] = None
    return list(found)[:MOST_CONSTANTS]


def _arrays(obligations: list[Obligation], constants: list[int]) -> list[int]:
    """Sizes that are numbers: what the indices reach whatever the inputs are."""
    highest = [interval(o.index)[1] for o in obligations]
    reached = [h + 1 for h in highest if h is not None and 0 <= h < LARGEST_ARRAY]
    return sorted({*constants, *reached})


# --- words -----------------------------------------------------------------------------------------------------------


def _precondition(
    object_: MemoryObject,
    candidate: _Candidate,
    obligations: tuple[Obligation, ...],
    width: int,
    environment: Environment,
    guess: re.Match[str] | None,
) -> Precondition:
    """In the host's words where a function can check it, else as a promise of its callers."""
    site = environment.contract.launch_site
    assert site is not None
    check = None
    if object_.size is not None:
        held = quotient(object_.size, number(width)) if guess is None else symbol(guess[1])
        check = _check(held, candidate.size)
    text = check or f"extent({object_.name}) >= {candidate.text}"
    assumption = Assumption(text, Origin.INFERRED.value, site.path, site.line)
    promise = f"extent({object_.name}) = {candidate.text}"
    return Precondition(obligations, assumption, check or promise, check is None, guess and guess[0])


def _check(held: Term, needed: Term) -> str | None:
    """None where the host function has no words for it."""
    names = [a.name for t in (held, needed) for a in free_symbols(t) if isinstance(a, Symbol)]
    text = f"{shown(held)} >= {shown(needed)}"
    lost = any(APPROXIMATE_PREFIX in name or "@" in name or "#" in name for name in names)
    return None if lost or "..." in text or "'" in text or len(text) > LONGEST else text
