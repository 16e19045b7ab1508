"""Asynchronous copies between their issue and the wait: they may write at any time.

The bytes are there at once, but in every barrier interval that a copy reaches it counts as a write again, so that a read by another
thread races with it; a read by the thread that has issued it is told apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from cudalint.confirm.emulate.formats import Values
from cudalint.confirm.emulate.lanes import Lanes

if TYPE_CHECKING:
    from cudalint.confirm.emulate.access import Accessor, Part, Spot
    from cudalint.confirm.emulate.machine import Machine


@dataclass(slots=True)
class Flight:
    """One copy of some lanes into one object: the group of each lane, and whether it is still under way."""

    part: Part
    where: Spot
    groups: Values
    bound: bool  # a barrier counts it
    pending: Values = field(default_factory=lambda: np.zeros(0, bool))


class Copies:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.flights: list[Flight] = []
        self.open = np.zeros(machine.geometry.lanes, np.int64)  # the group that is not committed yet
        self.oldest = np.zeros(machine.geometry.lanes, np.int64)  # the first group that was not waited for

    def issue(self, part: Part, where: Spot, bound: bool) -> None:
        lanes = part.lanes
        spread = replace(part, offsets=np.array(lanes.spread(part.offsets)), index=None)
        self.flights.append(Flight(spread, where, self.open[lanes.where].copy(), bound, np.ones(lanes.count, bool)))

    def commit(self, lanes: Lanes) -> None:
        self.open[lanes.where] += 1

    def wait(self, lanes: Lanes, pending: Values | None) -> None:
        """All groups but the newest `pending` have arrived; None: one more than before."""
        committed = self.open[lanes.where]
        if pending is None:
            first = np.minimum(self.oldest[lanes.where] + 1, committed)
        else:
            left = lanes.spread(pending).astype(np.int64)
            first = np.where(left > 0, committed - left, committed + 1)
        self.oldest[lanes.where] = np.maximum(self.oldest[lanes.where], np.minimum(first, committed))
        limit = np.full(len(self.open), -1, np.int64)
        limit[lanes.where] = first
        for flight in self.flights:
            if not flight.bound:
                flight.pending &= flight.groups >= limit[flight.part.lanes.ids]
        self._clear()

    def complete_phase(self, lanes: Lanes) -> None:
        """What a barrier of these blocks counts has arrived."""
        block_of = self.machine.geometry.block_of
        blocks = np.unique(block_of[lanes.where])
        for flight in self.flights:
            if flight.bound:
                flight.pending &= ~np.isin(block_of[flight.part.lanes.ids], blocks)
        self._clear()

    def write_again(self) -> None:
        """A new interval has begun somewhere: what is under way may write there."""
        for flight in self.flights:
            lanes = flight.part.lanes
            part = flight.part
            if not flight.pending.all():
                part = replace(part, lanes=lanes.subset(flight.pending), offsets=part.offsets[flight.pending])
            self.machine.accessor.write_again(part, flight.where)

    def check_read(self, accessor: Accessor, part: Part, where: Spot) -> None:
        """Lanes that read what they have begun to copy themselves."""
        for flight in self.flights:
            if flight.part.allocation is not part.allocation:
                continue
            _, mine, theirs = np.intersect1d(part.lanes.ids, flight.part.lanes.ids, return_indices=True)
            begin, other = part.lanes.spread(part.offsets)[mine], flight.part.offsets[theirs]
            meets = (begin < other + flight.where.size) & (other < begin + where.size) & flight.pending[theirs]
            if meets.any():
                at = int(np.argmax(meets))
                read = accessor.access(part, where, int(mine[at]))
                copy = accessor.access(flight.part, flight.where, int(theirs[at]))
                part.lanes.event("race", read, copy, "")

    def _clear(self) -> None:
        self.flights = [flight for flight in self.flights if flight.pending.any()]
