"""Divisions by a norm or a largest magnitude that is zero where all elements are.

for (...) s += x[i] * x[i];  y[i] = x[i] / sqrtf(s);                    a row of zeros becomes NaN
for (...) m = fmaxf(m, fabsf(x[i]));  q = rintf(x[i] * (127.f / m));    the same
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.precision.magnitudes import ROOT, Vanishing
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import FLOATING, kind_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax


def vanishing_divisors(outline: Outline) -> Iterator[GuardIssue]:
    """The first division of each function by each such value, which nothing keeps off zero."""
    for body in bodies(program_of(outline)):
        told: set[frozenset[str]] = set()
        for node in body.nodes:
            divisor = _divisor(node, body)
            if divisor is None:
                continue
            vanishing = Vanishing(body)
            if not vanishing.may_be_zero(divisor) or not vanishing.gathered or vanishing.is_kept_off_zero():
                continue
            if not any(others & vanishing.names.keys() for others in told):
                yield GuardIssue(body.function, node, f"`{short(divisor)}` is zero where all elements are, and divides")
            told.add(frozenset(vanishing.names))


def _divisor(node: Syntax, body: Body) -> Syntax | None:
    """What a division in floating point, or a reciprocal root, is by."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind == "call_expression" and callee is not None and arguments is not None and len(arguments.children) == 1:
        return arguments.children[0] if ROOT.match(callee.text) and "rsqrt" in callee.text else None
    if node.op not in ("/", "/=") or node.kind not in ("binary_expression", "assignment_expression"):
        return None
    right = node.child("right")
    return right if right is not None and kind_of(node.children[-1], body.scope) in (FLOATING, "unknown") else None
