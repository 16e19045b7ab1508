"""Accesses that the solver left open are tried in runs of drawn launches: one that leaves its object there is violated.

A run proves nothing of an access that stays inside, so the others remain unknown. Only what the contract decides counts: an index
or a path that depends on what memory holds is left alone, as is one whose inputs nothing ties to the extent. Where memory holds
nothing but numbers of floating point, arrays of the thread or the block are tried with any of them, and are in doubt: somebody may
promise that they are sorted, or add up to one. An index that is
computed in floating point from the place and the sizes is a free value to the solver and an exact one to a run. Where the solver
has no witness but one with empty memory, launches close to that are tried.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.analysis.memory.free_data import has_free_data, spans_of_searches
from cudalint.contract import Binding, Contract, Geometry
from cudalint.engine.draws import Draw, Launches, draws, is_loose, threads
from cudalint.finding import Confidence, Reason, Verdict, Witness
from cudalint.source import Span
from cudalint.symbolic.issues import Analysis
from cudalint.symbolic.model import COMPUTED_PREFIX, MEMORY_PREFIX, Obligation
from cudalint.term import Number, Quotient, Sum, Symbol, Term, Wrapped, free_symbols, labels, subterms

if TYPE_CHECKING:
    from cudalint.confirm.emulate.events import Event
    from cudalint.confirm.emulate.run import Outcome

LAUNCHES = 3
MORE_LAUNCHES = 12  # where a witness says that some launch goes wrong, and of kernels that take little time
LITTLE_WORK = 1 << 22  # steps of single lanes of all launches together
NEIGHBOURS = 48  # of a witness that nobody has
STEPS = (-1, 0, 0, 0, 1, 2)
MOST_THREADS = 1 << 13
MOST_TOLD_THREADS = 1 << 16  # of a launch that the host code tells in numbers: there is no smaller one
STEP_LIMIT = 6_000
WORK_LIMIT = 1 << 22  # steps of single lanes
MEMORY_LIMIT = 1 << 27
OPEN = (Reason.SOLVER_LIMIT, Reason.OVERFLOW, Reason.UNTIED_EXTENT)
_PLACES = ("bounds", "dimension")
VECTOR = 16  # bytes
FAR = 64  # elements beyond one and a half times an extent of an inferred rank: there may be a further dimension


def try_open(
    analysis: Analysis, unit: ir.Unit, kernel: ir.Function, contract: Contract, seed: int,
    doubted: Sequence[Obligation] = (),
) -> None:  # fmt: skip
    """Mark as violated what a drawn launch shows; the witness is that launch. With `doubted` ones they alone are tried."""
    is_decided = is_decided_by_launch if doubted else is_open
    open_ = list(_open(doubted or analysis.obligations, is_decided, unit, kernel))
    if not open_ or contract.launch_site is None or analysis.contradictory or is_loose(contract):
        return
    from cudalint.symbolic.verdicts.decide import Decider
    from cudalint.symbolic.walk.environment import Environment

    decider = Decider(Environment(unit, kernel, contract), [])
    known = _passed(contract)
    shared = _of_several_objects(analysis.obligations)
    promised = frozenset(id(o) for o in open_ if not is_decided(o))
    groups: dict[tuple[frozenset[str], tuple[str, ...]], list[tuple[Obligation, bool]]] = {}
    for obligation in open_:
        relation = decider.relation(obligation)
        tied = _inputs(obligation)
        told = tied <= known
        if relation.left_to_callers or (obligation.reason is Reason.UNTIED_EXTENT and not told):
            continue
        if decider.members_apart(obligation):
            continue
        if relation.inferred and decider.outgrows(obligation):
            continue  # the first index beyond is near in a small launch, too
        loose = relation.loose - _rescaled(obligation, tied)
        if id(obligation) in promised:
            loose &= _names_in(obligation.index)  # how many numbers there are is no matter of the array
        key = loose, tuple(sorted(tied)) if told else ()
        groups.setdefault(key, []).append((obligation, relation.inferred))
    for (loose, tied_names), obligations in groups.items():
        launches = MORE_LAUNCHES if doubted else LAUNCHES
        trial = _Trial(unit, kernel, contract, seed, shared, launches, promised)
        trial.run(sorted(loose), tied_names, obligations)


def _open(
    obligations: Iterable[Obligation], is_decided: Callable[[Obligation], bool], unit: ir.Unit, kernel: ir.Function
) -> Iterator[Obligation]:
    """What a run may decide, and what hangs on memory that holds nothing but numbers of floating point, which may be any."""
    free: bool | None = None
    searches: frozenset[Span] = frozenset()
    for obligation in obligations:
        if is_decided(obligation):
            yield obligation
        elif _is_left(obligation) and obligation.kind in _PLACES and _is_own_array(obligation):
            if free is None:
                free = has_free_data(unit, kernel)
                searches = spans_of_searches(unit, kernel) if free else searches
            if free and obligation.span not in searches:
                yield obligation


def _is_own_array(obligation: Obligation) -> bool:
    """Of the thread or the block, and of a size that the text says."""
    found = obligation.object
    return found is not None and found.memory in ("local", "shared") and isinstance(found.size, Number)


def _of_several_objects(obligations: Sequence[Obligation]) -> frozenset[Span]:
    """Where a function that is called for several pointers accesses each of them: `load(x + i)` and `load(y + j)`."""
    objects: dict[Span, set[str]] = {}
    for obligation in obligations:
        if obligation.object is not None:
            objects.setdefault(obligation.span, set()).add(obligation.object.name)
    return frozenset(span for span, names in objects.items() if len(names) > 1)


def _inputs(obligation: Obligation) -> frozenset[str]:
    size = obligation.object.size if obligation.object is not None else None
    return _names_in(size) if size is not None else frozenset()


def _names_in(term: Term) -> frozenset[str]:
    return frozenset(str(a.parts[0]) for a in free_symbols(term))


def _rescaled(obligation: Obligation, tied: frozenset[str]) -> frozenset[str]:
    """Sizes that a place is scaled down by, `x * width / new_width`: they are meant to be others than those of the memory."""
    found: set[str] = set()
    for part in subterms([obligation.index]):
        if not isinstance(part, Quotient):
            continue
        dividend, divisor = part.parts[0], part.parts[1]
        scaled = (names for names in _factors(dividend) if not names.isdisjoint(tied) and len(names) > 1)
        if isinstance(divisor, Symbol) and any(True for _ in scaled):
            found.add(str(divisor.parts[0]))
    return frozenset(found - tied)


def _factors(dividend: Term) -> list[set[str]]:
    """The names in each of its products."""
    if not isinstance(dividend, Sum):
        return []
    return [
        {str(atom.parts[0]) for factor in atoms for atom in free_symbols(factor)} for atoms, _ in dividend.monomials
    ]


def _passed(contract: Contract) -> frozenset[str]:
    """The inputs that are arguments of the kernel themselves, so that it can compare with them."""
    values = [f.what.value for f in contract.facts if isinstance(f.what, Binding)]
    plain = [v.parts[0] if isinstance(v, Wrapped) else v for v in values]
    return frozenset(str(v.parts[0]) for v in plain if isinstance(v, Symbol))


def is_open(obligation: Obligation) -> bool:
    """Whether a run may decide it: nothing but the solver left it open, and nothing of it rests on what memory holds."""
    if not _is_left(obligation) or obligation.kind not in _PLACES:
        return False
    if obligation.object is not None and obligation.object.described:
        return False  # its size is a number of its own, which a draw takes as small as may be
    if obligation.unit >= VECTOR:
        return False  # a whole vector leaves what is no multiple of it: callers keep such sizes, and draws do not
    terms = (obligation.index, obligation.holds, *(c.term for c in obligation.path))
    unknown = [each for term in terms for each in labels(term) if each.startswith((MEMORY_PREFIX, "~"))]
    if not all(each.startswith(COMPUTED_PREFIX) for each in unknown):
        return False
    if obligation.verdict is Verdict.VIOLATED:
        return bool(unknown) or obligation.extraordinary
    return obligation.reason in OPEN


def is_decided_by_launch(obligation: Obligation) -> bool:
    """Of what lies on the way, facts of values that the walk has lost aside, nothing rests on what memory holds."""
    if obligation.kind != "bounds" or obligation.unit >= VECTOR:
        return False
    if obligation.object is not None and obligation.object.described:
        return False
    guards = (c.term for c in obligation.path if c.cause != "check")
    unknown = (each for term in (obligation.index, obligation.holds, *guards) for each in labels(term))
    return not any(each.startswith((MEMORY_PREFIX, "~")) for each in unknown)


def _is_left(obligation: Obligation) -> bool:
    """Undecided, or violated by a value that the solver took as it liked, or by sizes that nobody has."""
    guessed = obligation.confidence is Confidence.LOW or obligation.extraordinary
    return obligation.verdict is Verdict.UNKNOWN or (obligation.verdict is Verdict.VIOLATED and guessed)


def _equal_to(name: str, tied: tuple[str, ...], turn: int) -> str:
    """One of the sizes, in turns; for a dimension of a tensor that dimension where there is one."""
    dimension = name.rpartition(".size(")[1:]
    alike = tuple(size for size in tied if all(dimension) and size.rpartition(".size(")[1:] == dimension)
    among = alike or tied
    return among[turn % len(among)]


def _has_empty_side(draw: Draw, obligation: Obligation) -> bool:
    return any(draw.values.get(name, 1) == 0 for name in _inputs(obligation))


@dataclass(frozen=True, slots=True)
class _Trial:
    unit: ir.Unit
    kernel: ir.Function
    contract: Contract
    seed: int
    shared: frozenset[Span]
    launches: int = LAUNCHES
    promised: frozenset[int] = frozenset()  # the identities of those that hang on what memory holds

    @property
    def most_threads(self) -> int:
        shapes = [fact.what for fact in self.contract.facts if isinstance(fact.what, Geometry)]
        sides = [side for shape in shapes for side in (*shape.grid, *shape.block) if side is not None]
        told = bool(sides) and all(isinstance(side, Number) for side in sides)
        return MOST_TOLD_THREADS if told else MOST_THREADS

    def run(self, loose: list[str], tied: tuple[str, ...], obligations: list[tuple[Obligation, bool]]) -> None:
        """What still goes wrong where inputs of the index agree with those of the extent is no matter of their relation.

        Where the kernel knows the sizes that make up the extent, the others equal some of them, else they are 1. What the
        solver calls untied goes wrong with each of the sizes: one that does not is the one that callers pass.
        """
        turns = [
            {name: _equal_to(name, tied, place + number) if tied else 1 for place, name in enumerate(loose)}
            for number in range(self.launches)
        ]
        for obligation, inferred in obligations:
            for near in self._beside(obligation) if obligation.extraordinary else ():
                if _is_left(obligation):
                    self._launch(near, [(obligation, inferred)], {})
        tried: list[tuple[Draw, Mapping[str, int | str]]] = []
        for number, fixed in enumerate(turns):
            draw = next(draws(self.kernel, self.contract, self.seed + number, 1, fixed, self.most_threads), None)
            if draw is not None:
                tried.append((draw, fixed))
        untied = [pair for pair in obligations if pair[0].reason is Reason.UNTIED_EXTENT]
        others = [pair for pair in obligations if pair[0].reason is not Reason.UNTIED_EXTENT]
        if len({tuple(fixed.values()) for _, fixed in tried}) > 1:
            untied = [pair for pair in untied if all(self._goes_wrong(draw, *pair) for draw, _ in tried)]
        work = 0
        for draw, given in tried:
            if any(_is_left(o) for o, _ in (*others, *untied)):
                work += self._launch(draw, [*others, *untied], given)
        if not tried or self.launches >= MORE_LAUNCHES:
            return
        seed, given = self.seed + self.launches, turns[0]
        count = MORE_LAUNCHES - self.launches
        for draw in draws(self.kernel, self.contract, seed, count, given, self.most_threads):
            if work > LITTLE_WORK or not any(_is_left(o) for o, _ in others):
                return
            work += self._launch(draw, others, given)

    def _beside(self, obligation: Obligation) -> Iterator[Draw]:
        """Launches like that of a witness which has empty memory: with one element in its place, and of numbers close by."""
        launches = Launches(self.contract)
        names = [str(symbol.parts[0]) for symbol in launches.symbols]
        sizes, source = _inputs(obligation), random.Random(self.seed)
        found = {name: max(obligation.model.get(name, 1), int(name in sizes)) for name in names}
        for number in range(NEIGHBOURS):
            chosen = {name: value + source.choice(STEPS) for name, value in found.items()} if number else found
            draw = launches.of(chosen)
            if draw is None or threads(draw.shape) > self.most_threads or _has_empty_side(draw, obligation):
                continue
            yield draw

    def _goes_wrong(self, draw: Draw, obligation: Obligation, inferred: bool) -> bool:
        run = self._run(draw)
        return run is not None and self._shown(run, obligation, inferred) is not None

    def _launch(
        self, draw: Draw, obligations: list[tuple[Obligation, bool]], fixed: Mapping[str, int | str]
    ) -> int:  # fmt: skip
        """The steps of all lanes."""
        run = self._run(draw)
        if run is None:
            return 0
        for obligation, inferred in obligations:
            event = self._shown(run, obligation, inferred) if _is_left(obligation) else None
            if event is not None:
                self._mark(self._smallest(draw, run, event, obligation, inferred, fixed), obligation)
        return run.outcome.steps * threads(draw.shape)

    def _smallest(
        self, draw: Draw, run: _Run, event: Event, obligation: Obligation, inferred: bool,
        fixed: Mapping[str, int | str],
    ) -> tuple[Draw, _Run, Event]:  # fmt: skip
        """The smallest launch that shows the same access on the same side of its memory."""
        from cudalint.engine.shrunk import smallest

        best = [(draw, run, event)]

        def shows(candidate: Draw) -> tuple[bool, int]:
            if obligation.extraordinary and _has_empty_side(candidate, obligation):
                return False, 0
            again = self._run(candidate)
            found = self._shown(again, obligation, inferred) if again is not None else None
            if again is None or found is None or (found.access.index < 0) != (event.access.index < 0):
                return False, again.outcome.steps if again is not None else 0
            best.append((candidate, again, found))
            return True, again.outcome.steps

        smallest(draw, self.contract, shows, run.outcome.steps, fixed)
        return best[-1]

    def _mark(self, least: tuple[Draw, _Run, Event], obligation: Obligation) -> None:
        draw, run, event = least
        access = event.access
        obligation.verdict, obligation.reason = Verdict.VIOLATED, None
        # where numbers decide they may be promised to be those of a convex shape, or to add up to one
        obligation.confidence = Confidence.MEDIUM if id(obligation) in self.promised else Confidence.HIGH
        obligation.approximate = obligation.extraordinary = False
        obligation.witness = Witness(
            draw.shape, dict(draw.values), access.block, access.thread, index=access.index,
            extent=access.extent // access.size, bytes_needed=run.bytes,
            memory=obligation.object.name if obligation.object is not None else None,
        )  # fmt: skip
        obligation.model = dict(draw.values)

    def _run(self, draw: Draw) -> _Run | None:
        from cudalint.confirm.emulate.run import run
        from cudalint.confirm.plan import CannotPlan, Expectation, make_plan

        try:
            plan = make_plan(self.kernel, self.contract, draw.shape, draw.values, Expectation((), ()), self.seed)
        except CannotPlan:
            return None
        outcome = run(
            self.unit, plan.kernel, plan.launch, (*plan.buffers, *plan.constants), seed=self.seed, step_limit=STEP_LIMIT,
            lane_limit=self.most_threads, memory_limit=MEMORY_LIMIT, detect_races=False, work_limit=WORK_LIMIT,
        )  # fmt: skip
        return _Run(outcome, sum(buffer.extent for buffer in plan.buffers))

    def _shown(self, run: _Run, obligation: Obligation, inferred: bool) -> Event | None:
        """Where the access leaves its memory; not far beyond where the rank of that is inferred."""
        name = None
        if obligation.span in self.shared and obligation.object is not None:
            name = self.contract.buffer_of(obligation.object.name)
        for event in run.outcome.events:
            access = event.access
            if event.kind != "out_of_bounds" or not access.size or (name is not None and access.place != name):
                continue
            beyond = max(2 * access.index - 3 * (access.extent // access.size), -2 * access.index) >= 2 * FAR
            same = obligation.span == access.span and obligation.access == access.kind
            if same and not (inferred and beyond):
                return event
        return None


@dataclass(frozen=True, slots=True)
class _Run:
    """What a launch did, and the bytes that it needed."""

    outcome: Outcome
    bytes: int
