"""`cudalint check`: scan, report, and say by the exit status what was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from cudalint.cli.outputs import FORMATS, STDOUT, Output, check_places, colour, outputs, render, write
from cudalint.cli.parameters import apply, scanning, words

if TYPE_CHECKING:
    from cudalint.confirm.sanitizer_log import Report

reporting = apply(
    (
        click.option(
            "--format", type=click.Choice(list(FORMATS)), default="text", help="The report on standard output."
        ),
        click.option(
            "-o",
            "--output",
            "asked",
            callback=outputs,
            multiple=True,
            metavar="FORMAT=FILE",
            help="Another report in a file; repeatable.",
        ),
        click.option(
            "--select",
            callback=words,
            multiple=True,
            metavar="RULES",
            help="Only these rules: codes, prefixes or names.",
        ),
        click.option("--ignore", callback=words, multiple=True, metavar="RULES", help="All rules but these."),
        click.option("--profile", type=click.Choice(["default", "audit"]), default="default", help="audit shows all."),
        click.option(
            "--fail-level",
            type=click.Choice(["error", "warning", "note", "never"]),
            help="Findings from this level on are status 1.  [default: the project's, else error]",
        ),
        click.option(
            "--confirm",
            type=click.Choice(["auto", "emulator", "gpu", "off"]),
            default="auto",
            help="Where witnesses are run; auto is the emulator.",
        ),
        click.option("--plan", "plan_dir", metavar="DIR", help="Write confirmation plans for another machine."),
        click.option("--results", "results_dir", metavar="DIR", help="Use what another machine confirmed."),
        click.option(
            "--replay",
            "replay_dir",
            metavar="DIR",
            help="Write DIR/ID/replay.json for each finding that a run has shown.",
        ),
        click.option("--explain-parse", is_flag=True, help="List what was not understood, kernel by kernel."),
        click.option("--hook", is_flag=True, help="For hooks: files without CUDA code are silent."),
    )
)


@click.command("check", help="Report the kernels that can go wrong, with the values that trigger it.")
@scanning
@reporting
def command(asked: tuple[Output, ...], format: str, **given: Any) -> int:
    """The exit status."""
    return scan_and_report(asked, format, given)


def scan_and_report(
    asked: tuple[Output, ...], format: str, given: dict[str, Any], reports: Sequence[Report] = ()
) -> int:  # fmt: skip
    """Scan, report as asked, and the exit status; `reports` are those of a log."""
    from cudalint.cli.scanning import options_from, scan_with
    from cudalint.cli.status import exit_status
    from cudalint.engine.settings import fail_level

    check_places(asked)
    result, sources = scan_with({**given, "thorough": given["require_proof"]}, reports)
    quiet = given["hook"] and not (result.kernels or result.findings or result.notes)
    shown = [] if quiet or any(each.file == STDOUT for each in asked) else [Output(format, STDOUT)]
    for output in [*asked, *shown]:
        text = render(output.format, result, sources, output.file == STDOUT and colour(given["color"]))
        if given["explain_parse"] and output.format == "text":
            from cudalint.report.summary import explain_parse

            text = "".join(f"{line}\n" for line in explain_parse(result.kernels)) + text
        write(text, output.file)
    level = given["fail_level"] or fail_level(options_from(given))
    return exit_status(result, level, given["require_complete"], given["require_proof"])
