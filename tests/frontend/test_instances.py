"""Which instances of templates a file asks for by explicit instantiation."""

from __future__ import annotations

from cudalint.frontend.instances import explicit_instances
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile


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
