"""`cudalint replay PATH`: run a finding again from its file. Needs NumPy, and CuPy for a GPU; neither libclang nor z3."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from cudalint.confirm.replay import Again

SAME, DIFFERENT, UNREADABLE = 0, 1, 3


@click.command("replay", help="Run a finding again from the file that `check --replay DIR` wrote.")
@click.argument("path", metavar="PATH")
@click.option(
    "--on",
    "where",
    type=click.Choice(["auto", "emulator", "gpu"]),
    default="auto",
    show_default=True,
    help="What runs it; auto is a GPU where there is one that can.",
)
@click.option("--gpu", type=click.IntRange(min=0), default=0, show_default=True, help="The number of the GPU.")
@click.option("--timeout", type=float, default=10.0, show_default=True, help="Seconds for one run on a GPU.")
def command(path: str, where: str, gpu: int, timeout: float) -> int:
    """0: the same inputs and the same verdict; 1: another one; 2: no such file; 3: it cannot be read or run here."""
    if not Path(path).exists():
        raise click.UsageError(f"{path}: no such file or folder; `cudalint check --replay DIR` writes them")
    from cudalint.confirm import replay as files
    from cudalint.confirm.gpu.plan_file import PlanError
    from cudalint.report.terminal import clean

    try:
        replay = files.read(Path(path))
        on = where if where != "auto" else files.GPU if _has_gpu(replay) else files.EMULATOR
        done = files.again(replay, on, gpu, timeout)
    except (PlanError, files.CannotReplay) as error:
        click.echo(clean(f"cudalint: {path}: {error}"), err=True)
        return UNREADABLE
    for line in _lines(replay, done):
        click.echo(clean(line))
    if done.run["verdict"] == "error" and not done.same_verdict:
        return UNREADABLE
    return SAME if done.same_inputs and done.same_verdict else DIFFERENT


def _has_gpu(replay: dict[str, Any]) -> bool:
    """A device, what runs on it, and a source for it."""
    present = any(Path("/dev").glob("nvidia[0-9]*")) and find_spec("cupy") is not None
    return present and replay["plan"]["slice"] is not None


def _lines(replay: dict[str, Any], done: Again) -> list[str]:
    """What was run, the inputs, both verdicts, and how they compare."""
    finding, launch = replay["finding"], replay["plan"]["launch"]
    grid, block = (",".join(map(str, launch[name])) for name in ("grid", "block"))
    shown = [
        f"{finding['code']} {finding['name']}: {finding['message']}",
        f"   {finding['path']}:{finding.get('line')}, {finding['kernel']}, grid ({grid}) block ({block})",
    ]
    for name, about in done.inputs.items():
        differs = "" if replay["inputs"].get(name) == about else f", was {replay['inputs'].get(name, {}).get('digest')}"
        shown.append(f"   input `{name}`: {about['size']} bytes, {about['digest']}{differs}")
    shown.append(f"   recorded, {done.recorded_on}: {_told(done.recorded)}")
    shown.append(f"   this run, {done.on}: {_told(done.run)}")
    words = [
        "the same inputs" if done.same_inputs else "other inputs: another version of a library makes other numbers",
        "the same verdict" if done.same_verdict else "another verdict",
    ]
    if done.same_outputs is not None:
        words.append("the same outputs" if done.same_outputs else "other outputs")
    shown.append(f"{replay['id']}: {', '.join(words)}")
    return shown


def _told(run: Any) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in sorted((run.get("versions") or {}).items()))
    return f"{run['verdict']}, {run['detail']} [{versions}]"
