"""Sums in the type of a kernel's elements, where a dispatch of the file makes that type one of 16 bits.

template <typename scalar_t> __global__ void k(const scalar_t *x, ...) { scalar_t sum = 0;  for (...) sum += x[i]; }
AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "k", [&] { k<scalar_t><<<g, b>>>(x.data_ptr<scalar_t>(), ...); });
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_HALF = re.compile(r"AND_HALF|AND_BFLOAT16|REDUCED_FLOATING|k?(Half|BFloat16)\b")
_SHORT = re.compile(r"<=?\s*(\d+)$")
SHORT_TRIPS = 16
_LOOPS = ("for_statement", "while_statement", "do_statement")


def generic_sums(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each sum over a loop in a kernel that such a dispatch launches."""
    text = outline.root.text
    if "DISPATCH" not in text:
        return
    dispatches = [d for d in _dispatches(text) if _HALF.search(d.partition("{")[0]) is not None]
    for body in bodies(program_of(outline), ("kernel",)) if dispatches else ():
        launched = re.compile(rf"\b{re.escape(body.function.name.rpartition('::')[2])}\s*<\s*scalar_t\b")
        types = {name for name in body.function.template if _is_of_memory(name, body)}
        if not types or not any(map(launched.search, dispatches)):
            continue
        for node in body.nodes:
            left, right = node.child("left"), node.child("right")
            if node.kind != "assignment_expression" or node.op != "+=" or left is None or right is None:
                continue
            if body.scope.structures.get(left.text) in types and _is_added_in_long_loop(node, left.text, body):
                yield GuardIssue(body.function, node, _text(left, body))


def _dispatches(text: str) -> Iterator[str]:
    """Each dispatch up to the end of its argument list."""
    for found in re.finditer(r"\b\w+_DISPATCH\w*\s*\(", text):
        depth, place = 1, found.end()
        while depth and place < len(text):
            depth += {"(": 1, ")": -1}.get(text[place], 0)
            place += 1
        yield text[found.start() : place]


def _is_of_memory(name: str, body: Body) -> bool:
    """`const scalar_t *x`: the type of what some parameter points to."""
    return any(re.search(rf"\b{re.escape(name)}\b[\w\s]*\*", parameter.text) for parameter in body.function.parameters)


def _text(total: Syntax, body: Body) -> str:
    return (
        f"`{short(total)}` accumulates in {body.scope.structures[total.text]}, which is dispatched as a type of 16 bits"
    )


def _is_added_in_long_loop(node: Syntax, name: str, body: Body) -> bool:
    """The sum is set before a loop around, whose bound is no small constant."""
    if name in body.scope.parameters or name in body.scope.elements:
        return False
    starts = [value.start for value in body.scope.values.get(name, [])]
    for parent, _ in body.ancestors(node):
        condition = parent.child("condition")
        if parent.kind not in _LOOPS or condition is None or not all(start < parent.start for start in starts):
            continue
        bound = _SHORT.search(condition.text)
        fixed = condition.child("right")
        constant = body.scope.outline.constants.get(fixed.text) if fixed is not None else None
        known = int(bound[1]) if bound is not None else constant
        if known is None or known > SHORT_TRIPS:
            return bool(starts)
    return False
