"""Arrays of pointers: what an element points to that the program chooses while it runs."""

from __future__ import annotations

import pytest

from cudalint.contract import Alias, Contract
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

HEAD = """
#include <cuda_runtime.h>
#include <utility>
#include <vector>
__global__ void k(float *y, const float *x, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) y[i] = x[i]; }
"""
TWO = "float *field[2]; cudaMalloc(&field[0], n * 4); cudaMalloc(&field[1], {last});"


def contract_of(body: str) -> Contract:
    text = f"{HEAD} void run(int n, int steps, int devices, int which) {{ {body} }}"
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    return contract


def extents(body: str) -> set[str]:
    texts = (fact.text for fact in contract_of(body).facts)
    return {text for text in texts if text.startswith(("y = ", "x = "))}


BOTH = {"y = cudaMalloc(4*n bytes)", "x = cudaMalloc(4*n bytes)"}
TURNS = "int from = 0, to = 1; for (int t = 0; t < steps; t++) { k<<<n, 256>>>(field[to], field[from], n); "


@pytest.mark.parametrize(
    "body",
    [
        TWO.format(last="n * 4") + TURNS + "int kept = from; from = to; to = kept; }",
        TWO.format(last="n * 4") + "k<<<n, 256>>>(field[which], field[1 - which], n);",
        "std::vector<float *> part(devices); for (int d = 0; d < devices; d++) cudaMalloc(&part[d], n * 4);"
        " for (int d = 0; d < devices; d++) k<<<n, 256>>>(part[d], part[(d + 1) % devices], n);",
        "float **part = (float **)malloc(devices * sizeof(float *));"
        " for (int d = 0; d < devices; d++) { cudaSetDevice(d); cudaMalloc(&part[d], n * 4); }"
        " for (int d = 0; d < devices; d++) k<<<n, 256>>>(part[d], part[0], n);",
    ],
    ids=["turns", "chosen", "vector", "array"],
)
def test_elements_that_all_have_one_size_have_it(body: str) -> None:
    assert extents(body) == BOTH


@pytest.mark.parametrize(
    "body",
    [
        TWO.format(last="n * 8") + "k<<<n, 256>>>(field[which], field[1 - which], n);",
        "float *part[64]; for (int d = 0; d < devices; d++) cudaMalloc(&part[d], d * 4);"
        " for (int d = 0; d < devices; d++) k<<<n, 256>>>(part[d], part[0], n);",
        "float *part[64]; for (int d = 0; d < devices; d++) cudaMalloc(&part[d], n * 4); cudaMalloc(&part[3], 4);"
        " k<<<n, 256>>>(part[which], part[which + 1], n);",
    ],
    ids=["two sizes", "a size of its own", "one made anew"],
)
def test_elements_of_several_sizes_have_none(body: str) -> None:
    assert not extents(body)


def test_an_element_is_one_buffer_however_often_it_is_passed() -> None:
    body = TWO.format(last="n * 4") + "k<<<n, 256>>>(field[which], field[{}], n);"
    assert any(isinstance(fact.what, Alias) for fact in contract_of(body.format("which")).facts)
    assert not any(isinstance(fact.what, Alias) for fact in contract_of(body.format("1 - which")).facts)


def test_pointers_that_one_loop_has_passed_around_another_one_passes_on() -> None:
    swap = "for (int t = 0; t < steps; t++) {{ {} std::swap(from, to); }}"
    launch = "k<<<n, 256>>>(to, from, n);"
    body = "float *from, *to; cudaMalloc(&from, n * 4); cudaMalloc(&to, n * 4);" + swap.format("") + swap.format(launch)
    assert {text.rpartition(": ")[2] for text in extents(body)} == {"4*n bytes"} and len(extents(body)) == 2


PLANS = """struct Plan { int count; float *in, *out; };
Plan *plans = (Plan *)malloc(devices * sizeof(Plan)); READ
for (int d = 0; d < devices; d++) { cudaMalloc(&plans[d].in, SIZE * 4); cudaMalloc(&plans[d].out, SIZE * 4); }
for (int d = 0; d < devices; d++) k<<<n, 256>>>(plans[d].out, plans[d].in, n);"""


def test_two_members_of_one_element_are_two_buffers() -> None:
    body = PLANS.replace("READ", "").replace("SIZE", "n")
    assert extents(body) == BOTH
    assert not any(isinstance(fact.what, Alias) for fact in contract_of(body).facts)


def test_a_size_that_each_element_has_for_itself_is_none_of_another_one() -> None:
    body = PLANS.replace("READ", "fread(plans, sizeof(Plan), devices, stdin);").replace("SIZE", "plans[d].count")
    assert not extents(body)
