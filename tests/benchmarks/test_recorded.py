"""A contract against recorded launches of a made-up kernel `scale(float *x, int n)`: what counts as checked and as wrong."""

from __future__ import annotations

import pytest

from cudalint import ir
from cudalint.contract import Assume, Binding, Contract, Extent, Fact, Geometry, Origin, What
from cudalint.finding import LaunchSite
from cudalint.source import Span
from cudalint.term import Term, ceil_quotient, less, multiply, number, scale, symbol
from tests.benchmarks.recorded_facts import Kind, best_outcome
from tests.benchmarks.recorded_launches import Launch, Memory, Stated, spelled_kernel

HERE = Span("a.cu", 1, 1, 1, 1)
KERNEL = ir.Function(
    "scale",
    "scale",
    ir.Role.KERNEL,
    (),
    (ir.Param(ir.Var("x", ir.Pointer(ir.F32)), HERE), ir.Param(ir.Var("n", ir.INT32), HERE)),
    ir.VOID,
    (),
    HERE,
)
COUNT = symbol("main:count", 0, 1 << 20)
ROWS, COLUMNS = symbol("main:rows", 0, 1 << 20), symbol("main:columns", 0, 1 << 20)


def contract(grid: Term, *facts: What, line: int = 40) -> Stated:
    geometry = Geometry((grid, number(1), number(1)), (number(256), number(1), number(1)))
    all_facts = tuple(Fact(what, Origin.LAUNCH, "") for what in (geometry, *facts))
    return Stated(KERNEL, Contract("scale", all_facts, LaunchSite("a.cu", line, "main")), "a.cu", line)


def launch(blocks: int, n: int, floats: int, line: int = 40) -> Launch:
    memory = {(0, 0): Memory(0, 0, 4 * floats, "device")}
    params = (bytes(8), n.to_bytes(4, "little"))
    return Launch("scale(float*, int)", "launch", (blocks, 1, 1), (256, 1, 1), 0, params, memory, (("a.cu", line),), {})


def kinds(stated: Stated, recorded: Launch) -> dict[str, Kind]:
    outcome = best_outcome(recorded, [stated])
    assert outcome is not None
    return {claim.subject: claim.kind for claim in outcome.claims}


def test_a_parameter_names_the_host_value_that_the_others_are_checked_with() -> None:
    stated = contract(
        ceil_quotient(COUNT, number(256)),
        Binding("n", COUNT),
        Extent("x", scale(COUNT, 4), "bytes"),
        Assume(less(number(0), COUNT)),
    )
    found = kinds(stated, launch(4, 1000, 1000))
    assert (found["n"], found["grid.x"], found["extent of x"], found["condition"]) == (Kind.NAMES, *[Kind.CHECKED] * 3)


@pytest.mark.parametrize(("blocks", "floats", "wrong"), [(5, 1000, "grid.x"), (4, 999, "extent of x"), (4, 2000, None)])
def test_reality_contradicts_another_grid_and_less_memory_but_not_more(
    blocks: int, floats: int, wrong: str | None
) -> None:
    stated = contract(ceil_quotient(COUNT, number(256)), Binding("n", COUNT), Extent("x", COUNT))
    found = kinds(stated, launch(blocks, 1000, floats))
    assert [subject for subject, kind in found.items() if kind is Kind.CONTRADICTED] == ([wrong] if wrong else [])


def test_values_that_nothing_fixes_are_open_and_have_to_fit_together() -> None:
    area = Binding("n", multiply(ROWS, COLUMNS))
    assert kinds(contract(ROWS, area), launch(6, 30, 1))["n"] is Kind.NAMES  # the grid fixes the rows, so n the columns
    open_ = contract(number(6), area, Assume(less(ROWS, COLUMNS)))
    assert kinds(open_, launch(6, 30, 1))["condition"] is Kind.OPEN
    impossible = contract(number(6), Assume(less(ROWS, COLUMNS)), Assume(less(COLUMNS, ROWS)))
    assert Kind.CONTRADICTED in kinds(impossible, launch(6, 30, 1)).values()


def test_a_constant_that_is_none_is_contradicted() -> None:
    assert kinds(contract(number(1), Binding("n", number(32))), launch(8, 256, 1))["n"] is Kind.CONTRADICTED


def test_the_contract_of_the_nearest_place_before_the_launch_counts() -> None:
    one, other = contract(number(1), line=40), contract(number(2), line=44)
    for line, blocks in ((40, 1), (43, 1), (44, 2), (46, 2)):
        outcome = best_outcome(launch(blocks, 1, 1, line), [one, other])
        assert outcome is not None and not outcome.contradicted()
    assert best_outcome(launch(1, 1, 1, 20), [one, other]) is None


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("scale(float*, int)", "scale", ()),
        ("void scale<float, 4>(float*, int)", "scale", ("float", "4")),
        ("void (anonymous namespace)::scale<(bool)1, 32u>(int)", "scale", ("1", "32")),
        ("void a::b<c<int, 2>, unsigned int>(d<int>)", "b", ("c<int,2", "unsignedint")),
    ],
)
def test_kernels_as_the_compiler_spells_them(text: str, name: str, arguments: tuple[str, ...]) -> None:
    found = spelled_kernel(text)
    assert found[0] == name
    assert [a.rstrip(">") for a in found[1]] == list(arguments)
