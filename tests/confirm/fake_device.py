"""A plan, and a device of NumPy that runs it: memory is one array, kernels are Python functions over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cudalint.confirm.gpu import child, prelude
from cudalint.confirm.gpu.memory import DeviceError
from cudalint.confirm.gpu.plan_file import with_id

LINE = ["k.cu", 4]


def make_plan(**changes: Any) -> dict[str, Any]:
    plan: dict[str, Any] = {
        "kernel": "k",
        "path": "k.cu",
        "code": "IDX101",
        "fingerprint": "f00d",
        "seed": 7,
        "slice": {"text": "plain", "name": "k", "instrumented": None},
        "options": ["-std=c++17"],
        "launch": {"grid": [2, 1, 1], "block": [32, 1, 1], "shared": 0, "cooperative": False},
        "args": [{"scalar": "i32", "value": 5}, {"pointer": "x", "offset": 0}, {"pointer": None, "offset": 0}],
        "buffers": [{"name": "x", "size": 20, "contents": {"drawn": "f32", "bounds": None}}],
        "expectation": {"kinds": ["out_of_bounds", "null"], "lines": [LINE], "blocks": [0]},
    }
    return with_id({**plan, **changes})


class FakeDevice:
    """Memory is one array; a kernel is a Python function over it, found by the text of its slice."""

    def __init__(self, kernels: Mapping[str, Callable[[FakeDevice, list[bytes]], None]], size: int = 24 << 20) -> None:
        self.memory = np.zeros(size, dtype=np.uint8)
        self.next = 4096
        self.kernels = kernels
        self.state = 0
        self.limit = 5.0
        self.reserved: list[tuple[int, int, int]] = []

    def reserve(self, size: int, piece: int, guard: int) -> int:
        self.reserved.append((size, piece, guard))
        return self.allocate(piece)

    def release(self, address: int) -> None:
        pass

    def allocate(self, size: int) -> int:
        at = self.next
        self.next += -(-size // 256) * 256
        if self.next > len(self.memory):
            self.memory = np.concatenate([self.memory, np.zeros(self.next, dtype=np.uint8)])
        return at

    def free(self, address: int) -> None:
        pass

    def available(self) -> int:
        return 1 << 30

    def write(self, address: int, data: bytes) -> None:
        self.memory[address : address + len(data)] = np.frombuffer(data, dtype=np.uint8)

    def fill(self, address: int, value: int, size: int) -> None:
        self.memory[address : address + size] = value

    def read(self, address: int, size: int) -> bytes:
        return self.memory[address : address + size].tobytes()

    def load(self, text: str, name: str, options: tuple[str, ...]) -> Any:
        self.state = self.allocate(prelude.STATE.itemsize)
        return next(kernel for key, kernel in self.kernels.items() if text.endswith(key))

    def symbol(self, module: Any, name: str) -> int | None:
        return self.state if name == prelude.NAME else None

    def launch(self, module: Any, launch: Mapping[str, Any], args: list[bytes]) -> bool:
        return module(self, args) is not False

    def shared_state(self) -> Any:
        return np.frombuffer(self.read(self.state, prelude.STATE.itemsize), dtype=prelude.STATE)[0]


def pointer(args: list[bytes]) -> int:
    return int.from_bytes(args[1], "little")


def stays_inside(device: FakeDevice, args: list[bytes]) -> None:
    device.write(pointer(args), bytes(20))


def writes_past_the_end(device: FakeDevice, args: list[bytes]) -> None:
    device.write(pointer(args) + 20, bytes(4))


def reads_past_the_end(device: FakeDevice, args: list[bytes]) -> None:
    device.write(pointer(args), device.read(pointer(args) + 20, 4))


def faults(device: FakeDevice, args: list[bytes]) -> None:
    raise DeviceError("cudaErrorIllegalAddress", "cudaErrorIllegalAddress: an illegal memory access", dead=True)


def reports_an_access(device: FakeDevice, args: list[bytes]) -> None:
    event = np.zeros(1, dtype=prelude.EVENT)
    event["seen"], event["kind"], event["offset"], event["size"] = 1, prelude.OUT_OF_BOUNDS, 20, 4
    event["thread"] = (5, 0, 0)
    device.write(int(device.shared_state()["events"]), event.tobytes())


KERNELS = {
    "inside": stays_inside, "write": writes_past_the_end, "read": reads_past_the_end, "fault": faults,
    "event": reports_an_access, "nothing": lambda device, args: None,
}  # fmt: skip


def observed(plain: str, instrumented: str | None = None, **changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    copy = None if instrumented is None else {"text": instrumented, "sites": [LINE, ["k.cu", 9]], "races": True}
    plan = make_plan(slice={"text": plain, "name": "k", "instrumented": copy}, **changes)
    device = FakeDevice(KERNELS)
    job = {"plan": plan, "memory_limit": 1 << 30}
    observations = {"plain": child.answer(device, {**job, "stage": "plain"})}
    if instrumented is not None:
        observations["instrumented"] = child.answer(FakeDevice(KERNELS), {**job, "stage": "instrumented"})
    return plan, observations
