"""The launch for which an index wraps leads out of the memory as well: whether anything does is not asked again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cudalint.engine.contracts import annotation_facts, complete_contracts
from cudalint.engine.options import ScanOptions
from cudalint.finding import Reason, Verdict
from cudalint.frontend.syntax import index
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.model import Obligation
from cudalint.symbolic.verdicts.decide import Decider

ROWS = """
// cudalint: extent(x) = rows * cols
// cudalint: assume 0 < rows && rows < 4000000 && 0 < cols && cols <= 1024
// cudalint: launch grid=(rows) block=(cols)
__global__ void k(char* x, {type} rows, {type} cols) {{
  {type} i = blockIdx.x * cols + threadIdx.x;
  x[i] = 1;
}}
"""


@pytest.fixture
def excluded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What linear arithmetic was asked to exclude."""
    asked: list[str] = []
    exclude: Callable[..., bool] = Decider.excluded

    def recorded(self: Decider, name: str, *terms: Any) -> bool:
        asked.append(name)
        return exclude(self, name, *terms)

    monkeypatch.setattr(Decider, "excluded", recorded)
    return asked


def obligations(type_: str) -> dict[str, Obligation]:
    source = SourceFile("k.cu", "/k.cu", ROWS.format(type=type_))
    unit = translate(source, ParseOptions(), "/").unit
    (kernel,) = unit.functions.values()
    facts, errors = annotation_facts(kernel, index(source).annotations)
    assert not errors
    (contract,) = complete_contracts(kernel, (), facts, ScanOptions(("k.cu",)))
    return {o.kind: o for o in analyse(unit, kernel, contract).obligations}


def test_where_the_wrap_is_known_to_lead_out_nothing_is_excluded(excluded: list[str]) -> None:
    found = obligations("int")
    assert found["overflow"].verdict is Verdict.VIOLATED
    assert (found["bounds"].verdict, found["bounds"].reason) == (Verdict.UNKNOWN, Reason.OVERFLOW)
    assert excluded.count("violated") == 1  # of the wrap itself


def test_where_nothing_wraps_the_bounds_are_proved(excluded: list[str]) -> None:
    assert obligations("long long")["bounds"].verdict is Verdict.SAFE
