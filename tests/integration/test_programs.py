"""What lies beside a `main` is a program's: nobody outside chooses its sizes. Without one it is a library's."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan

KERNELS = """
__global__ void fill(float *x, int rows, int cols) {
  int row = blockIdx.x;
  if (row < rows) for (int c = threadIdx.x; c < cols; c += blockDim.x) x[row * cols + c] = 0;
}
void fill_all(float *x, int rows, int cols) { fill<<<rows, 128>>>(x, rows, cols); }
"""
LEFT = """
__global__ void shifted(float *x) { int i = threadIdx.x; x[i - 1] = 0; }
"""
FIXED = """
void fill_all(float *x, int rows, int cols);
int main() { float *d; cudaMalloc((void **)&d, 512 * 512 * sizeof(float)); fill_all(d, 512, 512); }
"""
ASKED = """
#include <cstdlib>
void fill_all(float *x, int rows, int cols);
int main(int argc, char **argv) {
  size_t rows = atoi(argv[1]), cols = atoi(argv[2]); float *d;
  cudaMalloc((void **)&d, rows * cols * sizeof(float)); fill_all(d, rows, cols);
}
"""
OTHER = "int main() { return 0; }\n"
UNCALLED = FIXED.replace("fill_all(d, 512, 512)", "zero_all(d, 512)")
ZERO = """
__global__ void zero(float *x) { x[threadIdx.x] = 0; }
void zero_all(float *x, int n) { zero<<<1, 256>>>(x); }
"""
DRAWN = """
void fill_all(float *x, int rows, int cols);
int rows = 512, cols = 512;
float *d;
void display() { glRows(rows, cols); fill_all(d, rows, cols); }
int main() { cudaMalloc((void **)&d, rows * cols * sizeof(float)); glutDisplayFunc(display); glutMainLoop(); }
"""
RESIZED = DRAWN.replace(
    "int main() {", "void reshape(int r, int c) { rows = r; cols = c; }\nint main() { onResize(reshape);"
)


SMOOTH = """
__global__ void smooth(float *x, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (GUARD) { __syncthreads(); x[c] = 0; }
}
void smooth_all(float *x, int cols) { smooth<<<(cols + 255) / 256, 256>>>(x, cols); }
"""
SHOWN = """
void smooth_all(float *x, int cols);
void load(const char *name, float **x, int *cols);
int cols;
float *d;
void display() { smooth_all(d, cols); }
int main() { load("image.bmp", &d, &cols); glutDisplayFunc(display); glutMainLoop(); }
"""


SCATTER = """
__global__ void scatter(float *table, const float *x, const int *tokens, int batch, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < batch * n * width) { UPDATE }
}
void scatter_all(float *table, const float *x, const int *tokens, int batch, int n, int width) {
  scatter<<<(batch * n * width + 255) / 256, 256>>>(table, x, tokens, batch, n, width);
}
"""
TRAINED = """
void scatter_all(float *table, const float *x, const int *tokens, int batch, int n, int width);
void load(const char *name, float **x, float **table, int **tokens, int *batch, int *n, int *width);
int batch, n, width, *tokens;
float *x, *table;
void step() { scatter_all(table, x, tokens, batch, n, width); }
int main() { load("data.bin", &x, &table, &tokens, &batch, &n, &width); onStep(step); loop(); }
"""


def found(
    folder: Path, files: dict[str, str], family: str = "IDX", confirm: str = "off"
) -> set[tuple[str, str | None]]:
    """The codes of a family that are shown of ops.cu, with their kernels."""
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    options = ScanOptions(paths=(str(folder / "ops.cu"),), project_root=str(folder), confirm=confirm, jobs=1)
    return {(f.code, f.kernel) for f in scan(options).findings if f.code.startswith(family)}


def test_a_launcher_of_a_library_takes_what_it_gets(tmp_path: Path) -> None:
    assert found(tmp_path, {"ops.cu": KERNELS}) == {("IDX201", "fill")}


def test_the_only_caller_fixes_the_sizes(tmp_path: Path) -> None:
    assert found(tmp_path, {"ops.cu": KERNELS, "app.cpp": FIXED}) == set()


def test_what_the_callers_behind_the_nearest_few_pass_is_said_to_be_unknown(tmp_path: Path) -> None:
    for number in range(5):
        called = f"void fill_all(float *x, int rows, int cols);\nvoid use{number}(float *x) {{ fill_all(x, {number + 1}, 128); }}\n"
        called += "// no small file\n" * 300
        (tmp_path / f"use{number}.cpp").write_text(called, encoding="utf-8")
    (tmp_path / "ops.cu").write_text(KERNELS, encoding="utf-8")
    options = ScanOptions(paths=(str(tmp_path / "ops.cu"),), project_root=str(tmp_path), confirm="off", jobs=1)
    text = "files that may call it and are not read: 1 (use4.cpp); what these pass is in no contract"
    assert text in {note.text for note in scan(options).notes}
    (tmp_path / "use4.cpp").unlink()
    assert not any("not read" in note.text for note in scan(options).notes)


def test_the_command_line_leaves_them_open(tmp_path: Path) -> None:
    assert found(tmp_path, {"ops.cu": KERNELS, "app.cpp": ASKED}) == {("IDX201", "fill")}


def test_nothing_in_the_program_calls_the_launcher(tmp_path: Path) -> None:
    assert found(tmp_path, {"ops.cu": KERNELS + ZERO, "app.cpp": UNCALLED}) == set()


def test_a_program_that_has_nothing_to_do_with_the_file_says_nothing_of_it(tmp_path: Path) -> None:
    assert found(tmp_path, {"ops.cu": KERNELS, "app.cpp": OTHER}) == {("IDX201", "fill")}


def test_a_program_in_another_folder_only_shows_how_to_use_the_library(tmp_path: Path) -> None:
    assert found(tmp_path, {"ops.cu": KERNELS + ZERO, "example/app.cpp": UNCALLED}) == {("IDX201", "fill")}


def test_the_only_caller_stands_in_a_source_file_that_is_included_behind(tmp_path: Path) -> None:
    main = FIXED.replace("void fill_all(float *x, int rows, int cols);\n", "")
    assert found(tmp_path, {"ops.cu": KERNELS + '#include "main.cu"\n', "main.cu": main}) == set()
    large = main.replace("512", "65536").replace("65536 *", "(size_t)65536 *")
    files = {"ops.cu": KERNELS + '#include "main.cu"\n', "main.cu": large}
    assert found(tmp_path, files) == {("IDX201", "fill")}


def test_a_callback_draws_what_the_program_has_sized(tmp_path: Path) -> None:
    assert found(tmp_path, {"ops.cu": KERNELS, "app.cpp": DRAWN}) == set()


def test_nor_does_a_callback_that_sizes_change_for_get_them_from_outside(tmp_path: Path) -> None:
    assert found(tmp_path, {"ops.cu": KERNELS, "app.cpp": RESIZED}) == set()


def test_a_library_takes_rows_that_end_inside_a_block(tmp_path: Path) -> None:
    files = {"ops.cu": SMOOTH.replace("GUARD", "c < cols")}
    assert found(tmp_path, files, "SYN2") == {("SYN201", "smooth")}


def test_the_images_of_a_program_end_with_their_blocks(tmp_path: Path) -> None:
    files = {"ops.cu": '#include "smooth.cuh"\n', "smooth.cuh": SMOOTH.replace("GUARD", "c < cols"), "app.cpp": SHOWN}
    assert found(tmp_path, files, "SYN2") == set()


def test_what_parts_the_threads_of_whole_blocks_goes_wrong_in_every_program(tmp_path: Path) -> None:
    files = {"ops.cu": SMOOTH.replace("GUARD", "c < cols && threadIdx.x < 7"), "app.cpp": SHOWN}
    assert found(tmp_path, files, "SYN2") == {("SYN201", "smooth")}


def test_where_some_instances_are_launched_the_others_have_no_launch_of_ours(tmp_path: Path) -> None:
    files = {
        "ops.cu": """
#include <cooperative_groups.h>
#include <type_traits>
template <int N> __global__ void fill(float *x) {
  __shared__ float s[N];
  auto block = cooperative_groups::this_thread_block();
  s[block.thread_rank()] = 0;
}
template <class Use> void pick(Use use, int n) {
  if (n == 32) use(std::integral_constant<int, 32>{});
  else use(std::integral_constant<int, 256>{});
}
void run(float *x) { pick([&](auto n) { fill<n.value><<<4, n.value>>>(x); }, 256); }
"""
    }
    assert found(tmp_path, files) == set()


def test_rows_that_are_shorter_than_a_block_fill_whole_blocks_together(tmp_path: Path) -> None:
    lost = SCATTER.replace("UPDATE", "table[tokens[i / width] * width + i % width] += x[i];")
    assert found(tmp_path, {"ops.cu": lost, "app.cpp": TRAINED}, "SYN1", "emulator") == {("SYN102", "scatter")}
    kept = SCATTER.replace("UPDATE", "atomicAdd(&table[tokens[i / width] * width + i % width], x[i]);")
    assert found(tmp_path, {"ops.cu": kept, "app.cpp": TRAINED}, "SYN1", "emulator") == set()


def test_a_kernel_that_a_program_never_launches_goes_wrong_in_no_run(tmp_path: Path) -> None:
    assert found(tmp_path, {"ops.cu": KERNELS + LEFT, "app.cpp": FIXED}) == set()
    (tmp_path / "app.cpp").unlink()
    assert found(tmp_path, {"ops.cu": KERNELS + LEFT}) >= {("IDX101", "shifted")}


def test_a_kernel_that_is_named_somewhere_may_be_launched(tmp_path: Path) -> None:
    named = LEFT + '#define RUN(n) n<<<1, 32>>>(0)\nconst char *names[] = {"shifted"};\n'
    assert found(tmp_path, {"ops.cu": KERNELS + named, "app.cpp": FIXED}) == {("IDX101", "shifted")}


CHOSEN = """
__global__ void shifted(float *x) { int i = threadIdx.x; x[i - 1] = 0; }
void shift(bool left) { float *x; cudaMalloc((void **)&x, 512); if (left) shifted<<<1, 32>>>(x); }
"""
DECIDED = """
void shift(bool left);
int main(int argc, char **argv) { shift(LEFT); }
"""


@pytest.mark.parametrize(("left", "expected"), [("false", set()), ("argc > 1", {("IDX101", "shifted")})])
def test_a_launch_that_main_goes_past_is_dead(tmp_path: Path, left: str, expected: set[tuple[str, str]]) -> None:
    assert found(tmp_path, {"ops.cu": CHOSEN, "app.cpp": DECIDED.replace("LEFT", left)}) == expected


def test_a_launcher_that_is_passed_on_is_called_by_somebody(tmp_path: Path) -> None:
    passed = "void shift(bool left);\nint main() { onStart(shift); }\n"
    assert found(tmp_path, {"ops.cu": CHOSEN, "app.cpp": passed}) == {("IDX101", "shifted")}


MADE = """
#include "net.h"
__global__ void clear(float *weights, int hidden) {
  int i = blockIdx.y * 16 + threadIdx.y;
  weights[i * (hidden + 1) + threadIdx.x + 1] = 0;
}
extern "C" void clear_all(net_t *net) {
  float *d;
  cudaMalloc((void **)&d, net->in * (net->hidden + 1) * sizeof(float));
  clear<<<dim3(1, net->in / 16), dim3(16, 16)>>>(d, net->hidden);
}
"""
NET = {
    "net.h": "typedef struct { int in, hidden; float *units; } net_t;\nnet_t *make_net();\n",
    "net.c": """
#include <stdlib.h>
#include "net.h"
net_t *allocated(in, hidden)
int in, hidden;
{
  net_t *new;
  new = (net_t *) malloc(sizeof(net_t));
  if (new == NULL) return (NULL);
  new->in = in;
  new->hidden = hidden;
  new->units = (float *) malloc((unsigned) (in * sizeof(float)));
  return (new);
}

net_t *make_net(in, hidden)
int in, hidden;
{
  return allocated(in, hidden);
}
""",
    "load.c": '#include "net.h"\nload(net)\nnet_t *net;\n{\n  int i;\n  for (i = 0; i < net->in; i++) net->units[i] = 1;\n}\n',
    "main.c": """
#include <stdlib.h>
#include "net.h"
int size = 0;
train()
{
  net_t *net;
  net = make_net(size, HIDDEN);
  load(net);
  clear_all(net);
}
int main(argc, argv)
int argc;
char *argv[];
{
  size = atoi(argv[1]);
  if (size % 16 != 0) exit(1);
  train();
}
""",
}


@pytest.mark.parametrize(
    ("hidden", "expected"),
    [("16", set()), ("7", {("IDX101", "clear")}), ("size", set()), ("size / 16", {("IDX101", "clear")})],
)
def test_what_a_caller_in_old_c_makes_has_the_sizes_that_it_asks_for(
    tmp_path: Path, hidden: str, expected: set[tuple[str, str]]
) -> None:
    files = {name: text.replace("HIDDEN", hidden) for name, text in NET.items()}
    assert found(tmp_path, {"ops.cu": MADE, **files}, "IDX101") == expected
