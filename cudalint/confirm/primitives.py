"""Collective primitives of cub as loops over shared memory, by their documented meaning: for runs that compare results.

    m = BlockReduce(s).Sum(x)      shared[thread] = x; barrier; thread 0: m = x + shared[1] + ...; barrier
    BlockLoad(s).Load(p, v)        the exchange through the storage: v holds its items already, where all threads give one p

A sum of floats is taken in an order that nobody promises, so its additions are those of an inexact function. The storage is not
shown, nor are races on it: such runs tell nothing of barriers that are missing around the primitives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from cudalint import ir
from cudalint.confirm.emulate.inexact import SUM_IN_ANY_ORDER
from cudalint.ir.walk import statements
from cudalint.source import Span

MOST_THREADS = 1024
WARP = 32
SEVERAL_ADDRESSES = "threads give a collective load or store several addresses"
_ENDS = ("from", "to")
_EXCHANGE = re.compile(r"cub::Block(?:Load|Store)::exchange")
_PRIMITIVE = re.compile(r"cub::(Block|Warp)(?:Reduce|Scan)::(Sum|Reduce|InclusiveSum|ExclusiveSum)")
_LOGICAL_WARP = re.compile(r"WarpReduce<[^<>]*?, (\d+)")
_OPERATION = re.compile(r"(?:cub|cuda|thrust|std)::(?:\w+::)*(Sum|plus|Max|maximum|Min|minimum)(?:<.*>)?")
_COMPARED = {
    "Max": ir.BinaryOp.GREATER,
    "maximum": ir.BinaryOp.GREATER,
    "Min": ir.BinaryOp.LESS,
    "minimum": ir.BinaryOp.LESS,
}
_ZERO, _ONE = ir.Const(0, ir.INT32), ir.Const(1, ir.INT32)


def with_primitives(unit: ir.Unit) -> ir.Unit:
    """The unit, with statements for each primitive whose meaning is known; others stay holes."""
    functions = dict(unit.functions)
    for function in unit.functions.values():
        if any(isinstance(s, ir.Unmodelled) and _is_of_cub(s) for s in statements(function.body)):
            declared = (s for s in statements(function.body) if isinstance(s, ir.Declare))
            registers = frozenset(s.var.name for s in declared if s.storage is ir.Storage.REGISTER)
            given = next(
                (p.var for p in function.params if p.var.name in _ENDS and isinstance(p.var.type, ir.Pointer)), None
            )
            functions[function.id] = replace(function, body=_Expansion(registers, given).body(function.body))
    return replace(unit, functions=functions)


def _is_of_cub(hole: ir.Unmodelled) -> bool:
    return _EXCHANGE.fullmatch(hole.reason) is not None or _PRIMITIVE.fullmatch(hole.reason) is not None


@dataclass(slots=True)
class _Expansion:
    """Of the body of one function, whose new variables are counted."""

    registers: frozenset[str]
    given: ir.Var | None  # the address that a load or a store through the storage gets
    count: int = 0

    def body(self, body: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
        return tuple(made for stmt in body for made in self._statement(stmt))

    def _statement(self, stmt: ir.Stmt) -> tuple[ir.Stmt, ...]:
        if isinstance(stmt, ir.If):
            return (replace(stmt, then=self.body(stmt.then), orelse=self.body(stmt.orelse)),)
        if isinstance(stmt, ir.Loop):
            return (replace(stmt, pre=self.body(stmt.pre), body=self.body(stmt.body), step=self.body(stmt.step)),)
        if isinstance(stmt, ir.Unmodelled) and _EXCHANGE.fullmatch(stmt.reason):
            return () if self.given is None else _one_address(self.given, stmt.span)
        primitive = _Primitive.of(stmt) if isinstance(stmt, ir.Unmodelled) else None
        if primitive is None:
            return (stmt,)
        self.count += 1
        steps, value = primitive.statements(f"cub.{self.count}")
        return (*steps, self._written(primitive, value))

    def _written(self, primitive: _Primitive, value: ir.Expr) -> ir.Stmt:
        place = primitive.result
        if isinstance(place, ir.Variable) and place.var.name in self.registers:
            return ir.Assign(place.var, value, primitive.span)
        return ir.Store(place, value, primitive.span)


def _one_address(given: ir.Var, span: Span) -> tuple[ir.Stmt, ...]:
    """Each thread moves items that belong to others, from its own address: with several, which are whose is the algorithm's."""
    shared, first = ir.Var("cub.given", ir.Array(ir.UINT64, MOST_THREADS)), ir.Var("cub.first", ir.UINT64)
    number = ir.Cast(given, ir.UINT64)
    barrier = ir.Barrier(ir.Scope.BLOCK, span)
    return (
        ir.Declare(shared, ir.Storage.SHARED, span), ir.Declare(first, ir.Storage.REGISTER, span),
        ir.Store(ir.Index(ir.Variable(shared), _thread(), ir.UINT64), number, span),
        barrier,
        ir.Load(first, ir.Index(ir.Variable(shared), _ZERO, ir.UINT64), span),
        ir.Check(ir.Binary(ir.BinaryOp.EQUAL, first, number, ir.BOOL), SEVERAL_ADDRESSES, span),
        barrier,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Primitive:
    """`lanes`: of a logical warp, None for a block; an `exclusive` scan ends in front of the thread's own value."""

    span: Span
    input: ir.Expr
    result: ir.Place
    operation: str
    lanes: int | None
    valid: ir.Expr | None = None
    scan: bool = False
    exclusive: bool = False

    @staticmethod
    def of(hole: ir.Unmodelled) -> _Primitive | None:
        match = _PRIMITIVE.fullmatch(hole.reason)
        if match is None or not hole.reads or not isinstance(hole.reads[0].type, ir.Int | ir.Float):
            return None
        name, (input_, *rest) = match[2], hole.reads
        objects = [p for p in hole.writes if isinstance(_type_of(p), ir.Struct)]
        results = [p for p in hole.writes if _type_of(p) == input_.type]
        operation: str | None = "Sum"
        if name == "Reduce":
            operation = _operation(rest.pop(0).type) if rest else None
        scan = name in ("InclusiveSum", "ExclusiveSum")
        known = len(results) == 1 and len(hole.writes) == len(results) + len(objects) == 2
        if operation is None or not known or len(rest) > (0 if scan else 1) or (scan and match[1] == "Warp"):
            return None
        valid = rest[0] if rest and isinstance(rest[0].type, ir.Int) else None
        lanes = _logical_warp(_type_of(objects[0])) if match[1] == "Warp" else None
        return _Primitive(hole.span, input_, results[0], operation, lanes, valid, scan, name == "ExclusiveSum")

    def statements(self, name: str) -> tuple[tuple[ir.Stmt, ...], ir.Expr]:
        """What leads to the result, and where it lies then."""
        type_, span = self.input.type, self.span
        shared = ir.Var(f"{name}.shared", ir.Array(type_, MOST_THREADS))
        thread, rank, end, i, all_, next_ = (
            ir.Var(f"{name}.{part}", type_ if part in ("all", "next") else ir.INT32)
            for part in ("thread", "rank", "end", "i", "all", "next")
        )
        first = _binary(ir.BinaryOp.SUBTRACT, thread, rank)
        own = ir.Index(ir.Variable(shared), thread, type_)
        other = ir.Index(ir.Variable(shared), _binary(ir.BinaryOp.ADD, first, i), type_)
        barrier = ir.Barrier(ir.Scope.BLOCK if self.lanes is None else ir.Scope.WARP, span, mask=self._mask())
        loop = ir.Loop(
            (), _binary(ir.BinaryOp.LESS, i, end, ir.BOOL), (ir.Assign(i, _binary(ir.BinaryOp.ADD, i, _ONE), span),),
            (ir.Load(next_, other, span), ir.Assign(all_, self._combined(all_, next_), span)), True, span,
        )  # fmt: skip
        begin, start, stop = (
            (_nothing(type_), _ZERO, self._scanned(rank)) if self.scan else (self.input, _ONE, self._limit(first))
        )
        leads = ir.Const(True, ir.BOOL) if self.scan else _binary(ir.BinaryOp.EQUAL, rank, _ZERO, ir.BOOL)
        steps: tuple[ir.Stmt, ...] = (
            ir.Declare(shared, ir.Storage.SHARED, span),
            *(ir.Declare(var, ir.Storage.REGISTER, span) for var in (thread, rank, end, i, all_, next_)),
            ir.Assign(thread, _thread(), span),
            ir.Assign(rank, thread if self.lanes is None else _binary(ir.BinaryOp.REMAINDER, thread, _number(self.lanes)), span),
            ir.Store(own, self.input, span),
            barrier,
            ir.Assign(all_, begin, span), ir.Assign(i, start, span), ir.Assign(end, stop, span),
            ir.If(leads, (loop,), (), span),
            barrier,
        )  # fmt: skip
        return steps, all_

    def _mask(self) -> ir.Expr | None:
        return ir.Const(0xFFFFFFFF, ir.UINT32) if self.lanes == WARP else None

    def _scanned(self, rank: ir.Expr) -> ir.Expr:
        return rank if self.exclusive else _binary(ir.BinaryOp.ADD, rank, _ONE)

    def _limit(self, first: ir.Expr) -> ir.Expr:
        """How many values of the block or the logical warp are there, and valid."""
        limit = (
            _threads()
            if self.lanes is None
            else _least(_number(self.lanes), _binary(ir.BinaryOp.SUBTRACT, _threads(), first))
        )
        return limit if self.valid is None else _least(limit, _convert(self.valid))

    def _combined(self, a: ir.Expr, b: ir.Expr) -> ir.Expr:
        if self.operation in _COMPARED:
            return ir.Select(ir.Binary(_COMPARED[self.operation], a, b, ir.BOOL), a, b, a.type)
        if isinstance(a.type, ir.Float):
            return ir.Math(SUM_IN_ANY_ORDER, (a, b), a.type)
        return ir.Binary(ir.BinaryOp.ADD, a, b, a.type)


def _operation(type_: ir.Type) -> str | None:
    match = _OPERATION.fullmatch(type_.name) if isinstance(type_, ir.Struct) else None
    return match[1] if match is not None else None


def _logical_warp(type_: ir.Type) -> int:
    match = _LOGICAL_WARP.search(type_.name) if isinstance(type_, ir.Struct) else None
    return int(match[1]) if match is not None else WARP


def _type_of(place: ir.Place) -> ir.Type:
    return place.var.type if isinstance(place, ir.Variable) else place.type


def _binary(op: ir.BinaryOp, a: ir.Expr, b: ir.Expr, type_: ir.Type = ir.INT32) -> ir.Expr:
    return ir.Binary(op, a, b, type_)


def _nothing(type_: ir.Type) -> ir.Expr:
    return ir.Const(0.0 if isinstance(type_, ir.Float) else 0, type_)


def _number(value: int) -> ir.Expr:
    return ir.Const(value, ir.INT32)


def _convert(expr: ir.Expr) -> ir.Expr:
    return expr if expr.type == ir.INT32 else ir.Cast(expr, ir.INT32)


def _least(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    return ir.Select(_binary(ir.BinaryOp.LESS, a, b, ir.BOOL), a, b, ir.INT32)


def _builtin(name: str) -> ir.Expr:
    return ir.Cast(ir.Builtin(name, ir.UINT32), ir.INT32)


def _thread() -> ir.Expr:
    row = _binary(
        ir.BinaryOp.ADD,
        _builtin("threadIdx.y"),
        _binary(ir.BinaryOp.MULTIPLY, _builtin("blockDim.y"), _builtin("threadIdx.z")),
    )
    return _binary(ir.BinaryOp.ADD, _builtin("threadIdx.x"), _binary(ir.BinaryOp.MULTIPLY, _builtin("blockDim.x"), row))


def _threads() -> ir.Expr:
    area = _binary(ir.BinaryOp.MULTIPLY, _builtin("blockDim.x"), _builtin("blockDim.y"))
    return _binary(ir.BinaryOp.MULTIPLY, area, _builtin("blockDim.z"))
