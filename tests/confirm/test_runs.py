"""Which witnesses of a file are run: one of each place, and not again and again where runs come to their limit."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice, repeat
from typing import Any

import numpy as np
import pytest

from cudalint.analysis.synchronization.passed_holes import Passed
from cudalint.confirm.emulate.events import Access, AccessKind, Event
from cudalint.confirm.emulate.run import Buffer, LaunchInput
from cudalint.confirm.meant import dumped, loaded
from cudalint.confirm.plan import Expectation, Plan
from cudalint.contract import Contract, Fact, Offsets, Origin
from cudalint.engine import confirmation
from cudalint.engine.confirmation import (
    ATTEMPTS,
    MOST_LIMITED,
    MOST_UNSHOWN,
    NOT_SHOWN,
    NOTHING,
    STEP_LIMIT,
    STEP_LIMIT_SAID,
    TOO_LARGE,
    WHOLE_RUNS,
    Runs,
    Seen,
    _not_made,
    blocks_to_run,
    meant_of,
    promised_buffers,
    to_run,
)
from cudalint.engine.draws import Draw
from cudalint.finding import Confidence, Evidence, Finding, LaunchShape, Level, ThreadAccess, Witness
from cudalint.ir import nodes
from cudalint.ir.types import VOID
from cudalint.rule import Context
from cudalint.source import Span
from cudalint.term import number

HERE, THERE = Span("a.cu", 3, 1, 3, 5), Span("a.cu", 9, 1, 9, 5)


@pytest.fixture
def context() -> Context:
    kernel = nodes.Function("k", "k", nodes.Role.KERNEL, (), (), VOID, (), HERE)
    return Context(nodes.Unit("a.cu", {"k": kernel}, {}), kernel, Contract("k", ()), "sm_80")


def finding(span: Span = HERE, confidence: Confidence = Confidence.HIGH, kernel: str = "k") -> Finding:
    return Finding("IDX101", "global-bounds", Level.ERROR, "past the end", span, "x[i]", confidence, kernel=kernel)


class Emulator:
    """Counts its runs, each of which ends in the same way."""

    def __init__(self, evidence: Evidence, reason: str | None = None) -> None:
        self.evidence, self.reason, self.runs = evidence, reason, 0

    def __call__(self, found: Finding, *_: object) -> Finding:
        self.runs += 1
        return replace(found, evidence=self.evidence, evidence_reason=self.reason)


def test_a_place_that_was_shown_is_not_run_under_another_launch(
    monkeypatch: pytest.MonkeyPatch, context: Context
) -> None:
    emulator = Emulator(Evidence.EMULATED)
    monkeypatch.setattr(confirmation, "emulate", emulator)
    runs = Runs()
    runs.confirmed(finding(), context, 0, needed=False)
    runs.confirmed(finding(), context, 0, needed=False)
    runs.confirmed(finding(confidence=Confidence.LOW), context, 0, needed=False)
    assert emulator.runs == 1
    runs.confirmed(finding(THERE), context, 0, needed=False)
    runs.confirmed(finding(), context, 0, needed=True)  # it counts for nothing without a run of its own
    assert emulator.runs == 3


def test_a_surer_finding_at_the_same_place_is_run(monkeypatch: pytest.MonkeyPatch, context: Context) -> None:
    emulator = Emulator(Evidence.EMULATED)
    monkeypatch.setattr(confirmation, "emulate", emulator)
    runs = Runs()
    runs.confirmed(finding(confidence=Confidence.LOW), context, 0, needed=False)
    runs.confirmed(finding(confidence=Confidence.HIGH), context, 0, needed=False)
    assert emulator.runs == 2


def test_a_kernel_whose_runs_come_to_their_limit_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, context: Context
) -> None:
    emulator = Emulator(Evidence.UNCONFIRMED, f"{STEP_LIMIT_SAID}: more than 9 lane steps")
    monkeypatch.setattr(confirmation, "emulate", emulator)
    runs = Runs()
    said = [runs.confirmed(finding(), context, 0, needed=False).evidence_reason for _ in range(MOST_LIMITED + 2)]
    assert emulator.runs == MOST_LIMITED
    assert said[-1] == "not run: other runs of k came to their step limit"
    runs.confirmed(finding(kernel="other"), context, 0, needed=False)
    assert emulator.runs == MOST_LIMITED + 1


@pytest.mark.parametrize(("code", "expected"), [("SYN102", MOST_UNSHOWN), ("IDX101", MOST_UNSHOWN + 2)])
def test_a_race_that_runs_of_some_launches_did_not_show_is_not_run_under_others(
    monkeypatch: pytest.MonkeyPatch, context: Context, code: str, expected: int
) -> None:
    emulator = Emulator(Evidence.UNCONFIRMED, NOT_SHOWN)
    monkeypatch.setattr(confirmation, "emulate", emulator)
    runs, found = Runs(), replace(finding(), code=code)
    said = [runs.confirmed(found, context, 0, needed=False) for _ in range(MOST_UNSHOWN + 2)]
    assert emulator.runs == expected
    assert {f.evidence for f in said} == {Evidence.UNCONFIRMED}


@pytest.mark.parametrize(("needed", "expected"), [(True, MOST_UNSHOWN), (False, MOST_UNSHOWN + 2)])
def test_an_over_approximation_that_runs_of_some_launches_refute_is_not_run_under_others(
    monkeypatch: pytest.MonkeyPatch, context: Context, needed: bool, expected: int
) -> None:
    emulator = Emulator(Evidence.REFUTED, "the emulator ran the access and stayed within bounds")
    monkeypatch.setattr(confirmation, "emulate", emulator)
    runs = Runs()
    for _ in range(MOST_UNSHOWN + 2):
        runs.confirmed(finding(), context, 0, needed=needed)
    assert emulator.runs == expected


def test_runs_of_another_family_have_a_limit_of_their_own(monkeypatch: pytest.MonkeyPatch, context: Context) -> None:
    emulator = Emulator(Evidence.UNCONFIRMED, f"{STEP_LIMIT_SAID}: more than 9 lane steps")
    monkeypatch.setattr(confirmation, "emulate", emulator)
    runs = Runs()
    for _ in range(MOST_LIMITED + 1):
        runs.confirmed(finding(), context, 0, needed=False)
    runs.confirmed(replace(finding(), code="SYN101"), context, 0, needed=True)
    assert emulator.runs == MOST_LIMITED + 1


@pytest.mark.parametrize("reason", [f"{TOO_LARGE[0]} 2147483136 threads", f"{TOO_LARGE[1]}: no memory left for races"])
def test_a_race_whose_witness_is_too_large_is_tried_in_small_launches(
    reason: str, monkeypatch: pytest.MonkeyPatch, context: Context
) -> None:
    small = LaunchShape((2, 1, 1), (64, 1, 1))
    monkeypatch.setattr(confirmation, "draws", lambda *_, **__: iter([Draw(small, {})]))

    def attempt(found: Finding, witness: Witness, *_: object) -> tuple[Finding, int, Seen, bool]:
        if witness.launch != small:
            return replace(found, evidence=Evidence.UNCONFIRMED, evidence_reason=reason), 0, NOTHING, False
        return replace(found, evidence=Evidence.EMULATED), 100, NOTHING, True

    monkeypatch.setattr(confirmation, "_attempt", attempt)
    large = replace(finding(), code="SYN101", witness=Witness(LaunchShape((1 << 20, 1, 1), (1024, 1, 1))))
    told = Runs().confirmed(large, context, 0, needed=True)
    assert told.evidence is Evidence.EMULATED
    assert told.witness is not None and told.witness.ran is not None and told.witness.ran.launch == small


@pytest.mark.parametrize(
    ("steps", "attempts"), [(100, ATTEMPTS), (STEP_LIMIT, WHOLE_RUNS), (WHOLE_RUNS * STEP_LIMIT, 1)]
)
def test_attempts_at_one_finding_share_their_steps(
    steps: int, attempts: int, monkeypatch: pytest.MonkeyPatch, context: Context
) -> None:
    seeds: list[int] = []

    def attempt(found: Finding, *arguments: Any) -> tuple[Finding, int, Seen, bool]:
        seeds.append(arguments[-2])
        return replace(found, evidence=Evidence.UNCONFIRMED, evidence_reason=NOT_SHOWN), steps, NOTHING, False

    monkeypatch.setattr(confirmation, "_attempt", attempt)
    race = replace(finding(), code="SYN101", witness=Witness(LaunchShape((2, 1, 1), (64, 1, 1))))
    Runs().confirmed(race, context, 0, needed=True)
    assert seeds == list(range(attempts))


@pytest.mark.parametrize(
    ("index", "extent", "seen", "shows"),
    [
        (8, 4, 4, True),
        (8, 4, -1, False),
        (-1, None, 0, False),
        (-1, None, -1, True),
        (-(1 << 31), None, 0, False),  # memory of unknown size is left at once
        (-(1 << 31), None, -5, True),
        (1 << 31, None, -(1 << 31), True),
        (1 << 31, 64, 64, True),
    ],
)
def test_which_place_a_run_has_to_come_to(index: int, extent: int | None, seen: int, shows: bool) -> None:
    witness = Witness(LaunchShape((1, 1, 1), (32, 1, 1)), index=index, extent=extent)
    meant = meant_of(finding(), witness, ("out_of_bounds",), Passed(nodes.Unit("a.cu", {})))
    access = Access(HERE, "read", "x", 4 * seen, seen, 4, 4 * (extent or 0), (0, 0, 0), (0, 0, 0))
    assert meant.is_shown(Event("out_of_bounds", access, None, "")) is shows


@pytest.mark.parametrize(
    ("kinds", "ends"), [(("write", "read"), True), (("read", "write"), True), (("write", "write"), False)]
)
def test_a_run_goes_on_for_the_pair_of_accesses_that_is_told(kinds: tuple[AccessKind, AccessKind], ends: bool) -> None:
    """Two writes on the lines of a write and a read show the race, which is told as theirs only where nothing else is seen."""
    sides = tuple(ThreadAccess((0, 0, 0), (x, 0, 0), kind, "a.cu", 3) for x, kind in enumerate(("write", "read")))
    witness = Witness(LaunchShape((1, 1, 1), (32, 1, 1)), threads=sides)
    race = replace(finding(), code="SYN101", span=HERE)
    meant = meant_of(race, witness, ("race",), Passed(nodes.Unit("a.cu", {})))
    one, other = (Access(HERE, kind, "s", 0, 0, 4, 256, (0, 0, 0), (x, 0, 0)) for x, kind in enumerate(kinds))
    event = Event("race", one, other, "")
    assert (meant.is_shown(event), meant.ends(event)) == (True, ends)
    assert loaded(json.loads(json.dumps(dumped(meant)))) == meant


def test_of_a_launch_that_is_too_large_the_block_of_the_witness_is_run() -> None:
    small = Witness(LaunchShape((9, 1, 1), (256, 1, 1)), block=(3, 0, 0))
    large = Witness(LaunchShape((1 << 20, 4, 2), (256, 1, 1)), block=(5, 3, 1))
    assert blocks_to_run(finding(), small) is None
    assert blocks_to_run(finding(), large) == (5 + (1 << 20) * (3 + 4),)
    assert blocks_to_run(replace(finding(), code="SYN102"), large) is None  # who meets whom is a matter of several
    sides = tuple(ThreadAccess((x, 3, 1), (0, 0, 0), "write", "a.cu", 3) for x in (5, 2))
    met = replace(large, threads=sides)
    first = (1 << 20) * (3 + 4)
    assert blocks_to_run(replace(finding(), code="SYN102"), met) == (2 + first, 5 + first)
    assert blocks_to_run(replace(finding(), code="SYN201"), met) is None


def test_what_is_promised_of_memory_that_is_too_large_to_be_filled_is_not_broken() -> None:
    """Zeros in place of row starts, or of numbers from one on, would show what no caller does."""
    launch = LaunchInput((1, 1, 1), (32, 1, 1), 0, ())
    plan = Plan("k", launch, (Buffer("x", None, size=1 << 40),), Expectation((), ()))
    assert _not_made(plan, Contract("k", ())) is None
    assert _not_made(replace(plan, bounds={"x": (0, 9)}), Contract("k", ())) is None
    assert _not_made(replace(plan, bounds={"x": (1, 9)}), Contract("k", ())) == "x"
    starts = Contract("k", (Fact(Offsets("x", number(7)), Origin.ANNOTATION, "offsets(x, 7)"),))
    assert promised_buffers(starts) == {"x"} and _not_made(plan, starts) == "x"
    filled = replace(plan, buffers=(Buffer("x", np.zeros(4, np.uint8)),))
    assert _not_made(filled, starts) is None


def test_a_launch_that_the_emulator_cannot_run_is_not_asked_for_again_and_again() -> None:
    small, large = (LaunchShape((1, 1, 1), (32, 1, 1)), {}), (LaunchShape((1 << 20, 1, 1), (1024, 1, 1)), {})
    assert [*islice(to_run([large], [large, small], repeat(large)), 9)] == [large, small]
    assert [*islice(to_run([small], [large, small], repeat(small)), 4)] == [small] * 4
