"""What the text of host functions says without running them: launch sites, calls, assigned names, the shape of loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

from cudalint import ir
from cudalint.ir import BinaryOp
from cudalint.ir.walk import statements
from cudalint.symbolic.host.names import last_name, place_type
from cudalint.symbolic.host_vocabulary import words

Body = tuple[ir.Stmt, ...]
Site = tuple[str, int, str]  # path and line of a launch, and the kernel's id, since instances differ; "" is any kernel


def inner_bodies(stmt: ir.Stmt) -> tuple[Body, ...]:
    """The statement lists inside a statement."""
    if isinstance(stmt, ir.If):
        return stmt.then, stmt.orelse
    if isinstance(stmt, ir.Loop):
        return stmt.pre, stmt.body, stmt.step
    return ()


def launches_in(body: Body) -> Iterator[ir.Launch]:
    """The launches in the body."""
    for stmt in body:
        if isinstance(stmt, ir.Launch):
            yield stmt
        for part in inner_bodies(stmt):
            yield from launches_in(part)


def called_in(body: Body) -> set[str]:
    """The functions that the body calls; `(*)` stands for one behind a pointer."""
    found: set[str] = set()
    for stmt in body:
        if isinstance(stmt, ir.Call):
            found.add(stmt.function)
        found = found.union(*map(called_in, inner_bodies(stmt)))
    return found


def passed_functions(stmt: ir.Stmt) -> set[str]:
    """Functions whose address the statement passes or keeps."""
    if isinstance(stmt, ir.Call):
        values: tuple[ir.Expr, ...] = stmt.args
    elif isinstance(stmt, ir.Assign | ir.Store):
        values = (stmt.value,)
    else:
        return set()
    plain = (uncast(v.operand if isinstance(v, ir.Bitcast) else v) for v in values)
    return {v.function for v in plain if isinstance(v, ir.FunctionRef)}


def turning_back(function: ir.Function) -> str:
    """Why statements of the function may run again with other values, in a way that is not followed."""
    holes = (s for s in statements(function.body) if isinstance(s, ir.Unmodelled) and s.reason in ir.TURNING_BACK)
    hole = next(holes, None)
    return "" if hole is None else f"{hole.reason} in {function.name}"


def handed_on(body: Body, is_read: Callable[[ir.Call], bool]) -> set[str]:
    """Functions that calls pass, by value or by the address of a variable, to code that nobody has read."""
    found, held = set[str](), dict[str, str]()
    for stmt in statements(body):
        if isinstance(stmt, ir.Store) and isinstance(stmt.place, ir.Variable) and (kept := passed_functions(stmt)):
            held[stmt.place.var.name] = min(kept)
        elif isinstance(stmt, ir.Call) and last_name(stmt.function) not in words().registries and not is_read(stmt):
            given = {root for arg in stmt.args for root in address_roots(arg)}
            found |= passed_functions(stmt) | {held[name] for name in given & held.keys()}
    return found


def overlapped(place: ir.Place) -> tuple[str, ...]:
    """The members that share bytes with the one that is named: those of a union."""
    if not isinstance(place, ir.Field):
        return ()
    base = place_type(place.base)
    fields = base.fields if isinstance(base, ir.Struct) else ()
    own = next((f for f in fields if f.name == place.name), None)
    return () if own is None else tuple(f.name for f in fields if f is not own and _share_bytes(f, own))


def _share_bytes(a: ir.StructField, b: ir.StructField) -> bool:
    ends = (a.offset + (ir.size_of(a.type) or 1), b.offset + (ir.size_of(b.type) or 1))
    return a.offset < ends[1] and b.offset < ends[0]


def result_name(stmt: ir.Stmt, following: Body) -> str:
    """The variable that receives the result of a call: its target, or where the next statement puts that."""
    if not isinstance(stmt, ir.Call) or stmt.target is None:
        return ""
    for after in following:
        if isinstance(after, ir.Assign) and _unconverted(after.value) == stmt.target:
            return after.target.name
        if isinstance(after, ir.Store) and _unconverted(after.value) == stmt.target:
            return _place_name(after.place) or stmt.target.name
    return stmt.target.name


def _unconverted(expr: ir.Expr) -> ir.Expr:
    """Also without what makes `float *` of the `void *` that malloc() gives."""
    while isinstance(expr, ir.Cast | ir.Bitcast):
        expr = expr.operand
    return expr


def _place_name(place: ir.Place) -> str:
    if isinstance(place, ir.Variable):
        return place.var.name
    base = _place_name(place.base) if isinstance(place, ir.Field) else ""
    return f"{base}.{place.name}" if isinstance(place, ir.Field) and base else ""


# --- which loops are worth their steps -------------------------------------------------------------------------------


def matters(body: Body, functions: Set[str]) -> bool:
    """Whether the body launches, allocates, or calls one of the functions that do."""
    for stmt in body:
        if isinstance(stmt, ir.Launch):
            return True
        if isinstance(stmt, ir.Call) and (stmt.function in functions or _gives(stmt.function.split("::")[-1])):
            return True
        if any(matters(part, functions) for part in inner_bodies(stmt)):
            return True
    return False


def _gives(name: str) -> bool:
    """Memory or a kernel."""
    return name in words().allocators or name in words().kernel_lookups


def is_small(body: Body, is_short: Callable[[ir.Call], bool]) -> bool:
    """A few statements without loops, and without calls but for those that ask a tensor, check, fill a list, or are short."""
    return _statements(body) <= _SMALL and is_plain(body, is_short)


def is_plain(body: Body, is_short: Callable[[ir.Call], bool]) -> bool:
    """Some statements of that kind, such as the checks of one dimension of a tensor."""
    return _statements(body) <= _PLAIN and all(_is_simple(stmt, is_short) for stmt in body)


def is_short(body: Body) -> bool:
    """A function without loops that calls nothing of the program, such as one that gives the size of a type."""
    return _statements(body) <= _SHORT and all(_is_simple(stmt, lambda call: False) for stmt in body)


def _is_simple(stmt: ir.Stmt, is_short: Callable[[ir.Call], bool]) -> bool:
    if isinstance(stmt, ir.Call):
        name = last_name(stmt.function)
        told = words()
        return any(name in each for each in (told.asking, told.list_methods, told.pure, told.no_return)) or is_short(
            stmt
        )
    if isinstance(stmt, ir.If):
        return all(_is_simple(part, is_short) for part in (*stmt.then, *stmt.orelse))
    return isinstance(stmt, _SIMPLE)


def _statements(body: Body) -> int:
    return sum(1 + sum(map(_statements, inner_bodies(stmt))) for stmt in body)


_SMALL, _PLAIN, _SHORT = 16, 64, 48  # statements
_SIMPLE = (
    ir.Declare, ir.Assign, ir.Load, ir.Store, ir.Check, ir.Trap, ir.Break, ir.Continue, ir.Return,
)  # fmt: skip


# --- loops -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counter:
    """A register that only the loop's step changes, by a constant."""

    name: str
    type: ir.Type
    step: int


def counter_of(stmt: ir.Loop) -> Counter | None:
    """That of a `for`, or of a `while` that does nothing but count."""
    step = stmt.step or stmt.body
    if len(step) != 1 or not isinstance(step[0], ir.Assign):
        return None
    target, moved = step[0].target, uncast(step[0].value)
    if not isinstance(moved, ir.Binary) or moved.op not in (BinaryOp.ADD, BinaryOp.SUBTRACT):
        return None
    left, right = uncast(moved.left), uncast(moved.right)
    if left != target or not isinstance(right, ir.Const) or not isinstance(right.value, int) or not right.value:
        return None
    if target.name in assigned_registers((*stmt.pre, *(stmt.body if stmt.step else ()))):
        return None
    return Counter(target.name, target.type, right.value if moved.op is BinaryOp.ADD else -right.value)


def uncast(expr: ir.Expr) -> ir.Expr:
    """Without conversions."""
    while isinstance(expr, ir.Cast):
        expr = expr.operand
    return expr


def runs_once(stmt: ir.Loop) -> bool:
    """A `switch`, or `do { } while (0)`: no test, or a way out behind the last statement of the body."""
    if not stmt.test_first and isinstance(stmt.cond, ir.Const) and not stmt.cond.value:
        return True
    certain = isinstance(stmt.cond, ir.Const) and bool(stmt.cond.value) and not stmt.pre
    return certain and bool(stmt.body) and isinstance(stmt.body[-1], ir.Break) and not _goes_on(stmt.body)


def _goes_on(body: Body) -> bool:
    """Whether a `continue` of the loop around it stands in the body."""
    for stmt in body:
        if isinstance(stmt, ir.Continue):
            return True
        if not isinstance(stmt, ir.Loop) and any(map(_goes_on, inner_bodies(stmt))):
            return True
    return False


def assigned_registers(body: Body) -> dict[str, ir.Type]:
    """Variables that are the target of some statement, with their types."""
    found: dict[str, ir.Type] = {}
    for stmt in body:
        if isinstance(stmt, ir.Assign | ir.Load | ir.Call | ir.Atomic | ir.Warp) and stmt.target is not None:
            found[stmt.target.name] = stmt.target.type
        elif isinstance(stmt, ir.Unmodelled):
            found.update({p.var.name: p.var.type for p in stmt.writes if isinstance(p, ir.Variable)})
        for part in inner_bodies(stmt):
            found.update(assigned_registers(part))
    return found


def leaves(body: Body) -> bool:
    """Whether a `break` or `continue` of the loop around it, or a return, stands in the body."""
    for stmt in body:
        if isinstance(stmt, ir.Break | ir.Continue | ir.Return):
            return True
        if isinstance(stmt, ir.If) and (leaves(stmt.then) or leaves(stmt.orelse)):
            return True
        if isinstance(stmt, ir.Loop) and _returns(stmt.body):
            return True
    return False


def _returns(body: Body) -> bool:
    return any(isinstance(s, ir.Return) or any(_returns(part) for part in inner_bodies(s)) for s in body)


# --- globals ---------------------------------------------------------------------------------------------------------


def written_globals(unit: ir.Unit) -> set[str]:
    """Variables that some host function of the unit stores to or whose address it passes on."""
    found: set[str] = set()
    for function in unit.functions.values():
        if function.role is not ir.Role.KERNEL:
            _note_written(function.body, found)
    return found


def written_in(body: Body) -> set[str]:
    """Variables that the body stores to or whose address it passes on."""
    found: set[str] = set()
    _note_written(body, found)
    return found


def stores_elsewhere(body: Body) -> bool:
    """Whether the body itself stores to another place than a variable that it declares."""
    own = _declared(body)
    return any(not _is_within(place, own) for place in _stored(body))


def _declared(body: Body) -> set[str]:
    found = {stmt.var.name for stmt in body if isinstance(stmt, ir.Declare)}
    return found.union(*(_declared(part) for stmt in body for part in inner_bodies(stmt)))


def _stored(body: Body) -> Iterator[ir.Place]:
    for stmt in body:
        if isinstance(stmt, ir.Store | ir.Atomic):
            yield stmt.place
        elif isinstance(stmt, ir.Unmodelled):
            yield from stmt.writes
        elif (
            isinstance(stmt, ir.Call) and stmt.function.split("::")[-1] in words().writes_first | words().copies.keys()
        ):
            yield from _behind(stmt.args[0]) if stmt.args else ()
        for part in inner_bodies(stmt):
            yield from _stored(part)


def _behind(pointer: ir.Expr) -> Iterator[ir.Place]:
    while isinstance(pointer, ir.Cast | ir.Bitcast):
        pointer = pointer.operand
    yield pointer.place if isinstance(pointer, ir.AddressOf) else ir.Element(pointer, ir.Const(0, ir.INT32), ir.VOID)


def _is_within(place: ir.Place, own: Set[str]) -> bool:
    while not isinstance(place, ir.Variable | ir.Element):
        place = place.base
    return isinstance(place, ir.Variable) and place.var.name in own


def _note_written(body: Body, found: set[str]) -> None:
    for stmt in body:
        if isinstance(stmt, ir.Store | ir.Atomic):
            found.update(_roots(stmt.place))
        elif isinstance(stmt, ir.Unmodelled):
            for place in stmt.writes:
                found.update(_roots(place))
        elif isinstance(stmt, ir.Call | ir.Launch):
            for arg in stmt.args:
                found.update(address_roots(arg))
        elif isinstance(stmt, ir.Assign):
            found.update(address_roots(stmt.value))
        for part in inner_bodies(stmt):
            _note_written(part, found)


def _roots(place: ir.Place) -> set[str]:
    if isinstance(place, ir.Variable):
        return {place.var.name}
    if isinstance(place, ir.Element):
        return address_roots(place.pointer)
    return _roots(place.base)


def address_roots(expr: ir.Expr) -> set[str]:
    if isinstance(expr, ir.AddressOf):
        return _roots(expr.place)
    if isinstance(expr, ir.Cast | ir.Bitcast):
        return address_roots(expr.operand)
    if isinstance(expr, ir.Offset):
        return address_roots(expr.pointer)
    return set()
