"""compute-sanitizer: run a plan under one of its tools and read its report.

    ========= Invalid __global__ write of size 4 bytes                       memcheck
    =========     at saxpy(int, float)+0x110 in /tmp/x.cubin.cu:6
    =========     by thread (96,0,0) in block (3,0,0)
    ========= Error: Race reported between Write access at k(int*)+0x90 in x.cu:10      racecheck
    =========     and Read access at k(int*)+0xa0 in x.cu:11 [126 hazards]
    ========= Barrier error detected. Divergent thread(s) in block.          synccheck
    =========     at k(int*)+0x50 in x.cu:8

Each report becomes kinds and lines. What the tools do not see (see the README) is no evidence of anything.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cudalint.confirm.gpu.pool import environment
from cudalint.confirm.sanitizer_log import in_text

LIMIT = 60.0
PRINTED = 100
TOOLS = {
    "out_of_bounds": "memcheck",
    "null": "memcheck",
    "misaligned": "memcheck",
    "race": "racecheck",
    "divergence": "synccheck",
    "exit_before_barrier": "synccheck",
    "warp_mask": "synccheck",
    "uninitialised": "initcheck",
}


@dataclass(frozen=True, slots=True)
class Report:
    kind: str
    text: str
    lines: tuple[int, ...]

    def as_json(self) -> dict[str, object]:
        return {"kind": self.kind, "text": self.text, "lines": list(self.lines)}


def parse(output: str) -> list[Report]:
    """The reports of one run of a tool. Only the frames of the kernel itself count, not the host's."""
    return [Report(each.kind, each.text, each.lines) for each in in_text(output) if each.kind]


def find() -> str | None:
    return shutil.which("compute-sanitizer")


def tool_for(kinds: list[str]) -> str | None:
    return next((TOOLS[kind] for kind in kinds if kind in TOOLS), None)


def run(binary: str, plan: Path, tool: str, gpu: int, limit: float = LIMIT) -> dict[str, object]:
    """The observation: status ok with reports, refused (the tool cannot use this device), or timeout."""
    command = [
        binary, "--tool", tool, "--print-limit", str(PRINTED), "--target-processes", "all",
        sys.executable, "-m", "cudalint.confirm.gpu.child", "--gpu", str(gpu), "--once", str(plan),
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=limit, env=environment(), errors="replace"
        )
    except subprocess.TimeoutExpired:
        return {"tool": tool, "status": "timeout", "reports": []}
    except OSError as error:
        return {"tool": tool, "status": "refused", "message": str(error), "reports": []}
    output = done.stdout + done.stderr
    if "Device not supported" in output or "not supported" in output.split("ERROR SUMMARY")[0]:
        return {"tool": tool, "status": "refused", "message": "the device is not supported by the tool", "reports": []}
    if re.search(r"SUMMARY:", output) is None:
        return {"tool": tool, "status": "refused", "message": _last_line(output), "reports": []}
    return {"tool": tool, "status": "ok", "reports": [report.as_json() for report in parse(output)]}


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no output"
