"""Loops that run only a few rounds, whatever the input: told from the start, the bound and the step of their counter.

for (int o = 16; o > 0; o >>= 1)                        halves: as many rounds as the number has bits
for (int k = 7; k >= 0; --k)                            8 rounds
for (int j = j0; j < min(j0 + 8, n); ++j)               8 rounds at most
for (int k = 0; k < a.count; ++k) ... a.delta[k]        as many as the array has elements
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint import ir
from cudalint.ir.types import Array, Int
from cudalint.ir.walk import expressions, places, statements, written_itself

SHORT_TRIPS = 16
ROWS_OF_BLOCK = ("blockDim.y", "blockDim.z")
_MOST_HOPS = 6
_ORDERS = (
    ir.BinaryOp.LESS,
    ir.BinaryOp.LESS_EQUAL,
    ir.BinaryOp.GREATER,
    ir.BinaryOp.GREATER_EQUAL,
    ir.BinaryOp.NOT_EQUAL,
)
_INCLUSIVE = (ir.BinaryOp.LESS_EQUAL, ir.BinaryOp.GREATER_EQUAL)
_SCALES = (ir.BinaryOp.SHIFT_LEFT, ir.BinaryOp.SHIFT_RIGHT, ir.BinaryOp.MULTIPLY, ir.BinaryOp.DIVIDE)
_SUMS = (ir.BinaryOp.ADD, ir.BinaryOp.SUBTRACT)
Values = dict[str, ir.Expr]
End = tuple[ir.Expr | None, int]  # an expression, and what is added to it


def single_values(function: ir.Function) -> Values:
    """What each variable is that is written once."""
    found: Values = {}
    often: set[str] = set()
    for stmt in statements(function.body):
        for name in written_itself(stmt):
            if name in found or not isinstance(stmt, ir.Assign):
                often.add(name)
            else:
                found[name] = stmt.value
    return {name: value for name, value in found.items() if name not in often}


def is_short(loop: ir.Loop, before: tuple[ir.Stmt, ...], values: Values, sums: int = 1) -> bool:
    """A condition ends the loop after a few rounds; `before` leads up to it, and each round adds `sums` times."""
    return any(_ends_soon(part, loop, before, values, sums) for part in _conditions(loop.cond))


def _conditions(cond: ir.Expr) -> Iterator[ir.Expr]:
    """All that has to hold for another round."""
    if isinstance(cond, ir.Binary) and cond.op is ir.BinaryOp.LOGICAL_AND:
        yield from _conditions(cond.left)
        yield from _conditions(cond.right)
    else:
        yield cond


def _ends_soon(cond: ir.Expr, loop: ir.Loop, before: tuple[ir.Stmt, ...], values: Values, sums: int) -> bool:
    if not isinstance(cond, ir.Binary):
        return False
    sides = converted(cond.left), converted(cond.right)
    if any(isinstance(side, ir.Builtin) and side.name in ROWS_OF_BLOCK for side in sides):
        return True
    if any(isinstance(side, ir.Const) and isinstance(b := side.value, int) and 0 < b <= SHORT_TRIPS for side in sides):
        return True
    if cond.op not in _ORDERS:
        return False
    for counter, bound in (sides, sides[::-1]):
        if isinstance(counter, ir.Var) and (steps := list(_steps(counter, loop))):
            if all(_scales(step) for step in steps) or _is_index_of_few(counter, loop):
                return True
            most = _most_rounds(counter, bound, cond.op in _INCLUSIVE, steps, before, values)
            if most is not None and most * sums <= SHORT_TRIPS:
                return True
    return False


def converted(value: ir.Expr) -> ir.Expr:
    """The value without its conversions."""
    return converted(value.operand) if isinstance(value, ir.Cast) else value


def _steps(counter: ir.Var, loop: ir.Loop) -> Iterator[ir.Expr]:
    """What the counter becomes in a round."""
    for stmt in statements((*loop.body, *loop.step)):
        if counter.name in written_itself(stmt):
            yield converted(stmt.value) if isinstance(stmt, ir.Assign) else counter


def _scales(step: ir.Expr) -> bool:
    """`o >> 1`, `o * 2`: a number of 32 bits can be halved or doubled 32 times."""
    if not isinstance(step, ir.Binary) or step.op not in _SCALES or not isinstance(step.right, ir.Const):
        return False
    factor = step.right.value
    shifts = step.op in (ir.BinaryOp.SHIFT_LEFT, ir.BinaryOp.SHIFT_RIGHT)
    return isinstance(step.type, Int) and isinstance(factor, int) and factor >= (1 if shifts else 2)


def _is_index_of_few(counter: ir.Var, loop: ir.Loop) -> bool:
    """Each round takes the element at the counter of an array of a few."""
    for stmt in statements(loop.body):
        for place in places(stmt):
            while isinstance(place, ir.Index | ir.Field):
                if isinstance(place, ir.Index) and converted(place.index) == counter:
                    base = place.base.var.type if isinstance(place.base, ir.Variable) else place.base.type
                    if isinstance(base, Array) and base.count is not None and base.count <= SHORT_TRIPS:
                        return True
                place = place.base
    return False


def _most_rounds(
    counter: ir.Var, bound: ir.Expr, inclusive: bool, steps: list[ir.Expr], before: tuple[ir.Stmt, ...], values: Values
) -> int | None:
    """How often a counter can be moved by its least step from where it starts to the bound."""
    start = next((stmt for stmt in reversed(before) if counter.name in written_itself(stmt)), None)
    moves = [_move(step, counter) for step in steps]
    if not isinstance(start, ir.Assign) or 0 in moves or len({move > 0 for move in moves}) != 1:
        return None
    rises = moves[0] > 0
    upper = _ends(bound if rises else start.value, True, values)
    lower = _ends(start.value if rises else bound, False, values)
    ways = [high - low for base, high in upper for other, low in lower if base == other]
    return -(-(min(ways) + inclusive) // min(map(abs, moves))) if ways else None


def _move(step: ir.Expr, counter: ir.Var) -> int:
    """2 of `k + 2`, -1 of `k - 1`; 1 of a step that is not known, 0 of what is no step."""
    held, added, sign = _parts(step)
    if held is None or added is None or converted(held) != counter:
        return 0
    return sign * (added.value if isinstance(added, ir.Const) and isinstance(added.value, int) else 1)


def _parts(value: ir.Expr) -> tuple[ir.Expr | None, ir.Expr | None, int]:
    """(k, c, sign of c) of a sum."""
    if isinstance(value, ir.Binary) and value.op in _SUMS:
        swap = value.op is ir.BinaryOp.ADD and isinstance(value.left, ir.Const)
        held, added = (value.right, value.left) if swap else (value.left, value.right)
        return held, converted(added), 1 if value.op is ir.BinaryOp.ADD else -1
    if isinstance(value, ir.Offset):
        return value.pointer, converted(value.index), 1
    return None, None, 0


def _ends(value: ir.Expr, above: bool, values: Values, hops: int = _MOST_HOPS) -> set[End]:
    """What the value is never above (or never below)."""
    value = converted(value)
    if isinstance(value, ir.Const) and isinstance(value.value, int):
        return {(None, value.value)}
    found: set[End] = {(value, 0)}
    if hops == 0:
        return found
    held, added, sign = _parts(value)
    if held is not None and isinstance(added, ir.Const) and isinstance(added.value, int):
        found |= {(base, number + sign * added.value) for base, number in _ends(held, above, values, hops - 1)}
    elif isinstance(value, ir.Math) and value.name == ("min" if above else "max"):
        found |= {end for each in value.args for end in _ends(each, above, values, hops - 1)}
    elif isinstance(value, ir.Var) and value.name in values:
        found |= _ends(values[value.name], above, values, hops - 1)
    return found


def upper_ends(value: ir.Expr, values: Values) -> set[End]:
    """What the value is never above: `k` and `8` of `min(k, 8)`."""
    return _ends(value, True, values)


def takes_the_rest(loop: ir.Loop, before: tuple[ir.Stmt, ...]) -> bool:
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
