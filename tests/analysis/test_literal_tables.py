"""What a file's tables of numbers say of the members of their rows, and of what it passes on from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.analysis.text.literal_tables import table_limits
from cudalint.engine import ScanOptions, scan
from cudalint.finding import Confidence
from tests.project.test_discovery import tree

STRUCT = "template <typename T> struct Shape { T tolerance; unsigned long long rows, columns = 1; bool big; };\n"
TABLE = "const std::vector<Shape<float>> shapes = {{1e-3f, 128, 1 << 4, true}, {1e-3f, 64ULL * 1024}, };\n"
OBJECT = "class Test : public testing::TestWithParam<Shape<float>> { Shape<float> params; };\n"


def test_the_largest_of_each_member() -> None:
    assert table_limits(STRUCT + TABLE + OBJECT) == {"params.rows": 65536, "params.columns": 16, "params.big": 1}


def test_all_that_a_product_of_lists_has() -> None:
    table = "auto shapes = itertools::product<Shape<float>>({1e-3f}, {128, 4000}, {16, 29, 256}, {true, false});\n"
    assert table_limits(STRUCT + table + OBJECT) == {"params.rows": 4000, "params.columns": 256, "params.big": 1}


@pytest.mark.parametrize(
    "more",
    [
        "void f(Shape<float> *s, int n) { s->rows = n; }",
        "Shape<float> made(int n) { return Shape<float>(1e-3f, n); }",
        "const std::vector<Shape<float>> others = {made(1), made(2)};",
        "Other<float> params;",
        "const std::vector<Shape<float>> others = {{1e-3f, rows_of_the_device()}};",
    ],
)
def test_what_is_filled_otherwise_is_not_known(more: str) -> None:
    assert "params.rows" not in table_limits(STRUCT + TABLE + OBJECT + more)


def test_a_name_of_another_struct_without_the_member() -> None:
    other = "struct Listed { std::vector<int> labels; };\nclass More { Listed params; };\n"
    assert table_limits(STRUCT + TABLE + OBJECT + other)["params.rows"] == 65536
    assert "params.rows" not in table_limits(STRUCT + TABLE + OBJECT + other.replace("labels", "rows"))


OVERFLOW = """
struct Shape { int rows, columns; };
__global__ void fill(float *x, int columns) {
  int row = blockIdx.x;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) x[row * columns + c] = 0.f;
}
template <typename T> void filled(T *x, int rows, int columns) { fill<<<rows, 256>>>(x, columns); }
template <typename T> class Test : Base<T> {
  Shape params; T *x;
  void run() override { filled(x, params.rows, params.columns); }
};
const std::vector<Shape> shapes = {{128, 32}, {1024, LARGEST}};
"""


@pytest.mark.parametrize(("largest", "certain"), [("64", False), ("1 << 26", True)])
def test_an_overflow_beyond_what_the_file_passes_is_not_certain(tmp_path: Path, largest: str, certain: bool) -> None:
    path = tree(tmp_path, {"a.cu": OVERFLOW.replace("LARGEST", largest)}) / "a.cu"
    result = scan(ScanOptions(paths=(str(path),), jobs=1, confirm="off"))
    found = [f for f in result.findings if f.code in ("IDX201", "IDX202") and f.confidence is Confidence.HIGH]
    assert bool(found) is certain
