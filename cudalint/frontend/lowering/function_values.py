"""Which function a constant is: `constexpr auto dot = dot_of(TYPE); dot(x)` calls what `dot_of` returns for TYPE.

Constant functions of integers are followed through returns, branches and switches; anything else is no constant.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering.functions import body_of, definition_of
from cudalint.frontend.lowering.loops import cases
from cudalint.frontend.lowering.types import FUNCTIONS

Known = Mapping[int, int]  # values of parameters by their identity
DEEPEST = 8
_WRAPPERS = (
    Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR, Kind.CSTYLE_CAST_EXPR, Kind.CXX_STATIC_CAST_EXPR,
    Kind.CXX_FUNCTIONAL_CAST_EXPR,
)  # fmt: skip
_BINARY: dict[str, Callable[[int, int], int]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_,
    "&&": lambda a, b: bool(a) and bool(b), "||": lambda a, b: bool(a) or bool(b),
}  # fmt: skip


class _NotConstant(Exception):
    """What is returned depends on more than constants."""


def function_held(variable: Cursor) -> Cursor | None:
    """The function that a constant pointer variable holds."""
    type_ = variable.type.get_canonical()
    if variable.kind != Kind.VAR_DECL or not type_.is_const_qualified():
        return None
    if type_.get_pointee().get_canonical().kind not in FUNCTIONS:
        return None
    init = clang.initializer(variable)
    return None if init is None else _function(init, {}, DEEPEST)


def _function(cursor: Cursor, known: Known, depth: int) -> Cursor | None:
    """The function that an expression gives."""
    if depth == 0:
        return None
    if cursor.kind == Kind.CALL_EXPR:
        return _called(cursor, known, depth - 1)
    below = [c for c in clang.children(cursor) if c.kind.is_expression()]
    if cursor.kind == Kind.DECL_REF_EXPR:
        target = clang.referenced(cursor)
        if target is not None and target.kind == Kind.FUNCTION_DECL:
            return target
        return function_held(target) if target is not None else None
    if cursor.kind == Kind.CONDITIONAL_OPERATOR and len(below) == 3:
        chosen = _number(below[0], known)
        return None if chosen is None else _function(below[1 if chosen else 2], known, depth - 1)
    address = cursor.kind == Kind.UNARY_OPERATOR and clang.unary_operator(cursor) in ("&", "*")
    if (address or cursor.kind in _WRAPPERS) and below:
        return _function(below[-1], known, depth)
    return None


def _called(call: Cursor, known: Known, depth: int) -> Cursor | None:
    target = clang.referenced(call)
    definition = definition_of(target) if target is not None and target.kind == Kind.FUNCTION_DECL else None
    block = body_of(definition) if definition is not None else None
    if definition is None or block is None:
        return None
    params = [c for c in clang.children(definition) if c.kind == Kind.PARM_DECL]
    values = ((p, _number(a, known)) for p, a in zip(params, clang.arguments(call)))
    given = {clang.identity(p): value for p, value in values if value is not None}
    try:
        returned = _returned(block, given)
    except _NotConstant:
        return None
    return None if returned is None else _function(returned, given, depth)


def _returned(statement: Cursor, known: Known) -> Cursor | None:
    """The expression that is returned; None where the statement goes on."""
    below = clang.children(statement)
    if statement.kind == Kind.COMPOUND_STMT:
        return next((found for each in below if (found := _returned(each, known)) is not None), None)
    if statement.kind == Kind.RETURN_STMT and below:
        return below[0]
    if statement.kind == Kind.IF_STMT and len(below) in (2, 3):
        chosen = _number(below[0], known)
        if chosen is None:
            raise _NotConstant
        branch = below[1:2] if chosen else below[2:3]
        return _returned(branch[0], known) if branch else None
    if statement.kind == Kind.SWITCH_STMT and len(below) == 2:
        return _chosen(below[0], below[1], known)
    if statement.kind == Kind.NULL_STMT or (statement.kind == Kind.DECL_STMT and _only_asserts(below)):
        return None
    raise _NotConstant


def _only_asserts(declared: list[Cursor]) -> bool:
    return all(c.kind == Kind.STATIC_ASSERT for c in declared)


def _chosen(subject: Cursor, block: Cursor, known: Known) -> Cursor | None:
    """What the matching case returns, or one that it falls through to."""
    value, groups = _number(subject, known), cases(block)
    if value is None or groups is None:
        raise _NotConstant
    labels = [[None if label is None else _number(label, {}) for label in names] for names, _ in groups]
    first = next((i for i, names in enumerate(labels) if value in names), None)
    if first is None:
        first = next((i for i, (names, _) in enumerate(groups) if None in names), len(groups))
    for _, statements in groups[first:]:
        for statement in statements:
            if statement.kind == Kind.BREAK_STMT:
                return None
            found = _returned(statement, known)
            if found is not None:
                return found
    return None


def _number(cursor: Cursor, known: Known) -> int | None:
    """The value of an integer expression over the known parameters."""
    target = clang.referenced(cursor) if cursor.kind == Kind.DECL_REF_EXPR else None
    if target is not None and clang.identity(target) in known:
        return known[clang.identity(target)]
    value = clang.evaluate(cursor)
    if isinstance(value, int):
        return value
    below = [c for c in clang.children(cursor) if c.kind.is_expression()]
    if cursor.kind in _WRAPPERS and len(below) == 1:
        return _number(below[0], known)
    if cursor.kind == Kind.UNARY_OPERATOR and clang.unary_operator(cursor) == "!":
        inner = _number(below[0], known)
        return None if inner is None else int(not inner)
    compute = _BINARY.get(clang.binary_operator(cursor)) if cursor.kind == Kind.BINARY_OPERATOR else None
    if compute is None or len(below) != 2:
        return None
    left, right = _number(below[0], known), _number(below[1], known)
    return None if left is None or right is None else int(compute(left, right))
