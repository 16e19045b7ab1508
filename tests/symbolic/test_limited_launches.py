"""Memory whose sizes are not those of the launch, which the host code limits on both sides: nothing relates the two."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan

PROGRAM = """
struct View { int type; long ne[4]; float *data; };
__global__ void combine(const float *parts, float *out) {
  parts += 4 * gridDim.y * blockIdx.x;
  if (threadIdx.x < 4) out[(gridDim.y * blockIdx.x + blockIdx.y) * 4 + threadIdx.x] = parts[blockIdx.y * 4 + threadIdx.x];
}
void run(const View *q, View *to) {
  float *parts;
  if (q->ne[1] < 9 || q->ne[1] > 64 || q->ne[2] < 1 || q->ne[2] > 1024) return;
  cudaMalloc(&parts, 4 * (SIZE) * sizeof(float));
  combine<<<dim3(q->ne[1], q->ne[2]), 64>>>(parts, to->data);
}
"""


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("to->ne[1] * to->ne[2] * to->ne[3]", set()),
        ("q->ne[1] * q->ne[2]", set()),
        ("q->ne[1] * (q->ne[2] - 1)", {"parts"}),
    ],
)
def test_only_sizes_of_the_launch_make_the_memory_too_small(tmp_path: Path, size: str, expected: set[str]) -> None:
    (tmp_path / "k.cu").write_text(PROGRAM.replace("SIZE", size))
    result = scan(ScanOptions(paths=(str(tmp_path / "k.cu"),), cache=False, jobs=1, confirm="off"))
    found = {f.message.partition("`")[2].partition("`")[0] for f in result.findings if f.code == "IDX101"}
    assert found == expected


ROWS = """
__global__ void rows(const int4 *in, int4 *out, int count, int n) {
  extern __shared__ int4 kept[];
  int4 *row = kept + (2 + threadIdx.y) * n / 8;
  int at = blockIdx.x * blockDim.y + threadIdx.y;
  if (at >= count) return;
  for (int i = threadIdx.x * 8; i < n; i += 256) row[i / 8] = in[at * n / 8 + i / 8];
  for (int i = threadIdx.x * 8; i < n; i += 256) out[at * n / 8 + i / 8] = row[i / 8];
}
void run(const int4 *in, int4 *out, int batch, int steps, int n) {
  rows<<<(batch * steps + 7) / 8, dim3(32, 8), 10 * n * sizeof(short)>>>(in, out, batch * steps, n);
}
"""


def test_the_rest_of_a_row_may_lie_in_what_some_sizes_leave(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(ROWS)
    result = scan(ScanOptions(paths=(str(tmp_path / "k.cu"),), cache=False, jobs=1, confirm="off"))
    assert {f.span.line for f in result.findings if f.code == "IDX102"} == {7, 8}
