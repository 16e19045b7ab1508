"""How large a member is that bounds a size in a method: what objects of its class are made with in the file.

Clusters(int most) : most_(most) {}   ...  new Clusters(200000)          n is as large where `if (n > most_) return` is asked
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.magnitude import Size, largest_term
from cudalint.analysis.text.methods import owners
from cudalint.analysis.text.text_program import number_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_NUMBER = re.compile(r"\d[\d']*[uUlL]*")
_MEMBER = re.compile(r"[A-Za-z]\w*_|m_\w+")


def largest_constructed(size: Size, method: TextFunction, outline: Outline) -> float:
    """The largest number that the file gives a constructor for the member that bounds the size; zero where none does."""
    names = {powers[0][0] for factor, powers in largest_term(size) if factor == 1 and _is_one_name(powers)}
    return max((value for name in names for value in _constructed(name, method, outline)), default=0.0)


def _is_one_name(powers: tuple[tuple[str, int], ...]) -> bool:
    return len(powers) == 1 and powers[0][1] == 1 and _MEMBER.fullmatch(powers[0][0]) is not None


def _constructed(member: str, method: TextFunction, outline: Outline) -> Iterator[float]:
    if re.search(rf"\b{member}\s*(?:[-+*/]?=[^=]|\+\+|--)", outline.root.text) is not None:
        return  # it does not stay what it was made with
    classes = owners(method, outline)
    for function in outline.functions:
        place = _place(member, function, outline) if _class(function) in classes else None
        for given in _made(_class(function), outline) if place is not None else ():
            if place is not None and place < len(given) and _NUMBER.fullmatch(given[place].text):
                yield number_of(given[place].text)


def _made(name: str, outline: Outline) -> Iterator[tuple[Syntax, ...]]:
    """The arguments of `C(...)`, `new C(...)`, `make_unique<C>(...)`, `C{...}` and `C c(...)`."""
    is_class = re.compile(rf"\b{re.escape(name)}\s*>?$")
    for node in outline.root.walk():
        callee = node.child("function") or node.child("type")
        if callee is None or is_class.search(callee.text) is None:
            continue
        arguments = [node.child("arguments")]
        if node.kind in ("compound_literal_expression", "declaration"):
            arguments = [node.child("value"), *(each.child("value") for each in node.all("declarator"))]
        yield from (each.children for each in arguments if each is not None)


def _class(function: TextFunction) -> str:
    return function.name.rpartition("::")[2]


def _place(member: str, constructor: TextFunction, outline: Outline) -> int | None:
    """Which parameter `member_(parameter)` sets it to."""
    if constructor.result or constructor.role != "host":
        return None
    names = [re.findall(r"\w+", parameter.text.partition("=")[0])[-1:] for parameter in constructor.parameters]
    for node in _initializers(constructor, outline):
        field, given = (*node.children, node)[:2]
        if field.text == member and [given.bare.strip("(){}")] in names:
            return names.index([given.bare.strip("(){}")])
    return None


def _initializers(constructor: TextFunction, outline: Outline) -> Iterator[Syntax]:
    for node in outline.root.walk():
        if node.kind == "function_definition" and node.child("body") is constructor.body:
            for child in node.children:
                yield from child.children if child.kind == "field_initializer_list" else ()
