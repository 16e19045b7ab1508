"""What a loop does to variables and arrays in each of its iterations, from the structure of its body alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cudalint import ir
from cudalint.ir import walk


def counter(loop: ir.Loop) -> str | None:
    """The variable that counts the iterations of a loop up to a constant."""
    cond = loop.cond
    if not isinstance(cond, ir.Binary) or not isinstance(cond.right, ir.Const) or not isinstance(cond.left, ir.Var):
        return None
    counts = cond.op in (ir.BinaryOp.LESS, ir.BinaryOp.LESS_EQUAL, ir.BinaryOp.NOT_EQUAL)
    stepped = {target.name for stmt in loop.step if (target := walk.target(stmt)) is not None}
    return cond.left.name if counts and cond.left.name in stepped else None


def filled(body: tuple[ir.Stmt, ...], counter: str | None) -> frozenset[str]:
    """Arrays of which each iteration writes the element that the counter names, and no other."""
    found: set[str] = set()
    others: set[str] = set()
    for stmt in walk.statements(body) if counter is not None else ():
        root = walk.root(stmt.place) if isinstance(stmt, ir.Store) else None
        if root is not None and isinstance(stmt, ir.Store):
            is_counted = counter in {named(i) for i in walk.place_operands(stmt.place)}
            (found if is_counted else others).add(root.name)
        others.update(v.name for e in walk.evaluated(stmt) if isinstance(e, ir.AddressOf) and (v := walk.root(e.place)))
    return frozenset(found - others)


def named(index: ir.Expr) -> str | None:
    """The variable that an index is, whatever its type."""
    while isinstance(index, ir.Cast):
        index = index.operand
    return index.name if isinstance(index, ir.Var) else None


def always_assigned(body: Iterable[ir.Stmt]) -> frozenset[str]:
    """Variables that every run through the statements sets, to whatever value."""
    found: set[str] = set()
    for stmt in body:
        target = walk.root(stmt.place) if isinstance(stmt, ir.Store) else walk.target(stmt)
        if target is not None:
            found.add(target.name)
        if isinstance(stmt, ir.Loop):
            found |= always_assigned((*stmt.pre, *stmt.body, *stmt.step))
    return frozenset(found)


def only_updated(body: tuple[ir.Stmt, ...]) -> frozenset[str]:
    """Variables that get what is made of their own value and nothing else: no iteration gives them their first one."""
    found: set[str] = set()
    others: set[str] = set()
    for stmt in walk.statements(body):
        target = walk.root(stmt.place) if isinstance(stmt, ir.Store) else walk.target(stmt)
        if target is not None:
            (found if isinstance(stmt, ir.Assign) and _updates(stmt) else others).add(target.name)
        others.update(v.name for e in walk.evaluated(stmt) if isinstance(e, ir.AddressOf) and (v := walk.root(e.place)))
        if isinstance(stmt, ir.Unmodelled):
            others.update(v.name for place in stmt.writes if (v := walk.root(place)))
    return frozenset(found - others)


def searched(loop: ir.Loop) -> dict[str, ir.If]:
    """What only the iteration sets that finds something and ends the loop, and its condition; a loop may end without.

    for (int c = 0; c < n; c++) if (x[c] < 0) { first = c; break; }
    """
    if not loop.test_first or isinstance(loop.cond, ir.Const):
        return {}
    body = (*loop.pre, *loop.body, *loop.step)
    ends = [stmt for stmt in _of_this_loop(loop.body) if isinstance(stmt, ir.If) and _breaks(stmt.then)]
    found: dict[str, ir.If] = {}
    for end in ends:
        rest = [stmt for stmt in walk.statements(body) if not any(stmt is own for own in walk.statements(end.then))]
        elsewhere = {target.name for stmt in rest if (target := _set_by(stmt)) is not None}
        mine = {target.name for stmt in end.then if (target := _set_by(stmt)) is not None}
        found.update(dict.fromkeys(sorted(mine - elsewhere - _given_away(body)), end))
    return found


def _of_this_loop(body: Iterable[ir.Stmt]) -> Iterator[ir.Stmt]:
    """The statements outside of inner loops."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, ir.If):
            yield from _of_this_loop((*stmt.then, *stmt.orelse))


def _breaks(body: tuple[ir.Stmt, ...]) -> bool:
    return bool(body) and isinstance(body[-1], ir.Break)


def _set_by(stmt: ir.Stmt) -> ir.Var | None:
    return walk.root(stmt.place) if isinstance(stmt, ir.Store) else walk.target(stmt)


def _given_away(body: Iterable[ir.Stmt]) -> set[str]:
    """Variables whose address is taken."""
    taken = (e for s in walk.statements(body) for e in walk.evaluated(s) if isinstance(e, ir.AddressOf))
    return {root.name for each in taken if (root := walk.root(each.place)) is not None}


def moved(body: tuple[ir.Stmt, ...]) -> frozenset[str]:
    """Arrays whose elements go on to other places, `x[i] = x[i + 1]`: what some lack is not what others do."""
    loaded = {stmt.target: stmt.place for stmt in walk.statements(body) if isinstance(stmt, ir.Load)}
    found: set[str] = set()
    for stmt in walk.statements(body):
        taken = loaded.get(stmt.value) if isinstance(stmt, ir.Store) and isinstance(stmt.value, ir.Var) else None
        if isinstance(stmt, ir.Store) and taken is not None and taken != stmt.place:
            own, other = walk.root(stmt.place), walk.root(taken)
            found.update({own.name} if own is not None and own == other else ())
    return frozenset(found)


def _updates(stmt: ir.Assign) -> bool:
    parts = list(walk.expressions(stmt.value))
    return stmt.target in parts and not any(isinstance(part, ir.Select) for part in parts)
