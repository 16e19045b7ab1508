"""Barriers of blocks, named barriers and the grid barrier: who waits where, and when they go on.

A barrier counts the arrivals of lanes that have not exited. A block whose lanes wait at different lines goes on (the
hardware counts arrivals, not lines), but within one warp that is a divergence, since `bar.sync` is an aligned
instruction (PTX ISA, barrier).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cudalint.confirm.emulate.formats import Unsupported, Values
from cudalint.confirm.emulate.lanes import WARP, Lanes, merged, site

if TYPE_CHECKING:
    from cudalint.confirm.emulate.machine import Machine


HARDWARE = 16  # barriers of a block that have numbers of their own


@dataclass(slots=True)
class Named:
    """One named barrier of one block."""

    count: int
    arrived: int = 0
    waiting: list[tuple[int, Values]] = field(default_factory=list)
    seen: Values | None = None  # what those who came had seen and done, by warp
    split: bool = False  # some have come without waiting


class Barriers:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        blocks, threads = machine.geometry.blocks, machine.geometry.threads
        self.living = np.full(blocks, threads, np.int64)  # lanes that have not exited
        self.arrived = np.zeros(blocks, np.int64)
        self.waiting: list[tuple[int, Values]] = []
        self.grid_waiting: list[tuple[int, Values]] = []
        self.named: dict[tuple[int, int], Named] = {}
        self.objects: dict[int, int] = {}  # the number that stands for a barrier in shared memory
        self.phases: dict[tuple[int, int], int] = {}  # that have ended, of each barrier of a block
        self.last_seen: dict[tuple[int, int], Values] = {}  # what those had seen and done who came to the last of them
        self.arrivals: dict[int, Values] = {}
        self.votes: Values | None = None

    # --- barriers of blocks ------------------------------------------------------------------------------------------

    def arrive(self, lanes: Lanes) -> None:
        machine = self.machine
        if not self.waiting and lanes.count == machine.alive_lanes == machine.geometry.lanes:
            machine.races.block_barrier(None)
            self._go_on(lanes.pc, lanes.ids)
            return
        self.waiting.append((lanes.pc, lanes.ids))
        self.arrived += np.bincount(machine.geometry.block_of[lanes.where], minlength=len(self.arrived))
        self.release()

    def exit(self, lanes: Lanes) -> None:
        """These lanes are gone; barriers do not wait for them."""
        self.living -= np.bincount(self.machine.geometry.block_of[lanes.where], minlength=len(self.living))
        if self.waiting:
            self.release()
        if self.grid_waiting:
            self._release_grid()

    def release(self) -> None:
        """Blocks whose living lanes have all arrived go on."""
        done = (self.arrived == self.living) & (self.arrived > 0)
        if done.any():
            self._release(done)

    def _release(self, done: Values) -> None:
        machine, stay, go = self.machine, [], []
        for pc, ids in self.waiting:
            free = done[machine.geometry.block_of[ids]]
            if free.any():
                go.append((pc, ids[free]))
            if not free.all():
                stay.append((pc, ids[~free]))
        self.waiting = stay
        self.arrived[done] = 0
        self._check_exits(go)
        if len({pc for pc, _ in go}) > 1:
            self._check_lines(go)
        whole = bool((done | (self.living == 0)).all()) and machine.races.even
        machine.races.block_barrier(None if whole else done)
        by_line: dict[int, list[Values]] = {}
        for pc, ids in go:
            by_line.setdefault(pc, []).append(ids)
        for pc, parts in by_line.items():
            self._go_on(pc, merged(parts))

    def _go_on(self, pc: int, ids: Values) -> None:
        self.machine.after_barrier(pc, ids)

    def _check_exits(self, go: list[tuple[int, Values]]) -> None:
        """A barrier that some lanes of the block have left out by exiting."""
        machine = self.machine
        for pc, ids in go:
            short = self.living[machine.geometry.block_of[ids]] < machine.geometry.threads
            if short.any():
                self._report_exit(pc, int(ids[int(np.argmax(short))]), machine.geometry.threads)

    def _report_exit(self, pc: int, lane: int, threads: int) -> None:
        machine = self.machine
        first = lane // threads * threads
        exits = machine.exit_pc[first : first + threads]
        gone = np.flatnonzero(exits >= 0)
        if not len(gone):
            return
        line = int(exits[gone[0]])
        kind = machine.exit_kind(line)
        if kind == "trap":
            return
        access = site(machine.geometry, lane, machine.span_of(pc))
        other = site(machine.geometry, first + int(gone[0]), machine.span_of(line))
        detail = f"{len(gone)} of {threads} threads have exited"
        machine.record("exit_before_barrier" if kind == "early" else "divergence", access, other, detail)

    def _check_lines(self, go: list[tuple[int, Values]]) -> None:
        """Lanes of one warp that wait at different lines."""
        geometry = self.machine.geometry
        ids = np.concatenate([part for _, part in go])
        lines = np.concatenate([np.full(len(part), pc, np.int64) for pc, part in go])
        order = np.argsort(ids, kind="stable")
        ids, lines = ids[order], lines[order]
        warp = geometry.block_of[ids] * geometry.warps + geometry.thread_of[ids] // WARP
        split = np.flatnonzero((warp[1:] == warp[:-1]) & (lines[1:] != lines[:-1]))
        for at in split[:1].tolist():
            here = site(geometry, int(ids[at]), self.machine.span_of(int(lines[at])))
            there = site(geometry, int(ids[at + 1]), self.machine.span_of(int(lines[at + 1])))
            self.machine.record("divergence", here, there, "lanes of one warp wait at different barriers")

    # --- named barriers and the grid ---------------------------------------------------------------------------------

    def arrive_named(self, lanes: Lanes, numbers: Values, counts: Values, wait: bool) -> None:
        geometry = self.machine.geometry
        keys = geometry.block_of[lanes.where] * 4096 + numbers
        order = np.argsort(keys, kind="stable")
        keys, ids, asked = keys[order], lanes.ids[order], counts[order]
        if wait:
            self._check_crowds(lanes.pc, keys, ids, asked)
        cuts = np.flatnonzero(np.diff(keys * WARP + geometry.thread_of[ids] // WARP)) + 1
        for start, end in zip([0, *cuts.tolist()], [*cuts.tolist(), len(ids)]):
            key = int(keys[start])
            self._arrive_at((key // 4096, key % 4096), lanes.pc, ids[start:end], int(asked[start]), wait)
        if not wait:
            self.machine.scheduler.put(lanes.pc + 1, lanes.ids)

    def _check_crowds(self, pc: int, keys: Values, ids: Values, asked: Values) -> None:
        """More threads at once at one barrier than it waits for."""
        _, first, came = np.unique(keys, return_index=True, return_counts=True)
        crowded = np.flatnonzero(came > asked[first])
        for at in crowded[:1].tolist():
            detail = f"{came[at]} threads come at once, and it waits for {asked[first[at]]}"
            self._report_count(pc, ids[int(first[at]) :], detail)

    def _arrive_at(self, name: tuple[int, int], pc: int, ids: Values, asked: int, wait: bool) -> None:
        """Lanes of one warp come, or any to an object in shared memory, where each counts for itself."""
        barrier = self.named.setdefault(name, Named(asked))
        if asked != barrier.count:
            self._report_count(pc, ids, f"for {asked} threads, and others name {barrier.count}")
        barrier.arrived += len(ids)
        seen = self.machine.races.clocks.seen_by(name[0], self._warp_of(ids))
        barrier.seen = seen if barrier.seen is None else np.maximum(barrier.seen, seen)
        barrier.split = barrier.split or not wait
        if name[1] >= HARDWARE:
            self._arrived_in(name)[ids] = self.phases.get(name, 0)
        if wait:
            barrier.waiting.append((pc, ids))
        if barrier.arrived >= barrier.count:
            self._release_named(name)

    def _report_count(self, pc: int, ids: Values, detail: str) -> None:
        here = site(self.machine.geometry, int(ids[0]), self.machine.span_of(pc))
        self.machine.record("divergence", here, None, detail)

    def _warp_of(self, ids: Values) -> int:
        return int(self.machine.geometry.thread_of[ids[0]]) // WARP

    def arrive_at_object(self, lanes: Lanes, pointers: Values, counts: Values, wait: bool) -> None:
        """A barrier in shared memory, by its address."""
        self.arrive_named(lanes, self._numbers_of(pointers), counts, wait)

    def wait_at_object(self, lanes: Lanes, pointers: Values) -> None:
        """Until the phase ends for which the lane has arrived; raises Unsupported where it waits for those of others."""
        numbers = self._numbers_of(pointers)
        blocks = self.machine.geometry.block_of[lanes.where]
        warps = self.machine.geometry.thread_of[lanes.where] // WARP
        for block, number, warp in sorted(set(zip(blocks.tolist(), numbers.tolist(), warps.tolist()))):
            name = block, number
            ids = lanes.ids[(blocks == block) & (numbers == number) & (warps == warp)]
            arrived = self._arrived_in(name)[ids]
            if (arrived < 0).any():
                raise Unsupported("a wait at a barrier in shared memory by a thread that has not arrived")
            over = arrived < self.phases.get(name, 0)
            if over.any():
                self.machine.races.clocks.sees(block, warp, self.last_seen[name])
                self._go_on(lanes.pc, ids[over])
            if not over.all():
                self.named[name].waiting.append((lanes.pc, ids[~over]))

    def _numbers_of(self, pointers: Values) -> Values:
        for pointer in np.unique(pointers).tolist():
            self.objects.setdefault(pointer, len(self.objects) + HARDWARE)
        return np.asarray([self.objects[pointer] for pointer in pointers.tolist()], np.int64)

    def _arrived_in(self, name: tuple[int, int]) -> Values:
        """By lane the phase of an object in which it arrived last."""
        found = self.arrivals.get(name[1])
        if found is None:
            found = self.arrivals[name[1]] = np.full(self.machine.geometry.lanes, -1, np.int64)
        return found

    def _release_named(self, name: tuple[int, int]) -> None:
        barrier, races = self.named.pop(name), self.machine.races
        assert barrier.seen is not None
        self.phases[name], self.last_seen[name] = self.phases.get(name, 0) + 1, barrier.seen
        came = sum(len(ids) for _, ids in barrier.waiting)
        if not barrier.split and (name[1] >= HARDWARE or came == self.living[name[0]]):
            races.block_barrier(np.asarray([name[0]]))
        else:
            for _, ids in barrier.waiting:
                races.clocks.sees(name[0], self._warp_of(ids), barrier.seen)
            races.group_barrier()
        for pc, ids in barrier.waiting:
            self._go_on(pc, ids)

    def arrive_grid(self, lanes: Lanes) -> None:
        self.grid_waiting.append((lanes.pc, lanes.ids))
        self._release_grid()

    def _release_grid(self) -> None:
        if sum(len(ids) for _, ids in self.grid_waiting) < self.machine.alive_lanes:
            return
        go, self.grid_waiting = self.grid_waiting, []
        self._check_exits(go)
        self.machine.races.grid_barrier()
        for pc, ids in go:
            self._go_on(pc, ids)

    # --- nobody can run ----------------------------------------------------------------------------------------------

    def break_deadlock(self) -> bool:
        """Lanes wait at barriers that the others never reach: an event, and the first of them go on."""
        machine = self.machine
        pools = [
            self.waiting,
            self.grid_waiting,
            *(b.waiting for _, b in sorted(self.named.items(), key=lambda n: n[0])),
        ]
        lines = sorted((pc, int(ids[0])) for pool in pools for pc, ids in pool)
        if not lines:
            return False
        pc, lane = lines[0]
        here = site(machine.geometry, lane, machine.span_of(pc))
        others = [line for line in lines if line[0] != pc]
        there = site(machine.geometry, others[0][1], machine.span_of(others[0][0])) if others else None
        machine.record("divergence", here, there, "the other threads never arrive")
        for pool in pools:
            chosen = [ids for line, ids in pool if line == pc]
            if chosen:
                pool[:] = [entry for entry in pool if entry[0] != pc]
                self._leave(pool, merged(chosen), pc)
                return True
        return False

    def _leave(self, pool: list[tuple[int, Values]], ids: Values, pc: int) -> None:
        if pool is self.waiting:
            blocks = self.machine.geometry.block_of[ids]
            self.arrived -= np.bincount(blocks, minlength=len(self.arrived))
        self._go_on(pc, ids)

    # --- votes -------------------------------------------------------------------------------------------------------

    def vote(self, lanes: Lanes, value: Values) -> None:
        """What each lane brings to __syncthreads_and, _or, _count."""
        if self.votes is None:
            self.votes = np.zeros(self.machine.geometry.lanes, bool)
        self.votes[lanes.where] = lanes.spread(np.not_equal(value, 0))

    def result(self, lanes: Lanes, reduce: str) -> Values:
        """The count, conjunction or disjunction over the lanes of each block, as int32."""
        assert self.votes is not None
        geometry = self.machine.geometry
        blocks = geometry.block_of[lanes.where]
        ayes = np.bincount(blocks, self.votes[lanes.where], minlength=geometry.blocks)
        total = np.bincount(blocks, minlength=geometry.blocks)
        table = {"count": ayes, "popc": ayes, "or": ayes > 0, "and": ayes == total}
        if reduce not in table:
            raise Unsupported(f"a barrier that reduces by {reduce}")
        return np.asarray(table[reduce])[blocks].astype(np.int32)
