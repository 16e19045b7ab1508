"""`cudalint contract KERNEL`: what is assumed of a kernel, from where, and what would settle its open accesses."""

from __future__ import annotations

import json
from typing import Any

import click

from cudalint.cli.parameters import scanning


@click.command(
    "contract", help="Show what is assumed of a kernel, from where, and what would settle its open accesses."
)
@click.argument("kernel")
@scanning
@click.option("--format", type=click.Choice(["text", "json"]), default="text", help="The form of the list.")
def command(kernel: str, format: str, **given: Any) -> int:
    """0, or 2 when no kernel has that name."""
    from cudalint.cli.outputs import STDOUT, write
    from cudalint.cli.scanning import options_from
    from cudalint.engine import contract_view

    views = contract_view.kernel_contracts(kernel, options_from({**given, "paths": given["paths"] or (".",)}))
    data = contract_view.json_data(views)
    write(json.dumps(data, indent=2) + "\n" if format == "json" else contract_view.text(views), STDOUT)
    return 0
