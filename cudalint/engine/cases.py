"""A finding's failure as one launch that a file can hold: what is run, with which contents, and which events of it are the failure.

The launch is the one in which the emulator saw it; of races and barriers what is run has no holes
(`analysis/synchronization/passed_holes.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from cudalint import ir
from cudalint.analysis.synchronization.passed_holes import Passed, pass_holes
from cudalint.confirm import meant as meant_events
from cudalint.confirm import plan as launch_plan
from cudalint.confirm.emulate.run import Buffer, PointerTo, run
from cudalint.confirm.inputs import constant_buffers
from cudalint.confirm.meant import Meant
from cudalint.confirm.shrink import Budget, Contents, Shrinker, contents_order, contents_passes
from cudalint.contract import Contract
from cudalint.engine.confirmation import (
    EXPECTED,
    LANE_LIMIT,
    MEMORY_LIMIT,
    PART_STEPS,
    PART_WORK,
    RACES,
    STEP_LIMIT,
    WORK_LIMIT,
    blocks_to_run,
    held_in,
    is_of_order,
    meant_of,
    memory_of,
    promised_buffers,
)
from cudalint.finding import Finding, Ran
from cudalint.ir.layouts import with_guessed_layouts
from cudalint.ir.portable import dumped
from cudalint.ir.walk import evaluated, statements

CannotPlan = launch_plan.CannotPlan
CONTENT_RUNS = 48  # in search of smaller contents
MOST_CONTENTS = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Case:
    """`meant` is None where nothing may be seen; `blocks` where only these are run; `ran`: the launch."""

    unit: ir.Unit
    kernel: ir.Function
    made: launch_plan.Plan
    seed: int
    kinds: tuple[str, ...]
    meant: Meant | None = None
    races: bool = True
    blocks: tuple[int, ...] | None = None
    constants: tuple[Buffer, ...] = field(default=())


def case_of(
    finding: Finding, unit: ir.Unit, kernel: ir.Function, contract: Contract, seed: int, guessed: bool
) -> Case:  # fmt: skip
    """The case of a finding's witness; raises CannotPlan. `guessed`: layouts of classes that are not known are taken as guessed."""
    kinds = next((kinds for prefix, kinds in EXPECTED.items() if finding.code.startswith(prefix)), None)
    if finding.witness is None or not kinds:
        raise CannotPlan("there is no witness to run")
    witness = finding.witness
    passed = Passed(unit)
    if is_of_order(finding):
        unit = with_guessed_layouts(unit, kernel.id) if guessed else unit
        passed = pass_holes(unit, kernel.id) if kinds == RACES else Passed(unit)
        kernel = passed.unit.functions[kernel.id]
    ran = witness.ran or Ran(witness.launch, witness.values, 0)
    seed += ran.attempt  # the contents in which the emulator saw it
    spans = (finding.span, *(related.span for related in finding.related))
    expected = launch_plan.Expectation(kinds, spans)
    held = held_in(witness, ran.attempt)
    made = launch_plan.make_plan(
        kernel, contract, ran.launch, ran.values, expected, seed, variant=ran.variant, held=held
    )
    shown = replace(witness, launch=ran.launch, values=ran.values)
    ordered = is_of_order(finding)
    constants = tuple(constant_buffers(passed.unit, seed, made.constants)) if ordered else made.constants
    return Case(
        passed.unit, kernel, made, seed, kinds,
        meant_of(finding, shown, kinds, passed, memory_of(shown, made, contract)), is_of_order(finding),
        blocks_to_run(finding, shown), constants,
    )  # fmt: skip


def with_least_contents(case: Case, contract: Contract) -> Case:
    """The case with as few bytes in its buffers that are not zero as still show it, within what is promised of them."""
    data = {b.name: b.data for b in case.made.buffers if b.data is not None and not b.pointers}
    if case.meant is None or sum(map(len, data.values())) > MOST_CONTENTS:
        return case
    meant = case.meant

    def fails(contents: Contents) -> tuple[bool, int]:
        outcome = run(
            case.unit, case.kernel.id, replace(case.made.launch, blocks=case.blocks),
            (*_with(case, contents).made.buffers, *case.constants), seed=case.seed, wanted=meant.ends,
            step_limit=STEP_LIMIT if case.blocks is None else PART_STEPS, lane_limit=LANE_LIMIT,
            memory_limit=MEMORY_LIMIT, detect_races=case.races, work_limit=PART_WORK,
        )  # fmt: skip
        return any(map(meant.is_shown, outcome.events)), outcome.steps

    start = Contents(data, _widths(case), case.made.bounds, promised_buffers(contract))
    shrinker = Shrinker(start, contents_order, fails, Budget(CONTENT_RUNS, STEP_LIMIT))
    return _with(case, shrinker.shrink(contents_passes()))


def _with(case: Case, contents: Contents) -> Case:
    buffers = (replace(b, data=contents.data.get(b.name, b.data)) for b in case.made.buffers)
    return replace(case, made=replace(case.made, buffers=tuple(buffers)))


def _widths(case: Case) -> dict[str, int]:
    """Bytes of the elements that the kernel's pointers point to."""
    found: dict[str, int] = {}
    for arg, param in zip(case.made.launch.args, case.kernel.params):
        if isinstance(arg, PointerTo) and arg.buffer is not None and isinstance(param.var.type, ir.Pointer):
            found.setdefault(arg.buffer, ir.size_of(param.var.type.element) or 1)
    return found


def emulator_part(case: Case) -> dict[str, Any]:
    """What a plan holds for the emulator beside launch, arguments and buffers; raises CannotPlan."""
    try:
        table = dumped(cut_out(case.unit, case.kernel.id))
    except RecursionError:
        raise CannotPlan("the kernel is too deep to be written down") from None
    whole = case.blocks is None
    return {
        "ir": {"kernel": case.kernel.id, "table": table},
        "emulator": {
            "meant": meant_events.dumped(case.meant) if case.meant is not None else None,
            "races": case.races,
            "blocks": None if whole else list(case.blocks or ()),
            "steps": STEP_LIMIT if whole else PART_STEPS,
            "work": WORK_LIMIT if whole else PART_WORK,
        },
    }


def cut_out(unit: ir.Unit, kernel: str) -> ir.Unit:
    """The unit with what the kernel reaches alone."""
    wanted = set(_reached(unit, kernel))
    functions = {name: function for name, function in unit.functions.items() if name in wanted}
    bare = ir.Unit(unit.path, functions, {})
    named = set(dumped(bare)["names"])
    used = {key: each for key, each in unit.globals.items() if key in named or each.var.name in named}
    return ir.Unit(unit.path, functions, used)


def _reached(unit: ir.Unit, kernel: str) -> Iterator[str]:
    """The kernel, and all that is called or named as a value in what is reached."""
    waiting, seen = [kernel], {kernel}
    while waiting:
        name = waiting.pop()
        yield name
        for stmt in statements(unit.functions[name].body):
            called = [stmt.function] if isinstance(stmt, ir.Call) else []
            called += [part.function for part in evaluated(stmt) if isinstance(part, ir.FunctionRef)]
            for each in called:
                if each in unit.functions and each not in seen:
                    seen.add(each)
                    waiting.append(each)
