"""`for (T x : object)` where `begin()` and `end()` give pointers: spans, vectors, views.

libclang shows the loop's variable, the object and the body. The call of `begin()` is behind the variable's initial value;
the members of a class that a template made are not shown, so the number of elements is any number there.
"""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.arguments import as_memory
from cudalint.frontend.lowering.context import Body
from cudalint.frontend.lowering.functions import called, request
from cudalint.ir import nodes as ir
from cudalint.ir.types import INT64, Pointer


def range_of(body: Body, declared: Cursor, object_: Cursor) -> tuple[ir.Expr, ir.Expr] | None:
    """The first element's address and the number of elements; None where the ends are no pointers."""
    begin = _begin(declared)
    if begin is None or not isinstance(body.program.types.translate(begin.result_type), Pointer):
        return None
    span = body.span(object_)
    address = build.address(as_memory(body, body.place(object_), object_))
    first = _called(body, begin, address, object_)
    if first is None:
        return None
    end = _sibling(begin, "end")
    last = None if end is None else _called(body, end, address, object_)
    count = body.fresh(INT64, span, "count")
    if last is None:
        body.opaque_statement("number of elements of a range", span, (), (ir.Variable(count),))
    else:
        body.emit(ir.Assign(count, ir.Binary(ir.BinaryOp.POINTER_DIFFERENCE, last, first, INT64), span))
    return first, count


def _begin(declared: Cursor) -> Cursor | None:
    """The member function that gives the first element: that of `*__begin`, by which the variable is initialised."""
    value = clang.initializer(declared)
    names = (c for c in clang.preorder(value) if c.kind == Kind.DECL_REF_EXPR) if value is not None else ()
    hidden = (clang.referenced(c) for c in names)
    variable = next((v for v in hidden if v is not None and v.spelling.startswith("__begin")), None)
    made = None if variable is None else clang.initializer(variable)
    calls = (c for c in clang.preorder(made) if c.kind == Kind.CALL_EXPR) if made is not None else ()
    found = next((clang.referenced(c) for c in calls), None)
    return found if found is not None and found.kind == Kind.CXX_METHOD else None


def _sibling(method: Cursor, name: str) -> Cursor | None:
    """The member function of another name, const as this one is."""
    for member in clang.children(method.semantic_parent):
        if member.kind == Kind.CXX_METHOD and member.spelling == name:
            if member.is_const_method() == method.is_const_method():
                return member
    return None


def _called(body: Body, method: Cursor, address: ir.Expr, object_: Cursor) -> ir.Var | None:
    name = request(body.program, method, body.for_host)
    if name is None:
        return None
    span = body.span(object_)
    result = body.fresh(body.program.types.translate(method.result_type), span)
    called(body, name)
    owner = Pointer(body.program.types.translate(method.semantic_parent.type))
    body.emit(ir.Call(name, (address if address.type == owner else ir.Bitcast(address, owner),), result, span))
    return result
