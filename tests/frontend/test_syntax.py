"""The index of a file: which kernels, launches, annotations and suppressions it has, and where."""

# ruff: noqa: E501

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cudalint.frontend.syntax import LaunchSyntax, SyntaxIndex, index
from cudalint.source import SourceFile, Span


def indexed(text: str) -> SyntaxIndex:
    return index(SourceFile("a.cu", "/a.cu", text))


def slice_of(text: str, span: Span) -> str:
    lines = text.split("\n")
    if span.line == span.end_line:
        return lines[span.line - 1][span.column - 1 : span.end_column - 1]
    middle = lines[span.line : span.end_line - 1]
    return "\n".join(
        [lines[span.line - 1][span.column - 1 :], *middle, lines[span.end_line - 1][: span.end_column - 1]]
    )


# --- kernels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("__global__ void k(int *a) {}", ["k"]),
        ("static __global__ void __launch_bounds__(256, 2) k(int *a) {}", ["k"]),
        ("__launch_bounds__(256) __global__ void k(int a) {}", ["k"]),
        ("__global__ void __cluster_dims__(2, 1, 1) k(int a) {}", ["k"]),
        ("__global__ __attribute__((noinline)) void k(int a = f(3, 4)) {}", ["k"]),
        ("template <int B, typename T = std::pair<int, int>>\n__global__ void k(T a) {}", ["k"]),
        ("template <> __global__ void k<int>(int a) {}", ["k"]),
        ("template <typename T> __global__ typename std::enable_if<(sizeof(T) > 4), void>::type k(T *a) {}", ["k"]),
        ('extern "C" __global__ void k() {}', ["k"]),
        ("namespace a { __global__ void k() { if (x) { y(); } } __global__ void l() {} }", ["k", "l"]),
        ("__global__ void BOUNDS(256, 2) k(int a) {}", ["k"]),
        ("__global__ void NAME(half)(int a) {}", ["NAME"]),
        ("__global__\nvoid\nk\n(int a)\n{\n}\n", ["k"]),
        ("__global__ void k(int *) {}\r\n__global__ void l(int *) {}\r\n", ["k", "l"]),
        ("__global__ void k() { extern __shared__ __align__(16) T s[]; auto f = [=] __device__ (int i) {}; }", ["k"]),
        # a macro that hides the qualifier
        ("#define KERNEL static __global__\nKERNEL void k() {}", ["k"]),
        ("#define DEFINE(n) __global__ void n(int *a)\nDEFINE(k) {}", ["k"]),
        ("ACME_KERNEL void k(int a) {}", ["k"]),
        ("ACME_KERNEL k(int a) {}", ["k"]),
        ("ACME_KERNEL(k, 1) { int a; } ", []),
        ("int x = MAX_KERNEL; void f() {}", []),
        # no definition
        ("__global__ void k(int);", []),
        ("template __global__ void k<int>(int);", []),
        ("typedef void (*K)(int); // __global__ void k() {}", []),
        ("/* __global__ void k() {} */", []),
        ('const char *s = "__global__ void k() {}";', []),
        ('const char *s = R"x(__global__ void k() {})x"; __global__ void l() {}', ["l"]),
        ("#define K(n) __global__ void n() {}\n", []),
        ("#define K(n) \\\n  __global__ void n() \\\n  {}\n", []),
        (
            "#if 0\n__global__ void k() {}\n#if 1\n#endif\n__global__ void m() {}\n#else\n__global__ void l() {}\n#endif",
            ["l"],
        ),
        ("__global__", []),
        ("__global__ void k(", []),
        ("__global__ void k() {", ["k"]),
        # a syntax error in the head or at the end
        ("__global__ void k(float *a, int n { a[0] = 1; }\n__global__ void l() {}", ["k", "l"]),
        ("__global__ void k(float *a, int n] { a[0] = 1; }", ["k"]),
        ("__global__ void k float *a, int n) { a[0] = 1; }", ["k"]),
        ("__global__ void __launch_bounds__(256 k(float *a) { a[0] = 1; }", ["k"]),
        ("__global__ void k(int *a) { if (a) { a[0] = 1;\n__global__ void l(int *a) {}", ["k", "l"]),
        # literals and digits that look like brackets
        ("__global__ void k() { a['{'] = 1'000'000; b = \"}\"[0]; } __global__ void l() {}", ["k", "l"]),
        # both branches of a conditional, whose braces do not balance
        (
            "#ifdef A\n__global__ void k(int a) {\n#else\n__global__ void k(float a) {\n#endif\n}\n__global__ void l() {}",
            ["k", "k", "l"],
        ),
        ("void f() {\n#ifdef A\n if (x) {\n#else\n if (y) {\n#endif\n }\n}\n__global__ void l() {}", ["l"]),
    ],
)
def test_kernels_are_definitions_in_code(text: str, names: list[str]) -> None:
    assert [kernel.name for kernel in indexed(text).kernels] == names


def test_a_macro_of_another_file_makes_kernels() -> None:
    source = SourceFile("a.cu", "/a.cu", "RUN void k() {}")
    assert index(source).kernels == ()
    assert [k.name for k in index(source, {"RUN": "__global__", "OTHER": "int"}).kernels] == ["k"]


def test_spans_of_a_kernel() -> None:
    text = "int x;\ntemplate <int B>\n__global__ void kernel(int *é) { é[0] = B; }\nint y;"
    (kernel,) = indexed(text).kernels
    assert slice_of(text, kernel.span) == "template <int B>\n__global__ void kernel(int *é) { é[0] = B; }"
    assert slice_of(text, kernel.name_span) == "kernel"
    assert slice_of(text, kernel.body) == "{ é[0] = B; }"
    assert kernel.name_span == Span("a.cu", 3, 17, 3, 23)


# --- launches ----------------------------------------------------------------------------------------------------------


def launch(text: str) -> LaunchSyntax:
    (found,) = indexed(text).launches
    return found


@pytest.mark.parametrize(
    ("text", "callee", "template", "config", "args"),
    [
        ("k<<<1, 2>>>();", "k", None, ("1", "2", None, None), ()),
        ("k<<<g, b, 4 * n, s>>>(x, n);", "k", None, ("g", "b", "4 * n", "s"), ("x", "n")),
        ("k<64, float><<<dim3(1, 2), b>>>(x);", "k", "64, float", ("dim3(1, 2)", "b", None, None), ("x",)),
        ("k<f(1 > 0), T<int>><<<1, 2>>>();", "k", "f(1 > 0), T<int>", ("1", "2", None, None), ()),
        ("a::b::k <<< 1 , 2 >>> ( x );", "a::b::k", None, ("1", "2", None, None), ("x",)),
        ("this->k<3><<<1, 2>>>(x);", "this->k", "3", ("1", "2", None, None), ("x",)),
        ("(*table[i])<<<1, 2>>>(x);", "(*table[i])", None, ("1", "2", None, None), ("x",)),
        ("table[i]<<<1, 2>>>(x);", "table[i]", None, ("1", "2", None, None), ("x",)),
        ("k<<<C<a, b>::v, 2>>>(std::pair<int, int>(1, 2), f(3, 4), {5, 6});", "k", None, ("C<a, b>::v", "2", None, None), ("std::pair<int, int>(1, 2)", "f(3, 4)", "{5, 6}")),
        ("k<<<(n + 255) / 256, n < 3 ? 1 : 2>>>(x);", "k", None, ("(n + 255) / 256", "n < 3 ? 1 : 2", None, None), ("x",)),
        ("k<<<1, /* block, */ 2>>>(x, // first\n y);", "k", None, ("1", "2", None, None), ("x", "y")),
        ("k<<<1, 2, sizeof(T)>>>\n(x);", "k", None, ("1", "2", "sizeof(T)", None), ("x",)),
        ('k<<<1, 2>>>("a, b", \',\');', "k", None, ("1", "2", None, None), ('"a, b"', "','")),
    ],
)  # fmt: skip
def test_the_parts_of_a_launch(
    text: str, callee: str, template: str | None, config: tuple[str | None, ...], args: tuple[str, ...]
) -> None:
    found = launch(f"void run() {{ {text} }}")
    assert (found.callee, found.template) == (callee, template)
    assert (found.grid, found.block, found.shared, found.stream) == config
    assert tuple(re.sub(r"\s+", " ", arg) for arg in found.args) == args
    assert found.function == "run"


@pytest.mark.parametrize(
    "text",
    [
        "// k<<<1, 2>>>(x)",
        '"k<<<1, 2>>>(x)"',
        "#define L k<<<1, 2>>>(x)",
        "<<<<<<< HEAD\n>>>>>>> x",
        "a << b >> c",
        "k<<<1, 2;",
        "<<<1>>>",
    ],
)
def test_what_is_no_launch(text: str) -> None:
    assert indexed(text).launches == ()


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("int main(int argc, char **argv) { for (;;) { @ } }", "main"),
        ("namespace n { struct S { static void run(std::function<void(int)> f) const noexcept { @ } }; }", "run"),
        ("S::S(int n) : a(n), b(n) { @ }", "S::S"),
        ('at::Tensor run(at::Tensor x) { AT_DISPATCH(x, "k", [&] { @ }); }', "run"),
        ("template <typename T> auto run(T x) -> std::vector<T> { @ }", "run"),
        ("auto x = 3; @", None),
    ],
)
def test_the_function_around_a_launch(text: str, function: str | None) -> None:
    assert launch(text.replace("@", "k<<<1, 2>>>(x);")).function == function


def test_the_span_of_a_launch_is_the_whole_call() -> None:
    text = "void f() {\n  ns::k<3><<<1,\n    2>>>(x,\n y);\n}"
    assert slice_of(text, launch(text).span) == "ns::k<3><<<1,\n    2>>>(x,\n y)"


# --- annotations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("// cudalint: extent(x) = n\n__global__ void k() {}", [("extent(x) = n", "k")]),
        (
            "/// cudalint: a\n//cudalint:b  \n/* cudalint: c */\ntemplate <int B>\n__global__ void k() {}",
            [("a", "k"), ("b", "k"), ("c", "k")],
        ),
        ("// cudalint: a\n// what it does\n__global__ void k() {}", [("a", "k")]),
        ("/* A kernel.\n * cudalint: a\n * cudalint: b\n */\n__global__ void k() {}", [("a", "k"), ("b", "k")]),
        ("__global__ void k() {\n  // cudalint: a\n  { /* cudalint: b */ }\n}", [("a", "k"), ("b", "k")]),
        ("template <int B> // cudalint: a\n__global__ void k() {}", [("a", "k")]),
        ("// cudalint: a\n\n__global__ void k() {}", [("a", "k")]),
        ("// cudalint: a\n#pragma unroll\n#ifdef X\n#endif\n__global__ void k() {}", [("a", "k")]),
        ("// cudalint: a\n__global__ void k(int *x);\n\nint y;\n__global__ void k(int *x) {}", [("a", "k")]),
        ("// cudalint: a\n__global__ void other(int *x);\n__global__ void k(int *x) {}", [("a", None)]),
        ("// cudalint: a\n__device__ void d() {}\n__global__ void k() {}", [("a", "d")]),
        ("// cudalint: a\n__device__ int d;\n__global__ void k() {}", [("a", None)]),
        ("__global__ void k() {\n  // cudalint: a\n  auto d = [] __device__ () {};\n}", [("a", "k")]),
        ("struct S {\n  // cudalint: a\n  __host__ __device__ int at(int i) const { return i; }\n};", [("a", "at")]),
        ("// cudalint: a\nint x;\n__global__ void k() {}", [("a", None)]),
        ("__global__ void k() {}\n// cudalint: a\n__global__ void l() {}\n// cudalint: b", [("a", "l"), ("b", None)]),
        ("// not cudalint: a\n__global__ void k() {}", []),
        ('const char *s = "// cudalint: a";', []),
        ("#if 0\n// cudalint: a\n#endif", []),
        ("// cudalint: a\r\n__global__ void k() {}\r\n", [("a", "k")]),
    ],
)
def test_annotations_and_their_kernels(text: str, found: list[tuple[str, str | None]]) -> None:
    read = [(a.text, None if a.kernel is None else slice_of(text, a.kernel)) for a in indexed(text).annotations]
    assert read == found
    assert all(slice_of(text, a.span) == a.text for a in indexed(text).annotations)


@pytest.mark.parametrize(
    ("text", "rules", "reason", "line"),
    [
        ("x[i] = 0;  // cudalint: ignore[IDX101] checked above", ("IDX101",), "checked above", 1),
        ("\n// cudalint: ignore[IDX101, global-bounds]\nx[i] = 0;", ("IDX101", "global-bounds"), "", 3),
        ("// cudalint: ignore[A1]\n// cudalint: ignore[B2]\n\n/* more */ x[i] = 0;", ("A1",), "", 4),
        ("#pragma unroll  // cudalint: ignore[A1]\nx;", ("A1",), "", 1),
        ("/* cudalint: ignore[A1] */ x;", ("A1",), "", 1),
        ("// cudalint: ignore\nx;", (), "", 2),
        ("// cudalint: ignore[]\nx;", (), "", 2),
        ("x;\n// cudalint: ignore[A1]", ("A1",), "", 2),
    ],
)
def test_suppressions_and_their_lines(text: str, rules: tuple[str, ...], reason: str, line: int) -> None:
    first = indexed(text).suppressions[0]
    assert (first.rules, first.reason, first.line) == (rules, reason, line)
    assert indexed(text).annotations == ()


@pytest.mark.parametrize(
    ("text", "has_cuda"),
    [
        ("__device__ int f();", True),
        ("__global__ void k();", True),
        ("k<<<1, 2>>>(x);", True),
        ("int x; // __global__", False),
        ("", False),
    ],
)
def test_whether_a_file_has_cuda(text: str, has_cuda: bool) -> None:
    assert indexed(text).has_cuda == has_cuda


# --- any text ----------------------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *"(){}[]<>;,:#\"'\\/*\n\r =é\0",
        *("__global__ ", "void k", "<<<", ">>>", "//", "/*", "*/", "#if 0\n", "#if A\n", "#else\n", "#endif\n", "template <", "#define K "),
        *("cudalint:", "// cudalint: ignore[A]", "R\"(", "1'0", "A_KERNEL void", "operator", "::", "->", "\\\n", "struct x"),
    ]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.lists(PIECES, max_size=60).map("".join), st.text(max_size=200)))
def test_any_text_has_an_index_whose_spans_lie_in_it(text: str) -> None:
    found = indexed(text)
    lines = text.split("\n")
    spans = [k.span for k in found.kernels] + [k.body for k in found.kernels] + [x.span for x in found.launches]
    for span in [
        *spans,
        *(k.name_span for k in found.kernels),
        *(a.span for a in found.annotations),
        *(s.span for s in found.suppressions),
    ]:
        assert 1 <= span.line <= span.end_line <= len(lines)
        assert 1 <= span.column <= len(lines[span.line - 1]) + 1
        assert 1 <= span.end_column <= len(lines[span.end_line - 1]) + 1
        assert (span.line, span.column) <= (span.end_line, span.end_column)
    assert all(slice_of(text, k.name_span) == k.name for k in found.kernels)
    assert all(1 <= s.line <= len(lines) for s in found.suppressions)
    assert found == indexed(text)


@pytest.mark.parametrize(
    "unit",
    [
        "(",
        "__global__ ",
        "k<<<",
        "k<<<1, 2>>>(,",
        "/*",
        "#if A\n(",
        "a<",
        "{k<<<1, 1>>>();",
        "// cudalint: ignore[A]\n",
        '"\\',
        "#",
    ],
)
def test_a_long_text_of_one_piece_is_read_to_its_end(unit: str) -> None:
    """In linear time this is a moment; where it is not, the run of the tests does not end."""
    assert not indexed(unit * 40_000).kernels
