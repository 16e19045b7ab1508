"""Channels that run on over the images: the quotient of a flat index is used without its remainder by the number of channels.

total = x.numel();  C = x.size(1);  scale<<<...>>>(x, bias, total, C, HW);
if (i < total) { int c = i / HW;  x[i] += bias[c]; }      // of image 1 on c is C or more; the kernel never reads C
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, names_in, short
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.scopes import INT, POINTER, UNSIGNED, WIDE, Scope, uncast
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_SECOND = re.compile(r"([\w.>()-]+?)(\.|->)(size|sizes\(\)\[|shape\[)\(?1[\])]$")
_WHOLE = re.compile(r"([\w.>()-]+?)(\.|->)numel\(\)$")


def running_digits(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel that gets the second size of a tensor, and does not read it, with the number of its elements."""
    program = program_of(outline)
    reported: set[int] = set()
    for launch, body in launched_kernels(program, outline):
        if id(body.function) in reported:
            continue
        lost = _unread(launch, body, program, _SECOND)
        whole = {name for name, owner in _given(launch, body, program, _WHOLE).items() if owner in lost.values()}
        use = _running_use(body, whole) if lost and whole else None
        if use is not None:
            reported.add(id(body.function))
            name = sorted(lost)[0]
            text = f"`{short(use)}` runs on over all of the elements: `{name}`, of which there are fewer, is never read"
            yield GuardIssue(body.function, use, text)


def _unread(launch: TextLaunch, body: Body, program: Program, what: re.Pattern[str]) -> dict[str, str]:
    """Parameters that the kernel does not mention, with the tensor whose size they get."""
    given = _given(launch, body, program, what)
    text = body.function.body.text
    return {name: owner for name, owner in given.items() if re.search(rf"\b{re.escape(name)}\b", text) is None}


def _given(launch: TextLaunch, body: Body, program: Program, what: re.Pattern[str]) -> dict[str, str]:
    """Whole parameters that get such a size of a tensor, with the tensor."""
    found: dict[str, str] = {}
    for name, argument in zip(body.scope.parameters, launch.arguments):
        told = what.match(_told(argument, program.scope(launch.function)))
        if told is not None and body.scope.types.get(name) in (INT, UNSIGNED, WIDE):
            found[name] = told[1]
    return found


def _told(argument: Syntax, scope: Scope) -> str:
    """The text of an argument, or of the only value of the variable that it is."""
    argument = uncast(argument)
    values = scope.values.get(argument.text, [])
    return uncast(values[0]).bare if argument.kind == "identifier" and len(values) == 1 else argument.bare


def _running_use(body: Body, whole: set[str]) -> Syntax | None:
    """`p[i / x]` of a parameter p, where i is a place kept below the number of all elements, and nothing takes its remainder."""
    if any(node.op in ("%", "%=") for node in body.nodes):
        return None
    for node in body.nodes:
        base, indices = node.child("argument"), node.all("indices")
        if node.kind != "subscript_expression" or base is None or len(indices) != 1:
            continue
        digit = _value(indices[0], body)
        place = digit.child("left") if digit.kind == "binary_expression" and digit.op == "/" else None
        if place is None or place.text not in body.positions or body.scope.types.get(base.text) != POINTER:
            continue
        if any(not whole.isdisjoint(names_in(limit)) for limit in body.scope.limits.get(place.text, [])):
            return node
    return None


def _value(node: Syntax, body: Body) -> Syntax:
    values = body.scope.values.get(node.text, [])
    changed = node.text in body.scope.grown or len(values) != 1
    return node if node.kind != "identifier" or changed else uncast(values[0])
