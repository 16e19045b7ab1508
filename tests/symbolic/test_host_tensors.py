"""Tensors of which only a call knows the sizes: they still have as many elements as they say."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract, Extent
from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

HEAD = """
#include <torch/extension.h>
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
at::Tensor prepare(at::Tensor x);
"""


def contract_and_verdicts(body: str) -> tuple[Contract, set[Verdict]]:
    text = f"{HEAD}\nvoid run(at::Tensor x, std::optional<at::Tensor> given, int n) {{ {body} }}"
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    return contract, {each.verdict for each in analyse(unit, unit.functions[kernel], contract).obligations}


@pytest.mark.parametrize(
    "made",
    [
        "prepare(x)",
        "x.slice(0, 0, n)",
        "x.index_select(0, x)",
        "at::cat({x, x}, 0)",
        "given.has_value() ? given.value() : at::empty({n})",
    ],
)
def test_what_a_call_gives_has_the_elements_that_it_counts(made: str) -> None:
    _, verdicts = contract_and_verdicts(
        f"at::Tensor y = {made}; k<<<(y.numel() + 255) / 256, 256>>>(y.data_ptr<float>(), y.numel());"
    )
    assert verdicts == {Verdict.SAFE}


@pytest.mark.parametrize("made", ["prepare(x)", "x.slice(0, 0, n)"])
def test_no_other_count_is_one_of_its_elements(made: str) -> None:
    _, verdicts = contract_and_verdicts(f"at::Tensor y = {made}; k<<<(n + 255) / 256, 256>>>(y.data_ptr<float>(), n);")
    assert Verdict.UNKNOWN in verdicts and Verdict.VIOLATED not in verdicts


@pytest.mark.parametrize("made", ["x.flatten()", "x.squeeze(1)", "x.permute({1, 0})", "x.view_as(prepare(x))"])
def test_what_is_only_rearranged_has_as_many_elements(made: str) -> None:
    _, verdicts = contract_and_verdicts(
        f"at::Tensor y = {made}; k<<<(x.numel() + 255) / 256, 256>>>(y.data_ptr<float>(), x.numel());"
    )
    assert verdicts == {Verdict.SAFE}


def test_a_type_is_no_size() -> None:
    contract, verdicts = contract_and_verdicts(
        "at::Tensor y = x.view(torch::kInt); k<<<(y.size(0) + 255) / 256, 256>>>(y.data_ptr<float>(), y.size(0));"
    )
    assert verdicts == {Verdict.SAFE}
    assert "block = 256" in contract.facts[0].text and "grid = 1," not in contract.facts[0].text


@pytest.mark.parametrize("made", ["x.expand({n, 4})", "x.unfold(0, 3, 1)"])
def test_elements_that_lie_in_each_other_are_no_memory(made: str) -> None:
    contract, _ = contract_and_verdicts(
        f"at::Tensor y = {made}; k<<<(y.numel() + 255) / 256, 256>>>(y.data_ptr<float>(), y.numel());"
    )
    assert not any(isinstance(fact.what, Extent) for fact in contract.facts)
    assert any("apart, or in each other" in each.reason for each in contract.missing)
