"""Random launches inside the contracts, by the emulator, against everything that a scan calls `safe`.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.random_launches [--kernels 100] [--launches 30] [--only PART]
        [--seconds 3600] [--state FILE] [--part I/N]

The ok fixtures come first, then as many real kernels as --kernels says, drawn with SEED from the repositories in the folder.
Of each walk (instance and contract) of a kernel as many launches are drawn as --launches says: boundary sizes first, under four
schedules in turn. With --state what is done is kept in a file, and a later call goes on behind it; processes that do a part
each keep files of their own, which are put one behind the other for a last call. The result is printed and, unless --only or
--part chooses some, written to tests/benchmarks/results/random-launches.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import chain, islice
from pathlib import Path

from cudalint.engine.jobs import Job
from cudalint.frontend.syntax import index
from tests.benchmarks.coverage import commit_of
from tests.benchmarks.proofs import (
    SCHEDULES,
    Project,
    TimeLimit,
    Walked,
    at_most_seconds,
    claims,
    launches,
    project_of,
    refuted,
    run_of,
    visit_walks,
    why_not,
)

SEED = 20_261
RESULTS = Path(__file__).parent / "results" / "random-launches.md"
FIXTURES = Path(__file__).parents[2] / "fixtures"
REPOSITORIES = ("llm.c", "cuda-samples", "gpu-rodinia", "bitsandbytes", "ggml", "apex")
KERNEL_SECONDS = 120


@dataclass
class Tally:
    """Of one kernel; launches count for a family where something of it was called safe."""

    name: str
    walks: int = 0
    accesses: int = 0
    arrays: int = 0
    launches: int = 0
    bounds: int = 0
    races: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    refuted: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A kernel (or all of a file) in a job of a project."""

    name: str
    project: Project
    job: Job
    kernel: str | None = None


def ok_fixtures(only: str = "") -> Iterator[Chosen]:
    """The fixtures that promise to be right, each read alone."""
    project = project_of(sorted(FIXTURES.glob("*/ok_*.cu")), FIXTURES)
    named = ((job.source.path.removesuffix(".cu"), job) for job in project.jobs)
    yield from (Chosen(name, project, job) for name, job in named if only in name)


def real_kernels(corpora: Path, count: int, only: str = "") -> Iterator[Chosen]:
    """Kernels of the repositories, drawn with SEED; they come in the order of the draw."""
    known: dict[str, tuple[Project, Job]] = {}
    everything: list[tuple[str, str]] = []
    for name in REPOSITORIES if count else ():
        if not (corpora / name).is_dir():
            continue
        project = project_of([corpora / name], corpora / name)
        for job in project.jobs:
            if job.own:
                known[f"{name}/{job.source.path}"] = project, job
                everything += [(f"{name}/{job.source.path}", k.name) for k in index(job.source).kernels]
    chosen = random.Random(SEED).sample(sorted(set(everything)), min(count, len(set(everything))))
    for path, kernel in chosen:
        if only in f"{path}:{kernel}":
            yield Chosen(f"{path}:{kernel}", *known[path], kernel)


def every_chosen(arguments: argparse.Namespace, corpora: Path) -> Iterator[Chosen]:
    """The fixtures, then the kernels, of the asked part."""
    first, _, step = arguments.part.partition("/")
    both = chain(ok_fixtures(arguments.only), real_kernels(corpora, arguments.kernels, arguments.only))
    return islice(both, int(first) - 1, None, int(step))


def tried(chosen: Chosen, count: int) -> Tally:
    """`count` launches of each walk."""
    tally, statuses = Tally(chosen.name), Counter[str]()
    left_out: Counter[str] = Counter()

    def visit(walked: Walked) -> None:
        reason = why_not(walked.contract)
        if reason is not None:
            left_out[reason] += 1
            return
        accesses, arrays = claims(walked.analysis)
        tally.walks += 1
        tally.accesses += accesses
        tally.arrays += arrays
        if not accesses and not arrays:
            left_out["nothing is called safe"] += 1
            return
        drawn = 0
        for number, draw in enumerate(launches(walked, SEED, count)):
            schedule = SCHEDULES[number % len(SCHEDULES)]
            outcome = run_of(walked, draw, SEED + number, schedule)
            if outcome is None:
                statuses["no plan"] += 1
                continue
            drawn += 1
            statuses[outcome.status] += 1
            tally.launches += 1
            tally.bounds += accesses > 0
            tally.races += arrays > 0
            for each in refuted(walked.analysis, outcome, draw.values):
                shape = f"grid {draw.shape.grid} block {draw.shape.block}"
                tally.refuted.append(f"{each.what} at {each.span}: {each.seen}; {shape} {draw.values} {schedule}")
            if tally.refuted and len(tally.refuted) > 20:
                return
        left_out["no small launch is inside the contract"] += not drawn

    try:
        with at_most_seconds(KERNEL_SECONDS):
            visit_walks(chosen.job, chosen.project, visit, chosen.kernel)
    except TimeLimit:
        left_out[f"more than {KERNEL_SECONDS} s"] += 1
    tally.statuses, tally.left_out = dict(statuses), [k for k, n in left_out.items() for _ in range(n)]
    return tally


# --- what is done, kept in a file ----------------------------------------------------------------------------------------


def read_state(path: Path | None) -> dict[str, Tally]:
    """Finished kernels by name."""
    if path is None or not path.exists():
        return {}
    return {(t := Tally(**json.loads(line))).name: t for line in path.read_text().splitlines()}


def main() -> None:
    """Try, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=int, default=100)
    parser.add_argument("--launches", type=int, default=30)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=int, default=1 << 30)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--part", default="1/1", metavar="I/N", help="every N-th fixture and kernel from the I-th on")
    arguments = parser.parse_args()
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    done, start = read_state(arguments.state), time.monotonic()
    tallies: list[Tally] = []
    for chosen in every_chosen(arguments, corpora):
        tally = done.get(chosen.name)
        if tally is None:
            if time.monotonic() - start > arguments.seconds:
                continue
            tally = tried(chosen, arguments.launches)
            if arguments.state is not None:
                with arguments.state.open("a") as file:
                    file.write(json.dumps(asdict(tally)) + "\n")
            for line in tally.refuted:
                print(f"{tally.name}: {line}", file=sys.stderr, flush=True)
        tallies.append(tally)
    text = report(tallies, corpora, arguments.launches)
    print(text)
    if not arguments.only and arguments.part == "1/1":
        RESULTS.write_text(text)


def report(tallies: list[Tally], corpora: Path, count: int) -> str:
    """The table, why walks were left out, and what was refuted."""
    fixtures = [t for t in tallies if ":" not in t.name]
    real = [t for t in tallies if ":" in t.name]
    rows = [
        "| kernels of | files or kernels | walks | safe accesses | safe arrays | launches | with safe accesses "
        "| with safe arrays | finished | refuted |",
        "|" + "---|" * 10,
        _row("ok fixtures", fixtures),
        _row("repositories", real),
        _row("all", tallies),
    ]
    left_out = Counter(reason for t in tallies for reason in t.left_out)
    commits = ", ".join(f"{n} {commit_of(corpora / n)[:12]}" for n in REPOSITORIES if real and (corpora / n).is_dir())
    lines = [
        "# Random launches inside the contracts",
        "",
        f"cudalint {own_commit()}; seed {SEED}, {count} launches of each walk; {commits}",
        "",
        *rows,
        "",
        "Walks without launches:",
        *(f"- {number} x {reason}" for reason, number in left_out.most_common()),
        "",
        "Refuted:",
        *([f"- {t.name}: {line}" for t in tallies for line in t.refuted] or ["- nothing"]),
    ]
    return "\n".join(lines) + "\n"


def _row(name: str, tallies: Iterable[Tally]) -> str:
    own = list(tallies)
    sums = [sum(getattr(t, part) for t in own)
            for part in ("walks", "accesses", "arrays", "launches", "bounds", "races")]  # fmt: skip
    finished = sum(t.statuses.get("finished", 0) for t in own)
    cells = [name, len(own), *sums, finished, sum(bool(t.refuted) for t in own)]
    return "| " + " | ".join(map(str, cells)) + " |"


def own_commit() -> str:
    command = ["git", "-C", str(FIXTURES.parent), "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


if __name__ == "__main__":
    main()
