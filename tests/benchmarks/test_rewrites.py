"""Each rewrite changes how a program is written, and neither its lines nor what it means."""

from __future__ import annotations

import pytest

from tests.benchmarks.rewrites import KINDS, rewritten

TEXT = """\
#define TILE 16
__global__ void k(float* x, int rows, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = rows;
    for (int j = 0; j < TILE; ++j) { x[j] += i; }
    if (i >= rows) return;
    x[rows] = 0;
    if (i > 0) x[0] = 1;
}
void host(float* x, int n) {
    k<<<(n + 255) / 256, 256>>>(x, 2, n);
}
"""


@pytest.mark.parametrize(
    ("kind", "line", "becomes"),
    [
        ("mirror", 4, "if (n > i) x[i] = rows;"),
        ("swap", 3, "int i = threadIdx.x + blockDim.x * blockIdx.x;"),
        ("negate", 4, "if (!(i < n)) {} else x[i] = rows;"),
        ("nest", 6, "if (!(i >= rows)) {"),
        ("leave", 8, "if (!(i > 0)) return; x[0] = 1;"),
        ("name-test", 4, "const bool test1 = i < n; if (test1) x[i] = rows;"),
        ("declare", 3, "int i; i = blockIdx.x * blockDim.x + threadIdx.x;"),
        ("assign", 5, "for (int j = 0; j < TILE; j += 1) { x[j] = x[j] + (i); }"),
        ("while", 5, "{ int j = 0; while (j < TILE) { x[j] += i; ++j; } }"),
        ("dereference", 4, "if (i < n) (*(x + (i))) = rows;"),
        ("brace", 4, "if (i < n) { x[i] = rows; }"),
        ("dimensions", 11, "const dim3 grid1((n + 255) / 256), block2(256); k<<<grid1, block2>>>(x, 2, n);"),
        ("alias", 3, "int32_t i = blockIdx.x * blockDim.x + threadIdx.x;"),
        ("constant", 1, "constexpr int TILE = 16;"),
        ("rename", 4, "if (v3 < v2) x[v3] = v1;"),
    ],
)
def test_a_rewrite_keeps_lines(kind: str, line: int, becomes: str) -> None:
    new = rewritten(TEXT, kind)
    assert new.count("\n") == TEXT.count("\n")
    assert new.splitlines()[line - 1].strip() == becomes


def test_every_kind_is_shown() -> None:
    assert all(rewritten(TEXT, kind) != TEXT for kind in KINDS)
