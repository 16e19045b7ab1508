"""Static variables of a function that nothing sets again: each call finds what the first one set.

static size_t bytes = max(A_BYTES, B_BYTES);     // as `size_t bytes`: the value is made of constants
static int blocks = (n + 255) / 256;             // not: `n` is that of the first call
"""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering.context import Body
from cudalint.frontend.lowering.globals import initial
from cudalint.ir.types import Bool, Float, Int, Type

_CHANGING = (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR, Kind.UNARY_OPERATOR)


def is_settled(body: Body, variable: Cursor, type_: Type) -> bool:
    """A number that is computed from what every call has alike, and never changed."""
    init = clang.initializer(variable)
    if init is None or not isinstance(type_, Int | Float | Bool) or initial(variable, type_) is not None:
        return False
    key = clang.identity(variable)
    return key not in body.address_taken and not _names_locals(init) and not _is_changed(body.owner, key)


def _names_locals(init: Cursor) -> bool:
    targets = map(clang.referenced, clang.of_kinds(init, Kind.DECL_REF_EXPR))
    return any(t is not None and _differs(t) for t in targets)


def _differs(target: Cursor) -> bool:
    """A parameter, or a variable of the function that is no constant."""
    local = target.kind == Kind.VAR_DECL and target.linkage.name == "NO_LINKAGE"
    return target.kind == Kind.PARM_DECL or (local and clang.evaluate(target) is None)


def _is_changed(owner: Cursor, key: int) -> bool:
    return any(_changes(cursor, key) for cursor in clang.of_kinds(owner, *_CHANGING))


def _changes(cursor: Cursor, key: int) -> bool:
    if cursor.kind == Kind.BINARY_OPERATOR and clang.binary_operator(cursor) != "=":
        return False
    if cursor.kind == Kind.UNARY_OPERATOR and clang.unary_operator(cursor) not in ("x++", "++x", "x--", "--x"):
        return False
    left = clang.children(cursor)[0]
    while left.kind == Kind.PAREN_EXPR:
        left = clang.children(left)[0]
    target = clang.referenced(left) if left.kind == Kind.DECL_REF_EXPR else None
    return target is not None and clang.identity(target) == key
