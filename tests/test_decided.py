"""Which findings of the text give way to what the engine says of the same place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cudalint.engine.decided import with_patterns, without_decided
from cudalint.finding import (
    Confidence,
    Finding,
    KernelResult,
    LaunchSite,
    Level,
    ObligationResult,
    Reason,
    Related,
    Verdict,
)
from cudalint.source import Span

KERNEL = Span("k.cu", 1, 1, 1, 2)


def columns(first: int, last: int, line: int = 5) -> Span:
    return Span("k.cu", line, first, line, last)


def product(span: Span, confidence: Confidence = Confidence.HIGH) -> Finding:
    return Finding("IDX202", "narrow-product", Level.WARNING, "a product", span, "product", confidence)


def overflow(span: Span, confidence: Confidence) -> Finding:
    return Finding("IDX201", "index-overflow", Level.ERROR, "an index", span, "index", confidence)


def walked(*obligations: ObligationResult) -> list[KernelResult]:
    return [KernelResult("k", KERNEL, True, True, obligations=obligations)]


def test_a_safe_access_says_nothing_of_another_one_on_its_line() -> None:
    safe = ObligationResult("global-write-bounds", columns(1, 6), Verdict.SAFE)
    pattern = product(columns(12, 22))
    assert without_decided([pattern], [], walked(safe)) == [pattern]


def test_an_access_whose_index_cannot_wrap_clears_the_product_in_it() -> None:
    access = ObligationResult("global-read-bounds", columns(10, 24), Verdict.UNKNOWN, Reason.NO_EXTENT)
    assert without_decided([product(columns(12, 22))], [], walked(access)) == []


def test_an_overflow_that_is_left_open_clears_nothing() -> None:
    access = ObligationResult("global-read-bounds", columns(10, 24), Verdict.SAFE)
    open_ = ObligationResult("read-overflow", columns(10, 24), Verdict.UNKNOWN, Reason.SOLVER_LIMIT)
    pattern = product(columns(12, 22))
    assert without_decided([pattern], [], walked(access, open_)) == [pattern]


@pytest.mark.parametrize(
    ("engine", "text", "kept"),
    [
        (Confidence.HIGH, Confidence.HIGH, False),
        (Confidence.MEDIUM, Confidence.HIGH, False),
        (Confidence.LOW, Confidence.HIGH, True),
        (Confidence.LOW, Confidence.MEDIUM, False),
    ],
)
def test_what_rests_on_contents_hides_nothing_that_holds_for_all(
    engine: Confidence, text: Confidence, kept: bool
) -> None:
    pattern = product(columns(12, 22), text)
    assert (without_decided([pattern], [overflow(columns(10, 24), engine)], []) == [pattern]) is kept


def test_a_grid_is_told_by_the_elements_it_misses_where_they_are_told() -> None:
    launch = columns(3, 40)
    site = LaunchSite("k.cu", 5, "run")
    elements = Finding("IDX117", "missing-threads", Level.WARNING, "too few", columns(1, 2, 9), "n", Confidence.HIGH)
    elements = replace(elements, launch_site=site)
    grid = Finding("API108", "floored-grid", Level.WARNING, "rounded down", launch, "grid", Confidence.HIGH)
    both = frozenset({"API108", "IDX117"})
    assert with_patterns([elements], [grid], [], both) == [elements]
    assert grid in with_patterns([elements], [grid], [], frozenset({"API108"}))
    weak = replace(elements, confidence=Confidence.MEDIUM)
    assert grid in with_patterns([weak], [grid], [], both)


def test_two_patterns_are_told_by_one_race() -> None:
    race = Finding("SYN101", "shared-race", Level.ERROR, "a race", columns(1, 9), "s", Confidence.HIGH)
    places = [replace(race, code="SYN106", name="unsynchronised-shared", related=(Related(columns(1, 9, line), ""),))
              for line in (8, 11)]  # fmt: skip
    (told,) = with_patterns([race], places, [], frozenset({"SYN101", "SYN106"}))
    assert [related.span.line for related in told.related] == [8, 11]


def test_a_finding_whose_rule_is_not_selected_hides_no_pattern() -> None:
    pattern, found = product(columns(12, 22)), overflow(columns(10, 24), Confidence.HIGH)
    assert pattern in with_patterns([found], [pattern], [], frozenset({"IDX202"}))
    assert pattern not in with_patterns([found], [pattern], [], frozenset({"IDX201", "IDX202"}))
