"""Copies and fills of as many bytes as there are elements in memory that another function of the class makes.

Sums(int n) : n_(n) { cudaMalloc(&d_, n_ * sizeof(float)); }      void clear() { cudaMemset(d_, 0, n_); }
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.memory.counted_sizes import counted_size, factors
from cudalint.analysis.memory.short_allocations import written_type
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.methods import owners
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.analysis.text.type_widths import bytes_of_type
from cudalint.ir.syntax import Outline, Syntax

_MOVES = re.compile(r"(::)?(cuda|hip)(Memcpy|Memset)(Async)?")
_SIZE = 2  # the argument that counts bytes
_LEAST_WIDTH = 2
_BYTES = re.compile(r"\b(void|(un)?signed\s+char|char|u?int8_t|byte|uchar)\s*(const\s*)?[*>,\[]|\bstring(_view)?\b")


def counted_members(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each call; what it is about is the allocation."""
    text = outline.root.text
    if "Malloc" not in text or ("Memcpy" not in text and "Memset" not in text):
        return
    program = program_of(outline)
    made = [(body, *each) for body in bodies(program, ("host",)) for node in body.nodes for each in _made(node)]
    for body in bodies(program, ("host",)) if made else ():
        for node in body.nodes:
            callee, arguments = node.child("function"), node.child("arguments")
            given = () if node.kind != "call_expression" or arguments is None else arguments.children
            if callee is None or _MOVES.fullmatch(callee.text) is None or len(given) <= _SIZE:
                continue
            allocation = _allocation(given, body, made) if counted_size(given[_SIZE], body, program) else None
            if allocation is not None:
                text = f"`{short(given[_SIZE])}` is a number of elements, and not of bytes"
                yield GuardIssue(body.function, node, text, allocation)


def _made(node: Syntax) -> Iterator[tuple[Syntax, str, list[str]]]:
    """(call, pointer, factors of the size) of `cudaMalloc(&p, n * sizeof(T))`."""
    callee, arguments = node.child("function"), node.child("arguments")
    if (
        node.kind == "call_expression"
        and callee is not None
        and arguments is not None
        and "alloc" in callee.text.lower()
    ):
        targets = [uncast(each).bare for each in arguments.children]
        for target, size in zip(targets, arguments.children[1:]):
            if target.startswith("&"):
                yield node, target[1:], factors(size)


def _allocation(
    given: tuple[Syntax, ...], body: Body, made: list[tuple[Body, Syntax, str, list[str]]]
) -> Syntax | None:
    """The one allocation in the file of a member that one of the sides is, for so many wide elements."""
    mine, wanted = owners(body.function, body.scope.outline), factors(given[_SIZE])
    if any(_is_own(part, body) for part in wanted) or any(
        _is_of_bytes(side, body) for side in map(uncast, given[:_SIZE])
    ):
        return None
    for side in map(uncast, given[:_SIZE]):
        name = side.bare
        found = [(other, call, size) for other, call, target, size in made if target == name]
        if name in body.scope.types or len(found) != 1:
            continue
        other, call, size = found[0]
        rest = [part for part in size if not part.startswith("sizeof")]
        written = written_type(side, body) or body.scope.outline.members.get(name, "")
        width = bytes_of_type(written.rstrip("*").removeprefix("const ").strip())
        near = bool(mine & owners(other.function, other.scope.outline)) and name not in other.scope.types
        if near and rest == wanted and len(rest) < len(size) and (width or 0) >= _LEAST_WIDTH:
            return call
    return None


def _is_own(name: str, body: Body) -> bool:
    """A variable or a parameter: another function may mean something else by the name."""
    root = re.split(r"\.|->", name)[0]
    return root in body.scope.types or root in body.scope.structures or root in body.scope.parameters


def _is_of_bytes(side: Syntax, body: Body) -> bool:
    """`void *`, `char *`, or `.data()` of a container of bytes."""
    root = re.match(r"\w+", side.bare)
    for declared in (*body.function.parameters, *(node for node in body.nodes if node.kind == "declaration")):
        if root is not None and _BYTES.search(declared.text) and root[0] in names_in(declared):
            return True
    member = body.scope.outline.members.get(root[0], "") if root is not None else ""
    return _BYTES.search(f"{member} ") is not None
