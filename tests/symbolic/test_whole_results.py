"""Which memory a host function makes without values, gives to one launch and hands out as a whole."""

from __future__ import annotations

import pytest

from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host.whole_results import is_whole_result

HEAD = """#include <torch/extension.h>
__global__ void k(float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1; }
static void started(float *y, int n) { k<<<(n + 63) / 64, 64>>>(y, n); }
void elsewhere(float *y);
"""
LAUNCH = "k<<<2, 64>>>(y.data_ptr<float>(), n);"
LAUNCH_C = "k<<<2, 64>>>(y, n);"
BACK = "cudaMemcpy(to, y, bytes, cudaMemcpyDeviceToHost);"


def of_tensor(body: str, result: str = "torch::Tensor") -> bool:
    made = "int n = x.numel(); auto y = torch::empty_like(x);"
    return is_whole(f"{result} f(torch::Tensor x) {{ {made} {body} }}")


def of_pointer(body: str) -> bool:
    made = "float *y; size_t bytes = 4 * n; cudaMalloc(&y, bytes);"
    return is_whole(f"void f(float *to, int n) {{ {made} {body} cudaFree(y); }}")


def is_whole(function: str) -> bool:
    unit = translate(SourceFile("k.cu", "/nowhere/k.cu", HEAD + function), ParseOptions(), "/nowhere").unit
    return is_whole_result(unit, "f:y")


@pytest.mark.parametrize(
    ("body", "result"),
    [
        (f"{LAUNCH} return y;", "torch::Tensor"),
        (f"{LAUNCH} return y.view({{1, n}});", "torch::Tensor"),
        (f"{LAUNCH} return y.sum();", "torch::Tensor"),
        (f"{LAUNCH} return torch::softmax(y, 0);", "torch::Tensor"),
        (f"{LAUNCH} return {{x, y}};", "std::vector<torch::Tensor>"),
        (f"{LAUNCH} return std::make_tuple(y, x);", "std::tuple<torch::Tensor, torch::Tensor>"),
        (f"if (n == 0) return y; {LAUNCH} return y;", "torch::Tensor"),
        (f"if (n > 64) {{ {LAUNCH} }} else {{ k<<<1, 64>>>(y.data_ptr<float>(), 64); }} return y;", "torch::Tensor"),
        (f"if (n > 64) {{ {LAUNCH} return y; }} k<<<1, 64>>>(y.data_ptr<float>(), 64); return y;", "torch::Tensor"),
        ("float *p = y.data_ptr<float>(); started(p, n); return y;", "torch::Tensor"),
    ],
)
def test_a_tensor_that_is_returned_behind_one_launch_is(body: str, result: str) -> None:
    assert of_tensor(body, result)


@pytest.mark.parametrize(
    "body",
    [
        f"{LAUNCH} {LAUNCH} return y;",
        f"for (int i = 0; i < 3; ++i) {LAUNCH} return y;",
        f"y.zero_(); {LAUNCH} return y;",
        f"{LAUNCH} return y.narrow(0, 0, 1);",
        f"{LAUNCH} return torch::tril(y);",
        f"{LAUNCH} return y[0];",
        f"{LAUNCH} elsewhere(y.data_ptr<float>()); return y;",
        "k<<<2, 64>>>(y.data_ptr<float>() + 64, n); return y;",
        f"{LAUNCH} return x;",
        "return y;",
    ],
)
def test_one_that_others_may_write_or_that_is_handed_out_in_part_is_not(body: str) -> None:
    assert not of_tensor(body)


def test_memory_that_is_copied_back_as_a_whole_is() -> None:
    assert of_pointer(LAUNCH_C + BACK)


@pytest.mark.parametrize(
    "body",
    [
        LAUNCH_C,
        LAUNCH_C + BACK.replace("bytes", "bytes / 2"),
        "cudaMemset(y, 0, bytes);" + LAUNCH_C + BACK,
        "cudaMemcpy(y, to, bytes, cudaMemcpyHostToDevice);" + LAUNCH_C + BACK,
        LAUNCH_C + "cudaMemcpy(to, y, bytes, cudaMemcpyDeviceToDevice);",
    ],
)
def test_memory_that_is_set_or_not_copied_back_as_a_whole_is_not(body: str) -> None:
    assert not of_pointer(body)


def test_a_tensor_that_is_made_with_values_is_not() -> None:
    assert not is_whole(
        f"torch::Tensor f(torch::Tensor x) {{ int n = x.numel(); auto y = torch::zeros_like(x); {LAUNCH} return y; }}"
    )


def test_one_that_goes_to_another_function_of_the_program_is_not() -> None:
    made = (
        f"torch::Tensor f(torch::Tensor x) {{ int n = x.numel(); auto y = torch::empty_like(x); {LAUNCH} return y; }}"
    )
    assert is_whole(made) and not is_whole(made + " torch::Tensor g(torch::Tensor x) { return f(x).zero_(); }")


def test_a_pointer_that_is_returned_is_not() -> None:
    assert not is_whole("float *f(int n) { float *y; cudaMalloc(&y, 4 * n); k<<<2, 64>>>(y, n); return y; }")


CALLED = (
    "torch::Tensor f(torch::Tensor x) { int n = x.numel(); auto y = torch::empty_like(x); " + LAUNCH + " return y; }"
)


@pytest.mark.parametrize(
    ("caller", "whole"),
    [
        ("torch::Tensor g(torch::Tensor x) { return f(x); }", True),
        ("torch::Tensor g(torch::Tensor x) { auto z = f(x); return z; }", True),
        ("torch::Tensor h(torch::Tensor x) { return f(x); } torch::Tensor g(torch::Tensor x) { return h(x); }", True),
        ("torch::Tensor g(torch::Tensor x) { auto z = f(x); fill(z); return z; }", False),  # the rest, perhaps
        ("torch::Tensor g(torch::Tensor x) { auto z = f(x); k<<<1, 64>>>(z.data_ptr<float>(), 64); return z; }", False),
        ("void g(torch::Tensor x) { f(x); }", False),
    ],
)
def test_who_calls_for_it_hands_it_out_in_turn(caller: str, whole: bool) -> None:
    assert is_whole(f"void fill(torch::Tensor); {CALLED} {caller}") is whole


def test_what_a_script_calls_for_is_the_launchers() -> None:
    unit = translate(SourceFile("k.cu", "/nowhere/k.cu", HEAD + CALLED), ParseOptions(), "/nowhere").unit
    assert is_whole_result(unit, "Model_forward:y", "f")
    assert not is_whole_result(unit, "Model_forward:y")
