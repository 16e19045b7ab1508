"""From command-line values to a ScanResult and the texts that its reports quote."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from cudalint.cli.sources import ProjectSources
from cudalint.engine import ScanOptions, scan
from cudalint.finding import ScanResult
from cudalint.source import SourceFile

if TYPE_CHECKING:
    from cudalint.confirm.sanitizer_log import Report

STDIN = "-"
APART = True  # what a file does to the process that reads it is not done to this one


def scan_with(
    given: dict[str, Any], reports: Sequence[Report] = ()
) -> tuple[ScanResult, Mapping[str, SourceFile]]:  # fmt: skip
    """Scan as asked, with reports of a log; raises UsageError for what makes no sense."""
    options = options_from(given)
    return scan(options, reports), ProjectSources(options)


def options_from(given: dict[str, Any]) -> ScanOptions:
    """Options that were not given keep the engine's defaults."""
    if not given["paths"]:
        if given.get("hook"):
            given = {**given, "paths": ()}
        else:
            raise click.UsageError("name the files or folders to check, or `-` for standard input")
    fields = {each.name for each in dataclasses.fields(ScanOptions)}
    values = {name: value for name, value in given.items() if name in fields and value not in (None, ())}
    values |= {"paths": tuple(given["paths"]), "apart": APART}
    if STDIN in values["paths"]:
        values["stdin"] = sys.stdin.buffer.read().decode("utf-8", "replace")
    return ScanOptions(**values)
