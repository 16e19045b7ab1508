"""One plan on one device: buffers between guard bands, the launch, and what can be seen afterwards.

`Device` is what a trial needs of a GPU; the worker's is made of CuPy, the tests' of NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from cudalint.confirm.gpu import prelude, shadow
from cudalint.confirm.gpu.guard import BAND, POISONS, Layout, breaches, digest
from cudalint.confirm.gpu.near import outside
from cudalint.confirm.gpu.plan_file import Plan, address_bytes, argument_bytes, buffer_bytes

DIGEST_LIMIT = 1 << 26
RECORDS = 1 << 22
Observation = dict[str, Any]


class DeviceError(Exception):
    """An error of the device by its name; `dead` when nothing can run in this process any more."""

    def __init__(self, name: str, message: str, dead: bool) -> None:
        super().__init__(message)
        self.name = name
        self.dead = dead


class Device(Protocol):
    """Raises DeviceError. Addresses are integers; `load` gives a handle for `launch` and `symbol`."""

    def allocate(self, size: int) -> int: ...
    def free(self, address: int) -> None: ...
    def available(self) -> int: ...
    def write(self, address: int, data: bytes) -> None: ...
    def fill(self, address: int, value: int, size: int) -> None: ...
    def read(self, address: int, size: int) -> bytes: ...
    def load(self, text: str, name: str, options: tuple[str, ...]) -> Any: ...
    def symbol(self, module: Any, name: str) -> int | None: ...
    def launch(self, module: Any, launch: Mapping[str, Any], args: list[bytes]) -> None: ...


class _Memory:
    """The plan's buffers, each in an allocation of its own; freed together."""

    def __init__(self, device: Device, plan: Plan, band: int, limit: int) -> None:
        self.device = device
        self.layouts = {b["name"]: Layout(b["size"], band) for b in plan["buffers"]}
        self.allocations: dict[str, int] = {}
        self._contents = {b["name"]: buffer_bytes(b, plan["seed"]) for b in plan["buffers"]}
        self._pointers = {b["name"]: b.get("pointers", ()) for b in plan["buffers"]}
        needed = sum(layout.total for layout in self.layouts.values())
        room = min(limit, int(device.available() * 0.95))
        if needed > room:
            raise DeviceError(
                "memory-limit", f"the plan needs {needed} bytes of device memory, {room} may be used", dead=False
            )
        for name, layout in self.layouts.items():
            self.allocations[name] = device.allocate(layout.total)

    @property
    def addresses(self) -> dict[str, int]:
        return {name: base + self.layouts[name].start for name, base in self.allocations.items()}

    def reset(self, poison: int) -> None:
        for name, base in self.allocations.items():
            layout, data = self.layouts[name], self._contents[name]
            self.device.fill(base, poison, layout.start)
            self.device.fill(base + layout.end, poison, layout.total - layout.end)
            if data is None:
                self.device.fill(base + layout.start, 0, layout.size)
            else:
                self.device.write(base + layout.start, data)
            for at, target, offset in self._pointers[name]:
                self.device.write(base + layout.start + at, address_bytes(target, offset, self.addresses))

    def breaches(self, poison: int) -> list[dict[str, object]]:
        found = []
        for name, base in self.allocations.items():
            layout = self.layouts[name]
            below = self.device.read(base, layout.start)
            above = self.device.read(base + layout.end, layout.band)
            found += [breach.as_json() for breach in breaches(name, layout, below, above, poison)]
        return found

    def digests(self) -> dict[str, str]:
        return {
            name: digest(self.device.read(address, self.layouts[name].size))
            for name, address in self.addresses.items()
            if self.layouts[name].size <= DIGEST_LIMIT
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
            layout = self.layouts[name]
            row["low"], row["start"] = base, base + layout.start
            row["end"], row["high"] = base + layout.end, base + layout.total
        return rows.tobytes()

    def free(self) -> None:
        for base in self.allocations.values():
            self.device.free(base)


def run_plain(
    device: Device, plan: Plan, band: int = BAND, limit: int = 1 << 34, poisons: tuple[int, ...] = POISONS
) -> Observation:
    """The slice as it is, once for each poison: what it wrote into the bands, and digests of the buffers."""
    module = device.load(plan["slice"]["text"], plan["slice"]["name"], tuple(plan["options"]))
    memory = _Memory(device, plan, band, limit)
    runs = []
    for poison in poisons:
        memory.reset(poison)
        _launch(device, module, plan, memory)
        seen: Observation = {"poison": poison, "bands": memory.breaches(poison), "outputs": memory.digests()}
        if near := plan["expectation"].get("near"):
            seen["near"] = memory.distances(near)
        runs.append(seen)
    memory.free()
    return {"runs": runs}


def _launch(device: Device, module: Any, plan: Plan, memory: _Memory) -> None:
    for name, address in memory.addresses.items():
        symbol = device.symbol(module, name) if not _is_argument(plan, name) else None
        if symbol is not None:
            device.write(symbol, device.read(address, memory.layouts[name].size))
    device.launch(module, plan["launch"], [argument_bytes(arg, memory.addresses) for arg in plan["args"]])


def _is_argument(plan: Plan, name: str) -> bool:
    direct = any(arg.get("pointer") == name for arg in plan["args"])
    return direct or any(target == name for arg in plan["args"] for _, target, _ in arg.get("pointers", ()))


# --- the instrumented copy -----------------------------------------------------------------------------------------------


def run_instrumented(device: Device, plan: Plan, band: int = BAND, limit: int = 1 << 34) -> Observation:
    """The instrumented copy: the first bad access of each site, and what the watched blocks did in shared memory."""
    copy = plan["slice"]["instrumented"]
    module = device.load(prelude.TEXT + copy["text"], plan["slice"]["name"], tuple(plan["options"]))
    memory = _Memory(device, plan, band, limit)
    state = _State(device, plan, memory)
    address = device.symbol(module, prelude.NAME)
    if address is None:
        raise DeviceError("no-state", "the instrumented copy has no state", dead=False)
    memory.reset(POISONS[0])
    device.write(address, state.header())
    _launch(device, module, plan, memory)
    observed = state.observed()
    observed["bands"] = memory.breaches(POISONS[0])
    state.free()
    memory.free()
    return observed


class _State:
    """The device side of prelude.STATE."""

    def __init__(self, device: Device, plan: Plan, memory: _Memory) -> None:
        self.device = device
        self.plan = plan
        self.copy = plan["slice"]["instrumented"]
        self.names = list(memory.allocations)
        self.watched = plan["expectation"].get("blocks", [0])[: prelude.WATCHED] if self.copy["races"] else []
        self.sizes = {
            "regions": len(memory.regions()),
            "events": max(1, len(self.copy["sites"])) * prelude.EVENT.itemsize,
            "records": RECORDS * prelude.RECORD.itemsize if self.watched else prelude.RECORD.itemsize,
            "record_count": 4,
            "threads": 8 * prelude.WATCHED * prelude.THREADS,
            "sink": prelude.SINK_BYTES,
        }
        self.at = {name: device.allocate(size) for name, size in self.sizes.items()}
        for name in ("events", "record_count", "threads", "sink"):
            device.fill(self.at[name], 0, self.sizes[name])
        device.write(self.at["regions"], memory.regions())

    def header(self) -> bytes:
        row = np.zeros(1, dtype=prelude.STATE)
        for name, address in self.at.items():
            row[name] = address
        row["watched"][0, : len(self.watched)] = self.watched
        row["region_count"], row["record_capacity"] = len(self.names), RECORDS
        row["watched_count"], row["enabled"] = len(self.watched), 1
        return row.tobytes()

    def observed(self) -> Observation:
        events = np.frombuffer(self.device.read(self.at["events"], self.sizes["events"]), dtype=prelude.EVENT)
        recorded = int.from_bytes(self.device.read(self.at["record_count"], 4), "little")
        kept = min(recorded, RECORDS) if self.watched else 0
        records = np.frombuffer(
            self.device.read(self.at["records"], kept * prelude.RECORD.itemsize), dtype=prelude.RECORD
        )
        threads = int(np.prod(self.plan["launch"]["block"]))
        conflicts = [*shadow.races(records), *shadow.unset(records)] if self.watched else []
        conflicts += shadow.divergences(records, threads) if self.watched else []
        return {
            "accesses": [self._access(site, event) for site, event in enumerate(events) if event["seen"]],
            "conflicts": [self._conflict(conflict) for conflict in conflicts],
            "races": bool(self.watched),
            "truncated": recorded > kept and bool(self.watched),
        }

    def _access(self, site: int, event: Any) -> Observation:
        kind = {prelude.OUT_OF_BOUNDS: "out_of_bounds", prelude.WILD: "wild", prelude.NULL: "null"}[int(event["kind"])]
        memory = ("global", "array", "dynamic shared", "static shared")[int(event["memory"])]
        inside = kind == "out_of_bounds" and memory == "global"
        return {
            "kind": kind, "line": self.copy["sites"][site], "memory": memory,
            "buffer": self.names[int(event["region"])] if inside else None,
            "offset": int(event["offset"]), "size": int(event["size"]),
            "block": [int(v) for v in event["block"]], "thread": [int(v) for v in event["thread"]],
        }  # fmt: skip

    def _conflict(self, conflict: shadow.Conflict) -> Observation:
        return {
            "kind": conflict.kind, "lines": [self.copy["sites"][s] for s in conflict.sites],
            "block": self.watched[conflict.slot], "threads": list(conflict.threads), "address": conflict.address,
        }  # fmt: skip

    def free(self) -> None:
        for address in self.at.values():
            self.device.free(address)
