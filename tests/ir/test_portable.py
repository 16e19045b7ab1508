"""The IR comes back from its JSON as it was, from the same bytes always; nothing else than the language is read."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudalint.frontend.translate import ParseOptions, translate
from cudalint.ir import nodes as ir
from cudalint.ir import types as t
from cudalint.ir.portable import MOST_DEPTH, dumped, loaded
from cudalint.source import SourceFile, Span

HERE = Span("k.cu", 1, 1, 1, 9)
TEXT = """
struct Pair { float x; int y; };
__constant__ float table[4];
__device__ float twice(float v) { return 2.0f * v; }
__global__ void k(Pair *p, float4 *q, unsigned n, bool on) {
    extern __shared__ float tile[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && on) tile[threadIdx.x] = twice(p[i].x) + table[i & 3] + q[i].y;
    __syncthreads();
    for (int s = 16; s > 0; s /= 2) tile[threadIdx.x] += __shfl_xor_sync(0xffffffffu, tile[threadIdx.x], s);
    if (i < n) atomicAdd(&p[i].y, (int)tile[0]);
}
"""

integers = st.builds(t.Int, st.sampled_from((8, 16, 32, 64)), st.booleans())
constants = st.one_of(
    st.builds(ir.Const, st.integers(-(2**70), 2**70), integers),
    st.builds(ir.Const, st.floats(allow_nan=False), st.sampled_from((t.F32, t.F64))),
    st.builds(ir.Const, st.booleans(), st.just(t.BOOL)),
    st.just(ir.Const(None, t.Pointer(t.F32))),
    st.builds(ir.Var, st.text(max_size=4), integers),
)
expressions = st.recursive(
    constants,
    lambda inner: st.one_of(
        st.builds(ir.Binary, st.sampled_from(ir.BinaryOp), inner, inner, integers),
        st.builds(ir.Select, inner, inner, inner, integers),
        st.builds(ir.Math, st.text(max_size=3), st.lists(inner, max_size=3).map(tuple), integers),
    ),
    max_leaves=12,
)
TARGET = ir.Var("r", t.INT32)


def unit_of(*values: ir.Expr) -> ir.Unit:
    body = tuple(ir.Assign(TARGET, value, HERE) for value in values)
    kernel = ir.Function("k()", "k", ir.Role.KERNEL, (), (), t.VOID, body, HERE)
    return ir.Unit("k.cu", {"k()": kernel}, {})


def through_json(table: Any) -> Any:
    return json.loads(json.dumps(table, allow_nan=False))


def test_what_the_front_end_makes_comes_back() -> None:
    unit = translate(SourceFile("k.cu", "k.cu", TEXT), ParseOptions(), ".").unit
    table = dumped(unit)
    again = loaded(through_json(table))
    assert again == unit and repr(again) == repr(unit)
    assert dumped(again) == table


@given(st.lists(expressions, max_size=4))
def test_any_expressions_come_back_with_the_types_of_their_values(values: list[ir.Expr]) -> None:
    unit = unit_of(*values)
    table = through_json(dumped(unit))
    assert repr(loaded(table)) == repr(unit)  # 1, 1.0 and true are equal, but not the same
    assert dumped(loaded(table)) == table


def test_what_is_shared_is_written_once() -> None:
    value: ir.Expr = TARGET
    for _ in range(15):  # 65,536 nodes as a tree
        value = ir.Binary(ir.BinaryOp.ADD, value, value, t.INT32)
    assert len(dumped(unit_of(value))["nodes"]) < 40


def test_what_unfolds_to_more_than_a_run_takes_is_refused() -> None:
    table = dumped(unit_of(TARGET))
    add = ["Binary", "+", 0, 0, 0]
    rows = [["Int", 32, True], ["Var", 0, 0], *([*add[:2], n, n, 0] for n in range(1, 30))]
    with pytest.raises(ValueError, match="larger or deeper"):
        loaded({**table, "nodes": rows, "root": 0})
    deep = [["Int", 32, True], ["Var", 0, 0], *(["Cast", n, 0, False] for n in range(1, MOST_DEPTH + 2))]
    with pytest.raises(ValueError, match="larger or deeper"):
        loaded({**table, "nodes": deep, "root": 0})


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (["os.system", 0], "none of the language"),
        (["Popen"], "none of the language"),
        (["Var", 0], "none of the language"),
        (["Var", 0, 7], "stand before it"),
        (["Var", 99, 0], "not in the table"),
        (["Cast", 0, 0, False], "where none can be"),
        (["Cast", 1, 0, 1], "no value"),
        (["Int", 7, True], "of a size"),
        (["Int", True, True], "no value"),
        (["Float", 0], "of a size"),
        (["Unary", "@", 1, 0], "valid UnaryOp"),
        (["Math", 0, 3, 0], "list of parts"),
        (["Const", "x", 0], "node 2"),
        ("Var", "none of the language"),
    ],
    ids=str,
)
def test_nothing_but_the_language_is_read(row: Any, words: str) -> None:
    rows = [["Int", 32, True], ["Var", 0, 0], row]
    with pytest.raises(ValueError, match=words):
        loaded({"names": ["r"], "nodes": rows, "root": 0})


@given(st.data())
def test_a_damaged_table_is_refused_or_is_another_unit(data: st.DataObject) -> None:
    """No damage leads to any other error, and none to a loop."""
    table = through_json(dumped(unit_of(ir.Binary(ir.BinaryOp.ADD, TARGET, ir.Const(1, t.INT32), t.INT32))))
    row = data.draw(st.sampled_from(range(len(table["nodes"]))))
    field = data.draw(st.sampled_from(range(len(table["nodes"][row]))))
    table["nodes"][row][field] = data.draw(
        st.one_of(st.none(), st.integers(-3, 99), st.text(max_size=5), st.just([[]]))
    )
    try:
        loaded(table)
    except ValueError as error:
        assert "\n" not in str(error)


def test_an_initialiser_that_is_too_large_to_be_laid_out_is_refused() -> None:
    huge = ir.Global(ir.Var("g", t.Array(t.F32, 1 << 40)), ir.Storage.GLOBAL, HERE, (1.0,))
    assert loaded(dumped(replace(unit_of(), globals={"g": replace(huge, init=None)}))).globals
    with pytest.raises(ValueError, match="of a size"):
        loaded(dumped(replace(unit_of(), globals={"g": huge})))
