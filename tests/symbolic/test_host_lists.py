"""Vectors of numbers and pointers that a program writes out or fills one by one."""

from __future__ import annotations

import pytest

from cudalint.contract import Extent
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

HEAD = """
#include <vector>
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
struct Layer {
  float *a, *b;
  void set(const std::vector<void *> &v) { a = (float *)v[0]; b = (float *)v[1]; }
};
void change(std::vector<float *> &v);
"""


def said_of_x(body: str) -> list[str]:
    text = (
        f"{HEAD}\nvoid run(int n, bool more) {{ float *x, *y; cudaMalloc(&x, 4 * n); cudaMalloc(&y, 8 * n); {body} }}"
    )
    ((contract,),) = launch_contracts(translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit).values()
    return [fact.text for fact in contract.facts if isinstance(fact.what, Extent)]


@pytest.mark.parametrize(
    "body",
    [
        "std::vector<float *> v{x, y}; k<<<n, 64>>>(v[1], n);",
        "std::vector<float *> v; v.push_back(x); v.push_back(y); k<<<n, 64>>>(v[1], n);",
        "std::vector<float *> v{x, y}; std::vector<float *> w(v); w[1] = x; k<<<n, 64>>>(v[1], n);",
        "Layer layer; layer.set({x, y}); k<<<n, 64>>>(layer.b, n);",
        "std::vector<int> sizes; sizes.push_back(1); sizes.push_back(8 * n); cudaMalloc(&y, sizes[1]); k<<<n, 64>>>(y, n);",
        "std::vector<float *> v(3); for (int i = 0; i < 3; i++) cudaMalloc(&v[i], 8 * n); k<<<n, 64>>>(v[2], n);",
    ],
)
def test_an_element_is_what_was_put_there(body: str) -> None:
    assert said_of_x(body) == ["x = cudaMalloc(8*n bytes)"]


@pytest.mark.parametrize(
    "between", ["change(v);", "if (more) v.push_back(x);", "for (int i = 0; i < n; i++) v.push_back(x);", "v[n] = x;"]
)
def test_what_may_have_changed_is_not_known(between: str) -> None:
    assert said_of_x(f"std::vector<float *> v; v.push_back(y); {between} k<<<n, 64>>>(v[0], n);") == []
