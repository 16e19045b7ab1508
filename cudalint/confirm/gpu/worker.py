"""`cudalint confirm DIR`: run the plans of a directory on a GPU and write a result beside each.

Needs NumPy and CuPy. Each plan costs itself only: the process that runs it is started again after a fault.
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
from cudalint.confirm.gpu.plan_file import Plan, PlanError, canonical, plan_paths, read_plan, result_path
from cudalint.confirm.gpu.pool import Worker, WorkerFailed
from cudalint.confirm.gpu.results import result

DEFAULT_MEMORY = 16 << 30


@dataclass(frozen=True, slots=True)
class Settings:
    gpu: int = 0
    timeout: float = 10.0
    sanitizer: str = "auto"  # auto: where the instrumented copy cannot judge; always; off
    memory_limit: int = DEFAULT_MEMORY


def run_plans(
    directory: str, *, gpu: int = 0, timeout: float = 10.0, sanitizer: str = "auto", memory_limit: int = DEFAULT_MEMORY
) -> int:
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
    with Worker(settings.gpu) as worker:
        for path in paths:
            began = time.monotonic()
            try:
                plan = read_plan(path)
                if plan["slice"] is None:
                    reason = plan.get("unsliced") or "it holds no source"
                    raise PlanError(f"{path.name}: not for a GPU ({reason}); --on emulator runs it")
            except PlanError as error:
                yield path, str(error), time.monotonic() - began
                continue
            observations = _observe(worker, plan, path, settings)
            yield path, result(plan, observations, worker.versions), time.monotonic() - began


def _observe(worker: Worker, plan: Plan, path: Path, settings: Settings) -> dict[str, Any]:
    observations: dict[str, Any] = {}
    if plan["slice"]["instrumented"] is not None:
        observations["instrumented"] = _ask(worker, plan, "instrumented", settings)
    observations["plain"] = _ask(worker, plan, "plain", settings)
    if _wants_sanitizer(plan, observations, settings) and (binary := sanitizer_tool.find()) is not None:
        tool = sanitizer_tool.tool_for(plan["expectation"]["kinds"]) or "memcheck"
        observations["sanitizer"] = sanitizer_tool.run(binary, path, tool, settings.gpu)
    return observations


def _ask(worker: Worker, plan: Plan, stage: str, settings: Settings) -> dict[str, Any]:
    job = {"plan": plan, "stage": stage, "memory_limit": settings.memory_limit}
    return worker.ask(job, settings.timeout)


def _wants_sanitizer(plan: Plan, observations: dict[str, Any], settings: Settings) -> bool:
    if settings.sanitizer == "always":
        return True
    instrumented = observations.get("instrumented")
    judged = instrumented is not None and instrumented["status"] == "ok"
    return settings.sanitizer == "auto" and not judged and plan["expectation"]["kinds"] != ["clean"]


if __name__ == "__main__":
    sys.exit(run_plans(sys.argv[1]))
