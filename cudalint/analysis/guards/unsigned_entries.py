"""Entries of a list of indices that are kept below their end alone, where the file asks of the same list whether an entry is there.

if (at[i] >= 0) out[i] = rows[at[i]];                                  -1 stands for none
const int row = at[i];  if (row < n_rows) rows[row] = in[i];           -1 is below n_rows as well
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import INT, UNKNOWN, WIDE
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ASKED = {(">=", "0"), ("<", "0"), ("==", "-1"), ("!=", "-1"), (">", "-1"), ("<=", "-1")}
_SIGNED = (INT, WIDE, UNKNOWN)


def unsigned_entries(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each entry, at the comparison with its end."""
    every = list(bodies(program_of(outline)))
    asked: dict[str, tuple[Body, Syntax]] = {}
    for body in every:
        for list_, condition in _asked(body):
            asked.setdefault(list_, (body, condition))
    for body in every:
        for name, list_ in entries_of(body):
            other = asked.get(list_)
            if other is None or other[0] is body or _asks(name, body):
                continue
            end = _end(name, body)
            use = _use(name, end, body) if end is not None else None
            if use is not None and end is not None:
                text = f"`{short(end)}` lets a negative `{name}` pass, which `{other[0].function.name}` asks about"
                yield GuardIssue(body.function, end, text, other[1], behind=(use,))


def entries_of(body: Body) -> Iterator[tuple[str, str]]:
    """(variable, list) of each variable that is an entry of a list that the function is given."""
    for name, values in sorted(body.scope.values.items()):
        base = values[0].child("argument") if len(values) == 1 and values[0].kind == "subscript_expression" else None
        given = base is not None and base.text in body.scope.parameters
        if given and base is not None and body.scope.types.get(name) in _SIGNED and name not in body.scope.grown:
            yield name, base.text


def _asked(body: Body) -> Iterator[tuple[str, Syntax]]:
    entries = dict(entries_of(body))
    for node in body.nodes:
        if node.kind == "binary_expression" and len(node.children) == 2:
            left, right = node.children
            if (node.op or "", right.bare) in _ASKED:
                base = left.child("argument") if left.kind == "subscript_expression" else None
                list_ = base.text if base is not None and base.text in body.scope.parameters else entries.get(left.text)
                if list_ is not None:
                    yield list_, node


def _asks(name: str, body: Body) -> bool:
    """The function compares the entry with more than its end, or changes it."""
    text, entry = body.function.body.text, re.escape(name)
    compared = rf"\b{entry}\b\s*(>=?|==|!=|<=?\s*-?\s*[01]\b)|-?\d\s*<=?\s*{entry}\b"
    below = rf"{compared}|\b(max|abs|clamp\w*)\s*\([^;]*\b{entry}\b"
    return re.search(below, text) is not None


def _end(name: str, body: Body) -> Syntax | None:
    """`name < end` in a condition."""
    for node in body.nodes:
        condition = node.child("condition")
        for part in condition.walk() if condition is not None and node.kind == "if_statement" else ():
            if part.kind == "binary_expression" and part.op == "<" and part.children[0].text == name:
                return part
    return None


def _use(name: str, end: Syntax, body: Body) -> Syntax | None:
    """An element that the entry chooses behind the comparison."""
    for node in body.nodes:
        if node.kind == "subscript_expression" and node.start > end.start and name in names_in(node.children[-1]):
            return node
    return None
