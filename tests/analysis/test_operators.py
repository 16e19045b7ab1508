"""What C++ registers for Python, read from its text: names, functions, schemas, modules."""

from __future__ import annotations

import pytest

from cudalint.analysis.operator_schema import read_schema
from cudalint.analysis.operators import Operator, prototypes, registered


def operators(text: str) -> dict[str, Operator]:
    return {operator.name: operator for operator, _ in registered({"ops.cpp": text})}


@pytest.mark.parametrize(
    "text",
    [
        'TORCH_LIBRARY(ns, m) { m.def("scale(Tensor! out, Tensor x) -> ()"); m.impl("scale", torch::kCUDA, &scale_cuda); }',
        'TORCH_LIBRARY_FRAGMENT(ns, ops) { ops.def("scale(Tensor(a!) out, Tensor x) -> ()"); }\n'
        'TORCH_LIBRARY_IMPL(ns, CUDA, ops) { ops.impl("scale", TORCH_FN(other::scale_cuda)); }',
        'STABLE_TORCH_LIBRARY(ns, m) { m.def("scale(Tensor! out, " "Tensor x) -> ()"); }\n'
        'STABLE_TORCH_LIBRARY_IMPL(ns, CUDA, m) { m.impl("scale", TORCH_BOX(&scale_cuda)); }',
        'TORCH_LIBRARY(ns, m) { m.def("scale(Tensor! out, Tensor x) -> ()");\n'
        ' m.impl("scale", torch::dispatch(c10::DispatchKey::CUDA, TORCH_FN(scale_cuda)));\n'
        ' m.impl("scale", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(scale_cpu))); }',
        'TORCH_LIBRARY(ns, m) { m.def("scale(Tensor! out, Tensor x) -> ()", &scale_cuda); }',
        'TORCH_LIBRARY(ns, m) { m.def("scale(Tensor! out, Tensor x) -> ()"); DISPATCH_TO_CUDA("scale", ns::scale_cuda); }',
        'TORCH_LIBRARY(ns, m) { m.def("scale(Tensor! out, Tensor x) -> ()"); MY_DISPATCH(CUDA, "scale", scale_cuda); }',
    ],
)
def test_an_operator_of_torch_names_the_function_that_runs_on_the_device(text: str) -> None:
    scale = operators(text)["scale"]
    assert (scale.space, scale.function) == ("ns", "scale_cuda")
    assert scale.schema is not None and [a.written for a in scale.schema.arguments] == [True, False]


def test_what_the_dispatcher_calls_before_it_is_not_passed_what_python_passes() -> None:
    text = 'TORCH_LIBRARY(ns, m) { m.def("f(Tensor x) -> Tensor"); }\nTORCH_LIBRARY_IMPL(ns, CUDA, m) { m.impl("f", &g); }\n'
    assert operators(text)["f"].function == "g"
    assert "f" not in operators(text + 'TORCH_LIBRARY_IMPL(ns, AutogradCUDA, m) { m.impl("f", &with_gradient); }')


def test_functions_of_a_module_with_the_names_of_their_arguments() -> None:
    scale = operators(
        'PYBIND11_MODULE(ext, m) { m.def("scale", &scale_cuda, "doc", py::arg("x"), py::arg("n") = 4); }'
    )["scale"]
    assert (scale.module, scale.function, scale.names) == ("ext", "scale_cuda", (("x", None), ("n", "4")))


def test_exports_of_tvm() -> None:
    assert operators("TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, ns::run_scale);")["run"].function == "run_scale"


@pytest.mark.parametrize(
    "text", ['// m.def("scale", &scale);', 'PYBIND11_MODULE(ext, m) { m.def("scale", [](int n) { return n; }); }']
)
def test_what_is_no_registration_of_a_function_with_a_name(text: str) -> None:
    assert operators(text) == {}


def test_two_functions_for_one_operator_are_not_told_apart() -> None:
    text = 'TORCH_LIBRARY(ns, m) { m.def("f(Tensor x) -> Tensor"); m.impl("f", torch::kCUDA, &a); m.impl("f", torch::kCUDA, &b); }'
    assert operators(text) == {}


def test_the_marks_of_a_schema() -> None:
    schema = read_schema(
        "ns::f.out(Tensor(a!) y, Tensor? w, int[2] size, *, float eps=1e-5, bool? b=None) -> (Tensor(a!), int)"
    )
    assert schema is not None and schema.name == "f" and schema.results == ("Tensor", "int")
    assert [(a.name, a.type, a.written, a.optional, a.default, a.by_name) for a in schema.arguments] == [
        ("y", "Tensor", True, False, None, False),
        ("w", "Tensor", False, True, None, False),
        ("size", "int[]", False, False, None, False),
        ("eps", "float", False, False, "1e-5", True),
        ("b", "bool", False, True, "None", True),
    ]


@pytest.mark.parametrize("text", ["f", "f(Tensor", "f(Tensor) -> Tensor", "f(Tensor x) Tensor"])
def test_what_is_no_schema(text: str) -> None:
    assert read_schema(text) is None


def test_prototypes_with_defaults_and_templates() -> None:
    text = "std::tuple<at::Tensor, at::Tensor> f(const at::Tensor &x, std::optional<at::Tensor> w = std::nullopt, int n = 4) { }"
    found = prototypes([text])["f"]
    assert found.result == "std::tuple<at::Tensor, at::Tensor>"
    assert [(p.type, p.name, p.default) for p in found.parameters] == [
        ("const at::Tensor &", "x", None),
        ("std::optional<at::Tensor>", "w", "std::nullopt"),
        ("int", "n", "4"),
    ]


def test_functions_of_one_name_and_different_parameters_are_left_out() -> None:
    assert "f" not in prototypes(["void f(int a) { } void f(float a) { }"])
