"""Bounds that may wrap: in shared memory those of one block decide nothing between its threads, and are told as assumptions."""

from __future__ import annotations

from cudalint.engine.contracts import annotation_facts, complete_contracts
from cudalint.engine.options import ScanOptions
from cudalint.finding import Verdict
from cudalint.frontend.syntax import index
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.model import Obligation

ROWS = """// cudalint: launch grid=(64) block=(16)
__global__ void k(const float *x, float *y, unsigned width) {{
  __shared__ float s[256];
  int t = threadIdx.x;
  float sum = 0;
  for (unsigned c = {first}; c < width; c += 16) {{
    s[{place}] = x[c];
    {barrier}
    sum += s[15 - t];
    __syncthreads();
  }}
  y[t] = sum;
}}
"""


def race_on_s(first: str, place: str = "t", barrier: str = "__syncthreads();") -> Obligation:
    source = SourceFile("k.cu", "/k.cu", ROWS.format(first=first, place=place, barrier=barrier))
    unit = translate(source, ParseOptions(), "/").unit
    (kernel,) = unit.functions.values()
    facts, errors = annotation_facts(kernel, index(source).annotations)
    assert not errors
    (contract,) = complete_contracts(kernel, (), facts, ScanOptions(("k.cu",)))
    results = analyse(unit, kernel, contract).sync_results
    (found,) = (r for r in results if r.kind == "race" and r.object is not None and r.object.name == "s")
    return found


def test_a_bound_that_wraps_for_the_whole_block_keeps_the_proof() -> None:
    assert race_on_s("blockIdx.x * width").verdict is Verdict.SAFE


def test_the_bound_is_told_as_an_assumption() -> None:
    told = [fact.text for fact in race_on_s("blockIdx.x * width").facts]
    assert any("does not wrap" in text for text in told)


def test_the_barrier_is_needed_all_the_same() -> None:
    assert race_on_s("blockIdx.x * width", barrier="").verdict is Verdict.VIOLATED


def test_an_index_that_wraps_is_no_bound() -> None:
    assert race_on_s("0", place="(t * width) & 255").verdict is not Verdict.SAFE
