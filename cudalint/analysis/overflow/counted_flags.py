"""Sums of which the text says that they stay small: of flags of a number of things that is an int, and sums that are checked.

keep[i] = x[i] > 0.f;  exclusive_scan(keep.begin(), keep.end(), at.begin());      no more than there are elements
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.device_sums import DeviceSum
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.scopes import WIDE, Scope, kind_of, uncast
from cudalint.analysis.text.text_program import Program
from cudalint.ir.syntax import Syntax, TextFunction

_ASKED = re.compile(
    r"INT_?(32_)?MAX|numeric_limits<\s*(?:std::)?(?:u?int|unsigned)|0x[7f]f{7}|2147483647", re.IGNORECASE
)
_ONE = re.compile(r"[01](?:\.0*)?[uUlLfF]*")
_SAID = ("<", ">", "<=", ">=", "==", "!=", "&&", "||", "!")


def stays_small(each: DeviceSum, program: Program) -> bool:
    """The function asks how large 32 bits are, or it adds up flags, of which 32 bits count all."""
    if _ASKED.search(each.function.body.text) is not None:
        return True
    return bool(each.name) and not _is_many(each, program.scope(each.function)) and _is_filled_by_flags(each, program)


def _is_many(each: DeviceSum, scope: Scope) -> bool:
    """The number of elements is a variable of 64 bits."""
    arguments = each.node.child("arguments")
    given = () if arguments is None else arguments.children
    sized = re.compile(rf"\b{re.escape(each.name)}(?:\.resize)?\s*[({{]\s*(\w+)")
    named = sized.findall(each.function.body.text)
    parts = [node for argument in given for node in argument.walk() if node.kind == "identifier"]
    numbers = [part.text for part in parts if part.text != each.name] + named
    return any(scope.types.get(name) == WIDE for name in numbers if not re.search(r"byte|temp|storage", name))


def _is_filled_by_flags(each: DeviceSum, program: Program) -> bool:
    """All that kernels launched by the function store in the elements is 0 or 1, or counts by one."""
    stored = list(_stored(each, program))
    return bool(stored) and all(_is_flag(value, scope) for value, scope in stored)


def _stored(each: DeviceSum, program: Program) -> Iterator[tuple[Syntax, Scope]]:
    kernels = kernels_by_name(program.outline)
    for launch in text_launches(program):
        if launch.function is not each.function:
            continue
        for kernel in kernels.get(launch.kernel, []):
            scope = program.scope(kernel)
            for name, argument in zip(scope.parameters, launch.arguments):
                if name and re.search(rf"\b{re.escape(each.name)}\b", argument.text):
                    yield from ((value, scope) for value in _stores(name, kernel))


def _stores(name: str, kernel: TextFunction) -> Iterator[Syntax]:
    """What a kernel stores in the elements of a parameter, and what it adds to them."""
    for node in kernel.body.walk():
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and left is not None and right is not None:
            if re.match(rf"\**\(?{re.escape(name)}\b", left.bare) and left.kind != "identifier":
                yield right
        callee, arguments = node.child("function"), node.child("arguments")
        if callee is not None and arguments is not None and callee.text.startswith("atomic") and arguments.children:
            if re.match(rf"\(?&?{re.escape(name)}\b", arguments.children[0].bare):
                yield arguments.children[-1]


def _is_flag(value: Syntax, scope: Scope, hops: int = 2) -> bool:
    """A comparison, 0 or 1, a choice of these, or a variable that is one."""
    value = uncast(value)
    if value.op in _SAID or _ONE.fullmatch(value.text) or value.text in ("true", "false"):
        return True
    if value.kind == "conditional_expression":
        return all(_is_flag(choice, scope, hops) for choice in value.children[1:])
    if value.kind != "identifier" or hops == 0 or value.text in scope.grown:
        return False
    made = scope.values.get(value.text, [])
    of_type = scope.structures.get(value.text) == "bool"
    return of_type or (bool(made) and kind_of(value, scope) != WIDE and all(_is_flag(m, scope, hops - 1) for m in made))
