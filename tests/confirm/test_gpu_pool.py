"""All GPUs of a machine, many small cases, and what the user is warned of: with processes that stand for GPUs."""

from __future__ import annotations

import os
import signal
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from cudalint.confirm.gpu import neighbours, worker
from cudalint.confirm.gpu.cases import run_cases
from cudalint.confirm.gpu.memory import DeviceError
from cudalint.confirm.gpu.pool import Pool, Worker
from cudalint.confirm.gpu.results import judge
from cudalint.confirm.gpu.worker import Settings, each_case
from tests.confirm.fake_device import LINE, FakeDevice, make_plan, pointer, writes_past_the_end

ROOT = str(Path(__file__).resolve().parents[2])
SERVER = """
import os, sys, time
sys.path.insert(0, {root!r})
from cudalint.confirm.gpu.pool import read_message, write_message
out = os.fdopen(os.dup(1), "wb")
write_message(out, {{"status": "ready", "versions": {{}}, "gpus": 2}})
while (job := read_message(sys.stdin.buffer)) is not None:
    cases = job.get("cases", [])
    done = next((at for at, case in enumerate(cases) if case.get("do") == "fault"), len(cases))
    if any(case.get("do") == "crash" for case in cases):
        os.abort()
    time.sleep(job.get("sleep", 0))
    rows = [{{"bands": [], "outputs": {{"y": case["name"]}}}} for case in cases[:done]]
    answer = {{"status": "ok", "pid": os.getpid(), "gpu": {gpu}, "rows": rows, "done": done, "dead": done < len(cases)}}
    write_message(out, answer | ({{"error": "cudaErrorIllegalAddress"}} if done < len(cases) else {{}}))
"""


def command(gpu: int) -> tuple[str, ...]:
    return (sys.executable, "-c", SERVER.format(root=ROOT, gpu=gpu))


def test_all_gpus_work_and_answers_keep_the_order_of_the_jobs() -> None:
    with Pool(None, command) as pool:
        assert [worker.gpu for worker in pool.workers] == [0, 1]
        jobs = list(range(6))
        answers = list(pool.each(jobs, lambda worker, job: (job, worker.ask({"sleep": 0.2}, 60)["gpu"])))
    assert [job for job, _ in answers] == jobs
    assert {gpu for _, gpu in answers} == {0, 1}


def test_one_gpu_may_be_asked_for() -> None:
    with Pool(1, command) as pool:
        assert [worker.gpu for worker in pool.workers] == [1]
        assert list(pool.each([{}], lambda worker, job: worker.ask(job, 60)["gpu"])) == [1]


def test_a_worker_that_is_killed_costs_the_job_that_it_ran() -> None:
    with Worker(0, command(0)) as one:
        first = one.ask({}, 60)
        os.kill(first["pid"], signal.SIGKILL)
        answers = [one.ask({}, 60)["status"] for _ in range(2)]
        assert answers in (["crashed", "ok"], ["ok", "ok"])  # the second where its end was seen before the job was sent
        assert one.starts == 2


def test_a_case_that_faults_and_one_that_ends_the_process_cost_themselves() -> None:
    cases = [{"name": str(number)} for number in range(8)]
    cases[2]["do"], cases[5]["do"] = "fault", "crash"
    with Worker(0, command(0)) as one:
        rows = list(each_case(one, make_plan(), cases, Settings(0, timeout=60.0)))
    names = [row["outputs"]["y"] if "outputs" in row else row["error"] for row in rows]
    assert names == ["0", "1", "cudaErrorIllegalAddress", "3", "4", "crashed", "6", "7"]


# --- cases -------------------------------------------------------------------------------------------------------------


def case(size: int, seed: int = 1) -> dict[str, Any]:
    plan = make_plan(buffers=[{"name": "x", "size": size, "contents": {"drawn": "f32", "bounds": None}}], seed=seed)
    return {key: plan[key] for key in ("launch", "args", "buffers", "seed")}


def test_cases_share_buffers_and_none_sees_what_another_left() -> None:
    device = FakeDevice({"plain": writes_past_the_end})
    first = device.next
    answer = run_cases(device, make_plan(), [case(20), case(40), case(20)])
    assert answer["done"] == 3
    assert [row["bands"][0]["offset"] if row["bands"] else None for row in answer["rows"]] == [20, None, 20]
    assert answer["rows"][0]["outputs"] == answer["rows"][2]["outputs"] != answer["rows"][1]["outputs"]
    assert device.next - first < 3 * (1 << 16)


def test_the_answer_holds_what_came_before_a_case_that_faults() -> None:
    calls: list[int] = []

    def faults_at_the_second(device: FakeDevice, args: list[bytes]) -> None:
        calls.append(pointer(args))
        if len(calls) == 2:
            raise DeviceError("cudaErrorIllegalAddress", "an illegal memory access", dead=True)

    answer = run_cases(FakeDevice({"plain": faults_at_the_second}), make_plan(), [case(20)] * 3)
    assert (answer["done"], answer["error"], answer["dead"]) == (1, "cudaErrorIllegalAddress", True)


def test_a_case_beyond_the_memory_limit_says_so() -> None:
    answer = run_cases(FakeDevice({"plain": lambda *_: None}), make_plan(), [case(1 << 20)], limit=1 << 18)
    assert (answer["done"], answer["error"], answer["dead"]) == (0, "memory-limit", False)


# --- a second look -----------------------------------------------------------------------------------------------------


class Answers:
    """A worker that gives an answer for each stage, and keeps the plans that it was asked for."""

    gpu = 0

    def __init__(self, *conflicts: list[dict[str, Any]]) -> None:
        self.conflicts = iter(conflicts)
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def ask(self, job: dict[str, Any], timeout: float) -> dict[str, Any]:
        self.asked.append((job["stage"], job["plan"]))
        if job["stage"] == "plain":
            return {"status": "ok", "runs": []}
        return {"status": "ok", "accesses": [], "conflicts": next(self.conflicts)}


RACE = {"kind": "race", "lines": [LINE], "block": 0, "threads": [0, 0], "address": 16, "other_block": 1}


def racing(*buffers: dict[str, Any], kinds: tuple[str, ...] = ("race",)) -> dict[str, Any]:
    copy = {"text": "copy", "sites": [LINE], "races": True, "across": True}
    expectation = {"kinds": list(kinds), "lines": [LINE], "blocks": [0]}
    return make_plan(
        slice={"text": "plain", "name": "k", "instrumented": copy},
        expectation=expectation,
        buffers=list(buffers),
        args=[],
    )


def drawn(name: str, element: str) -> dict[str, Any]:
    return {"name": name, "size": 20, "contents": {"drawn": element, "bounds": None}}


def test_a_race_that_does_not_show_is_looked_for_with_counters_at_zero() -> None:
    plan = racing(drawn("x", "f32"), drawn("lock", "u32"))
    answers = Answers([], [RACE])
    observations = worker._observe(answers, plan, Path("k.plan.json"), Settings(0, sanitizer="off"))  # type: ignore[arg-type]
    assert [stage for stage, _ in answers.asked] == ["instrumented", "plain", "instrumented"]
    assert [buffer["contents"] for buffer in answers.asked[-1][1]["buffers"]] == [
        {"drawn": "f32", "bounds": None}, {"zero": True},
    ]  # fmt: skip
    judged = judge(plan, observations)
    assert judged["verdict"] == "confirmed" and "thread 0 of block 0 and thread 0 of block 1" in judged["detail"]


@pytest.mark.parametrize(
    ("plan", "conflicts"),
    [
        (racing(drawn("lock", "u32")), [RACE]),  # it was seen at once
        (racing(drawn("x", "f32")), []),  # no integers are drawn
        (racing(drawn("i", "i32"), kinds=("out_of_bounds",)), []),  # where an access goes hangs on its index
        (racing(drawn("i", "i32"), kinds=("clean",)), []),
    ],
)
def test_no_second_look(plan: dict[str, Any], conflicts: list[dict[str, Any]]) -> None:
    answers = Answers(conflicts)
    worker._observe(answers, plan, Path("k.plan.json"), Settings(0, sanitizer="off"))  # type: ignore[arg-type]
    assert [stage for stage, _ in answers.asked] == ["instrumented", "plain"]


# --- neighbours --------------------------------------------------------------------------------------------------------


def fake_smi(folder: Path, lines: str) -> None:
    tool = folder / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\nprintf '{lines}'\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)


def test_other_processes_of_a_gpu_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_smi(tmp_path, "4242\\n4243\\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(tmp_path / "none"))
    assert "used by 2 other processes" in neighbours.warnings(0)[0]
    assert neighbours.warnings(0, own=(4242, 4243)) == []
    fake_smi(tmp_path, "No devices were found\\n")
    assert neighbours.warnings(0) == []


def test_a_gpu_that_is_shared_through_mps_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(tmp_path))
    assert neighbours.warnings(0) == []
    (tmp_path / "control").touch()
    assert "through MPS" in neighbours.warnings(0)[0]
