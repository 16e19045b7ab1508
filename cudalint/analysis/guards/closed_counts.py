"""Loops from zero through a count that take the element behind the last.

for (unsigned k = 0; k <= pat_len; ++k) if (text[i + k] != pat[k]) ...          pat has pat_len elements
for (int k = 0; k <= cols; ++k) sum += x[row * cols + k];                       the next row begins at cols
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import OFFSETS, GuardIssue, bodies, is_count, short
from cudalint.analysis.text.scopes import POINTER, uncast
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LONG = re.compile(r"\w\w")
_FROM_ZERO = re.compile(r"=\s*0[uUlL]*\s*;?$")
_HIGHEST = re.compile(r"degree|order|power|max|last|level|coef|poly|knot|table|_p1\b|plus", re.IGNORECASE)


def closed_counts(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop."""
    for body in bodies(program_of(outline)):
        for loop in body.nodes:
            start, condition = loop.child("initializer"), loop.child("condition")
            if loop.kind != "for_statement" or start is None or condition is None or condition.op != "<=":
                continue
            counter, bound = condition.children
            if not _FROM_ZERO.search(start.text) or counter.kind != "identifier" or bound.kind != "identifier":
                continue
            if bound.text not in body.scope.parameters or not _counts_elements(bound, body):
                continue
            used = next((n for n in loop.walk() if _goes_too_far(n, counter.text, bound.text, body)), None)
            if used is not None:
                text = f"`{short(condition)}` lets {counter.text} == {bound.text} pass"
                yield GuardIssue(body.function, condition, text, used)


def _counts_elements(bound: Syntax, body: Body) -> bool:
    """A number by its name, which nothing makes one longer: `n + 1` elsewhere says that there is an element at the end."""
    longer = re.compile(rf"\b{re.escape(bound.text)}\s*\+\s*1\b")
    named = is_count(bound, body) and _LONG.match(bound.text) and not _HIGHEST.search(bound.text)
    return bool(named) and not longer.search(body.function.body.text)


def _goes_too_far(node: Syntax, counter: str, bound: str, body: Body) -> bool:
    """An element of what the function is given, at the counter itself, or in a row that has as many."""
    base = node.child("argument") if node.kind == "subscript_expression" else None
    if base is None or body.scope.types.get(base.text) != POINTER or base.text not in body.scope.parameters:
        return False
    if OFFSETS.search(base.text) or _HIGHEST.search(base.text):
        return False
    index = node.children[1].children[0] if node.children[1].kind == "subscript_argument_list" else node.children[1]
    terms = [uncast(term) for term in terms_of(uncast(index))]
    rest = [term for term in terms if term.text != counter]
    rows = all(term.op == "*" and bound in (uncast(factor).text for factor in term.children) for term in rest)
    return len(rest) == len(terms) - 1 and rows
