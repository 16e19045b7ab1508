"""A read of what the thread has stored itself, and all lanes of its warp have stored alike, needs no barrier between the two."""

from __future__ import annotations

import pytest

from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

PROGRAM = """
__device__ float whole_warp(float v) {
  for (int i = 16; i >= 1; i /= 2) v += SHUFFLE(0xffffffffu, v, i);
  return v;
}
__global__ void centred(const float *x, float *y) {
  __shared__ float sums[8];
  int i = (blockIdx.x * 8 + threadIdx.y) * 32 + threadIdx.x;
  float v = x[i];
  sums[threadIdx.y] = whole_warp(v);
  y[i] = v - sums[READ] / 32;
}
void run(const float *x, float *y) { centred<<<16, dim3(32, 8)>>>(x, y); }
"""


@pytest.mark.parametrize(
    ("shuffle", "read", "verdict"),
    [
        pytest.param("__shfl_xor_sync", "threadIdx.y", Verdict.SAFE, id="its own"),
        pytest.param("__shfl_down_sync", "threadIdx.y", Verdict.VIOLATED, id="not stored alike"),
        pytest.param("__shfl_xor_sync", "threadIdx.y ^ 1", Verdict.VIOLATED, id="that of another warp"),
    ],
)
def test_a_read_of_a_copy_of_its_own(shuffle: str, read: str, verdict: Verdict) -> None:
    text = PROGRAM.replace("SHUFFLE", shuffle).replace("READ", read)
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    results = analyse(unit, unit.functions[kernel], contract).sync_results
    assert [o.verdict for o in results if o.kind == "race" and o.object is not None and o.object.name == "sums"] == [
        verdict
    ]
