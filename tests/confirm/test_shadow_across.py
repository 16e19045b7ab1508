"""Races of global memory, of records: inside a block by barriers, between blocks by fences and strong accesses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cudalint.confirm.gpu import prelude, shadow, shadow_across
from cudalint.confirm.gpu.instrumented import conflicts

R, W, B, A = prelude.READ, prelude.WRITE, prelude.BOTH, prelude.ATOMIC
FENCE, BARRIER = prelude.FENCE, prelude.BARRIER
DATA, FLAG, OTHER_FLAG = 1 << 33, 1 << 34, 1 << 35


def log(*rows: tuple[int, int, int, int], interval: int = 0, volatile: tuple[int, ...] = (FLAG, OTHER_FLAG)) -> Any:
    """(slot, thread, kind, address) in the order of the records; the site is the number of the record."""
    table = np.zeros(len(rows), dtype=prelude.RECORD)
    for number, (row, (slot, thread, kind, address)) in enumerate(zip(table, rows)):
        row["slot"], row["thread"], row["kind"], row["address"] = slot, thread, kind, address
        row["site"], row["size"], row["interval"] = number, 4, interval
        if kind <= A:
            row["flags"] = prelude.OUTSIDE | (prelude.STRONG if kind == A or address in volatile else 0)
    return table


def told(table: Any) -> list[tuple[str, tuple[int, ...]]]:
    return [(conflict.kind, conflict.sites) for conflict in shadow_across.across(table)]


def test_blocks_race_whatever_their_barriers() -> None:
    table = log((0, 3, W, DATA), (0, 3, BARRIER, 0), (1, 5, R, DATA))
    (found,) = shadow_across.across(table)
    assert (found.kind, found.sites, found.slot, found.other, found.threads) == ("race", (0, 2), 0, 1, (3, 5))


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        (R, R, None), (A, A, None), (W, R, "race"), (B, B, "race"), (A, R, "race"), (A, B, "race"), (W, W, "stores"),
        (W, A, "stores"),
    ],
)  # fmt: skip
def test_kinds_of_accesses(first: int, second: int, kind: str | None) -> None:
    found = told(log((0, 0, first, DATA), (1, 0, second, DATA)))
    assert [each for each, _ in found] == ([kind] if kind else [])


def test_a_lost_counter_is_a_race_of_one_line_with_itself() -> None:
    table = log((0, 0, B, DATA), (1, 0, B, DATA))
    table["site"] = 7
    assert told(table) == [("race", (7,))]


def test_volatile_accesses_of_a_flag_do_not_race_with_each_other() -> None:
    assert told(log((0, 0, W, FLAG), (1, 0, R, FLAG))) == []


PUBLISHED = ((0, 0, W, DATA), (0, 0, FENCE, 0), (0, 0, W, FLAG))
TAKEN = ((1, 9, R, FLAG), (1, 9, R, DATA))


def test_a_fence_and_a_flag_hand_over_what_was_written_before() -> None:
    assert told(log(*PUBLISHED, *TAKEN)) == []


def test_the_reader_of_the_flag_may_be_told_before_the_writer_and_read_behind_it() -> None:
    waits = (
        (1, 9, R, FLAG),
        *PUBLISHED,
        (1, 9, FENCE, 0),
        (1, 9, R, DATA),
    )  # the read stands before the store, it ends later
    assert told(log(*waits)) == []
    read_on = (
        (1, 9, R, FLAG),
        (1, 9, FENCE, 0),
        *PUBLISHED,
        (1, 9, R, DATA),
    )  # the next record of the reader is before the store
    assert [kind for kind, _ in told(log(*read_on))] == ["race"]


@pytest.mark.parametrize(
    "rows",
    [
        ((0, 0, W, DATA), (0, 0, W, FLAG), *TAKEN),  # no fence
        ((0, 0, FENCE, 0), (0, 0, W, DATA), (0, 0, W, FLAG), *TAKEN),  # the fence stands too early
        ((0, 0, W, DATA), (0, 0, W, FLAG), (0, 0, FENCE, 0), *TAKEN),  # and too late
        (*PUBLISHED, (1, 9, R, OTHER_FLAG), (1, 9, R, DATA)),  # another flag
        (*PUBLISHED, (1, 9, R, DATA), (1, 9, R, FLAG)),  # read before the flag
    ],
)
def test_what_does_not_hand_over(rows: tuple[tuple[int, int, int, int], ...]) -> None:
    assert [kind for kind, _ in told(log(*rows))] == ["race"]


def test_a_fence_of_another_warp_hands_over_what_a_barrier_leads_to() -> None:
    """The writer is thread 40, thread 0 tells of it."""
    table = log((0, 40, W, DATA), (0, 0, FENCE, 0), (0, 0, W, FLAG), *TAKEN)
    assert [kind for kind, _ in told(table)] == ["race"]
    table["interval"][1:3] = 1
    assert told(table) == []


def test_what_another_warp_reads_behind_the_flag_needs_a_barrier() -> None:
    table = log(*PUBLISHED, (1, 9, R, FLAG), (1, 90, R, DATA))
    assert [kind for kind, _ in told(table)] == ["race"]
    table["interval"][4] = 1
    assert told(table) == []


def test_an_atomic_of_one_block_is_none_for_others() -> None:
    table = log((0, 0, A, DATA), (1, 0, A, DATA))
    assert told(table) == []
    table["flags"] |= prelude.NARROW
    assert [kind for kind, _ in told(table)] == ["race"]
    assert shadow.races(table) == []


def test_a_chain_of_blocks_hands_over() -> None:
    chain = ((1, 0, R, FLAG), (1, 0, FENCE, 0), (1, 0, W, OTHER_FLAG), (2, 0, R, OTHER_FLAG), (2, 0, R, DATA))
    assert told(log(*PUBLISHED, *chain)) == []
    assert [kind for kind, _ in told(log(*PUBLISHED, *chain[:1], *chain[2:]))] == ["race"]  # the middle has no fence


def test_a_lock_orders_what_blocks_do_under_it() -> None:
    def section(slot: int) -> tuple[tuple[int, int, int, int], ...]:
        lock, data = (slot, 0, A, FLAG), (slot, 0, B, DATA)
        return (lock, (slot, 0, FENCE, 0), data, (slot, 0, FENCE, 0), lock)

    table = log(*section(0), *section(1), *section(2))
    table["site"] = np.tile(np.arange(5), 3)
    assert told(table) == []
    without = table[table["kind"] != FENCE]
    assert told(without) == [("race", (2,))]


def test_threads_of_one_block_race_in_global_memory_unless_a_barrier_stands_between() -> None:
    table = log((0, 0, W, DATA), (0, 64, R, DATA))
    assert [c.kind for c in shadow.races(table)] == ["race"]
    table["interval"][1] = 1
    assert shadow.races(table) == []


def test_the_same_address_in_shared_and_in_global_memory_is_not_one_place() -> None:
    table = log((0, 0, W, DATA), (0, 64, R, DATA))
    table["flags"][0] = 0
    assert shadow.races(table) == []


def test_accesses_of_other_widths_meet_where_they_overlap() -> None:
    table = log((0, 0, W, DATA), (1, 0, R, DATA + 12), (1, 1, R, DATA + 16))
    table["size"][0] = 16
    assert told(table) == [("race", (0, 1))]


def test_a_shuffle_orders_what_was_read_before_it_and_written_behind_it() -> None:
    table = log((0, 0, R, DATA), (0, 1, W, DATA))
    assert [c.kind for c in shadow.races(table)] == ["race"]
    table["exchange"] = (0, 1)
    assert shadow.races(table) == []
    written_first = log((0, 0, W, DATA), (0, 1, R, DATA))
    written_first["exchange"] = (0, 1)
    assert [c.kind for c in shadow.races(written_first)] == ["race"]


def test_global_memory_is_judged_only_where_everything_that_orders_is_seen() -> None:
    table = log((0, 0, W, DATA), (1, 0, R, DATA))
    assert [c.kind for c in conflicts(table, 32, across=True, whole=True)] == ["race"]
    assert conflicts(table, 32, across=False, whole=True) == []


def test_the_beginning_of_a_run_tells_of_races_and_not_of_what_is_missing() -> None:
    table = log((0, 0, W, DATA), (0, 40, R, DATA), (0, 0, BARRIER, 0))
    assert [c.kind for c in conflicts(table, 64, across=True, whole=False)] == ["race"]
    assert [c.kind for c in conflicts(table, 64, across=True, whole=True)] == ["race", "divergence"]
