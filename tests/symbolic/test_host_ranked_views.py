"""Memory that a DLTensor describes: its extent where the number of dimensions was checked, and open where it was not."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract, Extent, Origin
from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

HEAD = """
#include <dlpack/dlpack.h>
#define CHECK(cond) do { if (!(cond)) abort(); } while (0)
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
"""
ALL = "int n = t->shape[0] * t->shape[1]; k<<<(n + 255) / 256, 256>>>(POINTER, n);"


def contract_and_verdicts(body: str, parameter: str = "DLTensor *t") -> tuple[Contract, set[Verdict]]:
    text = f"{HEAD}\nvoid run({parameter}, bool c) {{ {body} }}"
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    return contract, {each.verdict for each in analyse(unit, unit.functions[kernel], contract).obligations}


def told(contract: Contract) -> list[str]:
    return [f.text for f in contract.facts if isinstance(f.what, Extent) and f.origin is Origin.INFERRED]


@pytest.mark.parametrize(
    "checks",
    [
        "CHECK(t->ndim == 2); CHECK(t->dtype.bits == 32);",
        "if (t->ndim != 2 || t->dtype.bits != 32) return;",
        "if (t->ndim == 2 && t->dtype.bits == 32)",
        "CHECK(t->dtype.bits == 32); switch (t->ndim) { case 2: break; default: return; }",
    ],
)
@pytest.mark.parametrize("pointer", ["(float *)t->data", "(float *)((char *)t->data + t->byte_offset)"])
def test_checked_dimensions_are_the_extent(checks: str, pointer: str) -> None:
    contract, verdicts = contract_and_verdicts(f"{checks} {{ {ALL.replace('POINTER', pointer)} }}")
    assert told(contract) == ["x = tensor t, 4*t.shape*t.shape[1] bytes, if it is dense"]
    assert verdicts == {Verdict.SAFE}


def test_elements_of_an_unchecked_type_are_taken_to_be_what_the_kernel_reads() -> None:
    contract, verdicts = contract_and_verdicts("CHECK(t->ndim == 2); " + ALL.replace("POINTER", "(float *)t->data"))
    (fact,) = (f for f in contract.facts if isinstance(f.what, Extent))
    assert fact.checks == ("t.data.is_contiguous()", "t.data.element_size() == 4") and verdicts == {Verdict.SAFE}


def test_elements_of_another_width_are_not_enough() -> None:
    contract, verdicts = contract_and_verdicts(
        "CHECK(t->ndim == 2); CHECK(t->dtype.bits == 16); " + ALL.replace("POINTER", "(float *)t->data")
    )
    assert told(contract) == ["x = tensor t, 2*t.shape*t.shape[1] bytes, if it is dense"]
    assert Verdict.SAFE not in verdicts - {Verdict.SAFE} and verdicts - {Verdict.SAFE}


def test_a_product_over_the_checked_dimensions_is_their_product() -> None:
    body = "CHECK(t->ndim == 3); int n = 1; for (int d = 0; d < t->ndim; d++) n *= t->shape[d];"
    contract, verdicts = contract_and_verdicts(body + " k<<<(n + 255) / 256, 256>>>((float *)t->data, n);")
    assert told(contract)[0].startswith("x = tensor t, 4*t.shape*t.shape[1]*t.shape[2] bytes")
    assert verdicts == {Verdict.SAFE}


def test_a_managed_tensor_holds_one() -> None:
    body = "DLTensor *t = &m->dl_tensor; CHECK(t->ndim == 2); " + ALL.replace("POINTER", "(float *)m->dl_tensor.data")
    contract, verdicts = contract_and_verdicts(body, "DLManagedTensor *m")
    assert len(told(contract)) == 1 and verdicts == {Verdict.SAFE}


@pytest.mark.parametrize(
    "body",
    [
        ALL.replace("POINTER", "(float *)t->data"),
        "if (c) CHECK(t->ndim == 2); " + ALL.replace("POINTER", "(float *)t->data"),
        "CHECK(t->ndim >= 2); " + ALL.replace("POINTER", "(float *)t->data"),
        "CHECK(t->ndim == 2); " + ALL.replace("POINTER", "(float *)t->data + 4"),
        "CHECK(t->ndim == 2); t->data = elsewhere(); " + ALL.replace("POINTER", "(float *)t->data"),
    ],
)
def test_what_is_not_known_of_the_dimensions_leaves_the_memory_open(body: str) -> None:
    contract, verdicts = contract_and_verdicts(body, "DLTensor *t, void *(*elsewhere)()")
    assert told(contract) == [] and Verdict.VIOLATED not in verdicts
    assert [m.subject for m in contract.missing] == ["x"]


def test_strides_that_the_kernel_gets_are_free() -> None:
    text = """
#include <dlpack/dlpack.h>
__global__ void rows(float *x, int cols, long stride) {
    if (threadIdx.x < cols) x[blockIdx.x * stride + threadIdx.x] = 1;
}
void run(DLTensor *t) {
    if (t->ndim != 2 || t->dtype.bits != 32 || t->shape[0] > 4096 || t->shape[1] > 1024) return;
    rows<<<t->shape[0], 1024>>>((float *)t->data, t->shape[1], t->strides[0]);
}
"""
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    (extent,) = (f for f in contract.facts if isinstance(f.what, Extent))
    assert "t.strides" in extent.text
    verdicts = {o.verdict for o in analyse(unit, unit.functions[kernel], contract).obligations}
    assert verdicts <= {Verdict.SAFE, Verdict.UNKNOWN}
