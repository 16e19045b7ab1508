"""Shapes of tensors that the kernel takes for granted and no caller contradicts: they are no finding (DESIGN 3.7)."""

from __future__ import annotations

from string import Template

import pytest

from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

BOXES = """
#include <torch/extension.h>
using Boxes = torch::PackedTensorAccessor64<float, 3, torch::RestrictPtrTraits>;
__global__ void volumes(const Boxes boxes, float *volume, int64_t scenes) {
  for (int64_t scene = blockIdx.x; scene < scenes; scene += gridDim.x)
    for (int64_t box = threadIdx.x; box < boxes.size(1); box += blockDim.x)
      volume[scene * boxes.size(1) + box] = boxes[scene][box][$column];
}
void volumes_of(torch::Tensor boxes, torch::Tensor scenes) {
  TORCH_CHECK($check);
  auto volume = torch::empty({$scenes, boxes.size(1)}, boxes.options());
  volumes<<<512, $threads>>>(boxes.packed_accessor64<float, 3, torch::RestrictPtrTraits>(), volume.data_ptr<float>(), $scenes);
}
"""

PAIRS = """
#include <torch/extension.h>
__global__ void degrees(const int64_t *pairs, float *left, size_t count) {
  for (auto row = blockIdx.x; row < count; row += gridDim.x) left[row] = pairs[$column];
}
void degrees_of(torch::Tensor pairs) {
  const auto count = pairs.size(0);
  auto left = torch::empty({count}, torch::kFloat);
  degrees<<<count < 1920 ? count : 1920, 1>>>(pairs.contiguous().data_ptr<int64_t>(), left.data_ptr<float>(), count);
}
"""

IMAGES = """
#include <torch/extension.h>
using Weights = torch::PackedTensorAccessor64<float, 4, torch::RestrictPtrTraits>;
using Indices = torch::PackedTensorAccessor64<int64_t, 4, torch::RestrictPtrTraits>;
__global__ void blend(const Weights weight, const Indices index, float *total) {
  const int64_t H = index.size(2), W = index.size(3);
  const auto batch = blockIdx.x;
  const int pixels = H * W;
  for (int pixel = blockIdx.y * blockDim.x + threadIdx.x; pixel < pixels; pixel += gridDim.y * blockDim.x) {
    int row = pixel / W, column = pixel % W;
    for (int k = 0; k < index.size(1); ++k)
      if (index[batch][k][row][column$column] >= 0) atomicAdd(total, 1.f);
  }
}
void blended(torch::Tensor weight, torch::Tensor index) {
  auto total = torch::zeros({1}, weight.options());
  const int64_t count = weight.size(0);
  if (weight.numel() == 0) return;
  const dim3 grid(count, 1024 / count + 1);
  blend<<<grid, 64>>>(weight.packed_accessor64<float, 4, torch::RestrictPtrTraits>(),
                      index.packed_accessor64<int64_t, 4, torch::RestrictPtrTraits>(), total.data_ptr<float>());
}
"""

LAYERS = """
#include <torch/extension.h>
using Weights = torch::PackedTensorAccessor64<float, 4, torch::RestrictPtrTraits>;
using Indices = torch::PackedTensorAccessor64<int64_t, 4, torch::RestrictPtrTraits>;
using Features = torch::PackedTensorAccessor64<float, 2, torch::RestrictPtrTraits>;
__global__ void layers(const Weights weight, const Features features, const Indices index, float *total) {
  const int64_t C = features.size(0), H = index.size(2), W = index.size(3);
  const auto batch = blockIdx.x;
  const int values = C * H * W;
  for (int at = blockIdx.y * blockDim.x + threadIdx.x; at < values; at += gridDim.y * blockDim.x) {
    int layer = at / (H * W), row = (at % (H * W)) / W, column = (at % (H * W)) % W;
    for (int k = 0; k < index.size(1); ++k) {
      int point = index[batch][k$plane][row][column];
      if (point >= 0) atomicAdd(total, features[layer][0] * weight[batch][k][row][column]);
    }
  }
}
void layered(torch::Tensor weight, torch::Tensor features, torch::Tensor index) {
  auto total = torch::zeros({1}, weight.options());
  const int64_t count = weight.size(0);
  if (weight.numel() == 0 || features.numel() == 0) return;
  const dim3 grid(count, 1024 / count + 1);
  layers<<<grid, 64>>>(weight.packed_accessor64<float, 4, torch::RestrictPtrTraits>(),
                       features.packed_accessor64<float, 2, torch::RestrictPtrTraits>(),
                       index.packed_accessor64<int64_t, 4, torch::RestrictPtrTraits>(), total.data_ptr<float>());
}
"""

CLOUDS = """
#include <torch/extension.h>
using Points = torch::PackedTensorAccessor64<float, 3, torch::RestrictPtrTraits>;
using Mask = torch::PackedTensorAccessor64<float, 2, torch::RestrictPtrTraits>;
__global__ void heights(const Points points, const Mask mask, float *total, const bool flat, int64_t clouds, int64_t count) {
  const int64_t chunks = 1 + (count - 1) / blockDim.x;
  for (int64_t chunk = blockIdx.x; chunk < clouds * chunks; chunk += gridDim.x) {
    const int64_t cloud = chunk / chunks, point = blockDim.x * (chunk % chunks) + threadIdx.x;
    if (point >= count $more) continue;
    if (mask[cloud][point] == 0) continue;
    if (!flat) atomicAdd(total, points[cloud][point][2]);
  }
}
void heights_of(torch::Tensor points, torch::Tensor mask, bool flat) {
  auto total = torch::zeros({1}, points.options());
  heights<<<1024, 32>>>(points.packed_accessor64<float, 3, torch::RestrictPtrTraits>(),
                        mask.packed_accessor64<float, 2, torch::RestrictPtrTraits>(), total.data_ptr<float>(), flat,
                        points.size(0), points.size(1));
}
"""

VIEWS = """
#include <cooperative_groups.h>
#include <torch/extension.h>
__global__ void seen(uint32_t first, uint32_t some, uint32_t scenes, uint32_t views, uint32_t points, const int *radii,
                     float *total) {
  int64_t at = cooperative_groups::this_grid().thread_rank();
  if (at >= int64_t(scenes) * views * some) return;
  uint32_t scene = at / (views * some), view = (at / some) % views, point = at % some + first;
  int64_t place = (int64_t(scene) * views + view) * points + point;
  if (radii[2 * place $back] > 0) atomicAdd(total, 1.f);
}
void seen_of(const at::Tensor means, const at::Tensor matrices, const at::Tensor radii) {
  auto total = torch::zeros({1}, means.options());
  TORCH_CHECK(means.size(-2) >= (1 << 20) && matrices.size(-3) >= 256);
  uint32_t points = means.size(-2), views = matrices.size(-3), scenes = means.numel() / (points * 3);
  int64_t count = scenes * views * points;
  if (count == 0) return;
  unsigned blocks = (count + 255) / 256;
  seen<<<blocks, 256>>>(0, points, scenes, views, points, radii.data_ptr<int>(), total.data_ptr<float>());
}
"""


def verdicts(source: str, object_: str, **words: str) -> set[Verdict]:
    """What is said of the reads of one tensor."""
    unit = translate(SourceFile("k.cu", "/k.cu", Template(source).substitute(words)), ParseOptions(), "/").unit
    ((kernel, contracts),) = launch_contracts(unit).items()
    found = [o for c in contracts for o in analyse(unit, unit.functions[kernel], c).obligations]
    return {o.verdict for o in found if o.kind == "bounds" and o.object is not None and o.object.name == object_}


@pytest.mark.parametrize(
    ("column", "check", "verdict"),
    [
        ("5", "boxes.dim() == 3", Verdict.UNKNOWN),  # whoever passes boxes gives each its six numbers
        ("5", "boxes.size(2) == 6 && boxes.size(0) < 4096 && boxes.size(1) < 4096", Verdict.SAFE),
        ("5", "boxes.size(2) >= 4", Verdict.VIOLATED),  # the host code says what it takes
        ("threadIdx.x", "boxes.dim() == 3", Verdict.VIOLATED),  # a row is as wide as it is
    ],
)
def test_columns_that_the_kernel_names_are_left_to_callers(column: str, check: str, verdict: Verdict) -> None:
    words = {"column": column, "check": check, "scenes": "boxes.size(0)", "threads": "8"}
    assert verdicts(BOXES, "boxes.data_", **words) == {verdict}


def test_columns_and_rows_of_two_tensors_are_left_to_callers() -> None:
    words = {"column": "5", "check": "boxes.dim() == 3", "scenes": "scenes.size(0)", "threads": "64"}
    assert verdicts(BOXES, "boxes.data_", **words) == {Verdict.UNKNOWN}


@pytest.mark.parametrize(
    ("column", "verdict"),
    [("row", Verdict.SAFE), ("2 * row + 1", Verdict.UNKNOWN), ("row + 1", Verdict.VIOLATED)],
)
def test_twice_the_one_size_that_is_read_asks_for_a_second_dimension(column: str, verdict: Verdict) -> None:
    assert verdicts(PAIRS, "pairs", column=column) == {verdict}


@pytest.mark.parametrize(("column", "verdict"), [("", Verdict.UNKNOWN), (" + 1", Verdict.VIOLATED)])
def test_the_same_shape_of_two_tensors_is_left_to_callers(column: str, verdict: Verdict) -> None:
    assert verdicts(IMAGES, "index.data_", column=column) == {verdict}


TILES = """
#include <cuda_runtime.h>
$header
__global__ void load(const float *matrix, float *sum, int rows, int cols) {
  extern __shared__ float tile[];
  for (int row = threadIdx.y; row < rows; row += blockDim.y)
    for (int col = threadIdx.x; col < cols; col += blockDim.x) tile[row * cols + col] = 1.f;
}
void load_all(const float *matrix, float *sum, int rows, int cols) {
  size_t bytes = (rows * cols$less) * sizeof(Real);
  load<<<1, dim3(32, 8), bytes>>>(matrix, sum, rows, cols);
}
"""


@pytest.mark.parametrize(
    ("header", "less", "verdict"),
    [
        ("", "", Verdict.UNKNOWN),  # a type of a header that is not there is taken for that of the elements
        ("typedef float Real;", "", Verdict.SAFE),
        ("typedef short Real;", "", Verdict.VIOLATED),
        ("", " - 1", Verdict.VIOLATED),
    ],
)
def test_an_absent_type_by_which_the_host_counts_may_be_that_of_the_elements(
    header: str, less: str, verdict: Verdict
) -> None:
    assert verdicts(TILES, "tile", header=header, less=less) == {verdict}


@pytest.mark.parametrize(("plane", "verdict"), [("", Verdict.UNKNOWN), (" + 1", Verdict.VIOLATED)])
def test_one_shape_is_tried_where_no_answer_is_found_for_all_sizes(plane: str, verdict: Verdict) -> None:
    assert verdicts(LAYERS, "index.data_", plane=plane) == {verdict}


@pytest.mark.parametrize(("more", "verdict"), [("", Verdict.UNKNOWN), ("+ 1", Verdict.VIOLATED)])
def test_columns_are_tried_where_no_answer_is_found_for_all_sizes(more: str, verdict: Verdict) -> None:
    assert verdicts(CLOUDS, "points.data_", more=more) == {verdict}


@pytest.mark.parametrize(("back", "verdict"), [("", Verdict.UNKNOWN), ("- 1", Verdict.VIOLATED)])
def test_a_tensor_of_which_nothing_is_asked_is_as_large_as_a_large_launch_needs(back: str, verdict: Verdict) -> None:
    assert verdicts(VIEWS, "radii", back=back) == {verdict}


KEPT = """
#include <torch/extension.h>
__global__ void doubled(const float *source, float *out, int64_t count) {
  int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < count) out[at] = 2 * source[at$more];
}
struct Layer {
  torch::Tensor kept;
  torch::Tensor forward(torch::Tensor x, torch::Tensor y) {
    TORCH_CHECK(x.is_contiguous());
    auto out = torch::empty({x.numel()}, x.options());
    const float *source = x.data_ptr<float>();
    if (&x == &y) source = kept.data_ptr<float>();
    doubled<<<(x.numel() + 255) / 256, 256>>>(source, out.data_ptr<float>(), x.numel());
    return out;
  }
};
"""


@pytest.mark.parametrize(("more", "verdict"), [("", Verdict.UNKNOWN), (" + 1", Verdict.VIOLATED)])
def test_of_two_memories_the_one_that_callers_keep_is_as_large_as_the_other(more: str, verdict: Verdict) -> None:
    assert verdicts(KEPT, "source", more=more) == {verdict}
