"""The README says what the program does: its example is what `check` prints, its status numbers and commands exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_is_real() -> None:
    (block,) = re.findall(r"<!-- example: cudalint (.*?) -->\n```\n(.*?)```", README, re.S)
    command, shown = block
    found = subprocess.run(
        [sys.executable, "-m", "cudalint.cli.main", *command.split()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    headers = [line for line in shown.splitlines() if re.match(r"(error|warning)\[", line)]
    assert headers and set(headers) <= set(found.stdout.splitlines())


def test_every_command_is_one() -> None:
    from cudalint.cli.main import COMMANDS

    assert set(re.findall(r"`cudalint (\w+)", README)) <= set(COMMANDS)
