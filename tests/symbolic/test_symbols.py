"""What host code copies to variables of the device, and the ways behind which nothing is known of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.contract import Contract, Placed
from cudalint.engine import ScanOptions, scan
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

HEAD = """
struct Shape { int rows, cols; short pads[2]; };
__constant__ Shape shape;
__constant__ int limit;
__constant__ int table[4];
__device__ int total;
__global__ void k(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < limit + shape.cols + shape.pads[1]) x[i] = table[i & 3] + total;
}
__global__ void count() { total = 1; }
__global__ void other() {}
void elsewhere();
void takes(const int &);
"""
COPY = "cudaMemcpyToSymbol(limit, &n, sizeof(int));"


def placed(body: str, head: str = HEAD, path: str = "k.cu") -> dict[str, str]:
    text = f"{head}\nvoid run(float *x, int n, bool c) {{ {body} }}"
    unit = translate(SourceFile(path, f"/{path}", text), ParseOptions(), "/").unit
    contracts = [each for kernel, found in launch_contracts(unit).items() if kernel.startswith("k(") for each in found]
    return numbers(contracts[-1])


def numbers(contract: Contract) -> dict[str, str]:
    return dict(f.text.split(" = ", 1) for f in contract.facts if isinstance(f.what, Placed))  # type: ignore[misc]


LAUNCH = " k<<<(n + 255) / 256, 256>>>(x);"


@pytest.mark.parametrize(
    ("copy", "found"),
    [
        (COPY, {"limit": "n"}),
        ("int m = 2 * n; cudaMemcpyToSymbol(limit, &m, sizeof(m), 0, cudaMemcpyHostToDevice);", {"limit": "2*n"}),
        ("cudaMemcpyToSymbolAsync(limit, &n, 4, 0, cudaMemcpyHostToDevice);", {"limit": "n"}),
        ("cudaMemcpyToSymbol(total, &n, sizeof(int));", {"total": "n"}),
        ("int t[4] = {3, 2, 1, n}; cudaMemcpyToSymbol(table, t, sizeof(t));",
         {"table[0]": "3", "table[1]": "2", "table[2]": "1", "table[3]": "n"}),
        ("int t[4] = {3, 2, 1, n}; cudaMemcpyToSymbol(table, t, 2 * sizeof(int));", {"table[0]": "3", "table[1]": "2"}),
        ("int t[4]; for (int i = 0; i < 4; i++) t[i] = 2 * i; cudaMemcpyToSymbol(table, t, sizeof(t));",
         {"table[0]": "0", "table[1]": "2", "table[2]": "4", "table[3]": "6"}),
        ("Shape s; s.rows = 3; s.cols = n; s.pads[1] = 1; cudaMemcpyToSymbol(shape, &s, sizeof(s));",
         {"shape.rows": "3", "shape.cols": "n", "shape.pads[1]": "1"}),
        ("if (c) n = 8; " + COPY, {"limit": "(c != 0 ? 8 : n)"}),
        (COPY + " cudaMemcpyToSymbol(total, &n, 4); other<<<1, 1>>>(); printf(\"%d\", n);", {"limit": "n", "total": "n"}),
        (COPY + " cudaMemcpyToSymbol(total, &n, 4); count<<<1, 1>>>();", {"limit": "n"}),
        (COPY + " n = 7;", {"limit": "n"}),
    ],
)  # fmt: skip
def test_a_kernel_reads_what_was_copied_before_its_launch(copy: str, found: dict[str, str]) -> None:
    assert placed(copy + LAUNCH) == found


@pytest.mark.parametrize(
    "copy",
    [
        "",
        COPY + " elsewhere();",
        COPY + " cudaSetDevice(1);",
        COPY + " cudaMemcpyToSymbol(limit, x, sizeof(int));",  # whatever the device holds there
        COPY + " cudaMemcpyToSymbol(limit, &n, 2);",
        COPY + " cudaMemcpyToSymbol(limit, &n, 1, 2);",
        "float f = 1; cudaMemcpyToSymbol(limit, &f, sizeof(f));",
        "if (c) " + COPY,
        COPY + " if (c) elsewhere();",
        COPY + " int *p; cudaGetSymbolAddress((void **)&p, limit); cudaMemset(p, 0, 4);",
        COPY + " void *p; cudaGetSymbolAddress(&p, limit);",
        COPY + " takes(limit);",
        "for (int i = 0; i < n; i++) { if (i) k<<<1, 32>>>(x); " + COPY + " elsewhere(); }",
    ],
)
def test_what_may_have_been_changed_is_not_told(copy: str) -> None:
    assert placed(copy + LAUNCH) == {}


def test_the_value_in_a_loop_is_the_one_of_the_iteration() -> None:
    body = "for (int i = 0; i < n; i++) { k<<<1, 32>>>(x); int m = i; cudaMemcpyToSymbol(limit, &m, 4); }"
    assert placed(body) == {}
    assert placed("for (int i = 0; i < n; i++) { " + COPY + LAUNCH + " }") == {"limit": "n"}


OTHER = """
static __constant__ int limit;
__global__ void mine(int *y) { y[0] = limit; }
void more(int *y, int v) { cudaMemcpyToSymbol(limit, &v, 4); mine<<<1, 1>>>(y); }
"""


def test_a_variable_that_two_files_declare_is_left_open() -> None:
    run = f"{HEAD}\nvoid run(float *x, int n) {{ {COPY} {LAUNCH} }}"
    units = [
        translate(SourceFile(path, f"/{path}", text), ParseOptions(), "/").unit
        for path, text in (("a.cu", run), ("b.cu", OTHER))
    ]
    assert [numbers(c) for found in launch_contracts(units[0], (units[1],)).values() for c in found] == [{}]
    assert [numbers(c) for found in launch_contracts(units[0]).values() for c in found] == [{"limit": "n"}]


BOUNDS = """
__constant__ int length;
__constant__ int starts[3];
__device__ int offset;
__global__ void k(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) BODY
}
void run(int n) {
    if (n < 3) return;
    float *x; cudaMalloc(&x, n * sizeof(float));
    int first[3] = {0, 1, n - 1}, zero = 0;
    COPIES
    k<<<(n + 255) / 256, 256>>>(x);
}
"""
COPIES = (
    "cudaMemcpyToSymbol(length, &n, sizeof(n)); cudaMemcpyToSymbol(starts, first, sizeof(first));"
    " cudaMemcpyToSymbol(offset, &zero, sizeof(zero));"
)


@pytest.mark.parametrize(
    ("body", "copies", "verdicts"),
    [
        ("x[i] = 1;", COPIES, {"safe"}),
        ("x[i + offset] = 1;", COPIES, {"safe"}),
        ("x[starts[2]] = 1;", COPIES, {"safe"}),
        ("x[starts[i % 3]] = 1;", COPIES, {"safe"}),
        ("x[i + 1] = 1;", COPIES, {"violated"}),
        ("x[starts[2] + 1] = 1;", COPIES, {"violated"}),
        ("x[i] = 1;", COPIES.replace("zero = 0", "zero = n").replace("&n", "&first[2]"), {"safe"}),
        ("{ offset = 9; x[i + offset] = 1; }", COPIES, {"violated", "unknown"}),
    ],
)
def test_what_was_copied_decides_the_accesses(tmp_path: Path, body: str, copies: str, verdicts: set[str]) -> None:
    (tmp_path / "k.cu").write_text(BOUNDS.replace("BODY", body).replace("COPIES", copies))
    (kernel,) = scan(
        ScanOptions(paths=(str(tmp_path / "k.cu"),), project_root=str(tmp_path), jobs=1, cache=False)
    ).kernels
    found = {o.verdict.value for o in kernel.obligations if o.kind == "global-write-bounds"} - {"safe"} or {"safe"}
    assert found <= verdicts
