"""What a walk has lost, or memory holds, makes no difference to some witnesses."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Verdict

SEARCH = """
__global__ void k(float *out, const int *links, int wanted, int mode, int most) {
  __shared__ float tile[256];
  int at = mode;
  if (wanted > 1) {
    at = 0;
    for (int s = 0; s < 100 && at >= 0 && at < most && links[at] != wanted; s++) at = links[at] + 3;
  }
  if (at == 7) tile[threadIdx.x] = out[threadIdx.x];
  BETWEEN
  if (at == 7) out[threadIdx.x] = tile[255 - threadIdx.x];
}
void run(float *out, const int *links, int wanted, int mode, int most) { k<<<1, 256>>>(out, links, wanted, mode, most); }
"""


@pytest.mark.parametrize(("between", "codes"), [("", {"SYN101"}), ("__syncthreads();", set())])
def test_a_race_is_certain_where_the_search_before_it_is_not_made(
    between: str, codes: set[str], tmp_path: Path
) -> None:
    (tmp_path / "k.cu").write_text(SEARCH.replace("BETWEEN", between))
    result = scan(ScanOptions((tmp_path / "k.cu",), select=("SYN101",), confirm="off"))
    assert {finding.code for finding in result.findings} == codes
    races = [o for k in result.kernels for o in k.obligations if o.kind == "shared-access-race"]
    assert all(o.verdict is not Verdict.SAFE for o in races) if codes else True
