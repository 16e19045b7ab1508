"""A block that callers choose, none of whom is in sight, is not told: what the usual blocks do not do is of medium confidence."""

from __future__ import annotations

import pytest

from cudalint.finding import Confidence, Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

SCANNED = """
__global__ void total(const float *x, float *y) {
  __shared__ float part[128];
  part[2 * threadIdx.x - threadIdx.x % 32] = x[threadIdx.x];
}
"""
KERNEL = """
__global__ void total(const float *x, float *y) {
  __shared__ float part[64];
  part[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
}
"""
RUNNER = """
struct Runner {
  dim3 grid, block;
  Runner(dim3 grid, dim3 block) : grid(grid), block(block) {}
  void call(const float *x, float *y) { total<<<grid, block>>>(x, y); }
};
"""


def confidences(program: str) -> set[Confidence | None]:
    """Of the writes that leave the array."""
    unit = translate(SourceFile("k.cu", "/k.cu", program), ParseOptions(), "/").unit
    ((kernel, contracts),) = launch_contracts(unit).items()
    found = [o for c in contracts for o in analyse(unit, unit.functions[kernel], c).obligations]
    return {o.confidence for o in found if o.access == "write" and o.verdict is Verdict.VIOLATED}


@pytest.mark.parametrize(
    ("host", "confidence"),
    [
        ("void run(const float *x, float *y, dim3 block) { total<<<1, block>>>(x, y); }", Confidence.MEDIUM),
        ("void run(const float *x, float *y, int threads) { total<<<1, threads>>>(x, y); }", Confidence.MEDIUM),
        (RUNNER, Confidence.MEDIUM),
        (RUNNER + "void run(float *x, float *y) { Runner(1, dim3(128)).call(x, y); }", Confidence.HIGH),
        (
            "void run(float *x, float *y, int threads) { if (threads < 512) total<<<1, threads>>>(x, y); }",
            Confidence.HIGH,  # the host code says which blocks it takes
        ),
        ("void run(float *x, float *y) { total<<<1, 128>>>(x, y); }", Confidence.HIGH),
    ],
)
def test_a_shared_array_is_too_small_for_certain_where_the_block_is_told(host: str, confidence: Confidence) -> None:
    assert confidences(KERNEL + host) == {confidence}


@pytest.mark.parametrize(
    ("block", "confidence"), [("dim3 block", Confidence.MEDIUM), ("int block = 128", Confidence.MEDIUM)]
)
def test_a_kernel_that_is_written_for_a_small_block_may_get_one(block: str, confidence: Confidence) -> None:
    host = f"void run(const float *x, float *y, {block}) {{ total<<<1, block>>>(x, y); }}"
    assert confidences(SCANNED + host) == {confidence}


def test_a_block_that_the_launch_tells_is_what_it_is() -> None:
    host = "void run(const float *x, float *y) { total<<<1, BLOCK>>>(x, y); }"
    assert confidences(SCANNED + host.replace("BLOCK", "128")) == {Confidence.HIGH}
    assert confidences(SCANNED + host.replace("BLOCK", "64")) == set()
