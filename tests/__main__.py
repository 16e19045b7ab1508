"""Every check of this repository, cheap ones first: `python -m tests`. All run; the status is 1 if one failed.

Arguments go to pytest: `python -m tests -k sarif`.
"""

from __future__ import annotations

import subprocess
import sys
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
        "tests": [*python, "pytest", "-q", "-n", "auto", "--dist", "loadscope", *arguments],
    }


def main(arguments: list[str]) -> int:
    failed = []
    for name, command in steps(arguments).items():
        print(f"== {name}", flush=True)
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
