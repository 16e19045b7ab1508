"""What is asserted behind a launch is a condition of it where every run that makes the launch comes there."""

from __future__ import annotations

import pytest

from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

KERNEL = """
#include <cassert>
__global__ void k(float *x, int n) { x[threadIdx.x] = n; }
void stop() { if (cudaGetLastError() != cudaSuccess) abort(); }
"""


def facts(text: str) -> list[str]:
    unit = translate(SourceFile("k.cu", "/k.cu", KERNEL + text), ParseOptions(), "/").unit
    (contracts,) = launch_contracts(unit).values()
    (contract,) = contracts
    return [fact.text for fact in contract.facts]


@pytest.mark.parametrize(
    "text",
    [
        "void run(float *x, int n) { k<<<n, 32>>>(x, n); assert(n <= 64); }",
        "void run(float *x, int n) { k<<<n, 32>>>(x, n); stop(); cudaDeviceSynchronize(); assert(n <= 64); }",
        "void run(float *x, int n, bool all) { if (all) k<<<n, 32>>>(x, n); assert(n <= 64); }",
        "static void go(float *x, int n) { k<<<n, 32>>>(x, n); } void run(float *x, int n) { go(x, n); assert(n <= 64); }",
    ],
    ids=["at once", "calls between", "one side of a condition", "in a callee"],
)
def test_all_runs_come_to_it(text: str) -> None:
    assert "n <= 64" in facts(text)


@pytest.mark.parametrize(
    "text",
    [
        "void run(float *x, int n, bool strict) { k<<<n, 32>>>(x, n); if (strict) assert(n <= 64); }",
        "void run(float *x, int n, int m) { k<<<n, 32>>>(x, n); if (m > 5) return; assert(n <= 64); }",
        "void run(float *x, int n, bool all) { if (all) { k<<<n, 32>>>(x, n); return; } assert(n <= 64); }",
        "void run(float *x, int n) { k<<<n, 32>>>(x, n); if (n > 64) throw 1; }",
    ],
    ids=["under a condition", "some return before", "the others", "a caller may go on"],
)
def test_some_runs_do_not(text: str) -> None:
    assert "n <= 64" not in facts(text)
