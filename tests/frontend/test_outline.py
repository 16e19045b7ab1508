"""The text of a file as a tree: functions with their roles, constants, and what reads as something else."""

import pytest

from cudalint.analysis.text.launch_text import text_launches
from cudalint.analysis.text.synchronising_functions import synchronising_functions
from cudalint.analysis.text.text_program import Program
from cudalint.frontend.outline import outline
from cudalint.ir.syntax import Outline, Syntax
from cudalint.source import SourceFile


def outlined(text: str) -> Outline:
    return outline(SourceFile("k.cu", "k.cu", text))


def test_functions_have_roles_and_template_parameters() -> None:
    text = "template <typename T, int N> __global__ void k(T *x) {}\n__device__ int d() { return 1; }\nvoid h() {}\n"
    found = [(f.name, f.role, sorted(f.template)) for f in outlined(text).functions]
    assert found == [("k", "kernel", ["N", "T"]), ("d", "device", []), ("h", "host", [])]


def test_bounds_behind_the_mark_of_a_kernel_hide_no_role() -> None:
    text = "int n;\ntemplate <int N> __global__ BOUNDS(N) void k(float *x) { x[0] = 1; }\n// __global__ is k\nvoid h() {}\n"
    assert [(f.name, f.role) for f in outlined(text).functions] == [("k", "kernel"), ("h", "host")]


def test_an_alignment_of_a_type_is_no_name_of_a_shared_array() -> None:
    text = "__global__ void k() {\n  extern __shared__ __align__(alignof(S<int>)) char raw[];\n}\n"
    (function,) = outlined(text).functions
    (declared,) = function.body.children
    assert [node.text for node in declared.walk() if node.kind == "identifier"] == ["raw"]


def test_a_name_with_two_values_is_no_constant() -> None:
    text = "#define A 4\nconstexpr int B = A * 16;\n#define C 1\n#define C 2\nvoid f() { const int D = 3; }\n"
    assert outlined(text).constants == {"A": 4, "B": 64}


def test_columns_count_characters() -> None:
    (function,) = outlined("/* ä */ void f() { g(); }").functions
    assert function.span.column == 9


def test_a_dim3_of_two_names_is_no_function() -> None:
    text = "__global__ void k() {}\nvoid f(int rows, int cols) { dim3 grid(cols, rows); k<<<grid, 32>>>(); }\n"
    (launch,) = text_launches(Program(outlined(text)))
    assert [side.text if side else None for side in launch.grid] == ["cols", "rows", None]


def test_sides_that_are_assigned_one_by_one_count_up_to_the_launch() -> None:
    text = "__global__ void k() {}\nvoid f(int n) { dim3 g; g.x = n; g.y = 2; k<<<g, 32>>>(); g.x = 1; }\n"
    (launch,) = text_launches(Program(outlined(text)))
    assert [side.text if side else None for side in launch.grid] == ["n", "2", None]


def test_a_macro_before_a_loop_is_blank() -> None:
    text = "void f(int n) {\n  MY_PRAGMA_UNROLL\n  for (int i = 0; i < n; i++) g(i);\n}\n"
    (function,) = outlined(text).functions
    assert [node.kind for node in function.body.children] == ["for_statement"]


def test_a_block_that_opens_under_a_condition_of_the_build_closes_once() -> None:
    text = """void h(int n) {
#ifdef FAST
  if (n > 1) {
    fast(n);
  } else {
#else
  { // "}"
#endif
    slow(n);
  }
}
void g() {}
"""
    assert [f.name for f in outlined(text).functions] == ["h", "g"]


def test_whole_statements_of_each_build_are_kept() -> None:
    text = "void h() {\n#ifdef FAST\n  fast();\n#else\n  slow();\n#endif\n}\n"
    assert "fast" in outlined(text).functions[0].body.text and "slow" in outlined(text).functions[0].body.text


def test_any_text_has_an_outline() -> None:
    assert outlined("} template < __global__ ((").functions == ()


@pytest.mark.parametrize("broken", ["a + @ b", "a <= #x b", "a && , b", "a = = b"])
def test_an_expression_with_an_error_between_its_sides_has_no_sides(broken: str) -> None:
    text = f"__global__ void k(float *x, int a, int b) {{\n  if ({broken}) x[0] = a + b;\n}}\n"
    [function] = outline(SourceFile("a.cu", "a.cu", text)).functions
    sides = [node.text for node in function.body.walk() if node.kind == "binary_expression"]
    assert sides == ["a + b"]


def test_statements_in_the_arguments_of_a_macro_are_a_block() -> None:
    text = "void f(int n) {\n  TYPE_SWITCH(n, T, {\n    int m = (n + 1);  // , {\n    g(m);\n  });\n}\n"
    [function] = outline(SourceFile("a.cu", "a.cu", text)).functions
    [block] = [node for node in function.body.children if node.kind == "compound_statement"]
    assert [node.kind for node in block.children if node.kind != "comment"] == ["declaration", "call_expression"]
    assert block.span.line == 2


def test_lists_in_the_arguments_of_a_macro_stay_lists() -> None:
    text = "void f() { auto x = MAKE_LIST(n, {1, 2}); CHECK_THAT(n, [&] { return 1; }); }\n"
    [function] = outline(SourceFile("a.cu", "a.cu", text)).functions
    calls = [node.child("function") for node in function.body.walk() if node.kind == "call_expression"]
    assert [callee.text for callee in calls if callee is not None] == ["MAKE_LIST", "CHECK_THAT"]


@pytest.mark.parametrize("mark", ["HOSTDEVICE", "EIGEN_DEVICE_FUNC", "MSHADOW_XINLINE", "HD"])
def test_macros_that_stand_for_device_give_the_role(mark: str) -> None:
    text = f"#define HD __host__ __device__\nstruct F {{ {mark} void operator()(size_t i) const {{ x[i] = 0; }} }};\n"
    assert [f.role for f in outlined(text).functions] == ["device"]


@pytest.mark.parametrize(
    "asked", ["#ifdef USE_ROCM", "#if defined(__HIPCC__)", "#if defined __HIP_DEVICE_COMPILE__  // waves"]
)
def test_what_is_for_hip_alone_is_left_out(asked: str) -> None:
    text = f"void h() {{\n{asked}\n  first();\n#else\n  second();\n#endif\n}}\n"
    (function,) = outlined(text).functions
    assert _called(function.body) == ["second"]
    (function,) = outlined(text.replace("#ifdef", "#ifndef").replace("if defined", "if !defined")).functions
    assert _called(function.body) == ["first"]
    (function,) = outlined("#include <hip/hip_runtime.h>\n" + text).functions
    assert _called(function.body) == ["first", "second"]


def _called(body: Syntax) -> list[str]:
    return [node.children[0].text for node in body.walk() if node.kind == "call_expression"]


def test_a_barrier_for_hip_alone_makes_no_barrier_of_a_call() -> None:
    text = "__device__ void f() {\n#ifdef USE_ROCM\n  __syncthreads();\n#endif\n}\n__device__ void g() { __syncthreads(); }\n"
    assert synchronising_functions(outlined(text)) == {"g"}
