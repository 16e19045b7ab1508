"""What is decided where the rank of a tensor is inferred from the sizes that the host code reads (DESIGN 3, origin 7)."""

from __future__ import annotations

import pytest

from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

SOURCE = """
#include <torch/extension.h>
__global__ void k(const float *x, float *y, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  y[i] = x[%s];
}
torch::Tensor f(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1);
  TORCH_CHECK(rows < 1000 && cols < 1000);
  auto y = torch::empty({rows, cols}, x.options());
  k<<<(rows * cols + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, cols);
  return y;
}
"""


@pytest.mark.parametrize(
    ("index", "verdict"),
    [
        ("i", Verdict.SAFE),
        ("i + 1", Verdict.VIOLATED),
        ("i * 3", Verdict.UNKNOWN),  # a third dimension of 3 would settle it
        ("i * 2 + 1", Verdict.UNKNOWN),
        ("i + cols", Verdict.VIOLATED),
    ],
)
def test_a_read_that_a_further_dimension_would_settle_is_no_finding(index: str, verdict: Verdict) -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", SOURCE % index), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    analysis = analyse(unit, unit.functions[kernel], contract)
    (read,) = [o for o in analysis.obligations if o.kind == "bounds" and o.access == "read"]
    assert read.verdict is verdict


ROWS = """
#include <torch/extension.h>
__global__ void k(const float *x, float *y, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  y[i] = x[%s];
}
torch::Tensor f(torch::Tensor x) {
  int rows = x.size(0);
  auto y = torch::empty({rows}, x.options());
  k<<<(rows + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows);
  return y;
}
"""


@pytest.mark.parametrize(
    ("index", "verdict"),
    [
        ("i", Verdict.SAFE),
        ("i + 1", Verdict.VIOLATED),
        ("2 * i", Verdict.UNKNOWN),  # rows of two columns, of which only the first size is read
        ("2 * i + 1", Verdict.UNKNOWN),
        ("4 * i + 3", Verdict.UNKNOWN),
    ],
)
def test_rows_of_a_few_columns_are_read_by_their_number_alone(index: str, verdict: Verdict) -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", ROWS % index), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    analysis = analyse(unit, unit.functions[kernel], contract)
    (read,) = [o for o in analysis.obligations if o.kind == "bounds" and o.access == "read"]
    assert read.verdict is verdict


def test_a_few_rows_are_overstepped_all_the_same() -> None:
    few = (ROWS % "i + 1").replace("  auto y", "  TORCH_CHECK(rows < 1000);\n  auto y")
    unit = translate(SourceFile("k.cu", "/k.cu", few), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    analysis = analyse(unit, unit.functions[kernel], contract)
    (read,) = [o for o in analysis.obligations if o.kind == "bounds" and o.access == "read"]
    assert read.verdict is Verdict.VIOLATED


COUNTED = """
#include <torch/extension.h>
__global__ void k(const float *x, const float *y, float *z, int64_t rows, int cols) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  z[i] = x[i] * y[%s];
}
torch::Tensor f(torch::Tensor x, torch::Tensor y) {
  TORCH_CHECK(x.dim() == 2 && x.size(0) == y.size(0) && x.size(1) == y.size(1));
  auto z = torch::empty_like(x);
  int64_t n = y.numel();
  if (n == 0) return z;
  k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), z.data_ptr<float>(), x.size(0), y.size(1));
  return z;
}
"""


@pytest.mark.parametrize(
    ("index", "verdict"),
    [("i", Verdict.SAFE), ("i + 1", Verdict.VIOLATED), ("i + cols", Verdict.VIOLATED)],
)
def test_a_tensor_has_no_fewer_elements_than_its_sizes_make(index: str, verdict: Verdict) -> None:
    """The launch goes by the number of elements of `y`, whose rank nothing tells; it has two dimensions at least."""
    unit = translate(SourceFile("k.cu", "/k.cu", COUNTED % index), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    analysis = analyse(unit, unit.functions[kernel], contract)
    (read,) = [o for o in analysis.obligations if o.kind == "bounds" and o.object and o.object.name == "y"]
    assert read.verdict is verdict
