"""What a Python file registers of operators is read from its text, in whichever of torch's ways it does."""

from __future__ import annotations

import ast

import pytest

from cudalint.frontend.python_registered import Registered, registered_in

FUNCTIONS = "def run(x: torch.Tensor, n: int = 4): ...\ndef say(x, n): ...\n"


def read(text: str) -> dict[str, Registered]:
    return registered_in(ast.parse(FUNCTIONS + text))


def names(registered: Registered) -> tuple[list[str], str | None]:
    declaring = registered.declaring
    return [f.name for f in registered.running], None if declaring is None else declaring.name


@pytest.mark.parametrize(
    ("text", "operator", "found"),
    [
        ('torch.library.impl("ns::f", "cuda", run)', "ns::f", (["run"], None)),
        ('torch.library.register_kernel("ns::f", "cuda", run)', "ns::f", (["run"], None)),
        ('torch.library.register_fake("ns::f", say)', "ns::f", ([], "say")),
        ('lib = torch.library.Library("ns", "IMPL")\nlib.impl("f", run, "CUDA")', "ns::f", (["run"], None)),
        ('lib = torch.library.Library("ns", "IMPL")\nlib._register_fake("f", say)', "ns::f", ([], "say")),
        (
            'with torch.library._scoped_library("ns", "IMPL") as lib:\n    lib.impl("f", say, "Meta")',
            "ns::f",
            ([], "say"),
        ),
        ('lib: Library = Library("ns", "IMPL")\nlib.impl("f.out", run, "CUDA")', "ns::f.out", (["run"], None)),
        ('direct_register_custom_op("f", run, [], fake_impl=say)', "::f", (["run"], "say")),
        ('lib = Library("ns", "IMPL")\nregister_custom_op("f", op_func=run)', "ns::f", (["run"], None)),
    ],
)
def test_functions_that_calls_register(text: str, operator: str, found: tuple[list[str], str | None]) -> None:
    assert names(read(text)[operator]) == found


@pytest.mark.parametrize(
    "text",
    [
        'torch.library.impl("ns::f", "cpu", run)',
        'torch.library.register_autograd("ns::f", run, setup_context=say)',
        'lib = Library("ns", "IMPL")\nlib.impl("f", run, "AutogradCUDA")',
        'other.impl("f", run, "CUDA")',
        'torch.library.impl("ns::f", "cuda", given)',
    ],
)
def test_what_registers_no_function_for_the_device(text: str) -> None:
    assert all(names(each) == ([], None) for each in read(text).values())


def test_the_schema_that_annotations_tell() -> None:
    text = """
@torch.library.custom_op("ns::f", mutates_args=("y",))
def f(y: torch.Tensor, x: Optional[torch.Tensor], s: Sequence[int], *, n: int, e: float = 1.0) -> None: ...
"""
    schema = read(text)["ns::f"].schema
    assert schema is not None
    assert [(a.name, a.type, a.written, a.optional, a.by_name) for a in schema.arguments] == [
        ("y", "Tensor", True, False, False),
        ("x", "Tensor", False, True, False),
        ("s", "int[]", False, False, False),
        ("n", "int", False, False, True),
        ("e", "float", False, False, True),
    ]


def test_a_schema_in_parts_with_the_line_of_its_definition() -> None:
    found = read('torch.library.define("ns::f", "(Tensor! y, "\n  "Tensor? x) -> ()")')["ns::f"]
    assert found.schema is not None and [a.written for a in found.schema.arguments] == [True, False]
    assert found.line == 3


def test_two_functions_for_one_operator_are_both_told() -> None:
    found = read('torch.library.impl("ns::f", "cuda", run)\ntorch.library.impl("ns::f", "default", say)')
    assert names(found["ns::f"]) == (["run", "say"], None)
