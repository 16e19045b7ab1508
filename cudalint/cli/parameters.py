"""Parameter types and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Dim3 = tuple[int, int, int]
MAX_BLOCK = 1024
Command = TypeVar("Command", bound=Callable[..., Any])


class Dimensions(click.ParamType):
    """`X[,Y[,Z]]`: positive integers; what is missing is 1."""

    name = "X[,Y[,Z]]"

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Dim3:
        if isinstance(value, tuple):
            return value
        parts = str(value).split(",")
        if not 1 <= len(parts) <= 3 or not all(part.strip().isdecimal() and int(part) > 0 for part in parts):
            self.fail(f"{value!r} is not X[,Y[,Z]] with positive integers", param, ctx)
        x, y, z = ([int(part) for part in parts] + [1, 1])[:3]
        if self.limit is not None and x * y * z > self.limit:
            self.fail(f"{value!r} has {x * y * z} threads; a block has at most {self.limit}", param, ctx)
        return x, y, z


class Words(click.ParamType):
    """One or more words, separated by commas."""

    name = "NAMES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        words = tuple(word.strip() for word in str(value).split(",") if word.strip())
        if not words:
            self.fail("a name is missing", param, ctx)
        return words


def apply(options: tuple[Callable[[Command], Command], ...]) -> Callable[[Command], Command]:
    """One decorator from several, in the order of the help text."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


scanning = apply(
    (
        click.argument("paths", nargs=-1, metavar="[PATHS|-]..."),
        click.option("--project-root", metavar="DIR", help="Where facts are read and paths start."),
        click.option("-I", "includes", multiple=True, metavar="DIR", help="An include folder; repeatable."),
        click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="A macro; repeatable."),
        click.option("--std", metavar="STD", help="The language, such as c++17."),
        click.option("--compile-commands", metavar="FILE", help="A compile_commands.json."),
        click.option("--target", "targets", multiple=True, metavar="SM", help="Such as sm_90a.  [default: sm_80]"),
        click.option("--block-dim", type=Dimensions(MAX_BLOCK), help="The block of kernels without a known launch."),
        click.option("--grid-dim", type=Dimensions(), help="The grid of kernels without a known launch."),
        click.option("--jobs", type=click.IntRange(min=1), help="Processes.  [default: one per processor]"),
        click.option("--untrusted", is_flag=True, help="Ignore annotations and configuration of the scanned code."),
        click.option("--seed", type=int, default=0, show_default=True, help="The seed of every random byte."),
        click.option("--require-files", is_flag=True, help="No CUDA code found is status 2."),
        click.option("--require-complete", is_flag=True, help="A kernel that is not fully understood is status 3."),
        click.option("--require-proof", is_flag=True, help="An access that is not proved safe is status 3."),
        click.option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            help="Colour in text on a terminal.",
        ),
    )
)
