"""What a function does to its variables: scalars whose address is taken live in memory, all others in registers."""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind, TypeKind
from cudalint.frontend.lowering.intrinsics import binds_no_reference
from cudalint.frontend.lowering.types import is_reference, references_held

_CASTS = (Kind.CSTYLE_CAST_EXPR, Kind.CXX_REINTERPRET_CAST_EXPR, Kind.CXX_STATIC_CAST_EXPR, Kind.CXX_CONST_CAST_EXPR)

_WRAPPERS = (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR, *_CASTS)
_WRITING = (Kind.UNARY_OPERATOR, Kind.BINARY_OPERATOR, Kind.CALL_EXPR)
_STEPS = ("++x", "--x", "x++", "x--")
_ASSIGNING = (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR)
_NOTED = (
    Kind.UNARY_OPERATOR, Kind.VAR_DECL, *_CASTS, Kind.CALL_EXPR, Kind.RETURN_STMT, Kind.INIT_LIST_EXPR, *_ASSIGNING,
)  # fmt: skip


def address_taken(root: Cursor) -> set[int]:
    """Identities of the variables whose address is taken below `root`: by `&`, a reference, or an lvalue cast."""
    found: set[int] = set()
    for cursor in clang.of_kinds(root, *_NOTED):
        _note(cursor, found)
    return found


def is_only_read(variable: Cursor, owner: Cursor) -> bool:
    """Neither the variable nor an entry of it is assigned in the function, nor handed to anything that may do so."""
    if clang.identity(variable) in address_taken(owner):
        return False
    return not any(_may_write(node, variable) for node in clang.of_kinds(owner, *_WRITING))


def _may_write(node: Cursor, variable: Cursor) -> bool:
    if node.kind == Kind.UNARY_OPERATOR:
        return clang.unary_operator(node) == "&" and _leads_to(clang.children(node)[0], variable)
    if node.kind == Kind.BINARY_OPERATOR:
        return clang.binary_operator(node) == "=" and _leads_to(clang.children(node)[0], variable)
    is_array = variable.type.get_array_element_type().kind != TypeKind.INVALID
    return is_array and any(_leads_to(given, variable, entries=False) for given in clang.arguments(node))


def _leads_to(cursor: Cursor, variable: Cursor, entries: bool = True) -> bool:
    """The expression is the variable, or one of its `entries`."""
    through = (*_WRAPPERS, Kind.ARRAY_SUBSCRIPT_EXPR) if entries else _WRAPPERS
    while cursor.kind in through and clang.children(cursor):
        cursor = clang.children(cursor)[0]
    target = clang.referenced(cursor) if cursor.kind == Kind.DECL_REF_EXPR else None
    return target is not None and clang.identity(target) == clang.identity(variable)


def _note(cursor: Cursor, found: set[int]) -> None:
    kind = cursor.kind
    if kind == Kind.UNARY_OPERATOR:
        operator = clang.unary_operator(cursor)
        if operator == "&" or (operator in _STEPS and _is_choice(clang.children(cursor)[0])):
            _mark(clang.children(cursor)[0], found)
    elif kind in _ASSIGNING:
        target = next(iter(clang.children(cursor)), None)
        if target is not None and _is_choice(target):
            _mark(target, found)  # one of two variables is assigned, by its address
    elif kind == Kind.VAR_DECL:
        if is_reference(cursor.type):
            init = clang.initializer(cursor)
            if init is not None:
                _mark(init, found)
    elif kind in _CASTS:
        below = clang.children(cursor)
        if below and cursor.type.kind != TypeKind.VOID:
            _mark_name(below[-1], found)
    elif kind == Kind.CALL_EXPR:
        _note_call(cursor, found)
    elif kind == Kind.RETURN_STMT:
        for child in clang.children(cursor):
            _mark_name(child, found)
    elif kind == Kind.INIT_LIST_EXPR and (referred := references_held(cursor.type)):
        for field, child in zip(cursor.type.get_canonical().get_fields(), clang.children(cursor)):
            if field.spelling in referred:
                _mark(child, found)


def _is_choice(cursor: Cursor) -> bool:
    while cursor.kind == Kind.PAREN_EXPR:
        cursor = clang.children(cursor)[0]
    return bool(cursor.kind == Kind.CONDITIONAL_OPERATOR)


def _note_call(cursor: Cursor, found: set[int]) -> None:
    target = clang.referenced(cursor)
    if cursor.type.kind == TypeKind.DEPENDENT and cursor.spelling and not cursor.spelling.startswith("operator"):
        # in a generic lambda: what it calls may take references
        for argument in clang.children(cursor)[1:]:
            _mark(argument, found)
        return
    by_reference = () if target is None else _reference_parameters(target)
    if not any(by_reference):
        return
    given = clang.arguments(cursor)
    if len(given) == len(by_reference) + 1:  # an overloaded operator's object
        given = given[1:]
    for argument, reference in zip(given, by_reference):
        if reference:
            _mark(argument, found)


def _reference_parameters(target: Cursor) -> tuple[bool, ...]:
    """Which parameters of a function are references; read once for each function of a translation unit."""
    known: dict[int, tuple[bool, ...]] = target._tu.__dict__.setdefault("_cudalint_reference_parameters", {})
    key = clang.identity(target)
    if key not in known:
        plain = binds_no_reference(target) or target.type.kind.name != "FUNCTIONPROTO"
        known[key] = () if plain else tuple(is_reference(t) for t in clang.parameter_types(target.type))
    return known[key]


def _mark(cursor: Cursor, found: set[int]) -> None:
    """Through parentheses and qualification, which keep the type."""
    while cursor is not None and cursor.kind in (Kind.PAREN_EXPR, Kind.UNEXPOSED_EXPR):
        below = clang.children(cursor)
        if len(below) != 1:
            return
        cursor = below[0]
    if cursor is not None and cursor.kind == Kind.CONDITIONAL_OPERATOR:
        for choice in clang.children(cursor)[1:]:
            _mark(choice, found)
    if cursor is not None:
        _mark_name(cursor, found)


def _mark_name(cursor: Cursor, found: set[int]) -> None:
    while cursor.kind == Kind.PAREN_EXPR:
        cursor = clang.children(cursor)[0]
    if cursor.kind == Kind.DECL_REF_EXPR:
        target = clang.referenced(cursor)
        if target is not None and target.kind in (Kind.VAR_DECL, Kind.PARM_DECL):
            found.add(clang.identity(target))
