"""The instrumented copy of a plan on a device: the first bad access of each site, and what the watched blocks did.

All blocks of a small launch are watched, else those that the plan names; so too where a launch writes more records than there
is room for. Of a huge grid only the blocks that the plan names are launched, each as a window of the grid, where the plan
expects an access out of bounds; the whole grid follows if none was seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cudalint.confirm.gpu import prelude, shadow, shadow_across, shadow_warps
from cudalint.confirm.gpu.guard import BAND, POISONS
from cudalint.confirm.gpu.memory import DeviceError, Memory
from cudalint.confirm.gpu.plan_file import Plan
from cudalint.confirm.gpu.trial import Device, Observation, launch

RECORDS = 1 << 22
HUGE = 1 << 14  # blocks
OF_PLACE = {"out_of_bounds", "null", "misaligned"}
KINDS = {prelude.OUT_OF_BOUNDS: "out_of_bounds", prelude.WILD: "wild", prelude.NULL: "null"}
MEMORIES = ("global", "array", "dynamic shared", "static shared")


def run_instrumented(device: Device, plan: Plan, band: int = BAND, limit: int = 1 << 34) -> Observation:
    """The bad accesses, and the conflicts of the watched blocks."""
    copy = plan["slice"]["instrumented"]
    memory = Memory(device, plan, band, limit)
    observed: Observation = {}
    for shapes in _windows(plan):
        for watched in _watched(plan):
            observed = _observed(device, plan, memory, watched, shapes)
            if observed.get("unfinished"):
                return observed
            if not observed["truncated"]:
                break
        if observed["accesses"]:
            break
    observed["bands"] = memory.breaches(POISONS[0])
    observed["physical"] = memory.physical
    observed["races"] = bool(copy["races"])
    memory.free()
    return observed


def _windows(plan: Plan) -> Iterator[list[tuple[int, int, int]]]:
    """The first blocks of the launches to be made, an empty list for the whole grid."""
    grid = plan["launch"]["grid"]
    named = plan["expectation"].get("blocks", ())
    if int(np.prod(grid, dtype=object)) > HUGE and set(plan["expectation"]["kinds"]) <= OF_PLACE and named:
        yield [(b % grid[0], b // grid[0] % grid[1], b // (grid[0] * grid[1])) for b in named]
    yield []


def _watched(plan: Plan) -> Iterator[tuple[int, ...] | None]:
    """Which blocks write records; None for all of them."""
    if not plan["slice"]["instrumented"]["races"]:
        yield ()
        return
    if int(np.prod(plan["launch"]["grid"], dtype=object)) <= prelude.MOST_WATCHED:
        yield None
    yield tuple(plan["expectation"].get("blocks", [0]))[: prelude.WATCHED]


def _observed(
    device: Device, plan: Plan, memory: Memory, watched: tuple[int, ...] | None, windows: list[tuple[int, int, int]]
) -> Observation:
    copy = plan["slice"]["instrumented"]
    text = prelude.TEXT + (prelude.WINDOW if windows else "") + copy["text"]
    module = device.load(text, plan["slice"]["name"], tuple(plan["options"]))
    address = device.symbol(module, prelude.NAME)
    if address is None:
        raise DeviceError("no-state", "the instrumented copy has no state", dead=False)
    state = _State(device, plan, memory, watched)
    memory.reset(POISONS[0])
    ended = True
    for first in windows or [(0, 0, 0)]:
        device.write(address, state.header(first))
        shape = {**plan["launch"], "grid": [1, 1, 1]} if windows else None
        ended = launch(device, module, plan, memory, shape)
        if not ended:
            break
    observed = state.observed()
    if ended:
        state.free()
    else:
        observed["unfinished"] = True
    return observed


class _State:
    """The device side of prelude.STATE."""

    def __init__(self, device: Device, plan: Plan, memory: Memory, watched: tuple[int, ...] | None) -> None:
        self.device = device
        self.plan = plan
        self.copy = plan["slice"]["instrumented"]
        self.names = list(memory.allocations)
        self.watched = watched
        self.regions = memory.regions()
        slots = prelude.MOST_WATCHED if watched is None else prelude.WATCHED
        self.capacity = 0 if watched == () else RECORDS
        self.sizes = {
            "regions": len(self.regions),
            "events": max(1, len(self.copy["sites"])) * prelude.EVENT.itemsize,
            "records": max(1, self.capacity) * prelude.RECORD.itemsize,
            "record_count": 4,
            "threads": 4 * prelude.COUNTERS * slots * prelude.THREADS,
            "sink": prelude.SINK_BYTES,
        }
        self.at = {name: device.allocate(size) for name, size in self.sizes.items()}
        for name in ("events", "record_count", "threads", "sink"):
            device.fill(self.at[name], 0, self.sizes[name])
        device.write(self.at["regions"], self.regions)

    def header(self, first: tuple[int, int, int] = (0, 0, 0)) -> bytes:
        row = np.zeros(1, dtype=prelude.STATE)
        for name, address in self.at.items():
            row[name] = address
        row["region_count"], row["record_capacity"] = len(self.names), self.capacity
        row["first"], row["grid"] = first, self.plan["launch"]["grid"]
        if self.watched is None:
            row["watched_count"] = prelude.EVERY
        else:
            row["watched"][0, : len(self.watched)] = self.watched
            row["watched_count"] = len(self.watched)
        return row.tobytes()

    def observed(self) -> Observation:
        events = np.frombuffer(self.device.read(self.at["events"], self.sizes["events"]), dtype=prelude.EVENT)
        recorded = int.from_bytes(self.device.read(self.at["record_count"], 4), "little")
        kept = min(recorded, self.capacity)
        records = np.frombuffer(
            self.device.read(self.at["records"], kept * prelude.RECORD.itemsize), dtype=prelude.RECORD
        )
        threads = int(np.prod(self.plan["launch"]["block"]))
        found = conflicts(records, threads, bool(self.copy.get("across")), whole=recorded == kept)
        return {
            "accesses": [self._access(site, event) for site, event in enumerate(events) if event["seen"]],
            "conflicts": [self._conflict(conflict) for conflict in found],
            "truncated": recorded > kept,
            "records": kept,
        }

    def _access(self, site: int, event: Any) -> Observation:
        kind, memory = KINDS[int(event["kind"])], MEMORIES[int(event["memory"])]
        inside = kind == "out_of_bounds" and memory == "global"
        return {
            "kind": kind, "line": self.copy["sites"][site], "memory": memory,
            "buffer": self.names[int(event["region"])] if inside else None,
            "offset": int(event["offset"]), "size": int(event["size"]),
            "block": [int(v) for v in event["block"]], "thread": [int(v) for v in event["thread"]],
        }  # fmt: skip

    def _conflict(self, conflict: shadow.Conflict) -> Observation:
        told: Observation = {
            "kind": conflict.kind, "lines": [self.copy["sites"][s] for s in conflict.sites],
            "block": self._block(conflict.slot), "threads": list(conflict.threads), "address": conflict.address,
        }  # fmt: skip
        return told if conflict.other is None else {**told, "other_block": self._block(conflict.other)}

    def _block(self, slot: int) -> int:
        return slot if self.watched is None else int(self.watched[slot])

    def free(self) -> None:
        for address in self.at.values():
            self.device.free(address)


def conflicts(records: shadow.Records, threads: int, across: bool, whole: bool) -> list[shadow.Conflict]:
    """All conflicts; of the beginning of a run (not `whole`) only those that no later record can mend."""
    judged = records if across else records[records["flags"] & prelude.OUTSIDE == 0]
    found = shadow.races(judged)
    if across:
        found += shadow_across.across(judged)
    if whole:
        found += shadow.unset(records)
        found += shadow.divergences(records, threads)
        found += shadow_warps.meetings(records, threads)
    return found
