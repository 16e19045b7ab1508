"""Where an instrumented copy sees an access by reference: `x[i] = v` of a view's operator at `return data[i]`, inside of it."""

from __future__ import annotations

from collections.abc import Iterable

from cudalint import ir
from cudalint.ir.walk import expressions, place_operands, places, statements, target
from cudalint.source import Span


def returned_places(unit: ir.Unit, spans: Iterable[Span]) -> tuple[Span, ...]:
    """The returns of the functions that give the places which are accessed at these spans."""
    starts = {(span.path, span.line, span.column) for span in spans}
    found: dict[Span, None] = {}
    done: set[tuple[str, str]] = set()
    for name, function in unit.functions.items():
        every = [stmt for stmt in statements(function.body) if places(stmt)]
        accesses = [s for s in every if (s.span.path, s.span.line, s.span.column) in starts]
        operands = (e for s in accesses for place in places(s) for e in place_operands(place))
        _follow(unit, name, _pointers(operands), found, done)
    return tuple(found)


def _follow(unit: ir.Unit, name: str, pointers: set[str], found: dict[Span, None], done: set[tuple[str, str]]) -> None:
    """Back from pointers of a function to the calls that give them."""
    definitions = [s for s in statements(unit.functions[name].body) if isinstance(target(s), ir.Var)]
    while pointers:
        pointer = pointers.pop()
        if (name, pointer) in done:
            continue
        done.add((name, pointer))
        for stmt in definitions:
            if target(stmt).name != pointer:  # type: ignore[union-attr]
                continue
            if isinstance(stmt, ir.Assign):
                pointers |= _pointers([stmt.value])
            elif isinstance(stmt, ir.Call) and stmt.function in unit.functions:
                body = statements(unit.functions[stmt.function].body)
                for end in (s for s in body if isinstance(s, ir.Return) and s.value is not None):
                    found.setdefault(end.span)
                    _follow(unit, stmt.function, _pointers([end.value]), found, done)


def _pointers(exprs: Iterable[ir.Expr | None]) -> set[str]:
    inner = (e for expr in exprs if expr is not None for e in expressions(expr))
    return {e.name for e in inner if isinstance(e, ir.Var) and isinstance(e.type, ir.Pointer)}
