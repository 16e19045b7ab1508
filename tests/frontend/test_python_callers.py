"""What a Python file passes to a C library through ctypes, worded in C++; and what it does not say, left open."""

from __future__ import annotations

import textwrap

import pytest

from cudalint.frontend.prototypes import written_prototypes
from cudalint.frontend.python_callers import as_host_code, called_names

LIBRARY = "void cscale(float *x, float *y, long n, int block) { }  void cother(float *x) { }"
FILE = """
import ctypes as ct
import torch
lib = ct.CDLL("libscale.so")
"""


def code(function: str, modules: dict[str, str] | None = None) -> str:
    text = as_host_code(
        FILE + textwrap.dedent(function),
        lambda name, dots: (modules or {}).get(name),
        written_prototypes([LIBRARY]).get,
    )
    return text.splitlines()[-1].strip() if text else ""


def test_sizes_types_and_checks_are_those_of_the_python_code() -> None:
    said = code("""
    def scale(x: torch.Tensor, block: int):
        if x.dtype != torch.float32:
            raise ValueError("type")
        y = torch.empty_like(x, dtype=torch.float16)
        lib.cscale(x.data_ptr(), y.data_ptr(), x.numel(), ct.c_int32(block))
    """)
    assert "void scale(at::Tensor x, long block) {" in said
    assert "if (((x.scalar_type() != at::kFloat))) { std::abort(); }" in said
    assert "at::Tensor y = at::empty_like(x, at::kHalf);" in said
    assert "cscale(x.data_ptr(), y.data_ptr(), (long)(x.numel()), (int)(block));" in said


def test_a_function_stands_on_the_line_of_its_def() -> None:
    text = as_host_code(
        FILE + "\n\ndef f(x: torch.Tensor):\n    lib.cother(x.data_ptr())\n", lambda *_: None, lambda _: None
    )
    assert (
        text.splitlines().index(next(line for line in text.splitlines() if "void f(" in line)) + 1
        == FILE.count("\n") + 3
    )


@pytest.mark.parametrize(
    ("python", "worded"),
    [
        ("x.shape[0] * x.shape[1]", "(x.size(0) * x.size(1))"),
        ("x.numel() // x.shape[-1]", "(x.numel() / x.size(-1))"),
        ("-(x.numel() // -256)", "((x.numel() + 256 - 1) / 256)"),
        ("(x.numel() + 255) // 256", "((x.numel() + 255) / 256)"),
        ("max(x.dim(), 1)", "std::max<long>(x.dim(), 1)"),
        ("x.nbytes", "(x.numel() * x.element_size())"),
        ("len(x.shape)", "x.dim()"),
    ],
)
def test_integers_of_sizes(python: str, worded: str) -> None:
    assert f"(long)({worded})" in code(f"def f(x: torch.Tensor):\n    lib.cscale(x.data_ptr(), None, {python}, 1)")


@pytest.mark.parametrize(
    "python", ["n // 2", "n % 4", "(x.numel() - 1) // 8", "x.numel() / 2", "round(n)", "n ** 2", "self.n"]
)
def test_what_is_another_number_in_cpp_is_not_known(python: str) -> None:
    """Python's quotient goes down, C++'s towards zero."""
    said = code(f"def f(x: torch.Tensor, n: int):\n    lib.cscale(x.data_ptr(), None, {python}, 1)")
    assert "(long)(python_int())" in said or "python_any()" in said


def test_a_divisor_that_may_be_negative_is_told_apart() -> None:
    said = code("def f(x: torch.Tensor, b: int):\n    lib.cscale(x.data_ptr(), None, x.numel() // b, 1)")
    assert "(b > 0 ? x.numel() / b : python_int())" in said


@pytest.mark.parametrize(
    ("listed", "worded"), [("32, 64", "(x.numel() / b)"), ("-1, 64", "(b > 0 ? x.numel() / b : python_int())")]
)
def test_a_divisor_that_was_checked_is_what_the_check_lists(listed: str, worded: str) -> None:
    said = code(f"""
    def f(x: torch.Tensor, b: int):
        if b not in ({listed}):
            raise ValueError
        lib.cscale(x.data_ptr(), None, x.numel() // b, 1)
    """)
    assert f"(long)({worded})" in said


def test_a_variable_for_a_function_is_followed_through_the_cases_that_choose_it() -> None:
    text = code("""
    def f(x: torch.Tensor):
        if x.dtype == torch.float32:
            fn = lib.cscale
        elif x.dtype == torch.float16:
            fn = lib.chalf
        fn(x.data_ptr(), None, x.numel(), 1)
    """)
    assert called_names(text) >= {"cscale", "chalf"}
    first = text[text.index("void f_by_chalf(") : text.index("void f_by_cscale(")]
    assert "if (((x.scalar_type() == at::kFloat))) { std::abort(); } else {" in first
    assert "if (((x.scalar_type() == at::kHalf))) { } else { std::abort(); }" in first


def test_a_table_of_functions_gives_each_of_its_rows() -> None:
    text = code("""
    TABLE = {"a": (lib.cscale, lib.chalf), "b": (lib.cother, lib.cthird)}
    def f(x: torch.Tensor, name):
        fns = TABLE.get(name, None)
        fn = fns[1]
        fn(x.data_ptr())
    """)
    assert called_names(text) - {"python_any"} == {"chalf", "cthird"}


def test_a_tensor_that_may_be_none_may_be_null() -> None:
    said = code("""
    def get_ptr(t):
        if t is None:
            return None
        return ct.c_void_p(t.data_ptr())
    def f(x: torch.Tensor, y: Optional[torch.Tensor] = None):
        lib.cscale(get_ptr(x), get_ptr(y), x.numel(), 1)
    """)
    assert (
        "cscale(x.data_ptr(), (y.has_value() ? y.value().data_ptr() : nullptr), (long)(x.numel()), (int)(1));" in said
    )


def test_an_imported_function_gives_an_address_where_its_text_says_so() -> None:
    function = "from pack.tools import get_ptr\ndef f(x: torch.Tensor):\n    lib.cother(get_ptr(x))"
    assert "cother(x.data_ptr());" in code(function, {"pack.tools": "def get_ptr(t):\n    return t.data_ptr()"})
    offset = {"pack.tools": "def get_ptr(t):\n    return t.data_ptr() + 16"}
    assert "cother(python_any());" in code(function, offset)
    assert "cother(python_any());" in code(function)


@pytest.mark.parametrize(
    "between",
    ["y.resize_(4)", "y = other(y)", "y, z = y.chunk(2)", "for y in parts: pass", "with a as y: pass", "y = y[1:]"],
)
def test_a_tensor_that_is_changed_in_a_way_that_is_not_understood_is_another_one(between: str) -> None:
    said = code(f"def f(x: torch.Tensor):\n    y = torch.empty_like(x)\n    {between}\n    lib.cother(y.data_ptr())")
    assert said.count("cother(python_any());") == 1


@pytest.mark.parametrize(
    "parameter", ["y: Optional[torch.Tensor]", "y: torch.Tensor | None", "y: torch.Tensor = None", "y=None"]
)
def test_a_parameter_that_may_be_none_is_said_so_in_many_ways(parameter: str) -> None:
    said = code(f"""
    def get_ptr(t):
        return t.data_ptr()
    def f(x: torch.Tensor, {parameter}):
        lib.cscale(x.data_ptr(), get_ptr(y), 1 if y is None else y.numel(), 1)
    """)
    assert "(y.has_value() ? y.value().data_ptr() : nullptr)" in said


def test_a_tensor_that_a_later_round_of_a_loop_gets_may_have_another_shape() -> None:
    said = code("""
    def f(x: torch.Tensor):
        y = torch.empty_like(x)
        for n in range(3):
            lib.cother(y.data_ptr())
            y.resize_(n)
    """)
    assert "cother(python_any());" in said and "cother(y.data_ptr());" not in said


def test_a_constant_that_a_function_changes_is_none() -> None:
    told = "BLOCK = 64\ndef f(x: torch.Tensor):\n    lib.cscale(x.data_ptr(), None, x.numel() // BLOCK, 1)\n"
    assert "(x.numel() / 64)" in code(told)
    assert "/ 64" not in code(told + "def g():\n    global BLOCK\n    BLOCK = 3\n")


def test_sizes_of_two_branches_are_joined() -> None:
    said = code("""
    def f(x: torch.Tensor, wide: bool):
        if wide:
            n = x.shape[0]
        else:
            n = x.shape[1]
        lib.cscale(x.data_ptr(), None, n, 1)
    """)
    assert "if ((wide)) { long n = x.size(0);" in said and said.count("= n;") == 2 and "(long)(n_" in said


def test_a_shape_whose_leading_sizes_are_taken_together_tells_only_its_product() -> None:
    said = code("""
    def f(x: torch.Tensor, n: int):
        y = torch.empty((*x.shape[:-1], n), dtype=x.dtype)
        lib.cscale(x.data_ptr(), y.data_ptr(), y.shape[0], 1)
    """)
    assert "at::Tensor y = at::empty({x.numel() / x.size(-1), n}, x.scalar_type());" in said
    assert "y.size(0)" not in said


def test_functions_that_call_no_library_say_nothing() -> None:
    assert code("def f(x: torch.Tensor):\n    torch.relu(x.data_ptr())") == ""
    assert as_host_code("def broken(:", lambda *_: None, lambda _: None) == ""
