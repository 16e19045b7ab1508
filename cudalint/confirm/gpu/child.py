"""The process that touches the GPU: jobs on standard input, answers on standard output, each a length and JSON.

    python -m cudalint.confirm.gpu.child --gpu 0            serves a pool
    python -m cudalint.confirm.gpu.child --gpu 0 --once P   runs the plan file P once without bands (for a sanitizer)

A kernel's `printf` goes to the error stream. After a fault the context is dead: the process answers and ends.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cudalint.confirm.gpu.cases import run_cases
from cudalint.confirm.gpu.instrumented import run_instrumented
from cudalint.confirm.gpu.memory import DeviceError
from cudalint.confirm.gpu.pool import read_message, write_message
from cudalint.confirm.gpu.trial import Device, run_plain


def answer(device: Device, job: dict[str, Any]) -> dict[str, Any]:
    """The observation of one job, or the error by its name. A kernel that has not ended runs on: nothing else can be done then."""
    device.limit = job.get("limit", device.limit)
    try:
        observed = STAGES[job["stage"]](device, job)
        return {"status": "ok", **observed, "dead": bool(observed.get("unfinished") or observed.get("dead"))}
    except DeviceError as error:
        return {"status": "error", "error": error.name, "message": str(error), "dead": error.dead}
    except Exception as error:  # a bug of ours or of the driver's costs this case only
        return {"status": "error", "error": type(error).__name__, "message": str(error), "dead": True}


STAGES: dict[str, Callable[[Device, dict[str, Any]], dict[str, Any]]] = {
    "plain": lambda device, job: run_plain(device, job["plan"], limit=job["memory_limit"]),
    "instrumented": lambda device, job: run_instrumented(device, job["plan"], limit=job["memory_limit"]),
    "cases": lambda device, job: run_cases(device, job["plan"], job["cases"], limit=job["memory_limit"]),
}


def serve(gpu: int) -> int:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    jobs = sys.stdin.buffer
    try:
        from cudalint.confirm.gpu.device import CupyDevice

        device = CupyDevice(gpu)
        write_message(answers, {"status": "ready", "versions": device.versions(), "gpus": device.count()})
    except Exception as error:
        write_message(answers, {"status": "failed", "error": type(error).__name__, "message": str(error)})
        return 1
    while (job := read_message(jobs)) is not None:
        reply = answer(device, job)
        write_message(answers, reply)
        if reply.get("dead"):
            answers.close()
            os._exit(1)
    return 0


def once(gpu: int, path: str) -> int:
    from cudalint.confirm.gpu.device import CupyDevice
    from cudalint.confirm.gpu.plan_file import PlanError, read_plan

    try:
        run_plain(CupyDevice(gpu), read_plan(Path(path)), band=0, poisons=(0,))
    except (DeviceError, PlanError) as error:
        print(f"cudalint: {error}", file=sys.stderr)
        return 1
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="cudalint.confirm.gpu.child")
    parser.add_argument("--gpu", type=int, default=0)
    parser.add_argument("--once")
    arguments = parser.parse_args()
    return serve(arguments.gpu) if arguments.once is None else once(arguments.gpu, arguments.once)


if __name__ == "__main__":
    sys.exit(main())
