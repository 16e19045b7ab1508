"""Temporary storage of a device-wide algorithm that was asked for with another algorithm, or for a part of the elements.

cub::DeviceRadixSort::SortKeys(nullptr, bytes, ...);   cub::DeviceRadixSort::SortPairs(storage, bytes, ...);
cub::DeviceScan::InclusiveSum(nullptr, bytes, x, y, n);   cub::DeviceScan::InclusiveSum(storage, bytes, x, y, n + 1);
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import INT, UNSIGNED, WIDE, kind_of, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ALGORITHM = re.compile(r"(::)?(cub|hipcub)::Device\w+::\w+")
_NOTHING = ("nullptr", "NULL", "0")


def other_storage_queries(outline: Outline) -> Iterator[GuardIssue]:
    """A run whose number of bytes comes from the question of another algorithm alone."""
    if "cub::Device" not in outline.root.text:
        return
    for body in bodies(program_of(outline), ("host",)):
        asked: dict[str, Syntax] = {}
        alone: dict[str, set[str]] = {}
        for node in body.nodes:
            name, given = _call(node)
            if not name or len(given) < 2 or given[1].kind != "identifier":
                continue
            size = given[1].text
            if given[0].bare in _NOTHING or _is_null_there(given[0], node, body):
                asked[size] = node
                alone.setdefault(size, set()).add(name)
            elif size in asked and name not in alone[size] and not _is_set_otherwise(size, asked[size], node, body):
                other = _call(asked[size])[0]
                text = f"the storage of `{name}` has the size that `{other}` asked for"
                yield GuardIssue(body.function, node, text, asked[size])
            elif size in asked and alone[size] == {name} and not _is_set_otherwise(size, asked[size], node, body):
                query = _call(asked[size])[1]
                for count, asked_for in zip(given[2:], query[2:]) if len(given) == len(query) else ():
                    if _is_more(count, asked_for, body):
                        text = f"the storage is as large as `{asked_for.text}` elements need, and `{count.text}` are worked on"
                        yield GuardIssue(body.function, node, text, asked[size])


def _call(node: Syntax) -> tuple[str, tuple[Syntax, ...]]:
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None:
        return "", ()
    name = re.sub(r"<.*", "", callee.bare)
    return (name, arguments.children) if _ALGORITHM.fullmatch(name) else ("", ())


def _is_more(count: Syntax, asked_for: Syntax, body: Body) -> bool:
    """n + 1 or a multiple of n where n was asked for; what is one number under two names is not told apart."""
    if count.bare == asked_for.bare or kind_of(count, body.scope) not in (INT, UNSIGNED, WIDE):
        return False
    made = body.scope.values.get(count.text, [])
    value = uncast(made[0]) if len(made) == 1 else count
    parts = [uncast(part).bare for part in value.children] if value.op in ("+", "*") else []
    return asked_for.bare in parts and "0" not in parts and "1" not in (parts if value.op == "*" else [])


def _is_null_there(storage: Syntax, call: Syntax, body: Body) -> bool:
    """A variable that begins as null, and of which nothing is said between that and the call."""
    values = body.scope.values.get(storage.text, [])
    if storage.kind != "identifier" or not values or values[0].bare not in _NOTHING:
        return False
    before = (n for n in body.nodes if n.kind == "identifier" and n.text == storage.text and n.start < call.start)
    return all(n.end < values[0].start or _call(_around(n, body))[0] for n in before)


def _around(node: Syntax, body: Body) -> Syntax:
    """The call that the node is an argument of."""
    for parent, _ in body.ancestors(node):
        if parent.kind == "call_expression" and _call(parent)[0]:
            return parent
    return node


def _is_set_otherwise(size: str, query: Syntax, run: Syntax, body: Body) -> bool:
    """An assignment or another call changes the number in between, or the two stand in different branches."""
    for node in body.nodes:
        if not query.end <= node.start < run.start:
            continue
        left = node.child("left")
        if node.kind == "assignment_expression" and left is not None and left.text == size:
            return True
        if node.kind == "pointer_expression" and node.op == "&" and node.children and node.children[-1].text == size:
            return True
    branches = [
        {id(p) for p, _ in body.ancestors(n) if p.kind in ("if_statement", "switch_statement")} for n in (query, run)
    ]
    return branches[0] != branches[1]
