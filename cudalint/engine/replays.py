"""Replay files of the findings that runs have shown: made with the kernel at hand, written when it is known what is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cudalint.confirm import emulated
from cudalint.confirm import replay as files
from cudalint.confirm.gpu.plan_file import PlanError
from cudalint.engine.options import UsageError
from cudalint.finding import Evidence, Finding

ID_DIGITS = 12
SHOWN = (Evidence.EMULATED, Evidence.CONFIRMED)
PlanFile = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The plan of a finding, and results of runs by what ran them."""

    plan: PlanFile
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)


def recorded(plan: PlanFile) -> Recorded:
    """The plan with what the emulator says of it."""
    return Recorded(plan, {files.EMULATOR: emulated.result(plan)})


def with_gpu_results(records: Iterable[Recorded], results: Mapping[str, dict[str, Any]]) -> tuple[Recorded, ...]:
    """The same with results of a GPU, by the ids of their plans."""
    return tuple(
        replace(each, runs={**each.runs, files.GPU: results[each.plan["id"]]}) if each.plan["id"] in results else each
        for each in records
    )


def prepare(directory: str) -> None:
    """Make the folder before the work; raises UsageError."""
    try:
        Path(directory).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{directory}: cannot be made for replays: {error.strerror}") from None


def written(findings: Iterable[Finding], records: Iterable[Recorded], directory: str) -> list[Finding]:
    """The findings, each with the folder of its replay where a run has shown it; raises UsageError for what cannot be written."""
    known = {record.plan["id"]: record for record in records}
    used: set[str] = set()
    found = []
    for finding in findings:
        record = known.get(finding.replay or "")
        if record is None or finding.evidence not in SHOWN:
            found.append(replace(finding, replay=None))
            continue
        name = _free_id(finding, used)
        try:
            replay = files.make(name, _head(finding), record.plan, record.runs)
            files.write(Path(directory), replay)
        except (OSError, PlanError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise UsageError(f"{directory}: cannot write the replay {name}: {reason}") from None
        found.append(replace(finding, replay=f"{directory.rstrip('/')}/{name}"))
    return found


def _free_id(finding: Finding, used: set[str]) -> str:
    """By what the finding is; of several that are the same in all but their places, in their order."""
    first = name = finding.fingerprint[:ID_DIGITS]
    count = 1
    while name in used:
        count += 1
        name = f"{first}-{count}"
    used.add(name)
    return name


def _head(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "path": finding.span.path,
        "line": finding.span.line,
        "column": finding.span.column,
        "kernel": finding.kernel,
        "fingerprint": finding.fingerprint,
    }
