"""Sizes that the host code has for itself and the kernel never sees: who fills them knows what the launch needs."""

from __future__ import annotations

import pytest

from cudalint.contract import Binding, Contract, Extent, Fact, Geometry, Origin
from cudalint.finding import Confidence, LaunchSite, Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.solver.question import Model
from cudalint.symbolic.verdicts.ties import VAST_BYTES, _is_witness_settled_by_room
from cudalint.term import Term, apply, at_most, disjunction, number, scale, symbol

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


BOXES_THERE = symbol("boxes", 0, 2**62)
BLUR = """
#include <torch/extension.h>
__global__ void blur(const float *in, float *out, int width, int height, int radius) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int i = -radius; i <= radius; ++i)
    if (INSIDE) sum += in[(y + i) * width + x];
  out[y * width + x] = sum;
}
void run(torch::Tensor in, torch::Tensor out, int width, int height, int radius) {
  TORCH_CHECK(radius > 0 && radius < 16 && width > 0 && height > 0 && width < 4096 && height < 4096);
  const dim3 grid((width + 31) / 32, (height + 7) / 8), block(32, 8);
  blur<<<grid, block>>>(in.data_ptr<float>(), out.data_ptr<float>(), width, height, radius);
}
"""


def first_read(inside: str) -> tuple[Verdict | None, int | None]:
    """What is said of the read, and the index of its witness."""
    unit = translate(SourceFile("k.cu", "/k.cu", BLUR.replace("INSIDE", inside)), ParseOptions(), "/").unit
    ((kernel, (contract, *_)),) = launch_contracts(unit).items()
    obligations = analyse(unit, unit.functions[kernel], contract).obligations
    (read,) = (o for o in obligations if o.kind == "bounds" and o.object is not None and o.object.name == "in")
    return read.verdict, read.witness.index if read.witness is not None else None


def test_a_place_before_the_start_is_outside_of_memory_of_any_size() -> None:
    verdict, index = first_read("y + i < height")
    assert verdict is Verdict.VIOLATED and index is not None and index < 0


def test_a_place_beyond_the_end_is_the_business_of_who_makes_the_memory() -> None:
    assert first_read("y + i >= 0 && y + i < height") == (Verdict.UNKNOWN, None)


@pytest.mark.parametrize(
    ("place", "settled"),
    [(10, True), (-1, False), (VAST_BYTES, False)],
)
def test_a_witness_for_which_no_more_questions_are_asked_counts_where_no_memory_is_large_enough(
    place: int, settled: bool
) -> None:
    size, index = scale(symbol("boxes", 0, 2**62), 4), symbol("i", -(2**31), 2**31 - 1)
    outside = disjunction(at_most(index, number(-1)), at_most(size, scale(index, 4)))
    witness = Model({"boxes": 1, "i": place}, {})
    assert _is_witness_settled_by_room(size, witness, outside) is settled


@pytest.mark.parametrize(
    ("rounded", "place", "settled"),
    [(symbol("x"), 10, True), (symbol("x"), -1, False), (BOXES_THERE, 10, False)],
)
def test_what_a_witness_loads_stays_where_it_does_not_hang_on_the_memory(
    rounded: Term, place: int, settled: bool
) -> None:
    size, index = scale(BOXES_THERE, 4), apply("mem:to Int", (rounded,), -(2**31), 2**31 - 1)
    outside = disjunction(at_most(index, number(-1)), at_most(size, scale(index, 4)))
    witness = Model({"boxes": 1, "x": 7}, {("mem:to Int", (7,)): place, ("mem:to Int", (1,)): place})
    assert _is_witness_settled_by_room(size, witness, outside) is settled


GRADIENT = """
__global__ void relu_backward(const float *gradient, unsigned rows, unsigned features, float *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < features * rows; i += blockDim.x * gridDim.x) to[i] = gradient[i OFF];
}
"""


def read_of_gradient(elements: Term, off: str = "") -> Verdict | None:
    """The gradient of a layer; of its rows the host code lost how many there are."""
    text = GRADIENT.replace("OFF", off)
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((name, kernel),) = unit.functions.items()
    one, rows = number(1), symbol("~backward:x#3.size(0)", 1, 2**31 - 1)
    features = symbol("backward:features", 1, 2**31 - 1)
    blocks = symbol("backward:blocks", 1, 2**31 - 1)
    facts = (
        Geometry((blocks, one, one), (number(128), one, one)),
        Extent("gradient", scale(elements, 4), "bytes", "backward:gradient"),
        Binding("rows", rows),
        Binding("features", features),
    )
    site = LaunchSite("k.cu", 1, "backward")
    contract = Contract(name, tuple(Fact(what, Origin.LAUNCH, "") for what in facts), site)
    obligations = analyse(unit, kernel, contract).obligations
    (read,) = (o for o in obligations if o.kind == "bounds" and o.object is not None and o.object.name == "gradient")
    return read.verdict


COUNT = symbol("backward:gradient.numel()", 0, 2**62)


def test_a_tensor_of_any_size_has_room_for_rows_that_the_host_code_lost() -> None:
    assert read_of_gradient(COUNT) is Verdict.UNKNOWN


def test_no_size_has_room_before_the_start() -> None:
    assert read_of_gradient(COUNT, "- 1") is Verdict.VIOLATED


CHOSEN = """
#include <torch/extension.h>
template <int experts>
__global__ void choose(const float *x, float *y, int rows, int used) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float chosen[experts > 32 ? experts / 32 : 1];
  for (int k = 0; k < used; k++)
    if (k % 32 == threadIdx.x) chosen[k / 32] = x[row * experts];
  if (used > 0) y[row] = chosen[0];
}
void run(at::Tensor x, at::Tensor y, at::Tensor weights) {
  CHECKED
  choose<8><<<(x.size(0) + 3) / 4, dim3(32, 4)>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(0), weights.size(1));
}
"""


@pytest.mark.parametrize(
    ("checked", "verdict"),
    [
        ("", Verdict.UNKNOWN),
        ("TORCH_CHECK(weights.size(1) <= 32);", Verdict.SAFE),
        ("TORCH_CHECK(weights.size(1) <= 33);", Verdict.VIOLATED),
    ],
)
def test_a_declared_array_of_one_element_is_as_long_as_the_instance_makes_it(checked: str, verdict: Verdict) -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", CHOSEN.replace("CHECKED", checked)), ParseOptions(), "/").unit
    ((kernel, (contract, *_)),) = launch_contracts(unit).items()
    obligations = analyse(unit, unit.functions[kernel], contract).obligations
    (write, *_) = (o for o in obligations if o.kind == "dimension" and o.access == "write")
    assert write.verdict is verdict
