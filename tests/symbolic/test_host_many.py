"""Kernels that a program launches in many ways: none of them is dropped in silence."""

from __future__ import annotations

from cudalint.contract import Contract
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import CONTRACTS_PER_KERNEL, launch_contracts

KERNEL = "__global__ void scale(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }\n"


def contracts(main: str) -> list[Contract]:
    """Those of the kernel in a program with this `main`."""
    text = KERNEL + "int main() { float *d; " + main + " }\n"
    unit = translate(SourceFile("0.cu", "/0.cu", text), ParseOptions(), "/").unit
    (found,) = launch_contracts(unit).values()
    return list(found)


def test_launches_that_differ_in_the_allocation_only_have_one_contract() -> None:
    loop = "for (int i = 0; i < 8; i++) { cudaMalloc(&d, 4096); scale<<<1, 64>>>(d, 64); cudaFree(d); }"
    assert len(contracts(loop)) == 1


def test_each_turn_of_a_short_loop_has_the_contract_of_its_size() -> None:
    """Each size is launched after three allocations, which are as good as each other."""
    inner = "for (int j = 0; j < 12; j++) { cudaMalloc(&d, n * 4); scale<<<1, 64>>>(d, n); }"
    found = contracts(f"for (unsigned n = 32; n <= 2048; n *= 2) {{ {inner} }}")
    sizes = [fact.text for each in found for fact in each.facts if fact.text.startswith("n =")]
    assert sizes == [f"n = {32 << turn}" for turn in range(7)]


def test_behind_the_limit_one_contract_without_knowledge_stands_for_the_rest() -> None:
    launches = "".join(
        f"cudaMalloc(&d, {n} * 4); scale<<<1, 64>>>(d, {n}); " for n in range(1, CONTRACTS_PER_KERNEL + 6)
    )
    found = contracts(launches)
    assert len(found) == CONTRACTS_PER_KERNEL + 1
    assert {m.subject for m in found[-1].missing} == {"grid", "block"}
    assert all("more than 64 ways" in fact.text for fact in found[-1].facts)
