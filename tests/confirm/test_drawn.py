"""Accesses that the solver leaves open are tried in drawn launches: what leaves its object there is a finding with that launch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.engine.drawn import is_open
from cudalint.finding import Confidence, Evidence, Finding, Reason, Verdict
from cudalint.source import Span
from cudalint.symbolic.model import MEMORY_PREFIX, Obligation
from cudalint.term import at_most, symbol

WINDOW = """
#include <torch/extension.h>
__global__ void pool(const float* x, float* y, int C, int H, int W, int K, int step, int OH, int OW, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int ow = i % OW, oh = (i / OW) % OH, c = i / (OW * OH);
    float best = -1e30f;
    for (int a = 0; a < K; ++a)
        for (int b = 0; b < K; ++b)
            best = fmaxf(best, x[(c * H + oh * step + a) * W + ow * step + b]);
    y[i] = best;
}
torch::Tensor pooled(torch::Tensor x, int64_t K, int64_t step) {
    TORCH_CHECK(x.dim() == 3 && x.is_contiguous() && x.scalar_type() == torch::kFloat);
    auto C = x.size(0), H = x.size(1), W = x.size(2);
    TORCH_CHECK(K > 0 && step > 0 && K <= H && K <= W);
    auto OH = (H - K) / step + 1;
    auto OW = (W - K) / step + 1;
    auto y = torch::empty({C, OH, OW}, x.options());
    int total = y.numel();
    pool<<<(total + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), C, H, W, K, step, OH, OW, total);
    C10_CUDA_CHECK(cudaGetLastError());
    return y;
}
"""
SHARED_LOAD = (
    WINDOW.replace("__global__", "__device__ float loaded(const float* from) { return *from; }\n__global__")
    .replace(
        "x[(c * H + oh * step + a) * W + ow * step + b]", "loaded(x + (c * H + oh * step + a) * W + ow * step + b)"
    )
    .replace("float best = -1e30f;", "float best = loaded(w + ow * step + K);")
    .replace("const float* x,", "const float* x, const float* w,")
    .replace("torch::Tensor x,", "torch::Tensor x, torch::Tensor w,")
    .replace("x.data_ptr<float>(),", "x.data_ptr<float>(), w.data_ptr<float>(),")
)
WRONG_STRIDE = WINDOW.replace("+ a) * W +", "+ a) * H +")
WRONG_COUNT = WINDOW.replace("auto OH = (H - K) / step + 1;", "auto OH = (H - K + step) / step + 1;")


def bounds(source: str, folder: Path, confirm: str = "emulate") -> list[Finding]:
    path = folder / "pool.cu"
    path.write_text(source)
    found = scan(ScanOptions((str(path),), confirm=confirm)).findings
    return [finding for finding in found if finding.code == "IDX101"]


RESIZED = """
__global__ void shrink(const float* x, float* y, int rows, int columns, int kept, float ratio) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kept * columns) return;
    int row = ROW;
    y[i] = x[row * columns + i % columns];
}
int main() {
    float *x, *y;
    cudaMalloc(&x, 200 * 100 * sizeof(float));
    cudaMalloc(&y, 150 * 100 * sizeof(float));
    shrink<<<59, 256>>>(x, y, 200, 100, 150, RATIO);
    return cudaDeviceSynchronize();
}
"""
CEILED, FLOORED = "(int)ceilf((i / columns + 1) * (float)rows / kept)", "(int)((i / columns) * (float)rows / kept)"
GIVEN = "(int)((i / columns + 1) * ratio)"


def test_a_correct_window_gives_no_finding(tmp_path: Path) -> None:
    assert not bounds(WINDOW, tmp_path)


def test_what_leaves_other_memory_at_the_same_place_says_nothing(tmp_path: Path) -> None:
    assert not bounds(SHARED_LOAD, tmp_path)
    wrong = bounds(SHARED_LOAD.replace("+ a) * W +", "+ a + 1) * W +"), tmp_path)
    assert ["`x`" in finding.message for finding in wrong] == [True]


@pytest.mark.parametrize("row", [CEILED, FLOORED], ids=["beyond", "inside"])
def test_an_index_computed_in_floating_point_is_what_a_run_computes(row: str, tmp_path: Path) -> None:
    found = bounds(RESIZED.replace("ROW", row).replace("RATIO", "1.5f"), tmp_path)
    assert [(f.evidence, f.witness and f.witness.index) for f in found] == (
        [(Evidence.EMULATED, 20_000)] if row == CEILED else []
    )


def test_a_launch_told_in_numbers_is_run_whole_though_it_has_more_threads_than_a_drawn_one(tmp_path: Path) -> None:
    (finding,) = bounds(RESIZED.replace("ROW", CEILED).replace("RATIO", "1.5f"), tmp_path)
    assert finding.witness is not None and finding.witness.launch.grid == (59, 1, 1)


def test_a_number_of_floating_point_that_a_caller_passes_is_not_drawn(tmp_path: Path) -> None:
    """Nothing says which ratio is passed, so no run tells where the access goes."""
    assert not bounds(RESIZED.replace("ROW", GIVEN).replace("RATIO", 'atof("1.3")'), tmp_path)


UNCHECKED = WINDOW.replace(" && K <= H && K <= W", "")


def test_a_window_larger_than_its_image_is_nothing_that_an_ordinary_caller_asks_for(tmp_path: Path) -> None:
    """`(H - K) / step + 1` is 1 where K is larger than H by less than a step."""
    assert not bounds(UNCHECKED, tmp_path)


def test_a_wrong_count_of_windows_is_found_with_a_window_that_fits(tmp_path: Path) -> None:
    (finding,) = bounds(UNCHECKED.replace("(H - K) / step + 1", "(H - K + step) / step + 1"), tmp_path)
    assert finding.witness is not None
    values = finding.witness.values
    assert values["pooled:K"] <= values["pooled:x.size(1)"] + values["pooled:step"]


@pytest.mark.parametrize("source", [WRONG_STRIDE, WRONG_COUNT], ids=["stride", "count"])
def test_a_wrong_window_is_found_with_the_launch_that_shows_it(source: str, tmp_path: Path) -> None:
    (finding,) = bounds(source, tmp_path)
    assert "best, x[" in source.splitlines()[finding.span.line - 1]
    witness = finding.witness
    assert witness is not None and witness.index is not None and witness.extent is not None
    assert not 0 <= witness.index < witness.extent
    assert finding.evidence.value == "emulated"
    assert witness.bytes_needed is not None and witness.bytes_needed <= 256  # not the first launch that was drawn


@pytest.mark.parametrize(
    ("change", "tried"),
    [
        ({}, True),
        ({"unit": 16}, False),  # whole vectors: callers keep sizes that are multiples of them, draws do not
        ({"reason": Reason.UNMODELLED}, False),
        ({"verdict": Verdict.SAFE}, False),
        ({"index": symbol(f"{MEMORY_PREFIX}table", 0, 9)}, False),
    ],
    ids=["open", "vector", "unmodelled", "safe", "contents"],
)
def test_what_is_tried(change: dict[str, Any], tried: bool) -> None:
    n, i = symbol("n", 1, 99), symbol("i", 0, 99)
    span = Span("k.cu", 1, 1, 1, 2)
    obligation = Obligation("bounds", "read", None, span, (), at_most(i, n), i, n, 4, reason=Reason.SOLVER_LIMIT)
    assert is_open(replace(obligation, **change)) is tried


PRODUCT = """
#include <torch/extension.h>
using Rows = at::PackedTensorAccessor64<float, 2, at::RestrictPtrTraits>;
__global__ void product(Rows a, Rows b, Rows y) {
    int row = blockIdx.x;
    for (int i = threadIdx.x; i < a.size(1); i += blockDim.x) y[row][i] = a[row][i] * b[row][i];
}
at::Tensor multiplied(at::Tensor a, at::Tensor b) {
    TORCH_CHECK(a.size(1) % 4 == 0);
    auto y = at::empty(a.sizes(), a.options());
    product<<<a.size(0), 256>>>(a.packed_accessor64<float, 2, at::RestrictPtrTraits>(),
                                b.packed_accessor64<float, 2, at::RestrictPtrTraits>(),
                                y.packed_accessor64<float, 2, at::RestrictPtrTraits>());
    return y;
}
"""
SCALARS = PRODUCT.replace("    TORCH_CHECK(a.size(1) % 4 == 0);\n", "")


@pytest.mark.parametrize("source", [PRODUCT, SCALARS], ids=["checked length", "any length"])
def test_two_tensors_of_one_shape_are_the_callers_to_pass(source: str, tmp_path: Path) -> None:
    assert not bounds(source, tmp_path)


@pytest.mark.parametrize("source", [PRODUCT, SCALARS], ids=["checked length", "any length"])
def test_one_column_too_many_is_found_whatever_the_shapes(source: str, tmp_path: Path) -> None:
    assert bounds(source.replace("i < a.size(1)", "i <= a.size(1)"), tmp_path)


TRIPLES = """
#include <torch/extension.h>
__global__ void weighted(const float* scales, const float* w, float* y, int64_t N) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    for (int k = 0; k < 3; ++k) y[3 * i + k] = scales[3 * i + k] * w[i];
}
void weigh(const at::Tensor& scales, const at::Tensor& w, at::Tensor& y) {
    const int64_t N = scales.size(0);
    weighted<<<(N + 255) / 256, 256>>>(scales.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), N);
}
"""


def test_a_tensor_may_have_a_dimension_that_the_host_code_does_not_read(tmp_path: Path) -> None:
    assert not bounds(TRIPLES, tmp_path)


def test_one_row_too_many_is_found_in_a_tensor_of_inferred_rank(tmp_path: Path) -> None:
    wrong = TRIPLES.replace("i >= N", "i > N").replace("3 * i + k", "i")
    assert bounds(wrong, tmp_path)


PLACES = """
#include <torch/extension.h>
__global__ void place(at::PackedTensorAccessor32<int, 1, at::RestrictPtrTraits> to,
                      const at::PackedTensorAccessor32<int, 1, at::RestrictPtrTraits> marks,
                      const at::PackedTensorAccessor32<int64_t, 1, at::RestrictPtrTraits> positions) {
    const int n = COUNT;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) to[i] = (int)positions[i];
}
at::Tensor positions_of(const at::Tensor &marks);
at::Tensor placed(const at::Tensor &marks) {
    const int n = marks.numel();
    if (n == 0) return marks;
    at::Tensor positions = positions_of(marks);
    at::Tensor to = at::empty({SIZE}, marks.options().dtype(at::kInt));
    place<<<std::min((n + 255) / 256, 1024), 256>>>(
        to.packed_accessor32<int, 1, at::RestrictPtrTraits>(), marks.packed_accessor32<int, 1, at::RestrictPtrTraits>(),
        positions.packed_accessor32<int64_t, 1, at::RestrictPtrTraits>());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return to;
}
"""


def places(count: str, size: str = "marks.size(0)") -> str:
    return PLACES.replace("COUNT", count).replace("SIZE", size)


def test_a_function_elsewhere_gives_as_many_elements_as_are_needed_to_who_never_asks_how_many(tmp_path: Path) -> None:
    assert not bounds(places("marks.size(0)"), tmp_path)


def test_memory_of_the_host_function_itself_is_as_large_as_it_says(tmp_path: Path) -> None:
    (finding,) = bounds(places("marks.size(0)", "marks.size(0) - 1"), tmp_path)
    assert "past the end of `to.data_`" in finding.message


def test_who_asks_how_many_elements_there_are_is_held_to_their_number(tmp_path: Path) -> None:
    found = bounds(places("positions.size(0) + 1"), tmp_path)
    assert any("`positions.data_`" in finding.message for finding in found)


GRIDDED = """
#include <torch/extension.h>
__global__ void place(int *to, const at::PackedTensorAccessor32<int64_t, 1, at::RestrictPtrTraits> positions, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = (int)positions[i BEHIND];
}
at::Tensor positions_of(const at::Tensor &marks);
at::Tensor placed(const at::Tensor &marks) {
    TORCH_CHECK(marks.dim() == 2 && marks.size(0) == marks.size(1) + 5);
    const int n = marks.size(0) * marks.size(1);
    at::Tensor positions = positions_of(marks);
    at::Tensor to = at::empty({n}, marks.options().dtype(at::kInt));
    place<<<(n + 127) / 128, 128>>>(to.data_ptr<int>(), positions.packed_accessor32<int64_t, 1, at::RestrictPtrTraits>(), n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return to;
}
"""


def test_memory_of_an_accessor_of_32_bits_is_large_enough_where_callers_make_it(tmp_path: Path) -> None:
    assert not bounds(GRIDDED.replace("BEHIND", ""), tmp_path)


def test_a_place_before_the_start_of_an_accessor_is_outside(tmp_path: Path) -> None:
    (finding,) = bounds(GRIDDED.replace("BEHIND", "- 1"), tmp_path)
    assert finding.witness is not None and finding.witness.index == -1


STRETCHED = """#include <cuda_runtime.h>

__global__ void stretch(const short *in, short *out, int width, int height, int wide, int high) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= wide || y >= high) return;
  int from_x = (x * width + wide - 1) / wide, from_y = (y * height + high - 1) / high;
  out[y * wide + x] = in[from_y * width + from_x];
}

int stretched(const short *image, short *result, int width, int height, int wide, int high) {
  if (width < 1 || height < 1 || wide < 1 || high < 1) return 1;
  if (width > 4096 || height > 4096 || wide > 4096 || high > 4096) return 1;
  short *in, *out;
  if (cudaMalloc(&in, width * height * sizeof(short)) != cudaSuccess) return 1;
  if (cudaMalloc(&out, wide * high * sizeof(short)) != cudaSuccess) return 1;
  cudaMemcpy(in, image, width * height * sizeof(short), cudaMemcpyHostToDevice);
  stretch<<<dim3((wide + 15) / 16, (high + 15) / 16), dim3(16, 16)>>>(in, out, width, height, wide, high);
  cudaError_t error = cudaGetLastError();
  cudaMemcpy(result, out, wide * high * sizeof(short), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  return error != cudaSuccess;
}
"""
SHUFFLED = """#include <cuda_runtime.h>

__global__ void shuffle_by_bits(const float *in, float *out, int bits) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1u << bits) out[__brev(i) >> (31 - bits)] = in[i];
}

int shuffled(const float *given, float *result, int bits) {
  if (bits < 1 || bits > 20) return 1;
  int n = 1 << bits;
  float *in, *out;
  if (cudaMalloc(&in, n * sizeof(float)) != cudaSuccess) return 1;
  if (cudaMalloc(&out, n * sizeof(float)) != cudaSuccess) return 1;
  cudaMemcpy(in, given, n * sizeof(float), cudaMemcpyHostToDevice);
  shuffle_by_bits<<<(n + 127) / 128, 128>>>(in, out, bits);
  cudaError_t error = cudaGetLastError();
  cudaMemcpy(result, out, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  return error != cudaSuccess;
}
"""


def test_sizes_that_a_place_is_scaled_by_are_drawn_apart_from_those_of_the_memory(tmp_path: Path) -> None:
    """An image that gets the size that it has shows nothing."""
    (finding,) = bounds(STRETCHED, tmp_path)
    assert finding.evidence is Evidence.EMULATED and "past the end of `in`" in finding.message
    right = STRETCHED.replace("(x * width + wide - 1) / wide", "x * width / wide")
    assert not bounds(right.replace("(y * height + high - 1) / high", "y * height / high"), tmp_path)


def test_launches_of_a_power_of_two_are_drawn(tmp_path: Path) -> None:
    (finding,) = bounds(SHUFFLED, tmp_path)
    assert finding.evidence is Evidence.EMULATED and "past the end of `out`" in finding.message
    assert not bounds(SHUFFLED.replace("31 - bits", "32 - bits"), tmp_path)


PLACED = """
#include <torch/extension.h>
__global__ void lowest(const float* x, float* y, int64_t* place, int rows, int width, int windows, int size, int step, int pad,
                       int apart) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * windows) return;
    const int first = i % windows * step - pad;
    const float* row = x + i / windows * width;
    float least = 3e38f;
    int at = 0;
    for (int k = 0; k < size; ++k) {
        int p = first + k * apart;
        if (p >= 0 && p < width) {
            float v = row[p];
            if (v < least) {
                least = v;
                at = p;
            }
        }
    }
    y[i] = least;
    place[i] = at;
}
std::vector<torch::Tensor> lowest_of(torch::Tensor x, int64_t size, int64_t step, int64_t pad, int64_t apart) {
    TORCH_CHECK(x.dim() == 2 && x.is_contiguous() && x.numel() < (1 << 28));
    TORCH_CHECK(size > 0 && step > 0 && pad >= 0 && apart > 0 && size < 1024 && step < 1024 && pad <= size / 2 && apart < 64);
    const int rows = x.size(0), width = x.size(1);
    const int windows = (width + 2 * pad - apart * (size - 1) - 1) / step + 1;
    TORCH_CHECK(windows > 0 && rows > 0);
    auto y = torch::empty({rows, windows}, x.options());
    auto place = torch::empty({rows, windows}, x.options().dtype(torch::kLong));
    TORCH_CHECK(y.numel() < (1 << 30));
    const int total = rows * windows;
    lowest<<<(total + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), place.data_ptr<int64_t>(), rows, width,
                                         windows, size, step, pad, apart);
    C10_CUDA_CHECK(cudaGetLastError());
    return {y, place};
}
"""


def test_a_witness_that_is_too_large_to_run_makes_room_for_a_small_one(tmp_path: Path) -> None:
    """The walk loses `at`, which has nothing to do with where the access leads."""
    assert bounds(PLACED, tmp_path) == []
    (finding,) = bounds(PLACED.replace("p >= 0 && p < width", "p >= 0"), tmp_path)
    assert finding.evidence is Evidence.EMULATED and finding.span.line == 14


LISTED = """#include <torch/extension.h>

struct Shape {
  int in_h, in_w, out_h, out_w, stride_h, stride_w, pad_h, pad_w;
};

__global__ void shrink(const float *x, const float *weight, float *y, Shape p) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= p.out_w) return;
  const int64_t h = (int64_t)row * p.stride_h - p.pad_h, v = (int64_t)column * p.stride_w - p.pad_w;
  float found = weight != nullptr ? weight[0] : 0.f;
  if (h >= 0 && h < p.in_h && v >= 0 && v < p.GUARD) found += x[h * p.in_w + v];
  y[(int64_t)row * p.out_w + column] = found;
}

torch::Tensor run(const torch::Tensor &x, const c10::optional<torch::Tensor> &weight_opt, std::vector<int64_t> stride,
                  std::vector<int64_t> padding) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 2 && x.scalar_type() == torch::kFloat && x.is_contiguous());
  TORCH_CHECK(stride.size() == 2 && padding.size() == 2);
  for (int d = 0; d < 2; ++d) {
    TORCH_CHECK(stride[d] > 0 && stride[d] <= 64 && padding[d] >= 0 && padding[d] <= 64);
    TORCH_CHECK(x.size(d) + 2 * padding[d] >= stride[d], "the stride is larger than the padded image");
  }
  torch::Tensor weight;
  if (weight_opt.has_value()) {
    TORCH_CHECK(weight_opt->numel() == 1);
    weight = weight_opt->to(x.options()).contiguous();
  }
  Shape p;
  p.in_h = int(x.size(0)), p.in_w = int(x.size(1));
  p.stride_h = int(stride[0]), p.stride_w = int(stride[1]), p.pad_h = int(padding[0]), p.pad_w = int(padding[1]);
  p.out_h = (p.in_h + 2 * p.pad_h) / p.stride_h;
  p.out_w = (p.in_w + 2 * p.pad_w) / p.stride_w;
  auto y = torch::empty({p.out_h, p.out_w}, x.options());
  if (y.numel() == 0 || p.out_h > 65535) return y;
  shrink<<<dim3((p.out_w + 127) / 128, p.out_h), 128>>>(
      x.data_ptr<float>(), weight.defined() ? weight.data_ptr<float>() : nullptr, y.data_ptr<float>(), p);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""


def test_checks_in_a_loop_over_the_sides_count_and_a_witness_without_memory_is_tried_with_some(tmp_path: Path) -> None:
    (found,) = bounds(LISTED.replace("GUARD", "in_h"), tmp_path)
    assert found.confidence is Confidence.HIGH and found.evidence is Evidence.EMULATED
    assert found.witness is not None and found.witness.values["run:x.size(1)"] > 0
    assert found.witness.values["run:stride"] <= 64
    assert not bounds(LISTED.replace("GUARD", "in_w"), tmp_path)


NEAREST = """
#include <cuda_runtime.h>
#include <stdexcept>
template <int MOST> struct Nearest {
  float distance[MOST]; int which[MOST]; int count = 0;
  __device__ void insert(float d, int i, int k) {
    if (count == k && d >= distance[count - 1]) return;
    int slot = FIRST;
    while (slot > 0 && distance[slot - 1] > d) {
      distance[slot] = distance[slot - 1];
      which[slot] = which[slot - 1];
      --slot;
    }
    distance[slot] = d;
    which[slot] = i;
    if (count < k) ++count;
  }
};
template <int MOST> __global__ void nearest(const TYPE *x, int n, int k, int *out) {
  Nearest<MOST> list;
  for (int j = 0; j < n; ++j) list.insert(MEASURED, j, k);
  for (int j = 0; j < k && j < list.count; ++j) out[(blockIdx.x * blockDim.x + threadIdx.x) * (long)k + j] = list.which[j];
}
void run(const TYPE *x, int n, int k, int *out, int rows) {
  if (k < 1 || k > 8 || n < 1 || rows < 1) throw std::invalid_argument("k");
  nearest<8><<<(rows + 127) / 128, 128>>>(x, n, k, out);
}
"""


def local_bounds(source: str, folder: Path) -> set[int]:
    path = folder / "list.cu"
    path.write_text(source)
    found = scan(ScanOptions((str(path),), profile="audit")).findings
    return {f.span.line for f in found if f.code == "IDX103" and f.confidence is Confidence.MEDIUM}


def nearest(first: str, type_: str = "float", measured: str = "fabsf(x[j])") -> str:
    return NEAREST.replace("FIRST", first).replace("TYPE", type_).replace("MEASURED", measured)


def test_a_list_that_numbers_of_floating_point_fill_is_tried_with_any_numbers(tmp_path: Path) -> None:
    assert 14 in local_bounds(nearest("count"), tmp_path)
    assert not local_bounds(nearest("count < k ? count : k - 1"), tmp_path)


@pytest.mark.parametrize("source", [nearest("count", "int"), nearest("count", measured="(int)x[j]")])
def test_integers_from_memory_may_rest_on_a_promise(source: str, tmp_path: Path) -> None:
    assert not local_bounds(source, tmp_path)
