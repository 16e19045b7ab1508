"""Indices and trip counts that come from memory by a detour: an array of the thread, a step that a loop loads."""

from __future__ import annotations

import pytest

from cudalint.finding import Confidence, Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.model import Obligation

HISTOGRAM = """
template <int N> struct Loaded {
  union { int data[N]; uint4 raw; } value;
  __device__ void load(const int *from) { value.raw = *reinterpret_cast<const uint4 *>(from); }
};
__global__ void histogram(int *bins, const int *data, int count) {
  Loaded<4> loaded;
  int stride = 4 * blockDim.x * gridDim.x, rounds = (count + stride - 1) / stride;
  for (int round = 0; round < rounds; round++) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x) + round * stride;
    if (i < count) loaded.load(data + i);
    for (int j = 0; j < 4; ++j) {
      int bin = INDEX;
      if (i + j < count) atomicAdd(bins + bin, 1);
    }
  }
}
void run(const int *from, int count, int bins) {
  if (count < 4 || count % 4 || bins < 1 || bins > 64) return;
  int *to, *data;
  cudaMalloc(&to, bins * sizeof(int));
  cudaMalloc(&data, count * sizeof(int));
  histogram<<<10, 256>>>(to, data, count);
}
"""

GROUPS = """
__global__ void scale_groups(const unsigned short *lengths, const float *largest, float *out, int from, int to) {
  float scales[4];
  int at = from;
  for (int group = 0; at < to; group++) {
    scales[group] = largest[group];
    at += STEP;
  }
  out[threadIdx.x] = scales[0];
}
void run(const unsigned short *lengths, const float *largest, float *out, int to) {
  if (to < 1 || to > 128) return;
  scale_groups<<<1, 32>>>(lengths, largest, out, 0, to);
}
"""


def violated(source: str, name: str) -> list[Obligation]:
    """What is violated of the accesses to the array."""
    unit = translate(SourceFile("a.cu", "/a.cu", source), ParseOptions(), "/").unit
    ((kernel, contracts),) = launch_contracts(unit).items()
    found = [analyse(unit, unit.functions[kernel], contract) for contract in contracts]
    return [
        o for analysis in found for o in analysis.obligations
        if o.verdict is Verdict.VIOLATED and o.object is not None and o.object.name == name
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("index", "confidence"), [("loaded.value.data[j]", Confidence.LOW), ("j + 80", Confidence.HIGH)]
)
def test_a_vector_of_loaded_integers_that_is_kept_from_a_former_round_is_what_memory_holds(
    index: str, confidence: Confidence
) -> None:
    found = {o.confidence for o in violated(HISTOGRAM.replace("INDEX", index), "bins") if o.kind == "bounds"}
    assert found == {confidence}


@pytest.mark.parametrize(("step", "told"), [("lengths[at]", False), ("16", True)])
def test_a_loop_that_moves_on_by_loaded_lengths_has_as_many_rounds_as_memory_says(step: str, told: bool) -> None:
    found = violated(GROUPS.replace("STEP", step), "scales")
    assert any(o.confidence is Confidence.HIGH for o in found) is told
