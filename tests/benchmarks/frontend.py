"""How many kernels of whole repositories the front end understands, without analysing them.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.frontend llm.c cuda-samples

Each argument is a folder below CUDALINT_CORPORA: a git clone, or a checkout with a file COMMIT. A header is read in
the files that include it, and CUDA in Python strings counts. The result is printed and written to
tests/benchmarks/results/frontend.md, where the lines of other repositories stay.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from cudalint.engine import ScanOptions
from cudalint.engine.doctor import read_job
from cudalint.engine.file import merged_kernels
from cudalint.engine.jobs import Job, lost_jobs, plan_jobs
from cudalint.finding import KernelResult
from cudalint.project.discovery import discover
from tests.benchmarks.coverage import commit_of

RESULTS = Path(__file__).parent / "results" / "frontend.md"
HEADER = "| repository | commit | files | crashed | kernels | complete | exact | median s | p95 s |\n|" + "---|" * 9


def measured(job: Job, root: str) -> tuple[tuple[KernelResult, ...], float, list[str]]:
    """The kernels of one translation unit, the seconds, and what went wrong."""
    start = time.process_time()
    read = read_job(job, root)
    wrong = [f"- {note.path}: {note.text}" for note in read.notes if note.failed]
    return read.kernels, time.process_time() - start, wrong


def row(name: str, root: Path) -> list[str]:
    """The line of a repository, then why its kernels are not complete."""
    options = ScanOptions(paths=(str(root),), project_root=str(root))
    discovery = discover([str(root)], project_root=str(root))
    plan = plan_jobs(discovery, options)
    with ProcessPoolExecutor() as pool:
        results = list(pool.map(partial(measured, root=str(root)), plan.jobs, chunksize=4))
        lost = lost_jobs(plan, (k for found, _, _ in results for k in found), discovery, options)
        results += list(pool.map(partial(measured, root=str(root)), lost))
    kernels = list(merged_kernels(kernel for found, _, _ in results for kernel in found))
    seconds = sorted(s for _, s, _ in results)
    crashes = [line for _, _, wrong in results for line in wrong]
    total = max(1, len(kernels))
    complete, exact = sum(k.complete for k in kernels), sum(k.exact for k in kernels)
    cells = [
        name,
        commit_of(root)[:12],
        str(len(discovery.files) + len({k.span.path for k in kernels} & {s.path for s in discovery.embedded})),
        str(len(crashes)),
        str(len(kernels)),
        f"{complete} ({100 * complete / total:.1f} %)",
        f"{exact} ({100 * exact / total:.1f} %)",
        f"{seconds[len(seconds) // 2]:.2f}",
        f"{seconds[int(len(seconds) * 0.95)]:.2f}",
    ]
    counter = Counter(k.unmodelled[0].reason for k in kernels if not k.complete and k.unmodelled)
    why = [f"- {count} x {reason}" for reason, count in sorted(counter.items(), key=lambda i: (-i[1], i[0]))[:10]]
    return ["| " + " | ".join(cells) + " |", f"\n## {name}: why kernels are not complete\n", *why, *crashes]


def main(names: list[str]) -> int:
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    if not names or not corpora.is_dir():
        print(__doc__)
        return 2
    for name in names:
        made = row(name, corpora / name)
        known = {**_known(), name: made}
        rows = [known[each] for each in sorted(known)]
        text = (
            "\n".join([HEADER, *(lines[0] for lines in rows), *(line for lines in rows for line in lines[1:])]) + "\n"
        )
        RESULTS.write_text(text)
    print(text)
    return 0


def _known() -> dict[str, list[str]]:
    """The rows and reasons of repositories that were measured before."""
    text = RESULTS.read_text() if RESULTS.exists() else ""
    rows = {line.split("|")[1].strip(): line for line in text.split("\n")[2:] if line.startswith("|")}
    reasons = {part.partition(":")[0]: part.strip() for part in text.split("\n## ")[1:]}
    return {name: [line, f"\n## {reasons[name]}"] for name, line in rows.items() if name in reasons}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
