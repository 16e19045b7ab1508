"""Races that only a run can show get a launch with room for many threads, whatever inputs are fixed there."""

from __future__ import annotations

from pathlib import Path

from cudalint.engine import ScanOptions, scan

LISTED = """
#include <cstdio>
// cudalint: extent(list) = 4096; extent(top) = max(n, 4096); extent(values) = max(n, 4096)
// cudalint: values(begin) in [0, 4096]; values(list) in [0, n); assume 0 < n <= 4096
__global__ void largest(const int *begin, const int *list, const int *values, int *top, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const int other = list[begin[i + 1] - 1];
    if (i < other && top[0] < values[other]) atomicMax(top, values[other]);
  }
}
int next_line(FILE *from);
void run(FILE *from, int blocks, int threads) {
  int lines = 0, entries = 0;
  while (next_line(from) > 0) lines++;
  while (next_line(from) > 0) entries++;
  const int n = lines - 1;
  if (n < 1) return;
  int *begin, *list, *values, *top;
  cudaMalloc(&begin, (n + 1) * sizeof(int));
  cudaMalloc(&list, (entries == 0 ? 1 : entries) * sizeof(int));
  cudaMalloc(&values, (n > entries ? n : entries) * sizeof(int));
  cudaMalloc(&top, (n > entries ? n : entries) * sizeof(int));
  largest<<<blocks, threads>>>(begin, list, values, top, n);
}
"""


def test_a_number_of_entries_that_is_promised_leaves_room_for_others(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(LISTED)
    options = ScanOptions(
        (str(tmp_path),), project_root=str(tmp_path), confirm="emulator", jobs=1, cache=False,
        block_dim=(256, 1, 1), grid_dim=(64, 1, 1),
    )  # fmt: skip
    (race,) = (finding for finding in scan(options).findings if finding.code == "SYN103")
    assert race.witness is not None
    values = {name.partition(":")[2].partition("#")[0]: value for name, value in race.witness.values.items()}
    assert values["entries"] == 4096 and values["lines"] >= 60
