"""Functions that work on tensors of whatever device is the current one, where the others of the file see to that.

void a(Tensor x) { c10::cuda::CUDAGuard guard(x.device());  k<<<grid, block, 0, getCurrentCUDAStream()>>>(...); }
void b(Tensor x) {                                          k<<<grid, block, 0, getCurrentCUDAStream()>>>(...); }

Where x lies on the second device, b launches on the first one, whose kernels may not read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue
from cudalint.analysis.text.text_program import Program, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_TENSOR = re.compile(r"\b(Tensor|TensorList|TensorView)\b")
_CHOOSES = re.compile(r"[Gg]uard\b|GUARD\b|[sS]et_?[dD]evice\b|DeviceScope|set_current_device|\bwith_device\b")
_STREAM = re.compile(r"(^|::)getCurrent(CUDA|HIP)Stream$")
_ON_DEVICE = re.compile(
    r"\b(empty|zeros|full|ones)(_like)?\s*\(|\.device\(\)|\bget_device\b|DeviceProp|DeviceGetAttr|[sS]tream\b"
)
_CHECKS = re.compile(r"(if|for)\b|[A-Z_\d]+\s*\(|(\w+::)*([cC]heck|assert)\w*\s*\(")
_OF_ALL = re.compile(r"device_?count|num_?devices|n_?gpus?\b|world_?size", re.IGNORECASE)
_OF_THE_HOST = re.compile(r"_(cpu|meta)$|CPU$|Cpu$")


def unset_devices(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such function; what it is about is a function that chooses the device."""
    if _CHOOSES.search(outline.root.text) is None:
        return
    program = program_of(outline)
    entries = [(function, place) for function in outline.functions if (place := _work(function)) is not None]
    careful = [function for function, _ in entries if _chooses(function) and not _takes_each_in_turn(function)]
    for function, place in entries:
        if careful and not _chooses(function) and not _is_called_with_care(function, program):
            text = f"`{function.name.rpartition('::')[2]}` works on the current device, wherever its tensors lie"
            yield GuardIssue(function, place, text, careful[0].body)


def _work(function: TextFunction) -> Syntax | None:
    """Where a function that is given tensors asks for the current stream, or launches."""
    launch = _launch(function)
    if launch is None:
        return None
    for statement in function.body.children:  # the guard belongs in front of the first work on the device
        if statement.start <= launch.start and _ON_DEVICE.search(statement.text) and not _CHECKS.match(statement.text):
            return statement if statement.span.end_line < launch.span.line else launch
    return launch


def _launch(function: TextFunction) -> Syntax | None:
    if function.role != "host" or not _is_given_tensors(function) or _OF_THE_HOST.search(function.name):
        return None
    launch = None
    for node in function.body.walk():
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or callee is None or arguments is None:
            continue
        if _STREAM.search(callee.text) and not arguments.children:
            return node
        if launch is None and any(child.kind == "kernel_call_syntax" for child in node.children):
            launch = node
    return launch


def _is_given_tensors(function: TextFunction) -> bool:
    return any(_TENSOR.search(parameter.text) for parameter in function.parameters)


def _chooses(function: TextFunction) -> bool:
    return _CHOOSES.search(function.body.text) is not None


def _takes_each_in_turn(function: TextFunction) -> bool:
    """It goes through all devices, for work that is shared out among them: that is no choice of the one of its tensors."""
    loops = [node for node in function.body.walk() if node.kind in ("for_statement", "for_range_loop")]
    chosen = [m.start() for m in _CHOOSES.finditer(function.body.text)]
    inside = [(n.start - function.body.start, n.end - function.body.start) for n in loops if _OF_ALL.search(n.text)]
    return all(any(start < place < end for start, end in inside) for place in chosen)


def _is_called_with_care(function: TextFunction, program: Program, within: tuple[TextFunction, ...] = ()) -> bool:
    """It is a part of functions of the file that choose the device, or that have no tensors to ask."""
    callers = [call.function for call in program.callers(function.name.rpartition("::")[2])]
    others = [caller for caller in callers if caller not in (function, *within)]
    return bool(others) and all(
        _chooses(caller) or not _is_given_tensors(caller) or _is_called_with_care(caller, program, (*within, function))
        for caller in others
    )
