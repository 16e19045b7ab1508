"""Masks and shuffles, of records: who of a warp comes to one place, whom the masks name, which lanes are read."""

from __future__ import annotations

from typing import Any

import numpy as np

from cudalint.confirm.gpu import prelude
from cudalint.confirm.gpu.shadow_warps import meetings

FULL = 0xFFFFFFFF
WARP = 32
Row = tuple[int, int, int, int]


def log(*rows: Row) -> Any:
    """(thread, kind, site, address), each thread's in its order."""
    table = np.zeros(len(rows), dtype=prelude.RECORD)
    for row, (thread, kind, site, address) in zip(table, rows):
        row["thread"], row["kind"], row["site"], row["address"] = thread, kind, site, address
    return table


def meets(lanes: range, site: int = 0, mask: int = FULL) -> list[Row]:
    return [(lane, prelude.MEET, site, mask) for lane in lanes]


def reads(lanes: range, distance: int, mask: int = FULL, site: int = 0) -> list[Row]:
    return [(lane, prelude.SOURCE, site, mask | (lane + distance) % WARP << WARP) for lane in lanes]


def returns(lanes: range) -> list[Row]:
    return [(lane, prelude.LEAVE, 9, 0) for lane in lanes]


def told(rows: list[Row], threads: int = WARP) -> list[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    return [(c.kind, c.sites, c.threads) for c in meetings(log(*rows), threads)]


def test_a_whole_warp_may_meet_and_read_all_its_lanes() -> None:
    assert told([*meets(range(32)), *reads(range(32), 1, site=1)]) == []


def test_lanes_that_go_another_way_are_missing() -> None:
    assert told(meets(range(16))) == [("warp_mask", (0,), (0, 16))]
    assert told([*meets(range(16)), *meets(range(16, 32), site=1)]) == [
        ("warp_mask", (0,), (0, 16)), ("warp_mask", (1,), (16, 0)),
    ]  # fmt: skip


def test_a_mask_of_those_that_come_is_right() -> None:
    assert told([*meets(range(16), mask=0xFFFF), *meets(range(16, 32), site=1, mask=0xFFFF0000)]) == []


def test_lanes_may_come_one_after_the_other_on_other_ways() -> None:
    early = [*meets(range(16), mask=0xFFFF), *meets(range(16), site=1)]
    assert told([*early, *meets(range(16, 32), site=1)]) == []


def test_those_that_returned_need_not_come_but_are_not_read() -> None:
    assert told([*returns(range(20, 32)), *meets(range(20))]) == []
    rows = [*returns(range(20, 32)), *reads(range(20), 1)]
    assert told(rows) == [("absent_lane", (0,), (19, 20))]


def test_a_mask_without_its_caller() -> None:
    assert told(meets(range(32), mask=0x7FFFFFFF)) == [("warp_mask", (0,), (31, 31))]


def test_a_lane_outside_of_the_mask_is_not_read() -> None:
    rows = [(lane, prelude.SOURCE, 0, 0xFFFF | 16 << WARP) for lane in range(16)]
    assert told(rows) == [("absent_lane", (0,), (0, 16))]


def test_a_width_that_is_none() -> None:
    rows = log(*reads(range(32), 0))
    rows["flags"] = prelude.BAD_WIDTH
    assert [(c.kind, c.sites) for c in meetings(rows, WARP)] == [("warp_mask", (0,))]


def test_a_last_warp_that_is_not_whole_has_no_lanes_to_read_behind_its_end() -> None:
    whole = meets(range(32))
    assert told([*whole, *((32 + lane, kind, site, at) for lane, kind, site, at in meets(range(16)))], 48) == []
    part = [(32 + lane, kind, site, at) for lane, kind, site, at in reads(range(16), 1)]
    assert told([*whole, *part], 48) == [("absent_lane", (0,), (47, 48))]


def test_barriers_of_the_block_keep_lanes_apart() -> None:
    barrier = [(lane, prelude.BARRIER, 5, 0) for lane in range(16)]
    rows = [*meets(range(16, 32), site=1), *barrier]
    assert told(rows) == [("warp_mask", (1,), (16, 0))]


def test_rounds_of_a_loop_that_some_leave_earlier() -> None:
    rows = [row for _ in range(3) for row in meets(range(32))] + meets(range(31))
    assert told(rows) == [("warp_mask", (0,), (0, 31))]
