"""Tensors in the memory of the host whose pointers a launch passes to a kernel.

auto scales = torch::tensor({1.f, 0.5f});   k<<<g, b>>>(x.data_ptr<float>(), scales.data_ptr<float>());
auto b = bias.cpu();                        k<<<g, b>>>(x.data_ptr<float>(), b.data_ptr<float>());
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.memory.reinterpreted_tensors import launching, owner_of
from cudalint.analysis.text.guard_patterns import GuardIssue
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body
from cudalint.ir.syntax import Outline, Syntax

_MAKES = re.compile(r"(torch|at)::(tensor|empty|zeros|ones|full|arange|linspace|eye|rand|randn|randint|randperm)$")
_ELSEWHERE = re.compile(r"device|cuda|(?<!tensor)options\s*\(|pinned|managed", re.IGNORECASE)
_TYPE = re.compile(r"(torch|at|c10)::(k\w+|ScalarType::\w+|dtype\s*\(.*\)|TensorOptions\s*\(.*)", re.DOTALL)
_TO_HOST = re.compile(r"(\.|->)cpu$|(\.|->)to$")
_HOST = re.compile(r"kCPU\b|DeviceType::CPU\b|\"cpu\"")
_MOVES = re.compile(r"pin_memory|set_default_device|DeviceGuard\s+\w+\s*\(\s*torch::Device|data_ptr[^;]*cudaMemcpy")


def host_tensors(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each argument of a launch that points into such a tensor."""
    if _MOVES.search(outline.root.text) is not None:
        return
    for body, launch in launching(outline):
        for argument in launch.arguments:
            name = owner_of(uncast(argument))
            values = body.scope.values.get(name, [])
            if len(values) == 1 and name not in body.scope.parameters and (how := _on_host(values[0], body)):
                text = f"`{name}` is {how}, in the memory of the host, and the kernel gets its pointer"
                yield GuardIssue(body.function, argument, text, values[0])


def _on_host(value: Syntax, body: Body) -> str:
    """How the value comes to lie there; nothing where that is open."""
    callee, arguments = value.child("function"), value.child("arguments")
    if value.kind != "call_expression" or callee is None or arguments is None:
        return ""
    if _TO_HOST.search(callee.text) is not None:
        to_host = callee.text.endswith("cpu") or (len(arguments.children) == 1 and _HOST.search(arguments.text))
        return "copied to the CPU" if to_host else ""
    if _MAKES.search(callee.text) is None:
        return ""
    return "made without a device" if all(_says_no_device(each, body) for each in arguments.children) else ""


def _says_no_device(argument: Syntax, body: Body) -> bool:
    """A number, a list of sizes or values, or a type; a name is what it stands for, where that is known."""
    if _ELSEWHERE.search(argument.text) is not None:
        return False
    if argument.kind == "identifier":
        values = body.scope.values.get(argument.text, [])
        known = argument.text not in body.scope.parameters and len(values) == 1
        is_number = body.scope.types.get(argument.text) in ("int", "unsigned", "wide", "floating")
        return is_number or (known and _says_no_device(values[0], body))
    if argument.kind in ("number_literal", "initializer_list", "true", "false"):
        return True
    if argument.kind in ("binary_expression", "unary_expression"):
        return True
    return (
        _TYPE.fullmatch(argument.text.strip()) is not None
        or re.search(r"(\.|->)(size|numel|dim)\s*\(", argument.text) is not None
    )
