"""Who else uses a GPU: other processes take memory and time, and under MPS a fault of a kernel ends their work, too."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

LIMIT = 5.0
MPS_PIPE = "/tmp/nvidia-mps"
_QUERY = ("--query-compute-apps=pid", "--format=csv,noheader")


def warnings(gpu: int, own: tuple[int, ...] = ()) -> list[str]:
    """One line for each reason to look elsewhere; none where nothing can be asked. `own` are processes of ours."""
    told = []
    others = [pid for pid in _processes(gpu) if pid not in own]
    if others:
        told.append(
            f"GPU {gpu} is used by {len(others)} other process{'es' if len(others) > 1 else ''}: less memory is free, "
            "and runs take longer; `--gpu N` chooses another one"
        )
    if under_mps():
        told.append(
            "the GPU is shared through MPS: a kernel that faults ends the work of other processes, too; run where MPS is off"
        )
    return told


def _processes(gpu: int) -> list[int]:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    try:
        done = subprocess.run(
            [tool, "-i", str(gpu), *_QUERY], capture_output=True, text=True, timeout=LIMIT, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [int(line) for line in done.stdout.split() if line.isdigit()]


def under_mps() -> bool:
    """Whether an MPS server would take this process's contexts."""
    return Path(os.environ.get("CUDA_MPS_PIPE_DIRECTORY", MPS_PIPE), "control").exists()
