"""Sizes that nothing relates are taken to be related by the weakest relation under which accesses are safe (DESIGN 3, origin 7).

Such an access is safe and counted apart, the relation is told once, and it hides no defect: what goes wrong whatever the sizes
are, or with the sizes that a caller passes, is a finding.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Noted, Reason, ScanResult, Verdict, is_conditional
from cudalint.report.coverage import conditional, overall
from cudalint.report.summary import last_line

COPY = """__global__ void copy(float *y, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}
"""
RUN = "void run(float *out, const float *in, int n) { copy<<<(n + 255) / 256, 256>>>(out, in, n); }\n"
GRID = "<<<(n + 255) / 256, 256>>>"


def scanned(folder: Path, text: str, **options: object) -> ScanResult:
    (folder / "k.cu").write_text(text)
    return scan(ScanOptions(paths=(str(folder / "k.cu"),), cache=False, jobs=1, **options))  # type: ignore[arg-type]


def taken(result: ScanResult) -> set[str]:
    """The relations that accesses are safe under."""
    safe = [o for kernel in result.kernels for o in kernel.obligations if is_conditional(o)]
    assert all(o.facts[-1].origin == "inferred" for o in safe)
    return {o.facts[-1].text for o in safe}


def told(result: ScanResult) -> list[str]:
    return [note.text.partition("to paste: ")[2] for note in result.notes if note.kind is Noted.UNCHECKED]


def test_raw_pointers_of_an_entry_point_hold_what_the_kernel_indexes(tmp_path: Path) -> None:
    result = scanned(tmp_path, COPY + RUN)
    assert taken(result) == {"extent(y) >= n", "extent(x) >= n"}
    assert told(result) == ["before `copy`: // cudalint: extent(x) = n; extent(y) = n"]


def test_what_is_safe_under_a_relation_is_counted_apart_and_makes_no_file_safe(tmp_path: Path) -> None:
    result = scanned(tmp_path, COPY + RUN)
    assert conditional(result.kernels) == 2 and overall(result) == "unknown"
    assert " safe (2 under inferred preconditions), 0 violated, 0 unknown" in last_line(result)


def test_the_line_that_is_told_makes_the_access_safe_for_certain(tmp_path: Path) -> None:
    (line,) = told(scanned(tmp_path, COPY + RUN))
    result = scanned(tmp_path, line.partition(": ")[2] + "\n" + COPY + RUN)
    assert not taken(result) and not told(result) and overall(result) == "safe"


def test_what_a_function_could_check_is_told_in_its_own_words(tmp_path: Path) -> None:
    text = """#include <vector>
void run(int capacity, int n) {
    float *x, *y;
    cudaMalloc(&x, capacity * sizeof(float)); cudaMalloc(&y, n * sizeof(float));
    copy<<<(n + 255) / 256, 256>>>(y, x, n);
}
"""
    result = scanned(tmp_path, COPY + text)
    assert taken(result) == {"capacity >= n"} and told(result) == ["assert(capacity >= n);"]


@pytest.mark.parametrize(
    ("access", "size"),
    [
        ("if (i < n) y[i / cols] = 1.0f;", None),  # that takes a quotient
        ("if (i < n) y[i * 3 + 2] = 1.0f;", "3 * n"),
        ("if (i < n) for (int j = 0; j < cols; j++) y[i * cols + j] = 1.0f;", "n * cols"),
        ("if (threadIdx.x == 0) y[blockIdx.x] = 1.0f;", "gridDim.x"),
        ("y[threadIdx.x] = 1.0f;", "256"),
    ],
)
def test_the_relation_is_the_weakest_product_of_what_the_kernel_is_passed(
    tmp_path: Path, access: str, size: str | None
) -> None:
    kernel = f"""__global__ void k(float *y, int n, int cols) {{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    {access}
}}
void run(float *y, int n, int cols) {{ k{GRID}(y, n, cols); }}
"""
    assert taken(scanned(tmp_path, kernel)) == ({f"extent(y) >= {size}"} if size else set())


def test_offsets_of_rows_are_one_more_than_there_are_rows(tmp_path: Path) -> None:
    kernel = """__global__ void k(int *length, const int *begin, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) length[i] = begin[i + 1] - begin[i];
}
void run(int *length, const int *begin, int n) { k<<<(n + 255) / 256, 256>>>(length, begin, n); }
"""
    assert taken(scanned(tmp_path, kernel)) == {"extent(length) >= n", "extent(begin) >= n + 1"}


@pytest.mark.parametrize(
    "access",
    [
        "if (i <= n) y[i] = 1.0f;",  # one more than there are
        "if (i < n) y[i] = y[i + 1];",  # a neighbour of the last one
        "y[i] = 1.0f;",  # every thread of a grid that is rounded up
        "if (i / cols < n / cols) y[i % cols * n + i / cols] = 1.0f;",  # another pitch
    ],
)
def test_an_index_that_no_such_size_fits_stays_open_or_is_a_finding(tmp_path: Path, access: str) -> None:
    kernel = f"""__global__ void k(float *y, int n, int cols) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {access}
}}
void run(float *y, int n, int cols) {{ k{GRID}(y, n, cols); }}
"""
    result = scanned(tmp_path, kernel)
    bounds = [o for k in result.kernels for o in k.obligations if o.kind.endswith("bounds")]
    assert bounds and not any(o.verdict is Verdict.SAFE for o in bounds) and not told(result)


def test_a_pattern_stays_although_a_size_was_found_for_its_access(tmp_path: Path) -> None:
    kernel = COPY.replace("i < n", "i <= n").replace("y[i] = x[i]", "y[i] = 1.0f; if (i < n) y[i] = x[i]")
    result = scanned(tmp_path, kernel + RUN)
    assert "IDX104" in {f.code for f in result.findings}


def test_a_caller_that_contradicts_the_relation_makes_it_a_finding(tmp_path: Path) -> None:
    caller = """int main() {
    int n = 1000; float *x, *y;
    cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&y, (n - 1) * sizeof(float));
    run(y, x, n);
}
"""
    result = scanned(tmp_path, COPY + RUN + caller)
    assert [f.code for f in result.findings if f.code.startswith("IDX1")] == ["IDX101"]
    assert not taken(result)


def test_a_caller_that_keeps_the_relation_settles_it(tmp_path: Path) -> None:
    caller = """int main() {
    int n = 1000; float *x, *y;
    cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&y, n * sizeof(float));
    run(y, x, n);
}
"""
    result = scanned(tmp_path, COPY + RUN + caller)
    assert not taken(result) and not told(result)


def test_a_pointer_that_was_lost_on_the_way_is_left_open(tmp_path: Path) -> None:
    text = "float *somewhere(int);\nvoid run(const float *in, int n) { copy<<<(n + 255) / 256, 256>>>(somewhere(n), in, n); }\n"
    result = scanned(tmp_path, COPY + text)
    assert taken(result) == {"extent(x) >= n"}


def test_a_kernel_that_no_host_code_launches_is_left_open(tmp_path: Path) -> None:
    result = scanned(tmp_path, COPY)
    reasons = {o.reason for k in result.kernels for o in k.obligations if o.kind.endswith("bounds")}
    assert reasons == {Reason.NO_EXTENT} and not told(result)


def test_an_index_that_memory_holds_stays_open(tmp_path: Path) -> None:
    kernel = COPY.replace("const float *x", "const unsigned *at, const float *x").replace("x[i]", "x[at[i]]")
    run = "void run(float *y, const unsigned *at, const float *x, int n) { copy<<<(n + 255) / 256, 256>>>(y, at, x, n); }\n"
    assert taken(scanned(tmp_path, kernel + run)) == {"extent(y) >= n", "extent(at) >= n"}


@pytest.mark.parametrize(
    ("read", "bound", "index", "check"),
    [
        ("int n = w.size(0);", "n", "i * cols + j", "w.numel() >= w.size(0)*x.size(1)"),
        ("int n = w.size(0), m = w.size(1);", "n * m", "i * cols + j", "w.numel() >= w.size(0)*w.size(1)*x.size(1)"),
    ],
)
def test_a_tensor_that_is_indexed_beyond_the_sizes_that_are_read_of_it_has_more_dimensions(
    tmp_path: Path, read: str, bound: str, index: str, check: str
) -> None:
    text = f"""#include <torch/extension.h>
__global__ void rows(float *y, const float *w, int count, int cols) {{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < count) for (int j = 0; j < cols; j++) y[i] += w[{index}];
}}
torch::Tensor run(torch::Tensor x, torch::Tensor w) {{
    {read}
    int cols = x.size(1);
    auto y = torch::zeros({{{bound}}}, x.options());
    rows<<<({bound} + 255) / 256, 256>>>(y.data_ptr<float>(), w.data_ptr<float>(), {bound}, cols);
    return y;
}}
"""
    result = scanned(tmp_path, text)
    assert taken(result) == {check}
    assert told(result) == [f"TORCH_CHECK({check});"], "in place of the number of dimensions that was guessed"
