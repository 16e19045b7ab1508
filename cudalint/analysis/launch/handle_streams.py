"""Handles of cuBLAS and its like that work on the default stream, in a function whose kernels run on another one.

cublasCreate(&h);  ...  cublasSgemm(h, ..., y, n);  bias<<<grid, block, 0, stream>>>(y, b);       without cublasSetStream(h, stream)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.given_streams import is_always_default, stream_of
from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_LIBRARIES = ("cublas", "cudnn", "cusparse", "cusolverDn", "curand", "cufft", "hipblas", "rocblas")
_NO_WORK = re.compile(r"_?(Create|Destroy|Set|Get|Plan|Make|Lt|Xt|Status|_create|_destroy|_set|_get)")


def handles_without_stream(outline: Outline) -> Iterator[WrongLaunch]:
    """The first work of such a handle in a function, where the file makes the handle and never gives one a stream."""
    text = outline.root.text
    unset = [
        each for each in _LIBRARIES if _is_made(each, text) and re.search(rf"{each}_?[sS]et_?[sS]tream", text) is None
    ]
    if not unset:
        return
    program = program_of(outline)
    for function in outline.functions:
        scope = program.scope(function)
        stream = stream_of(function, scope) if function.role == "host" else None
        if stream is None or is_always_default(stream, function, program) or not _has_kernel_on(stream, function):
            continue
        for node in function.body.walk():
            handle = _handle_at_work(node, unset)
            if handle is not None and _is_of_file(handle, function, program):
                launch = TextLaunch(function, "", (None,) * 3, (None,) * 3, None, None, (), (), node)
                told = f"`{handle}` works on the default stream, not on `{stream}`: nothing gives it a stream"
                yield WrongLaunch(launch, node, told, True)
                break


def _is_made(library: str, text: str) -> bool:
    return re.search(rf"\b{library}_?([cC]reate|Plan|Make)\w*\s*\(", text) is not None


def _has_kernel_on(stream: str, function: TextFunction) -> bool:
    """And nothing waits for it."""
    if re.search(r"(Device|Stream|Event)_?[sS]ynchronize|\bsynchronize\s*\(", function.body.text) is not None:
        return False
    return re.search(rf"<<<[^;]*\b{re.escape(stream)}\b[^;]*>>>", function.body.text) is not None


def _handle_at_work(node: Syntax, libraries: list[str]) -> str | None:
    """h of `cublasSgemm(h, ...)`."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None or not arguments.children:
        return None
    library = next((each for each in libraries if callee.text.startswith(each)), None)
    if library is None or _NO_WORK.match(callee.text[len(library) :]):
        return None
    handle = uncast(arguments.children[0])
    return handle.text if handle.kind in ("identifier", "field_expression", "call_expression") else None


def _is_of_file(handle: str, function: TextFunction, program: Program) -> bool:
    """The file makes this handle, or has the function that does; what is passed in may have its stream."""
    scope = program.scope(function)
    if handle.partition(".")[0].partition("->")[0] in scope.parameters:
        return False
    made = re.compile(rf"([cC]reate|Plan|Make)\w*\s*\(\s*&?\s*{re.escape(handle)}\b")
    if made.search(program.outline.root.text):
        return True
    givers = [handle, *(value.text for value in scope.values.get(handle, []))]
    makers = [each for each in program.outline.functions if re.search(r"[cC]reate\w*\s*\(\s*&", each.body.text)]
    names = {each.name.rpartition("::")[2] for each in makers}
    return any("(" in giver and giver.partition("(")[0].rpartition("::")[2].strip() in names for giver in givers)
