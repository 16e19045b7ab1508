"""C++20 in kernels, and which dialect a project asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.frontend.clang import Diagnostic
from cudalint.frontend.dialect_errors import respelled
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.ir.text import unit_text
from cudalint.project.standard import standard_of
from cudalint.source import SourceFile


def kernel(body: str, before: str = "") -> str:
    """The IR of a kernel that is understood completely."""
    text = f"{before}\n__global__ void k(float *x, int n) {{ {body} }}\n"
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(std="c++20"), "/nowhere")
    assert [gap.reason for each in made.kernels for gap in each.gaps] == []
    return unit_text(made.unit)


def test_a_requirement_is_settled_by_the_instance() -> None:
    text = kernel(
        "fill(x, Wide{});",
        "struct Wide { int wide; };\ntemplate <class T> __device__ void fill(float *x, T t) {"
        " if constexpr (requires { t.wide; }) x[1] = 1; else x[2] = 2;"
        " if constexpr (requires { t.narrow; }) x[3] = 3; else x[4] = 4; }",
    )
    assert "x[1]" in text and "x[4]" in text
    assert "x[2]" not in text and "x[3]" not in text


def test_a_concept_chooses_the_function() -> None:
    text = kernel(
        "x[one(n)] = one(1.0f);",
        "#include <concepts>\ntemplate <std::integral T> __device__ int one(T v) { return 7; }\n"
        "template <std::floating_point T> __device__ int one(T v) { return 8; }",
    )
    assert "return 7" in text and "return 8" in text


def test_a_range_goes_from_begin_to_end() -> None:
    text = kernel(
        "for (auto &v : View{x, n}) v = 1;",
        "struct View { float *p; int n; __device__ float *begin() const { return p; }"
        " __device__ float *end() const { return p + n; } };",
    )
    assert text.startswith(
        "kernel k(x: *f32, n: i32)\n"
        "  local m.1: View\n"
        "  store m.1 = View{x, n}\n"
        "  register t.1: *f32\n"
        "  t.1 = call View::begin(): &m.1\n"
        "  register t.2: *f32\n"
        "  t.2 = call View::end(): &m.1\n"
        "  register count.1: i64\n"
        "  count.1 = t.2 ptrdiff t.1\n"
        "  register i.1: i64\n"
        "  i.1 = 0:i64\n"
        "  loop while i.1 < count.1\n"
    )


def test_the_length_of_a_range_of_a_template_is_any() -> None:
    text = kernel("for (auto &v : std::span<float>(x, n)) v = 1;", "#include <span>")
    assert "unmodelled 'number of elements of a range' reads () writes (count.1)" in text
    assert "loop while i.1 < count.1" in text


def test_a_template_value_has_a_place_for_a_reference() -> None:
    text = kernel(
        "fill<8>(x, n);",
        "template <class T> __device__ T low(T const &a, T const &b) { return a < b ? a : b; }\n"
        "template <int N> __device__ void fill(float *x, int n) { x[low(n, N)] = 1; }",
    )
    assert "store m.1 = 8\n" in text


@pytest.mark.parametrize("name", ["cuSums", "sums"])
def test_a_function_of_the_project_sets_what_it_gets_by_reference_whatever_its_name(name: str) -> None:
    text = kernel(
        f"float sum; {name}(x, n, sum); x[0] = sum;",
        f"__device__ void {name}(float *x, int n, float &sum) {{ sum = 0; for (int i = 0; i < n; i++) sum += x[i]; }}",
    )
    assert f"call {name}(float *, int, float &): x, n, &sum\n" in text


DISPATCH = """
struct View { int n; int *p; __device__ int get(int i) const { return p[i]; } };
template <class F> __global__ void k(int *out, F f) { out[threadIdx.x] = f((int)threadIdx.x); }
template <class F, class... A> __host__ __device__ void dispatch(int kind, F f, A... a)
{ if (kind == 0) f.template operator()<char>(a...); else f.template operator()<int>(a...); }
struct Fill {
  template <class T> void operator()(View const *v, int *out) {
    auto f = [d = *v] __device__ (auto i) { return d.get(i) + (int)sizeof(T); };
    k<<<1, 32>>>(out, f);
  }
};
void go(int kind, View const *v, int *out) { dispatch(kind, Fill{}, v, out); }
"""


def test_launches_behind_a_dispatcher_for_both_sides_give_the_instances() -> None:
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", DISPATCH), ParseOptions(std="c++20"), "/nowhere")
    (entry,) = made.kernels
    assert entry.complete and len(entry.functions) == 2
    text = unit_text(made.unit)
    assert "host go(" in text and text.count("host Fill::operator()(") == 2
    assert "&this[0].capture.0" in text


def test_each_use_of_a_dispatcher_is_searched() -> None:
    """The functor of the last dispatch launches; those before it are more than are looked into for one caller."""
    text = DISPATCH.replace("Fill", "Last").partition("void go")[0] + (
        "template <int N> struct Ask { template <class T> void operator()(View const *, int *) {} };\n"
        + "".join(
            f"void ask{n}(View const *v, int *out) {{ dispatch({n}, Ask<{n}>{{}}, v, out); }}\n" for n in range(30)
        )
        + "void last(View const *v, int *out) { dispatch(0, Last{}, v, out); }\n"
    )
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(std="c++20"), "/nowhere")
    assert [entry.complete for entry in made.kernels] == [True]


def test_launches_that_an_instance_does_not_reach_give_instances_too() -> None:
    text = (
        "template <int N> __global__ void a(int *x) { x[0] = N; }\n"
        "template <int N> __global__ void b(int *x) { x[1] = N; }\n"
        "template <int N> void go(int *x) { if (N == 0) { auto f = a<N>; f<<<1, 1>>>(x); } else b<N><<<1, 1>>>(x); }\n"
    )
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(std="c++20"), "/nowhere")
    assert [(entry.name, entry.complete) for entry in made.kernels] == [("a", True), ("b", True)]


def test_typed_tests_launch_with_the_first_type() -> None:
    text = (
        "#include <gtest/gtest.h>\ntemplate <class T> __global__ void k(T *x) { x[0] = 2; }\n"
        "template <class T> struct Typed : public ::testing::Test {};\n"
        "TYPED_TEST_SUITE(Typed, ::testing::Types<double, int>);\n"
        "TYPED_TEST(Typed, Fills) { TypeParam *x; cudaMalloc(&x, 8); k<<<1, 1>>>(x);"
        ' EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize()) << "failed"; EXPECT_NO_THROW(cudaFree(x)); }\n'
    )
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(std="c++20"), "/nowhere")
    assert [entry.complete for entry in made.kernels] == [True]
    shown = unit_text(made.unit)
    assert "kernel k<double>(" in shown and "host Typed_Fills_Test<double>::TestBody(" in shown
    assert "host Typed_Fills_Test::TestBody(" not in shown


def test_a_checked_cast_of_a_reference_is_the_object() -> None:
    text = (
        "struct A { virtual ~A(); int a; }; struct B : A { int n; };\n__global__ void k(int *x) { x[0] = 1; }\n"
        "void go(int *x, A const &a) { B b = dynamic_cast<B const &>(a); k<<<1, b.n>>>(x); }\n"
    )
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(std="c++20"), "/nowhere")
    assert "t.1 = load bits *B(a)[0]\n" in unit_text(made.unit)


def test_what_device_code_calls_too_is_device_code() -> None:
    text = (
        "struct Two { int operator()() const { return 2; } };\n"
        "template <class F> __host__ __device__ int both(F f) { return f(); }\n"
        "template <class T> __global__ void k(int *x) { x[0] = both([] { return 3; }); x[1] = both(Two{}); }\n"
        "void go(int *x) { both(Two{}); k<int><<<1, 1>>>(x); }\n"
    )
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(std="c++20"), "/nowhere")
    assert "device Two::operator()(" in unit_text(made.unit)


def test_a_bit_cast_keeps_the_bytes() -> None:
    text = kernel(
        "x[0] = std::bit_cast<int>(x[1]); x[2] = std::bit_cast<Two>((long)n).low;",
        "#include <bit>\nstruct Two { float low, high; };",
    )
    assert text == (
        "kernel k(x: *f32, n: i32)\n"
        "  register t.1: f32\n"
        "  t.1 = load x[1]\n"
        "  store x[0] = f32(bits i32(t.1))\n"
        "  local m.1: i64\n"
        "  store m.1 = i64(n)\n"
        "  register t.2: Two\n"
        "  t.2 = load bits *Two(&m.1)[0]\n"
        "  store x[2] = t.2.low\n"
    )


def test_a_written_capture_of_this_keeps_its_place_among_the_others() -> None:
    text = kernel(
        "x[0] = Rows{x}(n, 7);",
        "template <class F> __device__ bool any(int n, F f) { for (int i = 0; i < n; i++) if (f(i)) return true; return false; }\n"
        "struct Rows { float *p; __device__ bool operator()(int a, int b) const {"
        " auto same = [this, a, b](int i) { return p[a] == p[b + i]; }; return any(a, same); } };",
    )
    assert "{this, a, b}\n" in text
    assert "this.1 = load this[0].capture.0\n" in text


def test_what_a_lambda_makes_for_itself_has_its_value_where_it_is_called_on_the_spot() -> None:
    text = kernel("int p = [&, i = n + 1] { return i < 8 ? i : i - 8; }(); x[p] = 1;")
    assert "  i = n + 1\n" in text and "select(i < 8, i, i - 8)" in text


def test_wide_integers_are_integers_of_libcu_alone() -> None:
    text = kernel(
        "x[0] = cuda::std::is_integral_v<__int128>; x[1] = std::is_integral_v<__int128>;",
        "#include <cuda/std/type_traits>",
    )
    assert "store x[0] = 1.0" in text and "store x[1] = 0.0" in text


def test_an_explicit_instance_may_name_what_its_namespace_declares() -> None:
    text = (
        "namespace a { namespace b { struct Adder { int by; };\n"
        "template <class F> __global__ void k(int *x, F f) { x[0] = f.by; }\n"
        "template <class F> void go(int *x, F f) { k<<<1, 1>>>(x, f); }\n"
        "template void go<Adder>(int *, Adder);\n} }\n"
    )
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(std="c++20"), "/nowhere")
    assert [entry.complete for entry in made.kernels] == [True]
    assert "kernel a::b::k<a::b::Adder>(" in unit_text(made.unit)


def test_slots_of_hash_tables_are_searched_from_any_place() -> None:
    text = kernel(
        "Slots slots(0, (Slots::value_type *)x); cuco::linear_probing<1, int> probing;"
        " auto at = probing.make_iterator<Slots::bucket_size>(n, slots.extent());"
        " while (slots.data()[*at].first != n) ++at; x[0] = slots.data()[*at].second;",
        "#include <cuco/static_map.cuh>\nusing Slots = cuco::bucket_storage_ref<cuco::pair<int, float>, 1, cuco::extent<size_t>>;",
    )
    assert "unmodelled 'cuco::linear_probing::make_iterator' reads" in text
    assert "unmodelled 'cuco::__cudalint_probing::operator++' reads" in text


def test_a_function_object_that_nothing_gives_is_any() -> None:
    text = (
        "template <class It, class Predicate> __global__ void k(It in, Predicate p, int *out, int n)"
        " { if (p(in[0], n)) out[0] = 1; }\n"
    )
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(std="c++20"), "/nowhere")
    (entry,) = made.kernels
    assert entry.complete and [gap.reason for gap in entry.opaque] == ["std::__cudalint_function::operator()"]
    assert "unmodelled 'std::__cudalint_function::operator()' reads (&p, in, &n) writes (in[0], n, t.1)" in unit_text(
        made.unit
    )


def test_the_dialect_comes_from_the_build_files(tmp_path: Path) -> None:
    (tmp_path / "cpp").mkdir()
    (tmp_path / "cpp" / "CMakeLists.txt").write_text("set(CMAKE_CUDA_STANDARD 20) # not 23\n")
    assert standard_of(str(tmp_path)) == "c++20"


@pytest.mark.parametrize("text", ["", "set(CMAKE_CXX_STANDARD 14)", "# CMAKE_CUDA_STANDARD 20"])
def test_without_a_later_one_the_dialect_is_the_default(tmp_path: Path, text: str) -> None:
    (tmp_path / "CMakeLists.txt").write_text(text)
    assert standard_of(str(tmp_path)) == "c++17"


def test_respelling_moves_nothing() -> None:
    text = "template <> int id<float>() { return 1; }\n__global__ void k() { __shared__ Q q; }\n"
    errors = [
        Diagnostic(3, "no function template matches function template specialization 'id'", "a.cu", 1, 17, 16),
        Diagnostic(3, "initialization is not supported for __shared__ variables.", "a.cu", 2, 35, text.index("q;")),
    ]
    made = respelled(errors, {"a.cu": text})["a.cu"]
    assert len(made) == len(text)
    assert made.startswith("__hd_templ_ int id") and "__sharedx_ Q q;" in made


def test_a_special_register_may_have_one_percent_sign() -> None:
    text = 'asm("mov.u32 %0, %laneid; @%p add.s32 %0,%r1, %1;" : "=r"(x) : "r"(y)); printf("a %d b, %s", x);\n'
    errors = [Diagnostic(3, "invalid % escape in inline assembly string", "a.cu", 1, 5, 4)]
    made = respelled(errors, {"a.cu": text})["a.cu"]
    assert made == 'asm("mov.u32 %0,%%laneid; @%p add.s32 %0,%r1, %1;" : "=r"(x) : "r"(y)); printf("a %d b, %s", x);\n'
    lowered = kernel(
        'unsigned l, m; asm volatile("mov.u32 %0, %laneid;" : "=r"(l)); asm("mov.u32 %0, %lanemask_lt;" : "=r"(m)); x[l] = m;'
    )
    assert "laneid" in lowered and "asm" not in lowered


def test_attributes_behind_an_operator_come_before_it() -> None:
    text = "struct F {\n  int operator()\n    __host__ __device__(int i) const { return i; }\n};\n"
    errors = [Diagnostic(3, "'operator()' cannot be the name of a variable or data member", "a.cu", 2, 7, 18)] * 2
    made = respelled(errors, {"a.cu": text})["a.cu"]
    assert made == "struct F {\n  int __host__ __device__\n    operator()(int i) const { return i; }\n};\n"
    assert "return 2 * i" in kernel(
        "x[0] = Twice{}(n);", "struct Twice { int operator() __device__(int i) const { return 2 * i; } };"
    )


def test_a_member_template_gets_its_word_once() -> None:
    text = "template <int N> void f(int *x) { S<N>::sum<N>(x); T<N>().sum<N>(x); }\n"
    unresolved = "reference to overloaded function could not be resolved; did you mean to call it?"
    member = "reference to non-static member function must be called"
    errors = [
        *[Diagnostic(3, unresolved, "a.cu", 1, 35, text.index("S<N>"))] * 2,
        Diagnostic(3, member, "a.cu", 1, 56, text.index("sum<N>(x); }")),
    ]
    assert respelled(errors, {"a.cu": text})["a.cu"] == (
        "template <int N> void f(int *x) { S<N>::template sum<N>(x); T<N>().template sum<N>(x); }\n"
    )


def test_what_clang_takes_stays_as_it_is() -> None:
    assert respelled([Diagnostic(3, "use of undeclared identifier 'x'", "a.cu", 1, 1, 0)], {"a.cu": "x"}) == {}


@pytest.mark.parametrize("std", ["c++14", "c++17", "c++20"])
def test_objects_are_made_in_every_standard(std: str) -> None:
    """Of the `operator new` for the host and that for the device, C++20 finds one behind a precompiled header."""
    text = (
        "#include <memory>\n__global__ void k(int *x) { x[0] = 2; }\n"
        "struct Rows { int *data; explicit Rows(int n) { cudaMalloc(&data, n * 4); } };\n"
        "void one() { auto rows = std::make_shared<Rows>(32); k<<<1, 1>>>(rows->data); }\n"
        "void two() { Rows *rows = new Rows(32); k<<<1, 1>>>(rows->data); }\n"
    )
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(std=std), "/nowhere")
    shown = unit_text(made.unit)
    assert shown.count("call operator new: 1") == 2 and "no matching function" not in shown
