"""Loops whose condition asks only about variables that nothing in them changes: who enters one does not leave it.

int row = next_of(queue);   while (row < rows) { scale(x + row * cols, cols); }                the next row is never taken
for (int i = 0; i < n; ++j) sum += x[i];                                                       another variable is counted
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import INT, UNSIGNED, WIDE, kind_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("for_statement", "while_statement")
_LEAVES = ("break_statement", "return_statement", "goto_statement", "throw_statement", "ERROR", "lambda_expression")
_MAY_LEAVE = re.compile(r"trap|abort|exit|assert|terminate|unreachable|\basm\b|\b__asm", re.IGNORECASE)
_MACRO = re.compile(r"[A-Z][A-Z0-9_]*")
_BUILT_IN = re.compile(r"(threadIdx|blockIdx|blockDim|gridDim)\.[xyz]|warpSize")
_COMPARES = ("<", "<=", ">", ">=", "==", "!=", "&&", "||", "!")
_COMPUTES = (*_COMPARES, "+", "-", "*", "/", "%", "&", "|", "^", "~")
_SHARED = re.compile(r"__shared__|\bvolatile\b|\bextern\b|\bstatic\b|\batomic\b|[&*]|\[")


def unchanged_conditions(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop that is not left from within."""
    for body in bodies(program_of(outline), ("kernel", "device")):
        for loop in body.nodes:
            condition = loop.child("condition") if loop.kind in _LOOPS else None
            names = None if condition is None else _asked(condition, body)
            if condition is None or not names or _may_be_left(loop):
                continue
            if all(_stays(name, loop, body) for name in names):
                what = " and ".join(f"`{name}`" for name in sorted(names))
                verb = "are" if len(names) > 1 else "is"
                text = f"`{short(condition)}` stays as it is: {what} {verb} not changed in the loop"
                yield GuardIssue(body.function, condition, text, loop.child("update"))


def _asked(condition: Syntax, body: Body) -> set[str] | None:
    """The variables of the function that a condition asks about; None where it asks about anything else than numbers."""
    if condition.kind in ("number_literal", "true", "false") or _BUILT_IN.fullmatch(condition.bare):
        return set()
    if condition.kind in ("parenthesized_expression", "condition_clause", "unary_expression", "cast_expression"):
        parts = [child for child in condition.children if child.kind not in ("type_descriptor", "primitive_type")]
        known = condition.kind != "unary_expression" or condition.op in _COMPUTES
        return _asked(parts[0], body) if len(parts) == 1 and known else None
    if condition.kind == "binary_expression" and condition.op in _COMPUTES:
        sides = [_asked(child, body) for child in condition.children]
        return None if None in sides else set[str]().union(*(side for side in sides if side is not None))
    owner = condition.child("argument") if condition.kind == "field_expression" else condition
    if owner is None or owner.kind != "identifier" or "->" in condition.text:
        return None
    if owner is condition and owner.text in body.scope.outline.constants | dict.fromkeys(body.function.template, 0):
        return set()
    number = kind_of(condition, body.scope) in (INT, UNSIGNED, WIDE) or body.scope.structures.get(owner.text) == "bool"
    return {owner.text} if number and _is_own(owner.text, body) else None


def _is_own(name: str, body: Body) -> bool:
    """A variable or parameter of the function that no other thread has, and no reference to one."""
    declared = [
        node
        for tree in (*body.function.parameters, body.function.body)
        for node in tree.walk()
        if node.kind.endswith("declaration") and any(_declares(each, name) for each in node.all("declarator"))
    ]
    return bool(declared) and not any(_SHARED.search(_head(node, name)) for node in declared)


def _declares(declarator: Syntax, name: str) -> bool:
    while declarator.kind != "identifier":
        inner = declarator.child("declarator") or (declarator.children[0] if declarator.children else None)
        if inner is None:
            return False
        declarator = inner
    return declarator.text == name


def _head(declaration: Syntax, name: str) -> str:
    """The type and the declarator as they are written, without a first value and without other names."""
    declarators = declaration.all("declarator")
    own = next(each for each in declarators if _declares(each, name))
    target = own.child("declarator") if own.kind == "init_declarator" else own
    first = declarators[0].start - declaration.start
    return declaration.text[:first] + ("" if target is None else target.text)


def _may_be_left(loop: Syntax) -> bool:
    for node in loop.walk():
        callee = node.child("function") if node.kind == "call_expression" else None
        if node.kind in _LEAVES or "asm" in node.kind or (callee is not None and _MAY_LEAVE.search(callee.text)):
            return True
        macro = callee if callee is not None else node.children[0] if _is_alone(node) else None
        if macro is not None and _MACRO.fullmatch(macro.text):
            return True
    return False


def _is_alone(node: Syntax) -> bool:
    return node.kind == "expression_statement" and len(node.children) == 1 and node.children[0].kind == "identifier"


def _stays(name: str, loop: Syntax, body: Body) -> bool:
    """Wherever the loop names it, its value is read; no lambda, pointer or reference of the function may change it."""
    for node in body.nodes:
        value = node.child("value") if node.kind == "init_declarator" else None
        refers = value is not None and "&" in node.text[: value.start - node.start]
        if refers or (node.kind == "pointer_expression" and node.op == "&"):
            if re.search(rf"\b{re.escape(name)}\b", node.text if value is None else value.text):
                return False
        if node.kind == "lambda_expression" and not node.start <= loop.start < node.end:
            if re.search(rf"\b{re.escape(name)}\b|\[\s*&", node.text):
                return False
    start = loop.child("initializer")
    own = [n for n in loop.walk() if start is None or not start.start <= n.start < start.end]
    return all(_is_read(node, body) for node in own if node.kind == "identifier" and node.text == name)


def _is_read(node: Syntax, body: Body) -> bool:
    parent = body.parents.get(id(node))
    while parent is not None and parent.kind in (
        "parenthesized_expression",
        "field_expression",
        "conditional_expression",
    ):
        node, parent = parent, body.parents.get(id(parent))
    if parent is None:
        return False
    match parent.kind:
        case "binary_expression" | "unary_expression":
            return parent.op in _COMPUTES
        case "subscript_argument_list" | "cast_expression" | "condition_clause" | "if_statement":
            return True
        case "subscript_expression":
            return parent.child("argument") is not node
        case "assignment_expression":
            return parent.child("right") is node
        case "while_statement" | "for_statement":
            return parent.child("condition") is node
        case _:
            return False
