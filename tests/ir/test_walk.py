"""Walking the IR: what statements read and write."""

from __future__ import annotations

from cudalint.ir import nodes as ir
from cudalint.ir import walk
from cudalint.ir.types import BOOL, F32, INT32, Array, Pointer
from cudalint.source import Span

SPAN = Span("k.cu", 1, 1, 1, 2)
INDEX = ir.Var("i", INT32)
X = ir.Var("x", Pointer(F32))
TILE = ir.Var("tile", Array(F32, 4))
T = ir.Var("t", F32)
LOAD = ir.Load(T, ir.Element(X, INDEX, F32), SPAN)
STORE = ir.Store(ir.Index(ir.Variable(TILE), INDEX, F32), T, SPAN)
COND = ir.Binary(ir.BinaryOp.LESS, INDEX, ir.Const(4, INT32), BOOL)


def test_statements_come_outer_first() -> None:
    branch = ir.If(COND, (LOAD,), (STORE,), SPAN)
    loop = ir.Loop((), COND, (), (branch,), True, SPAN)
    assert list(walk.statements((loop,))) == [loop, branch, LOAD, STORE]


def test_registers_read_are_those_of_values_and_places() -> None:
    assert walk.registers_read(LOAD) == {"x", "i"}
    assert walk.registers_read(STORE) == {"i", "t"}
    assert walk.registers_read(ir.If(COND, (LOAD,), (), SPAN)) == {"i"}


def test_written_names_registers_and_memory() -> None:
    assert walk.written((LOAD, STORE)) == {"t", "tile"}
    assert walk.written((ir.Loop((), COND, (LOAD,), (STORE,), True, SPAN),)) == {"t", "tile"}


def test_root_of_a_place() -> None:
    assert walk.root(STORE.place) == TILE
    assert walk.root(LOAD.place) is None


def test_an_address_has_the_operands_of_its_place() -> None:
    address = ir.AddressOf(STORE.place, Pointer(F32))
    assert walk.subexpressions(address) == (INDEX,)
