"""Which findings of the text give way to what the engine says of the same place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cudalint.analysis.guards.guard_findings import REACHED
from cudalint.engine.decided import with_orders_once, with_patterns, without_decided
from cudalint.finding import (
    LEADS_TO,
    NOT_STATED,
    Confidence,
    Evidence,
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


def test_an_access_that_loads_a_factor_says_nothing_of_the_product() -> None:
    member = ObligationResult("global-read-bounds", columns(14, 18), Verdict.UNKNOWN, Reason.NO_EXTENT)
    factor = ObligationResult("global-read-bounds", columns(19, 22), Verdict.SAFE)
    pattern = product(columns(12, 22))
    assert without_decided([pattern], [], walked(member, factor)) == [pattern]


def test_a_narrow_counter_gives_way_to_the_overflow_of_the_element_that_it_chooses() -> None:
    """Another index of the same kernel that overflows says nothing of it."""
    element = Related(columns(10, 14, line=7), REACHED)
    counter = replace(product(columns(1, 20)), code="IDX210", root="narrow-counter", related=(element,))
    assert without_decided([counter], [overflow(columns(10, 14, line=7), Confidence.HIGH)], walked()) == []
    assert without_decided([counter], [overflow(columns(10, 14, line=7), Confidence.MEDIUM)], walked()) == [counter]
    assert without_decided([counter], [overflow(columns(10, 14, line=9), Confidence.HIGH)], walked()) == [counter]


def test_an_overflow_that_is_left_open_clears_nothing() -> None:
    access = ObligationResult("global-read-bounds", columns(10, 24), Verdict.SAFE)
    open_ = ObligationResult("read-overflow", columns(10, 24), Verdict.UNKNOWN, Reason.SOLVER_LIMIT)
    pattern = product(columns(12, 22))
    assert without_decided([pattern], [], walked(access, open_)) == [pattern]


def test_one_index_that_cannot_wrap_clears_the_product_that_others_have_beside_what_is_left_open() -> None:
    """The offset of a row, of which one access walks on by strides that no solver bounds."""
    uses = tuple(Related(columns(10, 24, line), "an index") for line in (7, 9))
    pattern = replace(product(columns(12, 22)), root="product:rows * blockIdx.y", related=uses)
    safe = ObligationResult("write-overflow", columns(10, 24, 7), Verdict.SAFE)
    open_ = ObligationResult("write-overflow", columns(10, 24, 9), Verdict.UNKNOWN, Reason.SOLVER_LIMIT)
    violated = replace(open_, verdict=Verdict.VIOLATED, reason=None)
    assert without_decided([pattern], [], walked(safe, open_)) == []
    assert without_decided([pattern], [], walked(open_)) == [pattern]
    assert without_decided([pattern], [], walked(safe, violated)) == [pattern]


def test_what_the_product_leads_to_says_nothing_of_how_large_it_is() -> None:
    """An access through the moved pointer overflows for sizes that nothing states: what the names say remains."""
    uses = (Related(columns(10, 24, 7), LEADS_TO),)
    pattern = replace(product(columns(12, 22)), root="product:rows * cols", related=uses)
    open_ = ObligationResult("write-overflow", columns(10, 24, 7), Verdict.VIOLATED, detail=NOT_STATED)
    assert without_decided([pattern], [], walked(open_)) == [pattern]
    assert without_decided([replace(pattern, related=(Related(uses[0].span, "an index"),))], [], walked(open_)) == []


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


def test_a_rounded_grid_is_told_once_with_the_witness_of_the_engine() -> None:
    tail = Finding("IDX108", "unguarded-tail", Level.ERROR, "a tail", columns(1, 9), "tail", Confidence.HIGH)
    side = Finding("IDX127", "unguarded-side", Level.ERROR, "a side", columns(5, 9), "side", Confidence.HIGH)
    side = replace(side, evidence=Evidence.WITNESS, trigger="rows = 1")
    (told,) = with_patterns([side], [tail], [], frozenset({"IDX108", "IDX127"}))
    assert (told.code, told.evidence, told.trigger) == ("IDX108", Evidence.WITNESS, "rows = 1")


def test_names_tell_what_the_engine_could_not_know() -> None:
    pattern, engine = product(columns(12, 22)), overflow(columns(10, 24), Confidence.MEDIUM)
    pattern = replace(pattern, root="product:blockIdx.x * tokens * d")
    ordinary = ObligationResult("read-overflow", columns(10, 24), Verdict.VIOLATED, detail=NOT_STATED)
    assert without_decided([pattern], [engine], walked(ordinary)) == [pattern]
    assert without_decided([pattern], [engine], walked(replace(ordinary, detail=""))) == []
    assert without_decided([replace(pattern, root="product:rows * cols")], [engine], walked(ordinary)) == []


@pytest.mark.parametrize(
    ("sizes", "kept"),
    [("rows * lda", False), ("batch_size * stride_b", False), ("tokens * lda", True), ("d * lda", True)],
)
def test_the_distance_of_rows_does_not_say_that_there_are_many(sizes: str, kept: bool) -> None:
    pattern = replace(product(columns(12, 22)), root=f"product:{sizes}")
    ordinary = ObligationResult("read-overflow", columns(10, 24), Verdict.VIOLATED, detail=NOT_STATED)
    assert (without_decided([pattern], [], walked(ordinary)) == [pattern]) is kept


def test_what_takes_extreme_inputs_does_not_hide_that_types_disagree() -> None:
    pattern = replace(product(columns(1, 22)), code="IDX209", name="narrowed-index")
    assert without_decided([pattern], [overflow(columns(10, 24), Confidence.MEDIUM)], []) == [pattern]
    assert without_decided([pattern], [overflow(columns(10, 24), Confidence.HIGH)], []) == []


def test_a_guard_on_the_line_of_its_element_is_told_where_the_engine_does_not_show_what_it_found() -> None:
    guard = Finding("IDX104", "inclusive-guard", Level.ERROR, "i <= n", columns(8, 14), "i <= n")
    element = Finding("IDX101", "global-bounds", Level.ERROR, "x[i]", columns(17, 21), "x", Confidence.MEDIUM)
    assert without_decided([guard], [element], []) == [guard]
    assert without_decided([guard], [replace(element, confidence=Confidence.HIGH)], []) == []


def test_a_stride_that_nothing_uses_is_told_beside_what_only_callers_can_tell_of_the_line() -> None:
    stride = Finding("IDX109", "unused-stride", Level.WARNING, "src_stride", columns(8, 14), "src_stride")
    found = replace(stride, code="IDX102", message="past the end of `aux`", confidence=Confidence.MEDIUM)
    assert without_decided([stride], [found], []) == [stride]
    assert without_decided([stride], [replace(found, confidence=Confidence.HIGH)], []) == []


def test_elements_that_a_grid_misses_are_told_where_the_grid_is() -> None:
    site = LaunchSite("k.cu", 6, "space::run")
    elements = Finding("IDX117", "missing-threads", Level.WARNING, "too few", columns(1, 2, 9), "n", Confidence.HIGH)
    elements = replace(elements, launch_site=site, kernel="fill", evidence=Evidence.EMULATED, trigger="n = 257")
    grid = Finding("API108", "truncated-grid", Level.WARNING, "rounded down", columns(3, 40), "grid", Confidence.HIGH)
    grid = replace(grid, kernel="fill", function="run")
    both = frozenset({"API108", "IDX117"})
    (told,) = with_patterns([elements], [grid], [], both)
    assert (told.code, told.span) == ("API108", grid.span)
    assert (told.evidence, told.trigger) == (Evidence.EMULATED, "n = 257")
    assert told.related == (Related(elements.span, "too few"),)
    assert grid in with_patterns([elements], [grid], [], frozenset({"API108"}))
    weak, elsewhere = replace(elements, confidence=Confidence.MEDIUM), replace(elements, kernel="copy")
    assert with_patterns([weak], [grid], [], both) == [weak, grid]
    assert with_patterns([elsewhere], [grid], [], both) == [elsewhere, grid]


def test_two_patterns_are_told_by_one_race() -> None:
    race = Finding("SYN101", "shared-race", Level.ERROR, "a race", columns(1, 9), "s", Confidence.HIGH)
    places = [replace(race, code="SYN106", name="unsynchronised-shared", related=(Related(columns(1, 9, line), ""),))
              for line in (8, 11)]  # fmt: skip
    (told,) = with_patterns([race], places, [], frozenset({"SYN101", "SYN106"}))
    assert [related.span.line for related in told.related] == [8, 11]


@pytest.mark.parametrize(("array", "left"), [("shared-access-race", 0), ("global-access-race", 1)])
def test_a_race_on_shared_memory_is_refuted_by_the_order_of_shared_memory(array: str, left: int) -> None:
    pattern = Finding("SYN106", "unsynchronised-shared", Level.ERROR, "a race", columns(1, 9), "s", Confidence.HIGH)
    proved = ObligationResult(array, columns(1, 9), Verdict.SAFE)
    kernel = KernelResult("k", columns(1, 2, 1), True, True, obligations=(proved,))
    assert len(with_patterns([], [pattern], [kernel], frozenset({"SYN106"}))) == left


def test_a_finding_whose_rule_is_not_selected_hides_no_pattern() -> None:
    pattern, found = product(columns(12, 22)), overflow(columns(10, 24), Confidence.HIGH)
    assert pattern in with_patterns([found], [pattern], [], frozenset({"IDX202"}))
    assert pattern not in with_patterns([found], [pattern], [], frozenset({"IDX201", "IDX202"}))


def block(code: str, line: int, kernel: str = "ns::k") -> Finding:
    root = f"{code}:{line}"
    return Finding(
        code, "block", Level.WARNING, "large", columns(1, 6, line), root, Confidence.HIGH, kernel=kernel, function="run"
    )


def test_a_block_that_is_too_large_is_told_once() -> None:
    named, found = block("API103", 4, "k"), replace(block("API109", 5), function="ns::run")
    assert with_patterns([found], [named], walked(), frozenset({"API103", "API109"})) == [found]


def test_a_block_of_another_kernel_is_told_beside_it() -> None:
    named, found = block("API103", 4, "other"), block("API109", 5)
    assert with_patterns([found], [named], walked(), frozenset({"API103", "API109"})) == [found, named]


def test_a_guard_is_told_once_with_the_row_whose_end_it_lets_pass() -> None:
    """Where the guard stands, or where the element is that it is about."""
    element = Finding("IDX133", "row-end", Level.ERROR, "a row", Span("k.cu", 4, 5, 4, 9), "row", Confidence.HIGH)
    element = replace(element, evidence=Evidence.WITNESS, trigger="columns = 1")
    guard = Finding(
        "IDX104", "inclusive-guard", Level.ERROR, "a guard", Span("k.cu", 2, 5, 2, 9), "guard", Confidence.HIGH
    )
    guard = replace(guard, related=(Related(element.span, "the element"),))
    (told,) = with_patterns([element], [guard], [], frozenset({"IDX104", "IDX133"}))
    assert (told.code, told.evidence, told.trigger) == ("IDX104", Evidence.WITNESS, "columns = 1")


def test_what_the_text_of_a_header_suggests_is_told_by_the_file_that_launches_its_kernel() -> None:
    read, written, codes = columns(1, 9, 12), columns(1, 9, 8), frozenset({"SYN101", "SYN106"})
    pattern = Finding("SYN106", "shared-use", Level.ERROR, "a race", read, "s", Confidence.HIGH)
    pattern = replace(pattern, related=(Related(written, "the other access"), Related(columns(1, 9, 3), "the loop")))
    race = Finding("SYN101", "shared-race", Level.ERROR, "a race", written, "s", Confidence.HIGH, Evidence.EMULATED)
    race = replace(race, related=(Related(read, "read"),))
    (told,) = with_orders_once([pattern, race], codes)
    assert told.code == "SYN101" and [related.span.line for related in told.related] == [12, 3]
    doubtful = replace(race, confidence=Confidence.MEDIUM)
    assert with_orders_once([pattern, doubtful], codes) == [pattern, doubtful]


def test_a_copy_that_is_told_by_its_bytes_hides_no_other_on_its_line() -> None:
    counted = Finding("API116", "counted-bytes", Level.ERROR, "a copy", columns(1, 40), "copy", Confidence.HIGH)
    same = Finding("API135", "elements-as-bytes", Level.ERROR, "by type", columns(1, 40), "size", Confidence.HIGH)
    other = replace(same, span=columns(42, 80))
    said = with_patterns([counted], [same, other], walked(), frozenset({"API116", "API135"}))
    assert [f.span for f in said if f.code == "API135"] == [columns(42, 80)]


def test_an_element_that_is_read_before_its_guard_is_told_once_by_the_rule_that_is_shown() -> None:
    late = Finding("IDX112", "late-guard", Level.ERROR, "before", columns(1, 40), "late", Confidence.HIGH)
    sibling = Finding("IDX105", "unguarded-sibling", Level.ERROR, "without", columns(1, 40), "sibling", Confidence.HIGH)
    both = frozenset({"IDX105", "IDX112"})
    assert [f.code for f in with_patterns([], [sibling, late], walked(), both)] == ["IDX105"]
    assert [f.code for f in with_patterns([], [sibling, late], walked(), frozenset({"IDX112"}))] == ["IDX105", "IDX112"]
    hidden = replace(sibling, confidence=Confidence.MEDIUM)
    assert [f.code for f in with_patterns([], [hidden, late], walked(), both)] == ["IDX105", "IDX112"]
