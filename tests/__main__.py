"""Every check of this repository: `python -m tests`. All run, the cheap ones beside the tests; the status is 1 if one failed.

Arguments go to pytest: `python -m tests -k sarif`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [name for name in ("cudalint", "rules", "tests") if (ROOT / name).is_dir()]


def steps(arguments: list[str]) -> dict[str, list[str]]:
    """The command of each check, by name."""
    python = [sys.executable, "-m"]
    return {
        "lint": [*python, "ruff", "check", "--quiet", *SOURCES],
        "format": [*python, "ruff", "format", "--check", "--quiet", *SOURCES],
        "layers": [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command as run; run()",
            "--no-cache",
        ],
        "types": [*python, "mypy", "--no-error-summary"],
        "tests": [*python, "pytest", "-q", "-n", str(processes()), "--dist", "loadscope", *arguments],
    }


def processes() -> int:
    """One more than there are processors: some tests wait for pip and git."""
    return (os.cpu_count() or 1) + 1


def environment() -> dict[str, str]:
    """Of the checks: the hundreds of processes that they start compile the modules once, not each for itself."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def main(arguments: list[str]) -> int:
    *beside, (last, command) = steps(arguments).items()
    with ThreadPoolExecutor(1) as executor:
        waiting = {name: executor.submit(_quietly, each) for name, each in beside}
        print(f"== {last}", flush=True)
        status = subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode
        results = {name: run.result() for name, run in waiting.items()}
    for name, result in results.items():
        print(f"== {name}\n{result.stdout}", end="", flush=True)
    failed = [name for name, result in results.items() if result.returncode] + ([last] if status else [])
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


def _quietly(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run, with all that it prints in `stdout`."""
    return subprocess.run(
        command, cwd=ROOT, env=environment(), text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
