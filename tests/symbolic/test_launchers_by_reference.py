"""Launchers that take the kernel by reference: a reference to a function is a value, as a pointer to one is."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract, Extent, Geometry
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

KERNEL = "__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }"
RUN = "void run(int n) { float *x; cudaMalloc(&x, 4 * n); launch(k, dim3((n + 255) / 256), dim3(256), x, n); }"


def contract_of(parameter: str, body: str) -> Contract:
    launcher = (
        f"template <typename K, typename... A> void launch({parameter}, dim3 g, dim3 b, A &&...args) {{ {body} }}"
    )
    text = f"{KERNEL}\n{launcher}\n{RUN}"
    ((contract,),) = launch_contracts(translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit).values()
    return contract


@pytest.mark.parametrize(
    ("parameter", "body"),
    [
        ("const K &kernel", "kernel<<<g, b>>>(args...);"),
        ("K &kernel", "auto &same = kernel; same<<<g, b>>>(std::forward<A>(args)...);"),
        ("K &&kernel", "[&] { kernel<<<g, b>>>(args...); }();"),
        (
            "K &&kernel",
            "void *given[] = {(void *)&args...}; cudaLaunchKernel((const void *)&kernel, g, b, given, 0, 0);",
        ),
        ("K &&kernel", "cudaLaunchConfig_t c = {g, b}; cudaLaunchKernelEx(&c, std::forward<K>(kernel), args...);"),
    ],
)
def test_the_kernel_is_launched_with_what_the_caller_gives(parameter: str, body: str) -> None:
    contract = contract_of(parameter, body)
    texts = [fact.text for fact in contract.facts if isinstance(fact.what, Geometry | Extent)]
    assert texts == ["grid = (n + 255) / 256, block = 256", "x = cudaMalloc(4*n bytes)"]
    assert not contract.missing
