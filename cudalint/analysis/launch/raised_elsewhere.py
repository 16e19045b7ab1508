"""Limits of dynamic shared memory that are raised for one kernel, where another one is launched with as much.

cudaFuncSetAttribute(k<8>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);  k<16><<<grid, block, bytes>>>(x);

So is a kernel that is launched with as much as two others of the function, for which it is raised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.text.launch_text import text_launches
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_LIMIT = "MaxDynamicSharedMemorySize"
FEW = 2
_NAME = re.compile(r"[A-Za-z_][\w:]*(<[^;]*>)?")


def limits_raised_elsewhere(outline: Outline) -> Iterator[WrongLaunch]:
    """The launch behind the attribute, in the same block of statements, of a kernel that the file never raises it for."""
    if _LIMIT not in outline.root.text:
        return
    raised = {id(f): list(_raised(f)) for f in outline.functions}
    everywhere = {target for calls in raised.values() for _, target, _ in calls}
    for launch in text_launches(program_of(outline)):
        callee = launch.node.child("function")
        calls = raised[id(launch.function)]
        if callee is None or launch.shared is None or not calls or _unqualified(callee.bare) in everywhere:
            continue
        if _NAME.fullmatch(callee.bare) is None or callee.bare in launch.function.template:
            continue
        asked = launch.shared.bare
        beside = [
            target for node, target, size in calls if size == asked and _is_beside(node, launch.node, launch.function)
        ]
        others = {target for _, target, size in calls if size == asked and "<" not in target}
        if len(others) >= FEW and not any(each.partition("<")[0] == launch.kernel for each in everywhere):
            told = f"`{sorted(others)[0]}` and others"
            text = f"`{callee.bare}` gets `{launch.shared.text}` bytes, and the limit is raised for {told}"
            yield WrongLaunch(launch, launch.node, text, True)
            continue
        sibling = launch.kernel in {each.partition("<")[0] for each in everywhere}
        if beside and sibling and all("<" in target for target in beside):
            text = f"`{callee.bare}` gets `{launch.shared.text}` bytes, and the limit is raised for `{beside[0]}`"
            yield WrongLaunch(launch, launch.node, text, True)


def _raised(function: TextFunction) -> Iterator[tuple[Syntax, str, str]]:
    """(call, kernel, bytes) of each attribute."""
    for node in function.body.walk():
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or callee is None or arguments is None or _LIMIT not in arguments.text:
            continue
        if callee.text.endswith("FuncSetAttribute") and len(arguments.children) == 3:
            kernel, _, size = arguments.children
            yield node, _unqualified(uncast(kernel).bare), uncast(size).bare


def _unqualified(kernel: str) -> str:
    """`k<8>` of `&space::k<8>`."""
    name, bracket, rest = kernel.lstrip("&").partition("<")
    return name.rpartition("::")[2] + bracket + rest


def _is_beside(call: Syntax, launch: Syntax, function: TextFunction) -> bool:
    """The smallest block of statements with the call holds the launch, behind it."""
    blocks = [
        node
        for node in function.body.walk()
        if node.kind == "compound_statement" and node.start <= call.start < node.end
    ]
    return bool(blocks) and call.end <= launch.start < blocks[-1].end
