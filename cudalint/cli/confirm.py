"""`cudalint confirm DIR`: run plans that `check --plan DIR` wrote. Needs NumPy, and CuPy for a GPU; neither libclang nor z3."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    "confirm", help="Run the plans in DIR, on this machine's GPU or by the emulator, and write the results beside them."
)
@click.argument("directory", metavar="DIR")
@click.option(
    "--on", "where", type=click.Choice(["gpu", "emulator"]), default="gpu", show_default=True, help="What runs them."
)
@click.option("--gpu", type=click.IntRange(min=0), help="The number of the GPU; all of the machine without it.")
@click.option("--timeout", type=float, default=10.0, show_default=True, help="Seconds for one run.")
@click.option(
    "--sanitizer",
    type=click.Choice(["auto", "always", "off"]),
    default="auto",
    show_default=True,
    help="When compute-sanitizer is used.",
)
@click.option("--memory", type=float, default=2.0, show_default=True, help="GiB of device memory that a plan may use.")
def command(directory: str, where: str, gpu: int | None, timeout: float, sanitizer: str, memory: float) -> int:
    """0: each plan has a verdict; 2: a wrong directory; 3: a plan or the GPU failed."""
    if not Path(directory).is_dir():
        raise click.UsageError(f"{directory}: no such folder")
    if where == "emulator":
        from cudalint.confirm import emulated

        return emulated.run_plans(directory)
    from cudalint.confirm.gpu.worker import run_plans

    return run_plans(directory, gpu=gpu, timeout=timeout, sanitizer=sanitizer, memory_limit=int(memory * (1 << 30)))
