"""What nothing in the launch relates is no finding (DESIGN 3, origin 7): strides, tables, lengths read from memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cudalint.contract import Contract
from cudalint.finding import Confidence, Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.issues import Analysis
from cudalint.symbolic.ordinary import ordinary_grid
from cudalint.term import multiply, symbol

ROTATED = """
#include <torch/extension.h>
__global__ void rotate(float *x, const long *places, int rotated, long stride, int heads, int head_size) {
  int token = blockIdx.x;
  long place = places[token];
  for (int i = threadIdx.x; i < heads * (rotated / 2); i += blockDim.x) {
    float *head = x + token * stride + (i / (rotated / 2)) * head_size;
    int a = i % (rotated / 2), b = a + rotated / 2;
    float swapped = head[a] * place;
    head[a] = head[b];
    head[b] = swapped;
  }
}
void apply(torch::Tensor x, torch::Tensor places, torch::Tensor table, int64_t head_size) {
  int rotated = table.size(1), heads = x.size(-1) / head_size;
  int tokens = x.numel() / x.size(-1);
  rotate<<<tokens, 128>>>(x.data_ptr<float>(), places.data_ptr<int64_t>(), rotated, x.stride(-2), heads, head_size);
}
"""

LENGTHS = """
#include <cuda_runtime.h>
__global__ void sum(const int *lengths, float *out) {
  extern __shared__ float kept[];
  for (int t = threadIdx.x; t < lengths[blockIdx.x]; t += blockDim.x) kept[t] = t;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = kept[0];
}
void run(const int *lengths, float *out, int rows, int longest) {
  if (rows < 1 || longest < 1 || longest > 4096) return;
  sum<<<rows, 128, longest * sizeof(float)>>>(lengths, out);
}
"""


def analyses(source: str) -> Iterator[Analysis]:
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    for kernel, contracts in launch_contracts(unit).items():
        for contract in contracts:
            yield analyse(unit, unit.functions[kernel], contract)


def test_strides_of_a_tensor_are_not_negative() -> None:
    (analysis,) = analyses(ROTATED)
    found = [o for o in analysis.obligations if o.object is not None and o.object.name == "x"]
    assert found and all(o.verdict is not Verdict.VIOLATED for o in found)


def test_a_table_that_nothing_relates_to_the_grid_is_undecided() -> None:
    (analysis,) = analyses(ROTATED)
    (read,) = [o for o in analysis.obligations if o.object is not None and o.object.name == "places"]
    assert read.verdict is Verdict.UNKNOWN


def test_a_race_that_needs_a_row_longer_than_its_stride_is_of_medium_confidence() -> None:
    (analysis,) = analyses(ROTATED)
    assert all(race.confidence is not Confidence.HIGH for race in analysis.races)


def test_a_race_within_the_stride_is_of_high_confidence() -> None:
    (analysis,) = analyses(ROTATED.replace("b = a + rotated / 2", "b = a + 1"))
    assert any(race.confidence is Confidence.HIGH for race in analysis.races)


def test_an_index_that_a_length_in_memory_bounds_is_of_low_confidence() -> None:
    (analysis,) = analyses(LENGTHS)
    found = [o for o in analysis.obligations if o.verdict is Verdict.VIOLATED and o.object is not None]
    assert all(
        o.confidence is Confidence.LOW for o in found if o.object and o.object.name == "kept" and o.access == "write"
    )


def test_a_launch_of_rounded_blocks_has_whole_warps() -> None:
    source = """
#include <torch/extension.h>
__global__ void sum(const float *x, float *out, int cols) {
  float v = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) v += x[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
  if (threadIdx.x == 0) out[0] = v;
}
void run(torch::Tensor x, torch::Tensor out) {
  const int cols = x.size(-1);
  if (cols % 8 || cols < 8) return;
  sum<<<1, std::min(1024, ((cols / 8 + 31) / 32) * 32)>>>(x.data_ptr<float>(), out.data_ptr<float>(), cols);
}
"""
    (analysis,) = analyses(source)
    assert not analysis.warps


SECOND_TILE = """
#include <torch/extension.h>
__global__ void sums(const float *x, int rows, int columns, float *out) {
  int first = blockIdx.x * 64;
  for (int row = first + 32; row < first + 64 && row < rows; row++)
    if (threadIdx.x < columns) out[row * columns + threadIdx.x] = x[row * columns + threadIdx.x];
}
void run(at::Tensor &x, int rows, int columns, float *out) {
  sums<<<(rows + 63) / 64, 128>>>(x.data_ptr<float>(), rows, columns, out);
}
"""


def test_rows_that_the_smallest_matrix_does_not_have_are_the_callers_to_allocate() -> None:
    (analysis,) = analyses(SECOND_TILE)
    (read,) = [o for o in analysis.obligations if o.object is not None and o.object.name == "x"]
    assert read.verdict is Verdict.UNKNOWN


def test_rows_before_the_first_are_a_finding_whatever_is_allocated() -> None:
    (analysis,) = analyses(SECOND_TILE.replace("= x[row * columns", "= x[(row - 64) * columns"))
    (read,) = [o for o in analysis.obligations if o.object is not None and o.object.name == "x"]
    assert read.verdict is Verdict.VIOLATED


PITCHED = """
__global__ void fill(double *x, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) x[row * columns] = 0;
}
void run(double *x, int rows, int columns) { fill<<<(rows + 255) / 256, 256>>>(x, rows, columns); }
"""


def test_memory_that_nobody_sizes_counts_with_what_the_index_needs() -> None:
    (analysis,) = analyses(PITCHED)
    (overflow,) = [o for o in analysis.obligations if o.kind == "overflow"]
    assert overflow.witness is not None and overflow.witness.bytes_needed is not None
    assert overflow.witness.bytes_needed > 16 << 30


UNLAUNCHED = """
__global__ void copy(const float *x, float *y, size_t n) {
  int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
"""


def overflows_without_launch(source: str) -> list[Confidence | None]:
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    (kernel,) = unit.functions.values()
    analysis = analyse(unit, kernel, Contract(kernel.id, ()))
    return [o.confidence for o in analysis.obligations if o.kind == "overflow" and o.verdict is Verdict.VIOLATED]


def test_a_grid_that_is_far_larger_than_the_data_is_not_ordinary() -> None:
    assert Confidence.HIGH not in overflows_without_launch(UNLAUNCHED)


def test_a_product_of_sizes_overflows_under_an_ordinary_launch() -> None:
    source = UNLAUNCHED.replace("size_t n", "int tokens, int hidden").replace("[i]", "[i * hidden]")
    assert Confidence.HIGH in overflows_without_launch(source.replace("i < n", "i < tokens"))


def test_rows_and_columns_of_a_lone_kernel_are_of_no_stated_size() -> None:
    source = UNLAUNCHED.replace("size_t n", "int n, int pitch").replace("[i]", "[i * pitch]")
    assert Confidence.HIGH not in overflows_without_launch(source)


def test_a_row_of_several_says_how_many_threads_a_kernel_is_written_for() -> None:
    source = """
    __global__ void turn(const float *in, float *out, int tiles) {
      __shared__ float rows[2][128];
      rows[0][threadIdx.x] = in[threadIdx.x];
      for (int k = 0; k < tiles; ++k) {
        rows[(k + 1) & 1][threadIdx.x] = in[k * 128 + threadIdx.x];
        __syncthreads();
        out[k * 128 + threadIdx.x] = rows[k & 1][127 - threadIdx.x];
        __syncthreads();
      }
    }
    """
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((name, kernel),) = unit.functions.items()
    obligations = analyse(unit, kernel, Contract(name, ())).obligations
    assert not [o for o in obligations if o.verdict is Verdict.VIOLATED and o.confidence is Confidence.HIGH]


def test_a_race_of_an_ordinary_launch_is_not_hidden_by_one_beyond_the_rows() -> None:
    source = """
    __global__ void sums(const int *in, int *out) {
      __shared__ int rows[2][256];
      int t = threadIdx.x, p = 0;
      rows[0][t] = in[blockIdx.x * 256 + t];
      __syncthreads();
      for (int d = 1; d < 256; d *= 2) {
        rows[1 - p][t] = t >= d ? rows[p][t] + rows[p][t - d] : rows[p][t];
        p = 1 - p;
      }
      out[blockIdx.x * 256 + t] = rows[p][t];
    }
    """
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((name, kernel),) = unit.functions.items()
    races = [r for r in analyse(unit, kernel, Contract(name, ())).races if r.object.memory == "shared"]
    assert [r.confidence for r in races] == [Confidence.HIGH]


def test_how_a_loop_has_ended_leaves_no_doubt_that_threads_come_behind_it() -> None:
    text = (
        "struct M { float *at; __device__ int size() const; };\n__global__ void k(M m, int *y) {\n"
        "  __shared__ int s[8];\n  int n = m.size();\n"
        "  for (int i = threadIdx.x; i < n; i += blockDim.x) m.at[i] = 0;\n"
        "  if (threadIdx.x == 0) s[1] = n;\n  y[threadIdx.x] = s[1];\n}\n"
    )
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    (name,) = (id_ for id_, function in unit.functions.items() if function.name == "k")
    races = analyse(unit, unit.functions[name], Contract(name, ())).races
    assert [race.approximate for race in races if race.object.memory == "shared"] == [False]


@pytest.mark.parametrize(("start", "parted"), [("0", False), ("threadIdx.x", True)])
def test_threads_in_a_block_wide_primitive_are_in_one_round_of_the_loop(start: str, parted: bool) -> None:
    text = (
        "#include <cub/cub.cuh>\n__global__ void k(int *y, int n) {\n  using Reduce = cub::BlockReduce<int, 128>;\n"
        "  __shared__ typename Reduce::TempStorage storage;\n"
        f"  for (int i = {start}; i < n; i += blockDim.x) y[i] = Reduce(storage).Sum(i);\n}}\n"
    )
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    (name,) = (id_ for id_, function in unit.functions.items() if function.name == "k")
    assert bool(analyse(unit, unit.functions[name], Contract(name, ())).barriers) == parted


def test_freedom_from_races_says_that_it_takes_bounds_for_what_they_are() -> None:
    """`threadIdx.x < cols` makes a negative size a large one, and then every thread of every block goes on."""
    source = """
    __global__ void fill(float *out, int cols) {
      if (threadIdx.x < cols) out[threadIdx.x + (size_t)blockIdx.x * cols] = 1;
    }
    """
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((name, kernel),) = unit.functions.items()
    analysis = analyse(unit, kernel, Contract(name, ()))
    (race,) = [o for o in analysis.sync_results if o.kind == "race"]
    assert race.verdict is Verdict.SAFE
    assert [fact.text for fact in race.facts] == [
        "uint32(cols) is cols in the conditions of the kernel: it does not wrap"
    ]


MAPPED = """
#include <cuda_runtime.h>
__global__ void clear(float2 *part) { part[blockIdx.x * 64 + threadIdx.x].x = 0; }
void run(cudaGraphicsResource *resource) {
  float2 *part;
  size_t bytes;
  cudaGraphicsResourceGetMappedPointer((void **)&part, &bytes, resource);
  clear<<<8, 64>>>(part);
}
"""


def test_memory_of_another_library_is_as_large_as_a_constant_launch_needs() -> None:
    (analysis,) = analyses(MAPPED)
    (write,) = [o for o in analysis.obligations if o.kind == "bounds"]
    assert write.verdict is Verdict.UNKNOWN


def test_memory_that_the_function_makes_itself_has_the_size_that_it_says() -> None:
    made = "size_t n) {\n  float2 *part;\n  cudaMalloc(&part, n * sizeof(float2));\n"
    source = MAPPED.replace("cudaGraphicsResource *resource) {\n  float2 *part;\n  size_t bytes;\n", made)
    source = source.replace("  cudaGraphicsResourceGetMappedPointer((void **)&part, &bytes, resource);\n", "")
    (analysis,) = analyses(source)
    (write,) = [o for o in analysis.obligations if o.kind == "bounds"]
    assert write.verdict is Verdict.VIOLATED


FROM_FLOAT = """
#include <cuda_runtime.h>
__global__ void force(float *v, int first) { v[first + threadIdx.x] = 0; }
void run(float place) {
  float *v;
  cudaMalloc(&v, 4096 * sizeof(float));
  force<<<1, 16>>>(v, (int)(place * 512) - 4);
}
"""


def test_an_argument_that_was_not_followed_is_no_witness() -> None:
    (analysis,) = analyses(FROM_FLOAT)
    (write,) = [o for o in analysis.obligations if o.kind == "bounds"]
    assert write.confidence is Confidence.LOW


BLOCKWISE = """
__global__ void spread(const float *scales, float *out, int n, int block) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = scales[(int)i >> (31 - __clz(block))];
}
void run(int n) {
  float *scales, *out;
  if (n < 64) return;
  cudaMalloc(&scales, (n / 64) * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  spread<<<(n + 255) / 256, 256>>>(scales, out, n, 64);
}
"""


def test_leading_zeros_of_a_power_of_two_are_counted_in_a_witness() -> None:
    (analysis,) = analyses(BLOCKWISE)
    (read,) = [o for o in analysis.obligations if o.object is not None and o.object.name == "scales"]
    assert read.verdict is Verdict.VIOLATED and read.witness is not None
    assert read.witness.index == read.witness.values["run:n"] // 64


UNSIGNED_STRIDES = """
#include <cstdint>
__global__ void tail(const char *x, float *y, int64_t first, uint64_t pitch) {
  int64_t row = blockIdx.x;
  y[row] = *(const float *)(x + (row - first) * pitch);
}
void run(const char *x, float *y, int64_t first, int64_t rows, uint64_t pitch) { tail<<<rows, 1>>>(x, y, first, pitch); }
"""


def test_an_unsigned_product_of_a_difference_wraps_back_in_the_address() -> None:
    (analysis,) = analyses(UNSIGNED_STRIDES)
    assert not [o for o in analysis.obligations if o.kind == "overflow"]


def test_a_difference_of_32_bits_does_not_wrap_back() -> None:
    source = UNSIGNED_STRIDES.replace("int64_t row", "uint32_t row").replace("int64_t first", "uint32_t first")
    (analysis,) = analyses(source)
    assert [o for o in analysis.obligations if o.kind == "overflow"]


ROWS_OF_ANOTHER = """
#include <torch/extension.h>
__global__ void fill(float *y, int64_t columns, int64_t rows) {
  float *row = y + blockIdx.x * columns + blockIdx.y * rows * columns;
  for (int64_t i = threadIdx.x; i < columns; i += blockDim.x) row[i] = blockIdx.x;
}
void run(torch::Tensor x, torch::Tensor y) {
  dim3 blocks(x.size(1), x.size(0));
  fill<<<blocks, 128>>>(y.data_ptr<float>(), y.size(2), y.size(1));
}
"""


def test_a_race_that_needs_a_grid_larger_than_the_rows_of_another_tensor_is_not_of_high_confidence() -> None:
    (analysis,) = analyses(ROWS_OF_ANOTHER)
    assert all(race.confidence is not Confidence.HIGH for race in analysis.races)


def test_blocks_that_share_a_row_whatever_its_length_race() -> None:
    (analysis,) = analyses(ROWS_OF_ANOTHER.replace("blockIdx.x * columns +", ""))
    assert any(race.confidence is Confidence.HIGH for race in analysis.races)


TILE_OF_A_HELPER = """
template <int N> __device__ void load(const float *x, float *y) {
  __shared__ float tile[N][N];
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}
__global__ void eight(const float *x, float *y) { load<8>(x, y); }
"""


def test_a_tile_of_eight_without_a_launch_is_taken_to_have_blocks_of_eight() -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", TILE_OF_A_HELPER), ParseOptions(), "/").unit
    (kernel,) = [f for f in unit.functions.values() if f.name == "eight"]
    analysis = analyse(unit, kernel, Contract(kernel.id, ()))
    assert not [o for o in analysis.obligations if o.confidence is Confidence.HIGH]


PASSED_SHAPE = """
__global__ void draw(float *y, int width) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < width) y[row * width + column] = 1.0f / (1 + threadIdx.x);
}
void run(dim3 grid, dim3 block, float *y, int width) { draw<<<grid, block>>>(y, width); }
"""


def test_a_dimension_that_callers_pass_and_the_kernel_never_reads_is_one() -> None:
    (analysis,) = analyses(PASSED_SHAPE)
    assert not [race for race in analysis.races if race.confidence is Confidence.HIGH]


OUTSIDE = """
extern __shared__ unsigned char kept[];
__global__ void exchange(unsigned char *x) {
  kept[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  x[blockIdx.x * 64 + threadIdx.x] = kept[threadIdx.x ^ 1];
}
void run(unsigned char *x) { exchange<<<4, 64, 64>>>(x); }
"""


def test_shared_memory_that_is_declared_outside_of_the_kernel_is_that_of_the_block() -> None:
    (analysis,) = analyses(OUTSIDE)
    kept = [o for o in analysis.obligations if o.object is not None and o.object.name == "kept"]
    assert kept and all(o.verdict is Verdict.SAFE and o.object and o.object.memory == "shared" for o in kept)
    assert not analysis.races


COLUMNS = """
#include <cuda_runtime.h>
struct Image { int width, height, blocks; };
void read_image(Image *image);
__global__ void sums(int *x, int width, int height) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int row = 0; row < height; row++) {
    sum += x[row * width + column];
    x[row * width + PLACE] = sum;
  }
}
void run(int *x) {
  Image image;
  read_image(&image);
  sums<<<image.blocks, 128>>>(x, image.width, image.height);
}
"""


def test_rows_whose_length_the_host_code_lost_are_as_long_as_its_lost_grid() -> None:
    (analysis,) = analyses(COLUMNS.replace("PLACE", "column"))
    assert not analysis.races


def test_neighbours_meet_in_rows_of_any_length() -> None:
    (analysis,) = analyses(COLUMNS.replace("PLACE", "column + 1"))
    assert {race.confidence for race in analysis.races} == {Confidence.HIGH}


def test_a_grid_of_which_a_part_was_lost_is_no_larger_than_any_is() -> None:
    side, rows = symbol("~run:side#1"), symbol("run:rows")
    assert ordinary_grid(multiply(side, side)) and not ordinary_grid(multiply(rows, rows))


HALVED = """
__global__ void smallest(float *x) {
  extern __shared__ float kept[];
  int t = threadIdx.x;
  for (int d = FIRST; d > 0; d /= 2) {
    __syncthreads();
    if (t < d && kept[t + d] < kept[t]) kept[t] = kept[t + d];
  }
  if (t == 0) x[blockIdx.x] = kept[0];
}
"""


def test_a_distance_that_halves_is_never_larger_than_it_was_at_first() -> None:
    assert overflows_without_launch(HALVED.replace("FIRST", "blockDim.x")) == []


TABLES = """
#include <cuda_runtime.h>
struct Lists { float *at[4][40]; int sizes[40]; };
__global__ void clear(Lists lists) {
  if (threadIdx.x < lists.sizes[blockIdx.x]) lists.at[2][blockIdx.x][threadIdx.x] = 0;
}
void run(Lists lists) { clear<<<40, 64>>>(lists); }
"""

FIRST_LIST = """
#include <torch/extension.h>
__global__ void clear(float *x) { x[threadIdx.x] = 0; }
void one(std::vector<std::vector<at::Tensor>> lists) {
  TORCH_CHECK(lists.size() == 1);
  clear<<<1, 32>>>(lists[0][0].data_ptr<float>());
}
void four(std::vector<std::vector<at::Tensor>> lists) {
  TORCH_CHECK(lists.size() == 4);
  std::vector<std::vector<at::Tensor>> first(lists.begin(), lists.begin() + 1);
  one(first);
}
"""


def test_tables_of_many_pointers_are_members_as_others_are() -> None:
    (analysis,) = analyses(TABLES)
    assert any(o.access == "write" for o in analysis.obligations)


def test_a_vector_of_a_part_of_another_has_a_size_of_its_own() -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", FIRST_LIST), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    assert not [fact.text for fact in contract.facts if "taken alone" in fact.text or "lists" in fact.text]


LAST_WORDS = """
#include <cuda_runtime.h>
#include <cstdlib>
struct Fatal { ~Fatal() { abort(); } template <class T> Fatal &operator<<(T) { return *this; } };
struct Void { void operator&(Fatal &) {} };
__global__ void clear(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
void run(float *x, int n) { CHECK; clear<<<1, 64>>>(x, n); }
"""


@pytest.mark.parametrize(
    ("check", "told"),
    [
        ('n > 7 ? (void)0 : Void() & (Fatal() << "small")', True),
        ('if (n <= 7) Fatal() << "small"', True),
        ('n > 7 || (Fatal() << "small", false)', False),
        ('auto later = [] { Fatal() << "small"; }', False),
    ],
)
def test_what_is_said_last_on_one_side_alone_ends_no_other_way_to_the_launch(check: str, told: bool) -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", LAST_WORDS.replace("CHECK", check)), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    assert ("n >= 8" in {fact.text for fact in contract.facts}) is told


FRAMES = """
#include <cuda_runtime.h>
#include <math.h>
__global__ void clear(unsigned char *frames, int width, int height, int batch) {
  int x = blockIdx.x * 32 + threadIdx.x;
  if (x >= width) return;
  for (int i = 0; i < batch; i++) frames[(i * height + blockIdx.y) * width + x] = 0;
}
void run(int width, int height, int batch) {
  if (width < 1 || height < 1 || batch < 1 || width > 4096 || height > 4096 || batch > 16) return;
  unsigned char *frames;
  int size = width * ceil(height * 3.0f / 2.0f) * batch;
  cudaMalloc(&frames, size);
  clear<<<dim3((width + 31) / 32, height), 32>>>(frames, width, height, batch);
}
"""

OPTIONS = """
#include <cuda_runtime.h>
__constant__ float options[1024];
__global__ void value(float *out, int steps) {
  float v = 0;
  for (int i = 0; i < steps; i++) v = v * 0.5f + options[blockIdx.x PLUS];
  out[blockIdx.x] = v;
}
"""

PAIRS = """
#include <torch/extension.h>
__global__ void lengths(const int64_t *pairs, float *length, size_t count) {
  for (auto i = blockIdx.x; i < count; i += gridDim.x)
    length[i] = (float)(pairs[2 * i + LAST] - pairs[2 * i]);
}
torch::Tensor measured(const torch::Tensor &pairs) {
  CHECK
  auto count = pairs.size(0);
  auto length = torch::empty({count}, pairs.options().dtype(torch::kFloat));
  if (count == 0) return length;
  lengths<<<count < 1920 ? count : 1920, 1>>>(pairs.contiguous().data_ptr<int64_t>(), length.data_ptr<float>(), count);
  return length;
}
"""

FILTERED = """
#include <torch/extension.h>
__global__ void filter(const float *x, const float *w, float *y, int length, int channels, int taps) {
  int c = blockIdx.y, t = blockIdx.x * blockDim.x + threadIdx.x;
  const float *row = x + ((int64_t)blockIdx.z * channels + c) * length;
  if (t >= length) return;
  float sum = 0;
  for (int k = 0; k < taps && k <= t; ++k) sum += WEIGHT * row[t - k];
  y[((int64_t)blockIdx.z * channels + c) * length + t] = sum;
}
torch::Tensor filtered(torch::Tensor x, torch::Tensor w) {
  TORCH_CHECK(x.dim() == 3 && x.is_contiguous() && w.is_contiguous() && w.dim() == 2 && w.size(0) == x.size(1));
  auto y = torch::empty_like(x);
  int n = x.size(0), channels = x.size(1), length = x.size(2), taps = w.size(1);
  filter<<<dim3((length + 127) / 128, channels, n), 128>>>(
      x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), length, channels, taps);
  return y;
}
"""

TAPS = """
__constant__ float taps[5];
__global__ void smooth(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 4 || y < 4 || x >= width - 4 || y >= height - 4) return;
  float sum = taps[0] * in[y * width + x];
  for (int r = 1; r LIMIT; r++) sum += taps[r] * (in[y * width + x - r] + in[y * width + x + r]);
  out[y * width + x] = sum;
}
"""

PRODUCT = """
#include <cuda_runtime.h>
__global__ void product(float *c, const float *a, const float *b, int a_width, int b_width) {
  __shared__ float tile[16][16];
  int x = threadIdx.x, y = threadIdx.y, begin = a_width * 16 * blockIdx.y;
  float sum = 0;
  for (int i = begin, j = 16 * blockIdx.x; i <= begin + a_width - 1; i += 16, j += 16 * b_width) {
    tile[y][x] = a[i + a_width * y + x];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += tile[y][k] * b[j + b_width * k + x];
    __syncthreads();
  }
  c[b_width * 16 * blockIdx.y + 16 * blockIdx.x + b_width * y + x] = sum;
}
"""


def unlaunched(source: str) -> Analysis:
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    (kernel,) = unit.functions.values()
    return analyse(unit, kernel, Contract(kernel.id, ()))


def test_a_size_that_was_lost_is_as_large_as_the_launch_needs() -> None:
    (analysis,) = analyses(FRAMES)
    found = [o for o in analysis.obligations if o.object is not None and o.object.name == "frames"]
    assert found and all(o.verdict is not Verdict.VIOLATED for o in found)


def test_who_launches_a_kernel_knows_how_many_entries_its_constant_table_has() -> None:
    read = [o for o in unlaunched(OPTIONS.replace("PLUS", "")).obligations if o.object and o.object.name == "options"]
    assert read and all(o.verdict is Verdict.UNKNOWN for o in read)


def test_an_entry_behind_a_constant_table_is_a_finding_whoever_launches() -> None:
    read = [
        o for o in unlaunched(OPTIONS.replace("PLUS", "+ 1023")).obligations if o.object and o.object.name == "options"
    ]
    assert any(o.verdict is Verdict.VIOLATED for o in read)


@pytest.mark.parametrize(
    ("check", "last", "told"), [("", "1", False), ("TORCH_CHECK(pairs.dim() == 2 && pairs.size(1) == 2);", "2", True)]
)
def test_a_second_element_of_each_row_says_that_rows_have_two(check: str, last: str, told: bool) -> None:
    """Unless the host says it, too: then there is none behind the last row."""
    (analysis,) = analyses(PAIRS.replace("CHECK", check).replace("LAST", last))
    read = [o for o in analysis.obligations if o.kind == "bounds" and o.object and o.object.name == "pairs"]
    assert read and any(o.verdict is Verdict.VIOLATED for o in read) is told


@pytest.mark.parametrize(("weight", "told"), [("w[c * taps + k]", False), ("x[c * length + k]", True)])
def test_who_widens_a_product_of_some_sizes_thinks_the_others_small(weight: str, told: bool) -> None:
    (analysis,) = analyses(FILTERED.replace("WEIGHT", weight))
    wraps = [o for o in analysis.obligations if o.kind == "overflow" and o.verdict is Verdict.VIOLATED]
    assert wraps and any(o.confidence is Confidence.HIGH for o in wraps) is told


@pytest.mark.parametrize(("limit", "told"), [("<= 5", True), ("<= 4", False)])
def test_an_entry_behind_a_constant_table_is_a_finding_inside_a_border_of_two_axes_too(limit: str, told: bool) -> None:
    found = unlaunched(TAPS.replace("LIMIT", limit)).obligations
    read = [o for o in found if o.object and o.object.name == "taps"]
    assert read and any(o.verdict is Verdict.VIOLATED for o in read) is told


def test_rows_shorter_than_a_tile_are_no_race_of_a_kernel_without_launch() -> None:
    assert all(race.confidence is not Confidence.HIGH for race in unlaunched(PRODUCT).races)


CODES = """
#include <algorithm>
struct Codes { int data[4]; };
__global__ void shuffled(const Codes codes, int n, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float values[4] = {in[0], in[1], in[2], in[3]};
  if (i < n) out[i] = values[codes.data[0] & 15];
}
void shuffle(int given[4], int n, const float *in, float *out) {
  Codes codes;
  std::copy(given, given + 4, codes.data);
  shuffled<<<(n + 255) / 256, 256>>>(codes, n, in, out);
}
"""


def confidence_of_local(source: str) -> list[Confidence | None]:
    (analysis,) = analyses(source)
    return [o.confidence for o in analysis.obligations if o.verdict is Verdict.VIOLATED and o.object.name == "values"]


def test_an_entry_of_a_table_that_callers_fill_is_what_they_make_it() -> None:
    assert confidence_of_local(CODES) == [Confidence.LOW]


def test_an_entry_that_the_host_code_sets_is_a_value_as_any_other() -> None:
    set_here = CODES.replace("std::copy(given, given + 4, codes.data);", "codes.data[0] = 7;")
    assert confidence_of_local(set_here) == [Confidence.HIGH]
