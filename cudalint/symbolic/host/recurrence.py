"""How a loop changes a register, read from its text: `n = (n + 1) / 2` shrinks, `block *= 2` grows through powers of two.

What is said holds for any number of iterations, given that the start is not negative.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cudalint import ir
from cudalint.ir import BinaryOp
from cudalint.ir.walk import evaluated, expressions, root, statements
from cudalint.symbolic.host.scan import Body, inner_bodies, uncast
from cudalint.term import Number, Term, at_most, conjunction, disjunction, equal, negation, number

_LAST_POWER = 17
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Recurrence:
    """`falls`: never above the start, and not below 0 where `whole`; `rises`: never below; `doubles`: by powers of two."""

    falls: bool
    rises: bool
    whole: bool
    doubles: bool

    def facts(self, start: Term, value: Term) -> list[Term]:
        """What holds of the value behind any number of iterations."""
        ordinary = at_most(number(0), start)
        found: list[Term] = []
        if self.falls:
            low = at_most(number(0), value) if self.whole else at_most(value, start)
            found.append(disjunction(negation(ordinary), conjunction(low, at_most(value, start))))
        if self.rises:
            found.append(disjunction(negation(ordinary), at_most(start, value)))
        if self.doubles and isinstance(start, Number) and start.value > 0 and start.value & (start.value - 1) == 0:
            found.append(_power_of_two(value, falling=self.falls, first=start.value))
        return [fact for fact in found if fact.kind != "truth"]


def _power_of_two(value: Term, falling: bool, first: int) -> Term:
    if falling:
        return disjunction(*(equal(value, number(v)) for v in (0, *(1 << i for i in range(first.bit_length())))))
    powers = [1 << i for i in range(first.bit_length() - 1, _LAST_POWER)]
    beyond = at_most(number(1 << _LAST_POWER), value)
    return disjunction(*(equal(value, number(v)) for v in powers), beyond)


@dataclass(frozen=True, slots=True)
class _Assigned:
    """A value and the position, among the loop's own statements, of the one that assigns it or holds the assignment."""

    value: ir.Expr
    position: int
    top: bool


_Values = dict[str, list[_Assigned]]


def recurrence_of(stmt: ir.Loop, name: str) -> Recurrence | None:
    """How the loop changes the register; None where some assignment is of no known form."""
    assigned: _Values = {}
    for position, part in enumerate((*stmt.pre, *stmt.body, *stmt.step)):
        if not _note((part,), position, True, assigned):
            return None
    if name not in assigned:
        return None
    steps = [_step(a.value, name, assigned, a.position, 0) for a in assigned[name]]
    known = [s for s in steps if s is not None]
    if len(known) != len(steps):
        return None
    falls, rises = all(s.falls for s in known), all(s.rises for s in known)
    if not falls and not rises:
        return None
    return Recurrence(falls, rises, all(s.whole for s in known), all(s.doubles for s in known))


def constant_of(stmt: ir.Loop, name: str) -> int | None:
    """The one number that the loop assigns to the register: `grid.y = 1` in some of its iterations."""
    assigned: _Values = {}
    for position, part in enumerate((*stmt.pre, *stmt.body, *stmt.step)):
        if not _note((part,), position, True, assigned):
            return None
    values = {uncast(each.value) for each in assigned.get(name, ())}
    numbers = {value.value for value in values if isinstance(value, ir.Const)}
    (found,) = numbers if len(values) == len(numbers) == 1 else (None,)
    return found if isinstance(found, int) else None


def place_text(place: ir.Field) -> str:
    """`grid.x`: a name that no register has."""
    base = place.base.var.name if isinstance(place.base, ir.Variable) else "?"
    return f"{base}.{place.name}"


def as_register(stmt: ir.Loop, place: ir.Field) -> ir.Loop | None:
    """The loop with a register in place of a member of a variable; None where it may change the variable otherwise."""
    assert isinstance(place.base, ir.Variable)
    var, register = place.base.var, ir.Var(place_text(place), place.type)

    def changed(body: Body) -> Body | None:
        found: list[ir.Stmt] = []
        for each in body:
            if any(_points_to(expr, var) for expr in evaluated(each)):
                return None
            if isinstance(each, ir.Load) and each.place == place:
                found.append(ir.Assign(each.target, register, each.span))
            elif isinstance(each, ir.Store) and each.place == place:
                found.append(ir.Assign(register, each.value, each.span))
            elif _may_change(each, place, var):
                return None
            elif isinstance(each, ir.If):
                then, orelse = changed(each.then), changed(each.orelse)
                if then is None or orelse is None:
                    return None
                found.append(replace(each, then=then, orelse=orelse))
            elif isinstance(each, ir.Loop):  # what stands in it is no step of this one
                if any(_may_change(inner, place, var) for inner in statements((each,))):
                    return None
                found.append(each)
            else:
                found.append(each)
        return tuple(found)

    pre, body, step = changed(stmt.pre), changed(stmt.body), changed(stmt.step)
    return None if pre is None or body is None or step is None else replace(stmt, pre=pre, body=body, step=step)


def _points_to(expr: ir.Expr, var: ir.Var) -> bool:
    return any(isinstance(e, ir.AddressOf) and root(e.place) == var for e in expressions(expr))


def _may_change(stmt: ir.Stmt, member: ir.Field, var: ir.Var) -> bool:
    """Whether a statement by itself writes the member, or the variable that it is one of."""
    if isinstance(stmt, ir.Store | ir.Atomic):
        place = stmt.place
        other = isinstance(place, ir.Field) and isinstance(place.base, ir.Variable) and place.name != member.name
        return root(place) == var and not other
    return isinstance(stmt, ir.Unmodelled) and any(root(place) == var for place in stmt.writes)


def _note(body: Body, position: int, top: bool, found: _Values) -> bool:
    """Values by register; what a call or load assigns is a value that is not understood. False where a hole writes."""
    for stmt in body:
        if isinstance(stmt, ir.Assign):
            found.setdefault(stmt.target.name, []).append(_Assigned(stmt.value, position, top))
        elif isinstance(stmt, ir.Load | ir.Call | ir.Atomic | ir.Warp) and stmt.target is not None:
            lost = ir.Opaque("result", (), stmt.target.type)
            found.setdefault(stmt.target.name, []).append(_Assigned(lost, position, False))
        elif isinstance(stmt, ir.Unmodelled) and stmt.writes:
            return False
        if not all(_note(part, position, False, found) for part in inner_bodies(stmt)):
            return False
    return True


def _step(expr: ir.Expr, name: str, assigned: _Values, position: int, deep: int) -> Recurrence | None:
    expr = _resolved(expr, name, assigned, position, deep)
    if isinstance(expr, ir.Var) and expr.name == name:
        return Recurrence(True, True, True, True)
    if not isinstance(expr, ir.Binary) or not isinstance(expr.type, ir.Int):
        return None
    left = _resolved(expr.left, name, assigned, position, deep + 1)
    right = uncast(expr.right)
    if not isinstance(right, ir.Const) or not isinstance(right.value, int) or right.value < 1:
        return None
    if isinstance(left, ir.Var) and left.name == name:
        return _of_operator(expr.op, right.value, expr.type)
    if expr.op is BinaryOp.DIVIDE and isinstance(left, ir.Binary) and left.op is BinaryOp.ADD:
        inner, extra = uncast(left.left), uncast(left.right)
        rounded_up = isinstance(extra, ir.Const) and isinstance(extra.value, int) and 0 <= extra.value < right.value
        if rounded_up and isinstance(inner, ir.Var) and inner.name == name and right.value > 1:
            return Recurrence(True, False, True, False)
    return None


def _of_operator(op: BinaryOp, by: int, type_: ir.Int) -> Recurrence | None:
    signed = type_.signed
    grows = signed or type_.bits == 64  # sums and products that do not wrap
    power = by & (by - 1) == 0
    if op is BinaryOp.DIVIDE:
        return Recurrence(True, False, True, power)
    if op is BinaryOp.SHIFT_RIGHT:
        return Recurrence(True, False, True, True)
    if op is BinaryOp.SUBTRACT and signed:
        return Recurrence(True, False, False, False)
    if op in (BinaryOp.MULTIPLY, BinaryOp.SHIFT_LEFT) and grows:
        return Recurrence(False, True, True, power or op is BinaryOp.SHIFT_LEFT)
    if op is BinaryOp.ADD and grows:
        return Recurrence(False, True, True, False)
    return None


def _resolved(expr: ir.Expr, name: str, assigned: _Values, position: int, deep: int) -> ir.Expr:
    """Through conversions and registers that an earlier statement of the loop always assigns, and only it."""
    expr = uncast(expr)
    if isinstance(expr, ir.Var) and expr.name != name and deep < _DEEPEST:
        values = assigned.get(expr.name, [])
        own = [a.position for a in assigned.get(name, [])]
        if len(values) == 1 and values[0].top and values[0].position < position and own == [position]:
            return _resolved(values[0].value, name, assigned, values[0].position, deep + 1)
    return expr
