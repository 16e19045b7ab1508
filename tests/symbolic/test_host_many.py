"""Kernels that a program launches in many ways: none of them is dropped in silence."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic import host
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.host.found import CONTRACTS_PER_KERNEL
from cudalint.symbolic.host.launched import LaunchRecord

KERNEL = "__global__ void scale(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }\n"
RUN = "void run(float *x, int n) { scale<<<1, 64>>>(x, n); }\n"
DOUBLED = "".join(
    f"void f{i}(float *d, int n) {{ {f'f{i - 1}' if i else 'run'}(d, n); {f'f{i - 1}' if i else 'run'}(d, n); }}\n"
    for i in range(10)
)


def contracts(main: str) -> list[Contract]:
    """Those of the kernel in a program with this `main`."""
    return contracts_in("int main() { float *d; " + main + " }\n")


def contracts_in(text: str) -> list[Contract]:
    unit = translate(SourceFile("0.cu", "/0.cu", KERNEL + text), ParseOptions(), "/").unit
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


def test_what_a_caller_too_large_to_follow_calls_is_not_known_by_its_other_callers_alone() -> None:
    small = "void small() { float *d; cudaMalloc(&d, 4096); run(d, 5); }\n"
    large = "void large(int n) { float *d; cudaMalloc(&d, n * 4); f9(d, n); }\n"
    bound = [
        [f.text for f in each.facts if f.text.startswith("n =")] for each in contracts_in(RUN + DOUBLED + small + large)
    ]
    assert bound == [["n = 5"], ["n = n"]]


def test_a_large_main_is_followed_to_its_launches() -> None:
    steps = "".join(f"a = a * {k} + 1; " for k in range(100))
    work = f"int work(int a) {{ {steps} return a; }}\nvoid run(float *x, int n) {{ scale<<<1, 64>>>(x, n); }}\n"
    calls = "a = work(a); " * 500
    main = f"int main() {{ float *d; int a = 1; cudaMalloc(&d, 28); {calls} run(d, 7); }}\n"
    (contract,) = contracts_in(work + main)
    assert [f.text for f in contract.facts if f.text.startswith(("n =", "x ="))] == [
        "x = cudaMalloc(28 bytes)",
        "n = 7",
    ]


def test_a_function_whose_walk_comes_to_its_limit_is_walked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []

    class Recorded(host.Walk):
        def run(self) -> list[LaunchRecord]:
            begun.append(self.root.name)
            return super().run()

    monkeypatch.setattr(host, "Walk", Recorded)
    large = "void large(float *d, int n) { " + "f9(d, n); " * 16 + "}\n"
    unit = translate(SourceFile("0.cu", "/0.cu", KERNEL + RUN + DOUBLED + large), ParseOptions(), "/").unit
    linked = host.Linked((unit,))
    found = host.Found(unit, host.Filled(linked))
    root = next(node for node in linked.hosts() if linked.function(node).name == "large")
    assert [host._walked(linked, root, True, set(), found) for _ in range(2)] == [[], []]
    assert begun == ["large"]
