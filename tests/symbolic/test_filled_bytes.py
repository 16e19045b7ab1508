"""`memset` in a kernel stores what it fills: beyond an array, before others have come, and zero where that is an index."""

from __future__ import annotations

import pytest

from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

PROGRAM = """
struct Place { int at; float weights[3]; };
__global__ void filled(float *x, int n) {
  __shared__ float s[256];
  float own[8];
  Place place;
  BODY
}
void run(int n) {
  float *x;
  if (n < 1 || n > 100000) return;
  cudaMalloc(&x, 256 * n * sizeof(float));
  filled<<<n, 256>>>(x, n);
}
"""
IN_TURN = "if (threadIdx.x == 0) memset(s, 0, sizeof(s)); BARRIER x[256 * blockIdx.x + threadIdx.x] = s[threadIdx.x];"
ROWS = "if (threadIdx.x LESS 32) memset(x + 256 * blockIdx.x + 8 * threadIdx.x, 1, 8 * sizeof(float));"
BYTES = "if (threadIdx.x == 0) memset(x, n, 1024 * (size_t)n EXTRA);"
INDEX = "memset(&place, 0, sizeof(place)); if (blockIdx.x == 0) x[threadIdx.x - place.at - FIRST] = 1;"


@pytest.mark.parametrize(
    ("body", "kind", "verdict"),
    [
        pytest.param("memset(own, 0, 8 * sizeof(float)); x[0] = own[n & 7];", "bounds", Verdict.SAFE, id="all"),
        pytest.param("memset(own, 0, 9 * sizeof(float));", "bounds", Verdict.VIOLATED, id="one more"),
        pytest.param(IN_TURN.replace("BARRIER", "__syncthreads();"), "race", Verdict.SAFE, id="in turn"),
        pytest.param(IN_TURN.replace("BARRIER", ""), "race", Verdict.VIOLATED, id="no barrier"),
        pytest.param(ROWS.replace("LESS", "<"), "bounds", Verdict.SAFE, id="rows"),
        pytest.param(ROWS.replace("LESS", "<="), "bounds", Verdict.VIOLATED, id="a row more"),
        pytest.param(BYTES.replace("EXTRA", ""), "bounds", Verdict.SAFE, id="bytes"),
        pytest.param(BYTES.replace("EXTRA", "+ 1"), "bounds", Verdict.VIOLATED, id="a byte more"),
        pytest.param(INDEX.replace("FIRST", "0"), "bounds", Verdict.SAFE, id="zero"),
        pytest.param(INDEX.replace("FIRST", "1"), "bounds", Verdict.VIOLATED, id="before zero"),
    ],
)
def test_what_is_filled(body: str, kind: str, verdict: Verdict) -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", PROGRAM.replace("BODY", body)), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    found = analyse(unit, unit.functions[kernel], contract)
    kinds = ("bounds", "dimension") if kind == "bounds" else (kind,)
    results = [o.verdict for o in (*found.obligations, *found.sync_results) if o.kind in kinds and o.access != "read"]
    assert (Verdict.VIOLATED in results) == (verdict is Verdict.VIOLATED)
    assert verdict is not Verdict.SAFE or set(results) == {Verdict.SAFE}
