"""Which updates of global memory the text shows to be lost, and which it leaves to whoever fills the data."""

from __future__ import annotations

import pytest

from cudalint.analysis.synchronization.lost_updates import lost_updates
from cudalint.frontend.outline import outline
from cudalint.source import SourceFile

KERNEL = """
__global__ void k(float *grad, float *rows, const float *g, const int *at, const int *permutation, int n, int w) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = i / 32, lane = i % 32;
  if (i >= n) return;
  {body}
}}
"""


def told(body: str) -> list[bool]:
    """Whether each of the issues is certain."""
    text = KERNEL.format(body=body)
    return [issue.certain for issue in lost_updates(outline(SourceFile("k.cu", "/k.cu", text)))]


@pytest.mark.parametrize(
    "body",
    [
        "grad[0] += g[i];",
        "if (threadIdx.x == 0) *grad += g[i];",
        "grad[w - 1] = grad[w - 1] + g[i];",
        "grad[at[i]] += g[i];",
        "int p = at[i]; grad[p / w * w + p % w] += g[i];",
        "if (at[i] >= 0) grad[blockIdx.y * w + at[i]]++;",
    ],
)
def test_what_all_blocks_or_their_data_name_together_is_lost(body: str) -> None:
    assert told(body) == [True]


def test_rows_that_callers_may_keep_apart_are_uncertain() -> None:
    assert told("rows[at[i]] += g[i];") == [False]


@pytest.mark.parametrize(
    "body",
    [
        "grad[i] += g[i];",
        "grad[blockIdx.x] += g[blockIdx.x];",
        "grad[i * w + at[i]] += g[i];",
        "grad[permutation[i]] += g[i];",
        "if (i == 0 || at[i] != at[i - 1]) grad[at[i]] += g[i];",
        "if (blockIdx.x == 0 && threadIdx.x == 0) grad[0] += g[0];",
        "int row = at ? at[i] : i; if (!at) grad[row] += g[i];",
        "if (meets_no_other(at[i])) grad[at[i]] += g[i];",
        "if (atomicAdd(&claims[0], 1) == n - 1) grad[0] += g[i];",
        "while (atomicCAS(lock, 0, 1) != 0) { } grad[0] += g[i];",
        "grad += blockIdx.x * w; grad[0] += g[i];",
    ],
)
def test_what_is_of_one_thread_or_may_be_kept_apart_is_not_told(body: str) -> None:
    assert told(body) == []


def test_one_block_may_update_as_it_likes() -> None:
    text = KERNEL.format(body="if (threadIdx.x == 0) grad[0] += g[i];")
    launch = "void run(float *x, const int *at) {{ k<<<{grid}, 128>>>(x, x, x, at, at, 9, 3); }}"
    issues = [
        lost_updates(outline(SourceFile("k.cu", "/k.cu", text + launch.format(grid=g)))) for g in ("1", "n", "dim3(1)")
    ]
    assert [len(list(found)) for found in issues] == [0, 1, 0]
