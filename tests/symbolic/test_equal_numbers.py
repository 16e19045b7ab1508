"""Stores of equal numbers are benign (SEMANTICS 16), also where each thread has made its own in the same way of equal ones."""

from __future__ import annotations

import pytest

from cudalint.finding import Confidence
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

KERNEL = """
#include <cuda_runtime.h>
__global__ void statistics(float2 *of_group, const float *sums, int channels, int per_group, int groups, float scale) {
  int channel = blockIdx.x * 256 + threadIdx.x;
  int group = channel / per_group;
  float sum = 0.f, squares = 0.f;
  if (group < groups) {
    sum = sums[2 * blockIdx.z * groups + group];
    squares = sums[(2 * blockIdx.z + 1) * groups + FROM];
  }
  if (channel < channels && group < groups) {
    float2 pair;
    pair.x = sum * scale;
    pair.y = squares * SCALE;
    of_group[blockIdx.z * groups + group] = pair;
  }
}
void run(float2 *of_group, const float *sums, int batch, int channels, int per_group, float scale) {
  CHECKED
  statistics<<<dim3((channels + 255) / 256, 1, batch), 256>>>(
      of_group, sums, channels, per_group, channels / per_group, scale);
}
"""


def sure_of_race(from_: str, scale: str, checked: str = "") -> set[Confidence]:
    """How sure it is that threads store different pairs for one group."""
    text = KERNEL.replace("FROM", from_).replace("SCALE", scale).replace("CHECKED", checked)
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((kernel, (contract, *_)),) = launch_contracts(unit).items()
    return {race.confidence for race in analyse(unit, unit.functions[kernel], contract).races}


@pytest.mark.parametrize(("from_", "scale"), [("group", "scale"), ("group + 1", "(scale + squares)")])
def test_threads_of_a_group_store_what_each_made_of_the_sums_of_the_group(from_: str, scale: str) -> None:
    assert not sure_of_race(from_, scale, "if (per_group < 1) return;")
    assert sure_of_race(from_, scale) <= {Confidence.MEDIUM}, (
        "channels of groups of less than none are no ordinary input"
    )


@pytest.mark.parametrize(("from_", "scale"), [("threadIdx.x", "scale"), ("group", "threadIdx.x")])
def test_what_one_of_them_has_of_its_own_makes_the_pairs_differ(from_: str, scale: str) -> None:
    assert Confidence.HIGH in sure_of_race(from_, scale, "if (per_group < 1) return;")
