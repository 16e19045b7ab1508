"""Lvalues: where a named thing, an element or a member lives."""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind, TypeKind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.base_parts import to_class
from cudalint.frontend.lowering.captures import by_reference
from cudalint.frontend.lowering.context import Body, lvalue
from cudalint.frontend.lowering.globals import global_variable
from cudalint.frontend.lowering.types import ARRAYS, OF_BASE, SCALARS, is_reference, is_unnamed
from cudalint.ir import nodes as ir
from cudalint.ir.types import UINT32, Pointer, Struct, Type, field_of
from cudalint.source import Span

VARIABLES = (Kind.VAR_DECL, Kind.PARM_DECL, Kind.UNEXPOSED_DECL)  # the last are names of structured bindings
BUILTINS = ("threadIdx", "blockIdx", "blockDim", "gridDim")


@lvalue(Kind.PAREN_EXPR)
def inner(body: Body, cursor: Cursor) -> ir.Place | None:
    return body.place(clang.children(cursor)[0])


@lvalue(Kind.DECL_REF_EXPR)
def named(body: Body, cursor: Cursor) -> ir.Place | None:
    target = clang.referenced(cursor)
    if target is None and not cursor.spelling and clang.children(cursor):
        return body.materialize(body.value(cursor), cursor)  # the value of a template parameter
    if target is None or target.kind not in VARIABLES:
        return None
    whole = whole_builtin(body, cursor, target)
    return variable(body, target) if whole is None else body.materialize(whole, cursor)


def variable(body: Body, target: Cursor) -> ir.Place | None:
    """The place of a variable; through the pointer where it is a reference."""
    key = clang.identity(target)
    var = body.variables.get(key)
    if var is None and not target.spelling:
        var = body.unnamed.get(clang.identity(target.type.get_declaration()))
    if var is None:
        if not is_global(target):
            return capture(body, key, body.span(target))
        var = global_variable(body.program, target)
        if is_reference(target.type):
            return None
        body.memory.add(var.name)
        return ir.Variable(var)
    if key in body.references:
        assert isinstance(var.type, Pointer)
        return build.element(body.read(ir.Variable(var), body.span(target)), build.ZERO, var.type.element)
    return ir.Variable(var)


def capture(body: Body, key: int, span: Span) -> ir.Place | None:
    """The member of the lambda's object that holds a captured variable, or what it refers to."""
    if body.closure is None or not isinstance(body.closure.type, Pointer):
        return None
    owner = body.owner.semantic_parent
    held = body.program.captures.get(clang.identity(owner), ())
    closure = body.closure.type.element
    if key not in held or not isinstance(closure, Struct):
        return None
    i = held.index(key)
    known = field_of(closure, f"capture.{i}")
    if known is None:
        return None
    place = ir.Field(build.element(body.closure, build.ZERO, closure), known.name, known.type)
    if by_reference(owner.type)[i] and isinstance(known.type, Pointer):
        return build.element(body.read(place, span), build.ZERO, known.type.element)
    return place


def is_global(target: Cursor) -> bool:
    """A variable of a namespace or class, or a static one of a function."""
    if target.kind != Kind.VAR_DECL:
        return False
    parent = target.semantic_parent
    outside = parent is None or parent.kind not in FUNCTION_KINDS
    return outside or str(target.storage_class.name) == "STATIC"


FUNCTION_KINDS = (
    Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.CONVERSION_FUNCTION,
    Kind.FUNCTION_TEMPLATE,
)  # fmt: skip


@lvalue(Kind.ARRAY_SUBSCRIPT_EXPR)
def subscript(body: Body, cursor: Cursor) -> ir.Place | None:
    left, right = clang.children(cursor)
    return _element(body, cursor, left, right)


def _element(body: Body, cursor: Cursor, left: Cursor, right: Cursor) -> ir.Place:
    """The element that `cursor` means, of the one side that is a pointer or an array."""
    if left.type.get_canonical().kind not in (TypeKind.POINTER, *ARRAYS):
        left, right = right, left
    type_ = body.type_of(cursor)
    base = decayed(left)
    if base is not None:
        place = body.place(base)
        return ir.Index(place, body.value(right), type_)
    pointer = body.value(left)
    return build.element(pointer, body.value(right), type_)


def decayed(cursor: Cursor) -> Cursor | None:
    """The array whose decay this expression is, looking through parentheses."""
    while cursor.kind in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR):
        if len(below := clang.children(cursor)) != 1:
            return None
        cursor = below[0]
        if _is_array(cursor) and cursor.kind not in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR):
            return cursor
    return cursor if _is_array(cursor) else None


def _is_array(cursor: Cursor) -> bool:
    """A parameter that is declared as an array is a pointer."""
    if cursor.type.get_canonical().kind not in ARRAYS:
        return False
    target = clang.referenced(cursor) if cursor.kind == Kind.DECL_REF_EXPR else None
    return target is None or target.kind != Kind.PARM_DECL or is_reference(target.type)


@lvalue(Kind.UNARY_OPERATOR)
def unary(body: Body, cursor: Cursor) -> ir.Place | None:
    operator = clang.unary_operator(cursor)
    operand = clang.children(cursor)[0]
    if operator == "*":
        sides = _added(operand)
        if sides is not None:
            return _element(body, cursor, *sides)
        return build.element(body.value(operand), build.ZERO, body.type_of(cursor))
    if operator in ("++x", "--x"):
        body.discard(cursor)
        return body.place(operand)
    return None


def _added(cursor: Cursor) -> tuple[Cursor, Cursor] | None:
    """The sides of `x + i`: what `*(x + i)` means is x[i]."""
    while cursor.kind == Kind.PAREN_EXPR:
        cursor = clang.children(cursor)[0]
    if cursor.kind != Kind.BINARY_OPERATOR or clang.binary_operator(cursor) != "+":
        return None
    left, right = clang.children(cursor)
    return left, right


@lvalue(Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR)
def assignment(body: Body, cursor: Cursor) -> ir.Place | None:
    left, right = clang.children(cursor)
    operator = clang.binary_operator(cursor)
    if operator == ",":
        body.discard(left)
        return body.place(right)
    if operator.endswith("=") and operator not in ("==", "!=", "<=", ">="):
        body.discard(cursor)
        return body.place(left)
    return None


@lvalue(Kind.MEMBER_REF_EXPR)
def member(body: Body, cursor: Cursor) -> ir.Place | None:
    target = clang.referenced(cursor)
    if target is not None and target.kind == Kind.VAR_DECL:
        return variable(body, target)
    if target is None or target.kind != Kind.FIELD_DECL:
        return None
    base = member_base(body, cursor)
    if base is None:
        return None
    return field(body, base, target, cursor)


def field(body: Body, base: ir.Place, target: Cursor, cursor: Cursor) -> ir.Place:
    type_ = body.program.types.translate(target.type)
    if is_unnamed(target):
        return base  # an anonymous union's members are its owner's
    place = ir.Field(base, _name_in(build.place_type(base), target), type_)
    if is_reference(target.type) and isinstance(type_, Pointer):
        return build.element(body.read(place, body.span(cursor)), build.ZERO, type_.element)
    return place


def _name_in(owner: Type, target: Cursor) -> str:
    """A member of a base, `m.Base::size`, that one of the class itself hides."""
    name, parent = target.spelling, target.semantic_parent
    hidden = f"{OF_BASE}{name}"
    is_hidden = isinstance(owner, Struct) and field_of(owner, hidden) is not None
    return hidden if is_hidden and owner.name.rpartition("::")[2] != parent.spelling else name  # type: ignore[union-attr]


def member_base(body: Body, cursor: Cursor) -> ir.Place | None:
    """The object that a member expression looks into."""
    below = clang.children(cursor)
    below = [c for c in below if c.kind.is_expression()]
    if not below or below[0].type.get_canonical().kind in (*SCALARS, TypeKind.ENUM):  # template arguments: `align<N>()`
        return this_object(body)
    base = below[0]
    if base.type.get_canonical().kind == TypeKind.POINTER:
        pointer = body.value(base)
        if isinstance(pointer.type, Pointer):
            return build.element(pointer, build.ZERO, pointer.type.element)
        return None
    below = clang.children(base) if base.kind == Kind.UNEXPOSED_EXPR else []
    if len(below) == 1 and _hides(body.type_of(below[0]), body.type_of(base)):
        base = below[0]  # the member is looked for by its name, which is another one in the whole object
    return body.place(base)


def _hides(whole: Type, part: Type) -> bool:
    if not isinstance(whole, Struct) or not isinstance(part, Struct):
        return False
    return any(field_of(whole, f"{OF_BASE}{f.name}") is not None for f in part.fields)


def this_object(body: Body) -> ir.Place | None:
    if body.this is None or not isinstance(body.this.type, Pointer):
        return None
    return build.element(body.this, build.ZERO, body.this.type.element)


@lvalue(Kind.UNEXPOSED_EXPR)
def wrapped(body: Body, cursor: Cursor) -> ir.Place | None:
    """Qualification, a temporary made real, or the base part of an object."""
    below = clang.children(cursor)
    if len(below) != 1:
        return None
    child, type_ = below[0], body.type_of(cursor)
    source = body.type_of(child)
    if source == type_:
        return body.place(child)
    if isinstance(source, Struct) and isinstance(type_, Struct):
        place = body.place(child)
        if all(field_of(source, f.name) == f for f in type_.fields):
            return place
        return build.element(to_class(body, build.address(place), Pointer(type_)), build.ZERO, type_)
    return None


@lvalue(
    Kind.CSTYLE_CAST_EXPR, Kind.CXX_REINTERPRET_CAST_EXPR, Kind.CXX_STATIC_CAST_EXPR, Kind.CXX_CONST_CAST_EXPR,
    Kind.CXX_DYNAMIC_CAST_EXPR,
)  # fmt: skip
def reference_cast(body: Body, cursor: Cursor) -> ir.Place | None:
    """`reinterpret_cast<T &>(x)`: the object under another type."""
    child = [c for c in clang.children(cursor) if c.kind.is_expression()][-1]
    while _is_base_part(body, child):
        child = clang.children(child)[0]
    if not is_lvalue(child):
        return None
    place, type_ = body.place(child), body.type_of(cursor)
    if build.place_type(place) == type_:
        return place
    address, to = build.address(place), Pointer(type_)
    reinterpreted = cursor.kind == Kind.CXX_REINTERPRET_CAST_EXPR
    return build.element(ir.Bitcast(address, to) if reinterpreted else to_class(body, address, to), build.ZERO, type_)


def _is_base_part(body: Body, cursor: Cursor) -> bool:
    """The conversion of an object to its base that `static_cast<Base &>(x)` has inside."""
    below = clang.children(cursor)
    if cursor.kind != Kind.UNEXPOSED_EXPR or len(below) != 1:
        return False
    return isinstance(body.type_of(cursor), Struct) and isinstance(body.type_of(below[0]), Struct)


def is_lvalue(cursor: Cursor) -> bool:
    """A name, element or member that no conversion has read yet."""
    while cursor.kind == Kind.PAREN_EXPR:
        cursor = clang.children(cursor)[0]
    if cursor.kind == Kind.UNARY_OPERATOR:
        return clang.unary_operator(cursor) == "*"
    if cursor.kind in (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR):
        target = clang.referenced(cursor)
        return target is not None and target.kind in (*VARIABLES, Kind.FIELD_DECL)
    if cursor.kind == Kind.CONDITIONAL_OPERATOR:
        below = clang.children(cursor)
        return len(below) == 3 and all(is_lvalue(choice) for choice in below[1:])
    return bool(cursor.kind == Kind.ARRAY_SUBSCRIPT_EXPR)


@lvalue(Kind.CXX_THIS_EXPR)
def this_place(body: Body, cursor: Cursor) -> ir.Place | None:
    return None


@lvalue(Kind.CALL_EXPR)
def call_result(body: Body, cursor: Cursor) -> ir.Place | None:
    """A call that returns a reference gives the place behind it."""
    target = clang.referenced(cursor)
    if target is None or target.kind == Kind.CONSTRUCTOR:
        return None
    if not is_reference(target.result_type) and target.kind not in VARIABLES:
        return None
    from cudalint.frontend.lowering.calls import call

    result = call(body, cursor)
    if isinstance(result, ir.Expr) and isinstance(result.type, Pointer):
        return build.element(result, build.ZERO, body.type_of(cursor))
    return None


def builtin(body: Body, cursor: Cursor) -> ir.Expr | None:
    """`threadIdx.x` and its relatives."""
    below = clang.children(cursor)
    if len(below) != 1:
        return None
    base = below[0]
    while base.kind == Kind.UNEXPOSED_EXPR and len(clang.children(base)) == 1:
        base = clang.children(base)[0]
    if base.kind != Kind.DECL_REF_EXPR or base.spelling not in BUILTINS or cursor.spelling not in ("x", "y", "z"):
        return None
    target = clang.referenced(base)
    if target is None or not body.program.in_stubs(target):
        return None
    return ir.Builtin(f"{base.spelling}.{cursor.spelling}", UINT32)


def whole_builtin(body: Body, cursor: Cursor, target: Cursor) -> ir.Expr | None:
    """`threadIdx` and its relatives as one value."""
    if cursor.spelling not in BUILTINS or not body.program.in_stubs(target):
        return None
    lanes = tuple(ir.Builtin(f"{cursor.spelling}.{axis}", UINT32) for axis in "xyz")
    return ir.Construct(lanes, body.type_of(cursor))
