"""What a caller may ask of a scan."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Dim3 = tuple[int, int, int]
DEFAULT_TARGETS = ("sm_80",)


class UsageError(Exception):
    """The request makes no sense as it stands: one line that names the wrong thing and the next step."""


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """`paths` choose what is reported; facts come from the whole project.

    `thorough` also asks for what the default profile does not show: proofs and inputs that the heavy solver alone finds.
    """

    paths: tuple[str, ...]
    stdin: str | None = None
    project_root: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    profile: str = "default"
    thorough: bool = False
    includes: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    std: str | None = None
    block_dim: Dim3 | None = None
    grid_dim: Dim3 | None = None
    confirm: str = "auto"
    plan_dir: str | None = None
    results_dir: str | None = None
    replay_dir: str | None = None
    jobs: int | None = None
    apart: bool = False  # work in other processes even for one file, so that what it does to a process costs it alone
    untrusted: bool = False
    targets: tuple[str, ...] = DEFAULT_TARGETS
    require_files: bool = False
    compile_commands: str | None = None
    seed: int = 0
    hook: bool = False
    vocabulary: dict[str, Any] = field(default_factory=dict)
    effort: int = 100  # percent of the usual steps that the questions about one kernel may take
    cache: bool = False  # keep results for later scans, in the user's own folder
