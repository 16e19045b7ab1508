"""`cudalint confirm DIR`: run plans that `check --plan DIR` wrote. Needs NumPy and CuPy, neither libclang nor z3."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("confirm", help="Run the plans in DIR on this machine's GPU and write the results beside them.")
@click.argument("directory", metavar="DIR")
def command(directory: str) -> int:
    if not Path(directory).is_dir():
        raise click.UsageError(f"{directory}: no such folder")
    from cudalint.confirm.worker import run_plans

    return run_plans(directory)
