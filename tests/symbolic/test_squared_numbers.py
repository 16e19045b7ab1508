"""Loops that square their number, as random generators do to jump ahead, cost a step each, however many there are."""

from __future__ import annotations

import pytest

from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts
from cudalint.term import is_far, multiply, number, symbol

KERNEL = "__global__ void scale(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }\n"


def facts(main: str) -> list[str]:
    unit = translate(SourceFile("0.cu", "/0.cu", KERNEL + "int main(int argc) { " + main + " }\n"), ParseOptions(), "/")
    ((contract,),) = launch_contracts(unit.unit).values()
    return [fact.text for fact in contract.facts] + [f"open: {m.subject}" for m in contract.missing]


@pytest.mark.parametrize("squarings", [1, 2, 12])
def test_a_number_of_64_bits_wraps(squarings: int) -> None:
    of_pcg = 6364136223846793005
    loop = f"unsigned long long m = {of_pcg}ULL; for (int i = 0; i < {squarings}; i++) m *= m; "
    expected = pow(of_pcg, 2**squarings, 2**64) % 1000
    assert f"n = {expected}" in facts(loop + "float *d; cudaMalloc(&d, 4000); scale<<<1, 64>>>(d, m % 1000);")


def test_a_power_that_nobody_needs_is_lost() -> None:
    loop = "unsigned long long m = argc; for (int i = 0; i < 12; i++) m *= m; "
    assert "open: n" in facts(loop + "float *d; cudaMalloc(&d, 4000); scale<<<1, 64>>>(d, m % 1000);")


def test_products_of_sizes_are_not_far() -> None:
    size = symbol("n", 0, 1 << 31)
    volume = multiply(multiply(size, size), multiply(size, number(1 << 62)))
    assert not is_far(volume)
    power = size
    for _ in range(6):
        power = multiply(power, power)
    assert is_far(power) and is_far(multiply(size, number(1 << 129)))
