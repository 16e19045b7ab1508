"""The text of nodes that golden files do not show."""

from __future__ import annotations

from cudalint.ir import nodes as ir
from cudalint.ir.text import expr_text, simple_text, type_text
from cudalint.ir.types import BOOL, F16, F32, INT32, UINT64, Array, Pointer, Struct, Unknown, Vector
from cudalint.source import Span

SPAN = Span("k.cu", 1, 1, 1, 2)


def test_types() -> None:
    assert type_text(Pointer(Array(Vector(F16, 2), None))) == "*[?]f16x2"
    assert type_text(Struct("S", 4, 4, (), guessed=True)) == "S?"
    assert type_text(Unknown("T")) == "unknown(T)"


def test_constants_show_their_type_unless_it_is_the_usual_one() -> None:
    assert expr_text(ir.Const(1, INT32)) == "1"
    assert expr_text(ir.Const(1, UINT64)) == "1:u64"
    assert expr_text(ir.Const(1.0, F32)) == "1.0"
    assert expr_text(ir.Const(None, Pointer(F32))) == "null"


def test_named_barrier_and_hole() -> None:
    barrier = ir.Barrier(ir.Scope.NAMED, SPAN, id=ir.Const(1, INT32), count=ir.Const(64, INT32), mode="arrive")
    assert simple_text(barrier) == "barrier.named.arrive id 1 count 64"
    hole = ir.Unmodelled("goto", SPAN, (ir.Var("c", BOOL),), (), may_exit=True)
    assert simple_text(hole) == "unmodelled 'goto' may_exit reads (c) writes ()"
