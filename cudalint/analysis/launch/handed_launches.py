"""Launches that a function hands to another one with their bytes of shared memory: that one may raise the kernel's limit first.

auto launch = [&] { k<<<grid, block, bytes>>>(x); };
launch_with_limit(bytes, launch, k);
"""

from __future__ import annotations

from cudalint.analysis.text.text_program import Program, TextLaunch
from cudalint.ir.syntax import Syntax

_LIMIT = "MaxDynamicSharedMemorySize"


def is_handed_on(launch: TextLaunch, program: Program) -> bool:
    """The launch stands in a lambda that a call gets beside its bytes or its kernel; what another file makes of it is unknown."""
    nodes = list(launch.function.body.walk())
    around = [n for n in nodes if n.kind == "lambda_expression" and n.start <= launch.node.start < n.end]
    values = program.scope(launch.function).values
    told = {part.text for part in launch.shared.walk() if part.kind == "identifier"} if launch.shared else set()
    told.add(launch.kernel)
    for made in around:
        names = {name for name, given in values.items() if any(value.start == made.start for value in given)}
        for call in nodes:
            arguments = call.child("arguments")
            if call.kind != "call_expression" or arguments is None or not _may_raise(call, program):
                continue
            handed = [each for each in arguments.children if each.start == made.start or each.text in names]
            beside = (part for each in arguments.children if each not in handed for part in each.walk())
            if handed and any(part.kind == "identifier" and part.text in told for part in beside):
                return True
    return False


def _may_raise(call: Syntax, program: Program) -> bool:
    """The called function raises the limit, or stands in another file."""
    callee = call.child("function")
    name = callee.text.partition("<")[0].rpartition("::")[2] if callee is not None else ""
    known = [function for function in program.outline.functions if function.name.rpartition("::")[2] == name]
    return not known or any(_LIMIT in function.body.text for function in known)
