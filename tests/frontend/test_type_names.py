"""Comparisons of `typeid`s are decided for each instance, where the types alone decide them."""

from __future__ import annotations

import pytest

from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

BRANCHES = """
#include <typeinfo>
struct shape { virtual ~shape(); };
__global__ void fill(float *x) { x[threadIdx.x] = 0; }
template <class T> void run(float *x, T value, shape &seen, shape &other) {
  if (CONDITION) fill<<<1, 32>>>(x);
  else fill<<<1, 64>>>(x);
}
template void run<float>(float *, float, shape &, shape &);
"""


@pytest.mark.parametrize(
    ("condition", "blocks"),
    [
        ("typeid(T) == typeid(float)", [32]),
        ("typeid(T) == typeid(double)", [64]),
        ("typeid(T) != typeid(double)", [32]),
        ("typeid(value) == typeid(const float &)", [32]),
        ("typeid(seen) == typeid(other)", [32, 64]),
        ("typeid(seen) == typeid(float)", [32, 64]),
    ],
)
def test_types_that_are_written_decide(condition: str, blocks: list[int]) -> None:
    text = BRANCHES.replace("CONDITION", condition)
    unit = translate(SourceFile("a.cu", "/a.cu", text), ParseOptions(), "/").unit
    (contracts,) = launch_contracts(unit).values()
    assert sorted(c.facts[0].text for c in contracts) == [f"grid = 1, block = {size}" for size in blocks]
