"""Bounds that may wrap: in shared memory those of one block decide nothing between its threads, and are told as assumptions."""

from __future__ import annotations

import pytest

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


OWN = """// cudalint: launch grid=(64) block=(16)
__global__ void k(const float *x, float *y, unsigned n, unsigned width) {{
  __shared__ float s[32];
  unsigned t = threadIdx.x;
  {body}
  __syncthreads();
  y[t] = s[t];
}}
"""


def race_on_s(first: str, place: str = "t", barrier: str = "__syncthreads();") -> Obligation:
    return race_in(ROWS.format(first=first, place=place, barrier=barrier))


def race_in(text: str) -> Obligation:
    source = SourceFile("k.cu", "/k.cu", text)
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


STRIDE = "for (unsigned p = (blockIdx.x * 16 + t) * width; p < n; p += 1024 * width) s[{place}] += x[p];"


def test_elements_of_ones_own_are_so_however_the_place_in_the_data_wraps() -> None:
    assert race_in(OWN.format(body=STRIDE.format(place="t"))).verdict is Verdict.SAFE


def test_an_element_of_the_neighbour_is_not() -> None:
    assert race_in(OWN.format(body=STRIDE.format(place="t / 2"))).verdict is not Verdict.SAFE


def test_a_condition_that_wraps_keeps_nobody_out() -> None:
    """Products by one width are different as numbers, and may be equal in 32 bits."""
    assert (
        race_in(OWN.format(body="s[t] = 0; __syncthreads(); if (t * width == 5) s[0] = t;")).verdict is not Verdict.SAFE
    )


BARRIER = "s[t] = x[t]; if ({condition}) __syncthreads(); y[t] = s[15 - t];"


@pytest.mark.parametrize(
    ("condition", "safe"),
    [
        pytest.param("n * width > 5u", False, id="a product that may wrap to less"),
        pytest.param("n > 2u", True, id="a value that the contract gives"),
        pytest.param("n > 2u && width > 2u", True, id="two of them"),
    ],
)
def test_a_barrier_separates_only_where_its_condition_holds_as_the_machine_has_it(condition: str, safe: bool) -> None:
    text = "// cudalint: assume n >= 3 && width >= 3\n" + OWN.format(body=BARRIER.format(condition=condition))
    assert (race_in(text).verdict is Verdict.SAFE) is safe
