"""Write the plans of the hinted kernels, and say which have none.

    CUDALINT_CORPORA=/path/to/clones python -m tests.gpu.real_kernels OUT [REPOSITORY ...]
    python tests/gpu/run_all.py OUT --all --results results.json            where the GPU is
    python -m tests.gpu.real_kernels.table results.json OUT

OUT gets the plans and kernels.json: what each hint became, and why a launch has no plan.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from cudalint.confirm.gpu.plan_file import plan_paths
from cudalint.engine.plans import write_plans
from tests.gpu.real_kernels.hints import Hint, hint_files, read_hints
from tests.gpu.real_kernels.plans import Made, corpora_folder, plans_of


def main(arguments: list[str]) -> int:
    corpora = corpora_folder()
    if not arguments or corpora is None:
        print(__doc__)
        return 2
    out, *wanted = arguments
    hints = [hint for path in hint_files() for hint in read_hints(path) if not wanted or hint.repository in wanted]
    made: list[Made] = []
    for hint in hints:
        found = list(plans_of(hint, corpora))
        made += found
        print(_line(hint, found), flush=True)
    for former in plan_paths(Path(out)):
        former.unlink()
    count = write_plans(out, (m.plan for m in made if m.plan is not None))
    planned = {m.hint.label for m in made if m.plan is not None}
    Path(out, "kernels.json").write_text(json.dumps(_index(hints, made, corpora), indent=1) + "\n")
    print(f"{count} plans of {len(planned)} kernels of {len({label[0] for label in planned})} repositories")
    return 0


def _line(hint: Hint, made: list[Made]) -> str:
    reasons = sorted({m.reason for m in made if m.plan is None})
    good = [m for m in made if m.plan is not None]
    kind = "-" if not good else "within errors" if any(m.close for m in good) else "equal"
    return (
        f"{hint.repository}/{hint.file} {hint.instance or hint.name}: {len(good)} of {len(made)} launches, {kind}"
        + "".join(f"; {reason}" for reason in reasons)
    )


def _index(hints: list[Hint], made: list[Made], corpora: Path) -> dict[str, Any]:
    """The commits of the repositories, and of each kernel the ids of its plans and the reasons of launches without one."""
    kernels = []
    for hint in hints:
        own = [m for m in made if m.hint is hint]
        plans = [m.plan["id"] for m in own if m.plan is not None]
        kernels.append(
            {
                "repository": hint.repository, "file": hint.file, "kernel": hint.instance or hint.name,
                "launches": len(own), "plans": plans, "reasons": sorted({m.reason for m in own if m.plan is None}),
            }
        )  # fmt: skip
    commits = {name: commit_of(corpora / name) for name in sorted({hint.repository for hint in hints})}
    return {"commits": commits, "kernels": kernels}


def commit_of(repository: Path) -> str:
    """As its clone says it, or a file COMMIT where it is no clone."""
    told = repository / "COMMIT"
    if told.is_file():
        return told.read_text().strip()
    asked = subprocess.run(
        ["git", "-C", str(repository), "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    return asked.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
