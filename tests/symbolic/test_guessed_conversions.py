"""A function that nobody declares and that makes a number of numbers is a matter of one thread; one of all threads may wait."""

from __future__ import annotations

import pytest

from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

PROGRAM = """
__global__ void k(float *x, const float *y, int n) {
  __shared__ float s[256];
  s[threadIdx.x] = STORED;
  BARRIER
  x[threadIdx.x] = CALL;
}
void run(float *x, const float *y, int n) { k<<<1, 256>>>(x, y, n); }
"""
BARRIER = "__syncthreads();"


@pytest.mark.parametrize(
    ("stored", "barrier", "call", "verdict"),
    [
        ("Convert<float>::to(y[threadIdx.x])", "", "s[255 - threadIdx.x]", Verdict.VIOLATED),
        ("Convert<float>::to(y[threadIdx.x])", BARRIER, "s[255 - threadIdx.x]", Verdict.SAFE),
        ("converted(y[threadIdx.x], 1)", "", "s[255 - threadIdx.x]", Verdict.VIOLATED),
        ("y[threadIdx.x]", "float t = sum_of(s[threadIdx.x]);", "t + s[255 - threadIdx.x]", Verdict.UNKNOWN),
        ("y[threadIdx.x]", "converted(1);", "s[255 - threadIdx.x]", Verdict.UNKNOWN),
        ("y[threadIdx.x]", "float t = converted(s);", "t + s[255 - threadIdx.x]", Verdict.UNKNOWN),
    ],
)
def test_whether_a_guessed_call_may_wait(stored: str, barrier: str, call: str, verdict: Verdict) -> None:
    text = PROGRAM.replace("STORED", stored).replace("BARRIER", barrier).replace("CALL", call)
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    found = analyse(unit, unit.functions[kernel], contract)
    races = {o.verdict for o in found.sync_results if o.kind == "race" and o.object and o.object.name == "s"}
    assert (Verdict.VIOLATED in races) == (verdict is Verdict.VIOLATED)
    assert (bool(races) and races == {Verdict.SAFE}) == (verdict is Verdict.SAFE)
