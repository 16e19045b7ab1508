"""Bytes of a tensor that the host compares with a limit keep the places in it below."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan

PROGRAM = """
#include <limits.h>
#include <stdint.h>
struct ggml_tensor { int type; int64_t ne[4]; size_t nb[4]; void *data; };
size_t block_of(int type), size_of(int type);
size_t ggml_nbytes(const struct ggml_tensor *t) {
  const int single = block_of(t->type) == 1;
  size_t bytes = single ? size_of(t->type) : t->ne[0] * t->nb[0] / block_of(t->type);
  for (int i = single ? 0 : 1; i < 4; ++i) bytes += (t->ne[i] - 1) * t->nb[i];
  return bytes;
}
int64_t ggml_nelements(const struct ggml_tensor *t);
void ggml_abort();
#define GGML_ASSERT(x) if (!(x)) ggml_abort()
__global__ void copy(const char *x, char *y, int ne, int ne00, int nb00, int nb01) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= ne) return;
  const int i01 = i / ne00, i00 = i - i01 * ne00;
  y[i] = x[i00 * nb00 + i01 * nb01];
}
void run(const ggml_tensor *a, char *y) {
  const int64_t ne = ggml_nelements(a);
  GGML_ASSERT(a->ne[2] == 1 && a->ne[3] == 1);
  CHECK
  copy<<<(ne + 63) / 64, 64>>>((const char *)a->data, y, ne, a->ne[0], a->nb[0], a->nb[1]);
}
"""


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ("GGML_ASSERT(a->type == 0 && ggml_nbytes(a) <= INT_MAX);", set()),
        ("GGML_ASSERT(a->type == 0 && ggml_nbytes(a) <= 4ll * INT_MAX);", {"IDX201"}),
        ("", {"IDX201"}),
    ],
)
def test_what_is_checked_counts(tmp_path: Path, check: str, expected: set[str]) -> None:
    (tmp_path / "k.cu").write_text(PROGRAM.replace("CHECK", check))
    options = ScanOptions(paths=(str(tmp_path / "k.cu"),), cache=False, jobs=1, confirm="off")
    assert {f.code for f in scan(options).findings if f.code.startswith("IDX2")} == expected
