"""Sums of what a mask in memory lets pass, by which is divided: where it lets nothing pass, the result is 0 / 0.

for (int c = lane; c < cols; c += 32) if (keep[c]) sum += expf(row[c] - top);    ...    out[c] = e / sum;
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.float_patterns import is_tested
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import FLOATING
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ZERO = re.compile(r"\(?0?\.?0*f?\)?")
_FLAGS = r"\b(bool|u?int8_t|(unsigned )?char)\s*(const\s*)?\*\s*(const\s+|__restrict__\s+|__restrict\s+)*"


def masked_sums(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each sum."""
    for body in bodies(program_of(outline), ("kernel", "device")):
        told: set[str] = set()
        for node in body.nodes:
            below = node.child("right") if node.kind == "binary_expression" and node.op == "/" else None
            if below is None or below.kind != "identifier" or below.text in told:
                continue
            added = _masked_addition(below.text, body)
            if added is not None and not is_tested(below.text, body):
                told.add(below.text)
                text = f"`{short(node)}` is 0 / 0 where the mask lets nothing pass"
                yield GuardIssue(body.function, node, text, added)


def _masked_addition(name: str, body: Body) -> Syntax | None:
    """`if (keep[c]) sum += x[c];` where nothing else is added to a sum that begins with zero, but what others have of it."""
    begin = body.scope.values.get(name, [])
    if body.scope.types.get(name) != FLOATING or not begin or _ZERO.fullmatch(begin[0].text) is None:
        return None
    found: Syntax | None = None
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind != "assignment_expression" or left is None or right is None or left.text != name:
            continue
        if name in names_in(right):
            continue
        if node.op != "+=" or not _is_masked(node, body):
            return None
        found = found or node
    return found


def _is_masked(addition: Syntax, body: Body) -> bool:
    """The innermost condition asks an element of an array of flags, and nothing else."""
    for parent, child in body.ancestors(addition):
        if parent.kind != "if_statement":
            continue
        asked, taken = parent.child("condition"), parent.child("consequence")
        while (
            asked is not None
            and asked.kind in ("condition_clause", "parenthesized_expression")
            and len(asked.children) == 1
        ):
            asked = asked.children[0]
        array = asked.child("argument") if asked is not None and asked.kind == "subscript_expression" else None
        if array is None or taken is not child:
            return False
        text = " ".join((*(parameter.text for parameter in body.function.parameters), body.function.body.text))
        return re.search(_FLAGS + re.escape(array.text) + r"\b", text) is not None
    return False
