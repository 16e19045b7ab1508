"""`cudalint verify`: what is proved, what is violated, what is open, and on which facts it rests."""

from __future__ import annotations

from typing import Any

import click

from cudalint.cli.parameters import scanning


@click.command("verify", help="List every access of every kernel with its verdict and the facts it rests on.")
@scanning
@click.option("--format", type=click.Choice(["text", "json"]), default="text", help="The form of the list.")
def command(format: str, **given: Any) -> int:
    """1 when something is violated, 3 when something required is not proved, 0 otherwise."""
    from cudalint.cli.outputs import STDOUT, colour, render, write
    from cudalint.cli.scanning import scan_with
    from cudalint.cli.status import FOUND, exit_status
    from cudalint.finding import Verdict
    from cudalint.report import verify_text
    from cudalint.report.coverage import verdicts

    result, sources = scan_with({**given, "confirm": "off", "thorough": True})
    if format == "json":
        text = render("json", result, sources, colour=False)
    else:
        text = verify_text.render(result, sources, colour=colour(given["color"]))
    write(text, STDOUT)
    if verdicts(result.kernels)[Verdict.VIOLATED]:
        return FOUND
    return exit_status(result, "error", given["require_complete"], given["require_proof"])
