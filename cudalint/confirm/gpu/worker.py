"""`cudalint confirm DIR`: run the plans of a directory on a GPU and write a result beside each.

Needs NumPy and CuPy. Each plan costs itself only: the process that runs it is started again after a fault. All GPUs of the
machine work, one process each, unless one of them is asked for.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cudalint.confirm.gpu import sanitizer as sanitizer_tool
from cudalint.confirm.gpu.neighbours import warnings
from cudalint.confirm.gpu.plan_file import Plan, PlanError, canonical, plan_paths, read_plan, result_path
from cudalint.confirm.gpu.pool import Pool, Worker, WorkerFailed
from cudalint.confirm.gpu.results import judge, result

DEFAULT_MEMORY = 2 << 30
OF_ORDER = {"race", "divergence", "exit_before_barrier", "warp_mask"}
LAUNCH_SHARE = 0.5  # of the time limit, behind which a kernel that has not ended is looked at
CHUNK = 500  # cases of one message


@dataclass(frozen=True, slots=True)
class Settings:
    gpu: int | None = None  # None: all of the machine
    timeout: float = 10.0
    sanitizer: str = "auto"  # auto: where the instrumented copy cannot judge; always; off
    memory_limit: int = DEFAULT_MEMORY


def run_plans(
    directory: str, *, gpu: int | None = None, timeout: float = 10.0, sanitizer: str = "auto",
    memory_limit: int = DEFAULT_MEMORY,
) -> int:  # fmt: skip
    """Run all plans and print one line. 0: each plan has a verdict; 2: a wrong directory; 3: a plan or the GPU failed."""
    settings = Settings(gpu, timeout, sanitizer, memory_limit)
    where = Path(directory)
    if not where.is_dir():
        print(f"cudalint: {directory}: no such directory", file=sys.stderr)
        return 2
    paths = plan_paths(where)
    if not paths:
        print(
            f"cudalint: {directory}: no plans (*.plan.json); `cudalint check --plan {directory}` writes them",
            file=sys.stderr,
        )
        return 2
    counts: Counter[str] = Counter()
    try:
        for path, outcome, _ in each_result(paths, settings):
            verdict = outcome if isinstance(outcome, str) else outcome["verdict"]
            if isinstance(outcome, str):
                print(f"cudalint: {outcome}", file=sys.stderr)
                verdict = "unreadable"
            else:
                result_path(path).write_bytes(canonical(outcome))
            counts[verdict] += 1
    except WorkerFailed as error:
        print(f"cudalint: {error}", file=sys.stderr)
        return 3
    print(f"{len(paths)} plans: " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return 3 if counts["unreadable"] or counts["error"] else 0


def each_result(paths: list[Path], settings: Settings) -> Iterator[tuple[Path, dict[str, Any] | str, float]]:
    """The path, the result (or the line that says why the plan cannot be read) and the seconds of each plan."""
    with Pool(settings.gpu) as pool:
        for line in told(pool):
            print(f"cudalint: warning: {line}", file=sys.stderr)
        yield from pool.each(paths, lambda worker, path: _run(worker, path, settings))


def told(pool: Pool) -> list[str]:
    """What the user should know of the GPUs before the runs."""
    own = tuple(worker.pid for worker in pool.workers if worker.pid is not None)
    return list(dict.fromkeys(line for worker in pool.workers for line in warnings(worker.gpu, own)))


def _run(worker: Worker, path: Path, settings: Settings) -> tuple[Path, dict[str, Any] | str, float]:
    began = time.monotonic()
    try:
        plan = read_plan(path)
        if plan["slice"] is None:
            reason = plan.get("unsliced") or "it holds no source"
            raise PlanError(f"{path.name}: not for a GPU ({reason}); --on emulator runs it")
    except PlanError as error:
        return path, str(error), time.monotonic() - began
    observations = _observe(worker, plan, path, settings)
    return path, result(plan, observations, worker.versions), time.monotonic() - began


def each_case(worker: Worker, plan: Plan, cases: list[dict[str, Any]], settings: Settings) -> Iterator[dict[str, Any]]:
    """One row for each case (`cases.py`): its bands and digests, or its error. What ends the process costs one case only."""
    waiting = [cases[at : at + CHUNK] for at in range(0, len(cases), CHUNK)][::-1]
    while waiting:
        chunk = waiting.pop()
        reply = _ask(worker, plan, "cases", settings, cases=chunk)
        if reply["status"] == "ok":
            yield from reply["rows"]
            rest = chunk[reply["done"] :]
            if rest:
                yield {
                    "error": reply.get("error") or "timeout",
                    "message": reply.get("message", "the kernel did not end in time"),
                }
            waiting += [rest[1:]] if rest[1:] else []
        elif len(chunk) == 1 or reply["status"] == "error":  # of all of them: the source does not compile
            yield from (
                {"error": reply.get("error", reply["status"]), "message": reply.get("message", "")} for _ in chunk
            )
        else:
            half = len(chunk) // 2
            waiting += [chunk[half:], chunk[:half]]


def _observe(worker: Worker, plan: Plan, path: Path, settings: Settings) -> dict[str, Any]:
    observations: dict[str, Any] = {}
    if plan["slice"]["instrumented"] is not None:
        observations["instrumented"] = _ask(worker, plan, "instrumented", settings)
    observations["plain"] = _ask(worker, plan, "plain", settings)
    if (other := cleared(plan)) is not None and judge(plan, observations)["verdict"] != "confirmed":
        observations["cleared"] = _ask(worker, other, "instrumented", settings)
    if _wants_sanitizer(plan, observations, settings) and (binary := sanitizer_tool.find()) is not None:
        tool = sanitizer_tool.tool_for(plan["expectation"]["kinds"]) or "memcheck"
        observations["sanitizer"] = sanitizer_tool.run(binary, path, tool, worker.gpu)
    return observations


def _ask(worker: Worker, plan: Plan, stage: str, settings: Settings, **more: Any) -> dict[str, Any]:
    limits = {"memory_limit": settings.memory_limit, "limit": settings.timeout * LAUNCH_SHARE}
    return worker.ask({"plan": plan, "stage": stage, **limits, **more}, settings.timeout)


def cleared(plan: Plan) -> Plan | None:
    """The plan of a race, a barrier or a mask with zeros for drawn integers: counters, locks and flags as most hosts leave them.

    None where that is nothing new.
    """
    if plan["slice"]["instrumented"] is None or not OF_ORDER.issuperset(plan["expectation"]["kinds"]):
        return None
    buffers = [
        {**buffer, "contents": {"zero": True}} if buffer["contents"].get("drawn", "f")[0] in "iu" else buffer
        for buffer in plan["buffers"]
    ]
    return None if buffers == plan["buffers"] else {**plan, "buffers": buffers}


def _wants_sanitizer(plan: Plan, observations: dict[str, Any], settings: Settings) -> bool:
    if settings.sanitizer == "always":
        return True
    instrumented = observations.get("instrumented")
    judged = instrumented is not None and instrumented["status"] == "ok"
    return settings.sanitizer == "auto" and not judged and plan["expectation"]["kinds"] != ["clean"]


if __name__ == "__main__":
    sys.exit(run_plans(sys.argv[1]))
