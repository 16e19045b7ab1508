"""Records of shared memory and barriers, and what they show; no GPU and no CuPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cudalint.confirm.gpu import prelude, shadow
from cudalint.confirm.gpu.instrumented import run_instrumented
from cudalint.confirm.gpu.results import judge
from tests.confirm.fake_device import LINE, FakeDevice, make_plan

FULL = 0xFFFFFFFF


def records(*rows: tuple[int, int, int, int, int]) -> Any:
    """(site, address, kind, thread, interval)"""
    table = np.zeros(len(rows), dtype=prelude.RECORD)
    for row, (site, address, kind, thread, interval) in zip(table, rows):
        row["site"], row["address"], row["kind"], row["thread"], row["interval"] = site, address, kind, thread, interval
        row["size"] = 4
    return table


def test_a_write_and_a_read_of_two_threads_in_one_interval_race() -> None:
    (found,) = shadow.races(records((0, 16, prelude.WRITE, 0, 1), (1, 16, prelude.READ, 1, 1)))
    assert (found.sites, found.threads, found.address) == ((0, 1), (0, 1), 16)


@pytest.mark.parametrize(
    "rows",
    [
        [(0, 16, prelude.WRITE, 0, 1), (1, 16, prelude.READ, 1, 2)],
        [(0, 16, prelude.WRITE, 0, 1), (1, 20, prelude.READ, 1, 1)],
        [(0, 16, prelude.WRITE, 0, 1), (1, 16, prelude.READ, 0, 1)],
        [(0, 16, prelude.READ, 0, 1), (1, 16, prelude.READ, 1, 1)],
        [(0, 16, prelude.ATOMIC, 0, 1), (1, 16, prelude.ATOMIC, 1, 1)],
        [],
    ],
)
def test_no_race(rows: list[tuple[int, int, int, int, int]]) -> None:
    assert shadow.races(records(*rows)) == []


@pytest.mark.parametrize(
    ("masks", "count"), [((0xFFFF, 0xFFFF0000), 1), ((0x80000001, 0x80000001), 0), ((FULL, FULL), 0)]
)
def test_a_sync_of_some_lanes_orders_those(masks: tuple[int, int], count: int) -> None:
    """Lane 0 writes and lane 31 reads, each on its side of its `__syncwarp`."""
    rows = [(0, 16, prelude.WRITE, 0, 1), (1, masks[0], prelude.MEET, 0, 1)]
    table = records(*rows, (1, masks[1], prelude.MEET, 31, 1), (2, 16, prelude.READ, 31, 1))
    table["flags"] = [0, prelude.SYNC, prelude.SYNC, 0]
    table["phase"] = [0, 0, 0, 1]
    assert len(shadow.races(table)) == count


def test_an_atomic_races_with_a_plain_access() -> None:
    assert shadow.races(records((0, 16, prelude.ATOMIC, 0, 1), (1, 16, prelude.READ, 1, 1)))


def test_two_stores_race_unless_they_store_the_same_which_the_records_do_not_say() -> None:
    rows = ((0, 16, prelude.WRITE, 0, 1), (1, 16, prelude.ATOMIC, 1, 1))
    (found,) = shadow.races(records(*rows))
    assert found.kind == "stores"
    conflict = {"kind": "stores", "lines": [LINE], "block": 0, "threads": [0, 1], "address": 16}
    seen = {"instrumented": {"status": "ok", "accesses": [], "conflicts": [conflict]}}
    assert (
        judge(make_plan(expectation={"kinds": ["race"], "lines": [LINE], "blocks": [0]}), seen)["verdict"]
        == "confirmed"
    )
    assert judge(make_plan(expectation={"kinds": ["clean"], "lines": [], "blocks": [0]}), seen)["verdict"] == "clean"


def test_stores_at_two_lines_do_not_hide_that_one_of_them_is_read() -> None:
    table = records((0, 16, prelude.WRITE, 0, 1), (0, 16, prelude.WRITE, 1, 1), (0, 16, prelude.READ, 2, 1))
    assert sorted(conflict.kind for conflict in shadow.races(table)) == ["race", "stores"]


def test_a_wide_access_races_with_the_narrow_ones_that_it_covers() -> None:
    table = records((0, 16, prelude.WRITE, 0, 0), (1, 24, prelude.READ, 1, 0))
    table["size"][0] = 16
    assert len(shadow.races(table)) == 1


def test_syncwarp_orders_the_lanes_of_a_warp_only() -> None:
    table = records((0, 16, prelude.WRITE, 0, 0), (1, 16, prelude.READ, 1, 0))
    table["phase"][1] = 1
    assert shadow.races(table) == []
    table["thread"][1] = 40
    assert len(shadow.races(table)) == 1


def test_a_warp_that_stores_again_before_its_next_barrier_races_with_its_readers() -> None:
    rounds = [
        row
        for k in range(6)
        for row in ((0, 16, prelude.WRITE, 0, 0), (1, 16, prelude.READ, 1, 0))  # one barrier stands between the two
    ]
    table = records(*rounds)
    table["phase"] = [k + late for k in range(6) for late in (0, 1)]
    assert [(c.sites, sorted(c.threads)) for c in shadow.races(table)] == [((0, 1), [0, 1])]
    table["phase"] = [2 * k + late for k in range(6) for late in (0, 1)]  # and one at the end of each round
    assert shadow.races(table) == []


def test_what_is_read_before_anybody_of_the_block_has_written_it_is_not_set() -> None:
    table = records((0, 16, prelude.WRITE, 0, 0), (1, 16, prelude.READ, 1, 1), (1, 20, prelude.READ, 1, 1))
    assert [(c.kind, c.sites, c.address) for c in shadow.unset(table)] == [("uninitialised", (1,), 20)]
    later = records((1, 16, prelude.READ, 1, 0), (0, 16, prelude.WRITE, 0, 1))
    assert [c.sites for c in shadow.unset(later)] == [(1,)]


@pytest.mark.parametrize("kind", [prelude.ATOMIC, prelude.BOTH])
def test_what_changes_an_element_reads_it_and_sets_it_for_others(kind: int) -> None:
    counted = records((0, 16, kind, 0, 0), (1, 16, prelude.READ, 1, 1))
    assert [(c.kind, c.sites) for c in shadow.unset(counted)] == [("uninitialised", (0,))]
    cleared = records((0, 16, prelude.WRITE, 0, 0), (1, 16, kind, 1, 1), (2, 16, prelude.READ, 0, 2))
    assert shadow.unset(cleared) == []


def test_barriers() -> None:
    together = records((0, 0, prelude.BARRIER, 0, 0), (0, 0, prelude.BARRIER, 1, 0))
    assert shadow.divergences(together, 2) == []
    (skipped,) = shadow.divergences(together[:1], 2)
    assert (skipped.kind, skipped.threads) == ("divergence", (0, 1))
    (exited,) = shadow.divergences(records((0, 0, prelude.BARRIER, 0, 0), (5, 0, prelude.LEAVE, 1, 0)), 2)
    assert exited.kind == "exit_before_barrier"
    (two,) = shadow.divergences(records((0, 0, prelude.BARRIER, 0, 0), (1, 0, prelude.BARRIER, 1, 0)), 2)
    assert (two.kind, two.sites) == ("divergence", (0, 1))


def test_an_instrumented_run_reads_the_records_of_the_device() -> None:
    def races_on_a_cell(device: FakeDevice, args: list[bytes]) -> None:
        state = device.shared_state()
        table = records((0, 16, prelude.WRITE, 0, 0), (1, 16, prelude.READ, 1, 0))
        device.write(int(state["records"]), table.tobytes())
        device.write(int(state["record_count"]), (2).to_bytes(4, "little"))

    copy = {"text": "race", "sites": [LINE, ["k.cu", 5]], "races": True}
    plan = make_plan(
        slice={"text": "", "name": "k", "instrumented": copy},
        launch={"grid": [300, 1, 1], "block": [32, 1, 1], "shared": 0},
        expectation={"kinds": ["race"], "lines": [LINE, ["k.cu", 5]], "blocks": [3]},
    )
    seen = run_instrumented(FakeDevice({"race": races_on_a_cell}), plan)
    assert seen["conflicts"] == [
        {"kind": "race", "lines": [LINE, ["k.cu", 5]], "block": 3, "threads": [0, 1], "address": 16}
    ]
    assert judge(plan, {"instrumented": {"status": "ok", **seen}})["verdict"] == "confirmed"


def test_the_layouts_of_the_shared_state_are_those_of_the_device_text() -> None:
    sizes = (prelude.REGION.itemsize, prelude.EVENT.itemsize, prelude.RECORD.itemsize, prelude.STATE.itemsize)
    assert sizes == (32, 56, 32, 152)
