"""Divisions by a norm or a largest magnitude that is zero where all elements are.

for (...) s += x[i] * x[i];  y[i] = x[i] / sqrtf(s);                    a row of zeros becomes NaN
for (...) m = fmaxf(m, fabsf(x[i]));  q = rintf(x[i] / (m / 127.f));    the same

The factor `127.f / m` of codes that are integers is left out: a conversion of NaN to an integer gives zero, the right code
(PTX ISA, cvt).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.magnitudes import ROOT, Vanishing
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import FLOATING, kind_of, uncast
from cudalint.analysis.text.text_program import Body, number_of, program_of
from cudalint.ir.syntax import Outline, Syntax


def vanishing_divisors(outline: Outline) -> Iterator[GuardIssue]:
    """The first division of each function by each such value, which nothing keeps off zero."""
    for body in bodies(program_of(outline)):
        if _DRAWS.search(body.function.body.text):
            continue  # a norm of random numbers is never zero
        if _ASKS_AFTERWARDS.search(body.function.body.text):
            continue
        if _DIVISION.search(body.function.name):
            continue  # of complex numbers: whoever divides by zero gets what a division by zero gives
        told: set[frozenset[str]] = set()
        for node in body.nodes:
            divisor = _divisor(node, body)
            if divisor is None or _is_factor_of_codes(node, body):
                continue
            vanishing = Vanishing(body, node.start)
            if not vanishing.may_be_zero(divisor) or not vanishing.gathered or vanishing.is_kept_off_zero():
                continue
            if not any(others & vanishing.names.keys() for others in told):
                yield GuardIssue(body.function, node, f"`{short(divisor)}` is zero where all elements are, and divides")
            told.add(frozenset(vanishing.names))


def _is_factor_of_codes(node: Syntax, body: Body) -> bool:
    """`127.f / m` or `(1 << bits) / m` in a function that rounds to integers and clamps nothing."""
    left = node.child("left")
    if left is None or node.op != "/" or not _is_count_of_codes(left):
        return False
    text = body.function.body.text
    return _ROUNDS.search(text) is not None and _OTHER_CODES.search(text) is None


def _is_count_of_codes(above: Syntax) -> bool:
    above = uncast(above)
    return above.op == "<<" or (above.kind == "number_literal" and number_of(above.text) > 1)


_DIVISION = re.compile(r"\boperator\s*/=?$")
_ASKS_AFTERWARDS = re.compile(r"\b(?:is_?(?:finite|nan|inf)|__isnanf?|__isinff?|__finitef?)\s*\(", re.IGNORECASE)
_DRAWS = re.compile(r"\bcurand_(normal|uniform|log_normal)")
_ROUNDS = re.compile(r"\b(?:l?l?r(?:ound|int)f?|nearbyintf?|__float2int_\w\w|__half2int_\w\w)\s*\(")
_OTHER_CODES = re.compile(r"fp8|e4m3|e5m2|\bf?(?:max|min)f?\s*\([^;]*\br(?:ound|int)f?\b|\bclamp", re.IGNORECASE)


def _divisor(node: Syntax, body: Body) -> Syntax | None:
    """What a division in floating point, or a reciprocal root, is by."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind == "call_expression" and callee is not None and arguments is not None and len(arguments.children) == 1:
        return arguments.children[0] if ROOT.match(callee.text) and "rsqrt" in callee.text else None
    if node.op not in ("/", "/=") or node.kind not in ("binary_expression", "assignment_expression"):
        return None
    right = node.child("right")
    return right if right is not None and kind_of(node.children[-1], body.scope) in (FLOATING, "unknown") else None
