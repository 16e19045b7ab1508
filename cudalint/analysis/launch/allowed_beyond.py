"""A side of a grid that the host code checks, and lets be larger than the side may be.

if (rows > 1 << 20) return false;   dim3 grid(1, rows);                            up to 2^20 where 65535 are the most
bool sane(const Book &b) { return b.size() <= kMost; }   ...   if (!sane(book)) return;   dim3 grid(1, book.size());
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.caps import Caps
from cudalint.analysis.text.scopes import Scope, uncast
from cudalint.analysis.text.stated_bounds import StatedBound, key_of
from cudalint.analysis.text.text_program import CEIL, Program, TextLaunch
from cudalint.ir.syntax import Syntax, TextFunction

_OF_A_TYPE = 2.0**31 - 1  # and more: what a type holds, and no number of blocks
_DEEPEST = 4
_SIZE = re.compile(r"([A-Za-z_]\w*)((?:\.|->)(?:size|rows|cols|numel|\w*[cC]ount)\(\d?\))?")


def allowed_beyond(limit: int, side: Syntax, launch: TextLaunch, program: Program, caps: Caps) -> bool:
    """One size alone decides the side, and what the host says of it is a constant that leads beyond the limit."""
    scope = program.scope(launch.function)
    found = _size_and_share(side, scope, caps, _DEEPEST)
    if found is None or _SIZE.fullmatch(found[0].bare) is None:
        return False
    size, share = found
    stated = list(_stated(size, launch, program, caps))
    if None in stated:
        return False
    largest = [most for most in stated if most is not None]
    known = caps.of(side)
    return bool(largest) and limit < min(largest) / share < _OF_A_TYPE and (known is None or known > limit)


def _size_and_share(side: Syntax, scope: Scope, caps: Caps, depth: int) -> tuple[Syntax, float] | None:
    """The size that the side is a part of, and by what it is divided; nothing where it is made of something else, too."""
    side = uncast(side)
    if side.kind == "identifier" and side.text not in scope.parameters and side.text not in scope.grown and depth > 0:
        values = scope.values.get(side.text, [])
        return _size_and_share(values[0], scope, caps, depth - 1) if len(values) == 1 else None
    if side.kind in ("identifier", "field_expression"):
        return (side, 1.0) if side.text not in scope.grown and not scope.values.get(side.text) else None
    callee, arguments = side.child("function"), side.child("arguments")
    if side.kind == "call_expression" and callee is not None and arguments is not None:
        given = arguments.children
        if len(given) == 2 and CEIL.search(callee.text.partition("<")[0]) is not None:
            return _divided(given[0], given[1], scope, caps, depth)
        return (side, 1.0) if callee.kind == "field_expression" else None
    left, right = side.child("left"), side.child("right")
    if side.kind == "binary_expression" and side.op == "/" and left is not None and right is not None:
        whole = _rounded_up(left, caps)
        return _divided(whole, right, scope, caps, depth)
    return None


def _rounded_up(whole: Syntax, caps: Caps) -> Syntax:
    """n of `n + 255` and of `n + block - 1`."""
    while whole.kind == "binary_expression" and whole.op in ("+", "-") and len(whole.children) == 2:
        if caps.of_constant(whole.children[1]) is None:
            break
        whole = whole.children[0]
    return whole


def _divided(whole: Syntax, by: Syntax, scope: Scope, caps: Caps, depth: int) -> tuple[Syntax, float] | None:
    found, share = _size_and_share(whole, scope, caps, depth), caps.of_constant(by)
    return None if found is None or not share else (found[0], found[1] * share)


def _stated(size: Syntax, launch: TextLaunch, program: Program, caps: Caps) -> Iterator[float | None]:
    """What the function says itself, and what the functions of the file say that it asks before the launch."""
    for bound in program.bounds(launch.function).get(key_of(size), ()):
        if bound.start <= launch.node.start <= bound.end:
            yield caps.of_constant(bound.limit)
    match = _SIZE.fullmatch(size.bare)
    if match is None:
        return
    for node in launch.function.body.walk():
        callee, arguments = node.child("function"), node.child("arguments")
        if (
            node.kind == "call_expression"
            and callee is not None
            and arguments is not None
            and node.end < launch.node.start
        ):
            asked = _asked(callee.text, program)
            names = [uncast(argument).bare for argument in arguments.children]
            if asked is not None and match[1] in names and len(names) == len(asked.parameters):
                name = program.scope(asked).parameters[names.index(match[1])]
                yield from _kept_by(asked, f"{name}{match[2] or ''}", program)


def _asked(name: str, program: Program) -> TextFunction | None:
    """The one function of the host with the name that says yes or no, or nothing at all."""
    named = [f for f in program.outline.functions if f.name.rpartition("::")[2] == name.rpartition("::")[2]]
    return named[0] if len(named) == 1 and named[0].role == "host" and named[0].result in ("bool", "void") else None


def _kept_by(asked: TextFunction, key: str, program: Program) -> Iterator[float | None]:
    """What holds of a parameter where the function comes to its end."""
    statements = asked.body.children
    end = statements[-1] if statements else asked.body
    caps = Caps(program, asked, end.end)
    for bound in program.bounds(asked).get(key, ()):
        if bound.start <= end.start and end.end <= bound.end + 1:
            yield caps.of_constant(bound.limit)
    for bound in _returned(end, key):
        yield caps.of_constant(bound.limit)


def _returned(last: Syntax, key: str) -> Iterator[StatedBound]:
    """The bounds in `return n > 0 && n <= MOST;`."""
    parts = list(last.children) if last.kind == "return_statement" else []
    while parts:
        part = parts.pop()
        if part.kind == "binary_expression" and part.op == "&&":
            parts += part.children
        elif part.kind == "binary_expression" and part.op in ("<", "<=", ">", ">=") and len(part.children) == 2:
            small, large = part.children if part.op[0] == "<" else part.children[::-1]
            if key_of(small) == key:
                yield StatedBound(key, large, part.op in ("<", ">"), last.start, last.end)
