"""What a scan proves of kernels, held against runs inside the contracts that the proofs assumed.

    for walked in walks(job, project):              the walks of a scan: kernel, contract, verdicts
        for draw in launches(walked, 1, 30):        boundary sizes first, then random ones
            outcome = run_of(walked, draw, 1)       by the emulator, with its shadow memory
            refuted(walked.analysis, outcome)       events where all verdicts of the place are `safe`

A run is made as the contract says of extents, values, offsets, distinct and initial contents; contracts that speak of tables of
pointers or of foreign writers are left out (`why_not`). What follows an earlier event, where the place rests on what
memory holds, refutes nothing: a proof assumes that the obligations before it hold (SEMANTICS 5).
"""

from __future__ import annotations

import random
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

from cudalint import ir
from cudalint.confirm.emulate.events import Access, Event
from cudalint.confirm.emulate.run import Outcome, run
from cudalint.confirm.emulate.scheduler import Schedule
from cudalint.confirm.plan import CannotPlan, Expectation, make_plan
from cudalint.contract import Binding, Contract, ElementExtent, External, Fact, Geometry, Origin
from cudalint.engine import ScanOptions
from cudalint.engine.draws import Draw, draws
from cudalint.engine.file import EVERYTHING, analyse_file
from cudalint.engine.jobs import Job, plan_jobs
from cudalint.engine.scan import discovered
from cudalint.engine.settings import project_settings
from cudalint.finding import Verdict
from cudalint.ir.walk import reached
from cudalint.project.configuration import Configuration
from cudalint.source import Span
from cudalint.symbolic import analyse as analysing
from cudalint.symbolic.issues import Analysis
from cudalint.symbolic.model import MEMORY_PREFIX, MemoryObject, Obligation, rests_on
from cudalint.symbolic.verdicts.facts import wrapped_parts
from cudalint.term import Symbol, Term, Undefined, evaluate, forget_if_many, number

SCHEDULES: tuple[Schedule, ...] = ("lowest", "warp", "reversed", "random")
FAULTS = ("out_of_bounds", "null")
ENDS = ("trap", "check_failed")
INSIDE = (Verdict.SAFE, Verdict.UNREACHABLE)
STEP_LIMIT = 20_000
WORK_LIMIT = 1 << 23  # steps of single lanes
MEMORY_LIMIT = 1 << 28
MOST_THREADS = 1 << 13
AXES = ("x", "y", "z")
INDICES = ("blockIdx", "threadIdx")
BLOCK_SIZES = {
    "x": (128, 256, 32, 64, 1, 33, 31, 512, 2, 100, 1024),
    "y": (1, 2, 8, 4, 16, 3, 32),
    "z": (1, 2, 3, 4),
}
GRID_SIZES = (2, 1, 3, 4, 7)
MOST_BLOCK = 1024
FREE_VALUES = (1, 2, 3, 4, 5, 7, 16, 33, 64, 100, 0, -1, 1000)


@dataclass(frozen=True, slots=True)
class Project:
    """A folder of sources, and what reads them as a scan does."""

    root: str
    options: ScanOptions
    configuration: Configuration
    jobs: tuple[Job, ...]


def project_of(paths: list[Path], root: Path) -> Project:
    """The jobs of a scan of these paths; nothing is analysed yet."""
    asked = ScanOptions(paths=tuple(map(str, paths)), project_root=str(root), confirm="off", jobs=1, thorough=True)
    folder, options, configuration = project_settings(asked)
    jobs = plan_jobs(discovered(folder, options, configuration), options).jobs
    return Project(folder, options, configuration, tuple(j for j in jobs if not j.source.path.endswith(".py")))


# --- walks ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Walked:
    """One walk of a scan: an instance of a kernel under one contract, with all verdicts where `analysis` has been made."""

    unit: ir.Unit
    kernel: ir.Function
    contract: Contract
    decide: Callable[[], Analysis]

    @cached_property
    def analysis(self) -> Analysis:
        return self.decide()

    @cached_property
    def unread(self) -> frozenset[tuple[str, str]]:
        """(of, axis): "threadIdx" and "blockIdx" along y and z that neither the kernel nor what it calls reads.

        A launch has one position there.
        """
        text = "".join(repr(f.body) for f in reached(self.unit, self.kernel))
        return frozenset((i, a) for i in INDICES for a in AXES[1:] if f"'{i}.{a}'" not in text)


def visit_walks(job: Job, project: Project, visit: Callable[[Walked], None], only: str | None = None) -> None:
    """`visit` every walk that a scan makes of the kernels in the job's file, or of those called `only`.

    Those of launches that are left out are among them, with what was proved. A visitor that does not look at `analysis`
    spares the analysis.
    """
    real, proofs = analysing.analyse, analysing.proofs_under

    def told(unit: ir.Unit, kernel: ir.Function, contract: Contract, *effort: Any) -> Analysis:
        if only not in (None, kernel.name):
            return Analysis(kernel.id)
        walked = Walked(unit, kernel, contract, lambda: real(unit, kernel, contract, *effort))
        visit(walked)
        return walked.__dict__.get("analysis") or Analysis(kernel.id)

    def asked(unit: ir.Unit, kernel: ir.Function, contract: Contract, *more: Any) -> Analysis:
        found = proofs(unit, kernel, contract, *more)
        if only in (None, kernel.name):
            visit(Walked(unit, kernel, contract, lambda: found))
        return found

    forget_if_many()
    with patch.object(analysing, "analyse", told), patch.object(analysing, "proofs_under", asked):
        analyse_file(
            job.source, job.parse, project.root, project.options, dict(project.configuration.hints), job.around,
            EVERYTHING, job.neighbours, job.program,
        )  # fmt: skip


class TimeLimit(Exception):
    """A kernel took longer than it may."""


@contextmanager
def at_most_seconds(seconds: int) -> Iterator[None]:
    """Raises TimeLimit in what takes longer (POSIX, main thread)."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeLimit

    former = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, former)


# --- launches ------------------------------------------------------------------------------------------------------------


def why_not(contract: Contract) -> str | None:
    """Why no run can be made as the contract says."""
    for fact in contract.facts:
        if isinstance(fact.what, ElementExtent):
            return "a table of pointers"
        if isinstance(fact.what, External):
            return "foreign writers"
    return None


def launches(walked: Walked, seed: int, count: int) -> Iterator[Draw]:
    """At most `count` launches inside the contract; free dimensions are drawn, and are 1 along axes that nobody reads."""
    source = random.Random(f"{seed}:{walked.kernel.id}:inputs")
    free = _free_inputs(walked)
    for draw in _drawn(walked, seed, count):
        given = {name: source.choice(FREE_VALUES) for name in free if name not in draw.values}
        yield replace(draw, values={**draw.values, **given})


def _free_inputs(walked: Walked) -> list[str]:
    """Integer arguments of which the contract may say nothing at all; facts that do give them values of their own."""
    bound = {f.what.parameter for f in walked.contract.facts if isinstance(f.what, Binding)}
    leaves = (leaf for p in walked.kernel.params for leaf in _integers(p.var.name, p.var.type))
    return [name for name in leaves if name not in bound]


def _integers(name: str, type_: ir.Type) -> Iterator[str]:
    if isinstance(type_, ir.Int):
        yield name
    elif isinstance(type_, ir.Struct):
        for member in type_.fields:
            yield from _integers(f"{name}.{member.name}", member.type)


def _drawn(walked: Walked, seed: int, count: int) -> Iterator[Draw]:
    geometry = next((f.what for f in walked.contract.facts if isinstance(f.what, Geometry)), None)
    if geometry is not None and None not in (*geometry.grid, *geometry.block):
        yield from (d for d in draws(walked.kernel, walked.contract, seed, count, most_threads=MOST_THREADS)
                    if _is_flat(d, geometry, walked.unread))  # fmt: skip
        return
    source = random.Random(f"{seed}:{walked.kernel.id}")
    for number_ in range(count):
        chosen = _chosen(geometry, walked, source, number_)
        contract = replace(walked.contract, facts=(Fact(chosen, Origin.OPTION, "drawn"), *walked.contract.facts))
        yield from draws(walked.kernel, contract, seed + number_, 1, most_threads=MOST_THREADS)


def _is_flat(draw: Draw, geometry: Geometry, unread: frozenset[tuple[str, str]]) -> bool:
    """Where callers choose a dimension that the kernel does not read, a proof of order takes it for 1."""
    sizes = {"blockIdx": (geometry.grid, draw.shape.grid), "threadIdx": (geometry.block, draw.shape.block)}
    for index, axis in unread:
        terms, size = sizes[index]
        position = AXES.index(axis)
        if isinstance(terms[position], Symbol) and size[position] != 1:
            return False
    return True


def _chosen(geometry: Geometry | None, walked: Walked, source: random.Random, attempt: int) -> Geometry:
    given = geometry or Geometry((None, None, None), (None, None, None))
    limit = walked.kernel.launch_bounds[0] if walked.kernel.launch_bounds else MOST_BLOCK
    block: list[Term] = []
    left = limit
    for axis, told in zip(AXES, given.block):
        sizes = [s for s in (BLOCK_SIZES[axis] if ("threadIdx", axis) not in walked.unread else (1,)) if s <= left] or [
            1
        ]
        size = sizes[attempt % len(sizes)] if attempt < len(BLOCK_SIZES["x"]) and axis == "x" else source.choice(sizes)
        block.append(told if told is not None else number(size))
        left //= size if told is None else 1
    grid = [
        told if told is not None else number(1 if ("blockIdx", axis) in walked.unread else source.choice(GRID_SIZES))
        for axis, told in zip(AXES, given.grid)
    ]
    return Geometry((grid[0], grid[1], grid[2]), (block[0], block[1], block[2]), given.shared, given.cooperative)


def run_of(walked: Walked, draw: Draw, seed: int, schedule: Schedule = "lowest") -> Outcome | None:
    """What the emulator sees of the launch; None where it cannot be made."""
    try:
        plan = make_plan(walked.kernel, walked.contract, draw.shape, draw.values, Expectation((), ()), seed)
        return run(
            walked.unit, plan.kernel, plan.launch, plan.buffers, seed=seed, schedule=schedule, step_limit=STEP_LIMIT,
            lane_limit=MOST_THREADS, memory_limit=MEMORY_LIMIT, work_limit=WORK_LIMIT,
        )  # fmt: skip
    except (CannotPlan, ValueError):
        return None


# --- what a run says of the verdicts -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Refuted:
    """A place where all verdicts are `safe` (or `unreachable`), and what was seen there."""

    what: str  # bounds, race, divergence, unreachable
    span: Span
    seen: str


def refuted(analysis: Analysis, outcome: Outcome, values: Mapping[str, int] | None = None) -> list[Refuted]:
    """What the run shows that the verdicts exclude, once for each place.

    `values` are the inputs of the run: an order rests on conditions of the kernel that do not wrap, where it says so.
    """
    found: dict[tuple[str, Span], Refuted] = {}
    places = _Places(analysis, values or {})
    before = False  # something has gone wrong already
    for event in outcome.events:
        if event.kind in ENDS:
            break
        what = places.excludes(event, before)
        if what is not None:
            found.setdefault((what, event.access.span), Refuted(what, event.access.span, described(event)))
        before = before or not is_harmless(event)
    else:
        for span in places.unreachable():
            if outcome.accesses.get(span) and not before:
                found.setdefault(("unreachable", span), Refuted("unreachable", span, "the access was executed"))
    return list(found.values())


def failures(outcome: Outcome) -> list[Event]:
    """The accesses outside of their objects and the races of a run, up to where the kernel traps."""
    found: list[Event] = []
    for event in outcome.events:
        if event.kind in ENDS:
            break
        if event.kind in (*FAULTS, "race") and not is_harmless(event):
            found.append(event)
    return found


def is_harmless(event: Event) -> bool:
    """Nothing is wrong after it that was not before."""
    return event.detail == "same_value" or event.kind in ("exit_before_barrier", "warp_mask", "opaque")


def described(event: Event) -> str:
    """One line."""
    text = f"{event.kind} {event.detail}".strip() + f": {_described(event.access)}"
    return text + (f" against {_described(event.other)}" if event.other is not None else "")


def _described(access: Access) -> str:
    where = f"{access.kind} {access.place}[{access.index}] of {access.extent // max(1, access.size)}"
    return f"{where} by {access.block}{access.thread} at {access.span}"


@dataclass(frozen=True)
class _Places:
    """The verdicts of one walk by place."""

    analysis: Analysis
    values: Mapping[str, int]

    @cached_property
    def by_span(self) -> dict[Span, list[Obligation]]:
        found: dict[Span, list[Obligation]] = {}
        for obligation in self.analysis.obligations:
            found.setdefault(obligation.span, []).append(obligation)
        return found

    @cached_property
    def races(self) -> dict[MemoryObject | None, Verdict]:
        orders = [o for o in self.analysis.sync_results if o.kind == "race"]
        return {o.object: Verdict.UNKNOWN if o.facts and self._wraps(o.object) else o.verdict for o in orders}

    def _wraps(self, array: MemoryObject | None) -> bool:
        """A condition on the way to the array wraps with these inputs."""
        paths = [c.term for own in self.by_span.values() for o in own if o.object is array for c in o.path]
        for wrapped in wrapped_parts(*paths):
            with suppress(KeyError, Undefined):
                if evaluate(wrapped, self.values) != evaluate(wrapped.parts[0], self.values):
                    return True
        return False

    def excludes(self, event: Event, before: bool) -> str | None:
        """The kind of verdict that excludes the event; `before`: an earlier one may be its cause."""
        if before and self._rests_on_memory(event):
            return None
        if event.kind in FAULTS:
            return "bounds" if self._is_inside(event) else None
        if event.kind == "race" and event.detail != "same_value":
            return "race" if self._is_ordered(event) else None
        if event.kind == "divergence":
            known = [o.verdict for o in self.analysis.sync_results
                     if o.kind == "divergence" and o.span == event.access.span]  # fmt: skip
            return "divergence" if known and all(v in INSIDE for v in known) else None
        return None

    def unreachable(self) -> list[Span]:
        return [span for span, own in self.by_span.items() if all(o.verdict is Verdict.UNREACHABLE for o in own)]

    def _rests_on_memory(self, event: Event) -> bool:
        spans = [event.access.span, *([event.other.span] if event.other else [])]
        own = [o for span in spans for o in self.by_span.get(span, ())]
        terms = [t for o in own for t in (o.index, o.holds, *(c.term for c in o.path))]
        return not own or any(rests_on(term, MEMORY_PREFIX) or rests_on(term, "~") for term in terms)

    def _is_inside(self, event: Event) -> bool:
        own = [o for o in self.by_span.get(event.access.span, ()) if _is_place(o) and o.access == event.access.kind]
        return bool(own) and all(o.verdict in INSIDE for o in own)

    def _is_ordered(self, event: Event) -> bool:
        assert event.other is not None
        mine, others = self._objects(event.access.span), self._objects(event.other.span)
        involved = (mine & others) or (mine | others)
        known = [self.races[found] for found in involved if found in self.races]
        return bool(known) and all(verdict in INSIDE for verdict in known)

    def _objects(self, span: Span) -> set[MemoryObject]:
        return {o.object for o in self.by_span.get(span, ()) if o.object is not None}


def _is_place(obligation: Obligation) -> bool:
    return obligation.kind in ("bounds", "dimension")


def claims(analysis: Analysis) -> tuple[int, int]:
    """How many accesses, and how many arrays, the verdicts call safe."""
    places = _Places(analysis, {})
    inside = sum(any(map(_is_place, own)) and all(o.verdict in INSIDE for o in own)
                 for own in places.by_span.values())  # fmt: skip
    return inside, sum(verdict is Verdict.SAFE for verdict in places.races.values())
