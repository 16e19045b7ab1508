"""Vectors on a condition that elsewhere in the file asks for the alignment of the pointer as well.

    a: if (n % 4 == 0 && chunk % 4 == 0 && is_aligned(x)) load_store(r, x, 0, i);
    b: if (n % 4 == 0 && chunk % 4 == 0) load_store(r, x, 0, i);               // a view may begin at any element

So is the alignment of one of two pointers that become pointers to the same vectors:

    if ((uintptr_t)src % 16 == 0) { auto d = (int4 *)dst;  auto s = (int4 *)src;  ... }
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import POINTER, cast_target
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ALIGNED = re.compile(r"align|uintptr|intptr|size_t>?\s*\(\s*\w+\s*\)\s*[%&]", re.IGNORECASE)
_ADDRESS = re.compile(r"u?intptr_t")
_ASKED = re.compile(r"%|&")
_VECTORS = re.compile(r"(\w+(?:::\w+)*)\s*(?:<[^<>;]*>)?\s*\(|\(\s*(?:const\s+)?(\w+)\s*\*\s*\)")


@dataclass(frozen=True, slots=True)
class _Choice:
    """A condition of `parts`, of which `aligned` are about alignment, and what is done where it holds."""

    body: Body
    place: Syntax
    parts: frozenset[str]
    aligned: frozenset[str]
    done: frozenset[str]


def forgotten_alignments(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each condition; what it is about is the one that asks for the alignment."""
    if _ALIGNED.search(outline.root.file.text) is None:
        return
    choices = [
        choice for body in bodies(program_of(outline), ("kernel", "device", "host")) for choice in _choices(body)
    ]
    careful = [choice for choice in choices if choice.aligned and any(map(_ASKED.search, choice.parts))]
    for choice in choices:
        if choice.aligned or _speaks_of_alignment(choice.body):
            continue
        for other in careful:
            if other.parts == choice.parts and other.done & choice.done and _has_pointer(other):
                text = f"`{short(choice.place)}` says nothing of where the vectors begin"
                yield GuardIssue(choice.body.function, choice.place, text, other.place)
                break


def _speaks_of_alignment(body: Body) -> bool:
    """Other than in comments."""
    return any(not node.children and _ALIGNED.search(node.text) for node in body.nodes)


def half_asked_alignments(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each pointer that is cast where the alignment of another one is asked; what it is about is that question."""
    if _ADDRESS.search(outline.root.file.text) is None:
        return
    for body in bodies(program_of(outline), ("kernel", "device")):
        for node in body.nodes:
            condition, done = node.child("condition"), node.child("consequence")
            if node.kind != "if_statement" or condition is None or done is None:
                continue
            question = _question(condition, body)
            asked = set(_asked_pointers(question, body))
            casts = [(cast, *found) for cast in done.walk() if (found := _cast_pointer(cast, body)) is not None]
            vectors = {vector for _, name, vector in casts if name in asked}
            for cast, name, vector in casts:
                if vector in vectors and name not in asked and not _follows(name, asked, body):
                    text = f"`{name}` becomes a pointer to `{vector}`, and its alignment is not asked for"
                    yield GuardIssue(body.function, question, text, cast)
                    break


def _question(condition: Syntax, body: Body) -> Syntax:
    """The condition, or the one value of the variable that it is."""
    while condition.kind in ("condition_clause", "parenthesized_expression") and condition.children:
        condition = condition.child("value") or condition.children[0]
    values = body.scope.values.get(condition.text, []) if condition.kind == "identifier" else []
    return values[0] if len(values) == 1 else condition


def _asked_pointers(question: Syntax, body: Body) -> Iterator[str]:
    """`p` of `reinterpret_cast<uintptr_t>(p) % 16 == 0`, all of which must hold."""
    for part in _conjuncts(question):
        if part.op == "==" and _ADDRESS.search(part.text) and "%" in part.text:
            yield from (n.text for n in part.walk() if body.scope.types.get(n.text) == POINTER)


def _cast_pointer(cast: Syntax, body: Body) -> tuple[str, str] | None:
    """(p, vector) of `(vector *)p` and `reinterpret_cast<vector *>(p)`, of a pointer that is no array of its own."""
    arguments = cast.child("arguments")
    if cast.kind == "cast_expression":
        written, value = cast.child("type"), cast.child("value")
        target = "" if written is None else written.text
    else:
        target = cast_target(cast) or ""
        value = arguments.children[0] if arguments is not None and len(arguments.children) == 1 else None
    if "*" not in target or value is None or value.kind != "identifier":
        return None
    if body.scope.types.get(value.text) != POINTER or _is_array(value.text, body):
        return None
    return value.text, re.sub(r"\bconst\b|[\s*]", "", target)


def _is_array(name: str, body: Body) -> bool:
    return any(n.kind == "array_declarator" and n.children and n.children[0].text == name for n in body.nodes)


def _follows(name: str, asked: set[str], body: Body) -> bool:
    """The pointer is made of one that is asked about."""
    return any(not asked.isdisjoint(names_in(value)) for value in body.scope.values.get(name, []))


def _choices(body: Body) -> Iterator[_Choice]:
    for node in body.nodes:
        condition, done = node.child("condition"), node.child("consequence")
        if node.kind != "if_statement" or condition is None or done is None:
            continue
        parts = list(_conjuncts(condition))
        aligned = frozenset(part.bare for part in parts if _ALIGNED.search(part.text))
        others = frozenset(part.bare for part in parts) - aligned
        if others:
            called = frozenset(name for match in _VECTORS.finditer(done.text) for name in match.groups() if name)
            yield _Choice(body, condition, others, aligned, called - _COMMON)


_COMMON = frozenset(("if", "for", "while", "return", "float", "int", "static_cast", "sizeof", "min", "max"))


def _conjuncts(condition: Syntax) -> Iterator[Syntax]:
    while condition.kind in ("condition_clause", "parenthesized_expression") and condition.children:
        condition = condition.child("value") or condition.children[0]
    if condition.op == "&&":
        for side in condition.children:
            yield from _conjuncts(side)
    else:
        yield condition


def _has_pointer(choice: _Choice) -> bool:
    """The alignment that is asked for is that of a pointer of the function."""
    names = set().union(*(re.findall(r"\w+", part) for part in choice.aligned))
    return any(choice.body.scope.types.get(name) == POINTER for name in names)
