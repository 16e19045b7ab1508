"""Sizes of tensors that are made of several, and of the parts that one is taken apart into."""

from __future__ import annotations

import pytest

from cudalint.contract import Binding, Contract, Extent
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

HEAD = """
#include <torch/extension.h>
using at::Tensor;
__global__ void k(const float *x, long n, long m) { if (threadIdx.x < n) m = x[threadIdx.x]; }
"""
RANKS = "TORCH_CHECK(x.dim() == 2 && y.dim() == 2 && places.dim() == 1);"


def contract_of(body: str) -> Contract:
    text = f"{HEAD}void run(Tensor x, Tensor y, Tensor places) {{ {body} }}"
    ((contract,),) = launch_contracts(translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit).values()
    return contract


def told(made: str, before: str = RANKS) -> dict[str, str]:
    """The first two sizes of what is made."""
    body = f"{before} auto v = {made}; k<<<1, 32>>>(v.data_ptr<float>(), v.size(0), v.size(1));"
    facts = [fact.text.partition(" = ") for fact in contract_of(body).facts]
    return {name: value for name, _, value in facts if name in ("n", "m")}


@pytest.mark.parametrize(
    ("made", "first", "second"),
    [
        ("torch::cat({x, y}, 0)", "x.size(0) + y.size(0)", "x.size(1)"),
        ("torch::cat({x, y}, -1)", "x.size(0)", "x.size(1) + y.size(1)"),
        ("torch::cat({x, y, x})", "2*x.size(0) + y.size(0)", "x.size(1)"),
        ("torch::stack({x, y})", "2", "x.size(0)"),
        ("torch::stack({x, y, x}, 1)", "x.size(0)", "3"),
        ("x.index_select(0, places)", "places.size(0)", "x.size(1)"),
        ("x.index_select(1, places)", "x.size(0)", "places.size(0)"),
        ("x.repeat_interleave(3, 0)", "3*x.size(0)", "x.size(1)"),
        ("x.chunk(2, 1)[0]", "x.size(0)", "min((x.size(1) + 1) / 2, x.size(1))"),
        ("x.split(16)[0]", "min(16, x.size(0))", "x.size(1)"),
    ],
)
def test_the_sizes_follow_from_those_of_the_tensors(made: str, first: str, second: str) -> None:
    assert told(made) == {"n": first, "m": second}


def test_the_parts_of_a_tensor_lie_in_a_vector() -> None:
    body = "TORCH_CHECK(x.dim() == 1 && x.size(0) == 100); auto parts = x.chunk(3);"
    body += "k<<<1, 32>>>(parts[2].data_ptr<float>(), parts[1].size(0), parts[2].size(0));"
    facts = [fact.what for fact in contract_of(body).facts]
    assert {what.parameter: repr(what.value) for what in facts if isinstance(what, Binding)} == {"n": "34", "m": "32"}
    (extent,) = (what for what in facts if isinstance(what, Extent))
    assert (repr(extent.size), extent.unit) == ("128", "bytes")


@pytest.mark.parametrize(
    "made", ["torch::cat({x, y}, 0)", "torch::stack({x, y})", "x.index_select(0, places)", "torch::cat({x, y}, n)"]
)
def test_nothing_is_told_where_a_rank_or_the_dimension_is_not_known(made: str) -> None:
    before = "long n = places.numel();" + (RANKS if "n)" in made else "")
    assert not {"x.size(0)", "x.size(1)", "places.size(0)"} & set(told(made, before).values())
