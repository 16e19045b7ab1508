"""Promises about what memory holds, compared with what host code has filled it with: kept, broken, or not compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.engine.contract_view import kernel_contracts
from cudalint.finding import Finding

KERNEL = """// cudalint: PROMISE
__global__ void k(float *y, const float *x, const int *idx, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[idx[i]];
}
"""
HOST = """#include <algorithm>
#include <numeric>
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/scan.h>
#include <thrust/fill.h>
#include <thrust/sequence.h>
#include <vector>
void run(PARAMETERS) {
    float *x, *y; int *idx;
    cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&y, n * sizeof(float)); cudaMalloc(&idx, n * sizeof(int));
    FILL
    k<<<(n + 255) / 256, 256>>>(y, x, idx, n);
}
"""
COPY = " cudaMemcpy(idx, h, n * sizeof(int), cudaMemcpyHostToDevice);"


def loop(value: str) -> str:
    return f"int *h = new int[n]; for (int j = 0; j < n; j++) h[j] = {value};" + COPY


def program(promise: str, fill: str, parameters: str = "int n") -> str:
    return KERNEL.replace("PROMISE", promise) + HOST.replace("FILL", fill).replace("PARAMETERS", parameters)


def options(folder: Path, text: str) -> ScanOptions:
    (folder / "k.cu").write_text(text)
    return ScanOptions(paths=(str(folder / "k.cu"),), project_root=str(folder), jobs=1, cache=False)


def state(folder: Path, text: str) -> str:
    (view,) = kernel_contracts("k", options(folder, text))
    ((_, found),) = view.promises
    return found


def broken(folder: Path, text: str) -> list[Finding]:
    return [f for f in scan(options(folder, text)).findings if f.code == "CUL003"]


@pytest.mark.parametrize(
    ("promise", "fill", "found"),
    [
        ("values(idx) in [0, n)", "cudaMemset(idx, 0, n * sizeof(int));", "kept"),
        ("values(idx) in [0, n)", "cudaMemset(idx, 0xff, n * sizeof(int));", "broken"),
        ("values(idx) in [0, n)", loop("j"), "kept"),
        ("values(idx) in [0, n)", loop("n - 1 - j"), "kept"),
        ("values(idx) in [0, n)", loop("j + 1"), "broken"),
        ("values(idx) in [0, n]", loop("j + 1"), "kept"),
        ("values(idx[0:n - 1]) in [0, n)", loop("j + 1"), "kept"),
        ("values(idx) in [0, 100)", loop("j"), "left to the callers"),
        ("distinct(idx)", loop("j"), "kept"),
        ("distinct(idx)", loop("7"), "broken"),
        ("distinct(idx except -1)", "cudaMemset(idx, 0xff, n * sizeof(int));", "kept"),
        ("offsets(idx, n)", loop("j"), "kept"),
        ("offsets(idx, n)", loop("2 * j"), "broken"),
        ("offsets(idx, n)", loop("n - j"), "broken"),
        ("values(idx) in [0, n)", "int *h = new int[n]; std::iota(h, h + n, 1);" + COPY, "broken"),
        ("values(idx) in [0, n)", "int *h = new int[n]; std::fill(h, h + n, -1);" + COPY, "broken"),
        ("values(idx) in [0, n)", "int *h = new int[n]; std::fill_n(h, n, 0);" + COPY, "kept"),
        ("distinct(idx)", "thrust::fill(thrust::device, idx, idx + n, 3);", "broken"),
        ("distinct(idx)", "thrust::sequence(thrust::device, idx, idx + n);", "kept"),
        ("init(y) = 0", "cudaMemset(y, 0, n * sizeof(float));", "kept"),
        ("init(idx) = 0", loop("3"), "broken"),
    ],
)
def test_what_host_code_fills_memory_with_keeps_or_breaks_a_promise(
    tmp_path: Path, promise: str, fill: str, found: str
) -> None:
    assert state(tmp_path, program(promise, fill)) == found


@pytest.mark.parametrize(
    "fill",
    [
        "cudaMemset(idx, 0xff, n);",  # not all of it
        "int *h = new int[n]; std::fill(h, h + n / 2, -1);" + COPY,
        loop("j + 1").replace("j < n", "j < n - 1"),
        loop("j + 1").replace("int j = 0", "int j = 1"),
        loop("j + 1").replace("h[j] =", "if (j & 1) h[j] ="),
        loop("j + 1").replace("j++", "j += 2"),
        loop("j + 1") + " cudaMemset(idx, 0, 4);",  # written again
        loop("j + 1") + " change(idx);",
        loop("j + 1") + " cudaMemsetAsync(idx, 0, 4);",
        loop("j + 1") + " if (n > 9) cudaMemset(idx, 0, 4);",
        loop("j + 1").replace("h[j] = j + 1;", "{ h[j] = j + 1; change(h); }"),
        loop("j + 1").replace("h[j] = j + 1", "h[j] = j + 1; h[0] = 0"),
        loop("j + 1").replace("n * sizeof(int), cudaMemcpy", "n, cudaMemcpy"),
        "",
    ],
)
def test_what_may_hold_something_else_is_not_compared(tmp_path: Path, fill: str) -> None:
    text = "void change(int *);\n" + program("values(idx) in [0, n)", fill)
    assert state(tmp_path, text) == "not compared" and broken(tmp_path, text) == []


def test_a_list_of_numbers_is_compared(tmp_path: Path) -> None:
    for last, found in ((3, "kept"), (4, "broken")):
        fill = f"int h[4] = {{0, 1, 2, {last}}};" + COPY
        text = program("values(idx) in [0, n)", fill, "").replace("float *x, *y;", "const int n = 4; float *x, *y;")
        assert state(tmp_path, text) == found


def test_a_vector_that_a_loop_fills_is_compared(tmp_path: Path) -> None:
    fill = "std::vector<int> h(n); for (int j = 0; j < n; j++) h[j] = j + 1;" + COPY.replace("h,", "h.data(),")
    assert state(tmp_path, program("values(idx) in [0, n)", fill)) == "broken"


def test_what_an_earlier_kernel_may_have_written_is_not_compared(tmp_path: Path) -> None:
    earlier = "__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 0; }\n"
    text = earlier + program("values(idx) in [0, n)", loop("j + 1") + " fill<<<1, 32>>>(idx, n);")
    assert state(tmp_path, text) == "not compared"


def test_what_an_earlier_kernel_only_reads_is_compared(tmp_path: Path) -> None:
    earlier = "__global__ void look(const int *a, int *b) { b[0] = a[0]; }\n"
    text = earlier + program("values(idx) in [0, n)", loop("j + 1") + " look<<<1, 1>>>(idx, (int *)y);")
    assert state(tmp_path, text) == "broken"


@pytest.mark.parametrize("later", ["fill<<<1, 32>>>(idx, n);", "cudaMemsetAsync(idx, 0, 4);", "again(idx, n);"])
def test_what_the_last_iteration_may_have_written_is_not_compared(tmp_path: Path, later: str) -> None:
    earlier = (
        "__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 0; }\n"
        "void again(int *a, int n) { fill<<<1, 32>>>(a, n); }\n"
    )
    text = earlier + program("values(idx) in [0, n)", loop("j + 1") + " for (int t = 0; t < n; t++) {")
    assert state(tmp_path, text.replace("idx, n);\n}", f"idx, n); {later} }}\n}}")) == "not compared"
    same = text.replace("idx, n);\n}", "idx, n); }\n}")
    assert state(tmp_path, same) == "broken"


def test_what_only_one_way_fills_is_not_compared(tmp_path: Path) -> None:
    text = program("distinct(idx)", "if (zero) cudaMemset(idx, 0xff, n * sizeof(int));", "int n, bool zero")
    filled = program(
        "distinct(idx)", "int *h = new int[n]; if (zero) std::fill(h, h + n, 1);" + COPY, "int n, bool zero"
    )
    assert state(tmp_path, text) == state(tmp_path, filled) == "not compared"


def test_what_a_kernel_gets_a_table_of_is_not_compared(tmp_path: Path) -> None:
    earlier = "__global__ void fill(int **a) { a[0][0] = 0; }\n"
    fill = (
        loop("j + 1")
        + " int **t; cudaMalloc(&t, 8); cudaMemcpy(t, &idx, 8, cudaMemcpyHostToDevice); fill<<<1, 1>>>(t);"
    )
    assert state(tmp_path, earlier + program("values(idx) in [0, n)", fill)) == "not compared"


def test_one_of_two_ways_to_fill_it_decides_nothing(tmp_path: Path) -> None:
    fill = "if (zero) cudaMemset(idx, 0, n * sizeof(int)); else cudaMemset(idx, 0xff, n * sizeof(int));"
    assert broken(tmp_path, program("values(idx) in [0, n)", fill, "int n, bool zero")) == []


def test_a_broken_promise_is_found_at_the_launch_with_what_memory_holds(tmp_path: Path) -> None:
    text = program("values(idx) in [0, n)", loop("j + 1"))
    (finding,) = broken(tmp_path, text)
    assert finding.span.line == text[: text.index("k<<<")].count("\n") + 1
    assert finding.message.endswith("without keeping `values(idx) in [0, n)`: idx[i] = i + 1 for 0 <= i < n")


GATHER = """__global__ void k(float *y, const float *x, int *idx, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { BODY }
}
"""


def read_bounds(folder: Path, body: str, fill: str) -> str:
    """The verdict of the read of `x`, whose place is what `idx` holds."""
    host = HOST.replace("FILL", fill).replace("PARAMETERS", "int n")
    (folder / "k.cu").write_text(GATHER.replace("BODY", body) + host)
    (kernel,) = scan(ScanOptions(paths=(str(folder / "k.cu"),), project_root=str(folder), jobs=1, cache=False)).kernels
    (found,) = [
        o for o in kernel.obligations if o.kind == "global-read-bounds" and o.span.column == body.index("= x[") + 20
    ]
    return found.verdict.value


READ = "y[i] = x[idx[i]];"


@pytest.mark.parametrize(
    ("body", "fill", "verdict"),
    [
        (READ, loop("n - 1 - j"), "safe"),
        (READ, loop("n - j"), "violated"),
        (READ, "cudaMemset(idx, 0, n * sizeof(int));", "violated"),  # one number everywhere is where a program begins
        ("y[i] = x[idx[n - 1 - i]];", loop("j"), "safe"),
        ("y[i] = x[idx[i] + 1];", loop("j"), "violated"),
    ],
)
def test_a_kernel_reads_what_host_code_has_filled(tmp_path: Path, body: str, fill: str, verdict: str) -> None:
    assert read_bounds(tmp_path, body, fill) == verdict


@pytest.mark.parametrize(
    "body",
    [
        "idx[i] = i + n; __syncthreads(); y[i] = x[idx[i]];",
        "y[i] = x[idx[i]]; idx[n - 1 - i] = n;",  # another thread may have been here
        "y[i] = x[idx[i]]; atomicAdd(idx + (i + 1) % n, 1);",
        "y[i] = x[((volatile int *)idx)[i]]; idx[n - 1 - i] = n;",
    ],
)
def test_a_kernel_that_writes_it_may_read_something_else(tmp_path: Path, body: str) -> None:
    assert read_bounds(tmp_path, body, loop("n - 1 - j")) != "safe"


def test_a_proof_says_that_it_rests_on_what_host_code_has_filled(tmp_path: Path) -> None:
    host = HOST.replace("FILL", loop("j")).replace("PARAMETERS", "int n")
    (tmp_path / "k.cu").write_text(GATHER.replace("BODY", READ) + host)
    (kernel,) = scan(options(tmp_path, (tmp_path / "k.cu").read_text())).kernels
    rests = {
        o.kind: o.verdict.value for o in kernel.obligations if "idx[i] = i for 0 <= i < n" in [f.text for f in o.facts]
    }
    assert rests["global-read-bounds"] == "safe"


VECTORS = "std::vector<int> h(n, {0}); " + COPY.replace("h,", "h.data(),")
OTHERS = "void change(thrust::device_vector<int> &); std::vector<int> other(int n); void write(int *);\n"
ON_DEVICE = "thrust::device_vector<int> d{0}; idx = thrust::raw_pointer_cast(d.data());"


@pytest.mark.parametrize(
    ("promise", "fill", "found"),
    [
        ("values(idx) in [0, n)", VECTORS.format("0"), "kept"),
        ("values(idx) in [0, n)", VECTORS.format("-1"), "broken"),
        ("distinct(idx)", VECTORS.format("3"), "broken"),
        ("init(idx) = 0", "std::vector<int> h(n); " + COPY.replace("h,", "h.data(),"), "kept"),
        ("values(idx) in [0, n)", ON_DEVICE.format("(n, n)"), "broken"),
        ("values(idx) in [0, n)", ON_DEVICE.format("(n)"), "kept"),
        ("values(idx) in [0, n)", "std::vector<int> h(n, -1); " + ON_DEVICE.format(" = h"), "broken"),
        ("distinct(idx)", ON_DEVICE.format("(n); thrust::sequence(d.begin(), d.end())"), "kept"),
        ("distinct(idx)", ON_DEVICE.format("(n); thrust::fill(d.begin(), d.end(), n)"), "broken"),
        ("values(idx) in [0, n)", ON_DEVICE.format("(n, n); d[0] = 1"), "not compared"),
        ("values(idx) in [0, n)", ON_DEVICE.format("(n, n); thrust::sort(d.begin(), d.end())"), "not compared"),
        ("values(idx) in [0, n)", ON_DEVICE.format("(n, n); change(d)"), "not compared"),
        ("values(idx) in [0, n)", VECTORS.format("-1").replace("; ", "; h[n - 1] = 0; ", 1), "not compared"),
        ("values(idx) in [0, n)", VECTORS.format("-1").replace("; ", "; h.resize(n + 1); ", 1), "not compared"),
        ("values(idx) in [0, n)", VECTORS.format("-1").replace("; ", "; h = other(n); ", 1), "not compared"),
        (
            "values(idx) in [0, n)",
            VECTORS.format("-1").replace("; ", "; std::vector<int> o(n); write(o.data()); h = o; ", 1),
            "not compared",
        ),
    ],
)
def test_vectors_hold_what_they_are_made_with(tmp_path: Path, promise: str, fill: str, found: str) -> None:
    text = program(promise, fill)
    assert state(tmp_path, text.replace("void run(", OTHERS + "void run(")) == found


SUM = "int *c; cudaMalloc(&c, n * sizeof(int)); FILL thrust::exclusive_scan(thrust::device, c, c + n, idx);"
CUB = (
    "int *c; cudaMalloc(&c, n * sizeof(int)); FILL void *s = nullptr; size_t bytes = 0;"
    " cub::DeviceScan::ExclusiveSum(s, bytes, c, idx, n); cudaMalloc(&s, bytes);"
    " cub::DeviceScan::ExclusiveSum(s, bytes, c, idx, n);"
)
TWOS = "thrust::fill(thrust::device, c, c + n, 2);"


@pytest.mark.parametrize("way", [SUM, CUB])
@pytest.mark.parametrize(
    ("fill", "change", "promise", "found"),
    [
        (TWOS, ("", ""), "offsets(idx, 2 * n)", "kept"),
        (TWOS, ("", ""), "offsets(idx, n)", "broken"),
        (TWOS, ("clusive_", "clusive_"), "values(idx) in [0, 2 * n - 1)", "kept"),
        (TWOS, ("xclusive", "nclusive"), "values(idx) in [0, 2 * n)", "broken"),
        (TWOS, ("xclusive", "nclusive"), "values(idx) in [2, 2 * n]", "kept"),
        (TWOS.replace("2)", "-2)"), ("", ""), "offsets(idx, 2 * n)", "broken"),
        ("", ("", ""), "offsets(idx, n)", "not compared"),  # nothing says that the counts are not negative
        ("thrust::sequence(thrust::device, c, c + n);", ("", ""), "offsets(idx, n * n)", "not compared"),
        (TWOS + " cudaMemset(c, 0, 4);", ("", ""), "offsets(idx, 2 * n)", "not compared"),
    ],
)
def test_a_prefix_sum_of_equal_counts_is_compared(
    tmp_path: Path, way: str, fill: str, change: tuple[str, str], promise: str, found: str
) -> None:
    letters = change[0].replace("xclusive", "exclusive"), change[1].replace("nclusive", "inclusive")
    made = way.replace(*letters) if change[0] else way
    made = made.replace("ExclusiveSum", "InclusiveSum") if letters[1] == "inclusive" else made
    assert state(tmp_path, program(promise, made.replace("FILL", fill))) == found


def test_a_prefix_sum_that_starts_elsewhere_holds_more(tmp_path: Path) -> None:
    for start, found in ((0, "kept"), (1, "broken")):
        made = SUM.replace("idx);", f"idx, {start});").replace("FILL", TWOS)
        assert state(tmp_path, program("values(idx) in [0, 2 * n - 1)", made)) == found


def test_a_prefix_sum_that_is_not_compared_says_why(tmp_path: Path) -> None:
    (view,) = kernel_contracts("k", options(tmp_path, program("offsets(idx, n)", SUM.replace("FILL", ""))))
    reasons = [m.reason for m in view.missing if m.subject == "contents of idx"]
    assert reasons == ["a prefix sum of counts of which nothing is known: they may be negative"]


TORCH = """#include <torch/extension.h>
void change(const torch::Tensor &t);
void run(torch::Tensor x, torch::Tensor y) {
    TORCH_CHECK(x.dim() == 1 && y.dim() == 1 && y.size(0) == x.size(0));
    int n = x.size(0);
    auto options = torch::TensorOptions().dtype(torch::kInt).device(x.device());
    torch::Tensor t = FILL;
    k<<<(n + 255) / 256, 256>>>(y.data_ptr<float>(), x.data_ptr<float>(), t.data_ptr<int>(), n);
}
"""


@pytest.mark.parametrize(
    ("promise", "fill", "found"),
    [
        ("values(idx) in [0, n)", "torch::zeros({n}, options)", "kept"),
        ("values(idx) in [0, n)", "torch::full({n}, -1, options)", "broken"),
        ("values(idx) in [0, n)", "torch::full({n}, n - 1, options)", "kept"),
        ("values(idx) in [0, n)", "torch::arange(n, options)", "kept"),
        ("values(idx) in [0, n)", "torch::arange(1, n + 1, torch::kInt)", "broken"),
        ("values(idx) in [0, n)", "torch::arange(0, 2 * n, 2, options)", "broken"),
        ("distinct(idx)", "torch::arange(0, 2 * n, 2, options)", "kept"),
        ("values(idx) in [0, n)", "torch::arange(n, torch::kLong).to(torch::kInt)", "kept"),
        ("distinct(idx)", "torch::ones_like(x, torch::kInt)", "broken"),
        ("values(idx) in [0, n)", "x.new_full({n}, -1, torch::kInt)", "broken"),
        ("init(idx) = 0", "x.new_zeros({n}, torch::kInt)", "kept"),
        ("values(idx) in [0, n)", "torch::full_like(x, n, torch::kInt)", "broken"),
        ("values(idx) in [0, n)", "torch::empty({n}, options); t.fill_(n)", "broken"),
        ("values(idx) in [0, n)", "torch::full({n}, n, options).zero_()", "kept"),
        ("values(idx) in [0, n)", "torch::full({n}, 300, torch::kByte).to(torch::kInt)", "not compared"),
        ("values(idx) in [0, n)", "torch::full({n}, n, options); t.clamp_(0, n - 1)", "not compared"),
        ("values(idx) in [0, n)", "torch::full({n}, n, options); t[0] = 1", "not compared"),
        ("values(idx) in [0, n)", "torch::full({n}, n, options); t.slice(0, 0, 1).zero_()", "not compared"),
        ("values(idx) in [0, n)", "torch::full({n}, n, options); change(t)", "not compared"),
        ("values(idx) in [0, n)", "torch::full({n}, n, options); t.data_ptr<int>()[0] = 0", "not compared"),
        (
            "values(idx) in [0, n)",
            "torch::full({n}, n, options); cudaMemsetAsync(t.data_ptr<int>(), 0, 4)",
            "not compared",
        ),
    ],
)
def test_tensors_hold_what_they_are_made_with(tmp_path: Path, promise: str, fill: str, found: str) -> None:
    assert state(tmp_path, KERNEL.replace("PROMISE", promise) + TORCH.replace("FILL", fill)) == found
