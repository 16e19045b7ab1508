"""Where an ordinary witness is too hard to search for, small values are tried before what was found counts as extreme."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine.options import ScanOptions
from cudalint.engine.scan import scan
from cudalint.rule import shown_by_default

SCALED = """
#include <torch/extension.h>
__global__ void scaled(const uint8_t *q, const float *scales, float *out, int rows, int cols, int group) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  if (c >= cols) return;
  int groups = cols / group;
  out[r * cols + c] = scales[r * groups + c % group] * (float(q[r * cols + c]) - 128.f);
}
torch::Tensor scaled_rows(torch::Tensor q, torch::Tensor scales, int64_t group) {
  int rows = q.size(0), cols = q.size(1);
  TORCH_CHECK(group > 0 && cols % group == 0);
  TORCH_CHECK(scales.size(0) == rows && scales.size(1) == cols / group);
  auto out = torch::empty({rows, cols}, scales.options());
  scaled<<<dim3((cols + 127) / 128, rows), 128>>>(q.data_ptr<uint8_t>(), scales.data_ptr<float>(),
                                                 out.data_ptr<float>(), rows, cols, (int)group);
  return out;
}
"""


@pytest.mark.parametrize(("source", "lines"), [(SCALED, [7]), (SCALED.replace("c % group", "c / group"), [])])
def test_the_place_in_a_group_is_no_number_of_a_group(source: str, lines: list[int], tmp_path: Path) -> None:
    (tmp_path / "scaled.cu").write_text(source)
    found = scan(ScanOptions((str(tmp_path / "scaled.cu"),), project_root=str(tmp_path), jobs=1, select=("IDX101",)))
    shown = [finding for finding in found.findings if shown_by_default(finding)]
    assert [finding.span.line for finding in shown] == lines
    assert all(value < 1024 for f in shown if f.witness is not None for value in f.witness.values.values())


UPDATED = """
#include <cuda_runtime.h>
__global__ void decayed(float *weight, const long *keys, const float *grad, float decay, long first, long stride, long n) {
  for (long i = threadIdx.x; i < n; i += blockDim.x) {
    long at = (keys[i] + first) * stride;
    float w = weight[at];
    if (decay == 0) weight[at] = w - grad[i];
    else weight[at] = w * decay - grad[i];
  }
}
void decay_rows(float *weight, const long *keys, const float *grad, float decay, long first, long stride, long n) {
  decayed<<<1, 64>>>(weight, keys, grad, decay, first, stride, n);
}
"""


def test_what_memory_holds_in_the_witness_of_a_race_are_contents_of_arrays(tmp_path: Path) -> None:
    """A comparison of floating point that the path took is none."""
    (tmp_path / "decayed.cu").write_text(UPDATED)
    found = scan(ScanOptions((str(tmp_path / "decayed.cu"),), project_root=str(tmp_path), jobs=1, select=("SYN102",)))
    (witness,) = {f.fingerprint: f.witness for f in found.findings if f.code == "SYN102"}.values()
    assert witness is not None
    assert not [name for name in witness.contents if " " in name]
    assert all(side.index is not None and 0 <= side.index < 1 << 32 for side in witness.threads)


COUNTED = """
#include <cuda_runtime.h>

__global__ void follow(float *sums, const float *weights, const int *counts, const int *first, const int *before,
                       const int *ends, int lanes) {
  for (int lane = blockIdx.y; lane < lanes; lane += gridDim.y) {
    int arcs = counts[lane];
    float sum = 0;
    while (arcs > 0) {
      for (int offset = blockIdx.x * blockDim.x, t = threadIdx.x; offset < arcs; offset += blockDim.x * gridDim.x) {
        const int arc = offset + t;
        if (arc < arcs) {
          int place = first[lane] + (arc - before[lane]);
          sum += weights[place];
        }
      }
      int more = 0;
      for (int offset = 0; offset < arcs; offset += blockDim.x) more += ends[offset + 1] - ends[offset];
      arcs = more;
    }
    atomicAdd(&sums[lane], sum);
  }
}

bool run(float *sums, const float *weights, const int *counts, const int *first, const int *before, const int *ends,
         int lanes) {
  follow<<<dim3(1, lanes), 1024>>>(sums, weights, counts, first, before, ends, lanes);
  return cudaGetLastError() == cudaSuccess;
}
"""
COUNTED_BY_CALLERS = (
    COUNTED.replace("const int *counts,", "int count,")
    .replace("counts[lane]", "count")
    .replace("counts, first", "count, first")
)


@pytest.mark.parametrize("source", [COUNTED, COUNTED_BY_CALLERS])
def test_what_loops_make_of_numbers_that_were_read_is_as_tame_as_those(source: str, tmp_path: Path) -> None:
    """Nobody has lists of 2^31 arcs, and what they are in the second round is read in both."""
    (tmp_path / "follow.cu").write_text(source)
    found = scan(ScanOptions((str(tmp_path / "follow.cu"),), project_root=str(tmp_path), jobs=1, select=("IDX201",)))
    assert not [finding for finding in found.findings if shown_by_default(finding)]


ENTRIES = """
#include <cuda_runtime.h>
__global__ void last_entry(float *out, const float *pages, const int *first, const int *used, unsigned page_size,
                           unsigned width) {
  unsigned request = blockIdx.x;
  unsigned length = (first[request + 1] - first[request] - 1) * page_size + used[request];
  unsigned page = first[request] + (length - 1) / page_size, entry = (length - 1) % page_size;
  out[request * size_t(width) + threadIdx.x] = pages[PLACE + threadIdx.x];
}
void run(float *out, const float *pages, const int *first, const int *used, int requests, int page_size, int width) {
  last_entry<<<requests, width>>>(out, pages, first, used, page_size, width);
}
"""


@pytest.mark.parametrize(
    ("place", "lines"),
    [("(page * size_t(page_size) + entry) * width", []), ("request * page_size * width + used[request]", [8])],
)
def test_a_range_that_is_empty_makes_nothing_too_large(place: str, lines: list[int], tmp_path: Path) -> None:
    """Where the last entry of an empty range is, is a matter of contents; a product of sizes is none."""
    (tmp_path / "entries.cu").write_text(ENTRIES.replace("PLACE", place))
    found = scan(ScanOptions((str(tmp_path / "entries.cu"),), project_root=str(tmp_path), jobs=1, select=("IDX201",)))
    assert [finding.span.line for finding in found.findings if shown_by_default(finding)] == lines
