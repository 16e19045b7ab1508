"""Calls: what the tables know, functions with bodies, everything else."""

from __future__ import annotations

import re

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind, TypeKind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.absent_launchers import handed_launch
from cudalint.frontend.lowering.arguments import as_memory, lower_arguments, object_address
from cudalint.frontend.lowering.atomics import atomic_call
from cudalint.frontend.lowering.builtin_calls import builtin_call
from cudalint.frontend.lowering.callbacks import may_call
from cudalint.frontend.lowering.chosen_functions import Choice, When, choices_of, is_choice, lasts
from cudalint.frontend.lowering.context import Body, effect, expression
from cudalint.frontend.lowering.copies import copy_call
from cudalint.frontend.lowering.function_values import function_called, function_given, function_held
from cudalint.frontend.lowering.functions import called, definition_of, is_implicit, request, request_here, request_with
from cudalint.frontend.lowering.groups import group_call
from cudalint.frontend.lowering.holes import emit_hole
from cudalint.frontend.lowering.initialize import construct, copied_without_name
from cudalint.frontend.lowering.lambdas import inline_lambda, lambda_of
from cudalint.frontend.lowering.launches import is_launch, launch
from cudalint.frontend.lowering.library import accesses, calls_back, library_call
from cudalint.frontend.lowering.names import qualified_name, written_id
from cudalint.frontend.lowering.runtime_launches import runtime_launch
from cudalint.frontend.lowering.scan import is_only_read
from cudalint.frontend.lowering.types import is_reference
from cudalint.ir import nodes as ir
from cudalint.ir.types import BOOL, VOID, Bool, Float, Int, Pointer, Type, Vector
from cudalint.source import Span

METHODS = (Kind.CXX_METHOD, Kind.CONVERSION_FUNCTION, Kind.DESTRUCTOR)
INDIRECT = "(*)"
NOTHING = ir.Const(None, VOID)


@expression(Kind.CALL_EXPR)
def call_value(body: Body, cursor: Cursor) -> ir.Expr:
    result = call(body, cursor)
    if result is None:
        return NOTHING
    target = clang.referenced(cursor)
    type_ = body.type_of(cursor)
    if isinstance(result.type, Pointer) and result.type != type_ and target is not None:
        if target.kind != Kind.CONSTRUCTOR and is_reference(target.result_type):
            return body.read(build.element(result, build.ZERO, result.type.element), body.span(cursor))
    return result


@effect(Kind.CALL_EXPR)
def call_effect(body: Body, cursor: Cursor) -> None:
    call(body, cursor)


def call(body: Body, cursor: Cursor) -> ir.Expr | None:
    """Lower a call; its result is a pointer where the function returns a reference, None where it returns nothing."""
    if is_launch(cursor):
        launch(body, cursor)
        return None
    choices = choices_of(clang.children(cursor)[0]) if is_choice(cursor, body.role == ir.Role.HOST) else ()
    if choices:
        return chosen(body, cursor, choices)
    target = clang.referenced(cursor) or passed_function(cursor)
    held = given_behind(body, cursor) if target is None else None
    if held is not None:
        return direct(body, cursor, held)
    copied = copied_without_name(body, cursor) if target is None else None
    if copied is not None:
        return body.value(copied)
    if target is None:
        return body.hole_value(cursor, "call of an unknown function")
    if target.kind == Kind.CONSTRUCTOR:
        return construct(body, cursor)
    if target.kind in (Kind.VAR_DECL, Kind.PARM_DECL, Kind.FIELD_DECL):
        held = function_called(cursor) if target.kind == Kind.FIELD_DECL else function_held(target)
        held = held or body.given.get(clang.identity(target))
        return indirect(body, cursor, target) if held is None else direct(body, cursor, held)
    closure = lambda_of(body, target)
    if closure is not None:
        return inline_lambda(body, closure, cursor)
    if body.program.in_stubs(target) or target.spelling.startswith("__builtin_"):
        launched = runtime_launch(body, cursor, target)
        if launched is not None:
            return launched
        known = builtin_call(body, cursor, target)
        if known is not NotImplemented:
            return known  # type: ignore[no-any-return]
        atomic = atomic_call(body, cursor, target)
        if atomic is not NotImplemented:
            return atomic  # type: ignore[no-any-return]
        copying = copy_call(body, cursor, target)
        if copying is not NotImplemented:
            return copying  # type: ignore[no-any-return]
        grouped = group_call(body, cursor, target)
        if grouped is not NotImplemented:
            return grouped  # type: ignore[no-any-return]
    if target.spelling == "operator=" and target.kind == Kind.CXX_METHOD:
        copied = copy_assignment(body, cursor, target)
        if copied is not None:
            return copied
    return direct(body, cursor, target)


def passed_function(cursor: Cursor) -> Cursor | None:
    """The function that a template got as a value: `f(x)` with `template <float (*f)(float)>`."""
    below = clang.children(cursor)
    while below and below[0].kind in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR, Kind.DECL_REF_EXPR, Kind.UNARY_OPERATOR):
        target = clang.referenced(below[0])
        if target is not None and target.kind == Kind.FUNCTION_DECL:
            return target
        below = clang.children(below[0])
    return None


def given_behind(body: Body, cursor: Cursor) -> Cursor | None:
    """The function that a parameter is, of which the caller takes what it points to: `(*f)(x)`."""
    callee = clang.children(cursor)[0]
    while callee.kind in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR, Kind.UNARY_OPERATOR) and clang.children(callee):
        callee = clang.children(callee)[0]
    target = clang.referenced(callee) if callee.kind == Kind.DECL_REF_EXPR else None
    return body.given.get(clang.identity(target)) if target is not None else None


def copy_assignment(body: Body, cursor: Cursor, target: Cursor) -> ir.Expr | None:
    """An assignment operator that nobody wrote copies the object."""
    given = clang.arguments(cursor)
    if len(given) != 2 or body.type_of(given[0]) != body.type_of(given[1]):
        return None
    if not is_implicit(target) and request(body.program, target) is not None:
        return None
    value = body.value(given[1])
    place = body.place(given[0])
    body.write(place, value, body.span(given[0]))
    return build.address(place)


def indirect(body: Body, cursor: Cursor, target: Cursor) -> ir.Expr | None:
    args = tuple(body.value(a) for a in clang.arguments(cursor))
    span = body.span(cursor)
    if body.role == ir.Role.HOST:
        return through_pointer(body, cursor, args)
    pointers = tuple(a for a in args if isinstance(a, ir.Var))
    emit_hole(body, f"call through the pointer {target.spelling}", span, body.text(cursor), pointers)
    return _result(body, cursor, body.type_of(cursor), "call through a pointer")


def chosen(body: Body, cursor: Cursor, choices: tuple[Choice, ...]) -> ir.Expr | None:
    span, type_ = body.span(cursor), body.type_of(cursor)
    result = None if type_ == VOID else body.fresh(type_, span)
    one_of(body, cursor, choices, result)
    return result


def one_of(body: Body, cursor: Cursor, choices: tuple[Choice, ...], result: ir.Var | None) -> None:
    """A call of the first function where it is chosen, else of one of the others; of the last entry of a table there only."""
    (choice, *others), span = choices, body.span(cursor)
    with body.nested() as then:
        value = called_choice(body, cursor, choice)
        if result is not None and value is not None:
            body.emit(ir.Assign(result, value, span))
    if not others and not (choice.listed and _is_compared(choice)):
        for made in then:
            body.emit(made)
        return
    cond = is_chosen(body, cursor, choice)
    with body.nested() as orelse:
        if others:
            one_of(body, cursor, tuple(others), result)
    body.emit(ir.If(cond, tuple(then), tuple(orelse), span))


def called_choice(body: Body, cursor: Cursor, choice: Choice) -> ir.Expr | None:
    if not choice.arguments:
        return direct(body, cursor, choice.function)
    args = lower_arguments(body, choice.function, clang.arguments(cursor))
    type_ = body.type_of(cursor)
    result = None if type_ == VOID else body.fresh(type_, body.span(cursor))
    body.emit(ir.Call(choice.instance, args, result, body.span(cursor)))
    return result


def _is_compared(choice: Choice) -> bool:
    return all(lasts(leading) for way in choice.ways for leading, _ in way)


def is_chosen(body: Body, cursor: Cursor, choice: Choice) -> ir.Expr:
    if not _is_compared(choice):
        return ir.Opaque(f"whether {body.text(clang.children(cursor)[0])} is {choice.function.spelling}", (), BOOL)
    first, *others = (_leads_there(body, way) for way in choice.ways)
    for other in others:
        first = ir.Binary(ir.BinaryOp.LOGICAL_OR, first, other, BOOL)
    return first


def _leads_there(body: Body, way: When) -> ir.Expr:
    cond: ir.Expr = build.TRUE
    for leading, number in way:
        given = body.value(leading)
        same = build.truth(given)
        if isinstance(given.type, Int):
            same = ir.Binary(ir.BinaryOp.EQUAL, given, build.const(number, given.type), BOOL)
        elif number == 0:
            same = build.negated(same)
        cond = build.conjunction(cond, same)
    return cond


def through_pointer(body: Body, cursor: Cursor, args: tuple[ir.Expr, ...]) -> ir.Expr | None:
    """Host code: which function it is, the walk knows."""
    span, type_ = body.span(cursor), body.type_of(cursor)
    callee = body.value(clang.children(cursor)[0])
    result = None if type_ == VOID else body.fresh(type_, span)
    body.emit(ir.Call(INDIRECT, (callee, *args), result, span))
    return result


def _result(body: Body, cursor: Cursor, type_: Type, reason: str) -> ir.Expr | None:
    return None if type_ == VOID else ir.Opaque(reason, (), type_)


def direct(body: Body, cursor: Cursor, target: Cursor) -> ir.Expr | None:
    if is_dispatched(cursor, target) and not accesses(target):
        return body.hole_value(cursor, f"virtual call of {target.spelling}")
    given = clang.arguments(cursor)
    args: tuple[ir.Expr, ...] = ()
    if target.kind in METHODS and not target.is_static_method():
        if is_operator_call(cursor, target):
            args = (build.address(as_memory(body, body.place(given[0]), cursor)),)
            given = given[1:]
        else:
            owner = object_address(body, cursor)
            args = () if owner is None else (owner,)
    elif target.kind in METHODS and is_operator_call(cursor, target):
        given = given[1:]
    args += lower_arguments(body, target, given)
    return emit_call(body, cursor, target, args)


def is_operator_call(cursor: Cursor, target: Cursor) -> bool:
    """`a[i]` or `f(x)` by an operator of a class: its object is an argument of the syntax."""
    if not target.spelling.startswith("operator") or target.kind == Kind.CONVERSION_FUNCTION:
        return False
    first = clang.children(cursor)[0]
    while first.kind in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR) and len(clang.children(first)) == 1:
        first = clang.children(first)[0]
    return not (first.kind == Kind.MEMBER_REF_EXPR and first.spelling == target.spelling)


def emit_call(body: Body, cursor: Cursor, target: Cursor, args: tuple[ir.Expr, ...]) -> ir.Expr | None:
    span = body.span(cursor)
    host = body.role == ir.Role.HOST or body.for_host
    given = {} if host or accesses(target) else functions_given(body, cursor, target)
    if given:
        name = request_with(body.program, target, given)
    elif accesses(target):
        name = request_here(body.program, target, span)
    else:
        name = request(body.program, target, body.for_host)
    type_ = body.program.types.translate(target.result_type)
    if name is None and not host:
        return unknown_device_call(body, cursor, target, args, type_)
    if name is not None:
        called(body, name)
    else:
        may_call(body, args, clang.arguments(cursor), span)
        handed_launch(body, cursor, target)
    result = None if type_ == VOID else body.fresh(type_, span)
    constant = constant_arguments(target, len(args)) if host or name is None else ()
    body.emit(ir.Call(name or declared_name(body, target), args, result, span, constant))
    return result


def functions_given(body: Body, cursor: Cursor, target: Cursor) -> dict[int, Cursor]:
    """The functions that device code hands to another function by its arguments, by their positions.

    Not those of parameters that this function may set to others.
    """
    given = clang.arguments(cursor)
    if target.kind in METHODS and is_operator_call(cursor, target):
        given = given[1:]
    found = {i: f for i, argument in enumerate(given) if (f := function_given(argument, body.given)) is not None}
    definition = definition_of(target) if found else None
    if definition is None:
        return {}
    params = [c for c in clang.children(definition) if c.kind == Kind.PARM_DECL]
    return {i: f for i, f in found.items() if i < len(params) and is_only_read(params[i], definition)}


def is_dispatched(cursor: Cursor, target: Cursor) -> bool:
    """A virtual function with a body, of an object that only a pointer or reference leads to: a derived class may have another.

    An object's own calls (`this`) stay its own; so do those of variables and members, whose class is known, and of what is final.
    """
    if target.kind != Kind.CXX_METHOD or not target.is_virtual_method() or definition_of(target) is None:
        return False
    if any(c.kind == Kind.CXX_FINAL_ATTR for c in (*clang.children(target), *clang.children(target.semantic_parent))):
        return False
    callee = clang.children(cursor)[0]
    while callee.kind in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR) and clang.children(callee):
        callee = clang.children(callee)[0]
    below = clang.children(callee) if callee.kind == Kind.MEMBER_REF_EXPR else []
    if not below or any(c.kind in (Kind.TYPE_REF, Kind.TEMPLATE_REF) for c in below):
        return False  # of `this`, or `object.Base::function()`
    base = below[0]
    while base.kind in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR) and clang.children(base):
        base = clang.children(base)[0]
    if base.kind == Kind.CXX_THIS_EXPR:
        return False
    held = clang.referenced(base)
    declared = held.type if held is not None and base.kind in (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR) else base.type
    kind = declared.get_canonical().kind
    return kind in (TypeKind.POINTER, TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE) or base.kind not in (
        Kind.DECL_REF_EXPR,
        Kind.MEMBER_REF_EXPR,
    )


def declared_name(body: Body, target: Cursor) -> str:
    """The name of a function without a body here; the project's templates keep their arguments, by which they link.

    A declaration that was guessed takes a pack of whatever it is called with: its arguments are nobody's.
    """
    if target.get_num_template_arguments() > 0 and body.program.is_guessed(target):
        return f"{qualified_name(target)}<pack>"
    if target.get_num_template_arguments() > 0 and not body.program.in_stubs(target):
        return written_id(target)
    return qualified_name(target)


def constant_arguments(target: Cursor, count: int) -> tuple[int, ...]:
    """Positions of the arguments that are pointers or references to const; the object of a const member function."""
    if target.type.kind != clang.TypeKind.FUNCTIONPROTO:
        return ()
    types = [t.get_canonical() for t in clang.parameter_types(target.type)]
    offset = max(0, count - len(types)) if target.kind in METHODS else 0
    found = [i + offset for i, t in enumerate(types) if t.get_pointee().is_const_qualified()]
    return (0, *found) if offset and target.kind in METHODS and target.is_const_method() else tuple(found)


def unknown_device_call(
    body: Body, cursor: Cursor, target: Cursor, args: tuple[ir.Expr, ...], type_: Type
) -> ir.Expr | None:
    """No body and no table: pure where it gets no pointer, a hole otherwise."""
    name, span = qualified_name(target), body.span(cursor)
    value = clang.evaluate(cursor) if name.startswith("__builtin_") else None
    if value is not None:
        return build.const(value, type_)
    if body.program.in_stubs(target) and not calls_back(target):
        return library_call(body, cursor, target, args, type_)
    if (update := _update_by_name(name, args)) is not None:
        return _updated(body, update, args, type_, name, span)
    guessed, quiet = body.program.is_guessed(target), _QUIET.search(name) is not None
    if guessed and type_ != VOID and not _ORDERS.search(name) and not any(map(_may_reach, args[_is_method(target) :])):
        reason = f"call of {name}, which has no body here"
        body.gap(reason, span)
        body.emit(ir.Unmodelled(reason, span))
        return ir.Opaque(reason, (), type_)
    if guessed or any(isinstance(a.type, Pointer) for a in args) or type_ == VOID:
        written = tuple(place for a in args if (place := _pointee(a)) is not None)
        reason = f"call of {name}, which has no body here"
        body.gap(reason, span)
        body.emit(ir.Unmodelled(reason, span, args, written, guessed and not quiet, not quiet))
        return None if type_ == VOID else ir.Opaque(reason, (), type_)
    return body.opaque(name, args, type_, span)


_ORDERS = re.compile(
    r"sync|barrier|bar_|arrive|wait|fence|reduc|scan|sort|block|tile|load|store|copy|gemm|mma|cta|warp|group|exchange|broadcast"
    r"|gather|scatter|stage|flush|process|run|shfl|shuffle|exit|trap|throw|abort",
    re.IGNORECASE,
)
"""A function of such a name may be one that all threads of the block make together, or that does not return."""


_QUIET = re.compile(r"(?:^|::)operator\s*(?:\[\]|->|\*|[-+*/%&|^<>=!~]{1,3}|(?:unsigned )?[a-z]+)\Z")
"""An operator, but a call or a conversion to a class, is a matter of one thread: nobody waits for others in `x[i]`."""
_UPDATE = re.compile(
    r"(?:^|::)(?:gpu|fast|my)?_?[aA]tomic_?([aA]dd|[mM]in|[mM]ax|[oO]r|[aA]nd|[xX]or|[eE]xch|[iI]nc|[dD]ec)\Z"
)


def _update_by_name(name: str, args: tuple[ir.Expr, ...]) -> str | None:
    """`lib::atomicAdd(pointer, value)`: which atomic a function without a body is, by its name and its arguments."""
    match = _UPDATE.search(name)
    pointer = args[0].type if len(args) == 2 else None
    fits = isinstance(pointer, Pointer) and isinstance(pointer.element, (Int, Float)) and not _may_reach(args[1])
    return match[1].lower() if match is not None and fits else None


def _updated(
    body: Body, operation: str, args: tuple[ir.Expr, ...], type_: Type, name: str, span: Span
) -> ir.Expr | None:
    pointer, value = args
    assert isinstance(pointer.type, Pointer)
    element = pointer.type.element
    result = None if type_ == VOID else body.fresh(element, span)
    body.note_opaque(f"{name}, by its name", span)
    place = build.element(pointer, build.ZERO, element)
    body.emit(ir.Atomic(operation, place, (build.convert(value, element),), result, span))
    return None if result is None else build.convert(result, type_)


def _is_method(target: Cursor) -> bool:
    return target.kind in METHODS and not target.is_static_method()


def _may_reach(arg: ir.Expr) -> bool:
    return not isinstance(arg.type, (Int, Float, Bool, Vector))


def _pointee(arg: ir.Expr) -> ir.Place | None:
    if isinstance(arg.type, Pointer) and arg.type.element != VOID:
        return build.element(arg, build.ZERO, arg.type.element)
    return None
