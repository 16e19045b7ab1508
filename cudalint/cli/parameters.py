"""Parameter types and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Dim3 = tuple[int, int, int]
MAX_BLOCK = 1024
DIM3 = "X[,Y[,Z]]"
Command = TypeVar("Command", bound=Callable[..., Any])


def dimensions(ctx: click.Context, param: click.Parameter, value: str | None) -> Dim3 | None:
    """`X[,Y[,Z]]`: positive integers; what is missing is 1."""
    if value is None:
        return None
    parts = value.split(",")
    if not 1 <= len(parts) <= 3 or not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
        raise click.BadParameter(f"{value!r} is not X[,Y[,Z]] with positive integers")
    x, y, z = ([int(part) for part in parts] + [1, 1])[:3]
    return x, y, z


def block_dimensions(ctx: click.Context, param: click.Parameter, value: str | None) -> Dim3 | None:
    """Dimensions that a block may have."""
    block = dimensions(ctx, param, value)
    if block is not None and block[0] * block[1] * block[2] > MAX_BLOCK:
        raise click.BadParameter(f"{value!r} is more than {MAX_BLOCK} threads, the most that a block can have")
    return block


def words(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """All words of a repeatable option whose values are separated by commas."""
    found = tuple(word.strip() for each in value for word in each.split(","))
    if not all(found):
        raise click.BadParameter("a name is missing")
    return found


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
        click.option(
            "--block-dim", callback=block_dimensions, metavar=DIM3, help="The block of kernels without a known launch."
        ),
        click.option(
            "--grid-dim", callback=dimensions, metavar=DIM3, help="The grid of kernels without a known launch."
        ),
        click.option("--jobs", type=click.IntRange(min=1), help="Processes.  [default: one per processor]"),
        click.option(
            "--effort",
            type=click.IntRange(min=1),
            default=100,
            show_default=True,
            metavar="PERCENT",
            help="Of the usual solver steps of one kernel; what they do not decide is unknown.",
        ),
        click.option("--untrusted", is_flag=True, help="Ignore annotations and configuration of the scanned code."),
        click.option(
            "--cache/--no-cache",
            default=True,
            help="Use what earlier runs found of unchanged kernels; CUDALINT_CACHE_DIR says where.  [default: cache]",
        ),
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
