"""What a file gives to a member of an object, or to a variable of the file: by assignments, initialisers and places of a list.

struct Plan { int blocks; };   return Plan{sms * per};      plan.blocks = sms;      Plan(int n) : blocks(n / 256) {}
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.methods import CLASSES
from cudalint.analysis.text.text_program import Program
from cudalint.ir.syntax import Syntax, TextFunction

Source = tuple[Syntax, TextFunction]


def values_of_member(name: str, function: TextFunction, program: Program) -> list[Source]:
    """What the file assigns to a member of this name, or to a variable of the file; a class gives it by its place, too."""
    root = program.outline.root
    found = []
    for node in root.walk():
        if node.kind in ("assignment_expression", "init_declarator"):
            target = node.child("left") or node.child("declarator")
            value = node.child("right") or node.child("value")
            if target is not None and value is not None and re.search(rf"(^|\W){name}$", target.text):
                found.append(value)
        elif node.kind == "field_initializer" and len(node.children) == 2 and node.children[0].text == name:
            found.append(node.children[1])
        elif node.kind in CLASSES:
            found.extend(_by_place(name, node, program))
    return [(value, _function_of(value, program) or function) for value in found]


def _by_place(name: str, declared: Syntax, program: Program) -> Iterator[Syntax]:
    """`Plan{sms * per}`, `Plan p = {blocks, 256};`, and `return {blocks, 256};` of a function that makes one."""
    title, body = declared.child("name"), declared.child("body")
    fields = [f for f in body.children if f.kind == "field_declaration"] if body is not None else []
    names = [re.sub(r"\W*(=[^=].*|\{.*)?$", "", d.text) for f in fields for d in f.all("declarator")]
    if title is None or name not in names:
        return
    at = names.index(name)
    makers = [f.body for f in program.outline.functions if f.result.rpartition("::")[2] == title.text]
    for node in program.outline.root.walk():
        written = node.child("type") if node.kind in ("compound_literal_expression", "declaration") else None
        made = written is not None and written.text.rpartition("::")[2] == title.text
        if node.kind == "return_statement":
            made = any(maker.start <= node.start < maker.end for maker in makers)
        lists = [n for n in node.walk() if n.kind == "initializer_list"] if made else []
        if lists and at < len(lists[0].children):
            yield lists[0].children[at]


def _function_of(node: Syntax, program: Program) -> TextFunction | None:
    """The function around it; the one whose members it initialises stands behind it."""
    functions = program.outline.functions
    around = [f for f in functions if f.body.start <= node.start < f.body.end]
    if around:
        return max(around, key=lambda f: f.body.start)
    return min((f for f in functions if f.body.start > node.start), key=lambda f: f.body.start, default=None)
