"""Plan files, guard bands, records, reports and verdicts, on a device of NumPy; no GPU and no CuPy."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cudalint.confirm.gpu import child, prelude, sanitizer, shadow, worker
from cudalint.confirm.gpu.guard import BAND, POISONS, Layout, breaches, depends_on_poison, nondeterministic
from cudalint.confirm.gpu.instrumented import run_instrumented
from cudalint.confirm.gpu.memory import DeviceError
from cudalint.confirm.gpu.plan_file import (
    PlanError,
    argument_bytes,
    buffer_bytes,
    canonical,
    literal,
    read_plan,
    validated,
    with_id,
    write_plan,
)
from cudalint.confirm.gpu.pool import Worker
from cudalint.confirm.gpu.results import judge, result
from cudalint.confirm.gpu.trial import run_plain

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


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_plan_comes_back_from_its_file_with_the_same_bytes(tmp_path: Path) -> None:
    path = write_plan(tmp_path, make_plan())
    assert read_plan(path) == make_plan()
    assert canonical(read_plan(path)) == path.read_bytes()
    assert path.name == f"{make_plan()['id']}.plan.json"


def test_the_id_does_not_depend_on_the_order_of_the_fields() -> None:
    plan = make_plan()
    assert with_id(dict(reversed(plan.items())))["id"] == plan["id"]
    assert make_plan(seed=8)["id"] != plan["id"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"launch": {"grid": [0, 1, 1], "block": [1, 1, 1], "shared": 0}}, "launch.grid"),
        ({"launch": {"grid": [1, 1, 1], "block": [1, 1, 1], "shared": -1}}, "launch.shared"),
        ({"args": [{"scalar": "i9", "value": 1}]}, "unknown type 'i9'"),
        ({"args": [{"scalar": "u8", "value": 300}]}, "300 is no value of type u8"),
        ({"args": [{"pointer": "nowhere"}]}, "no buffer 'nowhere'"),
        ({"args": [{"bytes": "!", "pointers": []}]}, "not base64"),
        ({"args": [{"bytes": "AAAA", "pointers": [[0, "x", 0]]}]}, "outside of its bytes"),
        ({"buffers": [{"name": "x", "size": 3, "contents": {"literal": "AAAA", "x": 1}}], "args": []}, None),
        (
            {"buffers": [{"name": "x", "size": 4, "contents": {"literal": "AAAA"}}], "args": []},
            "bytes are not its size",
        ),
        ({"slice": {"name": "k"}}, "no text"),
        ({"seed": "7"}, "`seed`"),
    ],
)
def test_a_wrong_plan_is_refused_in_one_line(change: dict[str, Any], words: str | None) -> None:
    if words is None:
        assert validated(make_plan(**change))
        return
    with pytest.raises(PlanError) as error:
        validated(make_plan(**change))
    assert words in str(error.value) and "\n" not in str(error.value)


def test_a_changed_or_foreign_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.plan.json"
    path.write_bytes(canonical({**make_plan(), "seed": 9}))
    with pytest.raises(PlanError, match=r"a\.plan\.json: the id is not the hash"):
        read_plan(path)
    path.write_text("{")
    with pytest.raises(PlanError, match="not JSON"):
        read_plan(path)
    path.write_text('{"schema": "cudalint-plan/9"}')
    with pytest.raises(PlanError, match="cudalint-plan/9"):
        read_plan(path)


def test_arguments_are_bytes_of_their_type() -> None:
    at = {"x": 0x1000}
    assert argument_bytes({"scalar": "i32", "value": -2}, at) == b"\xfe\xff\xff\xff"
    assert argument_bytes({"scalar": "u64", "value": 2**63}, at) == (2**63).to_bytes(8, "little")
    assert argument_bytes({"scalar": "f32", "value": (1.5).hex()}, at) == np.float32(1.5).tobytes()
    assert argument_bytes({"scalar": "bf16", "value": "0x1p0"}, at) == b"\x80\x3f"
    assert argument_bytes({"scalar": "bool", "value": 1}, at) == b"\x01"
    assert argument_bytes({"pointer": "x", "offset": 8}, at) == (0x1008).to_bytes(8, "little")
    assert argument_bytes({"pointer": None}, at) == bytes(8)
    mixed = {"bytes": "BwAAAAAAAAAAAAAAAAAAAA==", "pointers": [[8, "x", 4]]}
    assert argument_bytes(mixed, at) == (7).to_bytes(8, "little") + (0x1004).to_bytes(8, "little")


def test_buffers_are_drawn_from_the_seed() -> None:
    buffer = {"name": "x", "size": 40, "contents": {"drawn": "i32", "bounds": [3, 9]}}
    first = buffer_bytes(buffer, 1)
    assert first is not None and first == buffer_bytes(buffer, 1) != buffer_bytes(buffer, 2)
    assert set(np.frombuffer(first, dtype="<i4")) <= set(range(3, 9))
    assert buffer_bytes({**buffer, "contents": {"zero": True}}, 1) is None


def test_bytes_that_are_mostly_zero_are_written_in_pieces() -> None:
    sparse = bytes(4096) + b"ab" + bytes(9) + b"c" + bytes(4096)
    contents = literal(sparse)
    assert [at for at, _ in contents["pieces"]] == [4096]
    assert buffer_bytes({"name": "x", "size": len(sparse), "contents": contents}, 0) == sparse
    assert "literal" in literal(b"abc")
    outside = {"name": "x", "size": 4, "contents": {"pieces": [[3, "AAAA"]]}}
    with pytest.raises(PlanError, match="a piece outside of it"):
        validated(make_plan(buffers=[outside], args=[]))


# --- guard bands -----------------------------------------------------------------------------------------------------


def test_the_upper_band_begins_at_the_end_of_the_data() -> None:
    layout = Layout(20, 256)
    assert (layout.start, layout.end, layout.total) == (256, 276, 532)


def test_a_write_into_a_band_is_told_by_its_place() -> None:
    layout = Layout(20, 16)
    below, above = bytearray([0xC2] * 16), bytearray([0xC2] * 16)
    assert breaches("x", layout, bytes(below), bytes(above), 0xC2) == []
    below[12:16] = bytes(4)
    above[4:8] = bytes(4)
    found = [(b.side, b.offset, b.count) for b in breaches("x", layout, bytes(below), bytes(above), 0xC2)]
    assert found == [("below", -1, 4), ("above", 24, 4)]


def test_only_a_difference_of_poisons_is_a_read_of_a_band() -> None:
    assert depends_on_poison([{"y": "a"}, {"y": "a"}, {"y": "b"}]) == ["y"]
    assert depends_on_poison([{"y": "a"}, {"y": "b"}, {"y": "c"}]) == []
    assert nondeterministic([{"y": "a"}, {"y": "b"}, {"y": "c"}]) == ["y"]


# --- a device of NumPy -----------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("plain", "instrumented", "verdict", "by"),
    [
        ("inside", None, "clean", None),
        ("write", None, "confirmed", "guard bands"),
        ("read", None, "confirmed", "poison"),
        ("fault", None, "confirmed", "driver"),
        ("inside", "event", "confirmed", "instrumented"),
        ("write", "nothing", "fault", "guard bands"),
        ("inside", "nothing", "clean", None),
    ],
)
def test_verdicts(plain: str, instrumented: str | None, verdict: str, by: str | None) -> None:
    judged = judge(*observed(plain, instrumented))
    assert (judged["verdict"], judged["by"]) == (verdict, by)


CLEAN = {"expectation": {"kinds": ["clean"], "lines": [], "blocks": [0]}}


@pytest.mark.parametrize("plain", ["write", "read", "fault"])
def test_a_clean_plan_that_shows_something_is_a_fault(plain: str) -> None:
    assert judge(*observed(plain, **CLEAN))["verdict"] == "fault"
    assert judge(*observed("inside", **CLEAN))["verdict"] == "clean"


def test_an_access_at_another_line_is_another_fault() -> None:
    elsewhere = {"kinds": ["out_of_bounds"], "lines": [["k.cu", 9]], "blocks": [0]}
    assert judge(*observed("inside", "event", expectation=elsewhere))["verdict"] == "fault"


@pytest.mark.parametrize(("plain", "verdict"), [("write", "confirmed"), ("inside", "error")])
def test_what_the_code_of_a_library_does_is_named_by_no_site(plain: str, verdict: str) -> None:
    """Guard bands show it, though without its line; where they show nothing, nothing was refuted."""
    inside = {"kinds": ["out_of_bounds"], "lines": [["k.cu", 30]], "blocks": [0]}
    judged = judge(*observed(plain, "nothing", expectation=inside))
    assert judged["verdict"] == verdict
    assert (judged["error"] == "not_instrumented") is (verdict == "error")


@pytest.mark.parametrize(
    ("expected", "guarded", "verdict"),
    [
        ("clean", [], "fault"),
        ("clean", [LINE], "clean"),
        ("clean", [["k.cu", 9]], "fault"),
        ("warp_mask", [LINE], "confirmed"),
    ],
)
def test_a_lane_that_is_not_there_counts_where_the_result_is_read(
    expected: str, guarded: list[Any], verdict: str
) -> None:
    lines = [] if expected == "clean" else [LINE]
    plan = make_plan(expectation={"kinds": [expected], "lines": lines, "blocks": [0], "guarded": guarded})
    asked = {"kind": "absent_lane", "lines": [LINE], "block": 0, "threads": [3, 4], "address": 0}
    ran = {"status": "ok", "accesses": [], "conflicts": [asked], "truncated": False}
    assert judge(plan, {"instrumented": ran, "plain": {"status": "ok", "runs": []}})["verdict"] == verdict


def test_the_detail_names_the_access() -> None:
    plan, observations = observed("inside", "event")
    outcome = result(plan, observations, {"gpu": "none"})
    assert outcome["detail"] == ("out_of_bounds: block (0,0,0) thread (5,0,0) goes to byte 20 of `x`, 4 bytes (k.cu:4)")
    assert json.loads(canonical(outcome))["schema"] == "cudalint-results/1"


def test_a_time_limit_and_an_unknown_error_are_no_evidence() -> None:
    plan = make_plan()
    assert judge(plan, {"plain": {"status": "timeout"}})["verdict"] == "timeout"
    failed = judge(plan, {"plain": {"status": "error", "error": "compile", "message": "no such type"}})
    assert (failed["verdict"], failed["error"]) == ("error", "compile")


def test_a_plan_beyond_the_memory_limit_says_what_it_needs() -> None:
    with pytest.raises(DeviceError, match=r"needs .* bytes of device memory"):
        run_plain(FakeDevice({"plain": stays_inside}), make_plan(), limit=BAND)


def test_poisons_surround_the_data_of_every_run() -> None:
    seen: list[bytes] = []

    def look(device: FakeDevice, args: list[bytes]) -> None:
        seen.append(device.read(pointer(args) - 1, 1) + device.read(pointer(args) + 20, 1))

    run_plain(FakeDevice({"plain": look}), make_plan())
    assert seen == [bytes([poison, poison]) for poison in POISONS]


FULL = 0xFFFFFFFF

# --- records of shared memory ------------------------------------------------------------------------------------------


def records(*rows: tuple[int, int, int, int, int]) -> Any:
    """(site, address, kind, thread, interval)"""
    table = np.zeros(len(rows), dtype=prelude.RECORD)
    for row, (site, address, kind, thread, interval) in zip(table, rows):
        row["site"], row["address"], row["kind"], row["thread"], row["interval"] = site, address, kind, thread, interval
        row["size"] = 4
    return table


def test_a_write_and_a_read_of_two_threads_in_one_interval_race() -> None:
    (found,) = shadow.races(records((0, 16, prelude.WRITE, 0, 1), (1, 16, prelude.READ, 1, 1)))
    assert (found.sites, found.threads, found.address) == ((0, 1), (0, 1), 16)


@pytest.mark.parametrize(
    "rows",
    [
        [(0, 16, prelude.WRITE, 0, 1), (1, 16, prelude.READ, 1, 2)],
        [(0, 16, prelude.WRITE, 0, 1), (1, 20, prelude.READ, 1, 1)],
        [(0, 16, prelude.WRITE, 0, 1), (1, 16, prelude.READ, 0, 1)],
        [(0, 16, prelude.READ, 0, 1), (1, 16, prelude.READ, 1, 1)],
        [(0, 16, prelude.ATOMIC, 0, 1), (1, 16, prelude.ATOMIC, 1, 1)],
        [],
    ],
)
def test_no_race(rows: list[tuple[int, int, int, int, int]]) -> None:
    assert shadow.races(records(*rows)) == []


@pytest.mark.parametrize(
    ("masks", "count"), [((0xFFFF, 0xFFFF0000), 1), ((0x80000001, 0x80000001), 0), ((FULL, FULL), 0)]
)
def test_a_sync_of_some_lanes_orders_those(masks: tuple[int, int], count: int) -> None:
    """Lane 0 writes and lane 31 reads, each on its side of its `__syncwarp`."""
    rows = [(0, 16, prelude.WRITE, 0, 1), (1, masks[0], prelude.MEET, 0, 1)]
    table = records(*rows, (1, masks[1], prelude.MEET, 31, 1), (2, 16, prelude.READ, 31, 1))
    table["flags"] = [0, prelude.SYNC, prelude.SYNC, 0]
    table["phase"] = [0, 0, 0, 1]
    assert len(shadow.races(table)) == count


def test_an_atomic_races_with_a_plain_access() -> None:
    assert shadow.races(records((0, 16, prelude.ATOMIC, 0, 1), (1, 16, prelude.READ, 1, 1)))


def test_two_stores_race_unless_they_store_the_same_which_the_records_do_not_say() -> None:
    rows = ((0, 16, prelude.WRITE, 0, 1), (1, 16, prelude.ATOMIC, 1, 1))
    (found,) = shadow.races(records(*rows))
    assert found.kind == "stores"
    conflict = {"kind": "stores", "lines": [LINE], "block": 0, "threads": [0, 1], "address": 16}
    seen = {"instrumented": {"status": "ok", "accesses": [], "conflicts": [conflict]}}
    assert (
        judge(make_plan(expectation={"kinds": ["race"], "lines": [LINE], "blocks": [0]}), seen)["verdict"]
        == "confirmed"
    )
    assert judge(make_plan(expectation={"kinds": ["clean"], "lines": [], "blocks": [0]}), seen)["verdict"] == "clean"


def test_stores_at_two_lines_do_not_hide_that_one_of_them_is_read() -> None:
    table = records((0, 16, prelude.WRITE, 0, 1), (0, 16, prelude.WRITE, 1, 1), (0, 16, prelude.READ, 2, 1))
    assert sorted(conflict.kind for conflict in shadow.races(table)) == ["race", "stores"]


def test_a_wide_access_races_with_the_narrow_ones_that_it_covers() -> None:
    table = records((0, 16, prelude.WRITE, 0, 0), (1, 24, prelude.READ, 1, 0))
    table["size"][0] = 16
    assert len(shadow.races(table)) == 1


def test_syncwarp_orders_the_lanes_of_a_warp_only() -> None:
    table = records((0, 16, prelude.WRITE, 0, 0), (1, 16, prelude.READ, 1, 0))
    table["phase"][1] = 1
    assert shadow.races(table) == []
    table["thread"][1] = 40
    assert len(shadow.races(table)) == 1


def test_a_warp_that_stores_again_before_its_next_barrier_races_with_its_readers() -> None:
    rounds = [
        row
        for k in range(6)
        for row in ((0, 16, prelude.WRITE, 0, 0), (1, 16, prelude.READ, 1, 0))  # one barrier stands between the two
    ]
    table = records(*rounds)
    table["phase"] = [k + late for k in range(6) for late in (0, 1)]
    assert [(c.sites, sorted(c.threads)) for c in shadow.races(table)] == [((0, 1), [0, 1])]
    table["phase"] = [2 * k + late for k in range(6) for late in (0, 1)]  # and one at the end of each round
    assert shadow.races(table) == []


def test_what_is_read_before_anybody_of_the_block_has_written_it_is_not_set() -> None:
    table = records((0, 16, prelude.WRITE, 0, 0), (1, 16, prelude.READ, 1, 1), (1, 20, prelude.READ, 1, 1))
    assert [(c.kind, c.sites, c.address) for c in shadow.unset(table)] == [("uninitialised", (1,), 20)]
    later = records((1, 16, prelude.READ, 1, 0), (0, 16, prelude.WRITE, 0, 1))
    assert [c.sites for c in shadow.unset(later)] == [(1,)]


@pytest.mark.parametrize("kind", [prelude.ATOMIC, prelude.BOTH])
def test_what_changes_an_element_reads_it_and_sets_it_for_others(kind: int) -> None:
    counted = records((0, 16, kind, 0, 0), (1, 16, prelude.READ, 1, 1))
    assert [(c.kind, c.sites) for c in shadow.unset(counted)] == [("uninitialised", (0,))]
    cleared = records((0, 16, prelude.WRITE, 0, 0), (1, 16, kind, 1, 1), (2, 16, prelude.READ, 0, 2))
    assert shadow.unset(cleared) == []


def test_barriers() -> None:
    together = records((0, 0, prelude.BARRIER, 0, 0), (0, 0, prelude.BARRIER, 1, 0))
    assert shadow.divergences(together, 2) == []
    (skipped,) = shadow.divergences(together[:1], 2)
    assert (skipped.kind, skipped.threads) == ("divergence", (0, 1))
    (exited,) = shadow.divergences(records((0, 0, prelude.BARRIER, 0, 0), (5, 0, prelude.LEAVE, 1, 0)), 2)
    assert exited.kind == "exit_before_barrier"
    (two,) = shadow.divergences(records((0, 0, prelude.BARRIER, 0, 0), (1, 0, prelude.BARRIER, 1, 0)), 2)
    assert (two.kind, two.sites) == ("divergence", (0, 1))


def test_an_instrumented_run_reads_the_records_of_the_device() -> None:
    def races_on_a_cell(device: FakeDevice, args: list[bytes]) -> None:
        state = device.shared_state()
        table = records((0, 16, prelude.WRITE, 0, 0), (1, 16, prelude.READ, 1, 0))
        device.write(int(state["records"]), table.tobytes())
        device.write(int(state["record_count"]), (2).to_bytes(4, "little"))

    copy = {"text": "race", "sites": [LINE, ["k.cu", 5]], "races": True}
    plan = make_plan(
        slice={"text": "", "name": "k", "instrumented": copy},
        launch={"grid": [300, 1, 1], "block": [32, 1, 1], "shared": 0},
        expectation={"kinds": ["race"], "lines": [LINE, ["k.cu", 5]], "blocks": [3]},
    )
    seen = run_instrumented(FakeDevice({"race": races_on_a_cell}), plan)
    assert seen["conflicts"] == [
        {"kind": "race", "lines": [LINE, ["k.cu", 5]], "block": 3, "threads": [0, 1], "address": 16}
    ]
    assert judge(plan, {"instrumented": {"status": "ok", **seen}})["verdict"] == "confirmed"


# --- reports of compute-sanitizer --------------------------------------------------------------------------------------

MEMCHECK = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at saxpy(int, float, const float *, float *)+0x110 in /tmp/a/9f.cubin.cu:6
=========     by thread (96,0,0) in block (3,0,0)
=========     Access at 0x7f5a400003e8 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f5a40000000 of size 1000 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: cuLaunchKernel [0x2f1a] in libcuda.so.1
=========         Host Frame: main in child.py:99 [0x12]
=========
========= ERROR SUMMARY: 1 error
"""
MISALIGNED = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 16 bytes
=========     at scale_rows(const float *, float *, int, float)+0x130 in /tmp/a/9f.cubin.cu:9
=========     by thread (0,0,0) in block (1,0,0)
=========     Access to 0x7f34e8000fa4 is misaligned
=========     and is inside the nearest allocation at 0x7f34e8000000 of size 256256 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========
========= ERROR SUMMARY: 1 error
"""
RACECHECK = """\
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at sum(int *)+0x1b0 in /tmp/a/9f.cubin.cu:10
=========     and Read access at sum(int *)+0x1d0 in /tmp/a/9f.cubin.cu:12 [126 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""
SYNCCHECK = """\
========= COMPUTE-SANITIZER
========= Barrier error detected. Divergent thread(s) in block.
=========     at both(float *)+0x70 in /tmp/a/9f.cubin.cu:8
=========     by thread (32,0,0) in block (0,0,0)
=========
========= ERROR SUMMARY: 1 error
"""


@pytest.mark.parametrize(
    ("output", "kind", "lines"),
    [
        (MEMCHECK, "out_of_bounds", (6,)),
        (MISALIGNED, "misaligned", (9,)),
        (RACECHECK, "race", (10, 12)),
        (SYNCCHECK, "divergence", (8,)),
    ],
)
def test_reports_become_kinds_and_lines(output: str, kind: str, lines: tuple[int, ...]) -> None:
    (report,) = sanitizer.parse(output)
    assert (report.kind, report.lines) == (kind, lines)


def test_a_clean_report_is_empty() -> None:
    assert sanitizer.parse("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n") == []


def test_a_report_at_the_expected_line_confirms() -> None:
    plan = make_plan(expectation={"kinds": ["out_of_bounds"], "lines": [["k.cu", 6]], "blocks": []})
    reports = [report.as_json() for report in sanitizer.parse(MEMCHECK)]
    judged = judge(plan, {"sanitizer": {"tool": "memcheck", "status": "ok", "reports": reports}})
    assert (judged["verdict"], judged["by"]) == ("confirmed", "compute-sanitizer memcheck")


# --- the worker process ------------------------------------------------------------------------------------------------

SERVER = """
import os, sys, time
sys.path.insert(0, {root!r})
from cudalint.confirm.gpu.pool import read_message, write_message
out = os.fdopen(os.dup(1), "wb")
write_message(out, {{"status": "ready", "versions": {{"gpu": "fake"}}}})
while (job := read_message(sys.stdin.buffer)) is not None:
    if job["do"] == "hang":
        time.sleep(60)
    if job["do"] == "crash":
        os.abort()
    write_message(out, {{"status": "ok", "dead": job["do"] == "fault", "pid": os.getpid()}})
"""


def test_a_worker_survives_what_its_process_does_not() -> None:
    root = str(Path(__file__).resolve().parents[2])
    with Worker(0, (sys.executable, "-c", SERVER.format(root=root))) as one:
        first = one.ask({"do": "work"}, 30)
        assert one.ask({"do": "work"}, 30)["pid"] == first["pid"]
        assert one.ask({"do": "hang"}, 0.2) == {"status": "timeout"}
        assert one.ask({"do": "crash"}, 30)["status"] == "crashed"
        assert one.ask({"do": "fault"}, 30)["dead"]
        assert one.ask({"do": "work"}, 30)["status"] == "ok"
        assert (one.starts, one.versions) == (4, {"gpu": "fake"})


def test_a_directory_without_plans_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert worker.run_plans(str(tmp_path)) == 2
    assert worker.run_plans(str(tmp_path / "none")) == 2
    assert "no plans" in capsys.readouterr().err


def test_results_lie_beside_the_plans(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = make_plan()
    write_plan(tmp_path, plan)
    (tmp_path / "bad.plan.json").write_text("[]")
    monkeypatch.setattr(worker, "_observe", lambda *_: observed("write")[1])
    assert worker.run_plans(str(tmp_path), gpu=0, sanitizer="off") == 3
    captured = capsys.readouterr()
    assert captured.out == "2 plans: 1 confirmed, 1 unreadable\n"
    said = [line for line in captured.err.splitlines() if "other process" not in line]  # of a GPU that is in use
    assert len(said) == 1
    written = json.loads((tmp_path / f"{plan['id']}.result.json").read_bytes())
    assert (written["verdict"], written["fingerprint"]) == ("confirmed", "f00d")


def test_the_layouts_of_the_shared_state_are_those_of_the_device_text() -> None:
    sizes = (prelude.REGION.itemsize, prelude.EVENT.itemsize, prelude.RECORD.itemsize, prelude.STATE.itemsize)
    assert sizes == (32, 56, 32, 152)
