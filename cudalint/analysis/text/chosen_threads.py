"""Conditions that pick some threads of a warp or block, other than those that are within the data.

if (lane == 0) ...      if (threadIdx.x > 0) return;                  picks
if (row < rows) ...                                                   does not
"""

from __future__ import annotations

import re

from cudalint.analysis.text.guard_patterns import closure_of, names_in, operands_of
from cudalint.analysis.text.scopes import leaves, uncast
from cudalint.analysis.text.text_program import Body
from cudalint.ir.syntax import Syntax

_PLACE = re.compile(r"threadIdx|lane|thread_rank|\btid\w*|\bthread|elect|leader|master|rank|warp|wid\b", re.IGNORECASE)


def reached_names(node: Syntax, body: Body) -> set[str]:
    """The names in an expression, and those that they are made of."""
    names = names_in(node)
    return names.union(*(closure_of(name, body) for name in names))


def is_chosen(node: Syntax, body: Body) -> bool:
    """Only some threads come here."""
    for parent, child in body.ancestors(node):
        condition = parent.child("condition") if parent.kind in ("if_statement", "switch_statement") else None
        if condition is not None and child is not condition and picks_threads(condition, body):
            return True
    return False


def sends_away(branch: Syntax, body: Body) -> bool:
    """Some threads leave with this `if`."""
    condition, then = branch.child("condition"), branch.child("consequence")
    return condition is not None and then is not None and leaves(then) and picks_threads(condition, body)


def picks_threads(condition: Syntax, body: Body) -> bool:
    """One of the conditions that are joined asks where the thread is, and not whether that is below a size."""
    while condition.kind in ("parenthesized_expression", "condition_clause") and len(condition.children) == 1:
        condition = condition.children[0]
    return any(_is_of_place(part, body) and not _is_bound(part, body) for part in operands_of(condition))


def _is_of_place(part: Syntax, body: Body) -> bool:
    return _PLACE.search(part.text) is not None or any(_PLACE.search(name) for name in reached_names(part, body))


def _is_bound(part: Syntax, body: Body) -> bool:
    """`i < n`, where n is what the function is given."""
    if part.kind != "binary_expression" or part.op not in ("<", ">=", ">", "<="):
        return False
    return any(uncast(child).text in body.scope.parameters for child in part.children)
