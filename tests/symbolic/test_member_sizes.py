"""How the sizes of the members of one object go together is a matter of its class: what breaks it is of medium confidence."""

from __future__ import annotations

import pytest

from cudalint.finding import Confidence, Verdict
from cudalint.source import Span
from cudalint.symbolic.model import Obligation
from cudalint.symbolic.verdicts.members import is_rest_by_an_object
from cudalint.term import POWER_OF_TWO, TRUE, apply, multiply, quotient, subtract, symbol
from tests.symbolic.test_relations import analyses

MEMBERS = """
#include <rmm/device_uvector.hpp>
struct Rows { rmm::device_uvector<float> values; rmm::device_uvector<int> columns; int nnz; };
__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i > 2) x[i - 3] = x[i];
}
void run(Rows &rows, rmm::device_uvector<float> &x, int n) {
  CHECK
  scale<<<4, 256>>>(LAUNCHED);
}
"""

ROWS = """
#include <rmm/device_uvector.hpp>
struct Sparse { rmm::device_uvector<int> starts, rows; int n_rows, nnz; };
__global__ void expand(const int *starts, int m, int *rows, int nnz) {
  int row = blockIdx.x * 32 + threadIdx.x;
  if (row < m) {
    int stop = row < m - 1 ? starts[row + 1] : nnz;
    for (int i = starts[row]; i < stop; i++) rows[i] = row;
  }
}
void run(Sparse &in) {
  expand<<<(in.n_rows + 31) / 32, 32>>>(in.starts.data(), in.n_rows, in.rows.data(), in.nnz);
}
"""


def test_rows_of_an_object_that_knows_how_many_there_are() -> None:
    (analysis,) = analyses(ROWS)
    told = [o.confidence for o in analysis.obligations if o.verdict is Verdict.VIOLATED and o.access == "write"]
    assert told and Confidence.HIGH not in told


@pytest.mark.parametrize(
    ("launched", "check", "most"),
    [
        pytest.param("rows.values.data(), rows.nnz", "", Confidence.MEDIUM, id="another member"),
        pytest.param("rows.values.data(), rows.columns.size()", "", Confidence.MEDIUM, id="the size of another member"),
        pytest.param(
            "rows.values.data(), rows.nnz + 1",
            "if (rows.nnz != rows.values.size()) return;",
            Confidence.HIGH,
            id="checked",
        ),
    ],
)
def test_a_relation_of_members_is_left_to_their_class(launched: str, check: str, most: Confidence) -> None:
    (analysis,) = analyses(MEMBERS.replace("LAUNCHED", launched).replace("CHECK", check))
    told = {o.confidence for o in analysis.obligations if o.verdict is Verdict.VIOLATED and o.kind == "bounds"}
    assert most is Confidence.MEDIUM or most in told
    assert most is Confidence.HIGH or Confidence.HIGH not in told


@pytest.mark.parametrize(
    ("divisor", "power", "first", "same"),
    [
        ("by.divisor", "by.shift", "by.first", True),
        ("divisor", "by.shift", "by.first", True),
        ("divisor", "by.shift", "first", False),
        ("divisor", "shift", "first", False),
        ("of.step", "shift", "of.first", False),
    ],
)
def test_a_divisor_and_its_shift_are_members_of_one_object(divisor: str, power: str, first: str, same: bool) -> None:
    shifted = quotient(symbol("n", 0, 99), apply(POWER_OF_TWO, (symbol(power, 0, 31),), 1, None))
    index = subtract(multiply(symbol(divisor), shifted), symbol(first))
    place = Span("k.cu", 1, 1, 1, 1)
    assert is_rest_by_an_object(Obligation("bounds", "read", None, place, (), TRUE, index, None, 4)) is same
