"""Loops that do nothing but wait for memory that the compiler may load once: another thread's store is never seen.

while (link->ready == 0) { }                     an ordinary load, hoisted out of the loop: the loop ends at once or never

C++ standard, [intro.progress]: a loop without volatile or atomic accesses may be assumed to end; CUDA C++ Programming Guide,
"Volatile Qualifier": the compiler is free to keep what it has read of ordinary memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.methods import CLASSES
from cudalint.analysis.text.scopes import INT, UNSIGNED, WIDE, kind_of_type
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("while_statement", "do_statement")
_PLACES = ("subscript_expression", "field_expression", "pointer_expression")
_COMPARES = ("==", "!=", "<", "<=", ">", ">=", "&&", "||", "!", "&", "+", "-")
_LEAVES = ("identifier", "field_identifier", "number_literal", "true", "false", "null")
_PASSES = (*_PLACES, "binary_expression", "unary_expression", "condition_clause", "parenthesized_expression")
_CHANGING = re.compile(r"volatile|atomic")


def plain_waits(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop without a statement that asks about ordinary memory alone."""
    if "while" not in outline.root.file.text:
        return
    for body in bodies(program_of(outline)):
        for loop in body.nodes:
            condition, inside = loop.child("condition"), loop.child("body")
            if loop.kind not in _LOOPS or condition is None or inside is None or not _is_empty(inside):
                continue
            places = _places(condition)
            if places and all(_is_plain(place, body) for place in places):
                text = f"`{short(places[0])}` may be loaded once for the whole loop: it is neither volatile nor atomic"
                yield GuardIssue(body.function, condition, text)


def _is_empty(inside: Syntax) -> bool:
    """Nothing, or a pause: `{ }`, `;`, `{ __nanosleep(100); }`."""
    bare = "".join(re.sub(r"//[^\n]*|/\*.*?\*/", "", inside.text).split())
    return re.fullmatch(r"\{?;?(__nanosleep\(\w+\);)?\}?", bare) is not None


def _places(condition: Syntax) -> list[Syntax]:
    """The memory that a condition asks about; nothing where it does anything else than to load and to compare."""
    found: list[Syntax] = []
    stack = [condition]
    while stack:
        node = stack.pop()
        if node.kind in _PLACES and not (node.kind == "pointer_expression" and node.op != "*"):
            found.append(node)
        elif node.kind in _PASSES and (not node.op or node.op in _COMPARES):
            stack += node.children
        elif node.kind not in _LEAVES:
            return []
    return found


def _is_plain(place: Syntax, body: Body) -> bool:
    """An integer that pointers lead to whose declarations say neither volatile nor atomic."""
    if any(
        node.kind not in (*_PLACES, *_LEAVES, "subscript_argument_list", "binary_expression") for node in place.walk()
    ):
        return False
    member, root = "", place
    while root.kind in _PLACES and root.children:
        if root.kind == "field_expression" and not member:
            member = root.children[-1].text
        root = root.children[0]
    declared = _declaration(root.text, body) if root.kind == "identifier" else None
    if declared is None or _CHANGING.search(declared.text) or "auto" in declared.text:
        return False
    written = declared.child("type")
    if written is None or written.text in body.function.template:
        return False
    if not member:
        return _is_integer(written.text, body)
    return place.text.count(member) == 1 and _has_plain_member(written.text, member, body)


def _is_integer(written: str, body: Body) -> bool:
    outline = body.scope.outline
    return written not in outline.types and (
        written == "bool" or kind_of_type(written, outline) in (INT, UNSIGNED, WIDE)
    )


def _has_plain_member(structure: str, member: str, body: Body) -> bool:
    """The file defines the structure once, with a member of this name that is an integer."""
    found = [n for n in body.scope.outline.root.walk() if n.kind in CLASSES and n.child("body") is not None]
    named = [
        n for n in found if (name := n.child("name")) is not None and name.text == structure.removeprefix("struct ")
    ]
    fields = named[0].child("body") if len(named) == 1 else None
    for declared in () if fields is None else fields.children:
        written = declared.child("type")
        names = [n.text for each in declared.all("declarator") for n in each.walk() if n.kind == "field_identifier"]
        if declared.kind == "field_declaration" and member in names and written is not None:
            return not _CHANGING.search(declared.text) and _is_integer(written.text, body)
    return False


def _declaration(name: str, body: Body) -> Syntax | None:
    """The only declaration of the name in the function, a parameter or a variable."""
    trees = (*body.function.parameters, body.function.body)
    found = [
        node
        for tree in trees
        for node in tree.walk()
        if node.kind.endswith("declaration") and any(_name(each) == name for each in node.all("declarator"))
    ]
    return found[0] if len(found) == 1 else None


def _name(declarator: Syntax) -> str:
    while declarator.kind != "identifier":
        inner = declarator.child("declarator") or (declarator.children[0] if declarator.children else None)
        if inner is None:
            return ""
        declarator = inner
    return declarator.text
