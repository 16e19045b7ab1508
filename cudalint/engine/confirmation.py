"""The emulator runs the witness of a finding: what it sees strengthens or weakens the evidence (DESIGN section 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, repeat, takewhile
from typing import TYPE_CHECKING, TypeAlias

from cudalint import ir
from cudalint.analysis.synchronization.passed_holes import Passed, pass_holes
from cudalint.contract import Contract, Distinct, ElementValues, Extent, Offsets
from cudalint.engine.draws import SIZES, WHOLE_SIZES, draws
from cudalint.finding import Confidence, Dim3, Evidence, Finding, LaunchShape, Level, Ran, ThreadAccess, Witness
from cudalint.ir.layouts import with_guessed_layouts
from cudalint.ir.walk import evaluated, statements
from cudalint.rule import Context
from cudalint.source import Span
from cudalint.symbolic.ordinary import ERROR_BYTES

if TYPE_CHECKING:
    from cudalint.confirm.emulate.events import Event
    from cudalint.confirm.emulate.run import Outcome
    from cudalint.confirm.meant import Meant
    from cudalint.confirm.plan import Plan

STEP_LIMIT = 16_000
LANE_LIMIT = 1 << 17
WORK_LIMIT = 1 << 26  # steps of single lanes
UNNEEDED_STEPS, UNNEEDED_WORK = 12_000, 1 << 24  # of a run that only adds to what is certain without it
MEMORY_LIMIT = 1 << 28
ATTEMPTS = 5  # and two more where contents may be varied: with all of them zero, and with all of them one
PART_STEPS, PART_WORK = 6_000, 1 << 22  # of the one block of a launch that is too large, or the two of a race
PART_RUNS = 2  # more of them, with other contents, before other launches
LIMITED_ATTEMPTS = 2  # of runs that come to their limit
WHOLE_RUNS = 2  # at one finding: behind the steps of as many no attempt is begun
MOST_LIMITED = 2  # findings of one family in one kernel whose runs came to it
MOST_UNSHOWN = 2  # instances and launches whose runs did not show one finding, or refuted what the walk made up
STEP_LIMIT_SAID = "step limit"
TOO_LARGE = ("the witness needs", "memory limit")
FEW_LANES = 1 << 12  # of a launch that is drawn in place of one that is too large
NOT_SHOWN = "the run did not show it"
SAME_VALUE = "both threads write the same value in the run"
BOUNDS = ("out_of_bounds", "null")
RACES = ("race",)
CAME_TO_HOLE = "the run came to what is not understood"
EXPECTED: dict[str, tuple[str, ...]] = {
    "IDX303": ("uninitialised",),
    "IDX309": ("misaligned",),
    "IDX": BOUNDS,
    "SYN1": RACES,
    "SYN205": (),  # what a collective of another block does is undefined
    "SYN2": ("divergence", "exit_before_barrier"),
    "SYN3": ("warp_mask",),
    "SYN4": RACES,
}
WRAPPED = 1 << 30  # elements
ONE = (1, 1, 1)
Launch = tuple[LaunchShape, dict[str, int]]
CERTAINTY = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}


# as the last ones of `Ran`
Seen: TypeAlias = tuple[Dim3 | None, Dim3 | None, int | None, int | None, int | None, tuple[ThreadAccess, ...]]
NOTHING: Seen = (None, None, None, None, None, ())


@dataclass(frozen=True, slots=True)
class Effort:
    """How many steps, and steps of single lanes, a run may take, and if it may try contents of several kinds."""

    steps: int = STEP_LIMIT
    work: int = WORK_LIMIT
    varied: bool = False


class Runs:
    """What runs of a file's witnesses have shown.

    Another launch under which a finding happens that was shown needs no run, as `merged` tells both by the one that was; where
    the runs of some launches did not show it, those of others are not tried; and where two runs of a kernel came to their limit,
    others would too.
    """

    def __init__(self) -> None:
        self._shown: dict[tuple[str, Span], int] = {}
        self._limited: Counter[tuple[str | None, str]] = Counter()
        self._unshown: dict[tuple[str, Span, bool], list[Finding]] = {}

    def confirmed(
        self, finding: Finding, context: Context, seed: int, *, needed: bool, varied: bool = False
    ) -> Finding:
        """The finding after a run; `needed` where it counts for nothing without one.

        `varied`: what memory holds is compared only, so that contents of any kind may be tried.
        """
        key, rank = (finding.code, finding.span), CERTAINTY[finding.confidence]
        if not needed and self._shown.get(key, len(CERTAINTY)) <= rank:
            return finding
        family = finding.kernel, finding.code[:3]
        if self._limited[family] >= MOST_LIMITED:
            reason = f"not run: other runs of {finding.kernel} came to their step limit"
            return replace(finding, evidence=Evidence.UNCONFIRMED, evidence_reason=reason)
        unshown = self._unshown.setdefault((*key, needed), [])
        if len(unshown) >= MOST_UNSHOWN:
            confidence = max(finding.confidence, unshown[-1].confidence, key=lambda c: CERTAINTY[c])
            reason = f"not run: runs of {MOST_UNSHOWN} other launches or instances did not show it"
            return replace(finding, confidence=confidence, evidence=Evidence.UNCONFIRMED, evidence_reason=reason)
        assert context.kernel is not None and context.contract is not None
        effort = Effort(varied=varied) if needed else Effort(UNNEEDED_STEPS, UNNEEDED_WORK, varied)
        finding = emulate(finding, context.unit, context.kernel, context.contract, seed, effort)
        self._limited[family] += (finding.evidence_reason or "").startswith(STEP_LIMIT_SAID)
        if finding.evidence is Evidence.EMULATED:
            self._shown[key] = min(rank, self._shown.get(key, rank))
        elif (finding.evidence_reason == NOT_SHOWN and is_of_order(finding)) or (
            needed and finding.evidence is Evidence.REFUTED
        ):
            unshown.append(finding)
        return finding


def emulate(
    finding: Finding, unit: ir.Unit, kernel: ir.Function, contract: Contract, seed: int, effort: Effort = Effort()
) -> Finding:  # fmt: skip
    """The finding with the evidence of a run; a run that shows nothing never proves a race absent (SEMANTICS 24)."""
    if finding.witness is None:
        return finding
    kinds = next((kinds for prefix, kinds in EXPECTED.items() if finding.code.startswith(prefix)), None)
    if not kinds:
        return finding
    return _run(finding, finding.witness, kinds, unit, kernel, contract, seed, effort)


def _run(
    finding: Finding,
    witness: Witness,
    kinds: tuple[str, ...],
    unit: ir.Unit,
    kernel: ir.Function,
    contract: Contract,
    seed: int,
    effort: Effort,
) -> Finding:
    """Run the witness, then launches around it, then other contents, until one shows the finding; else the first answer counts."""
    from cudalint.confirm.fuzz import nearby
    from cudalint.confirm.plan import VARIANTS

    passed = Passed(unit)
    if is_of_order(finding):  # who meets whom hangs on no layout
        unit = with_guessed_layouts(unit, kernel.id)
        passed = pass_holes(unit, kernel.id) if kinds == RACES else Passed(unit)
        kernel = passed.unit.functions[kernel.id]
    first: Finding | None = None
    itself = witness.launch, witness.values
    many = is_of_order(finding) or effort.varied
    again = repeat(itself) if many else repeat(itself, 2 * bool(witness.contents))
    near = nearby(contract, witness.launch, witness.values)
    runnable = to_run(islice(near, 1), chain(_lone_block(witness, unit, kernel), near), again)
    attempt = spent = 0
    apart = False  # there are writes where memory holds nothing below zero, and they meet nobody
    while (launch := next(runnable, None)) is not None:
        shape, values = launch
        tried = replace(witness, launch=shape, values=values)
        answer, steps, seen, written = _attempt(finding, tried, kinds, passed, kernel, contract, seed, attempt, effort)
        spent += steps
        below_zero = effort.varied and VARIANTS[attempt % len(VARIANTS)][1][0] < 0
        if answer.evidence is Evidence.EMULATED:
            if apart and below_zero and answer.confidence is Confidence.HIGH:
                answer = replace(answer, confidence=Confidence.MEDIUM)  # `if (d[i] + d[j] < d[k])` of distances
            ran = Ran(shape, values, attempt, attempt if effort.varied else 0, *seen)
            return replace(answer, witness=replace(witness, ran=ran))
        apart = apart or (written and not below_zero)
        first = first or answer
        reason = answer.evidence_reason or ""
        open_yet = answer.evidence is Evidence.REFUTED or reason in (NOT_SHOWN, SAME_VALUE)
        if reason.startswith(STEP_LIMIT_SAID):  # other contents may get there at once
            open_yet = attempt + 1 < LIMITED_ATTEMPTS and effort.work == WORK_LIMIT
        if reason.startswith(TOO_LARGE) and is_of_order(finding):
            in_parts = PART_RUNS if blocks_to_run(finding, witness) else 0
            if not attempt:
                runnable = chain(repeat(itself, in_parts), _drawn(kernel, contract, seed))
            open_yet = attempt <= in_parts
        attempt += 1
        if attempt >= ATTEMPTS + 2 * effort.varied or spent >= WHOLE_RUNS * effort.steps or not open_yet:
            break
    assert first is not None
    return first


def to_run(first: Iterable[Launch], other: Iterable[Launch], again: Iterable[Launch]) -> Iterator[Launch]:
    """The first whatever it takes, of the others those that the emulator can run, and at last the same one again and again."""
    yield from first
    yield from (launch for launch in other if _lanes(launch[0]) <= LANE_LIMIT)
    yield from takewhile(lambda launch: _lanes(launch[0]) <= LANE_LIMIT, again)


def _lone_block(witness: Witness, unit: ir.Unit, kernel: ir.Function) -> Iterator[Launch]:
    """The first block alone, where nothing asks how many there are: others hide what it does to its elements."""
    from cudalint.ir.walk import reached

    within = len(witness.threads) > 1 and len({side.block for side in witness.threads}) == 1
    parts = (e for function in reached(unit, kernel) for s in statements(function.body) for e in evaluated(s))
    if within and witness.launch.grid != ONE and not any(_is_grid(part) for part in parts):
        yield replace(witness.launch, grid=ONE), witness.values


def _is_grid(part: ir.Expr) -> bool:
    return isinstance(part, ir.Builtin) and part.name.startswith("gridDim.")


def held_in(witness: Witness, attempt: int) -> dict[str, int]:
    """What memory holds all over: the witness's own contents in every other attempt, where drawn ones have shown nothing."""
    return witness.contents if attempt % 2 else {}


def _drawn(kernel: ir.Function, contract: Contract, seed: int) -> Iterator[Launch]:
    """Small launches of the contract: who meets whom seldom hangs on sizes, and the witness has too many threads to be run."""
    for sizes in (WHOLE_SIZES, SIZES):
        for draw in draws(kernel, contract, seed, ATTEMPTS // 2, most_threads=FEW_LANES, sizes=sizes):
            yield draw.shape, draw.values


def _attempt(
    finding: Finding,
    witness: Witness,
    kinds: tuple[str, ...],
    passed: Passed,
    kernel: ir.Function,
    contract: Contract,
    seed: int,
    attempt: int,
    effort: Effort,
) -> tuple[Finding, int, Seen, bool]:
    """The finding after one run, the steps that it took, what it saw, and if a race's access was made without a race.

    Of a launch that is too large the block of the witness is run alone, or the two of a race: what goes wrong in them does so
    where no other has begun, and nothing else is said.
    """
    from cudalint.confirm.emulate.run import run
    from cudalint.confirm.inputs import constant_buffers
    from cudalint.confirm.plan import CannotPlan, Expectation, make_plan

    spans = (finding.span, *(r.span for r in finding.related))
    lanes, blocks = _lanes(witness.launch), blocks_to_run(finding, witness)
    reason = f"the witness needs {lanes} threads, the emulator runs up to {LANE_LIMIT}"
    too_large = replace(finding, evidence=Evidence.UNCONFIRMED, evidence_reason=reason)
    if lanes > LANE_LIMIT and blocks is None:
        return too_large, 0, NOTHING, False
    try:
        expected, variant = Expectation(kinds, spans), attempt if effort.varied else 0
        held = held_in(witness, attempt)
        plan = make_plan(
            kernel, contract, witness.launch, witness.values, expected, seed + attempt, variant=variant, held=held
        )
    except CannotPlan as error:
        return replace(finding, evidence=Evidence.UNCONFIRMED, evidence_reason=str(error)), 0, NOTHING, False
    broken = _not_made(plan, contract)
    if broken is not None:
        reason = f"`{broken}` is too large to be filled with what is promised of it"
        return replace(finding, evidence=Evidence.UNCONFIRMED, evidence_reason=reason), 0, NOTHING, False
    races = is_of_order(finding)
    constants = tuple(constant_buffers(passed.unit, seed + attempt, plan.constants)) if races else plan.constants
    meant = meant_of(finding, witness, kinds, passed, memory_of(witness, plan, contract))
    outcome = run(
        passed.unit,
        plan.kernel,
        replace(plan.launch, blocks=blocks),
        (*plan.buffers, *constants),
        seed=seed + attempt,
        step_limit=effort.steps if blocks is None else PART_STEPS,
        lane_limit=LANE_LIMIT,
        memory_limit=MEMORY_LIMIT,
        detect_races=races,
        work_limit=effort.work if blocks is None else PART_WORK,
        wanted=meant.ends,
    )
    answer = _answer(finding, outcome, meant)
    if answer.evidence is Evidence.EMULATED and _goes_astray(outcome, meant, kernel):
        return replace(finding, evidence=Evidence.UNCONFIRMED, evidence_reason=NOT_SHOWN), outcome.steps, NOTHING, False
    if answer.evidence is not Evidence.EMULATED:
        made = races and answer.evidence_reason == NOT_SHOWN and outcome.accesses.get(finding.span, 0) > 0
        return (answer if blocks is None else too_large), outcome.steps, NOTHING, made
    return answer, outcome.steps, _seen(outcome, meant, plan), True


def _goes_astray(outcome: Outcome, meant: Meant, kernel: ir.Function) -> bool:
    """What shows the failure comes of what its thread has read beyond an array of its own: `strides[dim]` of too large a `dim`."""
    shown = next(event for event in outcome.events if meant.is_shown(event))
    own = {p.var.name for p in kernel.params if isinstance(p.var.type, ir.Struct)}
    own |= {
        s.var.name for s in statements(kernel.body) if isinstance(s, ir.Declare) and isinstance(s.var.type, ir.Array)
    }
    for event in takewhile(lambda event: event is not shown, outcome.events):
        access = event.access
        same = (access.block, access.thread) == (shown.access.block, shown.access.thread)
        beyond = event.kind == "out_of_bounds" and access.kind == "read" and access.place in own
        if same and beyond and not meant.is_it(event):
            return True
    return False


def _seen(outcome: Outcome, meant: Meant, plan: Plan) -> Seen:
    """The first access that shows the failure, as the finding tells it where the run saw that."""
    shown = [event for event in outcome.events if meant.is_shown(event)]
    event = next(filter(meant.is_told, shown), shown[0])
    access = event.access
    extent = access.extent // access.size if access.size else None
    sides = (event.other, access) if event.kind == "race" and event.other is not None else ()
    threads = tuple(ThreadAccess(s.block, s.thread, s.kind, s.span.path, s.span.line, s.index) for s in sides)
    return access.block, access.thread, access.index, extent, sum(buffer.extent for buffer in plan.buffers), threads


def _not_made(plan: Plan, contract: Contract) -> str | None:
    """A buffer that is kept as zeros for its size, although something else is promised of its elements."""
    promised = promised_buffers(contract)
    for buffer in plan.buffers:
        low, high = plan.bounds.get(buffer.name, (0, 1))
        if buffer.data is None and buffer.extent and (buffer.name in promised or not low <= 0 < high):
            return buffer.name
    return None


def promised_buffers(contract: Contract) -> frozenset[str]:
    """Those of whose elements more is promised than a range that is the same for all."""
    pointers = {f.what.pointer for f in contract.facts if isinstance(f.what, Distinct | Offsets | ElementValues)}
    extents = (f.what for f in contract.facts if isinstance(f.what, Extent))
    return frozenset(pointers | {each.buffer or each.pointer for each in extents if each.pointer in pointers})


def blocks_to_run(finding: Finding, witness: Witness) -> tuple[int, ...] | None:
    """The blocks of a witness whose launch is too large to be run, by their linear numbers; None where all blocks are run."""
    if _lanes(witness.launch) <= LANE_LIMIT or witness.block is None:
        return None
    if is_of_order(finding) and (not witness.threads or not finding.code.startswith(("SYN1", "SYN4"))):
        return None
    width, height, _ = witness.launch.grid
    places = {side.block for side in witness.threads} if is_of_order(finding) else {witness.block}
    return tuple(sorted(x + width * (y + height * z) for x, y, z in places))


def memory_of(witness: Witness, plan: Plan, contract: Contract) -> str | None:
    """The buffer of the witness's access, as the run calls it; None where that is no buffer of the plan."""
    name = contract.buffer_of(witness.memory) if witness.memory is not None else None
    return name if any(name == buffer.name for buffer in plan.buffers) else None


def meant_of(
    finding: Finding, witness: Witness, kinds: tuple[str, ...], passed: Passed, memory: str | None = None
) -> Meant:  # fmt: skip
    """Which events are the failure that the finding speaks of."""
    from cudalint.confirm.meant import ACROSS, ANY, BEFORE, BEHIND, FAR, WITHIN, Meant, start

    spans = (finding.span, *(r.span for r in finding.related))
    side = ANY
    if witness.index is not None and abs(witness.index) < WRAPPED:
        side = BEFORE if witness.index < 0 else BEHIND
    elif witness.index is not None and witness.extent is None:
        side = FAR  # an index that wraps may come out anywhere, and memory whose size nobody knows is left at once
    blocks = len({each.block for each in witness.threads})  # what meets within a block has a cause of its own
    scope = ANY if not blocks else WITHIN if blocks == 1 else ACROSS
    return Meant(
        kinds,
        frozenset((s.path, s.line) for s in spans),
        frozenset(map(start, spans)) if finding.code.startswith("IDX1") else None,
        side,
        far=finding.code.startswith("IDX2"),
        scope=scope,
        pair=frozenset((s.path, s.line, s.kind) for s in witness.threads),
        unsettled=frozenset(map(start, passed.unsettled)),
        waits=frozenset(map(start, passed.waits)),
        memory=memory,
    )


def _answer(finding: Finding, outcome: Outcome, meant: Meant) -> Finding:
    """What the run says of the finding."""
    seen = [event for event in outcome.events if meant.is_it(event)]
    if any(map(meant.is_shown, seen)):
        later = seen[0] is not next(filter(meant.is_there, outcome.events))  # another thread is just outside
        rare = meant.far and later and not _is_of_ordinary_launch(finding)
        known = finding.confidence
        confidence = max(known, Confidence.MEDIUM, key=CERTAINTY.__getitem__) if rare else known
        return replace(finding, confidence=confidence, evidence=Evidence.EMULATED)
    if seen:
        return replace(finding, confidence=Confidence.LOW, evidence=Evidence.UNCONFIRMED, evidence_reason=SAME_VALUE)
    if outcome.status == "shown":
        return replace(finding, evidence=Evidence.UNCONFIRMED, evidence_reason=CAME_TO_HOLE)
    if outcome.status != "finished":
        reason = f"{outcome.status.replace('_', ' ')}: {outcome.reason}"
        return replace(finding, evidence=Evidence.UNCONFIRMED, evidence_reason=reason)
    if is_of_order(finding):
        return replace(finding, evidence=Evidence.UNCONFIRMED, evidence_reason=NOT_SHOWN)
    if not _executed(outcome.accesses, finding) or any(map(meant.is_there, outcome.events)):
        return replace(finding, confidence=Confidence.LOW, evidence=Evidence.UNCONFIRMED, evidence_reason=NOT_SHOWN)
    reason = "the emulator ran the access and stayed within bounds"
    return replace(finding, evidence=Evidence.REFUTED, level=Level.NOTE, evidence_reason=reason)


def _is_of_ordinary_launch(finding: Finding) -> bool:
    """The code launches the kernel, and the witness takes no larger arrays than ordinary use has."""
    needed = finding.witness.bytes_needed if finding.witness is not None else None
    return finding.launch_site is not None and (needed is None or needed <= ERROR_BYTES)


def is_parted(event: Event, passed: Passed) -> bool:
    """Some threads wait for others at a hole, which may be no barrier: what comes behind it is in no order that anybody knows."""
    return event.kind == "divergence" and passed.may_order(_spans(event))


def _spans(event: Event) -> list[Span]:
    return [side.span for side in (event.access, event.other) if side is not None]


def is_of_order(finding: Finding) -> bool:
    """Of races and barriers, for which one launch is run several times."""
    return finding.code.startswith("SYN")


def _lanes(launch: LaunchShape) -> int:
    total = 1
    for size in (*launch.grid, *launch.block):
        total *= size
    return total


def _executed(accesses: dict[Span, int], finding: Finding) -> bool:
    """The access took place; of an overflow it may stand behind the statement that computes the index."""
    places = [finding.span, *(r.span for r in finding.related if finding.code.startswith("IDX2"))]
    return any(accesses.get(span, 0) > 0 for span in places)
