"""Memory that is handed on as another type, and the access that leaves it by that, are one finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan

PROGRAM = """
#include <torch/extension.h>
__global__ void scale(const double *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
torch::Tensor run(int n) {
  auto x = torch::zeros({MADE}, torch::dtype(torch::TYPE).device(torch::kCUDA));
  auto y = torch::empty({n}, torch::dtype(torch::kFloat).device(torch::kCUDA));
  scale<<<(n + 255) / 256, 256>>>((const double *)x.data_ptr(), y.data_ptr<float>(), n);
  return y;
}
"""


def told(folder: Path, made: str, type_: str) -> dict[str, list[str]]:
    """By the code of each shown finding the places related to it, as they are told."""
    (folder / "k.cu").write_text(PROGRAM.replace("MADE", made).replace("TYPE", type_))
    result = scan(ScanOptions(paths=(str(folder / "k.cu"),), cache=False, jobs=1, ignore=("API101",)))
    return {f.code: [related.message for related in f.related] for f in result.findings}


def test_the_cast_is_a_place_of_the_access_that_leaves_the_memory(tmp_path: Path) -> None:
    cast = "`(const double *)x.data_ptr()`: elements of 4 bytes are taken for double"
    assert told(tmp_path, "n", "kFloat") == {"IDX101": [cast]}


def test_where_nothing_is_left_the_cast_is_told(tmp_path: Path) -> None:
    assert set(told(tmp_path, "2 * n", "kFloat")) == {"API125"}


@pytest.mark.parametrize(("made", "expected"), [("n", set()), ("n - 1", {"IDX101"})])
def test_of_the_right_type_the_access_stands_alone(tmp_path: Path, made: str, expected: set[str]) -> None:
    found = told(tmp_path, made, "kDouble")
    assert set(found) == expected and not any(found.values())
