"""Launches on the default stream in a function that is given tensors, where others of the file ask for the current stream.

void a(Tensor x) { k<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(...); }
void b(Tensor x) { k<<<grid, block>>>(...); }                 // work of the current stream on x may not be done, or is overtaken

void c(Tensor x) { CUDAGuard guard(x.device());  k<<<grid, block>>>(...); }             // so is that of any stream of the device
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.text.called_functions import that_come_to
from cudalint.analysis.text.scopes import Scope
from cudalint.analysis.text.text_program import Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_TENSOR = re.compile(r"\bTensor\b")
_CURRENT = re.compile(r"\bgetCurrent(CUDA|HIP)Stream\b")
_GUARD = re.compile(r"\b(Optional)?(CUDA|HIP|Device)Guard(MasqueradingAsCUDA)?\b|\bOptionalDeviceGuard\b")
_STREAM = re.compile(r"[sS]tream")
_TORCH = re.compile(r"\b(at|torch|c10)::|\bATen\b|torch/extension\.h")
_OWN_CLASS = re.compile(r"\b(class|struct)\s+(Tensor|(Optional)?(CUDA|HIP|Device)Guard\w*)\s*(final\s*)?[{:]")
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^<>;]*>\s*)?\(")
_DEFAULT = ("0", "NULL", "nullptr", "{}")
_ORDERED = re.compile(r"[sS]ync(hronize)?\b|[sS]ync(hronize)?\s*\(")


def sibling_streams(outline: Outline) -> Iterator[WrongLaunch]:
    """The first such launch of each function that never speaks of the current stream and waits for nothing."""
    asking = [function for function in outline.functions if _CURRENT.search(function.body.text) and _launches(function)]
    if not asking:
        return
    program = program_of(outline)
    for function in outline.functions:
        text = function.body.text
        given = any(_TENSOR.search(parameter.text) for parameter in function.parameters)
        if function.role != "host" or not given or _CURRENT.search(text) or _waits(function, outline):
            continue
        node = next((node for node in _launches(function) if _is_on_default(node, program.scope(function))), None)
        if node is not None:
            launch = TextLaunch(function, "", (None, None, None), (None, None, None), None, None, (), (), node)
            callee = node.child("function")
            kernel = "" if callee is None else callee.text.partition("<")[0]
            yield WrongLaunch(launch, node, f"`{kernel}` runs on the default stream, not on the current one", True)


def guarded_on_default(outline: Outline) -> Iterator[WrongLaunch]:
    """The first such launch of each function that chooses the device of its tensors, or of one that it calls for the launch."""
    if _GUARD.search(outline.root.text) is None or not _is_of_torch(outline.root.file.text):
        return
    program = program_of(outline)
    for function in outline.functions:
        text = function.body.text
        given = any(_TENSOR.search(parameter.text) for parameter in function.parameters)
        if function.role != "host" or not given or _GUARD.search(text) is None or _STREAM.search(text):
            continue
        called = [
            other for other in _without_stream(outline) if other is not function and _calls(function, other, program)
        ]
        for one in () if _waits(function, outline) else (function, *called):
            node = next((node for node in _launches(one) if _is_on_default(node, program.scope(one))), None)
            if node is not None:
                launch = TextLaunch(one, "", (None, None, None), (None, None, None), None, None, (), (), node)
                kernel = (node.child("function") or node).text.partition("<")[0]
                yield WrongLaunch(launch, node, f"`{kernel}` runs on the default stream, not on the current one", True)


def _without_stream(outline: Outline) -> list[TextFunction]:
    """Functions of the host that launch, and neither speak of a stream nor wait."""
    return [
        function
        for function in outline.functions
        if function.role == "host"
        and _launches(function)
        and not _STREAM.search(function.body.text + " ".join(parameter.text for parameter in function.parameters))
        and not _waits(function, outline)
    ]


def _is_of_torch(text: str) -> bool:
    """It speaks of torch, and makes no tensors or guards of its own."""
    return _TORCH.search(text) is not None and _OWN_CLASS.search(text) is None


def _waits(function: TextFunction, outline: Outline) -> bool:
    """Itself, or in a function or macro of the file that it calls."""
    called = set(_CALLED.findall(function.body.text))
    return _ORDERED.search(function.body.text) is not None or not called.isdisjoint(that_come_to(_ORDERED, outline))


def _calls(function: TextFunction, other: TextFunction, program: Program) -> bool:
    return any(call.function is function for call in program.callers(other.name.rpartition("::")[2]))


def _launches(function: TextFunction) -> list[Syntax]:
    if "<<<" not in function.body.text:
        return []
    return [node for node in function.body.walk() if any(child.kind == "kernel_call_syntax" for child in node.children)]


def _is_on_default(launch: Syntax, scope: Scope) -> bool:
    """Without a stream, or with a variable that is the default one."""
    config = next(child for child in launch.children if child.kind == "kernel_call_syntax")
    if len(config.children) < 4:
        return True
    stream = config.children[3]
    values = scope.values.get(stream.text, [stream])
    return len(values) == 1 and values[0].bare in _DEFAULT and stream.text not in scope.parameters
