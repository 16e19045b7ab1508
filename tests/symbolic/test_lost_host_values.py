"""Host values that were lost on the way to the launch: what only they make go wrong is no sure finding."""

from __future__ import annotations

from pathlib import Path

from cudalint.engine import ScanOptions, scan

PLAN = """
#include <torch/extension.h>
struct Plan {
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  void set_rows(int rows) { rows_ = rows; }
  int rows_;
  int columns_;
};
std::unordered_map<int, std::shared_ptr<void>> plans;
"""
FILL = """
__global__ void fill(float *out, int rows, int columns) {
  int row = blockIdx.y;
  out[(blockIdx.x * rows + row + FIRST) * columns + threadIdx.x] = 1.0f;
}
torch::Tensor forward(int id, const torch::Tensor &x, const torch::Tensor &weights) {
  auto plan = std::static_pointer_cast<Plan>(plans[id]);
  int rows = x.size(1);
  if (rows != plan->rows()) plan->set_rows(rows);
  auto out = torch::empty({x.size(0), plan->rows(), weights.size(0)}, weights.options());
  dim3 grid(x.size(0), plan->rows());
  fill<<<grid, COLUMNS>>>((float *)out.data_ptr(), plan->rows(), COLUMNS);
  return out;
}
"""
SCALE = """
__global__ void scale(float *x, int width, int rounds) {
  float kept[8];
  float sum = 0;
  for (int i = 0; i < rounds; i++) {
    int column = i * blockDim.x + threadIdx.x;
    kept[i] = column < width ? x[blockIdx.x * width + column] : 0.0f;
    sum += kept[i];
  }
  for (int i = 0; i < rounds; i++) {
    int column = i * blockDim.x + threadIdx.x;
    if (column < width) x[blockIdx.x * width + column] = kept[i] - sum;
  }
}
void launch_scale(float *x, int rows, int width) {
  const int threads = 128;
  int most = 8 * threads;
  dim3 block(width > threads ? (width + most - 1) / most * threads : threads);
  int rounds = width < most ? (width + threads - 1) / threads : MOST;
  scale<<<rows, block>>>(x, width, rounds);
}
void forward(int id, torch::Tensor x) {
  auto plan = std::static_pointer_cast<Plan>(plans[id]);
  int rows = x.size(1);
  if (rows != plan->rows()) plan->set_rows(rows);
  launch_scale((float *)x.data_ptr(), x.size(0), WIDTH);
}
"""


def beyond(folder: Path, text: str) -> list[str]:
    """The memory that an access leaves, as a scan tells it."""
    (folder / "k.cu").write_text(PLAN + text)
    result = scan(ScanOptions(paths=(str(folder / "k.cu"),), cache=False, jobs=1))
    return sorted(f.message.rpartition(" ")[2] for f in result.findings if f.code in ("IDX101", "IDX102", "IDX103"))


def test_columns_of_a_plan_that_was_looked_up_are_those_of_the_memory_whatever_else_of_it_is_known(
    tmp_path: Path,
) -> None:
    assert not beyond(tmp_path, FILL.replace("FIRST", "0").replace("COLUMNS", "plan->columns()"))


def test_a_row_too_many_is_one_whatever_the_plan_has(tmp_path: Path) -> None:
    assert beyond(tmp_path, FILL.replace("FIRST", "1").replace("COLUMNS", "weights.size(0)")) == ["`out`"]


def test_rounds_that_are_chosen_by_a_lost_size_in_too_many_ways_are_lost_with_it(tmp_path: Path) -> None:
    width = "rows != plan->rows() ? rows : plan->columns()"
    assert not beyond(tmp_path, SCALE.replace("MOST", "8").replace("WIDTH", width))


def test_rounds_that_are_chosen_by_a_known_size_are_known(tmp_path: Path) -> None:
    assert beyond(tmp_path, SCALE.replace("MOST", "9").replace("WIDTH", "rows")) == ["`kept`"]
    assert not beyond(tmp_path, SCALE.replace("MOST", "8").replace("WIDTH", "rows"))


CHECKED = """
struct Checked {
  const at::Tensor &tensor;
  explicit Checked(const at::Tensor &t);
  at::PackedTensorAccessor32<float, 2, at::RestrictPtrTraits> accessor() const {
    return tensor.packed_accessor32<float, 2, at::RestrictPtrTraits>();
  }
};
__global__ void twice(at::PackedTensorAccessor32<float, 2, at::RestrictPtrTraits> out, int n) {
  LOOPS
}
at::Tensor forward(const at::Tensor &x) {
  auto out = at::empty({x.size(0), x.size(1)}, x.options().dtype(at::kFloat));
  twice<<<x.size(0), 1024>>>(Checked(out).accessor(), x.size(1));
  return out;
}
"""


def test_a_tensor_that_a_constructor_elsewhere_keeps_is_not_too_small_for_the_launch(tmp_path: Path) -> None:
    loops = "if (threadIdx.x < n) out[blockIdx.x][threadIdx.x] = n;"
    assert not beyond(tmp_path, CHECKED.replace("LOOPS", loops))


def test_a_row_that_is_left_ends_too_early_whatever_the_constructor_keeps(tmp_path: Path) -> None:
    rows = "for (int row = blockIdx.x; row < out.size(0); row += gridDim.x)"
    columns = "for (int i = threadIdx.x; i <= out.size(1); i += blockDim.x)"
    assert beyond(tmp_path, CHECKED.replace("LOOPS", f"{rows} {columns} out[row][i] = n;")) == ["`out.data_`"]


BLUR = """
__global__ void blur(const float *in, float *out, int width, int half) {
  extern __shared__ float row[];
  const int wide = blockDim.x + 2 * half;
  for (int i = threadIdx.x; i < blockDim.x + 2 * half; i += blockDim.x) {
    for (int k = 0; k < PLANES; ++k) row[k * wide + i] = in[min(i, width - 1)];
  }
  __syncthreads();
  if (threadIdx.x < width) out[threadIdx.x] = row[threadIdx.x] + row[threadIdx.x + 2 * half];
}
void launch_blur(const torch::Tensor &x, torch::Tensor &out, int window) {
  dim3 block(256);
  int bytes = (block.x + 2 * (window / 2)) * 3 * block.y * sizeof(float);
  blur<<<1, block, bytes>>>((float *)x.data_ptr(), (float *)out.data_ptr(), x.size(0), window / 2);
}
torch::Tensor forward(int id, const torch::Tensor &x) {
  auto plan = std::static_pointer_cast<Plan>(plans[id]);
  if (x.size(0) != plan->rows()) plan->set_rows(x.size(0));
  auto out = torch::empty({x.size(0)}, x.options());
  launch_blur(x, out, plan->columns());
  return out;
}
"""


def test_a_window_that_was_lost_is_not_negative(tmp_path: Path) -> None:
    assert not beyond(tmp_path, BLUR.replace("PLANES", "3"))
    assert set(beyond(tmp_path, BLUR.replace("PLANES", "4"))) == {"`row`"}


LAUNCHER = """
struct Launcher {
  dim3 grid, block;
  template <typename K, typename... Args>
  void operator()(K kernel, Args... args) { kernel<<<grid, block>>>(args...); }
};
Launcher launcher_of(int id);
__global__ void report(long long *out, const long long *from) {
  long long now = clock64();
  BODY
}
void run(int id, long long *out, const long long *from) { launcher_of(id)(report, out, from); }
"""


def raced(folder: Path, body: str) -> list[str]:
    """The memory that threads race on for certain, by a launch of which nothing is known."""
    (folder / "k.cu").write_text(LAUNCHER.replace("BODY", body))
    result = scan(ScanOptions(paths=(str(folder / "k.cu"),), cache=False, jobs=1, confirm="off"))
    return sorted(f.message.partition("`")[2].partition("`")[0] for f in result.findings if f.code == "SYN102")


def test_a_kernel_that_asks_for_no_place_is_one_for_a_single_thread(tmp_path: Path) -> None:
    assert raced(tmp_path, "out[0] = now - from[0];") == []


def test_one_that_asks_for_its_thread_is_one_for_many(tmp_path: Path) -> None:
    assert raced(tmp_path, "out[0] = now - from[threadIdx.x];") == ["out"]


def test_one_that_asks_for_its_block_is_one_for_many(tmp_path: Path) -> None:
    assert raced(tmp_path, "out[0] = now - from[blockIdx.x];") == ["out"]
