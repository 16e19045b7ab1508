"""Reductions of a tile add in the order of CUDA's header: a sum of floats is what a GPU gives, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from tests.confirm.test_emulate_source import outcome

REDUCE = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(const %(type)s *x, %(type)s *out) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    out[threadIdx.x] = cg::reduce(tile, x[threadIdx.x], cg::%(op)s<%(type)s>());
}
"""


def reduced(op: str, x: np.ndarray[tuple[int], np.dtype[np.float32]]) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    text = REDUCE % {"op": op, "type": "float"}
    found = outcome(text, "k", [x, np.zeros(len(x), np.float32)], grid=1, block=len(x))
    assert found.status == "finished" and found.events == ()
    return found.buffers["out"].view(np.float32)


def test_a_sum_is_that_of_the_butterfly() -> None:
    """2^24 absorbs ones that are added one by one, and keeps those that were added to each other before."""
    x = np.ones(64, np.float32)
    x[0] = x[35] = 2**24
    sums = reduced("plus", x)
    wanted = x.reshape(2, 32)
    for half in (16, 8, 4, 2, 1):
        wanted = wanted[:, :half] + wanted[:, half : 2 * half]
    assert sums.tolist() == np.repeat(wanted, 32).tolist()
    assert np.float32(2**24) + np.float32(1) == 2**24 < sums[0]


@pytest.mark.parametrize(("op", "wanted"), [("less", -3.5), ("greater", 31.0)])
def test_the_smallest_and_the_largest(op: str, wanted: float) -> None:
    x = np.arange(32, dtype=np.float32)
    x[11] = -3.5
    assert (reduced(op, x) == wanted).all()


def test_what_is_no_number_is_compared_as_the_header_does() -> None:
    """`b < a ? b : a` keeps its first operand when either is NaN, so that lanes differ."""
    x = np.arange(32, dtype=np.float32)
    x[0] = np.nan
    smallest = reduced("less", x)
    assert np.isnan(smallest[0]) and smallest[31] == 1
