"""What a launch's buffers hold keeps what the annotations promise, for every element and seed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cudalint.confirm.emulate.run import Buffer, PointerTo
from cudalint.confirm.gpu.plan_file import buffer_bytes, plan_paths
from cudalint.confirm.inputs import PIECE, contents, different
from cudalint.confirm.plan import CannotPlan, Expectation, Plan, make_plan
from cudalint.contract import (
    Alias,
    Binding,
    Contract,
    Distinct,
    ElementValues,
    Extent,
    Fact,
    Geometry,
    Held,
    Initial,
    Origin,
    Values,
    What,
)
from cudalint.engine import ScanOptions, scan
from cudalint.engine.draws import draws
from cudalint.engine.plans import raise_if_values_differ
from cudalint.finding import LaunchShape, ScanResult
from cudalint.ir import INT32, Bool, Float, Int, Struct, StructField
from cudalint.symbolic.walk.parameters import parameter_symbol
from cudalint.term import Term, add, ceil_quotient, equal, number, remainder, scale, symbol
from tests.confirm import emulate_build as k

FIXTURES = Path(__file__).parents[2] / "fixtures"
SEEDS = (1, 2, 3, 11)
HOST_N, HOST_M = symbol("run:n", 1, 1 << 30), symbol("run:m", 1, 1 << 30)
N, M = parameter_symbol("n", INT32), parameter_symbol("m", INT32)
KERNEL = k.function("scatter", (k.pointer("at", INT32), k.var("n"), k.var("m")), ())


def contract(*promises: Any, n: Term = HOST_N, m: Term = HOST_M) -> Contract:
    one = number(1)
    launched = (
        Geometry((ceil_quotient(HOST_N, number(256)), one, one), (number(256), one, one), number(0)),
        Extent("at", HOST_N),
        Binding("n", n),
        Binding("m", m),
    )
    return Contract("scatter", tuple(Fact(what, Origin.LAUNCH, str(what)) for what in (*promises, *launched)))


def plans(given: Contract) -> Iterator[tuple[Plan, int]]:
    """Drawn launches as plans, each with the `m` that the kernel gets."""
    for seed in SEEDS:
        for draw in draws(KERNEL, given, seed, 3):
            made = make_plan(KERNEL, given, draw.shape, draw.values, Expectation(("clean",), ()), seed)
            m: Any = made.launch.args[2]
            yield made, m.value


def elements(plan: Plan) -> np.ndarray:
    (at,) = plan.buffers
    assert at.data is not None
    return at.data.view(np.int32)


def test_values_lie_below_the_argument_that_is_passed() -> None:
    found = list(plans(contract(Values("at", number(0), M))))
    assert len(found) >= 8
    assert all(((elements(plan) >= 0) & (elements(plan) < m)).all() for plan, m in found)


def test_a_bound_parameter_is_what_the_launch_makes_of_it() -> None:
    found = list(plans(contract(Values("at", number(0), M), m=add(HOST_M, number(5)))))
    assert len(found) >= 8 and all(m > 5 and (elements(plan) < m).all() for plan, m in found)


def test_each_element_lies_in_its_own_range() -> None:
    index = symbol("index", 0, None)
    even = equal(remainder(index, number(2)), number(0))
    found = list(plans(contract(ElementValues("at", index, scale(index, 10), add(scale(index, 10), M), even))))
    assert len(found) >= 8
    for plan, m in found:
        offsets = elements(plan)[::2] - 20 * np.arange(len(elements(plan)[::2]))
        assert (offsets >= 0).all() and (offsets < m).all() and (m == 1 or len(offsets) < 8 or offsets.any())


@pytest.mark.parametrize(("distance", "buffers"), [(number(0), ["x", "x"]), (None, ["x", "y"])])
def test_pointers_that_are_the_same_point_into_one_buffer(distance: Term | None, buffers: list[str]) -> None:
    kernel = k.function("copy", (k.pointer("x", INT32), k.pointer("y", INT32)), ())
    facts = (Extent("x", number(8)), Extent("y", number(8)), Alias("x", "y", distance))
    given = Contract("copy", tuple(Fact(what, Origin.LAUNCH, str(what)) for what in facts))
    plan = make_plan(kernel, given, LaunchShape((1, 1, 1), (8, 1, 1)), {}, Expectation((), ()), 0)
    assert [argument.buffer for argument in plan.launch.args if isinstance(argument, PointerTo)] == buffers


def test_the_witness_gives_way_to_the_binding() -> None:
    given = contract(Values("at", number(0), M))
    values = {"run:n": 100, "run:m": 4, "m": 8, "n": 100}
    plan = make_plan(KERNEL, given, LaunchShape((1, 1, 1), (256, 1, 1)), values, Expectation((), ()), 0)
    assert set(elements(plan)) == {0, 1, 2, 3}


@pytest.mark.parametrize(
    "filled",
    [Initial("at", 7), Held("at", symbol("index", 0, None), number(7), HOST_N)],
    ids=["promised", "by the host"],
)
def test_memory_that_is_filled_with_a_number_holds_it(filled: What) -> None:
    found = list(plans(contract(filled)))
    assert len(found) >= 8 and all(set(elements(plan)) == {7} for plan, _ in found)


def test_what_the_host_gives_a_kernel_to_read_is_drawn() -> None:
    """A program fills its inputs with what comes to hand; what it gives a kernel to count on with means something."""
    read = replace(KERNEL, params=(replace(KERNEL.params[0], const=True), *KERNEL.params[1:]))
    given = contract(Held("at", symbol("index", 0, None), number(0), HOST_N))
    shape, values = LaunchShape((1, 1, 1), (256, 1, 1)), {"run:n": 100, "run:m": 4}
    assert set(elements(make_plan(read, given, shape, values, Expectation((), ()), 0))) != {0}


def test_memory_that_is_filled_with_numbers_of_its_places_is_drawn() -> None:
    index = symbol("index", 0, None)
    found = list(plans(contract(Held("at", index, scale(index, 2), HOST_N))))
    assert len(found) >= 8 and any(len(set(elements(plan))) > 1 for plan, _ in found)


def test_distinct_values_come_once_and_in_range() -> None:
    found = list(plans(contract(Values("at", number(0), M), Distinct("at"))))
    assert len(found) >= 8
    for plan, m in found:
        held = elements(plan)
        assert len(set(held)) == len(held) and held.min() >= 0 and held.max() < m


def test_only_the_exempt_value_repeats() -> None:
    held = different("at", INT32, 400, (0, 60), -1, 3).data
    assert held is not None
    values = held.view(np.int32)
    assert sorted(values[values >= 0]) == list(range(60)) and (values == -1).sum() == 40


def test_more_different_values_than_there_are_cannot_be_planned() -> None:
    given = contract(Values("at", number(0), M), Distinct("at"))
    shape = LaunchShape((1, 1, 1), (256, 1, 1))
    with pytest.raises(CannotPlan, match="5 different values"):
        make_plan(KERNEL, given, shape, {"run:n": 5, "run:m": 4}, Expectation((), ()), 0)


def test_different_values_of_a_range_of_addresses_cannot_be_planned_for_a_gpu() -> None:
    """No small piece of memory can stand for them; where one value may lie everywhere, it can."""
    shape, values = LaunchShape((1, 1, 1), (256, 1, 1)), {"run:n": 1 << 30, "run:m": 1 << 31}
    free = make_plan(KERNEL, contract(), shape, values, Expectation((), ()), 0)
    raise_if_values_differ(free, KERNEL, contract())
    given = contract(Distinct("at"))
    with pytest.raises(CannotPlan, match="`at` has to hold values that differ, in 4294967296 bytes"):
        raise_if_values_differ(make_plan(KERNEL, given, shape, values, Expectation((), ()), 0), KERNEL, given)


@pytest.mark.parametrize("name", ["ok_scatter_with_known_values", "ok_update_through_index"])
def test_plan_files_of_fixtures_hold_indices_in_range(name: str, tmp_path: Path) -> None:
    for seed in SEEDS[:2]:
        for plan in planned(FIXTURES / "SYN102-global-race" / f"{name}.cu", tmp_path, seed):
            data = buffer_bytes(plan["buffers"][0], plan["seed"])
            indices = np.frombuffer(data or bytes(plan["buffers"][0]["size"]), np.int32)
            assert indices.min() >= 0 and indices.max() < plan["args"][-1]["value"]
            assert name == "ok_scatter_with_known_values" or len(set(indices)) == len(indices)


OUTPUT = """// cudalint: extent(x) = n ; extent(y) = n ; output(y) ; assume 0 < n <= 4096
__global__ void k(const float* x, float* y, int n) {{
    int i = blockIdx.x * 64 + threadIdx.x;
    {guard} y[i] {operator} x[i];
}}
void run(const float* x, float* y, int n) {{ k<<<(n + 63) / 64, 64>>>(x, y, n); }}
"""


@pytest.mark.parametrize(("operator", "whole"), [("=", True), ("+=", False)])
def test_an_output_that_is_only_stored_to_has_to_be_written_as_a_whole(
    operator: str, whole: bool, tmp_path: Path
) -> None:
    """What is read, too, keeps its contents: a poison in it would change the result."""
    source = tmp_path / "k.cu"
    source.write_text(OUTPUT.format(guard="if (i < n)", operator=operator))
    for plan in planned(source, tmp_path / "plans", 0):
        assert [name.split(":")[-1] for name in plan["expectation"].get("written", [])] == (["y"] if whole else [])


def planned(path: Path, folder: Path, seed: int) -> list[dict[str, Any]]:
    told(path, folder / str(seed), seed)
    found = [json.loads(file.read_bytes()) for file in plan_paths(folder / str(seed))]
    assert found
    return found


def told(path: Path, folder: Path, seed: int = 0) -> ScanResult:
    return scan(
        ScanOptions(
            paths=(str(path),), project_root=str(FIXTURES), plan_dir=str(folder), confirm="off", jobs=1, seed=seed
        )
    )


def test_no_clean_launch_where_races_are_undecided(tmp_path: Path) -> None:
    found = told(FIXTURES / "SYN101-shared-race" / "limit_scatter_contents.cu", tmp_path)
    assert not plan_paths(tmp_path) and any("undecided" in note.text for note in found.notes)


def test_a_divergence_may_be_seen_at_each_barrier_that_it_concerns(tmp_path: Path) -> None:
    path = FIXTURES / "SYN201-barrier-divergence" / "bad_rows_of_uneven_loops.cu"
    lines = [{line for _, line in plan["expectation"]["lines"]} for plan in planned(path, tmp_path, 0)]
    assert lines == [{10, 12}]  # the findings of both lines share a fingerprint, a witness and so a plan


def test_memory_of_no_bytes_holds_no_structures() -> None:
    element = Struct("Node", 4, 4, (StructField("key", 0, INT32),))
    held = contents("nodes", element, 0, None, seed=1)
    assert held.data is not None and len(held.data) == 0


def test_the_bytes_of_a_seed_do_not_depend_on_how_many_are_drawn() -> None:
    count = 3 * PIECE + 5
    for element in (INT32, Int(8, True), Int(64, False), Float("bf16"), Float("f16"), Float("f64")):
        for bounds in (None, (0, 100)):
            few, many = (contents("x", element, 8 * n, bounds, 3).data for n in (count // 2, count))
            assert few is not None and many is not None
            assert np.array_equal(many[: len(few)], few), (element, bounds)
    assert _digest(contents("x", Float("bf16"), 8 * count, None, 3)) == "77bc647d"
    assert _digest(contents("x", INT32, 8 * count, (0, 100), 3)) == "ded1d7d8"


def _digest(buffer: Buffer) -> str:
    assert buffer.data is not None
    return blake2b(buffer.data.tobytes(), digest_size=4).hexdigest()


@pytest.mark.parametrize("seed", SEEDS)
def test_truths_are_either(seed: int) -> None:
    """What stands behind a mask of truths is run, and so is what stands beside it."""
    held = contents("mask", Bool(), 64, None, seed).data
    assert held is not None and set(held.tolist()) == {0, 1}


@pytest.mark.parametrize("signed", [True, False])
def test_integers_of_128_bits_are_small_numbers_with_an_upper_half(signed: bool) -> None:
    buffer = contents("x", Int(128, signed), 64, (-2 if signed else 0, 8), 1)
    assert buffer.data is not None
    halves = buffer.data.view("<i8").reshape(-1, 2)
    assert len(halves) == 4 and all(high == (-1 if low < 0 else 0) for low, high in halves.tolist())
