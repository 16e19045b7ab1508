"""Branches that only a lost host value reaches, in functions that serve arrays of several lengths."""

from __future__ import annotations

import pytest

from cudalint.finding import Confidence, Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

SLOPES = """
#include <cuda_runtime.h>
struct Lens { int across, along; };
struct Camera { Lens lens() const; };
template <int N> __device__ void add_slopes(float (&kept)[N], float x, int order) {
  if (GUARD) kept[3] += x;
}
__global__ void slopes(const float *x, float *out, Lens lens, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float across[3] = {0, 0, 0}, along[LENGTH] = {0, 0, 0};
  add_slopes(across, x[i], lens.across);
  add_slopes(along, x[i], lens.along);
  out[i] = across[0] + across[1] + across[2] + along[0] + along[1] + along[2];
}
void run(const Camera &camera, const Lens &lens, const float *x, float *out, int n) {
  slopes<<<(n + 255) / 256, 256>>>(x, out, PASSED, n);
}
"""


@pytest.mark.parametrize(
    ("guard", "length", "passed", "certain"),
    [
        ("order == 3", "4", "camera.lens()", False),
        ("order > 2", "4", "camera.lens()", False),
        ("order == 3", "3", "camera.lens()", True),
        ("order == 3", "4", "lens", True),
        ("x > 0", "4", "camera.lens()", True),
    ],
)
def test_a_branch_for_longer_arrays_is_taken_where_the_host_says_so(
    guard: str, length: str, passed: str, certain: bool
) -> None:
    text = SLOPES.replace("GUARD", guard).replace("LENGTH", length).replace("PASSED", passed)
    unit = translate(SourceFile("a.cu", "/a.cu", text), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    violated = [
        o for o in analyse(unit, unit.functions[kernel], contract).obligations
        if o.verdict is Verdict.VIOLATED and o.object is not None and o.object.name.startswith("across")
    ]  # fmt: skip
    assert violated
    assert any(o.confidence is not Confidence.LOW for o in violated) == certain
