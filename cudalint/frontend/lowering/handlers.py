"""`try` and `catch` of host code.

    try { return parse(text); } catch (...) { return 0; }      if (<left by an exception>) { return 0; } return parse(text);

Where in its block an exception comes from is not modelled: a mark says that what runs behind the handler may have other
values. Where the block always leaves, or the handler launches, the handler is one of two ways from the start of the block.
"""

from __future__ import annotations

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering.context import Body, statement
from cudalint.ir import nodes as ir
from cudalint.ir.types import BOOL
from cudalint.ir.walk import statements

_LEAVES = (Kind.RETURN_STMT, Kind.CXX_THROW_EXPR, Kind.BREAK_STMT, Kind.CONTINUE_STMT)
_ENDS = ("exit", "_exit", "abort", "terminate", "quick_exit")


@statement(Kind.CXX_TRY_STMT)
def attempt(body: Body, cursor: Cursor) -> None:
    """The tried block, and what is to be told of each handler."""
    blocks = [child for child in clang.children(cursor) if child.kind == Kind.COMPOUND_STMT]
    leaves = any(_last_kinds(block) & set(_LEAVES) for block in blocks)
    marks = [child for child in clang.children(cursor) if child.kind == Kind.CXX_CATCH_STMT]
    ways = [h for h in marks if (leaves and _goes_on(body, h)) or "<<<" in body.text(h)]
    with body.nested() as tried:
        for block in blocks:
            body.statement(block)
    changes = _changes(tuple(tried))
    for handler in ways:
        _as_way(body, handler, leaves, changes)
    body.block += tried
    for handler in marks:
        if handler not in ways and (reason := _reason(handler)):
            body.emit(ir.Unmodelled(reason, body.span(handler)))


def _as_way(body: Body, handler: Cursor, leaves: bool, changes: bool) -> None:
    """The handler as a branch; where it joins what the block comes to as well, a mark there stands for it."""
    span = body.span(handler)
    with body.nested() as caught:
        if changes:
            body.emit(ir.Unmodelled(ir.HANDLER, span))
        for child in clang.children(handler):
            if child.kind == Kind.COMPOUND_STMT:
                body.statement(child)
        if not leaves and _reason(handler) == ir.HANDLER:
            body.emit(ir.Trap(span))
    body.emit(ir.If(ir.Opaque("an exception", (), BOOL), tuple(caught), (), span))
    if not leaves and (reason := _reason(handler)):
        body.emit(ir.Unmodelled(reason, span))


def _changes(tried: tuple[ir.Stmt, ...]) -> bool:
    """Whether a handler may see other values than the block began with."""
    known = (ir.If, ir.Trap, ir.Return, ir.Check, ir.Declare, ir.Load)
    return not all(isinstance(each, known) for each in statements(tried))


def _goes_on(body: Body, handler: Cursor) -> bool:
    """Whether anything runs behind the handler."""
    reason = _reason(handler)
    return reason == ir.HANDLER or (reason == ir.LEAVING_HANDLER and body.owner.spelling != "main")


def _reason(handler: Cursor) -> str:
    """What is to be told by the last thing that it does; nothing where that throws on or ends the program."""
    block = next((c for c in clang.children(handler) if c.kind == Kind.COMPOUND_STMT), None)
    kinds = _last_kinds(block) if block is not None else set()
    if Kind.RETURN_STMT in kinds:
        return ir.LEAVING_HANDLER
    last = clang.children(block)[-1:] if block is not None else []
    ends = any(each.kind == Kind.CALL_EXPR and each.spelling in _ENDS for each in last)
    return "" if Kind.CXX_THROW_EXPR in kinds or ends else ir.HANDLER


def _last_kinds(block: Cursor) -> set[Kind]:
    """The kinds of the last statement and of what is in it, unless that is a statement that may be gone through."""
    last = clang.children(block)[-1:]
    if not last or last[0].kind in (Kind.IF_STMT, Kind.FOR_STMT, Kind.WHILE_STMT, Kind.DO_STMT, Kind.SWITCH_STMT):
        return set()
    return {last[0].kind} | {each.kind for each in clang.preorder(last[0]) if each.kind == Kind.CXX_THROW_EXPR}
