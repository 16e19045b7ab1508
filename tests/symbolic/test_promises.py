"""Annotations are checked at every visible launch; what only an entry point's callers decide is theirs."""

from __future__ import annotations

import pytest

from cudalint.engine.contracts import annotation_facts
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.verdicts.promises import broken_promises

KERNEL = "__global__ void k(float *x, int n) { x[threadIdx.x] = n; }\n"


def broken(annotation: str, host: str) -> list[str]:
    text = f"// cudalint: {annotation}\n{KERNEL}{host}"
    translation = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/")
    (kernel,) = [f for f in translation.unit.functions.values() if f.name == "k"]
    facts, errors = annotation_facts(kernel, translation.index.annotations)
    assert not errors
    (launch,) = launch_contracts(translation.unit)[kernel.id]
    return [fact.text for fact in broken_promises(translation.unit, kernel, launch, facts)]


@pytest.mark.parametrize(
    ("annotation", "host"),
    [
        ("assume n % 4 == 0", "void run(float *x) { k<<<1, 32>>>(x, 1001); }"),
        ("assume n <= 1024", "void run(float *x, int n) { if (n > 2048) k<<<1, 32>>>(x, n); }"),
        ("extent(x) = n", "void run(int n) { float *x; cudaMalloc(&x, n * 2); k<<<1, 32>>>(x, n); }"),
        ("launch block=(128)", "void run(float *x, int n) { k<<<1, 256>>>(x, n); }"),
        ("align(x) = 16", "void run(int n) { float *x; cudaMalloc(&x, n * 4 + 4); k<<<1, 32>>>(x + 1, n); }"),
    ],
)
def test_a_launch_that_no_ordinary_input_makes_right_breaks_the_promise(annotation: str, host: str) -> None:
    assert broken(annotation, host) == [annotation]


@pytest.mark.parametrize(
    ("annotation", "host"),
    [
        ("assume n % 4 == 0", "void run(float *x) { k<<<1, 32>>>(x, 1000); }"),
        ("assume n % 4 == 0", "void run(float *x, int n) { k<<<1, 32>>>(x, n); }"),
        ("extent(x) = n", "void run(int n) { float *x; cudaMalloc(&x, n * sizeof(float)); k<<<1, 32>>>(x, n); }"),
        ("extent(x) = n", "void run(float *x, int n) { k<<<1, 32>>>(x, n); }"),
        ("launch block=(256)", "void run(float *x, int n) { k<<<1, 256>>>(x, n); }"),
        ("align(x) = 16", "void run(int n) { float *x; cudaMalloc(&x, n * 4 + 16); k<<<1, 32>>>(x + 4, n); }"),
        ("align(x) = 16", "void run(float *x, int n) { k<<<1, 32>>>(x + 1, n); }"),
    ],
)
def test_what_is_kept_or_up_to_the_callers_is_no_finding(annotation: str, host: str) -> None:
    assert broken(annotation, host) == []


MEMBERS = "struct List { int *at; int count; };\n"
OF_MEMBERS = "__global__ void k(List list) { if (threadIdx.x < list.count) list.at[threadIdx.x] = 0; }\n"


@pytest.mark.parametrize(("bytes_", "found"), [(2, ["extent(list.at) = list.count"]), (4, [])])
def test_the_memory_of_a_member_is_promised_as_that_of_a_parameter(bytes_: int, found: list[str]) -> None:
    host = f"void run(int n) {{ List l; l.count = n; cudaMalloc(&l.at, n * {bytes_}); k<<<1, 32>>>(l); }}"
    text = f"{MEMBERS}// cudalint: extent(list.at) = list.count\n{OF_MEMBERS}{host}"
    translation = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/")
    (kernel,) = [f for f in translation.unit.functions.values() if f.name == "k"]
    facts, _ = annotation_facts(kernel, translation.index.annotations)
    (launch,) = launch_contracts(translation.unit)[kernel.id]
    assert [fact.text for fact in broken_promises(translation.unit, kernel, launch, facts)] == found
