"""Which of its values a variable has in a branch of `if constexpr`: another one of the same condition keeps the others out.

if constexpr (is_wide) bytes = columns * 4; else bytes = 0;
if constexpr (is_wide) wide<<<rows, 128, bytes>>>(x); else plain<<<rows, 128, bytes>>>(x);      bytes = 0
"""

from __future__ import annotations

from cudalint.ir.syntax import Syntax, TextFunction


def reaching(values: list[Syntax], place: int | None, function: TextFunction) -> list[Syntax]:
    """The values that stand in no other branch than the place; all of them where none does, or where none is excluded."""
    if place is None or len(values) < 2 or "constexpr" not in function.body.text:
        return values
    branches = _branches(function.body)
    here = _conditions(branches, place)
    found = [v for v in values if all(here.get(c, h) == h for c, h in _conditions(branches, v.start).items())]
    return found or values


def _branches(body: Syntax) -> list[tuple[str, bool, Syntax]]:
    """Each branch with its condition, and whether that holds there."""
    found: list[tuple[str, bool, Syntax]] = []
    for node in body.walk():
        condition = node.child("condition") if node.kind == "if_statement" else None
        if condition is None or not node.text.removeprefix("if").lstrip().startswith("constexpr"):
            continue
        for side, holds in (("consequence", True), ("alternative", False)):
            if (branch := node.child(side)) is not None:
                found.append((condition.bare, holds, branch))
    return found


def _conditions(branches: list[tuple[str, bool, Syntax]], place: int) -> dict[str, bool]:
    return {condition: holds for condition, holds, branch in branches if branch.start <= place < branch.end}
