"""Arrays of which the solver left open whether they race are tried in runs of drawn launches.

    shared-access-race unknown (loop invariant)   ->   two lines that race in every launch that was run: violated

A run proves nothing of lines that it does not show. One launch alone may break a relation between sizes that nobody states;
what every launch shows hangs on none. An index that comes from memory is left alone, since nobody knows what lies there.

Places in global memory hang on more sizes than those of a block. Their launches are those of a caller that tells all of them,
most of those have to come there, and none may be a value that the host code lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

from cudalint import ir
from cudalint.analysis.synchronization.passed_holes import Passed, pass_holes
from cudalint.contract import Binding, Contract, ElementExtent, External, Fact, Geometry, Origin
from cudalint.engine.confirmation import is_parted
from cudalint.engine.draws import SIZES, TRIES, WHOLE_SIZES, Draw, draws, names_in
from cudalint.finding import Confidence, Reason, ThreadAccess, Verdict, Witness
from cudalint.ir.layouts import with_guessed_layouts
from cudalint.ir.walk import expressions, statements
from cudalint.source import Span
from cudalint.symbolic.issues import Analysis, OpenRace, Race
from cudalint.symbolic.model import Access, MemoryObject
from cudalint.term import Term, number

if TYPE_CHECKING:
    from cudalint.confirm.emulate.events import Access as SeenAccess
    from cudalint.confirm.emulate.events import Event
    from cudalint.confirm.emulate.run import Outcome

LAUNCHES = 4
FEW_TRIES = 100
WHOLE_LAUNCHES = 2  # of them without last parts, which come to the end of more kernels
FEW_RUNS = 8  # in search of a smaller launch
LEAST = 2  # launches that have to show it
LEAST_GLOBAL = 3
MOST_THREADS = 1 << 12
FIXED_THREADS = 1 << 14  # where the grid is a number in the text
FEW_THREADS = 1 << 10  # who meets in a block hangs on few blocks, which come farther with the same work
STEP_LIMIT = 6_000
WORK_LIMIT = 1 << 22  # steps of single lanes
MEMORY_LIMIT = 1 << 27
FREE_SIZES = (64, 3, 256)
WARP = 32
INT_BITS = 32
ORDINARY = ((128, 1, 1), (256, 1, 1), (512, 1, 1))
ORDINARY_SQUARES = ((32, 8, 1), (16, 16, 1), (32, 32, 1))
OPEN = (
    Reason.LOOP_INVARIANT, Reason.SOLVER_LIMIT, Reason.SIZE_LIMIT, Reason.OVERFLOW, Reason.UNTIED_EXTENT,
    Reason.UNMODELLED,  # a run ends where a thread comes to what is not understood
)  # fmt: skip
OPEN_GLOBAL = (Reason.LOOP_INVARIANT, Reason.SOLVER_LIMIT, Reason.SIZE_LIMIT, Reason.OVERFLOW)
Sides = tuple[Term | None, Term | None, Term | None]
Lines = tuple[Span, str, Span, str]


def try_open_races(
    analysis: Analysis, unit: ir.Unit, kernel: ir.Function, contract: Contract, seed: int,
    among: Collection[MemoryObject] | None = None,
) -> None:  # fmt: skip
    """Mark as violated what drawn launches show, of all arrays or those `among`; the witness is the first of the launches."""
    asked = [race for race in analysis.open_races if among is None or race.result.object in among]
    open_ = [race for race in asked if _is_open(race, analysis, contract)]
    unfit = any(isinstance(fact.what, ElementExtent | External) for fact in contract.facts)
    if not open_ or unfit or analysis.contradictory:
        return
    passed = pass_holes(with_guessed_layouts(unit, kernel.id), kernel.id)
    kernel = passed.unit.functions[kernel.id]
    wide = frozenset(
        a.span for race in open_ if memory_of(race) == "global" for a in race.accesses if a.kind != "atomic"
    )
    shown = [each for each in _shown(passed, kernel, contract, seed, wide) if not passed.leaves_open(each.lines)]
    for race in open_:
        found = next((each for each in shown if _is_of(each, race)), None)
        if found is None:
            continue
        race.result.verdict, race.result.reason = Verdict.VIOLATED, None
        analysis.races = [each for each in analysis.races if each.object is not race.result.object]
        analysis.races.append(_race(_least(found, passed, kernel, contract, seed), race))


def memory_of(race: OpenRace) -> str:
    """Shared or global."""
    return race.result.object.memory if race.result.object is not None else ""


def _is_open(race: OpenRace, analysis: Analysis, contract: Contract) -> bool:
    """Nothing but effort left it open, and a run can tell; so it is where the solver knows of extraordinary sizes alone."""
    if race.result.verdict is Verdict.VIOLATED:
        own = [each for each in analysis.races if race.result.object in (each.object, *each.others)]
        if not own or not all(each.extraordinary for each in own):
            return False
    if not race.accesses:
        return False
    if memory_of(race) == "shared":
        return race.result.verdict is Verdict.VIOLATED or race.result.reason in OPEN
    if contract.launch_site is None or _is_lost_in(contract):
        return False
    return race.result.verdict is Verdict.VIOLATED or race.result.reason in OPEN_GLOBAL


def _is_lost_in(contract: Contract) -> bool:
    """A side of the launch or an argument is not told, or hangs on a value that the host code lost."""
    shapes = [fact.what for fact in contract.facts if isinstance(fact.what, Geometry)]
    sides = [side for shape in shapes[:1] for side in (*shape.grid, *shape.block)]
    return not sides or None in sides or any("~" in name for name in names_in(contract))


def _least(shown: _Shown, passed: Passed, kernel: ir.Function, contract: Contract, seed: int) -> _Shown:
    """The race in the smallest launch that shows it; the block stays as it is where nothing else decides it."""
    from cudalint.engine.shrunk import smallest

    assert shown.event.other is not None
    lines = _lines_of(shown.event.access, shown.event.other)
    best = [shown]

    def shows(candidate: Draw) -> tuple[bool, int]:
        outcome = _outcome(passed, kernel, contract, candidate, seed)
        if outcome is None:
            return False, 0
        event = _races_of(outcome, shown.wide).get(lines)
        parted = any(e.kind == "divergence" and not is_parted(e, passed) for e in outcome.events)
        if event is None or parted:
            return False, outcome.steps
        best.append(replace(shown, event=event, draw=candidate))
        return True, outcome.steps

    smallest(shown.draw, shown.contract, shows, shown.steps, runs=FEW_RUNS)
    return best[-1]


@dataclass(frozen=True, slots=True)
class _Shown:
    """Two lines that raced in the runs; `event` is from the first one, of the launch `draw` of `contract`, in so many steps."""

    event: Event
    draw: Draw
    contract: Contract
    steps: int
    wide: frozenset[Span]

    @property
    def lines(self) -> frozenset[Span]:
        return frozenset(side.span for side in (self.event.access, self.event.other) if side is not None)


def _shown(passed: Passed, kernel: ir.Function, contract: Contract, seed: int, wide: frozenset[Span]) -> list[_Shown]:
    """The races that every launch shows which comes to both lines with more than a warp; those of `wide` lines across blocks, too.

    Values that happen to be equal in some launches, where a sum is empty, differ in one at least. A loop whose rounds the
    size of the block decides may have a single one in the smallest block.
    """
    first: dict[Lines, _Shown] = {}
    seen: Counter[Lines] = Counter()
    runs: list[tuple[int, Outcome]] = []
    sizes: dict[Lines, int] = {}  # of the smallest block that shows it
    for place, (given, of) in enumerate(small_launches(kernel, contract, seed)):
        draw = replace(given, values={**values_of_nobody(kernel, contract, place), **given.values})
        outcome = _outcome(passed, kernel, contract, draw, seed)
        if outcome is None or any(e.kind == "divergence" and not is_parted(e, passed) for e in outcome.events):
            continue  # threads that went on past a barrier for which others never came
        size = prod(draw.shape.block)
        runs.append((size, outcome))
        raced = _races_of(outcome, wide)
        if outcome.status == "step_limit" and not raced:
            break  # the others would come to it, too
        for lines in {**_races_of(outcome, wide, equal=True), **raced}:
            seen[lines] += 1
            sizes[lines] = min(size, sizes.get(lines, size))
        for lines, event in raced.items():
            first.setdefault(lines, _Shown(event, draw, of, outcome.steps, wide))

    def least(lines: Lines, smallest: int) -> int:
        return smallest if all(_is_counted_by_block(passed.unit, span) for span in (lines[0], lines[2])) else 0

    return [
        shown
        for lines, shown in first.items()
        if seen[lines] >= (LEAST_GLOBAL if lines[0] in wide else LEAST)
        and seen[lines] == sum(_comes_to(run, lines) for size, run in runs if size >= least(lines, sizes[lines]))
    ]


def _is_counted_by_block(unit: ir.Unit, span: Span) -> bool:
    """The access stands in a loop whose rounds hang on the size of the block: `for (s = blockDim.x / 2; s > 32; s /= 2)`."""
    return any(
        any(inner.span == span for inner in statements(loop.body)) and _names_block(function, loop)
        for function in unit.functions.values()
        for loop in statements(function.body)
        if isinstance(loop, ir.Loop)
    )


def _names_block(function: ir.Function, loop: ir.Loop) -> bool:
    counters = {part.name for part in expressions(loop.cond) if isinstance(part, ir.Var)}
    set_to = [s.value for s in statements(function.body) if isinstance(s, ir.Assign) and s.target.name in counters]
    return any("'blockDim." in repr(each) for each in (loop.cond, *set_to))


def _comes_to(outcome: Outcome, lines: Lines) -> bool:
    """With two threads at least."""
    if lines[:2] == lines[2:]:
        return outcome.accesses.get(lines[0], 0) > 1
    return all(outcome.accesses.get(span, 0) > 0 for span in (lines[0], lines[2]))


def _races_of(outcome: Outcome, wide: frozenset[Span], equal: bool = False) -> dict[Lines, Event]:
    """Without accesses that left their memory in the same run, and writes of `equal` values or all others."""
    left = {e.access.place for e in outcome.events if e.kind in ("out_of_bounds", "null", "misaligned")}
    found: dict[Lines, Event] = {}
    for event in outcome.events:
        if event.kind != "race" or event.other is None or event.access.place in left:
            continue
        if bool(event.detail) is not equal:
            continue
        if event.access.block == event.other.block or wide.issuperset((event.access.span, event.other.span)):
            found.setdefault(_lines_of(event.access, event.other), event)
    return found


def _lines_of(a: SeenAccess, b: SeenAccess) -> Lines:
    (first, first_kind), (second, second_kind) = sorted(((a.span, a.kind), (b.span, b.kind)))
    return first, first_kind, second, second_kind


def small_launches(kernel: ir.Function, contract: Contract, seed: int) -> Iterator[tuple[Draw, Contract]]:
    """With the contracts that they are drawn in, which have a block."""
    geometry = next((fact.what for fact in contract.facts if isinstance(fact.what, Geometry)), None)
    if geometry is not None and None not in (*geometry.grid, *geometry.block):
        for place in range(LAUNCHES):
            sizes = WHOLE_SIZES if place < WHOLE_LAUNCHES else SIZES
            yield from ((draw, contract) for draw in _few(kernel, contract, seed + place, sizes))
        return
    squares = "'threadIdx.y'" in repr(kernel.body)
    for place, block in enumerate(ORDINARY_SQUARES if squares else ORDINARY):
        given = geometry or Geometry((None, None, None), (None, None, None))
        chosen = replace(given, grid=_filled(given.grid, (2, 1, 1)), block=_filled(given.block, block))
        made = replace(contract, facts=(Fact(chosen, Origin.OPTION, "drawn"), *contract.facts))
        yield from ((draw, made) for draw in _few(kernel, made, seed + place, WHOLE_SIZES))


def _few(kernel: ir.Function, contract: Contract, seed: int, sizes: tuple[int, ...]) -> Iterator[Draw]:
    """One launch of few threads, or of more where no such is found."""
    for most, tries in ((FEW_THREADS, FEW_TRIES), (MOST_THREADS, TRIES), (FIXED_THREADS, FEW_TRIES)):
        found = next(draws(kernel, contract, seed, 1, most_threads=most, sizes=sizes, tries=tries), None)
        if found is not None:
            yield found
            return


def values_of_nobody(kernel: ir.Function, contract: Contract, place: int) -> dict[str, int]:
    """Values of integers that nothing is said of: each is small in one launch and large in another."""
    known = names_in(contract) | {f.what.parameter for f in contract.facts if isinstance(f.what, Binding)}
    names = (name for param in kernel.params for name in _integers(param.var.name, param.var.type))
    free = [name for name in names if name not in known]
    return {name: FREE_SIZES[(number_of + place) % len(FREE_SIZES)] for number_of, name in enumerate(free)}


def _integers(name: str, type_: ir.Type) -> Iterator[str]:
    """The parameter, or members of it."""
    if isinstance(type_, ir.Int) and type_.bits >= INT_BITS:
        yield name
    if isinstance(type_, ir.Struct):
        for member in type_.fields:
            yield from _integers(f"{name}.{member.name}", member.type)


def _filled(sides: Sides, given: tuple[int, int, int]) -> Sides:
    x, y, z = (old if old is not None else number(new) for old, new in zip(sides, given))
    return x, y, z


def _outcome(passed: Passed, kernel: ir.Function, contract: Contract, draw: Draw, seed: int) -> Outcome | None:
    """The run, up to where threads wait at a hole for others that do not come."""
    from cudalint.confirm.emulate.run import run
    from cudalint.confirm.inputs import constant_buffers
    from cudalint.confirm.plan import CannotPlan, Expectation, make_plan

    if draw.shape.block[0] * draw.shape.block[1] * draw.shape.block[2] <= WARP:
        return None
    try:
        plan = make_plan(kernel, contract, draw.shape, draw.values, Expectation(("race",), ()), seed)
    except CannotPlan:
        return None
    buffers = (*plan.buffers, *constant_buffers(passed.unit, seed, plan.constants))
    return run(
        passed.unit, plan.kernel, plan.launch, buffers, seed=seed, step_limit=STEP_LIMIT, lane_limit=FIXED_THREADS,
        memory_limit=MEMORY_LIMIT, work_limit=WORK_LIMIT,
        wanted=lambda event: is_parted(event, passed),
    )  # fmt: skip


def _is_of(shown: _Shown, race: OpenRace) -> bool:
    sides = (shown.event.access, shown.event.other)
    return all(side is not None and _access_of(side, race) is not None for side in sides)


def _access_of(side: SeenAccess, race: OpenRace) -> Access | None:
    return next((a for a in race.accesses if a.span == side.span and a.kind == side.kind), None)


def _race(shown: _Shown, race: OpenRace) -> Race:
    a, b = shown.event.other, shown.event.access
    assert a is not None
    first, second = _access_of(a, race), _access_of(b, race)
    assert first is not None and second is not None
    draw = shown.draw
    sides = tuple(ThreadAccess(s.block, s.thread, s.kind, s.span.path, s.span.line, s.index) for s in (a, b))
    witness = Witness(
        draw.shape, dict(draw.values), a.block, a.thread, threads=sides, index=a.index, memory=first.object.name
    )
    apart = a.block != b.block
    return Race(first.object, first, second, witness, race.result.facts, Confidence.HIGH, True, across_blocks=apart)
