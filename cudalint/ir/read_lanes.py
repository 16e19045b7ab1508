"""Which lanes of the vectors that a function loads it uses: `int2 size = sizes[i];` where nothing but `size.x` is read.

What lies in the other lanes makes no difference, whoever writes there at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint import ir
from cudalint.ir.walk import evaluated, places, root, statements

LANES = "xyzw"


class ReadLanes:
    """Those of the functions of a walk, or of a run."""

    def __init__(self) -> None:
        self._lanes: dict[str, dict[str, frozenset[str]]] = {}

    def of(self, stmt: ir.Load, function: ir.Function) -> tuple[int, int] | None:
        """The bytes from the first lane that is used to the last: where they begin, and how many; None: all, or nobody knows."""
        type_ = stmt.target.type
        if stmt.order is not ir.Order.PLAIN or not isinstance(type_, ir.Vector):
            return None
        if function.id not in self._lanes:
            self._lanes[function.id] = read_lanes(function)
        lanes = sorted(LANES.index(lane) for lane in self._lanes[function.id].get(stmt.target.name, ()))
        width = ir.size_of(type_.element)
        if not lanes or width is None:
            return None
        return lanes[0] * width, (lanes[-1] + 1 - lanes[0]) * width


def read_lanes(function: ir.Function) -> dict[str, frozenset[str]]:
    """By the register that a vector is loaded into the lanes of it that are used; nothing of one that is used as a whole."""
    body = list(statements(function.body))
    loaded = {s.target.name for s in body if isinstance(s, ir.Load) and isinstance(s.target.type, ir.Vector)}
    kept: dict[str, str] = {}  # the local variable that a register is stored to
    used: dict[str, set[str]] = {}
    whole: set[str] = set()
    for stmt in body:
        copied = _copy(stmt)
        if copied is not None and copied[0] in loaded and copied[0] not in kept:
            kept[copied[0]] = copied[1]
        else:
            for name, lane in _uses(stmt):
                used.setdefault(name, set()).add(lane) if lane else whole.add(name)
        for name, lane in _places(stmt):
            used.setdefault(name, set()).add(lane) if lane else whole.add(name)
    found: dict[str, frozenset[str]] = {}
    for register in loaded:
        names = {register, kept.get(register, register)}
        if whole.isdisjoint(names):
            found[register] = frozenset().union(*(used.get(name, ()) for name in names))
    return found


def _copy(stmt: ir.Stmt) -> tuple[str, str] | None:
    """`size = t.1;` of a local variable."""
    if isinstance(stmt, ir.Store) and isinstance(stmt.place, ir.Variable) and isinstance(stmt.value, ir.Var):
        return stmt.value.name, stmt.place.var.name
    return None


def _uses(stmt: ir.Stmt) -> Iterator[tuple[str, str]]:
    """The variables in what is evaluated, each with the lane that is taken of it, or none."""
    exprs = list(evaluated(stmt))
    taken = {id(e.value) for e in exprs if isinstance(e, ir.Extract) and isinstance(e.value, ir.Var)}
    for expr in exprs:
        if isinstance(expr, ir.Extract) and isinstance(expr.value, ir.Var):
            yield expr.value.name, expr.field if expr.field in LANES else ""
        elif isinstance(expr, ir.Var) and id(expr) not in taken:
            yield expr.name, ""
        elif isinstance(expr, ir.AddressOf) and (base := root(expr.place)) is not None:
            yield base.name, ""


def _places(stmt: ir.Stmt) -> Iterator[tuple[str, str]]:
    """The local variables that are read, each with its lane, or none; what is only stored to is not read."""
    if isinstance(stmt, ir.Store):
        return
    for place in places(stmt):
        base = root(place)
        if base is None:
            continue
        lane = isinstance(stmt, ir.Load) and isinstance(place, ir.Field) and isinstance(place.base, ir.Variable)
        yield base.name, place.name if lane and isinstance(place, ir.Field) and place.name in LANES else ""
