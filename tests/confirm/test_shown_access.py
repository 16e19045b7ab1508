"""A run shows a finding where its own access leaves the object, not where another access of the same line does."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract, Extent, Fact, Origin
from cudalint.engine.confirmation import emulate
from cudalint.finding import Evidence, Finding, LaunchShape, Level, ThreadAccess, Witness
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile, Span
from cudalint.term import number

TEXT = """__global__ void k(float* out) {
    float kept[4] = {1, 2, 3, 4}, spilled[2] = {0, 0};
    spilled[threadIdx.x] = kept[threadIdx.x / 8];
    out[0] = spilled[0];
}
"""

SHARED_BY_BLOCKS = """__global__ void k(float* out) {
    out[threadIdx.x] = blockIdx.x + threadIdx.x;
}
"""


@pytest.mark.parametrize(("access", "shown"), [("spilled[threadIdx.x]", True), ("kept[threadIdx.x / 8]", False)])
def test_only_the_access_that_leaves_its_object_is_shown(access: str, shown: bool) -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", TEXT), ParseOptions(), "/").unit
    (kernel,) = unit.functions.values()
    column = TEXT.splitlines()[2].index(access) + 1
    span = Span("k.cu", 3, column, 3, column + len(access))
    witness = Witness(LaunchShape((1, 1, 1), (8, 1, 1), 0), {}, (0, 0, 0), (4, 0, 0), index=4, extent=2)
    found = Finding("IDX103", "local-bounds", Level.ERROR, "past the end", span, access, kernel="k", witness=witness)
    evidence = emulate(found, unit, kernel, Contract("k", ()), 0).evidence
    assert (evidence is Evidence.EMULATED) == shown


@pytest.mark.parametrize(("other", "shown"), [((1, 0, 0), True), ((0, 0, 0), False)])
def test_threads_of_one_block_are_not_shown_to_meet_by_those_of_two(other: tuple[int, int, int], shown: bool) -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", SHARED_BY_BLOCKS), ParseOptions(), "/").unit
    (kernel,) = unit.functions.values()
    span = Span("k.cu", 2, 5, 2, 21)
    sides = tuple(ThreadAccess(block, (4, 0, 0), "write", "k.cu", 2, 4) for block in ((0, 0, 0), other))
    witness = Witness(LaunchShape((2, 1, 1), (8, 1, 1), 0), {}, (0, 0, 0), (4, 0, 0), threads=sides, index=4)
    found = Finding("SYN102", "global-race", Level.ERROR, "race", span, "k", kernel="k", witness=witness)
    assert (emulate(found, unit, kernel, Contract("k", ()), 0).evidence is Evidence.EMULATED) == shown


def test_a_pointer_that_a_run_reads_where_nothing_was_set_shows_no_index_far_away() -> None:
    text = """struct Page { unsigned char *data; int size; };
__global__ void k(const Page *pages, int *out) {
    out[threadIdx.x] = pages[threadIdx.x].data[pages[threadIdx.x].size];
}
"""
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    (kernel,) = (f for f in unit.functions.values() if f.name == "k")
    column = text.splitlines()[2].index("pages") + 1
    span = Span("k.cu", 3, column, 3, text.splitlines()[2].index(";") + 1)
    witness = Witness(LaunchShape((1, 1, 1), (8, 1, 1), 0), {}, (0, 0, 0), (0, 0, 0), index=-(1 << 31))
    found = Finding("IDX101", "global-bounds", Level.ERROR, "before", span, "pages[]", kernel="k", witness=witness)
    assert emulate(found, unit, kernel, Contract("k", ()), 0).evidence is not Evidence.EMULATED


SHORT_AND_LONG = """__device__ void put(int* to, int at) { to[at] = at; }
__global__ void k(int* kept, int* spilled) {
    put(kept, threadIdx.x);
    put(spilled, threadIdx.x);
}
"""


@pytest.mark.parametrize(("memory", "shown"), [("spilled", True), ("kept", False), (None, True)])
def test_a_function_that_is_called_for_two_arrays_leaves_the_one_that_is_told(memory: str | None, shown: bool) -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", SHORT_AND_LONG), ParseOptions(), "/").unit
    (kernel,) = (f for f in unit.functions.values() if f.name == "k")
    sizes = (
        Fact(Extent("kept", number(8), "elements", "d_kept"), Origin.ANNOTATION, "kept"),
        Fact(Extent("spilled", number(2), "elements"), Origin.ANNOTATION, "spilled"),
    )
    line = SHORT_AND_LONG.splitlines()[0]
    span = Span("k.cu", 1, line.index("to[at]") + 1, 1, line.index(";") + 1)
    witness = Witness(LaunchShape((1, 1, 1), (8, 1, 1), 0), {}, (0, 0, 0), (2, 0, 0), index=2, extent=2, memory=memory)
    found = Finding("IDX101", "global-bounds", Level.ERROR, "past the end", span, "to[at]", kernel="k", witness=witness)
    evidence = emulate(found, unit, kernel, Contract("k", sizes), 0).evidence
    assert (evidence is Evidence.EMULATED) == shown
