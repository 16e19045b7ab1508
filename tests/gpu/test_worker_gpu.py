"""What kernels can do to a worker costs their own plan only: faults, traps, kernels without an end, memory, a killed process."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from cudalint.confirm.gpu.plan_file import Plan, with_id
from cudalint.confirm.gpu.pool import Worker, WorkerFailed
from cudalint.confirm.gpu.results import judge

pytestmark = pytest.mark.gpu
GIB = 1 << 30
TIMEOUT = 20.0


def plan(body: str, size: int = 1024, **changes: Any) -> Plan:
    text = f"__global__ void k(volatile int* x, int n) {{ int t = threadIdx.x; {body} }}\n"
    return with_id({
        "kernel": "k", "path": "k.cu", "code": "", "fingerprint": "", "seed": 1,
        "slice": {"text": text, "name": "k", "instrumented": None}, "options": ["-std=c++17"],
        "launch": {"grid": [1, 1, 1], "block": [64, 1, 1], "shared": 0, "cooperative": False},
        "args": [{"pointer": "x", "offset": 0}, {"scalar": "i32", "value": 64}],
        "buffers": [{"name": "x", "size": size, "contents": {"zero": True}}],
        "expectation": {"kinds": ["clean"], "lines": [], "blocks": [0]}, **changes,
    })  # fmt: skip


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    pytest.importorskip("cupy", reason="CuPy is not installed")
    with Worker(0) as one:
        try:
            one.start()
        except WorkerFailed as error:
            pytest.skip(str(error))
        yield one


def ask(worker: Worker, made: Plan, limit: float = 2.0) -> dict[str, Any]:
    job = {"plan": made, "stage": "plain", "memory_limit": 2 * GIB, "limit": limit}
    return worker.ask(job, TIMEOUT)


def is_well(worker: Worker) -> bool:
    made = plan("x[t] = t;")
    return bool(judge(made, {"plain": ask(worker, made)})["verdict"] == "clean")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("x[(1ll << 40) + t] = 1;", "IllegalAddress"),
        ("for (long long k = 0; ; k += 1 << 20) x[k] = t;", "Address"),  # illegal, or of a space that is none
        ("if (t == 3) __trap();", "LaunchFailure"),
        ('if (t == 3) { asm volatile("trap;"); }', "LaunchFailure"),
    ],
)
def test_a_fault_is_told_by_its_name_and_the_next_plan_runs(worker: Worker, body: str, error: str) -> None:
    reply = ask(worker, plan(body))
    assert reply["status"] == "error" and reply["dead"]
    assert error.lower() in reply["error"].lower().replace("_", "")
    assert is_well(worker)


def test_a_kernel_without_an_end_is_ended(worker: Worker) -> None:
    made = plan("while (x[0] == 0) continue;")
    reply = ask(worker, made)
    assert judge(made, {"plain": reply})["verdict"] == "timeout"
    assert is_well(worker)


def test_a_plan_that_asks_for_all_memory_is_refused_without_harm(worker: Worker) -> None:
    drawn = {"name": "x", "size": 90 * GIB, "contents": {"drawn": "u8", "bounds": None}}
    reply = ask(worker, plan("x[t] = t;", buffers=[drawn]))
    assert (reply["error"], reply["dead"]) == ("distinct-values", False)
    starts = worker.starts
    assert is_well(worker) and worker.starts == starts


def test_a_killed_worker_is_started_again(worker: Worker) -> None:
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    made = plan("x[t] = t;")
    assert ask(worker, made)["status"] in ("crashed", "ok")
    assert is_well(worker)


def test_a_large_range_lies_on_little_memory(worker: Worker) -> None:
    large = {"name": "x", "size": 160 * GIB, "contents": {"zero": True}}
    made = plan("x[(1ll << 35) + t] = 1; x[0] = 2;", buffers=[large])
    reply = ask(worker, made)
    assert reply["status"] == "ok" and reply["physical"] < 2 * GIB
    outside = ask(worker, plan("x[-(1ll << 31) + t] = 1;", buffers=[large]))
    assert "illegaladdress" in outside["error"].lower().replace("_", "")
    assert is_well(worker)


def test_an_output_that_is_not_written_is_seen_under_two_poisons(worker: Worker) -> None:
    expectation = {"kinds": ["clean"], "lines": [], "blocks": [0], "written": ["x"]}
    made = plan("if (t < 60) x[t] = t;", size=256, expectation=expectation)
    assert ask(worker, made)["unwritten"] == {"x": [240, 16]}
    whole = plan("x[t] = t;", size=256, expectation=expectation)
    assert ask(worker, whole)["unwritten"] == {}
