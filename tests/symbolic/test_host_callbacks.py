"""Launches that host code leaves to functions whose bodies are elsewhere: in lambdas, or kernel and arguments one by one."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract, Extent, Geometry
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts
from cudalint.term import free_symbols

HEAD = """
#include <functional>
#include <thread>
#include <vector>
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
struct Pool { template <class F> void enqueue(F task); };
void later(std::function<void()> task);
template <class F> void split(int n, F each);
"""


def contract_of(body: str) -> Contract:
    text = f"{HEAD}\nvoid run(Pool &pool, int n) {{ float *x; cudaMalloc(&x, 4 * n); {body} }}"
    ((contract,),) = launch_contracts(translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit).values()
    return contract


LAUNCH = "k<<<(n + 255) / 256, 256>>>(x, n);"


@pytest.mark.parametrize(
    "body",
    [
        f"pool.enqueue([=] {{ {LAUNCH} }});",
        f"later([&] {{ {LAUNCH} }});",
        f"std::function<void()> task = [=] {{ {LAUNCH} }}; task();",
        f"std::thread worker([&] {{ {LAUNCH} }}); worker.join();",
        f"auto task = [=] {{ {LAUNCH} }}; pool.enqueue(task);",
    ],
)
def test_a_lambda_that_is_handed_on_launches_with_what_it_captures(body: str) -> None:
    contract = contract_of(body)
    texts = [fact.text for fact in contract.facts if isinstance(fact.what, Geometry | Extent)]
    assert texts == ["grid = (n + 255) / 256, block = 256", "x = cudaMalloc(4*n bytes)"]
    assert not contract.missing


def test_what_a_lambda_gets_from_elsewhere_is_not_known_and_no_two_are_the_same() -> None:
    contract = contract_of("split(n, [=](int blocks, int threads) { k<<<blocks, threads>>>(x, n); });")
    (launch,) = [fact.what for fact in contract.facts if isinstance(fact.what, Geometry)]
    assert launch.grid[0] is not None and launch.block[0] is not None
    assert set(free_symbols(launch.grid[0])).isdisjoint(free_symbols(launch.block[0]))
    assert {each.subject for each in contract.missing} == {"grid", "block"}


def test_a_lambda_that_is_called_here_is_called_once() -> None:
    contract = contract_of(
        "auto task = [&](int threads) { k<<<(n + threads - 1) / threads, threads>>>(x, n); }; task(64);"
    )
    assert contract.facts[0].text == "grid = (n + 63) / 64, block = 64"


LATER = "k<<<threads, 32>>>(x, n);"


@pytest.mark.parametrize(
    ("capture", "blocks"),
    [("[=]", 8), ("[&]", 2), ("[&, threads]", 8), ("[=, &threads]", 2), ("[x, n, threads]", 8)],
)
@pytest.mark.parametrize("change", ["threads = 2;", "threads -= 6;", "change(threads);"])
def test_what_a_lambda_captures_by_value_stays_as_it_was(capture: str, blocks: int, change: str) -> None:
    helper = "auto change = [](int &value) { value = 2; };"
    contract = contract_of(f"{helper} int threads = 8; auto task = {capture} {{ {LATER} }}; {change} task();")
    assert contract.facts[0].text == f"grid = {blocks}, block = 32"


def test_a_structure_is_captured_with_its_members() -> None:
    made = "struct Shape { int blocks; } shape{8};"
    contract = contract_of(f"{made} auto task = [=] {{ k<<<shape.blocks, 32>>>(x, n); }}; shape.blocks = 2; task();")
    assert contract.facts[0].text == "grid = 8, block = 32"


def test_a_counter_that_a_lambda_owns_is_not_that_of_the_function() -> None:
    body = "int blocks = 1; auto task = [=]() mutable { blocks = 4; k<<<blocks, 32>>>(x, n); }; task(); n = blocks;"
    contract = contract_of(body + " cudaMalloc(&x, 4 * n);")
    assert contract.facts[0].text == "grid = 4, block = 32"


ELSEWHERE = """
template <class K, class... A> void start(K kernel, dim3 grid, dim3 block, A... args);
template <class K, class... A> void start_on(K kernel, dim3 grid, dim3 block, size_t shared, cudaStream_t stream, A... args);
"""


@pytest.mark.parametrize(
    "call",
    [
        "start(k, (n + 255) / 256, 256, x, n);",
        "start(&k, dim3((n + 255) / 256), dim3(256), x, n);",
        "start_on(k, dim3((n + 255) / 256), dim3(256), 0, nullptr, x, n);",
        "verify_kernel(k, (n + 255) / 256, 256, x, n);",
    ],
)
def test_a_kernel_that_is_handed_on_with_its_launch_and_its_arguments_is_launched(call: str) -> None:
    contract = contract_of(f"}} {ELSEWHERE} void other(int n) {{ float *x; cudaMalloc(&x, 4 * n); {call}")
    texts = [fact.text for fact in contract.facts if isinstance(fact.what, Geometry | Extent)]
    assert texts == ["grid = (n + 255) / 256, block = 256", "x = cudaMalloc(4*n bytes)"]
    assert not contract.missing
    assert any("() is taken to launch" in fact.text for fact in contract.facts)


@pytest.mark.parametrize(
    "call",
    [
        "measure(k, n, 256);",  # no arguments
        "start(k, n, 256, n, x);",  # in another order
        "start(k, x, n, x, n);",  # no grid
    ],
)
def test_what_is_handed_on_with_a_kernel_need_not_be_its_launch(call: str) -> None:
    text = f"{HEAD} {ELSEWHERE} void other(int n) {{ float *x; cudaMalloc(&x, 4 * n); {call} }}"
    contracts = launch_contracts(translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit)
    assert not any(contracts.values())
