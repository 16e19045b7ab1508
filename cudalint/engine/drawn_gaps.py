"""Results that a launch writes only in part, as runs of drawn launches show.

    auto y = torch::empty_like(x);  k<<<n / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());  return y;

The host function makes the memory without values, gives it to this launch alone, and hands out all of it, so that nobody writes
what the launch leaves. Which elements are written must hang on the launch alone: of memory that is filled by what other memory
holds nothing is said, nor where sizes that nothing relates decide, nor of what was rounded up or added to a size as room. Vectors
are taken to fill the memory, unless the kernel asks whether the last element of each is there, and leaves the rest to nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from cudalint import ir
from cudalint.confirm.emulate.run import Outcome, PointerTo, run
from cudalint.confirm.plan import CannotPlan, Expectation, make_plan
from cudalint.contract import Contract, Extent, Geometry, Origin, terms_of
from cudalint.engine.draws import MOST_LIMITED, SIZES, WHOLE_SIZES, Draw, draws, is_loose, names_in
from cudalint.engine.shrunk import smallest
from cudalint.finding import Confidence, LaunchShape, Verdict
from cudalint.project.discovery import PYTHON_ENDINGS
from cudalint.symbolic.host.whole_results import is_whole_result
from cudalint.symbolic.indexing.fresh_memory import element_of
from cudalint.symbolic.issues import Analysis, Unwritten
from cudalint.symbolic.model import MEMORY_PREFIX, MemoryObject, Obligation, Path
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.walk.environment import Environment
from cudalint.term import AtMostZero, Number, Quotient, Sum, Term, free_symbols, labels, scale, subtract

LAUNCHES = 3
UNROLLED = (4, 8)
FEW_RUNS = 8  # in search of a smaller launch
MOST_THREADS = 1 << 13
MOST_TOLD_THREADS = 1 << 18  # of a launch that the host code tells in numbers: there is no smaller one
STEP_LIMIT = 6_000
WORK_LIMIT = 1 << 23  # steps of single lanes
MEMORY_LIMIT = 1 << 27
_ENDED = ("loop", "check")  # causes of what is known behind a loop
_CHANGES = ("write", "atomic")
_OF_THREAD = ("threadIdx.", "blockIdx.")
_HARMLESS = ("race", "overflow", "uninitialised", "exit_before_barrier")


def find_unwritten(
    analysis: Analysis, unit: ir.Unit, kernel: ir.Function, contract: Contract, seed: int
) -> Iterator[Unwritten]:
    """One for each result of which the launch leaves elements."""
    if contract.launch_site is None or contract.uncalled or contract.dead or analysis.contradictory:
        return
    if contract.first or is_loose(contract):
        return  # other rounds may write the rest, or some fact speaks of a value that the host code did not tell
    site, told = contract.launch_site, {lost.object.name for lost in analysis.lost}
    launcher = site.host_function if site.path.endswith(PYTHON_ENDINGS) else ""
    decider: Decider | None = None
    for extent in _results(kernel, contract):
        writes = [o for o in analysis.obligations if _is_write(o, extent.pointer)]
        if (
            extent.pointer in told
            or not writes
            or any(map(_is_open, writes))
            or _may_disagree(contract, extent, writes)
        ):
            continue
        decider = decider or Decider(Environment(unit, kernel, contract), [])
        if all(_is_tied(each, decider) for each in writes) and is_whole_result(unit, str(extent.buffer), launcher):
            gap = _Trial(unit, kernel, contract, seed, extent, writes).gap()
            if gap is not None:
                yield gap


def _results(kernel: ir.Function, contract: Contract) -> Iterator[Extent]:
    """Parameters that point to the beginning of memory of their own, with no room behind what is needed."""
    sized = [fact for fact in contract.facts if isinstance(fact.what, Extent)]
    extents = [fact.what for fact in sized if isinstance(fact.what, Extent)]
    guessed = [fact.what for fact in sized if fact.origin is Origin.INFERRED]  # by the width that the kernel reads
    buffers = [extent.buffer for extent in extents]
    parameters = {param.var.name for param in kernel.params}
    for extent in extents:
        is_own = extent.buffer is not None and buffers.count(extent.buffer) == 1 and extent.offset is None
        if extent not in guessed and is_own and extent.pointer in parameters and not (extent.given or extent.described):
            yield extent


def _is_write(obligation: Obligation, pointer: str) -> bool:
    found = obligation.object
    is_change = obligation.kind == "bounds" and obligation.access in _CHANGES
    return is_change and found is not None and found.memory == "global" and found.name == pointer


def _is_open(write: Obligation) -> bool:
    """What memory holds, or what is not understood, decides whether or where it writes; or it is known to be wrong itself."""
    if write.verdict is Verdict.VIOLATED and write.confidence is Confidence.HIGH:
        return True
    terms = (write.index, *(conjunct.term for conjunct in write.path))
    return any(each.startswith((MEMORY_PREFIX, "~")) for term in terms for each in labels(term))


def _may_disagree(contract: Contract, extent: Extent, writes: list[Obligation]) -> bool:
    """A tensor's number of elements decides, a side of it is spoken of, and nothing says that the one is made of the other."""
    shapes = (fact.what for fact in contract.facts if isinstance(fact.what, Geometry))
    terms = [extent.size, *(term for shape in shapes for term in terms_of(shape))]
    terms += [term for write in writes for term in (write.index, *(c.term for c in write.path))]
    names = {name for term in terms for name in labels(term)}
    counted = {name.removesuffix(".numel()") for name in names if name.endswith(".numel()")}
    spoken = names | set(names_in(contract))
    return any(name.partition(".size(")[0] in counted for name in spoken if ".size(" in name)


def _is_tied(write: Obligation, decider: Decider) -> bool:
    relation = decider.relation(replace(write, path=_deciding(write)))
    return not relation.loose and not relation.left_to_callers


def _deciding(write: Obligation) -> Path:
    """What decides whether and where it writes: not that a loop in front of it, over something else, has ended."""
    others = [c.term for c in write.path if c.cause not in _ENDED]
    spoken = frozenset().union(*map(free_symbols, (write.index, *others)))
    return tuple(c for c in write.path if c.cause not in _ENDED or not free_symbols(c.term).isdisjoint(spoken))


def _asks_for_its_end(write: Obligation, element: int) -> bool:
    """`if (i + 3 < n)` for four elements at i: who only ever has whole vectors asks for the first."""
    lanes = write.unit // element
    for conjunct in write.path:
        asked = conjunct.term.parts[0] if isinstance(conjunct.term, AtMostZero) else None
        beyond = None if asked is None else subtract(asked, scale(write.index, lanes))
        if isinstance(beyond, Sum) and not any(name.startswith(_OF_THREAD) for name in labels(beyond)):
            if beyond.constant == lanes:
                return True
    return False


def _has_room(size: Term, element: int) -> bool:
    """It was rounded up: `(n + 127) / 128 * 128`."""
    if not isinstance(size, Sum):
        return False
    for atoms, factor in size.monomials:
        for quotient in (atom for atom in atoms if isinstance(atom, Quotient)):
            divisor = quotient.parts[1]
            if isinstance(divisor, Number):
                multiplied = factor // element % divisor.value == 0
            else:
                multiplied = any(
                    atom is not quotient and not free_symbols(divisor).isdisjoint({atom}) for atom in atoms
                )
            if multiplied:
                return True
    return False


def _spare(size: Term, element: int) -> int:
    """Elements that are there beside those of the sizes: `n + 1`."""
    return max(0, size.constant // element) if isinstance(size, Sum) else 0


@dataclass(frozen=True, slots=True)
class _Seen:
    """Of `count` elements, `missing` are not written, the first of which is `first`."""

    outcome: Outcome
    count: int
    missing: int
    first: int


@dataclass(frozen=True, slots=True)
class _Trial:
    unit: ir.Unit
    kernel: ir.Function
    contract: Contract
    seed: int
    extent: Extent
    writes: list[Obligation]

    def gap(self) -> Unwritten | None:
        """The smallest launch that shows it; none where the element has no size or the memory has room."""
        if self._object.size is None or not self._element or _has_room(self._object.size, self._element):
            return None
        limited = 0
        for draw in self._draws():
            outcome = self._run(draw, self.seed)
            seen = self._gap_in(outcome)
            if seen is not None and self._gap_in(self._run(draw, self.seed + 1)) is not None:
                return self._found(self._least(draw, seen))
            limited += outcome is not None and outcome.status == "step_limit"
            if limited == MOST_LIMITED:
                break
        return None

    @property
    def _object(self) -> MemoryObject:
        found = self.writes[0].object
        assert found is not None
        return found

    @property
    def _element(self) -> int:
        return element_of(self._object)

    def _draws(self) -> Iterator[Draw]:
        """Whole sizes first; a vector leaves what is no multiple of it, and callers keep such sizes unless its end is asked for."""
        yield from draws(self.kernel, self.contract, self.seed, 1, {}, self._most_threads, WHOLE_SIZES)
        if any(write.unit > self._element and not _asks_for_its_end(write, self._element) for write in self.writes):
            return
        yield from draws(self.kernel, self.contract, self.seed, LAUNCHES, {}, self._most_threads, SIZES)
        if self._told is not None:
            beyond = (self._told + 1, 2 * self._told + 1)  # more elements than threads
            rounds = [(steps * self._told + 1,) for steps in UNROLLED]  # for loops that take several steps at once
            for sizes in (beyond, (*beyond, 1, 2), *rounds):
                yield from draws(self.kernel, self.contract, self.seed, 1, {}, self._most_threads, sizes)

    @property
    def _told(self) -> int | None:
        """How many threads there are, where the host code tells it in numbers."""
        shapes = [fact.what for fact in self.contract.facts if isinstance(fact.what, Geometry)]
        sides = [side for shape in shapes for side in (*shape.grid, *shape.block)]
        numbers = [side.value for side in sides if isinstance(side, Number)]
        return prod(numbers) if sides and len(numbers) == len(sides) else None

    @property
    def _most_threads(self) -> int:
        return MOST_THREADS if self._told is None else MOST_TOLD_THREADS

    def _gap_in(self, outcome: Outcome | None) -> _Seen | None:
        """What the launch leaves, if it does its work otherwise."""
        if outcome is None or outcome.status != "finished" or any(e.kind not in _HARMLESS for e in outcome.events):
            return None
        marks = next(iter(outcome.written.values()))
        count = len(marks) // self._element
        left = np.flatnonzero(marks[: count * self._element].reshape(count, self._element).min(axis=1) == 0)
        assert self._object.size is not None
        if not marks.any() or not len(left) or left[0] >= count - _spare(self._object.size, self._element):
            return None
        return _Seen(outcome, count, len(left), int(left[0]))

    def _run(self, draw: Draw, seed: int) -> Outcome | None:
        try:
            plan = make_plan(self.kernel, self.contract, draw.shape, draw.values, Expectation((), ()), seed)
        except CannotPlan:
            return None
        names = [param.var.name for param in self.kernel.params]
        argument = plan.launch.args[names.index(self.extent.pointer)]
        if not isinstance(argument, PointerTo) or argument.buffer is None or argument.offset:
            return None
        buffers = (replace(b, initialised=False) if b.name == argument.buffer else b for b in plan.buffers)
        return run(
            self.unit, plan.kernel, plan.launch, (*buffers, *plan.constants), seed=seed, step_limit=STEP_LIMIT,
            lane_limit=self._most_threads, memory_limit=MEMORY_LIMIT, detect_races=False, work_limit=WORK_LIMIT,
        )  # fmt: skip

    def _least(self, draw: Draw, seen: _Seen) -> tuple[Draw, _Seen]:
        best = [(draw, seen)]

        def shows(candidate: Draw) -> tuple[bool, int]:
            again = self._gap_in(self._run(candidate, self.seed))
            if again is None:
                return False, seen.outcome.steps
            best.append((candidate, again))
            return True, again.outcome.steps

        smallest(draw, self.contract, shows, seen.outcome.steps, runs=FEW_RUNS)
        return best[-1]

    def _found(self, least: tuple[Draw, _Seen]) -> Unwritten:
        draw, seen = least
        span = min((write.span for write in self.writes), key=lambda s: (s.path, s.line, s.column))
        facts = (f for f in self.contract.facts if f.what is self.extent or isinstance(f.what, Geometry))
        shape = LaunchShape(draw.shape.grid, draw.shape.block, draw.shape.shared)
        return Unwritten(
            span, self._object, seen.first, seen.missing, seen.count, shape, tuple(sorted(draw.values.items())),
            tuple(fact.assumption() for fact in facts),
        )  # fmt: skip
