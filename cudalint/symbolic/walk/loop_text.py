"""What a loop does by its text alone: the registers it writes, the barriers it can reach."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint import ir


def assigned_names(body: tuple[ir.Stmt, ...]) -> dict[str, ir.Type]:
    """Registers that the statements write."""
    names: dict[str, ir.Type] = {}
    for stmt in all_statements(body):
        target = getattr(stmt, "target", None)
        if isinstance(target, ir.Var):
            names[target.name] = target.type
        if isinstance(stmt, ir.Unmodelled):
            names.update({p.var.name: p.var.type for p in stmt.writes if isinstance(p, ir.Variable)})
    return names


def declared_registers(body: tuple[ir.Stmt, ...]) -> frozenset[str]:
    """Variables of the body: in each round they begin anew."""
    found = (stmt for stmt in all_statements(body) if isinstance(stmt, ir.Declare))
    return frozenset(stmt.var.name for stmt in found if stmt.storage is ir.Storage.REGISTER)


def all_statements(body: tuple[ir.Stmt, ...]) -> Iterator[ir.Stmt]:
    for stmt in body:
        yield stmt
        if isinstance(stmt, ir.If):
            yield from all_statements(stmt.then)
            yield from all_statements(stmt.orelse)
        elif isinstance(stmt, ir.Loop):
            yield from all_statements((*stmt.pre, *stmt.body, *stmt.step))


def statement_count(body: tuple[ir.Stmt, ...]) -> int:
    return sum(1 for _ in all_statements(body))


def reads_no_memory(unit: ir.Unit, body: tuple[ir.Stmt, ...], seen: frozenset[str] = frozenset()) -> bool:
    """Whether the statements compute with registers alone, through calls too (`rank()`, `div_up(n, m)`)."""
    for stmt in all_statements(body):
        if isinstance(stmt, ir.Call):
            callee = unit.functions.get(stmt.function)
            if callee is None or stmt.function in seen:
                return False
            if not reads_no_memory(unit, callee.body, seen | {stmt.function}):
                return False
        elif not isinstance(stmt, ir.Declare | ir.Assign | ir.If | ir.Return):
            return False
    return True


def holds_grid_barrier(unit: ir.Unit, loop: ir.Loop) -> bool:
    """Whether a barrier of the whole grid can be reached inside, through calls too."""
    return _reaches_barrier(unit, (*loop.pre, *loop.body, *loop.step), set(), (ir.Scope.GRID,))


def holds_barrier(unit: ir.Unit, loop: ir.Loop) -> bool:
    """Whether a block or grid barrier can be reached inside, through calls too; not one for part of a block."""
    return _reaches_barrier(unit, (*loop.pre, *loop.body, *loop.step), set())


def waits_for_copies(unit: ir.Unit, loop: ir.Loop) -> bool:
    """Whether asynchronous copies may be grouped or waited for inside, through calls too."""
    return _changes_groups(unit, (*loop.pre, *loop.body, *loop.step), set())


def _changes_groups(unit: ir.Unit, body: tuple[ir.Stmt, ...], seen: set[str]) -> bool:
    for stmt in all_statements(body):
        if isinstance(stmt, ir.AsyncCommit | ir.AsyncWait) or may_hold_barrier(unit, stmt):
            return True
        if isinstance(stmt, ir.Barrier) and stmt.object is not None:
            return True
        if isinstance(stmt, ir.Call) and stmt.function in unit.functions and stmt.function not in seen:
            seen.add(stmt.function)
            if _changes_groups(unit, unit.functions[stmt.function].body, seen):
                return True
    return False


def may_hold_barrier(unit: ir.Unit, stmt: ir.Stmt) -> bool:
    """What is not understood may synchronise the block."""
    if isinstance(stmt, ir.Call):
        return stmt.function not in unit.functions
    return isinstance(stmt, ir.Unmodelled) and stmt.may_sync


def is_for_part(stmt: ir.Stmt) -> bool:
    """A barrier with a number that counts threads: some of the block need not come, and may go on meanwhile."""
    return (
        isinstance(stmt, ir.Barrier)
        and stmt.scope is ir.Scope.NAMED
        and stmt.object is None
        and stmt.id is not None
        and stmt.count is not None
    )


def reached_statements(
    unit: ir.Unit, body: tuple[ir.Stmt, ...], seen: frozenset[str] = frozenset()
) -> Iterator[ir.Stmt]:
    """The statements, and those of the functions that they call."""
    for stmt in all_statements(body):
        yield stmt
        if isinstance(stmt, ir.Call) and stmt.function in unit.functions and stmt.function not in seen:
            yield from reached_statements(unit, unit.functions[stmt.function].body, seen | {stmt.function})


BLOCK_OR_WIDER = tuple(scope for scope in ir.Scope if scope is not ir.Scope.WARP)


def _reaches_barrier(
    unit: ir.Unit, body: tuple[ir.Stmt, ...], seen: set[str], scopes: tuple[ir.Scope, ...] = BLOCK_OR_WIDER
) -> bool:
    for stmt in all_statements(body):
        if isinstance(stmt, ir.Barrier) and stmt.scope in scopes and stmt.mode != "init" and not is_for_part(stmt):
            return True
        if scopes is BLOCK_OR_WIDER and may_hold_barrier(unit, stmt):
            return True
        if isinstance(stmt, ir.Call) and stmt.function in unit.functions and stmt.function not in seen:
            seen.add(stmt.function)
            if _reaches_barrier(unit, unit.functions[stmt.function].body, seen, scopes):
                return True
    return False
