"""Blocks whose size a template's parameter goes into: the caller has chosen it by the other sides."""

import pytest

from cudalint.analysis.launch.launch_patterns import wide_blocks
from cudalint.frontend.outline import outline
from cudalint.source import SourceFile

LAUNCH = """
__global__ void k(float *x, int hidden) { x[threadIdx.x] = 0; }
%s
void launch(float *x, int hidden_size, int rows) {
  dim3 block(hidden_size, %s);
  k<<<rows, block>>>(x, hidden_size);
}
"""


@pytest.mark.parametrize(
    ("head", "side", "certain"),
    [("", "2", [True]), ("template <int PARTS>", "PARTS", [False]), ("template <int N>", "2", [True])],
)
def test_a_side_that_a_template_chooses_leaves_it_open(head: str, side: str, certain: list[bool]) -> None:
    found = list(wide_blocks(outline(SourceFile("k.cu", "k.cu", LAUNCH % (head, side)))))
    assert [each.stated for each in found] == certain
