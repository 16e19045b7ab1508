"""Slots that an atomic counter gives, and a guard that lets the one behind the last pass.

int at = atomicAdd(count, 1);   if (at <= capacity) queue[at] = v;          cudaMalloc(&queue, capacity * sizeof(int))
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.guards.given_memory import has_one_more, is_used_at, sources_of
from cudalint.analysis.text.guard_conditions import parts_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import leaves, uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_MAKES = re.compile(r"alloc|resize|assign", re.IGNORECASE)
_TICKET = re.compile(r"(::)?atomic(Add|Inc)(_block)?")


def closed_tickets(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each guard; what it is about is the element that is set."""
    if "atomic" not in outline.root.text:
        return
    program = program_of(outline)
    for body in bodies(program):
        for node in body.nodes:
            condition, taken = node.child("condition"), node.child("consequence")
            if node.kind != "if_statement" or condition is None or taken is None:
                continue
            leaving = leaves(taken)
            parts = parts_of(condition, "||" if leaving else "&&")
            for part in parts:
                left, right = part.child("left"), part.child("right")
                if part.op != (">" if leaving else "<=") or left is None or right is None:
                    continue
                end = body.function.body.end if leaving else taken.end
                begin = taken.end if leaving else taken.start
                use = _stored_at(left.text, begin, end, body) if _is_ticket(left, body) else None
                if use is not None and _is_size(right, use, body, program):
                    text = f"`{short(part)}` lets `{left.text}` be {right.text}, which is behind the last slot"
                    yield GuardIssue(body.function, part, text, use)


def _is_ticket(name: Syntax, body: Body) -> bool:
    """A variable that is what an atomic counter gave, and nothing else."""
    values = body.scope.values.get(name.text, []) if name.kind == "identifier" else []
    callee = uncast(values[0]).child("function") if len(values) == 1 and name.text not in body.scope.grown else None
    return callee is not None and _TICKET.fullmatch(callee.text) is not None


def _stored_at(place: str, begin: int, end: int, body: Body) -> Syntax | None:
    for node in body.nodes:
        left = node.child("left") if node.kind == "assignment_expression" and begin <= node.start < end else None
        if left is not None and left.kind == "subscript_expression" and left.children[-1].bare.strip("[]") == place:
            return left
    return None


def _is_size(bound: Syntax, use: Syntax, body: Body, program: Program) -> bool:
    """A parameter, and the host makes as many elements of the array, and nowhere one more."""
    if bound.kind != "identifier" or bound.text not in body.scope.parameters:
        return False
    base = uncast(use.children[0]).text
    names = {name for name, _ in sources_of(base, body.function, program)}
    given = [value.bare for _, value in sources_of(bound.text, body.function, program) if value is not None]
    if any(value.endswith("-1") for value in given) or has_one_more(names, program):
        return False
    if is_used_at(names, re.compile(re.escape(bound.bare)), program):
        return False
    counts = {name for name, _ in sources_of(bound.text, body.function, program)}
    return any(
        _makes(node, names, counts) for f in program.outline.functions if f.role == "host" for node in f.body.walk()
    )


def _makes(node: Syntax, names: set[str], counts: set[str]) -> bool:
    """`cudaMalloc(&queue, capacity * sizeof(int))`, `device_vector<int> queue(capacity)`."""
    if node.kind not in ("call_expression", "init_declarator") or (
        node.kind == "call_expression" and not _MAKES.search(node.children[0].text)
    ):
        return False
    found = names_in(node)
    return not found.isdisjoint(names) and not found.isdisjoint(counts - names)
