"""Variables that say whether a thread passed a guard: a constant for those that did not, something else for those that did.

int slot = -1;  if (i < n && keep[i]) slot = atomicAdd(&count, 1);  ...  if (slot >= 0) out[slot] = x[i];
"""

from __future__ import annotations

import re

from cudalint.analysis.text.text_program import Body
from cudalint.ir.syntax import Syntax

_CONSTANT = re.compile(r"-?\d+[uUlL]*|-?\d*\.\d*[fF]?|true|false|nullptr|NULL|[A-Z][A-Z0-9_]+")


def marks_of(names: set[str], body: Body) -> set[str]:
    """Whoever finds another value than the constant there has passed a condition on one of the names."""
    return {
        mark
        for mark, values in body.scope.values.items()
        if mark not in body.scope.grown
        and any(_stands_under(value, names, body) for value in values)
        and all(_CONSTANT.fullmatch(value.text) or _stands_under(value, names, body) for value in values)
    }


def _stands_under(value: Syntax, names: set[str], body: Body) -> bool:
    for parent, child in body.ancestors(value):
        condition = parent.child("condition")
        if condition is not None and child is not condition and any(part.text in names for part in condition.walk()):
            return True
    return False
