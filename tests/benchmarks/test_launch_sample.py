"""The draw of launches is reproducible and even; the comparison tells right, wrong, stronger and omitted facts apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.contract import Alias, Assume, Binding, Contract, Extent, Fact, Geometry, Missing, Nullable, Origin, What
from cudalint.term import FALSE, Term, add, at_most, disjunction, equal, multiply, number, quotient, subtract, symbol
from tests.benchmarks.launch_expressions import Undefined, drawn_values, equation, formula
from tests.benchmarks.launch_facts import Expected, Verdict, judge
from tests.benchmarks.launch_sample import (
    EACH,
    EXPECTED,
    REPOSITORIES,
    SAMPLE,
    drawn,
    launches_in,
    page,
    read_expected,
    read_sample,
)

N, ONE = symbol("main:n", 0, (1 << 31) - 1), number(1)
BLOCKS = quotient(subtract(N, number(-255)), number(256))


def contract(*whats: What, missing: tuple[Missing, ...] = (), grid: Term = BLOCKS) -> Contract:
    launch = Geometry((grid, ONE, ONE), (number(256), ONE, ONE), number(0))
    facts = tuple(Fact(what, Origin.LAUNCH, "as written") for what in (launch, *whats))
    return Contract("k", facts, None, missing)


GRID = [Expected("grid.x", "geometry", "ceil_div(n, 256)"), Expected("block.x", "geometry", "256")]


def verdicts(rows: list[Expected], *contracts: Contract) -> dict[str, Verdict]:
    """The verdict on each subject; a condition's is that of `-`."""
    found: dict[str, Verdict] = {}
    for judged in judge(rows, contracts):
        found[judged.subject] = max(judged.verdict, found.get(judged.subject, Verdict.RIGHT))
    return found


# --- drawing -----------------------------------------------------------------------------------------------------------


def test_the_draw_depends_on_the_launches_and_the_name_alone() -> None:
    launches = [(f"{i % 7}.cu", i, f"k{i}") for i in range(100)]
    assert drawn("a", "c", launches) == drawn("a", "c", launches[::-1])
    assert [each.line for each in drawn("a", "c", launches)] != [each.line for each in drawn("b", "c", launches)]
    assert len(set(drawn("a", "c", launches))) == EACH


def test_every_spelling_of_a_launch_can_be_drawn(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(
        "__global__ void k(int n) {}\n"
        "void f(void **args) {\n"
        "  k<<<1, 2>>>(3);\n"
        "  cudaLaunchKernel((const void *)k, 1, 2, args, 0, 0);\n"
        "  cudaLaunchKernelEx(&config, k, 3);\n"
        "  // k<<<1, 2>>>(4);\n"
        "}\n"
        "template <class K> void ggml_cuda_kernel_launch(K kernel, int n);\n"
    )
    (tmp_path / "b.py").write_text("source = r'''\n__global__ void q() {}\nvoid g() {\n  q<<<1, 1>>>();\n}\n'''\n")
    found = sorted(launches_in(tmp_path))
    assert found == [("a.cu", 3, "k"), ("a.cu", 4, "k"), ("a.cu", 5, "k"), ("b.py", 4, "q")]


def test_the_committed_sample_is_even_and_its_facts_can_be_read() -> None:
    sample = read_sample(SAMPLE.read_text(encoding="utf-8"))
    assert {name: sum(each.repository == name for each in sample) for name in REPOSITORIES} == dict.fromkeys(
        REPOSITORIES, EACH
    )
    expected = read_expected(EXPECTED.read_text(encoding="utf-8"))
    assert {(each.repository, each.path, each.line) for each in sample} == set(expected)


# --- formulas ----------------------------------------------------------------------------------------------------------


def test_formulas_compute_as_c_does() -> None:
    assert formula("ceil_div(x.size(0), 8) + a[2].b / 3").value({"x.size(0)": 17, "a[2].b": -7}) == 3 - 2
    assert formula("where(p->ne[0] > 4, min(p->ne[0], 6), 1)").value({"p.ne": 9}) == 6
    assert formula("dst->src[0]->ne[2]").names == ("dst.src[2].ne",)
    with pytest.raises(Undefined):
        formula("a / b").value({"a": 1, "b": 0})
    with pytest.raises(ValueError, match="a \\+"):
        formula("a +")


def test_equations_are_solved_for_a_lone_name() -> None:
    solved = equation("4 * n == m")
    assert solved is not None and solved[0] == "m" and solved[1].value({"n": 3}) == 12
    assert equation("n * m == 12 and n > 1") is None and equation("n % 4 == n") is None


def test_drawn_values_are_the_same_every_time() -> None:
    assert list(drawn_values(["a", "b"], ["a < 77"], "s", 50)) == list(drawn_values(["a", "b"], ["a < 77"], "s", 50))


# --- comparing ---------------------------------------------------------------------------------------------------------


def test_equal_facts_are_right_however_they_are_written() -> None:
    rows = [*GRID, Expected("x", "extent", "n * 4"), Expected("n", "value", "n")]
    stated = contract(Extent("x", multiply(number(4), N), "bytes"), Binding("n", N))
    assert set(verdicts(rows, stated).values()) == {Verdict.RIGHT}


def test_a_fact_that_differs_is_wrong() -> None:
    assert verdicts(GRID, contract(grid=quotient(N, number(256))))["grid.x"] is Verdict.WRONG
    rows = [*GRID, Expected("n", "value", "n")]
    assert verdicts(rows, contract(Binding("n", subtract(N, ONE))))["n"] is Verdict.WRONG


def test_more_memory_or_a_condition_that_need_not_hold_is_stronger() -> None:
    rows = [*GRID, Expected("x", "extent", "4 * n")]
    assert verdicts(rows, contract(Extent("x", multiply(number(8), N), "bytes")))["x"] is Verdict.STRONGER
    assert verdicts(rows, contract(Extent("x", multiply(number(2), N), "bytes")))["x"] is Verdict.WRONG
    assert verdicts(GRID, contract(Assume(at_most(N, number(100)))))["-"] is Verdict.STRONGER


def test_a_condition_of_the_code_is_right_and_a_lost_one_omitted() -> None:
    rows = [*GRID, Expected("-", "range", "n <= 100")]
    assert verdicts(rows, contract(Assume(at_most(N, number(100)))))["-"] is Verdict.RIGHT
    assert verdicts(rows, contract())["-"] is Verdict.OMITTED


def test_what_nobody_expected_is_wrong() -> None:
    stated = contract(Binding("m", ONE), Alias("x", "y"), Extent("z", N, "bytes"))
    assert verdicts(GRID, stated) | {"grid.x": Verdict.RIGHT} == {
        **dict.fromkeys(("grid.x", "block.x"), Verdict.RIGHT),
        **dict.fromkeys(("m", "x y", "z"), Verdict.WRONG),
    }


def test_lost_values_and_names_that_callers_fix_are_omitted() -> None:
    lost, free = symbol("~main:m#3"), symbol("f:blocks", 1, 1024)
    assert verdicts(GRID, contract(grid=lost))["grid.x"] is Verdict.OMITTED
    assert verdicts(GRID, contract(grid=free))["grid.x"] is Verdict.OMITTED
    assert set(verdicts(GRID).values()) == {Verdict.OMITTED}


def test_callers_decide_and_null_pointers() -> None:
    rows = [*GRID, Expected("x", "caller", ""), Expected("y", "null", "")]
    decided = (Missing("x", "`x` is a parameter of f", "f"),)
    assert verdicts(rows, contract(Nullable("y", FALSE), missing=decided))["x"] is Verdict.RIGHT
    assert verdicts(rows, contract(Extent("x", N, "bytes")))["x"] is Verdict.STRONGER
    assert verdicts(rows, contract())["y"] is Verdict.OMITTED


def test_each_contract_is_held_against_the_launch_that_it_is_about() -> None:
    rows = [*GRID, Expected("b", "value", "b"), Expected("-", "range", "b == 32 | b == 64")]
    of_32, of_64, of_96 = (contract(Binding("b", number(value))) for value in (32, 64, 96))
    assert verdicts(rows, of_32, of_64)["b"] is Verdict.RIGHT
    assert verdicts(rows, of_32, of_96)["b"] is Verdict.WRONG


def test_conditions_that_equate_names_hold_in_the_values_tried() -> None:
    m = symbol("main:m", 0, (1 << 31) - 1)
    rows = [*GRID, Expected("x", "extent", "4 * m"), Expected("-", "range", "m == n")]
    stated = contract(Extent("x", multiply(number(4), N), "bytes"), Assume(equal(m, N)))
    assert set(verdicts(rows, stated).values()) == {Verdict.RIGHT}


def test_members_go_by_the_name_of_what_has_them() -> None:
    rows = [*GRID, Expected("x", "extent", "4 * in.size(0)"), Expected("in", "name", "given_0.t")]
    sizes = {name: symbol(f"main:{name}", 0, 1 << 20) for name in ("given_0.t.size(0)", "given_0.table.size(0)")}
    stated = {name: contract(Extent("x", multiply(number(4), size), "bytes")) for name, size in sizes.items()}
    assert verdicts(rows, stated["given_0.t.size(0)"])["x"] is Verdict.RIGHT
    assert verdicts(rows, stated["given_0.table.size(0)"])["x"] is Verdict.OMITTED


def test_what_may_be_left_out_is_tried_with_and_without_it() -> None:
    """Conditions on four tensors hold by chance where each is there half the time, and hardly ever otherwise."""
    names = [f"{name}.has_value()" for name in "pqrs"]
    rows = [*GRID, *(Expected("-", "range", f"{name} == 0 or m == n * n * 7919 + 5003") for name in names)]
    m, size = symbol("main:m", 0, (1 << 31) - 1), add(multiply(number(7919), multiply(N, N)), number(5003))
    left_out = [equal(symbol(f"main:{name}", 0, 1), number(0)) for name in names]
    stated = contract(Binding("m", m), *(Assume(disjunction(each, equal(m, size))) for each in left_out))
    assert verdicts([*rows, Expected("m", "value", "m")], stated)["m"] is Verdict.RIGHT


def test_inferred_facts_are_counted_apart() -> None:
    inferred = Fact(Extent("x", N, "bytes"), Origin.INFERRED, "as inferred")
    stated = contract()
    rows = [*GRID, Expected("x", "extent", "4 * n")]
    found = verdicts(rows, Contract("k", (*stated.facts, inferred)))
    assert found["x"] is Verdict.INFERRED


def test_the_page_lists_every_fact_that_is_not_right() -> None:
    launch = read_sample(SAMPLE.read_text(encoding="utf-8"))[0]
    judged = judge([*GRID, Expected("n", "value", "n")], [contract()])
    text = page({launch: judged})
    assert "| all |  | 1 | 1 | 2 | 2 | 0 | 0 | 1 | 0 | 100.0 % |" in text
    assert "- omitted: value n: expected `n`; not stated" in text
