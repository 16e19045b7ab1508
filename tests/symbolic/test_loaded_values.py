"""Stores of equal values are benign (SEMANTICS 16), but not where the values come from an element that changes meanwhile."""

from __future__ import annotations

from cudalint.contract import Contract
from cudalint.finding import Reason, Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse

KERNEL = """
__global__ void spread() {
  __shared__ int from[32], to[32];
  int v = from[5];
  to[0] = v;
  BARRIER
  from[5] = STORED;
}
"""


def race_of_to(barrier: str, stored: str) -> tuple[Verdict, Reason | None]:
    text = KERNEL.replace("BARRIER", barrier).replace("STORED", stored)
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((name, kernel),) = unit.functions.items()
    results = analyse(unit, kernel, Contract(name, ())).sync_results
    (race,) = [r for r in results if r.kind == "race" and r.object is not None and r.object.name == "to"]
    return race.verdict, race.reason


BARRIER = "__syncthreads();"


def test_threads_that_load_an_element_before_a_barrier_store_what_was_there() -> None:
    assert race_of_to(BARRIER, "3") == (Verdict.SAFE, None)


def test_without_a_barrier_a_thread_may_load_what_another_has_stored_already() -> None:
    assert race_of_to("", "3") == (Verdict.UNKNOWN, Reason.MEMORY_VALUE)


def test_nothing_is_said_of_what_was_loaded_from_an_array_whose_own_stores_race() -> None:
    assert race_of_to(BARRIER, "threadIdx.x") == (Verdict.UNKNOWN, Reason.MEMORY_VALUE)
