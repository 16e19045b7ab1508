"""What wraps for extreme inputs alone is looked for once: the launch that shows it of one access is tried at the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cudalint.contract import Contract
from cudalint.finding import Confidence, Reason, Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.model import Obligation
from cudalint.symbolic.verdicts.decide import Decider

SCALED = """
__global__ void scaled(float* x, float* y, float* z, int rows, int cols) {
  int row = blockIdx.x, col = threadIdx.x;
  if (row < rows && col < cols) {
    int i = row * cols + col;
    x[i] = y[i] + z[i];
  }
}
"""
ONLY_SMALL = SCALED.replace("x[i] = y[i] + z[i];", "y[i] = 1; if (cols < 1000 && rows < 1000) x[i] = 2;")


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[Obligation]:
    """The obligations for which an ordinary launch is looked for."""
    searched: list[Obligation] = []
    found: Callable[..., Any] = Decider._ordinary

    def counted(self: Decider, obligation: Obligation, *terms: Any) -> Any:
        searched.append(obligation)
        return found(self, obligation, *terms)

    monkeypatch.setattr(Decider, "_ordinary", counted)
    return searched


def overflows(source: str) -> list[Obligation]:
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    kernel = next(f for f in unit.functions.values() if f.name == "scaled")
    return [o for o in analyse(unit, kernel, Contract(kernel.id, ())).obligations if o.kind == "overflow"]


def test_one_search_for_all_accesses_that_the_same_index_leads_to(searches: list[Obligation]) -> None:
    found = overflows(SCALED)
    assert len(found) == 3
    assert [(o.verdict, o.confidence) for o in found] == [(Verdict.VIOLATED, Confidence.MEDIUM)] * 3
    assert sum(o.kind == "overflow" for o in searches) == 1


def test_each_witness_is_one_of_its_own_access() -> None:
    first, *others = overflows(SCALED)
    assert first.witness is not None
    for each in others:
        assert each.witness is not None and each.witness.launch == first.witness.launch


def test_a_launch_that_does_not_get_to_the_access_shows_nothing_of_it() -> None:
    assert [o.verdict for o in overflows(ONLY_SMALL)] == [Verdict.VIOLATED, Verdict.SAFE]


def test_what_is_a_finding_at_one_access_is_said_to_wrap_at_the_next() -> None:
    source = SCALED.replace("int rows, int cols", "int tokens, int vocab").replace("rows", "tokens")
    found = overflows(source.replace("cols", "vocab"))
    assert {o.confidence for o in found if o.verdict is Verdict.VIOLATED} == {Confidence.HIGH}
    assert {o.reason for o in found if o.verdict is Verdict.UNKNOWN} == {Reason.OVERFLOW}
