"""Launches are drawn inside the contract, also where its facts are equations between inputs."""

from __future__ import annotations

from dataclasses import replace

from cudalint.contract import Assume, Binding, Chosen, Contract, Extent, Fact, Geometry, Origin
from cudalint.engine.draws import RESIDENT_THREADS, draws
from cudalint.ir import INT32
from cudalint.term import add, at_most, ceil_quotient, equal, multiply, number, quotient, subtract, symbol
from tests.confirm import emulate_build as k

WIDTH, WINDOW, STEP = (symbol(f"slide:{name}", 1, 1 << 20) for name in ("width", "window", "step"))
OUT = symbol("slide:out", 1, 1 << 20)
KERNEL = k.function("slide", (k.pointer("y", INT32), k.var("out")), ())


def contract(*conditions: Assume) -> Contract:
    one = number(1)
    facts = (
        Geometry((ceil_quotient(OUT, number(64)), one, one), (number(64), one, one), number(0)),
        Extent("y", OUT),
        Binding("out", OUT),
        *conditions,
    )
    return Contract("slide", tuple(Fact(what, Origin.LAUNCH, str(what)) for what in facts))


COUNT = Assume(equal(OUT, add(quotient(subtract(WIDTH, WINDOW), STEP), number(1))))
FITS = Assume(at_most(WINDOW, WIDTH))


def test_inputs_that_an_equation_gives_are_worked_out() -> None:
    drawn = list(draws(KERNEL, contract(COUNT, FITS), 0, 8))
    assert len(drawn) == 8
    for draw in drawn:
        v = draw.values
        assert v["slide:out"] == (v["slide:width"] - v["slide:window"]) // v["slide:step"] + 1
        assert draw.shape.grid[0] == -(-v["slide:out"] // 64)
        assert v["out"] == v["slide:out"], "the kernel gets what the launch passes"


def test_a_value_that_has_only_a_name_is_what_the_host_computes() -> None:
    computed = contract(Chosen(OUT, add(multiply(number(3), WIDTH), symbol("~slide:lost", 1, 9))))  # type: ignore[arg-type]
    drawn = list(draws(KERNEL, replace(computed, facts=(*computed.facts, *contract(FITS).facts[3:])), 0, 8))
    assert len(drawn) == 8
    assert all(draw.values["out"] == 3 * draw.values["slide:width"] + 1 for draw in drawn)


def test_inputs_can_be_fixed_or_made_equal() -> None:
    fixed = {"slide:step": 1, "slide:window": "slide:width"}
    for draw in draws(KERNEL, contract(COUNT, FITS), 0, 4, fixed):
        assert draw.values["slide:step"] == 1
        assert draw.values["slide:window"] == draw.values["slide:width"]
        assert draw.values["slide:out"] == 1


def test_launches_above_the_limit_of_threads_are_left_out() -> None:
    drawn = list(draws(KERNEL, contract(Assume(at_most(number(40), OUT))), 0, 8, most_threads=128))
    assert drawn and all(d.shape.grid[0] * 64 <= 128 for d in drawn)


def test_the_blocks_of_a_drawn_cooperative_launch_fit_a_small_device() -> None:
    one, given = number(1), contract(Assume(at_most(number(RESIDENT_THREADS // 64 + 1), OUT)))
    together = Geometry((OUT, one, one), (number(64), one, one), number(0), cooperative=True)
    facts = (Fact(together, Origin.LAUNCH, "cooperative"), *given.facts[1:])
    assert list(draws(KERNEL, given, 0, 2)), "plain launches have as many"
    assert not list(draws(KERNEL, Contract("slide", facts), 0, 2))


def test_a_contract_that_nothing_fulfils_gives_no_launch() -> None:
    assert not list(draws(KERNEL, contract(Assume(equal(multiply(OUT, OUT), number(2)))), 0, 2))


def test_many_sizes_that_are_multiplied_are_drawn_from_the_smallest() -> None:
    sides = [symbol(f"box:side{place}", 1, 1 << 20) for place in range(9)]
    volume = sides[0]
    for side in sides[1:]:
        volume = multiply(volume, side)
    drawn = list(
        draws(
            KERNEL, contract(Assume(equal(OUT, volume)), Assume(at_most(number(2), sides[8]))), 0, 2, most_threads=512
        )
    )
    assert drawn and all(d.values["slide:out"] <= 512 and d.values["box:side8"] >= 2 for d in drawn)
