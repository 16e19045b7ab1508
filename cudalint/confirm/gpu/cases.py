"""Many small cases of one kernel: compiled once, the buffers kept, contents and bands written anew for each case.

    case = launch, args*, buffers*, seed        as a plan has them

One poison and one run for each. A case that faults ends the process: what the cases before it have shown is in the answer, with
`done`, so that the caller goes on behind it.
"""

from __future__ import annotations

from typing import Any

from cudalint.confirm.gpu.guard import NARROW_BAND, POISONS, Layout, breaches, digest
from cudalint.confirm.gpu.memory import DeviceError
from cudalint.confirm.gpu.plan_file import Plan, argument_bytes, buffer_bytes
from cudalint.confirm.gpu.trial import Device, Observation

POISON = POISONS[0]
ROOM = 1 << 16  # bytes that a buffer has at least, so that larger cases find it large enough


def run_cases(device: Device, plan: Plan, cases: list[dict[str, Any]], limit: int = 1 << 34) -> Observation:
    """One row for each case: what it wrote into the bands, and digests of its buffers; the error of the first that fails."""
    module = device.load(plan["slice"]["text"], plan["slice"]["name"], tuple(plan["options"]))
    kept = _Kept(device, limit)
    rows: list[Observation] = []
    answer: Observation = {"rows": rows}
    for case in cases:
        try:
            if (row := _one(device, module, kept, case)) is None:
                return {**answer, "done": len(rows), "unfinished": True}
        except DeviceError as error:
            failed = {"done": len(rows), "error": error.name, "message": str(error)}
            return {**answer, **failed, "dead": error.dead}
        rows.append(row)
    kept.free()
    return {**answer, "done": len(rows)}


def _one(device: Device, module: Any, kept: _Kept, case: dict[str, Any]) -> Observation | None:
    """None for a kernel that did not end."""
    layouts, addresses = {}, {}
    for buffer in case["buffers"]:
        name = buffer["name"]
        layout = layouts[name] = Layout(buffer["size"], NARROW_BAND)
        base = kept.room(name, layout.total)
        data = buffer_bytes(buffer, case["seed"]) or bytes(layout.size)
        band = bytes([POISON]) * layout.band
        device.write(base, band + data + band)
        addresses[name] = base + layout.start
    args = [argument_bytes(arg, addresses) for arg in case["args"]]
    if not device.launch(module, case["launch"], args):
        return None
    outputs, found = {}, []
    for name, layout in layouts.items():
        whole = device.read(addresses[name] - layout.start, layout.total)
        found += breaches(name, layout, whole[: layout.start], whole[layout.end :], POISON)
        outputs[name] = digest(whole[layout.start : layout.end])
    return {"bands": [breach.as_json() for breach in found], "outputs": outputs}


class _Kept:
    """One allocation for each name, made anew only where it is too small."""

    def __init__(self, device: Device, limit: int) -> None:
        self._device = device
        self._limit = limit
        self._at: dict[str, tuple[int, int]] = {}

    def room(self, name: str, size: int) -> int:
        address, known = self._at.get(name, (0, 0))
        if known >= size:
            return address
        if known:
            self._device.free(address)
        size = max(size, 2 * known, ROOM)
        others = sum(each for other, (_, each) in self._at.items() if other != name)
        if others + size > self._limit:
            raise DeviceError(
                "memory-limit", f"the case needs {others + size} bytes, {self._limit} may be used", dead=False
            )
        self._at[name] = self._device.allocate(size), size
        return self._at[name][0]

    def free(self) -> None:
        for address, _ in self._at.values():
            self._device.free(address)
