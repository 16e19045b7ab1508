"""What annotations about contents, tables, views and instances decide; beside each the nearest one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Confidence, KernelResult, Verdict
from tests.project.test_discovery import tree

VARLEN = """
// cudalint: extent(cu) = batch + 1; extent(x) = total; assume total <= 1000; launch grid=(batch) block=(64)
// cudalint: FACT
__global__ void k(const int *cu, float *x, int batch, int total) {
  for (int i = cu[blockIdx.x] + threadIdx.x; i < cu[blockIdx.x + 1]; i += blockDim.x) x[i] = 0.f;
}
"""
PAGED = """
// cudalint: shape(table) = [batch, 16]; extent(len) = batch; assume 1 <= batch <= 64; extent(data) = pages
// cudalint: launch grid=(batch) block=(16); values(len) in [0, 16]; FACT
__global__ void k(const int *table, const int *len, float *data, int batch, int pages) {
  int b = blockIdx.x, i = threadIdx.x;
  if (i < len[b]) data[table[b * 16 + i]] = 1.f;
}
"""
TABLE = """
// cudalint: extent(ptrs) = n; assume n >= 1 && size > 0; launch grid=(n) block=(64); FACT
__global__ void k(float *const *ptrs, int n, int size) {
  if (threadIdx.x < size) ptrs[blockIdx.x][threadIdx.x] = 0.f;
}
"""
VIEW = """
struct Block { short scale; signed char q[32]; };
// cudalint: assume n >= 1; launch grid=(n) block=(32); extent(y) = n * 32; assume n < 1000; FACT
__global__ void k(const void *x, signed char *y, int n) {
  y[blockIdx.x * 32 + threadIdx.x] = ((const Block *)x)[blockIdx.x].q[threadIdx.x];
}
"""
STRIDED = """
// cudalint: assume rows > 0; launch grid=(rows) block=(8); assume rows <= 1000; FACT
__global__ void k(float *x, int rows) { x[blockIdx.x * 10 + threadIdx.x] = 0.f; }
"""
SPARSE = """
// cudalint: extent(row) = n + 1; extent(col) = nnz; extent(x) = m; launch grid=(n) block=(1); assume nnz > 0 && m > 0
// cudalint: values(row) in [0, nnz]; FACT
__global__ void k(const int *row, const int *col, float *x, int n, int nnz, int m) {
  for (int i = row[blockIdx.x]; i < row[blockIdx.x + 1]; i++) x[col[i]] = 1.f;
}
"""


def bounds(folder: Path, text: str, fact: str) -> set[Verdict]:
    """The verdicts of the accesses' bounds."""
    kernel = only(folder, text.replace("FACT", fact))
    return {o.verdict for o in kernel.obligations if o.kind.endswith("bounds")}


def only(folder: Path, text: str) -> KernelResult:
    path = tree(folder, {"a.cu": text}) / "a.cu"
    result = scan(ScanOptions(paths=(str(path),), jobs=1, confirm="off"))
    assert not [f for f in result.findings if f.code.startswith("CUL")]
    (kernel,) = result.kernels
    return kernel


@pytest.mark.parametrize(
    ("text", "fact", "weaker"),
    [
        (VARLEN, "offsets(cu, total)", "assume total > 0"),
        (PAGED, "values(table[b][0:len[b]]) in [0, pages)", "values(table[b][0:len[b] - 1]) in [0, pages)"),
        (PAGED, "values(table[b][j]) in [0, pages)", "values(table[0][j]) in [0, pages)"),
        (TABLE, "extent(ptrs[i]) = size", "extent(ptrs[i]) = size - 1"),
        (VIEW, "view(x) = Block[n]", "view(x) = Block[n - 1]"),
        (VIEW, "view(x) = int8_t[n * 34]", "view(x) = int8_t[n * 33]"),
        (STRIDED, "shape(x) = [rows, 8] stride [10, 1]", "shape(x) = [rows, 7] stride [10, 1]"),
        (SPARSE, "values(col[0:nnz]) in [0, m)", "values(col[1:nnz]) in [0, m)"),
    ],
)
def test_a_promise_decides_the_accesses_and_the_next_weaker_one_does_not(
    tmp_path: Path, text: str, fact: str, weaker: str
) -> None:
    assert bounds(tmp_path / "strong", text, fact) == {Verdict.SAFE}
    assert bounds(tmp_path / "weak", text, weaker) - {Verdict.SAFE}


def test_an_instance_that_is_asked_for_comes_in_place_of_a_guessed_one(tmp_path: Path) -> None:
    text = """
// cudalint: instantiate k<double, 100>; extent(x) = 100; launch grid=(1) block=(ONE)
template <class T, int N> __global__ void k(T *x) { if (threadIdx.x < N) x[threadIdx.x] = 0; }
"""
    assert {o.verdict for o in only(tmp_path / "a", text.replace("ONE", "128")).obligations} == {Verdict.SAFE}
    wider = text.replace("100>", "101>").replace("ONE", "128")
    assert Verdict.VIOLATED in {o.verdict for o in only(tmp_path / "b", wider).obligations}


def test_an_instance_can_be_asked_for_in_the_configuration(tmp_path: Path) -> None:
    text = "template <int N> __global__ void k(float *x) { if (threadIdx.x < N) x[threadIdx.x] = 0; }\n"
    hints = '[hints]\nk = ["instantiate k<100>", "extent(x) = 100; launch grid=(1) block=(128)"]\n'
    tree(tmp_path, {"cudalint.toml": hints})
    assert {o.verdict for o in only(tmp_path, text).obligations} == {Verdict.SAFE}


def test_external_memory_may_change_between_two_reads(tmp_path: Path) -> None:
    text = """
// cudalint: extent(flag) = 1; extent(x) = 8; launch grid=(1) block=(1); FACT
__global__ void k(const int *flag, float *x) {
  int a = flag[0], b = flag[0];
  if (a != b) x[8] = 0.f;
}
"""
    assert bounds(tmp_path / "own", text, "assume 1 > 0") <= {Verdict.SAFE, Verdict.UNREACHABLE}
    assert bounds(tmp_path / "other", text, "external(flag)") - {Verdict.SAFE, Verdict.UNREACHABLE}


@pytest.mark.parametrize(("fact", "wanted"), [("", True), ("alias(x, y);", False)])
def test_pointers_that_may_overlap_are_not_proved_to_be_apart(tmp_path: Path, fact: str, wanted: bool) -> None:
    text = f"""
// cudalint: extent(x) = 65; extent(y) = 65; {fact} launch grid=(1) block=(64)
__global__ void k(const float *x, float *y) {{ y[threadIdx.x] = x[threadIdx.x + 1]; }}
"""
    (race,) = [o for o in only(tmp_path, text).obligations if o.kind.endswith("race")]
    assert (race.verdict is Verdict.SAFE) is wanted


OVERWRITTEN = """
// cudalint: extent(x) = 100; extent(place) = 64; values(place) in [0, 100); launch grid=(1) block=(64)
__global__ void k(float *x, int *place) {
  int i = threadIdx.x;
  FACT
}
"""
READ, WRITTEN = "x[place[i]] = 0.f;", "place[63 - i] = 3 * i;"


@pytest.mark.parametrize(
    ("body", "holds"),
    [
        (READ, True),
        (READ + WRITTEN, True),
        (WRITTEN + "__syncthreads();" + READ, False),
        ("atomicAdd(&place[63 - i], 3 * i); __syncthreads();" + READ, False),
        ("for (int k = 0; k < 40; k++) {" + READ + "__syncthreads();" + WRITTEN + "__syncthreads(); }", False),
    ],
)
def test_a_promise_about_contents_ends_where_the_kernel_overwrites_them(tmp_path: Path, body: str, holds: bool) -> None:
    kernel = only(tmp_path, OVERWRITTEN.replace("FACT", body))
    own = [o.verdict for o in kernel.obligations if o.kind == "global-write-bounds"]
    assert (set(own) == {Verdict.SAFE}) is holds


@pytest.mark.parametrize(
    ("given", "wanted"), [("clock()", False), ("elsewhere()", False), ("blockIdx.x", True), ("table[0]", True)]
)
def test_what_nobody_knows_may_differ_between_threads(tmp_path: Path, given: str, wanted: bool) -> None:
    text = f"""
__device__ int elsewhere();
__global__ void k(const int *table) {{ if ({given} & 1) __syncthreads(); }}
"""
    kernel = only(tmp_path, text)
    (barrier,) = [o for o in kernel.obligations if o.kind.endswith("divergence")]
    assert (barrier.verdict is Verdict.SAFE) is wanted


RANGES = """
__global__ void pack(const float *x, const int *first, float *y, unsigned rows, unsigned most, int total) {
  const int start = first[blockIdx.x];
  const int end = blockIdx.x + 1 < rows ? first[blockIdx.x + 1] : total;
  for (unsigned i = threadIdx.x; i < end - start; i += blockDim.x) y[start + i] = x[blockIdx.x * most + i];
}
void run(const int *first, unsigned rows, unsigned most, int total) {
  float *x, *y;
  cudaMalloc(&x, rows * most * sizeof(float));
  cudaMalloc(&y, total * sizeof(float));
  pack<<<rows, 128>>>(x, first, y, rows, most, total);
}
"""


def test_the_last_of_many_ranges_is_not_empty_where_all_others_are(tmp_path: Path) -> None:
    path = tree(tmp_path, {"a.cu": RANGES}) / "a.cu"
    result = scan(ScanOptions(paths=(str(path),), jobs=1, confirm="off"))
    assert not [f for f in result.findings if f.code == "IDX101" and f.confidence is Confidence.HIGH]
