"""Which witnesses of an overflow somebody may pass one day: others leave it to `--profile audit` (DESIGN 3)."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract
from cudalint.finding import Confidence, Verdict, Witness
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.model import Obligation
from cudalint.symbolic.solver.question import Model
from cudalint.symbolic.solver.shifts import shifts_that_are_defined
from cudalint.symbolic.walk.integers import power_of_two
from cudalint.term import multiply, symbol

PLANE = """
#include <cuda_runtime.h>
__global__ void darken(float *image, int PITCH, int COLS, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < COLS && y < rows) image[y * PITCH + x] *= 0.5f;
}
void darkened(float *image, int PITCH, int COLS, int rows) {
  if (COLS > MOST) return;
  dim3 block(32, 8);
  darken<<<dim3((COLS + 31) / 32, (rows + 7) / 8), block>>>(image, PITCH, COLS, rows);
}
"""

REGION = """
#include <cuda_runtime.h>
struct Part { int BEGIN, columns; };
__global__ void darken(float *image, int pitch, Part OF) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < OF.columns) image[(y + OF.BEGIN) * pitch + x] *= 0.5f;
}
void darkened(float *image, int pitch, Part OF, int rows) {
  if (OF.columns > 8192) return;
  darken<<<dim3((OF.columns + 31) / 32, rows), 32>>>(image, pitch, OF);
}
"""

PLANES = """
#include <cuda_runtime.h>
__global__ void darken(float *images, int image_stride, int row_stride, int cols) {
  float *row = images + blockIdx.x * image_stride + blockIdx.y * row_stride;
  for (int x = threadIdx.x; x < cols; x += blockDim.x) row[x] *= 0.5f;
}
void darkened(float *images, int image_stride, int row_stride, int cols, int rows, int items) {
  if (cols > 64 || rows > 64 || items > ITEMS) return;
  darken<<<dim3(items, rows), 256>>>(images, image_stride, row_stride, cols);
}
"""

ROWS = """
#include <cuda_runtime.h>
__global__ void negate(float *x, int n, int m) {
  for (int i = threadIdx.x; i < m; i += blockDim.x) x[blockIdx.x * m + i] *= -1.0f;
}
void negated(float *x, int N, int M) { negate<<<N, 256>>>(x, N, M); }
"""

USED = """
#include <cuda_runtime.h>
struct Shape { long long first, second; };
__global__ void clear(float *weights, int rows, int experts_used) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int k = 0; k < experts_used; ++k) weights[row * experts_used + k] = 0;
}
void cleared(float *weights, const Shape *shape) {
  clear<<<(shape->first + 255) / 256, 256>>>(weights, shape->first, shape->second);
}
"""

COUNTED = """
#include <torch/extension.h>
__global__ void copied(const float *x, float *y, int hidden) {
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) y[(long long)blockIdx.x * hidden + i] = x[blockIdx.x * hidden + i];
}
void copy(torch::Tensor x, torch::Tensor y, int rows, int hidden) {
  copied<<<rows, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), hidden);
}
"""

FOUR = """
#include <cuda_runtime.h>
struct ggml_tensor { int type; long long ne[4]; unsigned long nb[4]; void *data; };
__global__ void place(const float *x, const float **out, long long total, long long row, long long per) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (row > LEAST && i < total) out[i] = x + i / per * row;
}
void placed(const ggml_tensor *x, const float **out) {
  long long total = x->ne[2] * x->ne[3];
  place<<<(total + 255) / 256, 256>>>((const float *)x->data, out, total, x->ne[0], x->ne[2]);
}
"""

REST = """
#include <cuda_runtime.h>
struct Part { unsigned first, count; };
__global__ void scale(float *y, unsigned step, unsigned count, unsigned rows) {
  const int column = blockDim.x * blockIdx.x + threadIdx.x, row = blockDim.y * blockIdx.y + threadIdx.y;
  if (column >= count || row >= rows) return;
  y[row * step + column] *= 2.0f;
}
void scaled(float *y, unsigned width, unsigned step, unsigned rows, Part part) {
  if (width > 4096 || step > 8192 || rows > 4096 || part.count > 4096 || part.first > FIRST) return;
  if (part.first + part.count > width) part.count = width - part.first;
  scale<<<dim3((part.count + 31) / 32, (rows + 5) / 6), dim3(32, 6)>>>(y, step, part.count, rows);
}
"""


def overflow(source: str, **words: str) -> Obligation:
    """The one index that may overflow in the kernel of a program."""
    for word, value in words.items():
        source = source.replace(word, value)
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((kernel, contracts),) = launch_contracts(unit).items()
    found = [o for c in contracts for o in analyse(unit, unit.functions[kernel], c).obligations]
    violated = [o for o in found if o.kind == "overflow" and o.verdict is Verdict.VIOLATED]
    return violated[0]


def confidence(source: str, **words: str) -> Confidence | None:
    return overflow(source, **words).confidence


def values(obligation: Obligation) -> dict[str, int]:
    """What the witness passes, by the names of the parameters."""
    assert isinstance(obligation.witness, Witness)
    return {name.rpartition(":")[2]: value for name, value in obligation.witness.values.items()}


@pytest.mark.parametrize("pitch", ["pitch", "ld", "row_step", "stride"])
def test_a_pitch_is_at_most_twice_its_row(pitch: str) -> None:
    assert confidence(PLANE, PITCH=pitch, COLS="cols", MOST="512") is Confidence.MEDIUM
    found = overflow(PLANE, PITCH=pitch, COLS="cols", MOST="16384")
    assert found.confidence is Confidence.HIGH
    assert values(found)[pitch] <= 2 * values(found)["cols"] + 128


def test_a_pitch_is_no_shorter_than_its_row() -> None:
    found = values(overflow(PLANE, PITCH="pitch", COLS="cols", MOST="16384"))
    assert found["pitch"] >= found["cols"]


def test_an_image_has_no_side_of_a_million() -> None:
    image = PLANE.replace("rows", "height")
    assert confidence(image, PITCH="pitch", COLS="width", MOST="1000000000") is Confidence.MEDIUM
    assert confidence(image, PITCH="pitch", COLS="cols", MOST="1000000000") is Confidence.MEDIUM


@pytest.mark.parametrize("begin", ["ROI.y", "cropped.top", "window_rect.y"])
def test_a_region_begins_in_its_image(begin: str) -> None:
    of, _, member = begin.partition(".")
    assert confidence(REGION, OF=of, BEGIN=member) is Confidence.MEDIUM
    assert confidence(REGION, OF="part", BEGIN="first_row") is Confidence.HIGH


def test_what_is_left_of_a_size_is_not_below_zero() -> None:
    assert confidence(REST, FIRST="1000000") is Confidence.MEDIUM


def test_a_stride_of_planes_is_at_most_twice_a_plane() -> None:
    assert confidence(PLANES, ITEMS="1000") is Confidence.MEDIUM
    assert confidence(PLANES, ITEMS="1000000") is Confidence.HIGH


def test_there_are_not_a_million_batches_of_rows() -> None:
    assert confidence(ROWS, N="batch_size", M="hidden") is Confidence.MEDIUM
    assert confidence(ROWS, N="tokens", M="hidden") is Confidence.HIGH


def test_the_name_in_the_kernel_states_the_role_too() -> None:
    assert confidence(USED) is Confidence.MEDIUM
    assert confidence(USED.replace("experts_used", "columns")) is Confidence.HIGH


def test_a_tensor_of_which_only_the_number_of_elements_is_known_is_as_long_as_the_launch_reaches() -> None:
    found = overflow(COUNTED)
    sizes = values(found)
    assert found.confidence is Confidence.HIGH
    assert min(sizes["x.numel()"], sizes["y.numel()"]) > (sizes["rows"] - 1) * sizes["hidden"]


def test_a_tensor_fits_into_memory_with_all_of_its_sizes() -> None:
    assert confidence(FOUR, LEAST="64") is Confidence.MEDIUM
    assert confidence(FOUR, LEAST="0") is Confidence.HIGH


PROBES = """
#include <cuda_runtime.h>
__global__ void insert(const int *keys, int *table, int n, int capacity) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = FIRST % capacity;
  for (int tries = 0; tries < capacity; ++tries) {
    if (atomicCAS(&table[at], -1, keys[i]) == -1) break;
    at = (at + 1) % capacity;
  }
}
void inserted(const int *host, int n, int capacity) {
  if (n < 1 || n > 1000000 || capacity < n || capacity > 4000000) return;
  int *keys, *table;
  cudaMalloc(&keys, n * sizeof(int));
  cudaMemcpy(keys, host, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMalloc(&table, capacity * sizeof(int));
  insert<<<(n + 255) / 256, 256>>>(keys, table, n, capacity);
}
"""


@pytest.mark.parametrize(("first", "found"), [("keys[i]", Confidence.LOW), ("(-1 - i)", Confidence.HIGH)])
def test_a_place_that_begins_with_what_memory_holds_rests_on_it_in_every_round(first: str, found: Confidence) -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", PROBES.replace("FIRST", first)), ParseOptions(), "/").unit
    ((kernel, contracts),) = launch_contracts(unit).items()
    bounds = [
        o for c in contracts for o in analyse(unit, unit.functions[kernel], c).obligations if o.access == "atomic"
    ]
    assert {o.confidence for o in bounds if o.verdict is Verdict.VIOLATED} == {found}


ACCESSED = """
#include <torch/extension.h>
__global__ void copy(const at::PackedTensorAccessor32<int, RANK, at::RestrictPtrTraits> places, const float *in, float *out,
                     int batches, long size) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int count = places.size(0);
  long entries = long(batches) * count;
  if (i < entries) out[i] = in[i / count * size + places[i % count]COLUMN];
}
"""


def of_any_launch(source: str, **words: str) -> Confidence | None:
    """The confidence of the one index that may overflow in a kernel that nothing launches."""
    for word, value in words.items():
        source = source.replace(word, value)
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    kernel = next(f for f in unit.functions.values() if f.id.partition("(")[0] == "copy")
    found = [o for o in analyse(unit, kernel, Contract(kernel.id, ())).obligations if o.kind == "overflow"]
    return next(o.confidence for o in found if o.verdict is Verdict.VIOLATED)


def test_the_elements_of_an_accessor_of_one_dimension_lie_side_by_side() -> None:
    """The column of a matrix of 2^20 columns is nobody's list."""
    assert of_any_launch(ACCESSED, RANK="1", COLUMN="") is Confidence.MEDIUM


def test_the_rows_of_an_accessor_may_be_long() -> None:
    assert of_any_launch(ACCESSED, RANK="2", COLUMN="[blockIdx.y]") is Confidence.HIGH


def test_a_witness_shifts_by_fewer_places_than_a_word_has() -> None:
    places = symbol("merged")
    (fact,) = shifts_that_are_defined([multiply(symbol("n"), power_of_two(places))])
    assert [bool(Model({"merged": value}, {}).holds(fact)) for value in (-1, 0, 31, 32)] == [False, True, True, False]
