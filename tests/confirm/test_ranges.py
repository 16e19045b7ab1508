"""Buffers larger than the memory that may be used, windows of huge grids, and kernels that do not end: on a device of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cudalint.confirm.gpu import child, prelude
from cudalint.confirm.gpu.instrumented import run_instrumented
from cudalint.confirm.gpu.memory import GUARD, PIECE, DeviceError, Memory
from cudalint.confirm.gpu.results import judge
from cudalint.confirm.gpu.trial import run_plain, unwritten
from tests.confirm.fake_device import LINE, FakeDevice, make_plan, pointer

GIB = 1 << 30
LARGE = {"name": "x", "size": 20 * GIB, "contents": {"zero": True}}
COPY = {"text": "copy", "sites": [LINE, ["k.cu", 9]], "races": True, "across": True}
SLICE = {"text": "plain", "name": "k", "instrumented": COPY}


def nothing(device: FakeDevice, args: list[bytes]) -> None:
    pass


def test_what_is_larger_than_the_memory_is_a_range_of_one_small_piece() -> None:
    device = FakeDevice({"plain": nothing}, size=PIECE + (1 << 20))
    observed = run_plain(device, make_plan(buffers=[LARGE]), limit=2 * GIB)
    assert device.reserved == [(20 * GIB, PIECE, GUARD)]
    assert observed["ranges"] == ["x"] and observed["physical"] == PIECE
    assert len(observed["runs"]) == 1 and observed["runs"][0]["outputs"] == {}  # values and bands are not judged there


def test_guards_are_as_far_as_an_index_of_32_bits_leads() -> None:
    memory = Memory(FakeDevice({}, size=PIECE + (1 << 20)), make_plan(buffers=[LARGE]), 1 << 20, 2 * GIB)
    (row,) = np.frombuffer(memory.regions(), dtype=prelude.REGION)
    assert int(row["end"]) - int(row["start"]) == 20 * GIB
    assert int(row["high"]) - int(row["end"]) == GUARD >= (1 << 31) * 16


def test_small_buffers_stay_what_they_are() -> None:
    device = FakeDevice({"plain": nothing}, size=PIECE + (8 << 20))
    small = {"name": "y", "size": 20, "contents": {"drawn": "f32", "bounds": None}}
    observed = run_plain(device, make_plan(buffers=[LARGE, small]), limit=2 * GIB)
    assert observed["ranges"] == ["x"] and set(observed["runs"][0]["outputs"]) == {"y"}


def test_values_that_are_not_alike_need_memory_of_their_own() -> None:
    drawn = {"name": "x", "size": 3 * PIECE, "contents": {"drawn": "u8", "bounds": None}}
    with pytest.raises(DeviceError, match="the values of `x` are not all alike") as error:
        Memory(FakeDevice({}), make_plan(buffers=[drawn]), 1 << 20, PIECE)
    assert error.value.name == "distinct-values" and not error.value.dead


def windows(blocks: list[int], grid: list[int], kernel: Any = None, **changes: Any) -> tuple[list[Any], list[Any]]:
    """The grids that were launched, and the first blocks of their windows."""
    grids, firsts = [], []

    class Recording(FakeDevice):
        def launch(self, module: Any, launch: Any, args: list[bytes]) -> bool:
            grids.append(launch["grid"])
            firsts.append(self.shared_state()["first"].tolist())
            return super().launch(module, launch, args)

    kinds = {"kinds": ["out_of_bounds"], "lines": [LINE], "blocks": blocks}
    launch = {"grid": grid, "block": [32, 1, 1], "shared": 0}
    plan = make_plan(**{"slice": SLICE, "launch": launch, "expectation": kinds, **changes})
    run_instrumented(Recording({"copy": kernel or sees_an_access}), plan)
    return grids, firsts


def sees_an_access(device: FakeDevice, args: list[bytes]) -> None:
    event = np.zeros(1, dtype=prelude.EVENT)
    event["seen"], event["kind"] = 1, prelude.OUT_OF_BOUNDS
    device.write(int(device.shared_state()["events"]), event.tobytes())


def test_of_a_huge_grid_only_the_blocks_that_matter_are_launched() -> None:
    grids, firsts = windows([70_000 * 3 + 12, 0], [70_000, 5, 1])
    assert grids == [[1, 1, 1], [1, 1, 1]]
    assert firsts == [[12, 3, 0], [0, 0, 0]]


def test_a_grid_that_is_not_huge_is_launched_whole() -> None:
    assert windows([3], [100, 1, 1])[0] == [[100, 1, 1]]


def test_the_whole_grid_follows_where_its_windows_show_nothing() -> None:
    assert windows([7], [70_000, 1, 1], kernel=nothing)[0] == [[1, 1, 1], [70_000, 1, 1]]


def test_a_clean_launch_is_never_a_window() -> None:
    clean = {"kinds": ["clean"], "lines": [], "blocks": [0]}
    assert windows([0], [70_000, 1, 1], expectation=clean)[0] == [[70_000, 1, 1]]


def test_a_kernel_that_does_not_end_tells_where_its_threads_wait() -> None:
    def waits(device: FakeDevice, args: list[bytes]) -> bool:
        table = np.zeros(1, dtype=prelude.RECORD)
        table["kind"] = prelude.BARRIER
        state = device.shared_state()
        device.write(int(state["records"]), table.tobytes())
        device.write(int(state["record_count"]), (1).to_bytes(4, "little"))
        return False

    plan = make_plan(slice=SLICE, expectation={"kinds": ["divergence"], "lines": [LINE], "blocks": [0]})
    reply = child.answer(FakeDevice({"copy": waits}), {"stage": "instrumented", "plan": plan, "memory_limit": GIB})
    assert reply["unfinished"] and reply["dead"]  # the process can do nothing else
    assert judge(plan, {"instrumented": reply})["verdict"] == "confirmed"
    clean = make_plan(slice=SLICE, expectation={"kinds": ["clean"], "lines": [], "blocks": [0]})
    plain = child.answer(
        FakeDevice({"plain": lambda *_: False}), {"stage": "plain", "plan": clean, "memory_limit": GIB}
    )
    assert judge(clean, {"plain": plain})["verdict"] == "timeout"


def test_an_output_that_is_not_written_as_a_whole_is_told() -> None:
    def writes_half(device: FakeDevice, args: list[bytes]) -> None:
        device.write(pointer(args), bytes(12))

    expectation = {"kinds": ["clean"], "lines": [], "blocks": [0], "written": ["x"]}
    plan = make_plan(expectation=expectation)
    observed = run_plain(FakeDevice({"plain": writes_half}), plan)
    assert observed["unwritten"] == {"x": [12, 8]}
    judged = judge(plan, {"plain": {"status": "ok", **observed}})
    assert judged["verdict"] == "fault" and "8 bytes of `x` are not written" in judged["detail"]


def test_bytes_that_equal_one_poison_only_are_written() -> None:
    assert unwritten([{"x": b"\x3c\x3c"}, {"x": b"\x3c\xc2"}], (0x3C, 0xC2)) == {"x": [1, 1]}
