"""Sums that a loop builds in a format of 16 bits or fewer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudalint import ir
from cudalint.analysis.precision.launched_bounds import launched_bounds
from cudalint.analysis.precision.trip_counts import SHORT_TRIPS, Values, is_short, single_values, takes_the_rest
from cudalint.ir.walk import expressions, registers_read, root, statements, written, written_itself
from cudalint.source import Span

HALF_FORMATS = ("f16", "bf16", "e4m3", "e5m2")
MOST_STEPS = 8  # of conversion


Body = tuple[ir.Stmt, ...]


@dataclass(frozen=True, slots=True)
class Accumulation:
    variable: str
    format: str
    span: Span

    @property
    def name(self) -> str:
        """As the source has it."""
        return self.variable.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Enclosing:
    """A loop, and what leads up to it in its body."""

    loop: ir.Loop
    before: Body


def half_accumulations(function: ir.Function, unit: ir.Unit) -> Iterator[Accumulation]:
    """Assignments `v = v + x` where v is a half register, or a pair of halves, that lives across the rounds of a long loop."""
    sums = list(_in_body(function.body, ()))
    values = single_values(function) | launched_bounds(function, unit) if sums else {}
    for sum_, around in sums:
        if _is_long(sum_, around, values):
            yield sum_


def _in_body(body: Body, around: tuple[Enclosing, ...]) -> Iterator[tuple[Accumulation, tuple[Enclosing, ...]]]:
    """The sums, with the loops around each, outermost first."""
    declared: set[str] = set()
    made: dict[str, ir.Expr] = {}  # values of the body that are converted, or are sums on the way
    for place, stmt in enumerate(body):
        if isinstance(stmt, ir.Declare):
            declared.add(stmt.var.name)
        elif isinstance(stmt, ir.Call) and stmt.target is not None and _is_conversion(stmt):
            made[stmt.target.name] = stmt.args[0]
        elif isinstance(stmt, ir.Assign) and around:
            format_ = _accumulates(stmt, made, around[-1].loop.body)
            made = {name: each for name, each in made.items() if stmt.target not in expressions(each)}
            is_new = stmt.target.name in declared and isinstance(stmt.target.type, ir.Float)
            if is_new and stmt.target not in expressions(stmt.value):
                made[stmt.target.name] = stmt.value
            if format_ is not None:
                yield Accumulation(stmt.target.name, format_, stmt.span), around
        elif isinstance(stmt, ir.Store) and around and isinstance(stmt.place, ir.Variable):
            format_ = _accumulates_pairs(stmt, body[:place], around[-1].loop.body)
            if format_ is not None:
                yield Accumulation(stmt.place.var.name, format_, stmt.span), around
        elif isinstance(stmt, ir.If):
            yield from _in_body(stmt.then, around)
            yield from _in_body(stmt.orelse, around)
        elif isinstance(stmt, ir.Loop):
            yield from _in_body(stmt.body, (*around, Enclosing(stmt, body[:place])))


def _is_long(sum_: Accumulation, around: tuple[Enclosing, ...], values: Values) -> bool:
    """A loop of many rounds stands around the sum before any in which the sum begins anew."""
    for each in reversed(around):
        if _begins_anew(sum_.variable, each.loop.body):
            return False
        sums = sum(
            stmt.span != sum_.span and sum_.variable in written_itself(stmt) for stmt in statements(each.loop.body)
        )
        if not is_short(each.loop, each.before, values, sums + 1) and not takes_the_rest(each.loop, each.before):
            return True
    return False


def _begins_anew(name: str, body: Body) -> bool:
    """The body declares the sum, sets it to what is not made of it, or does so every few rounds."""
    if any(isinstance(stmt, ir.Declare) and stmt.var.name == name for stmt in statements(body)):
        return True
    made_of = _made_of(name, body, through_memory=True)
    return any(
        _sets_anew(stmt, name, made_of)
        or (
            isinstance(stmt, ir.If)
            and _is_every_few(stmt, body)
            and any(_sets_anew(s, name, made_of) for s in stmt.then)
        )
        for stmt in body
    )


def _sets_anew(stmt: ir.Stmt, name: str, made_of: set[str]) -> bool:
    plain = isinstance(stmt, ir.Assign) or (isinstance(stmt, ir.Store) and isinstance(stmt.place, ir.Variable))
    return plain and name in written_itself(stmt) and made_of.isdisjoint(registers_read(stmt))


def _is_every_few(stmt: ir.If, body: Body) -> bool:
    """`(i & 7) == 7`, or `++count == 8` of what is set back then."""
    few = [part for part in expressions(stmt.cond) if isinstance(part, ir.Binary) and _is_of_few(part)]
    counts = written(stmt.then) & written(body)
    return any(
        part.op in (ir.BinaryOp.AND, ir.BinaryOp.REMAINDER)
        or any(isinstance(side, ir.Var) and side.name in counts for side in (part.left, part.right))
        for part in few
    )


def _is_of_few(part: ir.Binary) -> bool:
    return any(
        isinstance(side, ir.Const) and isinstance(side.value, int) and 0 < side.value <= SHORT_TRIPS
        for side in (part.left, part.right)
    )


def _made_of(name: str, body: Body, through_memory: bool) -> set[str]:
    """The variable, and all that get a value in the body which it has a part in."""
    found, kept = {name}, False
    while True:
        known = len(found), kept
        for stmt in statements(body):
            taken = root(stmt.place) if isinstance(stmt, ir.Load) else None
            from_memory = kept and isinstance(stmt, ir.Load) and taken is None
            if from_memory or (taken is not None and taken.name in found) or not found.isdisjoint(registers_read(stmt)):
                found.update(written_itself(stmt))
                kept |= through_memory and isinstance(stmt, ir.Store) and root(stmt.place) is None
        if known == (len(found), kept):
            return found


def _is_conversion(call: ir.Call) -> bool:
    """A function of one real number that gives one of another format: `down<half>(v)`."""
    given, result = call.args[0].type if len(call.args) == 1 else None, call.target.type if call.target else None
    return isinstance(given, ir.Float) and isinstance(result, ir.Float) and given.format != result.format


def _accumulates(stmt: ir.Assign, made: dict[str, ir.Expr], body: Body) -> str | None:
    value, type_ = _unconverted(stmt.value, made), stmt.target.type
    if not isinstance(type_, ir.Float) or type_.format not in HALF_FORMATS:
        return None
    return type_.format if _is_grown(value, stmt.target, stmt.target.name, made, body) else None


def _accumulates_pairs(stmt: ir.Store, before: Body, body: Body) -> str | None:
    """A pair is loaded whole, and stored whole with what was added."""
    value = stmt.value
    loaded = [each.target for each in before if isinstance(each, ir.Load) and each.place == stmt.place]
    pair = isinstance(value.type, ir.Vector) and isinstance(value.type.element, ir.Float)
    if not pair or value.type.element.format not in HALF_FORMATS or not loaded:  # type: ignore[union-attr]
        return None
    name = stmt.place.var.name  # type: ignore[union-attr]
    grown = _is_grown(value, loaded[-1], name, {}, body)
    return value.type.element.format if grown else None  # type: ignore[union-attr]


def _is_grown(value: ir.Expr, held: ir.Var, name: str, made: dict[str, ir.Expr], body: Body) -> bool:
    """The sum and what is added, in which it has no part itself: `s + a * (x - s)` nears x, and does not grow."""
    if isinstance(value, ir.Binary) and value.op is ir.BinaryOp.ADD:
        sides = [_unconverted(side, made) for side in (value.left, value.right)]
    elif isinstance(value, ir.Math) and value.name == "fma":
        sides = [_unconverted(value.args[2], made), value.args[0], value.args[1]]
        sides = sides if sides[0] == held else []
    else:
        return False
    if held not in sides:
        return False
    sides.remove(held)
    own = _made_of(name, body, through_memory=False)
    return not any(isinstance(part, ir.Var) and part.name in own for side in sides for part in expressions(side))


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
