"""Copies and fills of as many bytes as a launch of the same function says that there are elements.

cudaMemsetAsync(x, 0, n, s);  k<<<g, b, 0, s>>>(x, n);        if (i < n) x[i] = ... in k, where x is float*
cudaMemcpyToSymbol(taps, h, count);  k<<<g, b>>>(y, count);   for (k = 0; k < count; ++k) sum += taps[k] ...
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.memory.short_allocations import written_type
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.scopes import Scope, uncast
from cudalint.analysis.text.text_program import Body, TextLaunch, program_of
from cudalint.analysis.text.type_widths import bytes_of_type
from cudalint.ir.syntax import Outline, Syntax

_MOVES = re.compile(r"(::)?(cuda|hip)(Memcpy|Memset|MemcpyToSymbol)(Async)?")
_SIZE = 2  # the argument that counts bytes
_OF_BYTES = re.compile(r"byte|sz|mem|sizeof|pitch|\b\d|stride", re.IGNORECASE)
_LEAST_WIDTH = 2


def launched_counts(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each call; what it is about is the launch."""
    program = program_of(outline)
    launches: dict[int, list[TextLaunch]] = {}
    for launch in text_launches(program):
        launches.setdefault(id(launch.function), []).append(launch)
    named = kernels_by_name(outline)
    kernels = {id(body.function): body for body in bodies(program, ("kernel",))}
    for host in bodies(program, ("host",)):
        for node in host.nodes if id(host.function) in launches else ():
            size = _size(node, host.scope)
            for launch in launches[id(host.function)] if size else ():
                known = named.get(launch.kernel, [])
                kernel = kernels.get(id(known[0])) if len(known) == 1 else None
                if kernel is not None and (array := _counted(node, size, launch, kernel, host)):
                    asked = short(_given(node)[_SIZE])
                    text = f"`{asked}` is a number of elements of `{array}`, and not of bytes"
                    yield GuardIssue(host.function, node, text, launch.node)
                    break


def _given(call: Syntax) -> tuple[Syntax, ...]:
    arguments = call.child("arguments")
    return () if arguments is None else arguments.children


def _size(node: Syntax, scope: Scope) -> str:
    """What a copy or fill counts in, where nothing in it speaks of bytes; one name for another is looked through."""
    callee = node.child("function") if node.kind == "call_expression" else None
    given = _given(node)
    if callee is None or _MOVES.fullmatch(callee.text) is None or len(given) <= _SIZE:
        return ""
    size = expanded(given[_SIZE], scope)
    return "" if _OF_BYTES.search(size) or _OF_BYTES.search(given[_SIZE].text) else size


def expanded(value: Syntax, scope: Scope) -> str:
    value = uncast(value)
    values = scope.values.get(value.text, []) if value.kind == "identifier" else []
    return uncast(values[0]).bare if len(values) == 1 and value.text not in scope.grown else value.bare


def _counted(call: Syntax, size: str, launch: TextLaunch, kernel: Body, host: Body) -> str:
    """The array of the call that the kernel takes for so many elements of several bytes."""
    given = dict(zip(kernel.scope.parameters, launch.arguments))
    sides = [uncast(argument) for argument in _given(call)[:_SIZE]]
    if any(_is_of_bytes_or_local(side, host) for side in sides):
        return ""
    moved = {side.text.lstrip("& ") for side in sides}
    for base, count in bounded(kernel):
        array = uncast(given[base.text]).text if base.text in given else base.text
        if array in moved and count in given and expanded(given[count], host.scope) == size:
            written = written_type(base, kernel) or _written_globally(base.text, host.scope.outline)
            width = bytes_of_type(written[:-1].strip()) if written.endswith("*") else None
            if width is not None and width >= _LEAST_WIDTH:
                return array
    return ""


def _is_of_bytes_or_local(side: Syntax, host: Body) -> bool:
    """Memory that has bytes for elements, or that the function makes itself: its size is known."""
    if side.kind != "identifier" or side.text not in host.scope.structures:
        return False
    written = written_type(side, host) or "void*"
    return side.text not in host.scope.parameters or written == "void*" or bytes_of_type(written[:-1].strip()) == 1


def bounded(kernel: Body) -> Iterator[tuple[Syntax, str]]:
    """(x, n) where the kernel compares i with its parameter n, and takes x[i]."""
    bounds: dict[str, set[str]] = {}
    for node in kernel.nodes:
        left, right = node.child("left"), node.child("right")
        if node.op in ("<", ">=") and left is not None and right is not None and right.text in kernel.scope.parameters:
            bounds.setdefault(left.text, set()).add(right.text)
    for node in kernel.nodes:
        base = node.child("argument") if node.kind == "subscript_expression" else None
        if base is not None and base.kind == "identifier":
            for index in (child for child in node.children if child is not base):
                for count in sorted(bounds.get(index.text.strip("[]"), ())):
                    yield base, count


def _written_globally(name: str, outline: Outline) -> str:
    """`float*` of `__constant__ float taps[64];`."""
    found = re.findall(rf"__(?:constant|device)__\s+(?:const\s+)?(\w+)\s+{re.escape(name)}\s*\[", outline.root.text)
    return f"{found[0]}*" if len(found) == 1 else ""
