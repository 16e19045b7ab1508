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
