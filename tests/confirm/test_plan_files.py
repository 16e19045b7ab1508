"""Plan files, guard bands and the process that runs plans; no GPU and no CuPy."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cudalint.confirm.gpu import worker
from cudalint.confirm.gpu.guard import Layout, breaches, depends_on_poison, nondeterministic
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
from tests.confirm.fake_device import make_plan, observed

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
