"""Which witnesses of a file are run: one of each place, and not again and again where runs come to their limit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cudalint.contract import Contract
from cudalint.engine import confirmation
from cudalint.engine.confirmation import MOST_LIMITED, STEP_LIMIT_SAID, Runs
from cudalint.finding import Confidence, Evidence, Finding, Level
from cudalint.ir import nodes
from cudalint.ir.types import VOID
from cudalint.rule import Context
from cudalint.source import Span

HERE, THERE = Span("a.cu", 3, 1, 3, 5), Span("a.cu", 9, 1, 9, 5)


@pytest.fixture
def context() -> Context:
    kernel = nodes.Function("k", "k", nodes.Role.KERNEL, (), (), VOID, (), HERE)
    return Context(nodes.Unit("a.cu", {}, {}), kernel, Contract("k", ()), "sm_80")


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
