"""Variables outside functions, and static ones inside."""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.dialect_errors import DYNAMIC, SHARED
from cudalint.frontend.lowering.context import Program
from cudalint.frontend.lowering.names import qualified_name
from cudalint.frontend.lowering.tables import table
from cudalint.ir import nodes as ir
from cudalint.ir.types import Array, Bool, Float, Int, Struct, Type, size_of

MOST_VALUES = 1 << 16  # the values of a longer table are not read


def global_variable(program: Program, declaration: Cursor) -> ir.Var:
    """The variable of the unit that stands for this declaration; made on first use."""
    key = clang.identity(declaration.canonical)
    type_ = declared_type(program, declaration)
    name = program.global_names.get(key)
    if name is None:
        name = qualified_name(declaration)
        while name in program.globals:
            name += "'"
        program.global_names[key] = name
        var = ir.Var(name, type_)
        span = program.locator.span(declaration)
        values, const = initial(declaration, type_), bool(declaration.type.get_canonical().is_const_qualified())
        held = None if values is not None else table(program, declaration, type_)
        program.globals[name] = ir.Global(var, storage(declaration), span, values, held, const)
    return program.globals[name].var


def storage(declaration: Cursor) -> ir.Storage:
    kinds = {c.kind for c in clang.children(declaration)}
    if Kind.CUDACONSTANT_ATTR in kinds:
        return ir.Storage.CONSTANT
    if is_shared(declaration):
        dynamic = clang.is_extern(declaration) or _is_annotated(declaration, DYNAMIC)
        return ir.Storage.DYNAMIC_SHARED if dynamic else ir.Storage.SHARED
    return ir.Storage.GLOBAL


MOST_CONSTANTS = 4  # that are made of each other


def declared_type(program: Program, declaration: Cursor) -> Type:
    """The type of a variable; the one element of a respelled dynamic array stands for all of them.

    Of an array whose declaration names a constant that nobody has seen nobody knows the length.
    """
    type_ = program.types.translate(declaration.type)
    if isinstance(type_, Array) and (_is_annotated(declaration, DYNAMIC) or _names_guess(program, declaration)):
        return Array(type_.element, None)
    return type_


def _names_guess(program: Program, declaration: Cursor, depth: int = 0) -> bool:
    """The length, or a constant that it is made of, is a guess."""
    for cursor in clang.of_kinds(declaration, Kind.DECL_REF_EXPR):
        target = clang.referenced(cursor)
        if target is None or target.kind != Kind.VAR_DECL:
            continue
        if program.is_guessed(target):
            return True
        made = depth < MOST_CONSTANTS and target.type.is_const_qualified()
        if made and _names_guess(program, target, depth + 1):
            return True
    return False


def _is_annotated(declaration: Cursor, name: str) -> bool:
    return any(c.kind == Kind.ANNOTATE_ATTR and c.spelling == name for c in clang.children(declaration))


def is_shared(declaration: Cursor) -> bool:
    """By its attribute, or by the annotation that stands for it where the object has a constructor."""
    by_attribute = any(c.kind == Kind.CUDASHARED_ATTR for c in clang.children(declaration))
    return by_attribute or _is_annotated(declaration, SHARED)


def initial(declaration: Cursor, type_: Type) -> tuple[int | float | bool, ...] | None:
    """The constant initial values, row by row; None where they are not constant or not written."""
    if isinstance(type_, (Int, Float, Bool)):
        value = clang.evaluate(declaration)
        return None if value is None else (value,)
    if isinstance(type_, Struct):
        return _record(declaration, type_)
    if not isinstance(type_, Array) or type_.count is None or _count(type_) > MOST_VALUES:
        return None
    init = clang.initializer(declaration)
    if init is None or init.kind != Kind.INIT_LIST_EXPR:
        return None
    values: list[int | float | bool] = []
    return tuple(values) if _flatten(init, type_, values) else None


def _record(declaration: Cursor, type_: Struct) -> tuple[int | float | bool, ...] | None:
    """The members of `T{1, 2}`, or of a dim3, in their order; None where padding lies between them."""
    sizes = [size_of(member.type) for member in type_.fields if isinstance(member.type, (Int, Float, Bool))]
    if len(sizes) != len(type_.fields) or sum(size or 0 for size in sizes) != type_.size:
        return None
    init = clang.initializer(declaration)
    while init is not None and init.kind in (Kind.UNEXPOSED_EXPR, Kind.CXX_FUNCTIONAL_CAST_EXPR):
        init = next((c for c in clang.children(init) if c.kind.is_expression()), None)
    if init is None or not (init.kind == Kind.INIT_LIST_EXPR or (init.kind == Kind.CALL_EXPR and type_.name == "dim3")):
        return None
    values = [clang.evaluate(item) for item in clang.children(init)]
    known = [value for value in values if value is not None]
    whole = len(known) == len(values) <= len(sizes)
    return (*known, *(0 for _ in sizes[len(known) :])) if whole else None


def _flatten(init: Cursor, type_: Array, values: list[int | float | bool]) -> bool:
    start, inner = len(values), type_.element
    for item in clang.children(init):
        if isinstance(inner, Array):
            if item.kind != Kind.INIT_LIST_EXPR or not _flatten(item, inner, values):
                return False
        else:
            value = clang.evaluate(item) if isinstance(inner, (Int, Float, Bool)) else None
            if value is None:
                return False
            values.append(value)
    total = _count(type_)
    values += [0] * (total - (len(values) - start))
    return total >= 0


def _count(type_: Type) -> int:
    return (type_.count or 0) * _count(type_.element) if isinstance(type_, Array) else 1
