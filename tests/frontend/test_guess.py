"""Guessed declarations: which shape a missing name gets, and that the file parses with them."""

# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path

import clang.cindex as cindex
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cudalint.frontend
from cudalint.frontend.guess import MARK, MAX_ROUNDS, Guesses, Problem, guesses

STUBS = Path(cudalint.frontend.__file__).parent / "stubs"
FLAGS = [
    *("-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-nostdinc", "-nostdinc++", "-std=c++17", "-w"),
    *("--target=x86_64-unknown-linux-gnu", "-Wno-unknown-cuda-version", "-ferror-limit=0"),
    *("-include", str(STUBS / "prelude.h"), "-include", "/guessed.h", "-isystem", str(STUBS)),
]


def problems(text: str, guessed: str) -> list[Problem]:
    files = [("a.cu", text), ("/guessed.h", guessed)]
    unit = cindex.Index.create().parse("a.cu", FLAGS, unsaved_files=files, options=0x200)
    found = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
    return [Problem(d.spelling, d.location.line, d.location.column) for d in found if d.location.file.name == "a.cu"]


def in_rounds(text: str) -> tuple[Guesses, list[Problem]]:
    known = Guesses()
    for _ in range(MAX_ROUNDS):
        left = problems(text, known.text)
        found = guesses(left, text, known)
        if found == known:
            break
        known = found
    return known, problems(text, known.text)


KERNELS = {
    "a value": ("x[0] = FACTOR * n + SHIFT;", {"FACTOR", "SHIFT"}),
    "the size of an array": ("__shared__ float s[TILE * 2][TILE + 1]; x[0] = s[0][1];", {"TILE"}),
    "the size of an array by a constant": (
        "const int rows = THREADS / 32; const unsigned int size = (rows\n + 1) * 2; __shared__ float s[size]; x[0] = s[0];",
        {"THREADS"},
    ),
    "a template argument": ("cub::BlockReduce<float, THREADS> *r = nullptr; x[0] = n;", {"THREADS"}),
    "a case": ("switch (n) { case RED: x[0] = 1; }", {"RED"}),
    "a function": ("x[0] = scale(x[1], n) + scale();", {"scale"}),
    "a function with a type": ("x[0] = convert<float>(n);", {"convert"}),
    "a function with a value": ("x[0] = load<4>(x) + mix<float, 4>(x);", {"load", "mix"}),
    "a type": ("vec v; v = f(v);", {"vec", "f"}),
    "a template": ("pack<float, 4> p; pack<float, 4> q(p); one<4> o;", {"pack", "one"}),
    "a namespace": ("x[0] = lib::f(n) + lib::value; lib::type t;", {"lib", "lib::f", "lib::value", "lib::type"}),
    "a member of a namespace of ours": ("x[0] = std::unheard_of(n);", {"std::unheard_of"}),
    "members": ("params p; x[0] = p.alpha * p.table[n] + p.get(n);", {"params"}),
    "a static member": ("x[0] = traits<float>::size;", {"traits"}),
    "an object": ("x[0] = config.alpha + config.of(n);", {"config"}),
    "a pointer to an object": ("x[0] = state->value; n = table[n].index + list[n];", {"state", "table", "list"}),
    "shared memory of a type": ("__shared__ item s[32]; s[n].x = 1;", {"item"}),
    "a member type": ("typename traits<float>::type t = 3; x[0] = t;", {"traits"}),
}


@pytest.mark.parametrize(("body", "names"), KERNELS.values(), ids=KERNELS)
def test_each_use_has_a_shape_that_parses(body: str, names: set[str]) -> None:
    found, left = in_rounds(f"__global__ void k(float *x, int n) {{ {body} }}")
    assert left == []
    assert found.names == names
    assert all(MARK in line for line in found.text.splitlines() if not line.startswith(("#", "namespace lib {}")))


def test_a_constant_behind_a_macro() -> None:
    found, left = in_rounds(
        "#define WORDS (BANKS * 2)\n__global__ void k(int *x) { __shared__ int s[WORDS]; x[0] = s[0]; }"
    )
    assert left == []
    assert found.names == {"BANKS"}


def test_a_kernel_whose_parameter_has_an_unknown_type_comes_back() -> None:
    text = "__global__ void k(params p, const block_t<4> *b, float *x) { x[0] = p.n; }\nvoid run(float *x) { k<<<1, 2>>>(params(), nullptr, x); }"
    found, left = in_rounds(text)
    assert left == []
    assert found.names == {"params", "block_t"}  # and not `k`, which the file defines


@pytest.mark.parametrize(
    ("line", "macro"),
    [
        ("ACME_KERNEL void k(int *x) { x[0] = threadIdx.x; }", "#define ACME_KERNEL __global__"),
        ("template <class T> ACME_KERNEL k(T *x) { x[0] = 1; }", "#define ACME_KERNEL static __global__ void"),
        ("ACME_INLINE float f(float x) { return x; }", "#define ACME_INLINE __host__ __device__"),
        ("template <class T> __device__ ACME_INLINE T f(T x) { return x; }", "#define ACME_INLINE __host__ __device__"),
        ("ACME_API __global__ void k(int *x) {}", "#define ACME_API"),
    ],
)
def test_specifiers_in_capitals_are_macros(line: str, macro: str) -> None:
    found, left = in_rounds(line)
    assert left == []
    assert macro in found.text.splitlines()
    assert found.names == frozenset()


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("cub::WarpReduce<float> *r = nullptr;", "#include <cub/cub.cuh>"),
        ("cg::thread_block b = cg::this_thread_block(); b.sync();", "namespace cg = cooperative_groups;"),
        ("curandState s; curand_init(1, 2, 3, &s);", "#include <curand_kernel.h>"),
        ("at::Tensor *t = nullptr;", "#include <torch/extension.h>"),
        ("thrust::pair<int, int> p;", "#include <thrust/device_vector.h>"),
        ("__requires(n == blockDim.x); __global_assert(n > 0);", "#include <cudalint_stubs/verification.h>"),
    ],
)
def test_known_libraries_are_included_and_not_guessed(body: str, line: str) -> None:
    found, left = in_rounds(f"__global__ void k(float *x, int n) {{ {body} }}")
    assert left == []
    assert found.text.splitlines() == [line]
    assert found.names == frozenset()


def test_the_namespaces_of_an_alias_are_guessed_at_once() -> None:
    found, left = in_rounds(
        "namespace g = lib::device::kinds; struct params { g::kind kind; };\n"
        "__global__ void k(float *x, params p) { if (p.kind == g::kind::red) x[0] = 1; }"
    )
    assert left == []
    assert {"lib", "lib::device", "lib::device::kinds", "lib::device::kinds::kind"} <= found.names


@pytest.mark.parametrize(
    ("use", "member"),
    [
        ("const float *y = p.data; x[0] = y[0];", "cudalint_first *data;"),
        ("x[0] = p.data[0] + f(p.data);", "int *data;"),
        ("x[0] = p.row(1)[0];", "cudalint_first *row("),
        ("x[0] = p.rows;", "int rows;"),
    ],
)
def test_members_of_a_guessed_template_point_where_they_are_used_so(use: str, member: str) -> None:
    head = "__device__ int f(const int *x) { return x[0]; }\n"
    found, left = in_rounds(f"{head}__global__ void k(view<float> p, float *x) {{ {use} }}")
    assert left == []
    assert member in found.text


def test_types_of_the_language_are_never_guessed() -> None:
    assert guesses([Problem("unknown type name 'size_t'", 1, 1)], "size_t f();") == Guesses()


def test_rounds_are_deterministic_and_end() -> None:
    text = "__global__ void k(p_t p) { q_t q = f(p); B(q); }"
    found, _ = in_rounds(text)
    left = problems(text, "")
    assert guesses(left, text) == guesses(list(reversed(left)), text)
    assert guesses([], text, found) == found


@given(st.text(max_size=80), st.lists(st.tuples(st.text(max_size=40), st.integers(-2, 9), st.integers(-2, 90))))
def test_any_problem_is_taken(text: str, given: list[tuple[str, int, int]]) -> None:
    messages = ["use of undeclared identifier 'x'", "unknown type name 'x'", "no member named 'a' in 'x'"]
    for message, line, column in given:
        guesses([Problem(m, line, column) for m in (message, *messages)], text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("template <Activation A> __global__ void k(float *x) { if (A == Activation::None) x[0] = 1; }", "enum class"),
        ("__global__ void k(float *x, int n) { UNROLL for (int i = 0; i < 4; ++i) x[i] = n; }", "#define UNROLL\n"),
        (
            "__global__ void k(float *x) { UNROLL_BY(4) for (int i = 0; i < 4; ++i) x[i] = 0; }",
            "#define UNROLL_BY(...)\n",
        ),
    ],
)
def test_what_only_one_shape_fits_has_that_shape(text: str, line: str) -> None:
    known, left = in_rounds(text)
    assert line in known.text
    assert left == []


def test_a_guessed_class_of_a_template_has_the_members_that_an_instance_lacks() -> None:
    text = (
        "template <class T> __global__ void k(View<T> in, int n) { T *p = in.ptr + n; p[0] = in[n] + in.dims[1]; }\n"
        "auto made = &k<float>;"
    )
    known, left = in_rounds(text)
    assert left == []
    assert "cudalint_first *ptr;" in known.text
    assert "cudalint_first &operator[]" in known.text


def test_what_a_member_gives_that_has_members_is_a_class() -> None:
    text = "struct Relu { Message m; float slope() { return m.relu(1).part().slope() + m.size(); } };"
    known, left = in_rounds(text)
    assert left == []
    assert "struct relu_of_Message relu(A &&...arguments) const;" in known.text


def test_a_class_for_shared_memory_gives_the_dynamic_shared_memory() -> None:
    text = "__global__ void k(float *x) { SharedMemory<float> shared; float *s = shared.getPointer(); s[0] = x[0]; }"
    known, left = in_rounds(text)
    assert left == []
    assert "__attribute__((shared)) unsigned char shared_bytes[]" in known.text


def test_a_missing_number_is_what_its_name_says() -> None:
    text = "__global__ void k(int32 n, u8 *y, float64 a) { int64 i = uint64(n); y[i] = static_cast<uint16>(n) + a; }\n"
    known, left = in_rounds(text)
    assert not left and not known.names
    assert {line for line in known.text.split("\n") if line} == {
        "typedef double float64;",
        "typedef signed int int32;",
        "typedef signed long long int64;",
        "typedef unsigned char u8;",
        "typedef unsigned long long uint64;",
        "typedef unsigned short uint16;",
    }


def test_a_missing_value_with_the_name_of_a_number_is_a_value() -> None:
    known, left = in_rounds("__global__ void k(float *x, int n) { x[0] = i8 + n; }\n")
    assert not left and known.names == {"i8"}


def test_labels_of_a_switch_have_values_of_their_own() -> None:
    uses = "void f(int m, Mode mode) {{ switch (m) {{ case {0}: g<<<1, 1>>>(); break; case {1}: g<<<1, 2>>>(); break; }} }}"
    for labels in (("MODE_MAX", "MODE_MEAN"), ("lib::MAX", "lib::MEAN"), ("Mode::MAX", "Mode::MEAN")):
        known, left = in_rounds("__global__ void g();\n" + uses.format(*labels))
        assert not left, (labels, known.text, left)


@pytest.mark.parametrize("argument", ["Traits<T>::lanes", "typename Traits<T>::lane_type"])
def test_what_is_named_in_a_template_without_typename_is_a_value(argument: str) -> None:
    text = f"template <class T> __global__ void k(T *x) {{ typename Packed<float, {argument}>::word w = x[0]; x[1] = w; }}\n"
    _, left = in_rounds(text + "template __global__ void k<float>(float *);\n")
    assert not left
