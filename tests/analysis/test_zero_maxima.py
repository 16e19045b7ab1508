"""Maxima of a softmax that begin with zero, where the elements are computed and the largest one goes through shared memory."""

from __future__ import annotations

import pytest

from cudalint.analysis.precision.zero_maxima import zero_maxima
from cudalint.frontend.outline import outline
from cudalint.source import SourceFile

KERNEL = """
__global__ void softmax(const half *q, const float *mask, float *y, float scale, int n) {{
  float data[4];
  __shared__ float s_max;
  float local_max = {first};
  for (int i = 0; i < n; i++) {{
    data[i] = {score};
    local_max = fmaxf(local_max, data[i]);
  }}
  float max_val = blockDim.x <= 32 ? warpReduceMax(local_max) : blockReduceMax<float>(local_max);
  if (threadIdx.x == 0) s_max = max_val;
  __syncthreads();
  float sum = {sink};
  for (int i = 0; i < n; i++) {{
    data[i] = __expf(data[i] - s_max);
    sum += data[i];
  }}
  y[threadIdx.x] = sum;
}}
"""
SCORE = "(float)q[i] * scale + mask[i]"


@pytest.mark.parametrize(
    ("first", "score", "sink", "told"),
    [
        ("0.f", SCORE, "0.f", 1),
        ("-FLT_MAX", SCORE, "0.f", 0),
        ("0.f", "fabsf((float)q[i])", "0.f", 0),
        ("0.f", SCORE, "__expf(-s_max)", 0),
    ],
)
def test_computed_scores_may_all_be_below_zero(first: str, score: str, sink: str, told: int) -> None:
    text = KERNEL.format(first=first, score=score, sink=sink)
    assert len(list(zero_maxima(outline(SourceFile("k.cu", "/k.cu", text))))) == told
