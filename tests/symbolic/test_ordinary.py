"""Which witnesses are ordinary, and so make a finding of high confidence (DESIGN 3)."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract
from cudalint.finding import Confidence, Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.model import Obligation
from cudalint.symbolic.ordinary import (
    DEVICE_BYTES,
    ERROR_BYTES,
    LARGEST,
    largest_ordinary,
    ordinary_blocks,
    ordinary_inputs,
)
from cudalint.term import at_most, conjunction, number, symbol

EMPTY = """
#include <cuda_runtime.h>
#include <vector>
__global__ void mark(const int *frontier, int count, int *level) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) level[i] = frontier[i];
}
void start(const std::vector<int> &offsets, int *level, int count) {
  int n = offsets.size() - 1;
  int *frontier;
  cudaMalloc(&frontier, n * sizeof(int));
  mark<<<1, 32>>>(frontier, COUNT, level);
}
"""

TABLE = """
#include <cuda_runtime.h>
__global__ void count(const unsigned char *which, int *total, int kinds, unsigned long items) {
  extern __shared__ int counts[];
  for (int k = 0; k < kinds; ++k) counts[(threadIdx.x + 1) * kinds + k] = 0;
  __syncthreads();
  if (threadIdx.x < items) total[threadIdx.x] = counts[threadIdx.x * kinds] + which[threadIdx.x];
}
void counted(const unsigned char *which, int *total, int kinds, unsigned long items) {
  if (kinds > 256) return;
  int threads = kinds < 32 ? 32 : kinds;
  count<<<1, threads, (threads * kinds + kinds - 1) * sizeof(int)>>>(which, total, kinds, items);
}
"""


LOST = """
#include <cuda_runtime.h>
struct Net { int hidden; };
void read_net(Net *net);
__global__ void add(float *delta, int n) { delta[INDEX] += 1; }
void train() {
  Net net;
  read_net(&net);
  float *delta;
  cudaMalloc(&delta, (net.hidden + 1) * sizeof(float));
  add<<<net.hidden / 16 + 1, 16>>>(delta, net.hidden);
}
"""


LOST_SHARED = """
#include <cuda_runtime.h>
int choose(int *bytes);
__global__ void fold(float *x) {
  extern __shared__ float cache[];
  cache[INDEX] = x[threadIdx.x];
}
void start(float *x) {
  int bytes;
  int threads = choose(&bytes);
  fold<<<1, threads, bytes>>>(x);
}
"""

UNUSED = """
#include <cuda_runtime.h>
__global__ void used(float *x) { x[threadIdx.x] = 0; }
__global__ void unused(float *x, int rows, int cols) {
  int row = blockIdx.x;
  if (row < rows) for (int c = threadIdx.x; c < cols; c += blockDim.x) x[row * cols + c] = 0;
}
void launch_unused(float *x, int rows, int cols) { unused<<<rows, 128>>>(x, rows, cols); }
int NAME() { float *d; cudaMalloc(&d, 128); used<<<1, 32>>>(d); return cudaGetLastError(); }
"""


ROW = """
#include <torch/extension.h>
__global__ void mean(const float *x, float *out, int row) {
  const float *mine = x + (long long)blockIdx.x * row;
  float sum = 0;
  for (int i = threadIdx.x; i < row; i += blockDim.x) sum += mine[i];
  atomicAdd(out + blockIdx.x, sum / row);
}
void means(torch::Tensor x, torch::Tensor out) {
  TORCH_CHECK(x.dim() == 3 && out.numel() == x.size(0));
  int row = x.numel() / x.size(0);
  mean<<<x.size(0), 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), row);
}
"""


def overflows(source: str, name: str) -> list[Obligation]:
    """What overflows in a kernel under its launches."""
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    kernel = next(f for f in unit.functions.values() if f.name == name)
    contracts = launch_contracts(unit).get(kernel.id, ())
    found = [o for c in contracts for o in analyse(unit, kernel, c).obligations]
    return [o for o in found if o.kind == "overflow" and o.verdict is Verdict.VIOLATED]


def violations(source: str, name: str) -> list[Obligation]:
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((kernel, contracts),) = launch_contracts(unit).items()
    found = [o for c in contracts for o in analyse(unit, unit.functions[kernel], c).obligations]
    return [o for o in found if o.object is not None and o.object.name == name and o.verdict is Verdict.VIOLATED]


def test_memory_of_no_bytes_is_not_ordinary() -> None:
    (read,) = violations(EMPTY.replace("COUNT", "1"), "frontier")
    assert read.confidence is Confidence.MEDIUM


def test_memory_that_is_an_element_short_is_ordinary() -> None:
    (read,) = violations(EMPTY.replace("COUNT", "n + 1"), "frontier")
    assert read.confidence is Confidence.HIGH and read.extent is not None


def test_a_table_that_is_an_element_short_fails_with_ordinary_sizes() -> None:
    (write,) = violations(TABLE, "counts")
    assert write.confidence is Confidence.HIGH


def test_no_block_goes_alone_through_two_thousand_million_elements() -> None:
    assert {o.confidence for o in overflows(ROW, "mean")} == {Confidence.MEDIUM}


def test_a_size_that_the_host_code_lost_is_not_taken_to_be_small() -> None:
    found = violations(LOST.replace("INDEX", "threadIdx.x + 1"), "delta")
    assert {o.confidence for o in found} == {Confidence.MEDIUM}


def test_what_leaves_memory_of_any_size_does_so_where_the_size_was_lost() -> None:
    found = violations(LOST.replace("INDEX", "n + 1 + threadIdx.x"), "delta")
    assert {o.confidence for o in found} == {Confidence.HIGH}


def test_nobody_passes_large_sizes_to_what_a_whole_program_never_launches() -> None:
    assert {o.confidence for o in overflows(UNUSED.replace("NAME", "main"), "unused")} == {Confidence.MEDIUM}
    assert {o.confidence for o in overflows(UNUSED.replace("NAME", "run"), "unused")} == {Confidence.HIGH}


def test_a_launcher_that_main_calls_is_no_dead_code() -> None:
    called = UNUSED.replace("NAME()", "main(int argc, char **argv)")
    sized = "int rows = atoi(argv[1]), cols = atoi(argv[2]); float *m; cudaMalloc(&m, sizeof(float) * rows * cols);"
    called = called.replace("return cuda", f"{sized} launch_unused(m, rows, cols); return cuda")
    assert Confidence.HIGH in {o.confidence for o in overflows(called, "unused")}


def test_shared_memory_whose_size_was_lost_is_not_taken_to_be_small() -> None:
    assert {o.confidence for o in violations(LOST_SHARED.replace("INDEX", "threadIdx.x"), "cache")} == {
        Confidence.MEDIUM
    }


ALONE = """
#include <cuda_runtime.h>
__global__ void sums(float *x, float *of_blocks) {
  __shared__ float s[SIZE];
  s[threadIdx.x] = x[blockIdx.x * STEP + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == SIZE - 1) of_blocks[blockIdx.x] = s[threadIdx.x + MORE];
}
"""


def alone(**parts: int) -> set[Confidence | None]:
    """How sure it is that a kernel that nothing launches leaves its shared array."""
    text = ALONE
    for name, value in parts.items():
        text = text.replace(name, str(value))
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    (kernel,) = unit.functions.values()
    found = analyse(unit, kernel, Contract(kernel.id, ())).obligations
    return {
        o.confidence for o in found if o.object is not None and o.object.name == "s" and o.verdict is Verdict.VIOLATED
    }


def test_a_block_is_as_large_as_the_array_of_which_each_thread_takes_one_element() -> None:
    assert alone(SIZE=256, STEP=256, MORE=0) == {Confidence.MEDIUM}  # some launch is larger
    assert alone(SIZE=256, STEP=256, MORE=1) == {Confidence.MEDIUM, Confidence.HIGH}


def test_an_array_is_not_the_size_of_a_block_where_blocks_lie_further_apart() -> None:
    assert alone(SIZE=256, STEP=1024, MORE=1) == {Confidence.MEDIUM}


def test_an_array_of_a_small_block_with_a_halo_says_how_small() -> None:
    assert alone(SIZE=18, STEP=16, MORE=0) == {Confidence.MEDIUM}


HEADS_OF_A_TOKEN = """
__global__ void scale(float *x, int heads, int head_size) {
  for (int i = threadIdx.x; i < heads * head_size; i += blockDim.x) x[TOKEN * heads * head_size + i] *= 2.0f;
}
void scaled(float *x, int tokens, int heads, int head_size) {
  if (tokens > MOST) return;
  scale<<<tokens, 256>>>(x, heads, head_size);
}
"""


def overflow_of_heads(most: str) -> list[Obligation]:
    source = HEADS_OF_A_TOKEN.replace("TOKEN", "(int)blockIdx.x").replace("MOST", most)
    unit = translate(SourceFile("k.cu", "/k.cu", source), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    found = analyse(unit, unit.functions[kernel], contract).obligations
    return [
        o for o in found if o.kind == "overflow" and o.verdict is Verdict.VIOLATED and o.confidence is Confidence.HIGH
    ]


def test_heads_of_a_token_are_as_many_as_make_a_row_of_ordinary_length() -> None:
    assert not overflow_of_heads("1 << 14")  # 2^30 at most, though each of the two may be 2^10


def test_ordinary_heads_of_many_tokens_overflow() -> None:
    (found, *_) = overflow_of_heads("1 << 19")
    sizes = {name.rpartition(":")[2]: value for name, value in found.witness.values.items()}
    assert sizes["heads"] * sizes["head_size"] <= 1 << 16


ORDER = """
__global__ void order(int *out, int NAME) {
  __shared__ int places[4];
  if (threadIdx.x == 0) {
    int d = 0;
    places[d++] = NAME;
    for (int i = 0; i < 4; i++) if (i != NAME) places[d++] = i;
  }
  __syncthreads();
  if (threadIdx.x < 4) out[threadIdx.x] = places[threadIdx.x];
}
void run(int *out, int NAME) { order<<<1, 32>>>(out, NAME); }
"""


def test_how_many_dimensions_there_are_is_no_length_of_a_row() -> None:
    assert largest_ordinary("this.m_n_dims_to_encode") == largest_ordinary("num_output_dims") == 1 << 10
    assert largest_ordinary("run:hidden_dim") == 1 << 16


def test_beams_are_few_and_an_inner_layer_has_the_length_of_a_row() -> None:
    assert largest_ordinary("run:beam_width") == 1 << 10
    assert largest_ordinary("run:d_model") == largest_ordinary("this.adapter_inter_size_") == 1 << 16
    assert largest_ordinary("run:pointer_size") == 1 << 20


def test_windows_and_frequencies_are_few() -> None:
    """No window of a pooling is padded by a million places."""
    for name in ("pool:pad_h", "run:kernel_w", "this.dilation_", "n_frequencies"):
        assert largest_ordinary(name) == 1 << 10
    assert largest_ordinary("run:padded_size") == largest_ordinary("pad_token_id") == 1 << 20


def test_which_dimension_is_meant_is_one_that_there_is() -> None:
    assert {o.confidence for o in violations(ORDER.replace("NAME", "dim"), "places")} == {Confidence.MEDIUM}
    assert {o.confidence for o in violations(ORDER.replace("NAME", "first"), "places")} == {Confidence.HIGH}


SUMS_OF_PARTS = """
__global__ void fold(float *sums, const float *parts, int depth) {
  int place = blockIdx.x * depth;
  for (int i = threadIdx.x; i < depth; i += blockDim.x) {
    float sum = 0;
    for (int k = 0; k < PARTS; ++k) sum += parts[((size_t)blockIdx.x * depth + i) * PARTS + k];
    sums[place + i] = sum;
  }
}
void run(float *sums, const float *parts, int rows, int depth) { fold<<<rows, 256>>>(sums, parts, depth); }
"""


def folds(parts: str) -> set[tuple[Confidence | None, bool]]:
    """How sure the overflows of the sums are, and whether memory beyond that of an error is needed for them."""
    found = overflows(SUMS_OF_PARTS.replace("PARTS", parts), "fold")
    return {(o.confidence, o.witness is not None and (o.witness.bytes_needed or 0) > ERROR_BYTES) for o in found}


def test_an_index_overflows_where_a_device_holds_what_the_whole_launch_reads() -> None:
    assert (Confidence.HIGH, True) in folds("4")


def test_an_index_that_overflows_only_beside_arrays_of_no_device_is_no_finding() -> None:
    assert {confidence for confidence, _ in folds("64")} == {Confidence.MEDIUM}


ROWS_OF_A_GRID = """
__global__ void clear(float *cells, int side) {
  float *row = cells + (int)blockIdx.x * side + (size_t)blockIdx.y * side * gridDim.x;
  for (int i = threadIdx.x; i < side; i += blockDim.x) row[i] = 0;
}
void run(float *cells, int side, int slices) { clear<<<dim3(side, slices), 256>>>(cells, side); }
"""


def test_the_last_block_of_the_grid_says_what_memory_a_launch_needs() -> None:
    found = [o for o in overflows(ROWS_OF_A_GRID, "clear") if o.confidence is Confidence.HIGH]
    assert found
    for overflow in found:
        assert overflow.witness is not None
        columns, slices, _ = overflow.witness.launch.grid
        needed = 4 * columns * columns * slices
        assert needed - 4 * columns <= (overflow.witness.bytes_needed or 0) <= DEVICE_BYTES


def test_blocks_that_launch_bounds_forbid_are_not_asked_for() -> None:
    assert ordinary_blocks(uses_y=False, most=256) == ((128, 1, 1), (256, 1, 1))
    assert ordinary_blocks(uses_y=False, most=64) == ((64, 1, 1),)
    assert ordinary_blocks(uses_y=True, most=512) == ((32, 8, 1), (16, 16, 1))


COPIED_ROWS = """
#include <cuda_runtime.h>
__global__ void copy(const float *x, float *y, int columns) {
  int row = blockIdx.x;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) y[row * columns + i] = x[row * columns + i];
}
void run(int rows, int columns) {
  float *x, *y;
  cudaMalloc(&x, sizeof(float) * (size_t)rows * columns);
  cudaMalloc(&y, sizeof(float) * (size_t)rows * columns);
  copy<<<rows, 256>>>(x, DESTINATION, columns);
}
"""


def needed(destination: str) -> set[int]:
    """How many times its elements each overflow of the copy needs in memory."""
    found = overflows(COPIED_ROWS.replace("DESTINATION", destination), "copy")
    witnesses = [o.witness for o in found if o.witness is not None]
    assert witnesses
    one = [4 * w.launch.grid[0] * next(v for name, v in w.values.items() if "columns" in name) for w in witnesses]
    return {(w.bytes_needed or 0) // size for w, size in zip(witnesses, one)}


def test_allocations_of_one_size_are_counted_each() -> None:
    assert needed("y") == {2}


def test_what_is_passed_twice_is_counted_once() -> None:
    assert needed("x") == {1}


def test_two_arrays_of_floats_that_an_int_does_not_count_are_needed_by_an_error() -> None:
    found = overflows(COPIED_ROWS.replace("DESTINATION", "y"), "copy")
    assert {o.witness is not None and (o.witness.bytes_needed or 0) <= ERROR_BYTES for o in found} == {True}


@pytest.mark.parametrize(
    ("highest", "largest"),
    [
        (8_000_000_000, 8_000_000_000),  # a check lets so many pass
        ((1 << 32) - 1, LARGEST),  # the type has no more
        ((1 << 63) - 1, LARGEST),
        ((1 << 38) - 1, LARGEST),  # nor has a device
        (1 << 30, LARGEST),
        (1000, LARGEST),  # and what the symbol says of itself
    ],
)
def test_what_a_check_lets_pass_beyond_an_int_is_ordinary(highest: int, largest: int) -> None:
    edges = symbol("launch:edges", 0, highest)
    assert ordinary_inputs([edges]) == [conjunction(at_most(number(1), edges), at_most(edges, number(largest)))]
