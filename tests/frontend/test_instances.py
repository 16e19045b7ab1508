"""Which instances of templates a file asks for by explicit instantiation."""

# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.contract import Geometry
from cudalint.frontend import clang, parsing
from cudalint.frontend.instances import explicit_instances
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts


def test_an_instance_that_a_macro_makes_is_launched_as_one_that_is_written() -> None:
    text = (
        "enum { ADD, MULTIPLY };\n"
        "template <typename T, int OP> __global__ void apply(T *x) { x[threadIdx.x] += OP; }\n"
        "template <typename T, int OP> void run(T *x) { apply<T, OP><<<1, 32>>>(x); }\n"
        "#define MAKE(op, type) \\\n  template void run<type, op>( \\\n    type *);\n"
        "MAKE(ADD, double) MAKE(MULTIPLY,\n  double) MAKE(MULTIPLY, int)\n"
    )
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere")
    kernels = [name for name in made.unit.functions if name.startswith("apply")]
    assert sorted(kernels) == ["apply<double, 0>(double *)", "apply<double, 1>(double *)", "apply<int, 1>(int *)"]


def test_the_first_instances_differ_in_all_of_their_arguments() -> None:
    text = "".join(f"template void f<{t}, {n}>(int);\n" for t in ("int", "float") for n in (1, 2, 3))
    assert explicit_instances(text)[:3] == ("f<int, 1>", "f<float, 2>", "f<int, 3>")


def test_the_first_of_each_template_comes_before_the_second_of_any() -> None:
    text = "template void f<1>(int);\ntemplate void f<2>(int);\ntemplate void g<1>(int);\n"
    assert explicit_instances(text) == ("f<1>", "g<1>", "f<2>")


def test_explicit_instances_of_operators_are_found() -> None:
    text = "template void Path::operator()<64>(int *x);\ntemplate void Path::operator()< 128>(int *x);\n"
    assert explicit_instances(text) == ("Path::operator()<64>", "Path::operator()< 128>")


def test_what_a_macro_pastes_together_is_no_instance() -> None:
    assert explicit_instances("#define MAKE(t) template void f<t##_t>(int);\nMAKE(int32)\n") == ()


def test_members_of_an_explicit_instance_of_a_class_launch() -> None:
    text = (
        "namespace sums {\n"
        "template <typename T> __global__ void add(T *x, int n) { x[threadIdx.x] += n; }\n"
        "template <typename T> class Model { int n; public: Model(int n) : n(n) {} void run(T *x); int size() { return n; } };\n"
        "template <typename T> void Model<T>::run(T *x) { add<T><<<1, n>>>(x, n); }\n"
        "template class Model<double>;\n"
        "}\n"
    )
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere")
    assert {"sums::add<double>(double *, int)", "sums::Model<double>::run(double *)"} <= set(made.unit.functions)
    assert [entry.complete for entry in made.kernels] == [True]


def kernels_of(text: str) -> list[str]:
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere")
    assert [entry.complete for entry in made.kernels] == [True] * len(made.kernels)
    return sorted(name for name in made.unit.functions if name.startswith("add"))


def test_each_of_several_templates_of_one_name_has_an_instance() -> None:
    text = (
        "template <typename T> __global__ void add(T *x, int n) { x[threadIdx.x] += n; }\n"
        "template <typename T> __global__ void add(T *x, float2 n) { x[threadIdx.x] += n.x; }\n"
    )
    assert kernels_of(text) == ["add<float>(float *, float2)", "add<float>(float *, int)"]


def test_launches_of_several_templates_of_one_name_are_read() -> None:
    text = (
        "template <typename T> __global__ void add(T *x, int n) { x[threadIdx.x] += n; }\n"
        "template <typename T> void run(T *x, int n) { add<<<1, 32>>>(x, n); }\n"
        "template <typename T> void run(T *x) { add<<<1, 64>>>(x, 1); }\n"
        "template void run<double>(double *, int);\ntemplate void run<double>(double *);\n"
    )
    assert kernels_of(text) == ["add<double>(double *, int)"]


def test_instances_have_the_names_of_all_namespaces_around_their_template() -> None:
    text = (
        "namespace sparse { enum Side { ROWS, COLUMNS }; struct Matrix { long n; };\n"
        "namespace impl {\n"
        "template <typename T> __global__ void fill(T *x, long n) { x[threadIdx.x] = n; }\n"
        "template <Side S, typename T> void run(Matrix m, T *x) { fill<T><<<1, 32>>>(x, m.n); }\n"
        "template void run<COLUMNS, double>(Matrix, double *);\n"
        "template <Side S, typename T> void run(Matrix m, Matrix o, T *x) { fill<T><<<1, 64>>>(x, o.n); }\n"
        "template void run<ROWS, short>(Matrix, Matrix, short *);\n"
        "} }\n"
    )
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere")
    wanted = {f"sparse::impl::fill<{t}>({t} *, long)" for t in ("double", "short")}
    assert wanted <= set(made.unit.functions)


def test_a_type_that_is_called_is_one_of_functions() -> None:
    text = "template <typename T, typename L> __global__ void add(T *x, L one) { x[threadIdx.x] = one(x[0]); }\n"
    assert kernels_of(text) == ["add<float, std::__cudalint_function>(float *, std::__cudalint_function)"]


def test_members_that_only_an_instance_lacks_are_guessed() -> None:
    text = "template <typename T> __global__ void add(view<T> v, T *x) { T *y = v.data; x[threadIdx.x] = y[v.sizes[0]]; }\n"
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere")
    assert [name for name in made.unit.functions if name.startswith("add")] == ["add<float>(view<float>, float *)"]
    assert not any("parse error" in gap.reason for gap in made.kernels[0].gaps)


def test_a_file_with_concepts_is_read_as_the_newer_language() -> None:
    text = (
        "template <typename T> concept small = sizeof(T) < 8;\n"
        "template <small T> __device__ T one() { return 1; }\n"
        "__global__ void add(float *x) { x[threadIdx.x] += one<float>(); }\n"
    )
    assert kernels_of(text) == ["add(float *)"]


def test_an_explicit_instance_whose_arguments_its_parameters_say_is_launched() -> None:
    text = (
        "namespace fill {\n"
        "template <typename T> __global__ void each(T *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }\n"
        "template <> __global__ void each<int>(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"
        "template <typename T> void run(T *x, const int n) { each<T><<<1, 32>>>(x, n); }\n"
        "template void run(double *x, const int n);\n"
        "#define MAKE(T) template void run(T *x, const int n)\n"
        "MAKE(int);\n"
        "}\n"
    )
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere")
    kernels = {name for name in made.unit.functions if name.startswith("fill::each")}
    assert kernels == {"fill::each<double>(double *, int)", "fill::each<int>(int *, int)"}


def test_an_explicit_class_and_a_declared_template_are_no_instance_of_a_function() -> None:
    text = "template <class T> void run(T *x);\ntemplate class Model<float>;\nextern template void run(int *);\n"
    assert explicit_instances(text) == ()


MODEL = (
    "template <typename T> __global__ void add(T *x, int n) { if (threadIdx.x < n) x[threadIdx.x] += n; }\n"
    "template <typename T, int N> class Model {\n"
    "public:\n"
    "  void run(T *x);\n"
    "  void inside(T *x) { add<T><<<1, N>>>(x, N); }\n"
    "  void other() {}\n"
    "};\n"
    "template <typename T, int N> void Model<T, N>::run(T *x) { add<T><<<1, N>>>(x, N); }\n"
)


def test_members_of_a_class_template_that_nothing_uses_launch_with_likely_arguments() -> None:
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", MODEL), ParseOptions(), "/nowhere")
    names = {name for name in made.unit.functions if name.startswith("Model")}
    assert names == {"Model<float, 4>::run(float *)", "Model<float, 4>::inside(float *)"}


LAYER_H = """
#pragma once
#include "schema.pb.h"
template <typename T> class Blob { public: int count() const { return count_; } const T *data() const; void read(const Message &m); int count_; };
template <typename T> class Layer { protected: LayerParameter param_; Phase phase_; };
template <typename T> class Relu : public Layer<T> { public: virtual void forward(const Blob<T> *in, T *out); };
"""
LAYER_CU = """
#include "layer.h"
#define MAKE(name) template void name<float>::forward(const Blob<float> *, float *);
template <typename T> __global__ void relu(const T *x, T *y, T slope, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * slope; }
template <typename T> void Relu<T>::forward(const Blob<T> *in, T *out) {
  T slope = this->param_.relu().slope();
  const T *x = in->data();
  relu<T><<<(in->count() + 255) / 256, 256>>>(x, out, slope, in->count());
}
MAKE(Relu)
"""


def test_a_member_launches_though_its_class_is_in_a_header_and_needs_types_that_are_absent(tmp_path: Path) -> None:
    (tmp_path / "layer.h").write_text(LAYER_H)
    path = tmp_path / "relu.cu"
    path.write_text(LAYER_CU)
    made = translate(SourceFile("relu.cu", str(path), LAYER_CU), ParseOptions(), str(tmp_path))
    ((contract,),) = launch_contracts(made.unit).values()
    assert [f.text for f in contract.facts][:2] == ["grid = (in.count_ + 255) / 256, block = 256", "n = in.count_"]


UNDER_MACRO = (
    "template <typename T> __global__ void scale(T *x) { x[threadIdx.x] += x[threadIdx.x]; }\n"
    "template <typename T> void run(T *x) { scale<T><<<1, 32>>>(x); }\n"
    "#define MAKE(T) template void run(T *x)\n"
    "MAKE(float);\n"
    "DEFINED#ifdef WITH_DOUBLE\nMAKE(double);\n#else\nMAKE(int);\n#endif\n"
)


def test_an_instance_under_a_macro_that_nobody_defines_is_none() -> None:
    made = translate(
        SourceFile("k.cu", "/nowhere/k.cu", UNDER_MACRO.replace("DEFINED", "")), ParseOptions(), "/nowhere"
    )
    assert {name for name in made.unit.functions if name.startswith("scale")} == {
        "scale<float>(float *)", "scale<int>(int *)",
    }  # fmt: skip


def test_an_instance_under_a_macro_that_the_file_or_a_flag_defines_is_one() -> None:
    written = UNDER_MACRO.replace("DEFINED", "#define WITH_DOUBLE\n")
    for text, options in (
        (written, ParseOptions()),
        (UNDER_MACRO.replace("DEFINED", ""), ParseOptions(defines=("WITH_DOUBLE",))),
    ):
        made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), options, "/nowhere")
        assert "scale<double>(double *)" in made.unit.functions


def blocks_of(text: str) -> list[str]:
    """The blocks that the file's kernels are launched with."""
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere")
    facts = [f for cs in launch_contracts(made.unit).values() for c in cs for f in c.facts]
    return sorted(f.text.rpartition("block = ")[2] for f in facts if isinstance(f.what, Geometry))


CALLER = """
template <typename T> __global__ void fill(T *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
template <typename T, int B> struct Filler { static void run(T *x, int n) { fill<<<(n + B - 1) / B, B>>>(x, n); } };
"""


def test_a_member_of_a_class_template_launches_as_its_callers_instantiate_it() -> None:
    assert blocks_of(
        CALLER + "void a(float *x, int n) { Filler<float, 96>::run(x, n); Filler<float, 32>::run(x, n); }"
    ) == ["32", "96"]


def test_a_member_of_a_partial_specialization_launches() -> None:
    text = (
        CALLER
        + "template <typename T> struct Filler<T, 0> { static void run(T *x, int n) { fill<<<n, 1>>>(x, n); } };\n"
    )
    assert blocks_of(
        text + "void a(float *x, int n) { Filler<float, 96>::run(x, n); Filler<float, 0>::run(x, n); }"
    ) == ["1", "96"]


def test_a_member_that_a_template_calls_has_the_arguments_of_the_call() -> None:
    assert blocks_of(CALLER + "template <typename T> void a(T *x, int n) { Filler<T, 96>::run(x, n); }") == ["96"]


def test_a_member_that_nothing_calls_has_guessed_arguments() -> None:
    assert blocks_of(CALLER) == ["4"]


def test_an_explicit_instance_of_a_class_may_compute_its_arguments() -> None:
    text = (
        CALLER.replace("Filler", "Tiles::Filler").replace(
            "template <typename T, int B> struct Tiles::",
            "namespace Tiles {\nconstexpr int tile() { return 48; }\ntemplate <typename T, int B> struct ",
        )
        + "template struct Filler<float, tile() * 2>;\n}\n"
    )
    assert blocks_of(text) == ["96"]


def test_a_member_that_is_called_through_a_base_has_the_arguments_of_its_class() -> None:
    text = (
        "struct Layer { virtual void forward(float *x, int n) = 0; };\n"
        "namespace nets { struct gpu {}; namespace layers {\n"
        "template <typename D, int B> __global__ void fill(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = B; }\n"
        "template <typename D, int B> struct Fill : Layer { void forward(float *x, int n) override { fill<D, B><<<1, B>>>(x, n); } };\n"
        "Layer *make() { return new Fill<gpu, 96>(); }\n"
        "}}\n"
    )
    assert blocks_of(text) == ["96"]


def test_what_the_project_uses_stays_with_its_errors() -> None:
    text = CALLER.replace("{ fill<<<", "{ missing(x); fill<<<") + "Filler<float, 96> filler;\n"
    assert blocks_of(text) == ["96"]


def test_instances_of_several_kinds_are_parsed_behind_a_file_that_was_saved_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = (
        "template <class T> __global__ void fill(T *x) { x[0] = 1; }\n"
        "template <class T> struct Layer { void run(T *x); };\n"
        "template <class T> void Layer<T>::run(T *x) { fill<T><<<1, 32>>>(x); }\n"
        "template class Layer<float>;\n"
        "template <class T> __global__ void other(T *x) { x[0] = 2; }\n"
    )
    kept: list[str] = []
    save = clang.saved
    monkeypatch.setattr(parsing, "LIGHT", 0)
    monkeypatch.setattr(clang, "saved", lambda path, *inputs: (kept.append(path), save(path, *inputs))[1])
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere")
    assert [entry.functions for entry in made.kernels] == [("fill<float>(float *)",), ("other<float>(float *)",)]
    assert kept == ["/nowhere/k.cu"]


def test_no_text_is_parsed_twice_behind_the_same_file(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "template <class Traits> __global__ void fill(float *x) { x[Traits::SIZE] = 1; }\n"
    parsed: list[tuple[clang.SavedUnit, str]] = []
    parse = clang.SavedUnit.parse_behind

    def recorded(file: clang.SavedUnit, behind: str, *more: str) -> clang.ParsedUnit:
        parsed.append((file, behind))
        return parse(file, behind, *more)

    monkeypatch.setattr(parsing, "LIGHT", 0)
    monkeypatch.setattr(clang.SavedUnit, "parse_behind", recorded)
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere")
    assert [entry.functions for entry in made.kernels] == [("fill<cudalint_made_Traits>(float *)",)]
    assert len({(id(file), behind) for file, behind in parsed}) == len(parsed) > 0


def test_a_heavy_file_with_guesses_is_saved_as_it_was_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "template <class T> __global__ void fill(T *x, absent_t n) { x[0] = n; }\n"
    parsed: list[str] = []
    parse = clang._parse

    def recorded(path: str, *inputs: list[str]) -> clang.Cursor:
        parsed.append(path)
        return parse(path, *inputs)

    monkeypatch.setattr(parsing, "LIGHT", 0)
    monkeypatch.setattr(clang, "_parse", recorded)
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere")
    assert [len(entry.functions) for entry in made.kernels] == [1]
    assert parsed.count("/nowhere/k.cu") == 2


def test_values_of_template_arguments_are_those_of_their_types() -> None:
    text = (
        "enum Kind { FIRST = -1, LAST = 7 };\n"
        "template <bool B, int N, unsigned char C, unsigned U, Kind K> __global__ void fill(float *x) { x[N] = B + C + U + K; }\n"
        "void run(float *x) { fill<true, -3, 200, 4000000000u, FIRST><<<1, 1>>>(x); fill<false, 0, 0, 0, LAST><<<1, 1>>>(x); }\n"
    )
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere")
    kernels = [name for name in made.unit.functions if name.startswith("fill")]
    assert sorted(kernels) == ["fill<false, 0, 0, 0, 7>(float *)", "fill<true, -3, 200, 4000000000, -1>(float *)"]


@pytest.mark.parametrize("parameter", ["float (*F)(const float &)", "T (*F)(T)", "T (&F)(const T &)"])
def test_a_template_of_a_function_is_read_with_one_that_returns_any_value(parameter: str) -> None:
    text = f"template <class T, {parameter}> __global__ void act(T *x) {{ x[threadIdx.x] = F(x[threadIdx.x]); }}\n"
    made = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere")
    assert [(len(entry.functions), entry.complete, entry.exact) for entry in made.kernels] == [(1, True, False)]
