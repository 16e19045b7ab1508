"""`cudalint doctor`: what the front end does not understand of each kernel, and what would settle it."""

from __future__ import annotations

from typing import Any

import click

from cudalint.cli.parameters import scanning


@click.command("doctor", help="List what is missing to understand each kernel, and what would settle it.")
@scanning
@click.option("--format", type=click.Choice(["text", "json"]), default="text", help="The form of the list.")
def command(format: str, **given: Any) -> int:
    """3 when a named file could not be read or, with --require-complete, a kernel is not complete; 0 otherwise."""
    from cudalint.cli.outputs import STDOUT, write
    from cudalint.cli.scanning import options_from
    from cudalint.cli.status import INCOMPLETE, OK
    from cudalint.engine.doctor import diagnose
    from cudalint.report import doctor_report

    diagnosis = diagnose(options_from(given))
    write(doctor_report.json_text(diagnosis) if format == "json" else doctor_report.text(diagnosis), STDOUT)
    incomplete = given["require_complete"] and not all(kernel.complete for kernel in diagnosis.kernels)
    return INCOMPLETE if incomplete or any(note.failed for note in diagnosis.notes) else OK
