"""Columns that a factory makes, and the structs by which host code hands their memory on.

    auto out = make_numeric_column(type, n, state);     n elements, whose width runs know; bits of validity where asked for
    k<<<grid, 256>>>(out->mutable_view().data<int>(), n);

A column whose making is out of sight, or that a call may have changed since, says nothing of its memory.
"""

from __future__ import annotations

from cudalint import ir
from cudalint.symbolic.host.names import class_name, last_name, simple_name
from cudalint.symbolic.host.site import Site, behind
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import (
    APPROXIMATE,
    NULL,
    Address,
    Either,
    HostObject,
    MemberKey,
    Origin,
    Record,
    Reference,
    Value,
)
from cudalint.symbolic.host_vocabulary import ColumnMaker, words
from cudalint.symbolic.walk import integers
from cudalint.term import FALSE, TRUE, Term, add, equal, multiply, number, truncated_quotient

_ANY = ir.Pointer(ir.VOID)
_MEMORY, _BITS, _COUNT = ("elements()",), ("validity()",), ("count()",)
_BITS_OF_A_UNIT, _BYTES_OF_A_UNIT = 512, 64  # as bits are allocated


def column_call(site: Site, stmt: ir.Call, args: list[Value], state: State) -> Value | None:
    """What a factory makes, or the view that a column gives; None for other calls."""
    name, maker = simple_name(stmt.function), maker_of(stmt)
    if maker is not None:
        return _made(site, stmt, name, maker, [behind(stmt, i, arg, state) for i, arg in enumerate(args)], state)
    if f"{class_name(stmt.function)}::{name}" in words().column_views and args and stmt.target is not None:
        return _view(site, stmt.target.type, args[0], state)
    return None


def maker_of(stmt: ir.Call) -> ColumnMaker | None:
    """The factory that is called, whose words are worth more than its body: an owner of a column is what it gives."""
    maker = words().column_makers.get(simple_name(stmt.function))
    if maker is None or stmt.target is None or len(stmt.args) < maker.arguments:
        return None
    type_ = stmt.target.type
    held = type_.name.partition("<")[2].split(",")[0].rstrip("> ") if isinstance(type_, ir.Struct | ir.Unknown) else ""
    classes = {each.partition("::")[0] for each in words().column_views}
    return maker if last_name(held) in classes else None


def _made(site: Site, stmt: ir.Call, name: str, maker: ColumnMaker, args: list[Value], state: State) -> Record | None:
    assert stmt.target is not None
    given = args[maker.size]
    if not isinstance(given, Term):
        return None
    count = integers.as_integer(given)
    label = site.buffer_name(site.result or name)
    elements = HostObject(label, "allocation", made_by=name, span=stmt.span, items=count)
    asked = args[maker.bits] if maker.bits is not None and maker.bits < len(args) else None
    column = Address(HostObject(label, "variable"), number(0))
    cells: dict[tuple[str, ...], tuple[ir.Type, Value]] = {
        _COUNT: (ir.INT32, count),
        _MEMORY: (_ANY, Address(elements, number(0))),
        (maker.count_member,): (ir.INT32, count),
    }
    if isinstance(asked, Term):
        cells[_BITS] = (_ANY, _bits(site, stmt, label, count, integers.as_integer(asked)))
    for fields, (type_, value) in cells.items():
        state.write(Address(column.object, number(0), fields), type_, value)
    return Record(stmt.target.type, {(("pointer",), number(0)): (_ANY, column)})


def _bits(site: Site, stmt: ir.Call, label: str, count: Term, asked: Term) -> Reference:
    """A bit for each element in whole units; none where the state that is asked for is the first one."""
    units = truncated_quotient(add(count, number(_BITS_OF_A_UNIT - 1)), number(_BITS_OF_A_UNIT))
    size = multiply(units, number(_BYTES_OF_A_UNIT))
    made = HostObject(site.buffer_name(f"{label}.validity"), "allocation", size, "bitmask", stmt.span)
    none = equal(asked, number(0))
    if none is TRUE or none is FALSE:
        return NULL if none is TRUE else Address(made, number(0))
    return Either(none, NULL, Address(made, number(0)))


def _view(site: Site, type_: ir.Type, column: Value, state: State) -> Record | None:
    if not isinstance(column, Address) or column.object is None:
        return None
    names = words().column_members
    found: dict[MemberKey, tuple[ir.Type, Value]] = {}
    for kept, member in ((_MEMORY, "elements"), (_BITS, "validity"), (_COUNT, "count")):
        cell = state.cells.get((column.object, (*column.fields, *kept), column.offset))
        if cell is not None:
            found[((names[member],), number(0))] = cell
    if ((names["elements"],), number(0)) not in found:
        return None
    found[((names["first"],), number(0))] = (ir.INT32, number(0))
    found[((names["children"],), number(0))] = (_ANY, NULL)
    label = f"{APPROXIMATE}{site.evaluator.named(site.result or 'view')}#{site.world.count()}"
    site.world.explain(label, "a view of a column")
    origin = Origin(Address(HostObject(label, "variable"), number(0)), APPROXIMATE)
    return Record(type_, found, origin)
