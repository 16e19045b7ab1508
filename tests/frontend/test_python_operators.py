"""What Python passes to registered operators, worded in C++; and what it does not say, left open."""

from __future__ import annotations

import textwrap

import pytest

from cudalint.analysis.operators import prototypes, registered
from cudalint.frontend.python_callers import as_host_code, called_names, project_of
from cudalint.frontend.python_operators import called_by_name

OPS = """
void scale_cuda(at::Tensor &y, const at::Tensor &x, int64_t n) { }
at::Tensor norm_cuda(const at::Tensor &x, const std::optional<at::Tensor> &w, double eps, at::IntArrayRef shape) { return x; }
std::tuple<at::Tensor, at::Tensor> both_cuda(at::Tensor x) { return {x, x}; }
TORCH_LIBRARY(ns, m) {
  m.def("scale(Tensor! y, Tensor x, int n) -> ()"); m.impl("scale", torch::kCUDA, &scale_cuda);
  m.def("norm(Tensor x, Tensor? w=None, float eps=1e-5, int[] shape=[]) -> Tensor"); m.impl("norm", torch::kCUDA, &norm_cuda);
  m.def("both(Tensor x) -> (Tensor, Tensor)"); m.impl("both", torch::kCUDA, &both_cuda);
}
"""


def code(function: str) -> str:
    text = "import torch\n\n\n" + textwrap.dedent(function)
    callees = called_by_name((each for each, _ in registered({"ops.cu": OPS})), prototypes([OPS]))
    worded = as_host_code(text, lambda *_: None, lambda _: None, project_of(callees, [text], frozenset(), frozenset()))
    return "\n".join(worded.splitlines()[3:])


def test_tensors_go_as_tensors_and_integers_with_their_width() -> None:
    said = code("def f(x: torch.Tensor, y: torch.Tensor):\n    torch.ops.ns.scale(y, x, x.shape[0])")
    assert "::scale_cuda(y, x, (int64_t)(x.size(0)));" in said
    assert "scale_cuda" in called_names(said)


def test_the_function_of_cpp_is_meant_where_one_of_python_has_its_name() -> None:
    said = code("def scale_cuda(x: torch.Tensor, y: torch.Tensor):\n    torch.ops.ns.scale(y, x, 1)")
    assert "void python_scale_cuda(at::Tensor x, at::Tensor y)" in said


@pytest.mark.parametrize(
    ("passed", "worded"),
    [
        ("x, None", "std::optional<at::Tensor>()"),
        ("x, w=w", "std::optional<at::Tensor>(w)"),
        ("x", "std::optional<at::Tensor>()"),
        ("x, w if flag else None", "std::optional<at::Tensor>(w)"),
        ("x, self.w", "std::optional<at::Tensor>(python_tensor())"),
    ],
)
def test_a_tensor_that_may_be_missing(passed: str, worded: str) -> None:
    assert worded in code(f"def f(x: torch.Tensor, w: torch.Tensor, flag: bool):\n    torch.ops.ns.norm({passed})")


def test_results_have_names_that_later_calls_get() -> None:
    said = code("""
    def f(x: torch.Tensor):
        a, b = torch.ops.ns.both(torch.ops.ns.norm(x))
        torch.ops.ns.scale(a, b, b.numel())
    """)
    assert "at::Tensor python_2 = ::norm_cuda(x, python_1, python_float(), python_sizes());" in said
    assert "std::tuple<at::Tensor, at::Tensor> python_3 = ::both_cuda(python_2);" in said
    assert "::scale_cuda(a, b, (int64_t)(b.numel()));" in said


def test_names_for_the_sizes_of_a_tensor_say_how_many_there_are() -> None:
    said = code("def f(x: torch.Tensor, y: torch.Tensor):\n    n, d = x.shape\n    torch.ops.ns.scale(y, x, d)")
    assert "if (x.dim() != 2) { std::abort(); } long n = x.size(0); long d = x.size(1);" in said


@pytest.mark.parametrize(
    ("test", "checks"),
    [
        ("x.dim() == 2 and y.dim() == 2", ["if (!((x.dim() == 2))) {", "if (!((y.dim() == 2))) {"]),
        ("x.shape == (4, n)", ["x.dim() == 2 && x.size(0) == 4 && x.size(1) == n && x.numel() == 4 * n"]),
        ("x.shape == y.shape", ["(x.sizes() == y.sizes() && x.numel() == y.numel())"]),
    ],
)
def test_checks_hold_behind_them(test: str, checks: list[str]) -> None:
    for statement in (f"assert {test}", f"torch._check({test})"):
        said = code(
            f"def f(x: torch.Tensor, y: torch.Tensor, n: int):\n    {statement}\n    torch.ops.ns.scale(y, x, n)"
        )
        assert all(check in said for check in checks)


def test_each_part_of_a_check_that_raises_is_a_check() -> None:
    said = code("""
    def f(x: torch.Tensor, y: torch.Tensor):
        if x.dim() != 2 or y.dim() != 2:
            raise ValueError
        torch.ops.ns.scale(y, x, 1)
    """)
    assert said.count("std::abort();") == 2 and "||" not in said


@pytest.mark.parametrize(
    ("made", "worded"),
    [
        ("x.view(-1, 4)", "x.view({-1, 4})"),
        ("x.reshape(x.shape[0], -1)", "x.reshape({x.size(0), -1})"),
        ("x.view(w.shape)", "x.view(w.sizes())"),
        ("x.new_empty((n, 4))", "x.new_empty({n, 4})"),
        ("x.half()", "x.to(at::kHalf)"),
        ("x.transpose(0, 1)", "x.transpose(0, 1)"),
        ("x.to(w.device)", "x.cuda()"),
        ("x if flag else w", "((flag) ? x : w)"),
    ],
)
def test_tensors_made_of_others(made: str, worded: str) -> None:
    said = code(f"""
    def f(x: torch.Tensor, w: torch.Tensor, n: int, flag: bool):
        y = {made}
        torch.ops.ns.scale(y, x, n)
    """)
    assert f"at::Tensor y = {worded};" in said


@pytest.mark.parametrize("made", ["x[1:]", "x @ w", "torch.cat([x, w])", "self.buffer", "x.view(*sizes)"])
def test_a_tensor_that_is_not_understood_is_any(made: str) -> None:
    said = code(f"def f(x: torch.Tensor, w: torch.Tensor):\n    y = {made}\n    torch.ops.ns.scale(y, x, 4)")
    assert "at::Tensor y = python_tensor();" in said


def test_what_the_caller_does_not_say_of_an_integer_is_left_to_whoever_calls_it() -> None:
    said = code("def f(self, x: torch.Tensor, y: torch.Tensor):\n    torch.ops.ns.scale(y, x, self.n)")
    assert "(int64_t)(python_given())" in said


@pytest.mark.parametrize(
    ("check", "natural"),
    [
        ("if b not in (32, 64):\n            raise ValueError", True),
        ("assert b > 0", True),
        ("assert 0 < b <= 8", True),
        ("if b <= 0:\n            raise ValueError", True),
        ("assert b < 8", False),
        ("assert b > -2", False),
        ("if b < 8:\n            raise ValueError", True),
        ("if b > 8:\n            raise ValueError", False),
        ("_checked(b)", True),
    ],
)
def test_a_divisor_that_a_check_shows_not_to_be_negative(check: str, natural: bool) -> None:
    said = code(f"""
    def _checked(b: int):
        assert b >= 1
    def f(x: torch.Tensor, y: torch.Tensor, b: int):
        {check}
        torch.ops.ns.scale(y, x, x.numel() // b)
    """)
    assert ("(int64_t)((x.numel() / b))" in said) is natural


@pytest.mark.parametrize(
    "use",
    [
        "torch.ops.ns.scale(*args)",
        "torch.ops.ns.scale(y, x)",
        "torch.ops.ns.scale(y, x, 1, 2)",
        "g(torch.ops.ns.scale)",
    ],
)
def test_a_use_that_is_not_understood_passes_anything(use: str) -> None:
    said = code(f"def f(x: torch.Tensor, y: torch.Tensor, args):\n    {use}")
    assert "void scale_at_5(at::Tensor given_0, at::Tensor given_1, int64_t given_2)" in said


def test_a_function_that_calls_itself_comes_to_its_end() -> None:
    said = code("def f(x: torch.Tensor, y: torch.Tensor):\n    f(y, x)\n    torch.ops.ns.scale(y, x, 1)")
    assert said.count("::scale_cuda(") == 1
