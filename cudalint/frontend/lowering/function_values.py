"""Which function a constant is: `constexpr auto dot = dot_of(TYPE); dot(x)` calls what `dot_of` returns for TYPE.

Constant functions of integers are followed through returns, branches and switches, and members through the constructor
of what is returned (`table_of(TYPE).dot`); anything else is no constant.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from itertools import pairwise

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


def function_given(argument: Cursor, given: Mapping[int, Cursor]) -> Cursor | None:
    """The function that an argument is; `given` says which ones the parameters of the caller are."""
    type_ = argument.type.get_canonical()
    if type_.kind not in FUNCTIONS and type_.get_pointee().get_canonical().kind not in FUNCTIONS:
        return None
    named = argument
    while (named.kind in _WRAPPERS or clang.unary_operator(named) in ("&", "*")) and len(clang.children(named)) == 1:
        named = clang.children(named)[0]
    target = clang.referenced(named) if named.kind == Kind.DECL_REF_EXPR else None
    held = given.get(clang.identity(target)) if target is not None else None
    return held or _function(argument, {}, DEEPEST)


def function_called(call: Cursor) -> Cursor | None:
    """The function that a member of a constant object holds where it is called: `table.step(x)`."""
    below = clang.children(call)
    callee = below[0] if below else None
    while callee is not None and callee.kind in _WRAPPERS and len(clang.children(callee)) == 1:
        callee = clang.children(callee)[0]
    return None if callee is None or callee.kind != Kind.MEMBER_REF_EXPR else _function(callee, {}, DEEPEST)


def _function(cursor: Cursor, known: Known, depth: int) -> Cursor | None:
    """The function that an expression gives."""
    if depth == 0:
        return None
    if cursor.kind == Kind.CALL_EXPR:
        result = _result(cursor, known)
        return None if result is None else _function(*result, depth - 1)
    below = [c for c in clang.children(cursor) if c.kind.is_expression()]
    if cursor.kind == Kind.DECL_REF_EXPR:
        target = clang.referenced(cursor)
        if target is not None and target.kind == Kind.FUNCTION_DECL:
            return target
        return function_held(target) if target is not None else None
    if cursor.kind == Kind.CONDITIONAL_OPERATOR and len(below) == 3:
        chosen = _number(below[0], known)
        return None if chosen is None else _function(below[1 if chosen else 2], known, depth - 1)
    if cursor.kind == Kind.MEMBER_REF_EXPR and below:
        given = _member(cursor.spelling, below[0], known, depth - 1)
        return None if given is None else _function(*given, depth - 1)
    address = cursor.kind == Kind.UNARY_OPERATOR and clang.unary_operator(cursor) in ("&", "*")
    if (address or cursor.kind in _WRAPPERS) and below:
        return _function(below[-1], known, depth)
    return None


Result = tuple[Cursor, Known]  # an expression, and what its parameters are


def _result(call: Cursor, known: Known) -> Result | None:
    """What a call of a constant function returns."""
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
    return None if returned is None else (returned, given)


def _member(name: str, owner: Cursor, known: Known, depth: int) -> Result | None:
    """What a member of an object is initialised with."""
    below = [c for c in clang.children(owner) if c.kind.is_expression()]
    target = clang.referenced(owner) if owner.kind == Kind.CALL_EXPR else None
    variable = clang.referenced(owner) if owner.kind == Kind.DECL_REF_EXPR else None
    if depth > 0 and variable is not None and variable.kind == Kind.VAR_DECL and variable.type.is_const_qualified():
        init = clang.initializer(variable)
        return None if init is None else _member(name, init, {}, depth - 1)
    if depth == 0 or (target is None and owner.kind not in (*_WRAPPERS, Kind.INIT_LIST_EXPR)):
        return None
    if target is not None and target.kind != Kind.CONSTRUCTOR:
        result = _result(owner, known)
        return None if result is None else _member(name, *result, depth - 1)
    if owner.kind == Kind.INIT_LIST_EXPR:
        fields = [field.spelling for field in owner.type.get_canonical().get_fields()]
        return next(((item, known) for field, item in zip(fields, below) if field == name), None)
    same = bool(below) and below[-1].type.get_canonical() == owner.type.get_canonical()
    if target is None or (same and len(clang.arguments(owner)) == 1):  # wrapped, or copied
        return _member(name, below[-1], known, depth - 1) if below else None
    return _argument(name, owner, target, known)


def _argument(name: str, call: Cursor, constructor: Cursor, known: Known) -> Result | None:
    """The argument of a constructor that a member is initialised with."""
    definition = definition_of(constructor)
    below = clang.children(definition) if definition is not None else []
    params = [clang.identity(c) for c in below if c.kind == Kind.PARM_DECL]
    for member, value in pairwise(below):
        if member.kind == Kind.MEMBER_REF and member.spelling == name:
            while value.kind in _WRAPPERS and len(clang.children(value)) == 1:
                value = clang.children(value)[0]
            target = clang.referenced(value) if value.kind == Kind.DECL_REF_EXPR else None
            key = clang.identity(target) if target is not None else None
            given = clang.arguments(call)
            return (given[params.index(key)], known) if key in params and len(given) == len(params) else None
    return None


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
    if statement.kind == Kind.NULL_STMT or (statement.kind == Kind.DECL_STMT and all(map(_is_constant, below))):
        return None
    raise _NotConstant


def _is_constant(declared: Cursor) -> bool:
    if declared.kind == Kind.VAR_DECL:
        return bool(declared.type.is_const_qualified()) and clang.evaluate(declared) is not None
    return bool(declared.kind == Kind.STATIC_ASSERT)


def _chosen(subject: Cursor, block: Cursor, known: Known) -> Cursor | None:
    """What the matching case returns, or one that it falls through to."""
    value, groups = _number(subject, known), cases(block)
    if value is None or groups is None:
        raise _NotConstant
    first = next((i for i, (names, _) in enumerate(groups) if any(_is_between(value, n) for n in names)), None)
    if first is None:
        first = next((i for i, (names, _) in enumerate(groups) if any(n is None for n in names)), len(groups))
    for _, statements in groups[first:]:
        for statement in statements:
            if statement.kind == Kind.BREAK_STMT:
                return None
            found = _returned(statement, known)
            if found is not None:
                return found
    return None


def _is_between(value: int, label: tuple[Cursor, Cursor] | None) -> bool:
    ends = [] if label is None else [_number(end, {}) for end in label]
    return len(ends) == 2 and ends[0] is not None and ends[1] is not None and ends[0] <= value <= ends[1]


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
