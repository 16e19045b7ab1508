"""What is decided where the rank of a tensor is inferred from the sizes that the host code reads (DESIGN 3, origin 7)."""

from __future__ import annotations

import pytest

from cudalint.finding import Confidence, Verdict
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


STEPS = """
#include <torch/extension.h>
__global__ void k(const float *x, float *y, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col < cols) y[(size_t)row * cols + col] = x[%s];
}
torch::Tensor f(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1);
  TORCH_CHECK(rows < 1000 && cols < 1000);
  auto y = torch::empty({4 * rows, cols}, x.options());
  k<<<dim3((cols + 127) / 128, 4 * rows), 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, cols);
  return y;
}
"""


@pytest.mark.parametrize(
    ("index", "verdict"),
    [
        ("row / 4 * cols + col", Verdict.SAFE),
        ("row * cols + col", Verdict.VIOLATED),  # the step from row to row is the last size, so there is none behind it
        ("2 * row * cols + col", Verdict.UNKNOWN),  # a third dimension of 8
        ("row * cols * cols + col", Verdict.UNKNOWN),  # one that is as long as the last
        ("row * cols * cols + col * cols + threadIdx.x % cols", Verdict.UNKNOWN),
        ("4 * (row * cols + col) + 3", Verdict.UNKNOWN),
    ],
)
def test_an_index_that_goes_by_the_last_sizes_tells_the_rank(index: str, verdict: Verdict) -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", STEPS % index), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    analysis = analyse(unit, unit.functions[kernel], contract)
    (read,) = [o for o in analysis.obligations if o.kind == "bounds" and o.access == "read"]
    assert read.verdict is verdict


GROUPS = """
#include <torch/extension.h>
__global__ void k(const float *x, const float *scales, float *y, int rows, int cols, int group) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col < cols) y[row * cols + col] = x[row * cols + col] * scales[row * (cols / group) + col % group];
}
torch::Tensor f(torch::Tensor x, torch::Tensor scales, int64_t group) {
  int rows = x.size(0), cols = x.size(1);
  TORCH_CHECK(group > 0 && cols % group == 0 && scales.size(0) == rows && scales.size(1) == cols / group);
  auto y = torch::empty({rows, cols}, x.options());
  k<<<dim3((cols + 127) / 128, rows), 128>>>(x.data_ptr<float>(), scales.data_ptr<float>(), y.data_ptr<float>(), rows,
                                             cols, (int)group);
  return y;
}
"""


def test_a_witness_that_is_too_large_gives_way_to_one_of_small_sizes() -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", GROUPS), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    analysis = analyse(unit, unit.functions[kernel], contract)
    (read,) = [o for o in analysis.obligations if o.kind == "bounds" and o.object and o.object.name == "scales"]
    assert read.verdict is Verdict.VIOLATED
    assert read.confidence is Confidence.HIGH
    assert read.witness is not None
    assert max(read.witness.values.values()) < 10
