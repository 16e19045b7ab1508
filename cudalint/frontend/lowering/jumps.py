"""`goto` to a later label of an enclosing block, as structured flow; any other is a hole.

if (c) goto done; a[i] = 1; done: ...       if (c) {} else { a[i] = 1; } ...
while (t) { if (c) goto done; } ...; done:  loop once { while (t) { if (c) { left = true; break; } } if (left) break; ... }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.captures import statement_identity
from cudalint.frontend.lowering.context import Body, statement
from cudalint.ir import nodes as ir
from cudalint.ir.types import BOOL
from cudalint.source import Span

_MARK = "goto "
Statements = Sequence[ir.Stmt]


@contextmanager
def labels(body: Body, block: Cursor) -> Iterator[None]:
    """The block's own labels are known while its statements are lowered."""
    body.labels.append(frozenset(_forward(body, block)))
    try:
        yield
    finally:
        body.labels.pop()


def _forward(body: Body, block: Cursor) -> Iterator[str]:
    """The labels among the block's own statements that only statements of the block before them jump to."""
    below = clang.children(block)
    if all(child.kind != Kind.LABEL_STMT for child in below):
        return
    everywhere = list(_targets(clang.preorder(body.owner)))
    before: list[int] = []
    for child in below:
        while child.kind == Kind.LABEL_STMT:
            key = statement_identity(child)
            if everywhere.count(key) == before.count(key):
                yield child.spelling
            child = clang.children(child)[-1]
        before += _targets(clang.preorder(child))


def _targets(cursors: Iterable[Cursor]) -> Iterator[int]:
    for cursor in cursors:
        target = _target(cursor) if cursor.kind == Kind.GOTO_STMT else None
        if target is not None:
            yield statement_identity(target)


def _target(jump: Cursor) -> Cursor | None:
    below = clang.children(jump)
    return clang.referenced(below[0]) if below else None


@statement(Kind.GOTO_STMT)
def jump(body: Body, cursor: Cursor) -> None:
    target = _target(cursor)
    if target is None or not any(target.spelling in known for known in body.labels):
        body.hole(ir.TURNING_BACK[0], cursor)
        return
    body.emit(ir.Unmodelled(_MARK + target.spelling, body.span(cursor)))


def labelled(body: Body, cursor: Cursor, begin: int) -> None:
    """A statement of a block with its labels; the block's statements before it begin at `begin` of what is emitted."""
    while cursor.kind == Kind.LABEL_STMT:
        if cursor.spelling not in body.labels[-1]:
            body.hole(ir.TURNING_BACK[1], cursor)
        _land(body, begin, _MARK + cursor.spelling, body.span(cursor))
        cursor = clang.children(cursor)[-1]
    body.statement(cursor)


def _land(body: Body, begin: int, mark: str, span: Span) -> None:
    """Give the jumps among the statements from `begin` a form that ends behind them all."""
    first = next((i for i in range(begin, len(body.block)) if _holds(body.block[i], mark)), None)
    if first is None:
        return
    region = body.block[first:]
    del body.block[first:]
    for each in region:
        if isinstance(each, ir.Declare):
            body.emit(each)
    rest = [each for each in region if not isinstance(each, ir.Declare)]
    branches = _as_branches(rest, mark)
    if branches is not None:
        body.block += branches
    else:
        _emit_once(body, rest, mark, span)


def _holds(each: ir.Stmt, mark: str) -> bool:
    if isinstance(each, ir.If):
        return any(_holds(below, mark) for below in (*each.then, *each.orelse))
    if isinstance(each, ir.Loop):
        return any(_holds(below, mark) for below in each.body)
    return _is_jump(each, mark)


def _is_jump(each: ir.Stmt, mark: str) -> bool:
    return isinstance(each, ir.Unmodelled) and each.reason == mark


def _as_branches(rest: Statements, mark: str) -> list[ir.Stmt] | None:
    """What follows a branch that jumps is what the other branch does; None where that would repeat statements."""
    first = next((i for i, each in enumerate(rest) if _holds(each, mark)), None)
    if first is None:
        return list(rest)
    jumping, tail = rest[first], _as_branches(rest[first + 1 :], mark)
    if _is_jump(jumping, mark):
        return list(rest[:first])
    if tail is None or not isinstance(jumping, ir.If):
        return None
    leaving, staying = jumping.then, jumping.orelse
    turned = any(_holds(below, mark) for below in staying)
    if turned:
        leaving, staying = staying, leaving
    if any(_holds(below, mark) for below in (*leaving[:-1], *staying)) or not _is_jump(leaving[-1], mark):
        return None
    gone, stayed = leaving[:-1], (*staying, *tail)
    return [*rest[:first], replace(jumping, then=stayed if turned else gone, orelse=gone if turned else stayed)]


def _emit_once(body: Body, rest: Statements, mark: str, span: Span) -> None:
    """A loop that runs once and that each jump leaves; what leaves or continues the loop around it does so behind it."""
    flags: dict[type[ir.Stmt], ir.Var] = {}

    def flag(kind: type[ir.Stmt]) -> ir.Var:
        if kind not in flags:
            flags[kind] = body.fresh(BOOL, span)
            body.emit(ir.Assign(flags[kind], build.FALSE, span))
        return flags[kind]

    def left(statements: Statements, inner: bool) -> tuple[ir.Stmt, ...]:
        made: list[ir.Stmt] = []
        for each in statements:
            if _is_jump(each, mark):
                made += [ir.Assign(flag(ir.Unmodelled), build.TRUE, each.span)] if inner else []
                return (*made, ir.Break(each.span))
            if isinstance(each, (ir.Break, ir.Continue)) and not inner:
                return (*made, ir.Assign(flag(type(each)), build.TRUE, each.span), ir.Break(each.span))
            if isinstance(each, ir.If):
                each = replace(each, then=left(each.then, inner), orelse=left(each.orelse, inner))
            if isinstance(each, ir.Loop) and _holds(each, mark):
                made.append(replace(each, body=left(each.body, True)))
                each = ir.If(flag(ir.Unmodelled), (ir.Break(each.span),), (), each.span)
            made.append(each)
        return tuple(made)

    once = left(rest, False)
    body.emit(ir.Loop((), build.TRUE, (), (*once, ir.Break(span)), True, span))
    for kind in (ir.Break, ir.Continue):
        if kind in flags:
            body.emit(ir.If(flags[kind], (kind(span),), (), span))
