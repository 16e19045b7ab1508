"""Views that callers pass on ways that were not followed: what lies in front of them is not known, what lies behind is."""

from __future__ import annotations

import pytest

from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

PROGRAM = """
struct Table { long *data_; long stride_[2]; long size_[2]; };
__global__ void sizes_of_parts(Table ends, Table sizes) {
  const long row = blockIdx.y, part = blockIdx.x;
  const long *end = ends.data_ + row * ends.stride_[0] + part * ends.stride_[1];
  sizes.data_[row * sizes.stride_[0] + part * sizes.stride_[1]] = end[0] - end[NEAR];
}
void one_tile(Table &ends, Table &sizes) {
  if (ends.size_[0] != sizes.size_[0] || ends.size_[1] != sizes.size_[1]) return;
  if (ends.size_[0] < 1 || ends.size_[1] < 1 || ends.size_[0] > 65535) return;
  sizes_of_parts<<<dim3(ends.size_[1], ends.size_[0]), 1>>>(ends, sizes);
}
"""
CALLERS = """
bool next_tile(int *tile);
Table part_of(const long *space, int tile);
void all_tiles(const long *space, const long *sizes) {
  int tile = 0;
  while (next_tile(&tile)) {
    Table ends = part_of(space + 1, tile), out = part_of(sizes, tile);
    one_tile(ends, out);
  }
}
"""


@pytest.mark.parametrize(
    ("near", "callers", "wrong"),
    [
        pytest.param("-1", CALLERS, False, id="in front, as callers may have it"),
        pytest.param("-1", "", True, id="in front, and nobody else calls"),
        pytest.param("1", CALLERS, True, id="behind"),
    ],
)
def test_elements_beside_a_view(near: str, callers: str, wrong: bool) -> None:
    text = PROGRAM.replace("NEAR", near) + callers
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((kernel, contracts),) = launch_contracts(unit).items()
    found = [o for c in contracts for o in analyse(unit, unit.functions[kernel], c).obligations]
    assert any(o.verdict is Verdict.VIOLATED and o.kind == "bounds" for o in found) is wrong
