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
        "std::vector<float *> v; v.reserve(2); v.emplace_back(x); v.emplace_back(y); k<<<n, 64>>>(v.at(1), n);",
        "std::vector<float *> v; for (int i = 0; i < 3; i++) v.push_back(y); k<<<n, 64>>>(v[2], n);",
        "std::vector<int> sizes{2, 6}; int all = 0; for (size_t i = 0; i < sizes.size(); i++) all += sizes[i];"
        " cudaMalloc(&y, n * all); k<<<n, 64>>>(y, n);",
    ],
)
def test_an_element_is_what_was_put_there(body: str) -> None:
    assert said_of_x(body) == ["x = cudaMalloc(8*n bytes)"]


@pytest.mark.parametrize(
    "between",
    [
        "change(v);",
        "if (more) v.push_back(x);",
        "v.emplace(v.begin(), x);",
        "for (int i = 0; i < n; i++) v.push_back(x);",
        "v[n] = x;",
    ],
)
def test_what_may_have_changed_is_not_known(between: str) -> None:
    assert said_of_x(f"std::vector<float *> v; v.push_back(y); {between} k<<<n, 64>>>(v[0], n);") == []


SIZES = "x.size(0)*x.size(1)"
TVM = "#include <tvm/ffi/container/tensor.h>\nusing tvm::ffi::TensorView;\n"
TORCH = "#include <torch/extension.h>\nusing TensorView = const at::Tensor &;\n"


@pytest.mark.parametrize("head", [TORCH, TVM], ids=["torch", "tvm"])
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("int n = x.sizes()[0] * x.sizes()[1];", f"n = {SIZES}"),
        ("auto sizes = x.sizes(); int n = sizes[0] * sizes[1];", f"n = {SIZES}"),
        ("auto sizes = x.sizes(); int n = sizes.size();", "n = x.dim()"),
        ("auto sizes = x.sizes(); int n = 0; for (int i = 0; i < x.dim(); i++) n += sizes[i];", None),
    ],
)
def test_a_list_of_the_sizes_of_a_tensor_tells_each_of_them(head: str, body: str, said: str | None) -> None:
    kernel = "__global__ void k(int n) { }\n"
    text = f"{head}{kernel} void f(TensorView x) {{ {body} k<<<1, 32>>>(n); }}"
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    told = [fact.text for fact in contract.facts]
    assert said in told if said is not None else "n" in [m.subject for m in contract.missing]


def test_the_shape_of_a_view_is_the_list_of_its_sizes() -> None:
    text = f"{TVM}__global__ void k(int n) {{ }} void f(TensorView x) {{ k<<<1, 32>>>((int)x.shape()[1]); }}"
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    assert "n = x.size(1)" in [fact.text for fact in contract.facts]


def test_a_list_that_may_change_is_not_asked_for_what_it_was() -> None:
    body = "std::vector<int64_t> sizes = {3, 4}; sizes[0] = m; k<<<1, 32>>>((int)sizes[0]);"
    text = f"{TORCH}__global__ void k(int n) {{ }} void f(int m) {{ {body} }}"
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    assert "n = 3" not in [fact.text for fact in contract.facts]
