"""How many small cases of one kernel a GPU runs in a second, and how long the first verdict takes.

    python -m tests.gpu.throughput [--cases 10000] [--gpu N]

A case is one launch with its own sizes, scalars and inputs, between bands that are written anew: one poison and one run. The
worker's start (Python, CuPy, the context, NVRTC) is in the first figure and in the second. Each result is compared with NumPy's.
The status is 1 where a result is
wrong or a figure below what it should be: 1,000 cases in a second, the first verdict within 5 seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from cudalint.confirm.gpu.guard import digest
from cudalint.confirm.gpu.plan_file import Plan, buffer_bytes, with_id
from cudalint.confirm.gpu.pool import Worker, WorkerFailed
from cudalint.confirm.gpu.worker import Settings, each_case

TEXT = """
__global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
BLOCK = 256
SIZES = (1, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000, 1023, 1024, 1025, 4095, 4096)
LEAST_RATE, MOST_SECONDS = 1000.0, 5.0


def case(number: int) -> dict[str, Any]:
    """One launch: sizes around those of warps and blocks in turn, contents by the number."""
    n = SIZES[number % len(SIZES)]
    return {
        "launch": {"grid": [-(-n // BLOCK), 1, 1], "block": [BLOCK, 1, 1], "shared": 0, "cooperative": False},
        "args": [
            {"scalar": "i32", "value": n},
            {"scalar": "f32", "value": (number % 7 - 3) / 2},
            {"pointer": "x", "offset": 0},
            {"pointer": "y", "offset": 0},
        ],
        "buffers": [{"name": name, "size": 4 * n, "contents": {"drawn": "f32", "bounds": None}} for name in ("x", "y")],
        "seed": number,
    }


def plan() -> Plan:
    """The plan whose slice all cases run."""
    return with_id({
        **case(0), "kernel": "saxpy", "path": "saxpy.cu", "code": "", "fingerprint": "",
        "slice": {"text": TEXT, "name": "saxpy", "instrumented": None}, "options": ["-std=c++17", "--fmad=false"],
        "expectation": {"kinds": ["clean"], "lines": [], "blocks": [0]},
    })  # fmt: skip


def expected(one: dict[str, Any]) -> str:
    """The digest of y behind the launch."""
    x, y = (np.frombuffer(buffer_bytes(buffer, one["seed"]) or b"", "<f4") for buffer in one["buffers"])
    return digest((np.float32(one["args"][1]["value"]) * x + y).astype("<f4").tobytes())


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--gpu", type=int, default=0)
    options = parser.parse_args()
    cases = [case(number) for number in range(options.cases)]
    settings = Settings(options.gpu, timeout=60.0)
    began = time.monotonic()
    try:
        with Worker(options.gpu) as worker:
            rows = list(each_case(worker, plan(), cases[:1], settings))
            first = time.monotonic() - began
            rows += each_case(worker, plan(), cases[1:], settings)
            seconds = time.monotonic() - began
            again = time.monotonic()
            list(each_case(worker, plan(), cases[: options.cases // 10], settings))
            repeated = options.cases // 10 / (time.monotonic() - again)
            versions = worker.versions
    except WorkerFailed as error:
        print(f"no run: {error}")
        return 2
    wrong = sum(
        "error" in row or bool(row["bands"]) or row["outputs"]["y"] != expected(one) for row, one in zip(rows, cases)
    )
    rate = len(rows) / seconds
    print(f"start to first verdict: {first:.2f} s")
    print(f"{len(rows)} cases in {seconds:.2f} s, the worker's start included: {rate:.0f} cases/s; {wrong} wrong")
    print(f"repeats on the running worker: {repeated:.0f} cases/s")
    print(", ".join(f"{name} {version}" for name, version in sorted(versions.items())))
    return int(bool(wrong) or len(rows) != len(cases) or rate < LEAST_RATE or first > MOST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
