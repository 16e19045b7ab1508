"""The command line as users run it, in a process of its own: forked from one that has imported it once.

The import takes longer than most checks. Where the interpreter has to be another (hash seeds, encodings) or the system
cannot fork, the process is started anew.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
SECONDS = 120


def cudalint(
    *arguments: str, cwd: Path = ROOT, stdin: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line from the source tree."""
    if not hasattr(os, "fork") or any(name.startswith("PYTHON") for name in environment):
        return started(*arguments, cwd=cwd, stdin=stdin, **environment)
    return _server().run(arguments, cwd, stdin or "", {**os.environ, **environment})


def started(
    *arguments: str, cwd: Path = ROOT, stdin: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The same by an interpreter that is started for it."""
    return subprocess.run(
        [sys.executable, "-m", "cudalint.cli.main", *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **environment},
        timeout=SECONDS,
        check=False,
    )


def usage_error(found: subprocess.CompletedProcess[str]) -> str:
    """The last line of standard error of a run with status 2."""
    assert found.returncode == 2, found.stderr
    assert "Traceback" not in found.stderr
    return found.stderr.strip().splitlines()[-1]


class Server:
    """A process that has imported everything and forks a child for each command."""

    def __init__(self) -> None:
        asked, self._asks = os.pipe()
        self._answers, answered = os.pipe()
        command = [sys.executable, "-m", __name__, str(asked), str(answered)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
        self._process = subprocess.Popen(command, cwd=ROOT, env=environment, pass_fds=(asked, answered))
        os.close(asked)
        os.close(answered)
        self._lines = os.fdopen(self._answers, encoding="utf-8")
        atexit.register(self.end)

    def run(
        self, arguments: tuple[str, ...], cwd: Path, stdin: str, environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryDirectory() as folder:
            streams = [os.path.join(folder, name) for name in ("in", "out", "err")]
            Path(streams[0]).write_text(stdin, encoding="utf-8")
            asked = {"arguments": arguments, "cwd": str(cwd), "environment": environment, "streams": streams}
            os.write(self._asks, json.dumps(asked).encode() + b"\n")
            status = int(self._lines.readline())
            out, err = (Path(name).read_text(encoding="utf-8") for name in streams[1:])
        return subprocess.CompletedProcess(arguments, status, out, err)

    def end(self) -> None:
        os.close(self._asks)
        self._process.wait(SECONDS)


@cache
def _server() -> Server:
    return Server()


# --- the process that forks ----------------------------------------------------------------------------------------------


def serve(asked: int, answered: int) -> list[str] | None:
    """Fork for each line; None at the end of them. In a child: the arguments of its command."""
    with os.fdopen(asked, encoding="utf-8") as lines:
        for line in lines:
            child = os.fork()
            if not child:
                os.close(answered)
                return _become(json.loads(line))
            _, status = os.waitpid(child, 0)
            os.write(answered, b"%d\n" % os.waitstatus_to_exitcode(status))
    return None


def _become(command: dict[str, Any]) -> list[str]:
    os.environ.clear()
    os.environ.update(command["environment"])
    os.chdir(command["cwd"])
    modes = (os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT)
    for stream, (name, mode) in enumerate(zip(command["streams"], modes)):
        os.dup2(os.open(name, mode), stream)
    import signal

    signal.alarm(SECONDS)
    arguments: list[str] = command["arguments"]
    return arguments


def _import_everything() -> None:
    """What a check imports, the libraries behind it too."""
    import importlib
    import pkgutil

    import clang.cindex

    import cudalint

    for module in pkgutil.walk_packages(cudalint.__path__, "cudalint."):
        if ".confirm.gpu" not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert clang.cindex.conf.lib


if __name__ == "__main__":
    from cudalint.cli.main import main

    _import_everything()
    its = serve(*map(int, sys.argv[1:]))
    if its is not None:
        main(its)
