"""Which sums of digits are told, and which are put together by what the digit is counted by."""

import pytest

from cudalint.analysis.coordinates.foreign_radices import foreign_radices
from cudalint.frontend.outline import outline
from cudalint.source import SourceFile

SOURCE = """__global__ void k(const float *x, float *y, int total, int width, int times, int rows, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  const int row = LOW;
  const int image = HIGH;
  y[i] = x[SUM];
}
"""


@pytest.mark.parametrize(
    ("low", "high", "total", "told"),
    [
        ("i / width / times % rows", "i / width / times / rows", "(image * times + row) * width", 1),
        ("(i / width / times) % rows", "(i / width / times) / rows", "(row + width * image) * times", 1),
        ("i / width / times % rows", "i / width / times / rows", "(image * rows + row) * width", 0),
        ("i / width / times % rows", "i / width / times / rows", "(image * pitch + row) * width", 0),
        ("i / width % rows", "i / width / times / rows", "(image * times + row) * width", 0),
        ("i % rows", "i / rows", "image * width + row", 0),
    ],
)
def test_digits_belong_together(low: str, high: str, total: str, told: int) -> None:
    text = SOURCE.replace("LOW", low).replace("HIGH", high).replace("SUM", total)
    assert len(list(foreign_radices(outline(SourceFile("k.cu", "/k.cu", text))))) == told
