"""Kernels that wait for the whole grid, launched as if they did not.

cg::grid_group grid = cg::this_grid();  ...  grid.sync();        k<<<blocks, threads>>>(x)

A grid barrier works in a cooperative launch only; a kernel that asks `grid.is_valid()` knows of both kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.launch_patterns import WrongLaunch
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.text_program import Program, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_GROUP = re.compile(r"\bgrid_group\b|\bthis_grid\s*\(\s*\)")
_ASKED = re.compile(r"\bis_valid\b")
_DIRECT = re.compile(r"\bthis_grid\s*\(\s*\)\s*\.\s*sync\s*\(\s*\)|\bsync\s*\(\s*(\w+::)*this_grid\s*\(\s*\)\s*\)")


def plain_grid_launches(outline: Outline) -> Iterator[WrongLaunch]:
    """One for each launch in triple angle brackets of a kernel that waits for the grid on its own or in what it calls."""
    if _GROUP.search(outline.root.text) is None:
        return
    program = program_of(outline)
    for launch, body in launched_kernels(program, outline):
        if not any(child.kind == "kernel_call_syntax" for child in launch.node.children):
            continue
        waiting = next((f for f in _with_callees(body.function, program) if _waits_for_grid(f)), None)
        if waiting is not None:
            where = "" if waiting is body.function else f" in {waiting.name}()"
            yield WrongLaunch(launch, launch.node, f"`{launch.kernel}` waits for the whole grid{where}", True)


def _with_callees(kernel: TextFunction, program: Program) -> Iterator[TextFunction]:
    """The kernel, and device functions of the file that it calls by their only definition."""
    yield kernel
    called = {_name(node) for node in kernel.body.walk() if node.kind == "call_expression"}
    for name in sorted(called):
        defined = [f for f in program.outline.functions if f.role == "device" and f.name.rpartition("::")[2] == name]
        if len(defined) == 1:
            yield defined[0]


def _name(call: Syntax) -> str:
    callee = call.child("function")
    return "" if callee is None else callee.text.partition("<")[0].rpartition("::")[2]


def _waits_for_grid(function: TextFunction) -> bool:
    text = function.body.text
    if _ASKED.search(text) is not None:
        return False
    if _DIRECT.search(text) is not None:
        return True
    groups = _groups(function)
    calls = (node for node in function.body.walk() if node.kind == "call_expression")
    return any(_is_wait(call, groups) for call in calls)


def _groups(function: TextFunction) -> set[str]:
    """Variables and parameters that are the grid."""
    declared = [n for n in function.body.walk() if n.kind == "declaration" and _GROUP.search(n.text) is not None]
    parts = [*declared, *(p for p in function.parameters if "grid_group" in p.text)]
    found = (re.search(r"(\w+)\s*(=[^;]*|\([^;]*\)|\{[^;]*\})?;?\s*$", part.text) for part in parts)
    return {match[1] for match in found if match is not None}


def _is_wait(call: Syntax, groups: set[str]) -> bool:
    match = re.fullmatch(r"(\w+)\.sync\(\)|(?:\w+::)*sync\((\w+)\)", call.bare)
    return match is not None and bool({match[1], match[2]} & groups)
