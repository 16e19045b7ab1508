"""The buffers of a plan on a device: each between guard bands in an allocation of its own, or, where it needs more memory than
may be used, in a large range of addresses behind which one small piece of memory lies again and again.

A range has unmapped guards on both sides, so far that an index that wraps in 32 bits ends in them. What is written at one
place of it appears at others: only addresses can be judged there, neither values nor bands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cudalint.confirm.gpu import prelude
from cudalint.confirm.gpu.guard import Layout, breaches, digest
from cudalint.confirm.gpu.near import outside
from cudalint.confirm.gpu.plan_file import Plan, address_bytes, buffer_bytes

if TYPE_CHECKING:
    from cudalint.confirm.gpu.trial import Device

DIGEST_LIMIT = 1 << 26
PIECE = 64 << 20  # bytes of memory behind a range
GUARD = 64 << 30  # addresses on each side: 2^32 elements of 16 bytes


class DeviceError(Exception):
    """An error of the device by its name; `dead` when nothing can run in this process any more."""

    def __init__(self, name: str, message: str, dead: bool) -> None:
        super().__init__(message)
        self.name = name
        self.dead = dead


class Memory:
    """The plan's buffers; freed together. `limit` is how many bytes of the device may be used."""

    def __init__(self, device: Device, plan: Plan, band: int, limit: int) -> None:
        self.device = device
        self.ranges = _ranges(plan, band, min(limit, int(device.available() * 0.95)))
        self.layouts = {b["name"]: Layout(b["size"], 0 if b["name"] in self.ranges else band) for b in plan["buffers"]}
        self.physical = sum(PIECE if name in self.ranges else one.total for name, one in self.layouts.items())
        self.allocations: dict[str, int] = {}
        self._contents = {b["name"]: buffer_bytes(b, plan["seed"]) for b in plan["buffers"]}
        self._pointers = {b["name"]: b.get("pointers", ()) for b in plan["buffers"]}
        for name, layout in self.layouts.items():
            if name in self.ranges:
                self.allocations[name] = device.reserve(layout.size, PIECE, GUARD)
            else:
                self.allocations[name] = device.allocate(layout.total)

    @property
    def addresses(self) -> dict[str, int]:
        return {name: base + self.layouts[name].start for name, base in self.allocations.items()}

    def reset(self, poison: int, unset: frozenset[str] = frozenset()) -> None:
        """Contents and bands anew; those that are `unset` hold the poison, too."""
        for name, base in self.allocations.items():
            layout, data = self.layouts[name], self._contents[name]
            if name in self.ranges:
                self.device.fill(base, 0, PIECE)
                continue
            self.device.fill(base, poison, layout.start)
            self.device.fill(base + layout.end, poison, layout.total - layout.end)
            if name in unset:
                self.device.fill(base + layout.start, poison, layout.size)
            elif data is None:
                self.device.fill(base + layout.start, 0, layout.size)
            else:
                self.device.write(base + layout.start, data)
            for at, target, offset in self._pointers[name]:
                self.device.write(base + layout.start + at, address_bytes(target, offset, self.addresses))

    def breaches(self, poison: int) -> list[dict[str, object]]:
        found = []
        for name, base in self.allocations.items():
            layout = self.layouts[name]
            if layout.band == 0:
                continue
            below = self.device.read(base, layout.start)
            above = self.device.read(base + layout.end, layout.band)
            found += [breach.as_json() for breach in breaches(name, layout, below, above, poison)]
        return found

    def digests(self) -> dict[str, str]:
        return {
            name: digest(self.device.read(address, self.layouts[name].size))
            for name, address in self.addresses.items()
            if name not in self.ranges and self.layouts[name].size <= DIGEST_LIMIT
        }

    def data(self, names: frozenset[str]) -> dict[str, bytes]:
        """What lies in some of the buffers."""
        return {
            name: self.device.read(address, self.layouts[name].size)
            for name, address in sorted(self.addresses.items())
            if name in names and name not in self.ranges and self.layouts[name].size <= DIGEST_LIMIT
        }

    def distances(self, near: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
        """How far the buffers are from what is told of their elements."""
        addresses = self.addresses
        return {
            name: outside(entry, self.device.read(addresses[name], self.layouts[name].size))
            for name, entry in sorted(near.items())
            if name in addresses
        }

    def regions(self) -> bytes:
        rows = np.zeros(max(1, len(self.allocations)), dtype=prelude.REGION)
        for row, (name, base) in zip(rows, self.allocations.items()):
            layout, guard = self.layouts[name], GUARD if name in self.ranges else 0
            row["low"], row["start"] = max(0, base - guard), base + layout.start
            row["end"], row["high"] = base + layout.end, base + layout.total + guard
        return rows.tobytes()

    def free(self) -> None:
        for name, base in self.allocations.items():
            if name in self.ranges:
                self.device.release(base)
            else:
                self.device.free(base)


def _ranges(plan: Plan, band: int, room: int) -> frozenset[str]:
    """The buffers that get a range in place of memory, so that the plan fits; raises DeviceError where it does not even so."""
    totals = {b["name"]: Layout(b["size"], band).total for b in plan["buffers"]}
    needed, chosen = sum(totals.values()), []
    large = [b for b in plan["buffers"] if b["size"] > PIECE]
    for buffer in sorted(large, key=lambda b: (-b["size"], b["name"])):
        if needed <= room:
            break
        if "zero" not in buffer["contents"]:
            raise DeviceError(
                "distinct-values",
                f"the plan needs {sum(totals.values())} bytes of device memory, {room} may be used, and the values of "
                f"`{buffer['name']}` are not all alike: no small piece of memory can stand for them",
                dead=False,
            )
        chosen.append(buffer["name"])
        needed -= totals[buffer["name"]] - PIECE
    if needed > room:
        raise DeviceError(
            "memory-limit",
            f"the plan needs {sum(totals.values())} bytes of device memory, {room} may be used",
            dead=False,
        )
    return frozenset(chosen)
