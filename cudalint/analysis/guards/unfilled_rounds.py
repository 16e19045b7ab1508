"""Loops over rounds that are rounded up, whose last round goes beyond the elements, and an access in them without a guard.

int rounds = (length + blockDim.x - 1) / blockDim.x;
for (int i = 0; i < rounds; i++) { int at = i * blockDim.x + threadIdx.x;  sum += x[at]; }       length = 100 of 128 threads
for (int i = 0; i < rounds; i++) sum += load4(x + (i * blockDim.x + threadIdx.x) * 4);           and the store is guarded
for (int t = 0; t < (K + 15) / 16; t++) tile[threadIdx.y][threadIdx.x] = b[(t * 16 + threadIdx.y) * N + column];
int end = align_to(columns, 32);   for (int c = lane; c < end; c += 32) sum += x[row * columns + c];
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, names_in, short
from cudalint.analysis.text.marks import marks_of
from cudalint.analysis.text.scopes import POINTER, kind_of, leaves
from cudalint.analysis.text.tail_patterns import terms_of, worked_out
from cudalint.analysis.text.text_program import CEIL, Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ROUNDED = re.compile(
    r"\((?:[^()]|\([^()]*\))*\+(?:[^()]|\([^()]*\))*-1\)+/|-1\)/[\w.:>()-]+\+1$|(?:^|[^\w.])(?:std::)?ceilf?\(.*/"
)
_ADDED = re.compile(r"\+(\d+)\)+/(\d+)$")  # `(n + 15) / 16`
_FROM_ZERO = re.compile(r"=\s*0[uUlL]*\s*;?$")
_PADDED = re.compile(r"align_?(to|up)|round_?up(_to\w*)?$|pad_?to|next_multiple", re.IGNORECASE)
_REDUCED = re.compile(r"\b(min|max|clamp\w*)\b|[%&?]")


def unfilled_rounds(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop: the first access that no condition about the round keeps inside."""
    for body in bodies(program_of(outline)):
        for loop in body.nodes:
            counted = _rounds(loop, body)
            access = _unguarded(counted[0], loop, body) if counted is not None else None
            if counted is not None and access is not None:
                _, bound, value = counted
                text = (
                    f"`{short(access)}` is reached in all of `{short(bound)}` rounds, and the last of them is not full"
                )
                yield GuardIssue(body.function, access, text, value)
                continue
            padded = _padded_end(loop, body)
            access = _beyond_row(*padded, loop, body) if padded is not None else None
            if padded is not None and access is not None:
                text = f"`{short(access)}` is reached up to `{short(padded[1])}`, and the row has fewer elements"
                yield GuardIssue(body.function, access, text, padded[1])


def _padded_end(loop: Syntax, body: Body) -> tuple[str, Syntax, str] | None:
    """(counter, what it stays below, the size that is rounded up in it) of a loop to a whole number of steps."""
    condition = loop.child("condition") if loop.kind in ("for_statement", "while_statement") else None
    counter, end = (None, None) if condition is None else (condition.child("left"), condition.child("right"))
    if condition is None or condition.op != "<" or counter is None or end is None or counter.kind != "identifier":
        return None
    values = body.scope.values.get(end.text, [])
    value = values[0] if len(values) == 1 and end.text not in body.scope.grown else end
    callee, arguments = value.child("function"), value.child("arguments")
    if callee is None or arguments is None or not arguments.children or not _PADDED.search(callee.text):
        return None
    size = arguments.children[0].text
    return (counter.text, value, size) if size in body.scope.parameters else None


def _beyond_row(counter: str, end: Syntax, size: str, loop: Syntax, body: Body) -> Syntax | None:
    """An element of a row with as many elements as the size, at the counter, that no condition keeps inside."""
    made = worked_out(counter, body) - set(filter(None, body.scope.parameters))
    for node in loop.walk():
        base = node.child("argument") if node.kind == "subscript_expression" else None
        if base is None or base.text not in body.scope.parameters or body.scope.types.get(base.text) != POINTER:
            continue
        index = node.children[-1]
        texts = [index, *(v for name in names_in(index) & made - {counter} for v in body.scope.values.get(name, []))]
        row = re.compile(rf"\*\s*{re.escape(size)}\b|\b{re.escape(size)}\s*\*")
        if any(row.search(each.text) and counter in names_in(each) for each in texts):
            if not _is_kept(node, made, loop, body):
                return node
    return None


def _rounds(loop: Syntax, body: Body) -> tuple[str, Syntax, Syntax] | None:
    """(counter, bound, what the bound is made of) of a loop from zero through rounds that cover a number of elements."""
    start, condition, inside = loop.child("initializer"), loop.child("condition"), loop.child("body")
    if loop.kind != "for_statement" or start is None or condition is None or inside is None or condition.op != "<":
        return None
    counter, bound = condition.child("left"), condition.child("right")
    if counter is None or bound is None or not _FROM_ZERO.search(start.text):
        return None
    values = body.scope.values.get(bound.text, []) if bound.kind == "identifier" else [bound]
    if len(values) != 1 or bound.text in body.scope.grown or not _is_rounded_up(values[0], body):
        return None
    return (counter.text, bound, values[0]) if counter.text in names_in(start) else None


def _is_rounded_up(value: Syntax, body: Body) -> bool:
    """A quotient that is rounded up, of a size that the function is given and of whose remainder nobody speaks."""
    callee, added = value.child("function"), _ADDED.search(value.bare)
    called = callee is not None and CEIL.search(callee.text.partition("<")[0]) is not None
    by_hand = added is not None and int(added[1]) + 1 == int(added[2])
    rounded = called or by_hand or _ROUNDED.search(value.bare) is not None
    sizes = names_in(value) & set(filter(None, body.scope.parameters))
    remainder = any(re.search(rf"\b{re.escape(name)}\s*%", body.function.body.text) for name in sizes)
    return rounded and bool(sizes) and not remainder


def _unguarded(counter: str, loop: Syntax, body: Body) -> Syntax | None:
    made = worked_out(counter, body) - set(filter(None, body.scope.parameters))
    for node in loop.walk():
        base, index = node.child("argument"), node.children[-1] if node.children else None
        if node.op == "+" and node.kind == "binary_expression" and _is_offset(node, body):
            base, index = terms_of(node)[0], node
        elif node.kind != "subscript_expression":
            continue
        if base is None or index is None or base.text not in body.scope.parameters:
            continue
        if body.scope.types.get(base.text) != POINTER or not _is_place(index, counter, made, body):
            continue
        if not _is_kept(node, made, loop, body):
            return node
    return None


def _is_kept(access: Syntax, made: set[str], loop: Syntax, body: Body) -> bool:
    """A condition inside of the loop, around the access or before it with a way out, speaks of the round or what is made of it."""
    made = made | marks_of(made, body) | _truths(made, body)
    for parent, child in body.ancestors(access):
        if parent is loop:
            break
        condition = parent.child("condition")
        asked = condition if condition is not child else None
        asked = parent if asked is None and parent.op in ("&&", "||") else asked
        if asked is not None and not made.isdisjoint(names_in(asked)):
            return True
    for node in loop.walk():
        if node is not loop and node.start < access.start:
            condition, guarded = node.child("condition"), node.child("consequence")
            leaving = condition is not None and guarded is not None and leaves(guarded)
            if leaving and condition is not None and not made.isdisjoint(names_in(condition)):
                return True
    return False


def _is_offset(node: Syntax, body: Body) -> bool:
    """A pointer that is handed on: `load(x + place)`; no part of a longer sum."""
    parent = body.parents.get(id(node))
    return parent is not None and parent.kind == "argument_list" and kind_of(node, body.scope) == POINTER


def _is_place(index: Syntax, counter: str, made: set[str], body: Body) -> bool:
    """The index is made of a multiple of the round and of the place of the thread in the block."""
    names = names_in(index) & made
    values = [value for name in names - {counter} for value in body.scope.values.get(name, [])]
    texts = [index, *values]
    if not names or any(_REDUCED.search(each.text) for each in texts):
        return False
    scaled = re.compile(rf"\b{re.escape(counter)}\s*\*|\*\s*{re.escape(counter)}\b")
    placed = {each for name in names_in(index) for each in (name, *closure_of(name, body))}
    return any(scaled.search(each.text) for each in texts) and any(each.startswith("threadIdx") for each in placed)


def _truths(made: set[str], body: Body) -> set[str]:
    """Arrays of truths about the places: `inside[i] = k + i < columns;`."""
    found = set()
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        base = left.child("argument") if left is not None and left.kind == "subscript_expression" else None
        if node.kind == "assignment_expression" and base is not None and right is not None:
            if right.op in ("<", "<=", ">", ">=") and not made.isdisjoint(names_in(right)):
                found.add(base.text)
    return found
