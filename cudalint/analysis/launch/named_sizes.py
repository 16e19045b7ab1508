"""What an expression is made of, by names: `x.size(1)` is another size than `x.size(0)`, and both are part of `x`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cudalint.analysis.text.scopes import Scope
from cudalint.ir.syntax import Syntax

_SIDE = re.compile(r"\w+(\.|->)(size|shape|dim)\(\d+\)")


def sizes_named(node: Syntax) -> set[str]:
    """The names in an expression; a numbered side of an object, `x.size(1)`, is a name of its own."""
    if node.kind == "call_expression" and _SIDE.fullmatch(node.bare):
        return {node.bare}
    own = {node.text} if node.kind == "identifier" else set[str]()
    return own.union(*map(sizes_named, node.children))


def names_behind(side: Syntax, scope: Scope) -> set[str]:
    """The names that a side is computed from, and those that they are computed from."""
    found: set[str] = set()
    open_ = [side]
    while open_:
        names = sizes_named(open_.pop()) - found
        found |= names
        open_ += [value for name in names for value in scope.values.get(name, [])]
    return found


def are_related(first: Iterable[str], second: set[str]) -> bool:
    """One name is in both, or an object in the one and a side of it in the other."""
    return any(a == b or _owner(a) == b or a == _owner(b) for a in first for b in second)


def _owner(name: str) -> str:
    return re.split(r"\.|->", name)[0]
