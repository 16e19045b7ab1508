"""What launch facts and inferred preconditions are worth: findings and verdicts with and without them, in one table.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.effect [--state FILE] [repository ...]

CUDALINT_JOBS is how many files are analysed at a time. What was counted is kept in FILE, a line for each file, and not
counted again.

From each repository EACH files with kernels and at most LARGEST characters are drawn by SEED and its name. Each file is
analysed four times with the same budgets: as it is; without what its launches say (every kernel under ordinary launches); without
inferred preconditions (facts of that origin are dropped, and a violation that a relation between sizes would settle stays one);
without both. Findings of the solver count, before any run, by confidence; "high" is what the default profile shows. Printed, and
written to tests/benchmarks/results/effect.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from cudalint.contract import Origin
from cudalint.engine import ScanOptions
from cudalint.engine import contracts as engine_contracts
from cudalint.engine.embedded import analyse_python
from cudalint.engine.file import FileResult, Reported, analyse_file
from cudalint.engine.jobs import Job, plan_jobs
from cudalint.finding import Confidence, Evidence, Verdict
from cudalint.frontend.python_strings import embedded_sources
from cudalint.frontend.syntax import index
from cudalint.project.discovery import discover
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.term import forget_if_many
from tests.benchmarks.coverage import commit_of
from tests.benchmarks.launch_sample import REPOSITORIES
from tests.benchmarks.random_launches import own_commit

SEED = "cudalint effect 2"
EACH, LARGEST = 8, 16_000  # characters: large files take most of an hour
RESULTS = Path(__file__).parent / "results" / "effect.md"
SETTINGS = {
    "all facts": (True, True),
    "without launch facts": (False, True),
    "without inferred preconditions": (True, False),
    "without both": (False, False),
}
HEADER = (
    "| setting | findings: high | medium | low | safe | violated | unknown | unreachable | decided |\n|" + "---|" * 9
)
Counts = dict[str, Counter[str]]  # of each setting
_CONTRACTS = engine_contracts.contracts_of


@contextmanager
def knowing(launches: bool, inferred: bool) -> Iterator[None]:
    """Within the block the engine has the facts of launches, and infers preconditions, where asked for."""

    def contracts_of(*given: object, **named: object) -> object:
        found = _CONTRACTS(*given, **named) if launches else {}  # type: ignore[arg-type]
        if inferred:
            return found
        return {
            kernel: tuple(replace(c, facts=tuple(f for f in c.facts if f.origin is not Origin.INFERRED)) for c in each)
            for kernel, each in found.items()
        }

    with ExitStack() as stack:
        stack.enter_context(patch("cudalint.engine.file.contracts_of", contracts_of))
        if not inferred:
            stack.enter_context(patch.object(Decider, "_is_untied", lambda *_: False))
            stack.enter_context(patch("cudalint.engine.kernel.taken_relations", lambda *_: []))
        yield


def drawn_jobs(name: str, jobs: tuple[Job, ...]) -> list[Job]:
    """The sample of a repository: it depends on the seed, the name, and which small files hold kernels."""
    holding = sorted((job for job in jobs if _holds_kernels(job)), key=lambda job: job.source.path)
    return random.Random(f"{SEED}: {name}").sample(holding, min(EACH, len(holding)))


def _holds_kernels(job: Job) -> bool:
    if job.source.path.endswith(".py"):
        return any(index(each.source).kernels for each in embedded_sources(job.source))
    return job.own and len(job.source.text) <= LARGEST and bool(index(job.source).kernels)


def analysed(job: Job, root: str) -> FileResult:
    options = ScanOptions(paths=(root,), profile="audit", confirm="none")
    forget_if_many()
    if job.source.path.endswith(".py"):
        return analyse_python(job.source, job.parse, root, options, {})
    reported = Reported(job.own, job.only)
    return analyse_file(job.source, job.parse, root, options, {}, job.around, reported, job.neighbours, job.program)


def counts_of(result: FileResult) -> Counter[str]:
    """Findings by confidence and obligations by verdict."""
    found = Counter(f.confidence.value for f in result.findings if f.evidence is not Evidence.PATTERN)
    return found + Counter(o.verdict.value for kernel in result.kernels for o in kernel.obligations)


def row(setting: str, counts: Counter[str]) -> str:
    verdicts = [counts[v.value] for v in (Verdict.SAFE, Verdict.VIOLATED, Verdict.UNKNOWN, Verdict.UNREACHABLE)]
    findings = [counts[c.value] for c in (Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW)]
    decided = 100 * (sum(verdicts) - counts[Verdict.UNKNOWN.value]) / max(1, sum(verdicts))
    return "| " + " | ".join([setting, *map(str, (*findings, *verdicts)), f"{decided:.1f} %"]) + " |"


def page(totals: Counts, files: list[str]) -> str:
    lines = [
        f"cudalint {own_commit()}",
        "",
        f"{len(files)} files of at most {LARGEST} characters, drawn with the seed {SEED!r}, {EACH} of each repository:",
        "",
    ]
    lines += [f"- {each}" for each in files]
    return "\n".join([*lines, "", HEADER, *(row(name, counts) for name, counts in totals.items())]) + "\n"


def counted(file: str, root: str, job: Job) -> tuple[str, Counts]:
    """What one file gives in each of the settings."""
    found: Counts = {}
    for setting, (launches, inferred) in SETTINGS.items():
        with knowing(launches, inferred):
            found[setting] = counts_of(analysed(job, root))
    return file, found


def read_state(path: Path | None) -> dict[str, Counts]:
    """By the repository, its commit and the file."""
    lines = path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else []
    return {name: {s: Counter(c) for s, c in counts.items()} for name, counts in map(json.loads, lines)}


def keep(path: Path | None, name: str, counts: Counts) -> None:
    if path is not None:
        with path.open("a", encoding="utf-8") as state:
            state.write(json.dumps([name, counts]) + "\n")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories", nargs="*")
    parser.add_argument("--state", type=Path)
    asked = parser.parse_args(arguments)
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    if not corpora.name or not corpora.is_dir():
        print(__doc__)
        return 2
    found = read_state(asked.state)
    drawn: dict[str, tuple[str, Job]] = {}
    for name in asked.repositories or REPOSITORIES:
        root = str(corpora / name)
        jobs = plan_jobs(discover([root], project_root=root), ScanOptions(paths=(root,))).jobs
        commit = commit_of(corpora / name)[:12]
        drawn |= {f"{name} {commit} {job.source.path}": (root, job) for job in drawn_jobs(name, jobs)}
    left = [file for file in drawn if file not in found]
    with ProcessPoolExecutor(int(os.environ.get("CUDALINT_JOBS", "1"))) as pool:
        for counting in as_completed({pool.submit(counted, file, *drawn[file]) for file in left}):
            file, found[file] = counting.result()
            keep(asked.state, file, found[file])
            print(file, file=sys.stderr, flush=True)
    totals = {setting: sum((found[file][setting] for file in drawn), Counter[str]()) for setting in SETTINGS}
    told = page(totals, list(drawn))
    if not asked.repositories:
        RESULTS.write_text(told, encoding="utf-8")
    print(told)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
