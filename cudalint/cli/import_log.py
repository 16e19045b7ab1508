"""`cudalint import LOG [PATHS]`: reports of compute-sanitizer from runs made elsewhere, mapped to the findings of a scan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cudalint.cli.check import reporting, scan_and_report
from cudalint.cli.outputs import Output
from cudalint.cli.parameters import scanning

if TYPE_CHECKING:
    from cudalint.confirm.sanitizer_log import Report

UNREADABLE = 3
LARGEST_LOG = 1 << 28


@click.command(
    "import",
    help="Read a log of compute-sanitizer: findings of PATHS at the same access are confirmed, other reports are findings.",
)
@click.argument("log", metavar="LOG")
@scanning
@reporting
def command(log: str, asked: tuple[Output, ...], format: str, **given: Any) -> int:
    """The exit status of a check; 2: no such log; 3: it is none."""
    if not Path(log).is_file():
        raise click.UsageError(f"{log}: no such file; `compute-sanitizer --log-file {log} PROGRAM` writes one")
    from cudalint.confirm.sanitizer_log import LogError

    try:
        reports = _reports(Path(log))
    except LogError as error:
        click.echo(f"cudalint: {log}: {error}", err=True)
        return UNREADABLE
    if not given["paths"]:  # nothing is scanned: the log alone speaks
        given = {**given, "hook": True}
    return scan_and_report(asked, format, given, reports)


def _reports(log: Path) -> list[Report]:
    """Raises LogError."""
    from cudalint.confirm.sanitizer_log import LogError, read

    try:
        if log.stat().st_size > LARGEST_LOG:
            raise LogError(f"{log.stat().st_size} bytes, more than the {LARGEST_LOG} that are read")
        return read(log.read_bytes().decode("utf-8", "replace"))
    except OSError as error:
        raise LogError(str(error.strerror)) from None
