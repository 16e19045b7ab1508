"""Sizes that the host code has for itself and the kernel never sees: who fills them knows what the launch needs."""

from __future__ import annotations

from cudalint.finding import Confidence, Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

BOXES = """
#include <cuda_runtime.h>
struct Box { int x, y, z, number; long first; int neighbours[26]; };
struct Dims { long boxes; long bytes; };
__global__ void numbers(Dims dims, const Box *boxes, long *firsts) {
  int b = blockIdx.x;
  if (b <= dims.boxes - LAST && threadIdx.x == 0) firsts[b] = boxes[b + BEHIND].first;
}
bool collect(Dims dims, long *firsts) {
  Box *boxes;
  cudaMalloc(&boxes, BYTES);
  cudaMemset(boxes, 0, BYTES);
  numbers<<<dims.boxes, 32>>>(dims, boxes, firsts);
  return cudaGetLastError() == cudaSuccess;
}
"""


def sure(bytes_: str, behind: str = "0", last: str = "1") -> set[Confidence | None]:
    """How sure it is that a read leaves the boxes."""
    text = BOXES.replace("BYTES", bytes_).replace("BEHIND", behind).replace("LAST", last)
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((kernel, contracts),) = launch_contracts(unit).items()
    found = [o for c in contracts for o in analyse(unit, unit.functions[kernel], c).obligations]
    return {o.confidence for o in found if o.kind == "bounds" and o.verdict is Verdict.VIOLATED}


def test_bytes_of_a_struct_that_the_kernel_never_reads_are_what_its_launch_needs() -> None:
    assert not sure("dims.bytes")


def test_memory_for_the_boxes_of_the_struct_is_short_of_one_behind_them() -> None:
    assert sure("dims.boxes * sizeof(Box)", "1") == {Confidence.HIGH}
    assert not sure("dims.boxes * sizeof(Box)")


def test_bytes_that_the_kernel_reads_are_its_own_business() -> None:
    assert sure("dims.bytes", last="dims.bytes") == {Confidence.HIGH}
