"""Sums that a loop builds in a format of 16 bits or fewer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint import ir
from cudalint.ir.walk import expressions
from cudalint.source import Span

HALF_FORMATS = ("f16", "bf16", "e4m3", "e5m2")
SHORT_TRIPS = 16
MOST_STEPS = 8  # of conversion
ROWS_OF_BLOCK = ("blockDim.y", "blockDim.z")


@dataclass(frozen=True, slots=True)
class Accumulation:
    name: str
    format: str
    span: Span


def half_accumulations(function: ir.Function) -> Iterator[Accumulation]:
    """Assignments `v = v + x` inside a loop where v is a half register, or a pair of halves, that lives across iterations."""
    yield from _in_body(function.body, None, frozenset())


def _in_body(body: tuple[ir.Stmt, ...], loop: ir.Loop | None, inner: frozenset[str]) -> Iterator[Accumulation]:
    declared = inner
    made: dict[str, ir.Expr] = {}  # values of the body that are converted, or are sums on the way
    for place, stmt in enumerate(body):
        if isinstance(stmt, ir.Declare) and loop is not None:
            declared |= {stmt.var.name}
        elif isinstance(stmt, ir.Call) and stmt.target is not None and _is_conversion(stmt):
            made[stmt.target.name] = stmt.args[0]
        elif isinstance(stmt, ir.Assign) and loop is not None:
            format_ = _accumulates(stmt, made)
            made = {name: each for name, each in made.items() if stmt.target not in expressions(each)}
            is_new = stmt.target.name in declared and isinstance(stmt.target.type, ir.Float)
            if is_new and stmt.target not in expressions(stmt.value):
                made[stmt.target.name] = stmt.value
            if format_ is not None and stmt.target.name not in declared:
                yield Accumulation(stmt.target.name.partition(".")[0], format_, stmt.span)
        elif isinstance(stmt, ir.Store) and loop is not None and isinstance(stmt.place, ir.Variable):
            format_, var = _accumulates_pairs(stmt, body[:place]), stmt.place.var
            if format_ is not None and var.name not in declared:
                yield Accumulation(var.name.partition(".")[0], format_, stmt.span)
        elif isinstance(stmt, ir.If):
            yield from _in_body(stmt.then, loop, declared)
            yield from _in_body(stmt.orelse, loop, declared)
        elif isinstance(stmt, ir.Loop):
            outer = loop if is_short(stmt) or _takes_the_rest(stmt, body[:place]) else stmt
            yield from _in_body(stmt.body, outer, frozenset() if loop is None else declared)


def _is_conversion(call: ir.Call) -> bool:
    """A function of one real number that gives one of another format: `down<half>(v)`."""
    given, result = call.args[0].type if len(call.args) == 1 else None, call.target.type if call.target else None
    return isinstance(given, ir.Float) and isinstance(result, ir.Float) and given.format != result.format


def _accumulates(stmt: ir.Assign, made: dict[str, ir.Expr]) -> str | None:
    value, type_ = _unconverted(stmt.value, made), stmt.target.type
    if not isinstance(type_, ir.Float) or type_.format not in HALF_FORMATS:
        return None
    if isinstance(value, ir.Binary) and value.op is ir.BinaryOp.ADD and _mentions(value, stmt.target, made):
        return type_.format
    if (
        isinstance(value, ir.Math)
        and value.name == "fma"
        and [_unconverted(each, made) for each in value.args[2:]] == [stmt.target]
    ):
        return type_.format
    return None


def _accumulates_pairs(stmt: ir.Store, before: tuple[ir.Stmt, ...]) -> str | None:
    """A pair is loaded whole, and stored whole with what was added."""
    value = stmt.value
    loaded = [each.target for each in before if isinstance(each, ir.Load) and each.place == stmt.place]
    pair = isinstance(value.type, ir.Vector) and isinstance(value.type.element, ir.Float)
    if not pair or value.type.element.format not in HALF_FORMATS or not loaded:  # type: ignore[union-attr]
        return None
    added = isinstance(value, ir.Binary) and value.op is ir.BinaryOp.ADD and _mentions(value, loaded[-1], {})
    fused = isinstance(value, ir.Math) and value.name == "fma" and value.args[2] == loaded[-1]
    return value.type.element.format if added or fused else None  # type: ignore[union-attr]


def _mentions(value: ir.Binary, target: ir.Var, made: dict[str, ir.Expr]) -> bool:
    return target in (_unconverted(value.left, made), _unconverted(value.right, made))


def _unconverted(value: ir.Expr, made: dict[str, ir.Expr]) -> ir.Expr:
    """A sum that is taken to float and back in each round is rounded in each round all the same."""
    for _ in range(MOST_STEPS):
        if isinstance(value, ir.Cast) and isinstance(value.type, ir.Float):
            value = value.operand
        elif isinstance(value, ir.Var) and value.name in made:
            value = made[value.name]
        else:
            break
    return value


def is_short(loop: ir.Loop) -> bool:
    """A comparison with a small constant bounds the loop, or with how many rows of threads the block has."""
    cond = loop.cond
    if not isinstance(cond, ir.Binary):
        return False
    sides = cond.left, cond.right
    bounds = [side.value for side in sides if isinstance(side, ir.Const)]
    rows = (_converted(side) for side in sides)
    if any(isinstance(side, ir.Builtin) and side.name in ROWS_OF_BLOCK for side in rows):
        return True
    return any(isinstance(b, int) and 0 < b <= SHORT_TRIPS for b in bounds)


def _converted(value: ir.Expr) -> ir.Expr:
    return _converted(value.operand) if isinstance(value, ir.Cast) else value


def _takes_the_rest(loop: ir.Loop, before: tuple[ir.Stmt, ...]) -> bool:
    """`while (p < end)` behind `while (p <= end - 4)`: what that loop, which goes on from where it stands, has left over."""
    own = _variables(loop.cond)
    for stmt in reversed(before):
        if isinstance(stmt, ir.Loop) and own and _variables(stmt.cond) == own:
            constants = (part.value for part in expressions(stmt.cond) if isinstance(part, ir.Const))
            return any(isinstance(value, int) and 1 < abs(value) <= SHORT_TRIPS for value in constants)
        if isinstance(stmt, ir.Assign | ir.Load | ir.Declare) and _assigned(stmt) in own:
            return False
    return False


def _assigned(stmt: ir.Assign | ir.Load | ir.Declare) -> str:
    return stmt.var.name if isinstance(stmt, ir.Declare) else stmt.target.name


def _variables(cond: ir.Expr) -> frozenset[str]:
    return frozenset(part.name for part in expressions(cond) if isinstance(part, ir.Var))
