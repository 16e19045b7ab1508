"""Updates whose place memory names are run with all places equal, but where something else is promised of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Evidence

KERNEL = """
// cudalint: PROMISEextent(rows) = n; extent(in) = n * width; extent(sums) = m * width
// cudalint: assume 0 < n <= 1024 && 1 < m <= 1024 && 0 < width <= 512
__global__ void add_rows(const int *rows, const float *in, float *sums, int n, int m, int width) {
  if (blockIdx.x >= n) return;
  int row = rows[blockIdx.x];
  for (int i = threadIdx.x; i < width; i += blockDim.x) sums[row * width + i] += in[blockIdx.x * width + i];
}
"""


@pytest.mark.parametrize(("promise", "held"), [("", {"rows": 0}), ("values(rows) in [1, m); ", {})])
def test_what_is_promised_of_places_is_kept(tmp_path: Path, promise: str, held: dict[str, int]) -> None:
    (tmp_path / "k.cu").write_text(KERNEL.replace("PROMISE", promise))
    result = scan(ScanOptions(paths=(str(tmp_path / "k.cu"),), cache=False, jobs=1))
    (race,) = [f for f in result.findings if f.code == "SYN102"]
    assert race.witness is not None and race.witness.contents == held
    assert race.evidence is Evidence.EMULATED
