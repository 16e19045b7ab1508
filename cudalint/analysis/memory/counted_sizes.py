"""Sizes that speak of no bytes: what they are made of has no `sizeof`, wherever it comes from.

cudaMemcpyToSymbol(taps, h, 2 * radius + 1)         and no caller that gives `r * sizeof(float)` for the radius
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import bodies
from cudalint.analysis.text.methods import owners
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, Program, constant_value
from cudalint.ir.syntax import Syntax

OF_BYTES = re.compile(r"byte|(^|[^n]|_)sz|mem|sizeof|pitch|stride|nb$|volume", re.IGNORECASE)
_OPERATORS = ("+", "-", "*", "/")
_LEAVES = ("identifier", "field_expression")
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Counted:
    """`names` are the variables it is made of, `values` what is known of it, `scaled` the same number times a `sizeof`."""

    written: str
    names: frozenset[str]
    values: tuple[int, ...]
    scaled: Syntax | None


def counted_size(size: Syntax, body: Body, program: Program) -> Counted | None:
    """Nothing where some of it may be a number of bytes."""
    leaves = _leaves(size, body, program, _DEEPEST)
    if leaves is None or any(OF_BYTES.search(name) for name in leaves):
        return None
    value = constant_value(uncast(size), body.scope.outline.constants)
    values = (value,) if value is not None else tuple(_given(uncast(size), body, program))
    known = frozenset(name for name in leaves if name not in body.scope.outline.constants)
    if not known and value is None:
        return None
    return Counted(size.bare, known, values, _scaled(size, known, body, program))


def _leaves(node: Syntax, body: Body, program: Program, depth: int) -> frozenset[str] | None:
    """Every name that it is made of, behind variables too; nothing where a part of it is not known."""
    node = uncast(node)
    if node.kind == "number_literal":
        return frozenset()
    if node.kind == "binary_expression" and node.op in _OPERATORS:
        parts = [_leaves(child, body, program, depth) for child in node.children]
        return None if None in parts else frozenset[str]().union(*(part for part in parts if part is not None))
    if node.kind not in _LEAVES or depth == 0:
        return None
    name, scope = node.bare, body.scope
    if name in scope.outline.constants:
        return frozenset({name})
    if name in scope.grown:
        return None
    if name in scope.parameters or name not in scope.structures:
        return frozenset({name}) if not _is_given_bytes(name, body, program) else None
    found = frozenset({name})
    for value in scope.values.get(name, ()):
        behind = _leaves(value, body, program, depth - 1)
        if behind is None and not _is_count_of_others(value):
            return None
        found |= behind or frozenset()
    return found if scope.values.get(name) else None


def _is_count_of_others(value: Syntax) -> bool:
    """What another function says, which knows of no bytes."""
    return value.kind == "call_expression" and OF_BYTES.search(value.text) is None


def _is_given_bytes(name: str, body: Body, program: Program) -> bool:
    """A caller, or whoever sets the member, speaks of bytes."""
    if name in body.scope.parameters:
        place = body.scope.parameters.index(name)
        calls = program.callers(body.function.name.rpartition("::")[2])
        given = [call.arguments[place].text for call in calls if place < len(call.arguments)]
        return any(OF_BYTES.search(each) for each in given) or bool(body.scope.values.get(name))
    last = re.escape(re.split(r"\.|->", name)[-1])
    text = program.outline.root.text
    if re.search(rf"\b{last}\s*(\*|<<)=", text):
        return True
    set_to = re.findall(rf"\b{last}\s*(?:=(?!=)([^;]*)|\(([^()]*(?:\([^()]*\))?)\)|\{{([^{{}}]*)\}})", text)
    return any(OF_BYTES.search(part) for parts in set_to for part in parts)


def _given(name: Syntax, body: Body, program: Program) -> list[int]:
    """The constants that all callers in the file give for a parameter."""
    if name.kind != "identifier" or name.text not in body.scope.parameters:
        return []
    place = body.scope.parameters.index(name.text)
    calls = program.callers(body.function.name.rpartition("::")[2])
    given = [call.arguments[place] for call in calls if place < len(call.arguments)]
    values = [constant_value(uncast(each), body.scope.outline.constants) for each in given]
    return [value for value in values if value is not None]


def _scaled(size: Syntax, names: frozenset[str], body: Body, program: Program) -> Syntax | None:
    """The same number times a `sizeof`, in the function, or in the class where it is made of members."""
    wanted = factors(size)
    local = any(name in body.scope.structures or name in body.scope.parameters for name in names)
    mine = owners(body.function, program.outline)
    for other in bodies(program, ("host",)):
        if other is not body and (local or not mine & owners(other.function, program.outline)):
            continue
        for node in other.nodes:
            if node.kind == "binary_expression" and node.op == "*" and "sizeof" in node.text:
                parts = factors(node)
                rest = [part for part in parts if not part.startswith("sizeof")]
                if rest == wanted and len(parts) == len(rest) + 1 and names:
                    return node
    return None


def factors(node: Syntax) -> list[str]:
    """The factors of a product, in order of their text."""
    node = uncast(node)
    if node.kind == "binary_expression" and node.op == "*":
        return sorted(part for child in node.children for part in factors(child))
    return [node.bare]
