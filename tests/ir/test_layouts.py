"""Guessed classes as they were guessed: every place that has such a type changes with it, and nothing else does."""

from __future__ import annotations

from cudalint.ir import nodes as ir
from cudalint.ir.layouts import with_guessed_layouts
from cudalint.ir.types import VOID, Array, Float, Pointer, Struct, StructField, size_of
from cudalint.source import Span

FLOAT32 = Float("f32")
HERE = Span("k.cu", 1, 1, 1, 2)
VIEW = Struct("View", 8, 8, (StructField("ptr", 0, Pointer(FLOAT32)),), guessed=True)


def kernel(type_: ir.Type, name: str = "k") -> ir.Function:
    view = ir.Var("view", type_)
    target = ir.Var("p", Pointer(FLOAT32))
    place = ir.Field(ir.Variable(view), "ptr", Pointer(FLOAT32))
    return ir.Function(
        name, name, ir.Role.KERNEL, (), (ir.Param(view),), VOID, (ir.Load(target, place, HERE),), HERE
    )  # fmt: skip


def test_a_kernel_of_a_guessed_class_is_rewritten_throughout() -> None:
    unit = ir.Unit("k.cu", {"k": kernel(VIEW), "other": kernel(VIEW, "other")})
    made = with_guessed_layouts(unit, "k").functions
    (load,) = made["k"].body
    assert isinstance(load, ir.Load) and isinstance(load.place, ir.Field) and isinstance(load.place.base, ir.Variable)
    assert size_of(made["k"].params[0].var.type) == size_of(load.place.base.var.type) == 8
    assert made["other"] is unit.functions["other"], "the kernel does not call it"


def test_what_holds_no_guess_stays_the_same_object() -> None:
    whole = kernel(Struct("View", 8, 8, VIEW.fields))
    assert with_guessed_layouts(ir.Unit("k.cu", {"k": whole}), "k").functions["k"] is whole


def test_an_array_whose_length_was_guessed_has_room() -> None:
    tile = ir.Declare(ir.Var("tile", Array(FLOAT32, None)), ir.Storage.SHARED, HERE)
    function = ir.Function("k", "k", ir.Role.KERNEL, (), (), VOID, (tile,), HERE)
    (declared,) = with_guessed_layouts(ir.Unit("k.cu", {"k": function}), "k").functions["k"].body
    assert isinstance(declared, ir.Declare) and (size_of(declared.var.type) or 0) >= 1024 * 4
