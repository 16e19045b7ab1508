"""Where reports go: standard output and any number of files, each in its format."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from cudalint.finding import ScanResult
from cudalint.source import SourceFile

FORMATS = {"text": "cudalint.report.text", "json": "cudalint.report.json_report", "sarif": "cudalint.report.sarif"}
STDOUT = "-"


class OutputError(Exception):
    """A report that could not be written: one line with the file and the system's reason."""


@dataclass(frozen=True, slots=True)
class Output:
    """One report: its format and its file, `-` for standard output."""

    format: str
    file: str


def outputs(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[Output, ...]:
    """Each `FORMAT=FILE`."""
    return tuple(map(_output, value))


def _output(value: str) -> Output:
    kind, equals, file = value.partition("=")
    if not equals or not file or kind not in FORMATS:
        raise click.BadParameter(f"{value!r} is not FORMAT=FILE with one of the formats {', '.join(FORMATS)}")
    return Output(kind, file)


def check_places(asked: tuple[Output, ...]) -> None:
    """Complain before the work rather than after it; raises UsageError."""
    seen: set[str] = set()
    for output in asked:
        path = Path(output.file)
        if output.file in seen:
            raise click.UsageError(f"{output.file}: two reports for one file")
        seen.add(output.file)
        if output.file != STDOUT and (path.is_dir() or not path.parent.is_dir()):
            reason = "is a folder" if path.is_dir() else "its folder does not exist"
            raise click.UsageError(f"{output.file}: {reason}")


def render(format: str, result: ScanResult, sources: Mapping[str, SourceFile], colour: bool) -> str:
    """The report as text."""
    from cudalint.engine import rules

    module = importlib.import_module(FORMATS[format])
    extra = {"colour": colour} if format == "text" else {}
    text: str = module.render(result, sources, rules(), **extra)
    return text


def write(text: str, file: str) -> None:
    """Write to a file or, for `-`, to standard output; raises OutputError with the system's reason."""
    try:
        if file == STDOUT:
            write_stdout(text)
        else:
            Path(file).write_text(text, encoding="utf-8", errors="replace", newline="\n")
    except BrokenPipeError:
        raise
    except OSError as error:
        name = "standard output" if file == STDOUT else file
        raise OutputError(f"{name}: cannot write the report: {error.strerror or error}") from None


def write_stdout(text: str) -> None:
    """Everything or an error, whatever the encoding of the terminal."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
    sys.stdout.flush()


def colour(choice: str) -> bool:
    """Whether text on standard output is coloured (https://no-color.org)."""
    if choice == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return choice == "always"
