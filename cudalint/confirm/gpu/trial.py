"""One plan on one device: the launch of the slice as it is, and what can be seen afterwards.

`Device` is what a trial needs of a GPU; the worker's is made of CuPy, the tests' of NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from cudalint.confirm.gpu.guard import BAND, POISONS
from cudalint.confirm.gpu.memory import Memory
from cudalint.confirm.gpu.plan_file import Plan, argument_bytes

Observation = dict[str, Any]


class Device(Protocol):
    """Raises DeviceError. Addresses are integers; `load` gives a handle for `launch` and `symbol`.

    `reserve` maps a piece of that many bytes again and again over a range, between unmapped guards. `launch` is false for a
    kernel that has not ended within `limit` seconds: memory can be read while it runs on, nothing else can be done.
    """

    limit: float

    def allocate(self, size: int) -> int: ...
    def free(self, address: int) -> None: ...
    def reserve(self, size: int, piece: int, guard: int) -> int: ...
    def release(self, address: int) -> None: ...
    def available(self) -> int: ...
    def write(self, address: int, data: bytes) -> None: ...
    def fill(self, address: int, value: int, size: int) -> None: ...
    def read(self, address: int, size: int) -> bytes: ...
    def load(self, text: str, name: str, options: tuple[str, ...]) -> Any: ...
    def symbol(self, module: Any, name: str) -> int | None: ...
    def launch(self, module: Any, launch: Mapping[str, Any], args: list[bytes]) -> bool: ...


def run_plain(
    device: Device, plan: Plan, band: int = BAND, limit: int = 1 << 34, poisons: tuple[int, ...] = POISONS
) -> Observation:
    """The slice as it is, once for each poison: what it wrote into the bands, and digests of the buffers.

    Buffers that the plan expects to be written as a whole hold the poison before each run: what still holds each of them was
    not written. Where a range of addresses stands for memory, one run shows what there is to see.
    """
    module = device.load(plan["slice"]["text"], plan["slice"]["name"], tuple(plan["options"]))
    memory = Memory(device, plan, band, limit)
    written = frozenset(plan["expectation"].get("written", ()))
    runs: list[Observation] = []
    left: list[dict[str, bytes]] = []
    for poison in poisons[:1] if memory.ranges else poisons:
        memory.reset(poison, written)
        if not launch(device, module, plan, memory):
            return {"runs": runs, "unfinished": True, "physical": memory.physical}
        seen: Observation = {"poison": poison, "bands": memory.breaches(poison), "outputs": memory.digests()}
        if near := plan["expectation"].get("near"):
            seen["near"] = memory.distances(near)
        left.append(memory.data(written))
        runs.append(seen)
    memory.free()
    observed: Observation = {"runs": runs, "physical": memory.physical, "ranges": sorted(memory.ranges)}
    if written and len(set(poisons)) > 1:
        observed["unwritten"] = unwritten(left, poisons)
    return observed


def unwritten(left: list[dict[str, bytes]], poisons: tuple[int, ...]) -> dict[str, list[int]]:
    """By buffer the first byte that held the poison behind every run, and how many did."""
    found = {}
    for name in sorted(left[0]) if len(left) == len(poisons) else ():
        same = np.logical_and.reduce([np.frombuffer(run[name], np.uint8) == p for run, p in zip(left, poisons)])
        if same.any():
            found[name] = [int(np.argmax(same)), int(same.sum())]
    return found


def launch(device: Device, module: Any, plan: Plan, memory: Memory, shape: Mapping[str, Any] | None = None) -> bool:
    """Whether the kernel ended in time; `shape` is a window of the plan's launch."""
    for name, address in memory.addresses.items():
        symbol = device.symbol(module, name) if not _is_argument(plan, name) else None
        if symbol is not None:
            device.write(symbol, device.read(address, memory.layouts[name].size))
    args = [argument_bytes(arg, memory.addresses) for arg in plan["args"]]
    return device.launch(module, shape if shape is not None else plan["launch"], args)


def _is_argument(plan: Plan, name: str) -> bool:
    direct = any(arg.get("pointer") == name for arg in plan["args"])
    return direct or any(target == name for arg in plan["args"] for _, target, _ in arg.get("pointers", ()))
