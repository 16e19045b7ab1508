"""What an object's member is given by the list that the object begins with.

    struct Matrix { float* data; int rows, cols; };
    Matrix m{nullptr, 100, 300};                         m.cols is 300

Designated members, `{.rows = 100}`, are found by their names.
"""

from __future__ import annotations

import re

from cudalint.analysis.text.methods import CLASSES
from cudalint.analysis.text.scopes import Scope
from cudalint.ir.syntax import Syntax


def listed_value(text: str, scope: Scope) -> Syntax | None:
    """The expression that a member, `m.cols`, begins with; None where there is no list or the function gives `&m` away."""
    name, _, member = text.partition(".")
    values = scope.values.get(name, [])
    if len(values) != 1 or values[0].kind != "initializer_list" or name in scope.parameters:
        return None
    if re.search(rf"&\s*{re.escape(name)}\b(?!\s*(\.|\[|->))", scope.function.body.text):
        return None
    items = [child for child in values[0].children if child.kind != "comment"]
    pairs = [child for child in items if child.kind == "initializer_pair"]
    if pairs:
        return next((p.child("value") for p in pairs if _designated(p) == member), None)
    order = _members(scope.structures.get(name, ""), scope.outline.root)
    if order is None or member not in order or order.index(member) >= len(items):
        return None
    return items[order.index(member)]


def _designated(pair: Syntax) -> str:
    designator = pair.child("designator")
    return "" if designator is None else designator.bare.removeprefix(".")


def _members(structure: str, root: Syntax) -> list[str] | None:
    """The members in their order; None where it is not known, or a constructor takes the list."""
    found = [n for n in root.walk() if n.kind in CLASSES and n.child("body") is not None and _name(n) == structure]
    body = found[0].child("body") if len(found) == 1 else None
    if body is None or any(child.kind == "base_class_clause" for child in found[0].children):
        return None
    result: list[str] = []
    for child in body.children:
        if child.kind in ("function_definition", "declaration", "template_declaration") and structure in child.text:
            return None
        if child.kind != "field_declaration" or any(c.text == "static" for c in child.children):
            continue
        for declarator in child.all("declarator"):
            result += [n.text for n in declarator.walk() if n.kind == "field_identifier"][:1]
    return result


def _name(structure: Syntax) -> str:
    name = structure.child("name")
    return "" if name is None else name.text
