"""A product that a kernel computes in 32 bits is told where the function that launches it has the same one in 64."""

from cudalint.analysis.overflow.narrow_products import narrow_products
from cudalint.frontend.outline import outline
from cudalint.source import SourceFile

LAUNCHED = """
__global__ void fill(float *y, int n, int h, int w, int s) {
  const int high = h * s, wide = w * s;
  const int total = n * high * wide;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) y[i] = 0;
}
void run(float *y, int n, int h, int w, int s) {
  const TYPE total = CASTn * h * s * w * s;
  fill<<<(total + 255) / 256, 256>>>(y, n, h, w, s);
}
"""


def told(type_: str, cast: str) -> list[str]:
    text = LAUNCHED.replace("TYPE", type_).replace("CAST", cast)
    found = narrow_products(outline(SourceFile("fill.cu", "fill.cu", text)))
    return [product.expression.text for product in found if product.again]


def test_the_host_code_has_64_bits_for_the_same_product() -> None:
    assert told("int64_t", "(int64_t)") == ["n * high * wide"]


def test_the_host_code_has_32_bits_too() -> None:
    assert told("int", "") == []


COLUMNS = """
template <typename T>
__global__ void columns(const T *x, T *out, int n, int batch, int tokens, int rows, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[(i / width) * (int64_t)width + i % width] = x[i];
  T *next = out + batch * tokens * rows;
}
void run(const float *x, float *out, int channels, int images, int tokens, int rows, int width) {
  const int64_t total = (int64_t)channels * tokens * rows * images;
  CHECK
  columns<<<(total + 255) / 256, 256>>>(x, out, total, images, tokens, rows, width);
}
"""


def told_of_columns(check: str) -> list[str]:
    found = narrow_products(outline(SourceFile("columns.cu", "columns.cu", COLUMNS.replace("CHECK", check))))
    return [product.expression.text for product in found]


def test_a_check_of_a_larger_product_in_the_launch_covers_its_parts() -> None:
    assert told_of_columns("TORCH_CHECK(total <= std::numeric_limits<int>::max() / 2);") == []


def test_a_check_of_something_else_does_not() -> None:
    assert told_of_columns("TORCH_CHECK(channels <= 4096);") == ["batch * tokens * rows"]
