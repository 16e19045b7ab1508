"""Waits for copies that let all groups go on, where the stages of a pipeline are a parameter of the template."""

from __future__ import annotations

import pytest

from cudalint.analysis.synchronization.idle_waits import idle_waits
from cudalint.frontend.outline import outline
from cudalint.source import SourceFile

KERNEL = """
template <int STAGES>
__global__ void k(const float *x, float *y) {{
  extern __shared__ float tile[];
  constexpr int ahead = STAGES == 1 ? 1 : STAGES - 1;
  int s;
  for (s = 0; s < ahead; ++s) {{
    __pipeline_memcpy_async(&tile[s * 32], &x[s * 32], 4);
    if constexpr ({asked}) __pipeline_commit();
  }}
  if constexpr (STAGES > 1) __pipeline_wait_prior(STAGES - {less});
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x];
}}
"""


@pytest.mark.parametrize(("less", "asked", "told"), [(1, "STAGES > 1", 1), (2, "STAGES > 1", 0), (1, "STAGES > 2", 0)])
def test_as_many_groups_are_counted_as_the_wait_has_stages(less: int, asked: str, told: int) -> None:
    text = KERNEL.format(less=less, asked=asked)
    assert len(list(idle_waits(outline(SourceFile("k.cu", "/k.cu", text))))) == told
