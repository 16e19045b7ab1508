"""What indexing, slicing and rearranging say of the sizes of a view, whether or not the rank of the tensor is known."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract, Extent
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

HEAD = """
#include <torch/extension.h>
using at::Tensor;
__global__ void k(const float *x, long n, long m) { if (threadIdx.x < n) m = x[threadIdx.x]; }
"""


def contract_of(body: str) -> Contract:
    text = f"{HEAD}void run(Tensor x, long i, long s) {{ {body} }}"
    ((contract,),) = launch_contracts(translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit).values()
    return contract


def told(body: str) -> dict[str, str]:
    """What the arguments `n` and `m` are."""
    facts = [fact.text.partition(" = ") for fact in contract_of(body).facts]
    return {name: value for name, _, value in facts if name in ("n", "m")}


def launch(view: str, n: str, m: str, before: str = "") -> str:
    return f"{before} auto v = {view}; k<<<1, 32>>>(v.data_ptr<float>(), {n}, {m});"


@pytest.mark.parametrize("before", ["", "TORCH_CHECK(x.dim() == 3);"])
@pytest.mark.parametrize(
    ("view", "first", "second"),
    [
        ("x[i]", "x.size(1)", "x.size(2)"),
        ("x.select(1, i)", "x.size(0)", "x.size(2)"),
        ("x.narrow(0, s, 4)", "4", "x.size(1)"),
        ("x.narrow(1, 2, s)", "x.size(0)", "s"),
        ("x.slice(1, 0, 8)", "x.size(0)", "min(8, x.size(1))"),
        ("x.slice(0, 9, 8)", "0", "x.size(1)"),
        ("x.slice(0, 8)", "-min(8, x.size(0)) + x.size(0)", "x.size(1)"),
        ("x.slice(0, 0, -8)", "max(x.size(0) - 8, 0)", "x.size(1)"),
        ("x.unsqueeze(0)", "1", "x.size(0)"),
        ("x.unsqueeze(1)", "x.size(0)", "1"),
        ("x.permute({2, 0, 1})", "x.size(2)", "x.size(0)"),
        ("x.flatten(0, 1)", "x.size(0)*x.size(1)", "x.size(2)"),
        ("x.expand({4, 8, x.size(1)})", "4", "8"),
        ("x[i].unsqueeze(0)", "1", "x.size(1)"),
    ],
)
def test_the_sizes_of_a_view_follow_from_those_of_the_tensor(view: str, first: str, second: str, before: str) -> None:
    assert told(launch(view, "v.size(0)", "v.size(1)", before)) == {"n": first, "m": second}


def test_dimensions_are_counted_from_the_end_where_the_rank_is_known() -> None:
    body = launch("x.select(-1, i)", "v.size(0)", "v.size(-1)", "TORCH_CHECK(x.dim() == 3);")
    assert told(body) == {"n": "x.size(0)", "m": "x.size(1)"}
    (lost, *_) = contract_of(launch("x.select(-1, i)", "v.size(0)", "v.size(1)")).missing
    assert lost.reason == "result of select"


def test_a_row_has_its_share_of_the_elements() -> None:
    body = launch("x[i]", "v.numel()", "x.size(0)")
    assert "x.numel() == operator[].numel()*x.size(0)" in [fact.text for fact in contract_of(body).facts]


def test_what_is_narrowed_has_that_many() -> None:
    body = launch("x.narrow(0, 2, 3)", "v.numel()", "x.size(0)")
    facts = [fact.text for fact in contract_of(body).facts]
    assert "x.size(0) >= 5" in facts
    assert "3*x.numel() == narrow.numel()*x.size(0)" in facts


def test_all_in_one_dimension_are_as_many() -> None:
    assert told(launch("x.flatten()", "v.size(0)", "v.dim()")) == {"n": "x.numel()", "m": "1"}


def test_a_permutation_tells_the_rank() -> None:
    body = launch("x.permute({1, 0})", "v.numel()", "x.dim()")
    assert told(body) == {"n": "x.size(0)*x.size(1)", "m": "2"}


def test_memory_behind_repeated_elements_is_not_told() -> None:
    body = launch("x.expand({4, x.size(0)})", "v.size(0)", "v.size(1)")
    assert [m.reason for m in contract_of(body).missing] == ["the elements of expand may lie apart, or in each other"]


@pytest.mark.parametrize("view", ["x.narrow(1, 0, 4)", "x.slice(1, 0, 4)", "x.select(1, 2)", "x.narrow(1, 0, 4)[2]"])
def test_rows_of_a_view_lie_apart(view: str) -> None:
    body = "TORCH_CHECK(x.dim() == 3); " + launch(view, "x.size(0)", "x.size(1)")
    assert [m.subject for m in contract_of(body).missing] == ["x"]
    assert memory_of(body.replace(view, f"{view}.contiguous()")) != []


@pytest.mark.parametrize("view", ["x.narrow(0, 2, 4)", "x.slice(0, 2)", "x[2]", "x.unsqueeze(0).narrow(1, 0, 4)"])
def test_whole_rows_of_a_view_lie_side_by_side(view: str) -> None:
    body = "TORCH_CHECK(x.dim() == 3); " + launch(view, "x.size(0)", "x.size(1)")
    assert memory_of(body) != []


def memory_of(body: str) -> list[str]:
    return [fact.text for fact in contract_of(body).facts if isinstance(fact.what, Extent)]


EXPANDED = """TORCH_CHECK(x.dim() == 2 && x.scalar_type() == at::kFloat);
  auto y = x.unsqueeze(0).expand({4, x.size(0), x.size(1)})%s;"""
LAUNCH = " k<<<1, 32>>>(y.data_ptr<float>(), i, s);"


def test_an_expanded_tensor_has_less_memory_than_elements() -> None:
    assert memory_of(EXPANDED % "" + LAUNCH) == []


@pytest.mark.parametrize("copy", [".contiguous()", ".clone()"])
def test_what_makes_it_dense_has_memory_for_all_of_them(copy: str) -> None:
    (memory,) = memory_of(EXPANDED % copy + LAUNCH)
    assert "16*x.size(0)*x.size(1) bytes" in memory


@pytest.mark.parametrize("name", ["view", "reshape"])
def test_sizes_that_a_view_is_given_make_as_many_elements_as_the_tensor_has(name: str) -> None:
    body = launch(f"x.{name}({{i, s}})", "i", "s")
    assert "x.numel() == i*s" in [fact.text for fact in contract_of(body).facts]


def test_sizes_that_are_given_tell_the_extent_of_what_nothing_else_is_known_of() -> None:
    contract = contract_of(launch("torch::addmm(x, x, x).reshape({i, 3, s})", "i", "s"))
    assert "x = tensor reshape, 12*i*s bytes" in [fact.text for fact in contract.facts] and not contract.missing
