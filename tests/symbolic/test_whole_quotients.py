"""Sizes that a check holds to whole multiples are products with a name for the quotient."""

from __future__ import annotations

import pytest

from cudalint.contract import Assume, Binding, Contract, Extent, Geometry
from cudalint.finding import Confidence, Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.issues import Analysis
from cudalint.term import Choice, Quotient, holds_any, multiply, number, wrapped

HEADS = """
#include <torch/extension.h>
__global__ void k(float *out, const float *in, int heads, int head_size) {
  for (int i = threadIdx.x; i < heads * head_size; i += blockDim.x) {
    long row = (long)blockIdx.x * heads * head_size;
    out[row + i] = in[INDEX];
  }
}
void f(torch::Tensor out, torch::Tensor in, torch::Tensor places, int64_t head_size) {
  TORCH_CHECK(in.is_contiguous() && out.is_contiguous() && out.numel() == in.numel());
  SIGN
  int64_t rows = places.numel();
  if (rows == 0) return;
  TORCH_CHECK(in.numel() % (rows * head_size) == 0);
  int heads = in.numel() / rows / head_size;
  k<<<rows, 128>>>(out.data_ptr<float>(), in.data_ptr<float>(), heads, head_size);
}
"""
POSITIVE = "TORCH_CHECK(head_size > 0);"


def analysed(text: str) -> tuple[Contract, Analysis]:
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((kernel, (contract, *_)),) = launch_contracts(unit).items()
    return contract, analyse(unit, unit.functions[kernel], contract)


def test_the_elements_are_the_product_of_what_they_are_divided_by() -> None:
    contract, _ = analysed(HEADS.replace("INDEX", "row + i").replace("SIGN", POSITIVE))
    whats = [fact.what for fact in contract.facts]
    heads = next(what.value for what in whats if isinstance(what, Binding) and what.parameter == "heads")
    size = next(what.value for what in whats if isinstance(what, Binding) and what.parameter == "head_size")
    rows = next(what.grid[0] for what in whats if isinstance(what, Geometry))
    assert rows is not None
    (read, written) = (w.size for w in whats if isinstance(w, Extent))
    product = multiply(multiply(number(4), heads.parts[0]), multiply(size.parts[0], rows.parts[0]))
    assert read is product and written is product, "of both tensors, which have as many elements"
    assert wrapped(heads.parts[0], 32, True) is heads


@pytest.mark.parametrize("index", ["row + i + 1", "row + i + head_size", "row * 2 + i"])
def test_rows_that_are_left_are_told(index: str) -> None:
    _, analysis = analysed(HEADS.replace("INDEX", index).replace("SIGN", POSITIVE))
    reads = [o for o in analysis.obligations if o.kind == "bounds" and o.access == "read"]
    assert any(o.verdict is Verdict.VIOLATED and o.confidence is Confidence.HIGH for o in reads)


def test_rows_that_are_kept_to_are_no_finding() -> None:
    _, analysis = analysed(HEADS.replace("INDEX", "row + i").replace("SIGN", POSITIVE))
    assert not [o for o in analysis.obligations if o.kind == "bounds" and o.confidence is Confidence.HIGH]


@pytest.mark.parametrize(
    ("sign", "decided"),
    [
        (POSITIVE, True),
        ("TORCH_CHECK(in.size(0) > 0 && in.size(0) <= head_size);", True),
        ("TORCH_CHECK(in.size(0) > 0 && in.size(0) - 1 <= head_size);", False),
        ("", False),
    ],
)
def test_a_choice_by_the_sign_of_a_divisor_is_decided_by_what_is_not_larger(sign: str, decided: bool) -> None:
    contract, _ = analysed(HEADS.replace("INDEX", "row + i").replace("SIGN", sign))
    said = [f.what.cond for f in contract.facts if isinstance(f.what, Assume)]
    assert decided is not any(holds_any(cond, Choice) or holds_any(cond, Quotient) for cond in said)


ROWS = """
#include <torch/extension.h>
__global__ void k(float *out, const float *table, const long *rows, int width, int stride) {
  if (threadIdx.x < width) out[blockIdx.x * (long)width + threadIdx.x] = table[rows[blockIdx.x] * STRIDE + threadIdx.x];
}
torch::Tensor f(torch::Tensor table, torch::Tensor rows, int64_t stride) {
  TORCH_CHECK(table.is_contiguous() && rows.is_contiguous() && table.dim() == 2 && rows.dim() == 1);
  int width = table.size(1);
  TORCH_CHECK(width > 0 && width <= LIMIT && width <= 1024);
  auto out = torch::empty({rows.size(0), width}, table.options());
  if (rows.size(0) == 0) return out;
  k<<<rows.size(0), 1024>>>(out.data_ptr<float>(), table.data_ptr<float>(), rows.data_ptr<long>(), width, stride);
  return out;
}
"""


@pytest.mark.parametrize(
    ("stride", "limit", "told"),
    [
        ("stride", "stride", True),
        ("width", "stride", False),
        ("(stride > width ? width : stride)", "stride", False),
        ("stride", "1024", False),  # nothing says that it is not as long as a row is
    ],
)
def test_rows_from_memory_by_another_length_than_theirs(stride: str, limit: str, told: bool) -> None:
    _, analysis = analysed(ROWS.replace("STRIDE", stride).replace("LIMIT", limit))
    reads = [o for o in analysis.obligations if o.kind == "bounds" and o.access == "read" and "table" in str(o.object)]
    assert told is any(o.verdict is Verdict.VIOLATED and o.confidence is Confidence.HIGH for o in reads)
