"""Annotations: the facts they state, the mistakes they report, and their arithmetic against Python's."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cudalint import ir
from cudalint import term as t
from cudalint.contract import (
    Alias,
    Alignment,
    Assume,
    Distinct,
    ElementExtent,
    ElementValues,
    Extent,
    External,
    Geometry,
    Initial,
    Nullable,
    Offsets,
    Origin,
    Output,
    Reference,
    Values,
    What,
)
from cudalint.frontend.annotations import Stated, condition_of, facts_of
from cudalint.source import Span
from cudalint.symbolic.walk.parameters import builtin_symbol, content_term, parameter_symbol

FLOATS = ir.Pointer(ir.F32)
KV = ir.Struct("Kv", 24, 8, (ir.StructField("indices", 0, ir.Pointer(ir.INT32)), ir.StructField("pages", 8, ir.INT64)))
PARAMS: dict[str, ir.Type] = {
    "x": FLOATS,
    "y": FLOATS,
    "bias": FLOATS,
    "idx": ir.Pointer(ir.INT32),
    "len": ir.Pointer(ir.INT32),
    "ptrs": ir.Pointer(FLOATS),
    "args": ir.Pointer(KV),
    "kv": KV,
    "rows": ir.INT32,
    "cols": ir.INT32,
    "n": ir.INT64,
    "has_bias": ir.BOOL,
    "scale": ir.F32,
}
ROWS, COLS = parameter_symbol("rows", ir.INT32), parameter_symbol("cols", ir.INT32)
N, PAGES = parameter_symbol("n", ir.INT64), parameter_symbol("kv.pages", ir.INT64)
HAS_BIAS = parameter_symbol("has_bias", ir.BOOL)
ONE = t.number(1)
NUMBER, NUMBER_OF_PTRS = t.symbol("idx[]", 0, None), t.symbol("ptrs[]", 0, None)
HERE = Span("k.cu", 7, 14, 7, 80)


def len_at(index: t.Term) -> t.Term:
    """`len[index]`, as a load of the array gives it."""
    return content_term("len", t.scale(index, 4), ir.INT32)


def facts(text: str) -> tuple[What, ...]:
    found, errors = facts_of(text, HERE, PARAMS)
    assert errors == ()
    return tuple(fact.what for fact in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("extent(x) = rows * cols", Extent("x", t.multiply(ROWS, COLS))),
        ("extent(kv.indices) = kv.pages", Extent("kv.indices", PAGES)),
        ("bytes(x) = 4 * n", Extent("x", t.scale(N, 4), "bytes")),
        ("readable(x) = n + 4", Extent("x", t.add(N, t.number(4)))),
        ("extent(x) = ceil_div(n, 256) * 256", Extent("x", t.scale(t.ceil_quotient(N, t.number(256)), 256))),
        ("extent(x) = min(rows, cols, 0x10)", Extent("x", t.minimum(t.minimum(ROWS, COLS), t.number(16)))),
        ("align(x) = 16", Alignment("x", 16)),
        ("init(x) = 0", Initial("x", 0)),
        ("output(y)", Output("y")),
        ("distinct(idx)", Distinct("idx")),
        ("distinct(idx except -1)", Distinct("idx", -1)),
        ("external(idx)", External("idx")),
        ("offsets(idx, n)", Offsets("idx", N)),
        ("view(x) = half[n]", Extent("x", t.scale(N, 2), "bytes")),
        ("view(x) = std::uint16_t[n + 1]", Extent("x", t.scale(t.add(N, ONE), 2), "bytes")),
        ("shape(x) = [4, 8]", Extent("x", t.number(32))),
        ("shape(x) = [4, 8] stride [16, 1]", Extent("x", t.number(3 * 16 + 7 + 1))),
        ("extent(ptrs[i]) = n", ElementExtent("ptrs", NUMBER_OF_PTRS, N)),
        (
            "bytes(ptrs[i]) = 4 * len[i]",
            ElementExtent("ptrs", NUMBER_OF_PTRS, t.scale(len_at(NUMBER_OF_PTRS), 4), "bytes"),
        ),
        ("values(idx[i]) in [0, n)", Values("idx", t.number(0), N)),
        ("values(idx[i]) in [i, n)", ElementValues("idx", NUMBER, NUMBER, N, t.TRUE)),
        (
            "values(idx[0:rows]) in [0, n)",
            ElementValues(
                "idx", NUMBER, t.number(0), N, t.conjunction(t.at_most(t.number(0), NUMBER), t.less(NUMBER, ROWS))
            ),
        ),
        ("values(idx[i]) in [0, len[i])", ElementValues("idx", NUMBER, t.number(0), len_at(NUMBER), t.TRUE)),
        ("alias(x, y)", Alias("x", "y")),
        ("nullable(bias)", Nullable("bias")),
        ("nullable(bias) iff !has_bias", Nullable("bias", t.negation(t.equal(HAS_BIAS, t.number(0))))),
        ("values(idx) in [0, n)", Values("idx", t.number(0), N)),
        ("values(idx) in [-1, cols]", Values("idx", t.number(-1), t.add(COLS, ONE))),
        ("assume cols % 4 == 0", Assume(t.equal(t.truncated_remainder(COLS, t.number(4)), t.number(0)))),
        (
            "assume 0 < cols <= 4096 && rows >= 1",
            Assume(
                t.conjunction(t.less(t.number(0), COLS), t.at_most(COLS, t.number(4096)), t.at_most(ONE, ROWS)),
            ),
        ),
        (
            "assume !(rows > cols) || has_bias",
            Assume(t.disjunction(t.at_most(ROWS, COLS), t.negation(t.equal(HAS_BIAS, t.number(0))))),
        ),
        ("assume blockDim.x * warpSize <= n", Assume(t.at_most(t.scale(builtin_symbol("blockDim.x"), 32), N))),
        (
            "launch grid=(ceil_div(n, 256)) block=(256) shared=0",
            Geometry((t.ceil_quotient(N, t.number(256)), ONE, ONE), (t.number(256), ONE, ONE), t.number(0)),
        ),
        (
            "launch block=(32, 8), cooperative",
            Geometry((None, None, None), (t.number(32), t.number(8), ONE), None, True),
        ),
        ("reference y = torch.softmax(x,  dim=-1)", Reference("y", "torch.softmax(x, dim=-1)")),
        ("reference y = f(x, ';') ", Reference("y", "f(x, ';')")),
    ],
)
def test_a_statement_states_a_fact(text: str, expected: What) -> None:
    assert facts(text) == (expected,)


def test_a_shape_states_its_size_and_that_no_dimension_is_negative() -> None:
    assert facts("shape(x) = [rows, cols]") == (
        Extent("x", t.multiply(ROWS, COLS)),
        Assume(t.at_most(t.number(0), ROWS)),
        Assume(t.at_most(t.number(0), COLS)),
    )


def test_brackets_mean_the_coordinates_of_the_shape() -> None:
    *_, stated = facts("shape(idx) = [rows, 16]; values(idx[b][0:len[b]]) in [0, n)")
    row, column = t.quotient(NUMBER, t.number(16)), t.remainder(NUMBER, t.number(16))
    inside = t.conjunction(t.at_most(t.number(0), column), t.less(column, len_at(row)))
    assert stated == ElementValues("idx", NUMBER, t.number(0), N, inside)


def test_a_view_knows_the_structures_of_the_kernel() -> None:
    found, errors = facts_of("view(x) = Kv[n]", HERE, PARAMS, types={"Kv": KV})
    assert errors == ()
    assert found[0].what == Extent("x", t.scale(N, 24), "bytes")


def test_an_instance_is_for_the_front_end() -> None:
    assert facts("instantiate ns::k<half, 128>") == ()


def test_names_and_sizes_serve_later_statements() -> None:
    stated = facts("let total = rows * cols; extent(x) = total; values(idx) in [0, extent(x))")
    assert stated == (Extent("x", t.multiply(ROWS, COLS)), Values("idx", t.number(0), t.multiply(ROWS, COLS)))


def test_a_let_without_a_value_is_a_size_of_the_callers() -> None:
    size = t.symbol("size", 0, (1 << 31) - 1)
    assert facts("let size; extent(x) = size * cols") == (Extent("x", t.multiply(size, COLS)),)


def test_a_let_reaches_the_next_comment() -> None:
    stated = Stated()
    facts_of("let total = rows * cols", HERE, PARAMS, stated=stated)
    found, errors = facts_of("extent(x) = total", HERE, PARAMS, stated=stated)
    assert errors == () and found[0].what == Extent("x", t.multiply(ROWS, COLS))


def test_facts_carry_their_text_place_and_origin() -> None:
    found, _ = facts_of("output(y) ;\n  extent(x)  = n", HERE, PARAMS)
    assert [(f.text, f.span, f.origin) for f in found] == [
        ("output(y)", Span("k.cu", 7, 14, 7, 23), Origin.ANNOTATION),
        ("extent(x) = n", Span("k.cu", 8, 3, 8, 17), Origin.ANNOTATION),
    ]


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("extnt(x) = n", "unknown statement `extnt`; did you mean `extent`?", 14),
        ("shape(x) = [n, 4] stride [4]", "2 dimensions have as many strides", 40),
        ("view(x) = block_q9[n]", "the size of type `block_q9` is not known here", 24),
        ("instantiate k", "expected `kernel<arguments>`", 26),
        (
            "values(idx[i][j]) in [0, n)",
            "`idx` has 1 dimension here; `shape(idx) = [...]` before it says what they mean",
            21,
        ),
        ("extent(ptrs[0]) = n", "an extent holds for every element: `p[i]` with a new name", 21),
        ("values(idx) in [0, x[0])", "the elements of `x` are no integers", 33),
        ("output(x[0])", "this statement speaks of a whole array", 22),
        ("extent(z) = n", "unknown name `z`", 21),
        ("extent(x) = colls", "unknown name `colls`; did you mean `cols`?", 26),
        ("extent(x) n", "expected `=`, but found `n`", 24),
        ("extent(x) = n +", "expected a number, a name or `(`, but the statement ends", 29),
        ("extent(x) = n m", "expected the end of the statement, but found `m`", 28),
        ("extent(x) = 3x", "expected a number, a name or `(`, but found `3`", 26),
        ("extent(x) = n; extent(x) = rows", "the size of `x` is already stated by `extent`", 36),
        ("extent(rows) = n", "`rows` is no pointer", 21),
        (
            "extent(args.indices) = n",
            "`args` has no field `indices`; facts about fields need a struct that is passed by value",
            21,
        ),
        ("extent(kv.index) = n", "`kv` has no field `index`; did you mean `indices`?", 21),
        ("extent(x[i]) = n", "the elements of `x` are no pointers", 21),
        ("extent(x) = y", "`y` is a pointer; a fact computes with integers", 26),
        ("extent(x) = scale", "`scale` is no integer; a fact computes with integers", 26),
        ("extent(x) = rows < cols", "expected the end of the statement, but found `<`", 31),
        ("extent(x) = (rows < cols)", "expected a number, but this is a condition", 27),
        ("extent(x) = rows / 0", "division by zero", 31),
        ("extent(x) = ceildiv(n, 4)", "unknown function `ceildiv`; did you mean `ceil_div`?", 26),
        ("extent(x) = ceil_div(n)", "`ceil_div` takes 2 arguments, not 1", 26),
        ("extent(x) = extent(y)", "`extent(y)` is used here before it is stated", 33),
        ("assume rows = 3", "`=` states a fact; compare with `==`", 26),
        (
            "assume threadIdx.x < n",
            "`threadIdx.x` differs from thread to thread; a fact speaks of the whole launch",
            21,
        ),
        ("align(x) = n", "expected a positive constant", 25),
        ("values(idx) [0, n)", "expected `in`, but found `[`", 26),
        ("values(idx) in [0, n", "expected `)` or `]`, but the statement ends", 34),
        ("launch gird=(1)", "a launch has no `gird`; did you mean `grid`?", 21),
        ("launch grid=(1) grid=(2)", "`grid` is given twice", 30),
        ("launch grid=(0)", "a dimension of a launch is at least 1", 27),
        ("launch", "a launch states `grid=(...)`, `block=(...)`, `shared=...` or `cooperative`", 14),
        ("let rows = 4", "`rows` has a meaning already", 18),
        ("assume n § 2", "expected the end of the statement, but found `§`", 23),
    ],
)
def test_a_mistake_has_its_place(text: str, message: str, column: int) -> None:
    _, errors = facts_of(text, HERE, PARAMS)
    assert [(e.message, e.line, e.column) for e in errors] == [(message, 7, column)]


def test_a_malformed_statement_costs_only_itself() -> None:
    found, errors = facts_of("output(y); extent(x = n;\n  assume rows > 0; foo", HERE, PARAMS)
    assert [f.text for f in found] == ["output(y)", "assume rows > 0"]
    assert [(e.line, e.column) for e in errors] == [(7, 34), (8, 20)]


def test_a_deep_nest_is_an_error_and_no_crash() -> None:
    _, errors = facts_of(f"assume {'(' * 500}n{')' * 500}", HERE, PARAMS)
    assert errors[0].message == "the expression is nested too deeply"


# --- arithmetic against Python ---------------------------------------------------------------------------------------

NAMES = {"a": ir.INT32, "b": ir.Int(8, False), "c": ir.INT8}


@st.composite
def sums(draw: st.DrawFn, depth: int = 3) -> tuple[str, str]:
    """An expression as annotation text and as Python text."""
    shape = draw(st.sampled_from(["name", "number", *["infix", "infix", "call", "negative"] * (depth > 0)]))
    if shape == "name":
        name = draw(st.sampled_from(sorted(NAMES)))
        return name, name
    if shape == "number":
        value = str(draw(st.integers(0, 70)))
        return value, value
    left, right = draw(sums(depth - 1)), draw(sums(depth - 1))
    if shape == "negative":
        return f"-({left[0]})", f"-({left[1]})"
    if shape == "call":
        name = draw(st.sampled_from(["min", "max"]))
        return f"{name}({left[0]}, {right[0]})", f"{name}({left[1]}, {right[1]})"
    op = draw(st.sampled_from("+-*/%"))
    python = {"/": "quotient({}, {})", "%": "remainder({}, {})"}.get(op, f"({{}} {op} {{}})")
    return f"({left[0]}) {op} ({right[0]})", python.format(left[1], right[1])


@st.composite
def conditions(draw: st.DrawFn, depth: int = 2) -> tuple[str, str]:
    shape = draw(st.sampled_from(["chain", "chain", *["and", "or", "not"] * (depth > 0)]))
    if shape == "chain":
        parts = draw(st.lists(sums(2), min_size=2, max_size=3))
        ops = [draw(st.sampled_from(["<", "<=", ">", ">=", "==", "!="])) for _ in parts[1:]]
        return tuple(f" {parts[0][i]}" + "".join(f" {o} {p[i]}" for o, p in zip(ops, parts[1:])) for i in (0, 1))  # type: ignore[return-value]
    left, right = draw(conditions(depth - 1)), draw(conditions(depth - 1))
    if shape == "not":
        return f"!({left[0]})", f"(not ({left[1]}))"
    op = {"and": "&&", "or": "||"}[shape]
    return f"({left[0]}) {op} ({right[0]})", f"(({left[1]}) {shape} ({right[1]}))"


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int) -> int:
    return a - b * quotient(a, b)


assignments = st.fixed_dictionaries({name: st.integers(*ir.int_range(type_)) for name, type_ in NAMES.items()})


@settings(max_examples=300, deadline=None)
@given(sums() | conditions(), assignments)
def test_expressions_mean_what_python_says(texts: tuple[str, str], values: dict[str, int]) -> None:
    annotation, python = texts
    assume("/ (0)" not in annotation and "% (0)" not in annotation)
    try:
        expected = eval(python, {"quotient": quotient, "remainder": remainder, "min": min, "max": max, **values})
        term = condition_of(annotation, NAMES)
        assert t.evaluate(term, values) == int(expected)
    except (ZeroDivisionError, t.Undefined):
        assume(False)
    except Exception as error:
        assume("division by zero" not in str(error))
        raise


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="extnaumilgr(x)[]=<>&|!;,. 0123456789+-*/%\n\"'\t§", max_size=60))
def test_no_text_crashes(text: str) -> None:
    found, errors = facts_of(text, HERE, PARAMS)
    assert all(fact.span is not None and fact.span.line >= 7 for fact in found)
    assert all(error.line >= 7 and error.column >= 1 for error in errors)
