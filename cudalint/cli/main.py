"""The command `cudalint`: subcommands are imported when they are called, so that `--version` answers at once.

Exit status: 4 internal error, 2 usage or configuration, 1 a finding at the fail level, 3 a named file that could not be
analysed, 0 otherwise.
"""

from __future__ import annotations

import importlib
import os
import sys

import click

from cudalint import __version__

COMMANDS = {
    "check": ("cudalint.cli.check", "Report the kernels that can go wrong, with the values that trigger it."),
    "verify": ("cudalint.cli.verify", "List every access of every kernel with its verdict and the facts it rests on."),
    "doctor": ("cudalint.cli.doctor", "List what is missing to understand each kernel, and what would settle it."),
    "contract": ("cudalint.cli.contract", "Show what is assumed of a kernel and what would settle its open accesses."),
    "rules": ("cudalint.cli.rules", "List the rules."),
    "explain": ("cudalint.cli.explain", "Show the page of a rule."),
    "confirm": ("cudalint.cli.confirm", "Run the plans in a folder, on this machine's GPU or by the emulator."),
    "import": ("cudalint.cli.import_log", "Read what compute-sanitizer reported of runs made elsewhere."),
    "replay": ("cudalint.cli.replay", "Run a finding again from its replay file."),
}
USAGE, INTERNAL, INTERRUPTED = 2, 4, 130


class LazyGroup(click.Group):
    """A group that knows its commands by name and loads one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The one-line helps, without loading the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="cudalint %(version)s")
def cudalint() -> None:
    """Find CUDA kernels that go wrong silently, prove the others where possible, and show why."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """The exit status of a command line; every failure is one line on standard error."""
    try:
        status = cudalint.main(arguments, prog_name="cudalint", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return USAGE
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return 0
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> int:
    """A mistake of the user is one line and 2; anything else is ours and 4."""
    if _named(error, "cudalint.cli.outputs", "OutputError"):
        _silence_stdout()
        return _usage(error)
    if _named(error, "cudalint.engine.options", "UsageError"):
        return _usage(error)
    if os.environ.get("CUDALINT_TRACEBACK"):
        import traceback

        traceback.print_exc()
    summary = " ".join(str(error).split())
    click.echo(f"internal error: {type(error).__name__}: {summary[:300]}; CUDALINT_TRACEBACK=1 shows where", err=True)
    return INTERNAL


def _named(error: Exception, module: str, name: str) -> bool:
    """Whether it is that module's error, without importing what was not needed before."""
    return isinstance(error, getattr(sys.modules.get(module), name, ()))


def _usage(error: Exception) -> int:
    click.echo(f"error: {error}", err=True)
    return USAGE


def _silence_stdout() -> None:
    """Nobody reads standard output any more: let the interpreter's last flush go nowhere."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


if __name__ == "__main__":
    main()
