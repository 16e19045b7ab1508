"""A variable that some rounds of a loop set, under conditions on data: it has its first value, or one that a round has set."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract, Extent, Fact, Origin
from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.term import symbol

NEAREST = """
__global__ void k(const float *x, int *counts, int count, int m) {
  int best = FIRST;
  float d = 1e30f;
  for (int c = BEGIN; c < count; c += STEP) {
    float e = fabsf(x[0] - c);
    if (e < d) { d = e; SET; }
  }
  if (count > 0) counts[best] = 1;
}
"""


@pytest.mark.parametrize(
    ("changed", "safe"),
    [
        ({}, True),
        ({"BEGIN": "3", "STEP": "2"}, True),
        ({"SET": "best = c / 2"}, True),
        ({"SET": "if (e > 1) best = c; else best = 0"}, True),
        ({"FIRST": "-1"}, False),
        ({"FIRST": "count"}, False),
        ({"SET": "best = c + 1"}, False),
        ({"SET": "best = c - 1"}, False),
        ({"SET": "best = best + 1"}, False),
        ({"SET": "best = m"}, False),
        ({"SET": "best = (int)x[c]"}, False),
    ],
)
def test_an_index_is_safe_where_all_that_it_is_set_to_is(changed: dict[str, str], safe: bool) -> None:
    text = NEAREST
    for name, value in {"FIRST": "0", "BEGIN": "0", "STEP": "1", "SET": "best = c", **changed}.items():
        text = text.replace(name, value)
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    kernel = next(f for f in unit.functions.values() if f.name == "k")
    size = symbol("count", -(1 << 31), (1 << 31) - 1)
    contract = Contract(kernel.id, (Fact(Extent("counts", size), Origin.ANNOTATION, "as many as there are"),))
    found = [o for o in analyse(unit, kernel, contract).obligations if o.access == "write" and o.kind == "bounds"]
    assert [o.verdict is Verdict.SAFE for o in found] == [safe]
