"""Whole-number variables that a loop adds real numbers to: each step drops the fraction of what it adds.

int sum = 0;  for (...) sum += fabsf(x[i]);            numbers below 1 leave it at 0
float sum = 0;  for (...) sum += fabsf(x[i]);
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import FLOATING, INT, UNSIGNED, WIDE, kind_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_WHOLE = (INT, UNSIGNED, WIDE)
_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")
_ROUNDS = re.compile(r"(round|rint|floor|ceil|trunc|nearbyint)f?\w*\(|_r[nzud]\(")
_OF_REALS = re.compile(
    r"^(::|std::)?(__)?(fabs|r?sqrt|cbrt|exp(2|10|m1)?|log(2|10|1p)?|pow|sin|cos|tan|tanh|erf|fma|fmax|fmin)f?$"
)


def truncated_sums(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such step, unless what it adds was rounded before."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            name, added = node.child("left"), node.child("right")
            if node.kind != "assignment_expression" or node.op not in ("+=", "-=") or name is None or added is None:
                continue
            if name.kind != "identifier" or body.scope.types.get(name.text) not in _WHOLE:
                continue
            if _is_real(added, body) and not _ROUNDS.search(added.text) and _is_in_loop(node, name.text, body):
                text = f"`{name.text}` holds whole numbers, and each `{short(node)}` drops the fraction of what it adds"
                yield GuardIssue(body.function, node, text)


def _is_real(added: Syntax, body: Body) -> bool:
    """It reads an element or a variable of floating-point type; a number such as `2.0` may be a whole one."""
    if not any(part.kind in ("identifier", "subscript_expression") for part in added.walk()):
        return False
    callee = added.child("function") if added.kind == "call_expression" else None
    of_reals = callee is not None and _OF_REALS.match(callee.text) is not None
    return of_reals or kind_of(added, body.scope) == FLOATING


def _is_in_loop(node: Syntax, name: str, body: Body) -> bool:
    """In one that goes on with the variable, which does not begin anew in each round."""
    begun = [n for n in body.nodes if n.kind == "declaration" and any(_declares(c, name) for c in n.children)]
    loops = (parent for parent, _ in body.ancestors(node) if parent.kind in _LOOPS)
    return any(all(not loop.start < n.start < loop.end or _is_head(loop, n) for n in begun) for loop in loops)


def _declares(declarator: Syntax, name: str) -> bool:
    named = declarator.child("declarator") if declarator.kind == "init_declarator" else declarator
    return named is not None and named.kind == "identifier" and named.text == name


def _is_head(loop: Syntax, declaration: Syntax) -> bool:
    return loop.child("initializer") is declaration
