"""Entries of a list that a kernel takes as they are, though another one asks whether they are below the end that both are given.

forward:   const int id = ids[blockIdx.x];   y[i] = id >= 0 && id < vocab ? table[id * width + i] : 0;
backward:  const int id = ids[blockIdx.x];   atomicAdd(&grad[id * width + i], dy[i]);               takes vocab, reads it nowhere
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.guards.unsigned_entries import entries_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_ORDERS = ("<", ">=")


def unasked_entries(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each entry, at the element that it chooses."""
    every = [(body, entries) for body in bodies(program_of(outline)) if (entries := list(entries_of(body)))]
    for body, entries in every:
        for name, list_ in entries:
            asked = ((other, _asked_end(list_, own, other)) for other, own in every if other is not body)
            other, end = next(((other, end) for other, end in asked if end is not None), (None, None))
            if other is None or end is None or not _is_forgotten(end, name, body):
                continue
            use = _use(name, body)
            if use is not None:
                text = (
                    f"`{short(use)}` takes any `{name}`, which `{other.function.name}` compares with "
                    f"`{end.children[1].text}`: it is handed over, and read nowhere"
                )
                yield GuardIssue(body.function, use, text, end)


def _asked_end(list_: str, entries: list[tuple[str, str]], body: Body) -> Syntax | None:
    """Where the kernel compares an entry of the same list with its end."""
    return next((end for name, own in entries if own == list_ and (end := _end(name, body)) is not None), None)


def _end(name: str, body: Body) -> Syntax | None:
    """`name < end` or `name >= end`, with a number that the kernel is passed."""
    for node in body.nodes:
        if node.kind == "binary_expression" and node.op in _ORDERS and node.children[0].text == name:
            if node.children[1].text in body.scope.parameters:
                return node
    return None


def _is_forgotten(end: Syntax, name: str, body: Body) -> bool:
    """The kernel is passed the end and does not read it, nor asks anything about the entry."""
    text, bound = body.function.body.text, end.children[1].text
    if bound not in body.scope.parameters or re.search(rf"\b{re.escape(bound)}\b", text) is not None:
        return False
    entry = re.escape(name)
    return re.search(rf"\b{entry}\b\s*([<>]|[=!]=)|[<>]=?\s*{entry}\b|\b(min|max|clamp\w*)\b", text) is None


def _use(name: str, body: Body) -> Syntax | None:
    """An element that the entry chooses."""
    for node in body.nodes:
        if node.kind == "subscript_expression" and name in names_in(node.children[-1]):
            return node
    return None
