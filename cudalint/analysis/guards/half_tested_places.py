"""Two places that are computed alike, of which one is held against both ends of its side and the other against one end.

int iy = oy * stride + ky - pad, ix = ox * stride + kx - pad;
if (iy < 0 || iy >= h || ix >= w) continue;          in[iy * w + ix]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.scopes import INT, WIDE, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_NAME = re.compile(r"[A-Za-z_]\w*")
_ORDERS = ("<", "<=", ">", ">=")
_FITTED = re.compile(r"max|min|clamp|abs|unsigned|uint", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Tests:
    """Where a place is compared, by the end of its side: 0 is the lower one."""

    at: tuple[tuple[Syntax, ...], tuple[Syntax, ...]]


def half_tested_places(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each place that misses the test of an end which the place beside it has."""
    for body in bodies(program_of(outline), ("kernel", "device")):
        places = {name: shape for name in sorted(body.scope.values) if (shape := _shape(name, body)) is not None}
        tests = {name: _tests(name, body) for name in places} if len(set(places.values())) < len(places) else {}
        for name, shape in places.items() if tests else ():
            for other in (each for each, like in places.items() if like == shape and each != name):
                missing = _missing(tests[name], tests[other])
                if missing is not None and _are_of_one_element(name, other, body):
                    end = ("against zero", "against the end of its side")[missing]
                    text = f"`{name}` is not tested {end}, as `{other}` is"
                    yield GuardIssue(body.function, tests[name].at[1 - missing][0], text, tests[other].at[missing][0])
                    break


def _shape(name: str, body: Body) -> str | None:
    """How a signed place that may be below zero is made, whatever its operands are called."""
    values = body.scope.values.get(name, [])
    if len(values) != 1 or name in body.scope.grown or body.scope.types.get(name) not in (INT, WIDE):
        return None
    made = values[0].bare
    below = re.search(r"[\w)\]]-[\w(]", made) is not None
    return _NAME.sub("#", made) if below and _FITTED.search(made) is None and len(_NAME.findall(made)) > 1 else None


def _tests(name: str, body: Body) -> _Tests:
    found: tuple[list[Syntax], list[Syntax]] = ([], [])
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind != "binary_expression" or node.op not in _ORDERS or left is None or right is None:
            continue
        for own, other in ((left, right), (right, left)):
            if uncast(own).text == name:
                found[0 if uncast(other).bare in ("0", "-1") else 1].append(node)
    return _Tests((tuple(found[0]), tuple(found[1])))


def _missing(own: _Tests, other: _Tests) -> int | None:
    """The end that the other is tested for and this one is not, where this one is tested for the opposite end."""
    if not (other.at[0] and other.at[1]):
        return None
    if own.at[1] and not own.at[0]:
        return 0
    return 1 if own.at[0] and not own.at[1] else None


def _are_of_one_element(name: str, other: str, body: Body) -> bool:
    """Both are in one index, or in one expression that is kept for it, and nothing fits the first one into its side."""
    if any(node.kind == "call_expression" and _is_fitting(node, name) for node in body.nodes):
        return False
    together = (
        node for node in body.nodes if node.kind in ("subscript_expression", "init_declarator", "call_expression")
    )
    return any({name, other} <= names_in(node) for node in together)


def _is_fitting(call: Syntax, name: str) -> bool:
    callee, arguments = call.child("function"), call.child("arguments")
    fits = callee is not None and arguments is not None and _FITTED.search(callee.text) is not None
    return fits and arguments is not None and name in names_in(arguments)
