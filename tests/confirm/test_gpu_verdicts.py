"""What is observed of a plan on a device of NumPy becomes a verdict; no GPU and no CuPy."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cudalint.confirm.gpu.guard import BAND, POISONS
from cudalint.confirm.gpu.memory import DeviceError
from cudalint.confirm.gpu.plan_file import canonical
from cudalint.confirm.gpu.results import judge, result
from cudalint.confirm.gpu.trial import run_plain
from tests.confirm.fake_device import LINE, FakeDevice, make_plan, observed, pointer, stays_inside


@pytest.mark.parametrize(
    ("plain", "instrumented", "verdict", "by"),
    [
        ("inside", None, "clean", None),
        ("write", None, "confirmed", "guard bands"),
        ("read", None, "confirmed", "poison"),
        ("fault", None, "confirmed", "driver"),
        ("inside", "event", "confirmed", "instrumented"),
        ("write", "nothing", "fault", "guard bands"),
        ("inside", "nothing", "clean", None),
    ],
)
def test_verdicts(plain: str, instrumented: str | None, verdict: str, by: str | None) -> None:
    judged = judge(*observed(plain, instrumented))
    assert (judged["verdict"], judged["by"]) == (verdict, by)


CLEAN = {"expectation": {"kinds": ["clean"], "lines": [], "blocks": [0]}}


@pytest.mark.parametrize("plain", ["write", "read", "fault"])
def test_a_clean_plan_that_shows_something_is_a_fault(plain: str) -> None:
    assert judge(*observed(plain, **CLEAN))["verdict"] == "fault"
    assert judge(*observed("inside", **CLEAN))["verdict"] == "clean"


def test_an_access_at_another_line_is_another_fault() -> None:
    elsewhere = {"kinds": ["out_of_bounds"], "lines": [["k.cu", 9]], "blocks": [0]}
    assert judge(*observed("inside", "event", expectation=elsewhere))["verdict"] == "fault"


@pytest.mark.parametrize(("plain", "verdict"), [("write", "confirmed"), ("inside", "error")])
def test_what_the_code_of_a_library_does_is_named_by_no_site(plain: str, verdict: str) -> None:
    """Guard bands show it, though without its line; where they show nothing, nothing was refuted."""
    inside = {"kinds": ["out_of_bounds"], "lines": [["k.cu", 30]], "blocks": [0]}
    judged = judge(*observed(plain, "nothing", expectation=inside))
    assert judged["verdict"] == verdict
    assert (judged["error"] == "not_instrumented") is (verdict == "error")


@pytest.mark.parametrize(
    ("expected", "guarded", "verdict"),
    [
        ("clean", [], "fault"),
        ("clean", [LINE], "clean"),
        ("clean", [["k.cu", 9]], "fault"),
        ("warp_mask", [LINE], "confirmed"),
    ],
)
def test_a_lane_that_is_not_there_counts_where_the_result_is_read(
    expected: str, guarded: list[Any], verdict: str
) -> None:
    lines = [] if expected == "clean" else [LINE]
    plan = make_plan(expectation={"kinds": [expected], "lines": lines, "blocks": [0], "guarded": guarded})
    asked = {"kind": "absent_lane", "lines": [LINE], "block": 0, "threads": [3, 4], "address": 0}
    ran = {"status": "ok", "accesses": [], "conflicts": [asked], "truncated": False}
    assert judge(plan, {"instrumented": ran, "plain": {"status": "ok", "runs": []}})["verdict"] == verdict


@pytest.mark.parametrize(("line", "verdict"), [(LINE, "confirmed"), (["k.cu", 9], "fault")])
def test_a_read_that_overtakes_the_first_store_shows_the_race(line: list[Any], verdict: str) -> None:
    """Which side comes first is chance; where it is the reader, the copy sees memory that nobody has written yet."""
    plan = make_plan(expectation={"kinds": ["race"], "lines": [LINE], "blocks": [0]})
    asked = {"kind": "uninitialised", "lines": [line], "block": 0, "threads": [64], "address": 0}
    ran = {"status": "ok", "accesses": [], "conflicts": [asked], "truncated": False}
    assert judge(plan, {"instrumented": ran, "plain": {"status": "ok", "runs": []}})["verdict"] == verdict


def test_the_detail_names_the_access() -> None:
    plan, observations = observed("inside", "event")
    outcome = result(plan, observations, {"gpu": "none"})
    assert outcome["detail"] == ("out_of_bounds: block (0,0,0) thread (5,0,0) goes to byte 20 of `x`, 4 bytes (k.cu:4)")
    assert json.loads(canonical(outcome))["schema"] == "cudalint-results/1"


def test_a_time_limit_and_an_unknown_error_are_no_evidence() -> None:
    plan = make_plan()
    assert judge(plan, {"plain": {"status": "timeout"}})["verdict"] == "timeout"
    failed = judge(plan, {"plain": {"status": "error", "error": "compile", "message": "no such type"}})
    assert (failed["verdict"], failed["error"]) == ("error", "compile")


def test_a_plan_beyond_the_memory_limit_says_what_it_needs() -> None:
    with pytest.raises(DeviceError, match=r"needs .* bytes of device memory"):
        run_plain(FakeDevice({"plain": stays_inside}), make_plan(), limit=BAND)


def test_poisons_surround_the_data_of_every_run() -> None:
    seen: list[bytes] = []

    def look(device: FakeDevice, args: list[bytes]) -> None:
        seen.append(device.read(pointer(args) - 1, 1) + device.read(pointer(args) + 20, 1))

    run_plain(FakeDevice({"plain": look}), make_plan())
    assert seen == [bytes([poison, poison]) for poison in POISONS]
