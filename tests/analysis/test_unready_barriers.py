"""Uses of barriers in shared memory that the text shows to come before the barrier is set up for all, and those that it orders."""

from __future__ import annotations

import pytest

from cudalint.analysis.synchronization.unready_barriers import unready_barriers
from cudalint.frontend.outline import outline
from cudalint.source import SourceFile

KERNEL = """
__global__ void k(float *y) {{
  extern __shared__ Storage sm[];
  auto turn = [&](int s) {{ mbarrier_wait(&sm->full[s], 1); }};
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {{
    for (int s = 0; s < 2; ++s) mbarrier_init(&sm->full[s], 1);
    fence_barrier_init();
  }}
  {body}
}}
"""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("mbarrier_wait(&sm->full[0], 0);", 1),
        ("__syncthreads();  mbarrier_wait(&sm->full[0], 0);", 0),
        ("cluster_sync_all();  mbarrier_wait(&sm->full[0], 0);", 0),
        ('asm volatile("bar.sync 0;");  mbarrier_wait(&sm->full[0], 0);', 0),
        ("if (warp == 1) mbarrier_wait(&sm->full[1], 0);", 1),
        ("if (warp == 0 && elect_one()) mbarrier_wait(&sm->full[1], 0);", 0),
        ("if (threadIdx.x == 0) mbarrier_arrive_expect_tx(&sm->full[0], 64);", 0),
        ("if (warp == 0) mbarrier_arrive(&sm->full[0]);", 0),
        ("prepare(sm);  mbarrier_wait(&sm->full[0], 0);", 0),
        ("mbarrier_wait(&sm->empty[0], 0);", 0),
    ],
)
def test_a_barrier_is_used_when_all_threads_know_it_is_there(body: str, told: int) -> None:
    text = KERNEL.format(body=body)
    assert len(list(unready_barriers(outline(SourceFile("k.cu", "/k.cu", text))))) == told
