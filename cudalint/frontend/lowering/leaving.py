"""Conditions of host code that allocate on the way: each of their parts leaves for itself.

    if (n <= 0 || cudaMalloc(&x, n) != cudaSuccess) return;    if (n <= 0) return;  if (cudaMalloc(&x, n) != cudaSuccess) return;

What a call behind `||` gives out is then known behind the condition: there is one way to it.
"""

from __future__ import annotations

import re

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering.context import Body
from cudalint.ir import nodes as ir

_LEAVES = (Kind.RETURN_STMT, Kind.CXX_THROW_EXPR)
_AROUND = (Kind.PAREN_EXPR, Kind.UNEXPOSED_EXPR)
_GIVES_OUT = re.compile(r"\(\s*(\([^()]*\)\s*|reinterpret_cast<[^<>]*>\(\s*)?&\s*\w")
MOST_STATEMENTS = 4  # of what is done before the function is left, which stands behind each part


def leaving_alternatives(body: Body, below: list[Cursor]) -> list[Cursor]:
    """The parts of `if (a || f(&x)) return;`; none where a part gives nothing out, or the function goes on."""
    if body.role is not ir.Role.HOST or len(below) != 2 or not _leaves(below[1]):
        return []
    parts = _parts(below[0])
    return parts if any(_GIVES_OUT.search(body.text(part)) for part in parts[1:]) else []


def _leaves(statement: Cursor) -> bool:
    if statement.kind == Kind.COMPOUND_STMT:
        inner = clang.children(statement)
        return 0 < len(inner) <= MOST_STATEMENTS and _leaves(inner[-1])
    return statement.kind in _LEAVES


def _parts(condition: Cursor) -> list[Cursor]:
    inner = condition
    while inner.kind in _AROUND and len(clang.children(inner)) == 1:
        inner = clang.children(inner)[0]
    if inner.kind == Kind.BINARY_OPERATOR and clang.binary_operator(inner) == "||":
        return [part for side in clang.children(inner) for part in _parts(side)]
    return [condition]
