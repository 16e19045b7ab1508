"""How many kernels of whole repositories the front end understands, without analysing them.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.frontend llm.c cuda-samples

Each argument is a folder below CUDALINT_CORPORA: a git clone, or a checkout with a file COMMIT. A header is read in
the files that include it, and CUDA in Python strings counts. The result is printed and written to
tests/benchmarks/results/frontend.md, where the lines of other repositories stay; those of one call have a line together.
Every file is read by two processes, one after the other, and the lesser of its two times counts: what else the machine
does makes a read slower, never faster.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cudalint.engine import ScanOptions
from cudalint.engine.doctor import read_job
from cudalint.engine.jobs import Job, lost_jobs, plan_jobs
from cudalint.engine.merging import merged_kernels
from cudalint.engine.pool import patiently
from cudalint.finding import KernelResult
from cudalint.project.discovery import discover
from tests.benchmarks.coverage import commit_of

RESULTS = Path(__file__).parent / "results" / "frontend.md"
TITLES = (
    "repository", "commit", "files", "crashed", "kernels", "complete", "exact", "median s", "p95 s",
    "median s with kernels", "p95 s with kernels",
)  # fmt: skip
HEADER = f"| {' | '.join(TITLES)} |\n|" + "---|" * len(TITLES)
TOGETHER = "~ together"  # behind all names


def measured(job: Job, root: str) -> tuple[tuple[KernelResult, ...], float, list[str]]:
    """The kernels of one translation unit, the seconds, and what went wrong."""
    start = time.process_time()
    read = patiently(partial(read_job, root=root), job)
    wrong = [f"- {note.path}: {note.text}" for note in read.notes if note.failed]
    return read.kernels, time.process_time() - start, wrong


@dataclass(frozen=True)
class Measured:
    """One repository. `seconds` are of processor time, one for each translation unit, with whether it has kernels."""

    name: str
    commit: str
    files: int
    kernels: tuple[KernelResult, ...]
    seconds: tuple[tuple[float, bool], ...]
    crashes: tuple[str, ...]


def measure(name: str, root: Path) -> Measured:
    options = ScanOptions(paths=(str(root),), project_root=str(root))
    discovery = discover([str(root)], project_root=str(root))
    plan = plan_jobs(discovery, options)
    results = _read(plan.jobs, root)
    lost = lost_jobs(plan, (k for found, _, _ in results for k in found), discovery, options)
    results += _read(lost, root)
    again = _read((*plan.jobs, *lost), root)
    results = [(k, min(seconds, other), wrong) for (k, seconds, wrong), (_, other, _) in zip(results, again)]
    kernels = tuple(merged_kernels(kernel for found, _, _ in results for kernel in found))
    embedded = {k.span.path for k in kernels} & {s.path for s in discovery.embedded}
    return Measured(
        name,
        commit_of(root)[:12],
        len(discovery.files) + len(embedded),
        kernels,
        tuple((seconds, bool(found)) for found, seconds, _ in results),
        tuple(line for _, _, wrong in results for line in wrong),
    )


def _read(jobs: Iterable[Job], root: Path) -> list[tuple[tuple[KernelResult, ...], float, list[str]]]:
    """By one process of its own: two that share a core slow each other down by a fifth."""
    with ProcessPoolExecutor(max_workers=1) as pool:
        return list(pool.map(partial(measured, root=str(root)), jobs, chunksize=4))


def together(every: list[Measured]) -> Measured:
    return Measured(
        TOGETHER,
        f"{len(every)} commits",
        sum(each.files for each in every),
        tuple(kernel for each in every for kernel in each.kernels),
        tuple(second for each in every for second in each.seconds),
        tuple(line for each in every for line in each.crashes),
    )


def row(of: Measured) -> list[str]:
    """The line of a repository, then why its kernels are not complete."""
    total = max(1, len(of.kernels))
    complete, exact = sum(k.complete for k in of.kernels), sum(k.exact for k in of.kernels)
    cells = [
        of.name,
        of.commit,
        str(of.files),
        str(len(of.crashes)),
        str(len(of.kernels)),
        f"{complete} ({100 * complete / total:.1f} %)",
        f"{exact} ({100 * exact / total:.1f} %)",
        *_quantiles([seconds for seconds, _ in of.seconds]),
        *_quantiles([seconds for seconds, has_kernels in of.seconds if has_kernels]),
    ]
    counter = Counter(k.unmodelled[0].reason for k in of.kernels if not k.complete and k.unmodelled)
    why = [f"- {count} x {reason}" for reason, count in sorted(counter.items(), key=lambda i: (-i[1], i[0]))[:10]]
    return ["| " + " | ".join(cells) + " |", f"\n## {of.name}: why kernels are not complete\n", *why, *of.crashes]


def _quantiles(seconds: list[float]) -> tuple[str, str]:
    """Median and 95th percentile."""
    ordered = sorted(seconds) or [0.0]
    return f"{ordered[len(ordered) // 2]:.2f}", f"{ordered[int(len(ordered) * 0.95)]:.2f}"


def main(names: list[str]) -> int:
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    if not names or not corpora.is_dir():
        print(__doc__)
        return 2
    every: list[Measured] = []
    for name in names:
        every.append(measure(name, corpora / name))
        _write(every[-1])
    if len(every) > 1:
        _write(together(every))
    print(RESULTS.read_text())
    return 0


def _write(of: Measured) -> None:
    known = {**_known(), of.name: row(of)}
    rows = [known[each] for each in sorted(known)]
    RESULTS.write_text(
        "\n".join([HEADER, *(lines[0] for lines in rows), *(line for lines in rows for line in lines[1:])]) + "\n"
    )


def _known() -> dict[str, list[str]]:
    """The rows and reasons of repositories that were measured before."""
    text = RESULTS.read_text() if RESULTS.exists() else ""
    rows = {line.split("|")[1].strip(): line for line in text.split("\n")[2:] if line.startswith("|")}
    reasons = {part.partition(":")[0]: part.strip() for part in text.split("\n## ")[1:]}
    return {name: [line, f"\n## {reasons[name]}"] for name, line in rows.items() if name in reasons}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
