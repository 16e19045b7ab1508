"""Write the plans of the hinted kernels, and say which have none.

    CUDALINT_CORPORA=/path/to/clones python -m tests.gpu.real_kernels OUT [REPOSITORY ...]
    python tests/gpu/run_all.py OUT --all            where the GPU is

OUT gets a folder of plans and kernels.md, the table of what is compared and why the others are not.
"""

from __future__ import annotations

import sys
from pathlib import Path

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
    kernels = {(h.repository, h.file, h.name, h.instance) for h in (m.hint for m in made if m.plan is not None)}
    Path(out, "kernels.md").write_text(_table(hints, made))
    print(f"{count} plans of {len(kernels)} kernels of {len({k[0] for k in kernels})} repositories")
    return 0


def _line(hint: Hint, made: list[Made]) -> str:
    reasons = sorted({m.reason for m in made if m.plan is None})
    good = [m for m in made if m.plan is not None]
    kind = "-" if not good else "within errors" if any(m.close for m in good) else "equal"
    label = hint.instance or hint.name
    return f"{hint.repository}/{hint.file} {label}: {len(good)} of {len(made)} launches, {kind}" + "".join(
        f"; {reason}" for reason in reasons
    )


def _table(hints: list[Hint], made: list[Made]) -> str:
    rows = ["| kernel | launches | compared |", "|---|---|---|"]
    for hint in hints:
        own = [m for m in made if m.hint is hint]
        rows.append("| " + _line(hint, own).replace(": ", " | ", 1).replace(", ", " | ", 1) + " |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
