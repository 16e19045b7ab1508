"""Mutants of correct kernels that the emulator sees fail: which of them a scan tells of at default settings.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.reported [--kernels 100] [--each 4] [--launches 8] [--only PART]
        [--seconds 3600] [--state FILE] [--part I/N]

The kernels and their mutants are those of tests/benchmarks/mutants.py, drawn with the same seed. A mutant counts where a run
inside its own contract races, or leaves an object of an extent that is related to the launch, and where no such run of the
original does. It is told of if a scan shows a finding that it does not show of the original: the right family if the run left an
object and the code is of bounds or overflow (IDX), or raced and it is of synchronisation (SYN). What is printed is also written
to tests/benchmarks/results/reported.md, unless --only or --part chooses some.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from unittest.mock import patch

from cudalint.confirm.emulate.events import Event
from cudalint.contract import Binding, Extent, Geometry
from cudalint.engine.file import EVERYTHING, analyse_file
from cudalint.engine.jobs import Job
from cudalint.finding import Evidence, Level
from cudalint.rule import shown_by_default
from cudalint.symbolic import analyse as analysing
from cudalint.symbolic.issues import Analysis
from cudalint.term import Term, free_symbols
from tests.benchmarks.coverage import commit_of
from tests.benchmarks.mutants import FAMILIES, MUTANT_SECONDS, drawn
from tests.benchmarks.mutations import Mutation
from tests.benchmarks.proofs import (
    SCHEDULES,
    TimeLimit,
    Walked,
    at_most_seconds,
    described,
    failures,
    launches,
    run_of,
    visit_walks,
    why_not,
)
from tests.benchmarks.random_launches import REPOSITORIES, SEED, Chosen, every_chosen, own_commit

RESULTS = Path(__file__).parent / "results" / "reported.md"
FAMILY_OF = {"out_of_bounds": "IDX", "race": "SYN"}
SCAN_SECONDS = 90


@dataclass
class Scored:
    """One mutant that fails. `outcome`: right family, other family, hidden (unlikely findings alone), silent, too long."""

    kernel: str
    kind: str
    line: int
    number: int
    outcome: str = "clean"
    seen: str = ""
    told: list[str] = field(default_factory=list)


def of_mutant(chosen: Chosen, mutation: Mutation) -> Job:
    """The job with the text of the mutant."""
    text = mutation.applied(chosen.job.source.text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
    return replace(chosen.job, source=replace(chosen.job.source, text=text))


def first_failure(chosen: Chosen, job: Job, count: int) -> tuple[str, str] | None:
    """What the first of `count` launches of each walk that goes wrong does, and the family of findings that speak of such."""
    found: list[tuple[str, str]] = []

    def visit(walked: Walked) -> None:
        if found or why_not(walked.contract) is not None:
            return
        for place, draw in enumerate(launches(walked, SEED, count)):
            outcome = run_of(walked, draw, SEED + place, SCHEDULES[place % len(SCHEDULES)])
            events = [e for e in failures(outcome) if _counts(e, walked)] if outcome is not None else []
            if events:
                shape = f"grid {draw.shape.grid} block {draw.shape.block} {draw.values}"
                found.append((f"{described(events[0])}; {shape}", FAMILY_OF[events[0].kind]))
                return

    with at_most_seconds(MUTANT_SECONDS):
        visit_walks(job, chosen.project, visit, chosen.kernel)
    return found[0] if found else None


def _counts(event: Event, walked: Walked) -> bool:
    """A race, or an access outside of memory whose extent the contract relates to the launch, or the kernel states."""
    facts = [fact.what for fact in walked.contract.facts]
    values = [what.value for what in facts if isinstance(what, Binding)]
    sides = [side for what in facts if isinstance(what, Geometry) for side in (*what.grid, *what.block)]
    spoken_of = frozenset[Term]().union(*(free_symbols(v) for v in (*values, *sides) if isinstance(v, Term)))
    extents = [what for what in facts if isinstance(what, Extent)]
    related = {e.pointer for e in extents if not free_symbols(e.size) or not free_symbols(e.size).isdisjoint(spoken_of)}
    made_up = {p.var.name for p in walked.kernel.params} - related
    made_up |= {e.buffer for e in extents if e.buffer and e.pointer in made_up}
    place = event.access.place
    return event.kind == "race" or (
        event.kind == "out_of_bounds" and made_up.isdisjoint({place, place.partition(".")[0]})
    )


def findings_of(chosen: Chosen, job: Job) -> dict[tuple[str, int], bool]:
    """What a scan says of the kernel, by code and line: whether it is shown at default settings."""
    real = analysing.analyse

    def told(unit, kernel, contract, *effort):  # type: ignore[no-untyped-def]
        return real(unit, kernel, contract, *effort) if chosen.kernel in (None, kernel.name) else Analysis(kernel.id)

    options = replace(chosen.project.options, confirm="auto", thorough=False)
    hints = dict(chosen.project.configuration.hints)
    with at_most_seconds(SCAN_SECONDS), patch.object(analysing, "analyse", told):
        result = analyse_file(
            job.source,
            job.parse,
            chosen.project.root,
            options,
            hints,
            job.around,
            EVERYTHING,
            job.neighbours,
            job.program,
        )
    found: dict[tuple[str, int], bool] = {}
    for finding in result.findings:
        if finding.level is not Level.NOTE and finding.evidence is not Evidence.REFUTED:
            key = finding.code, finding.span.line
            found[key] = found.get(key, False) or shown_by_default(finding)
    return found


def scored(chosen: Chosen, number: int, mutation: Mutation, count: int, before: dict[tuple[str, int], bool]) -> Scored:
    """The mutant is run; only where it fails is it scanned."""
    result = Scored(chosen.name, mutation.kind, mutation.line, number)
    job = of_mutant(chosen, mutation)
    try:
        failure = first_failure(chosen, job, count)
        if failure is None:
            return result
        result.seen, family = failure
        result.outcome = "too long"
        after = findings_of(chosen, job)
    except TimeLimit:
        result.outcome = "too long"
        return result
    shown = sorted(key for key, is_shown in after.items() if is_shown and not before.get(key, False))
    result.told = [f"{code}:{line}" for code, line in shown]
    if any(code.startswith(family) for code, _ in shown):
        result.outcome = "right family"
    elif shown:
        result.outcome = "other family"
    else:
        new = any(
            code.startswith(family) and not is_shown and (code, line) not in before
            for (code, line), is_shown in after.items()
        )
        result.outcome = "hidden" if new else "silent"
    return result


def all_scored(arguments: argparse.Namespace, corpora: Path) -> Iterator[Scored]:
    """Everything that the arguments ask for, from the file of what is done or anew."""
    done = read_state(arguments.state)
    start = time.monotonic()
    for chosen in every_chosen(arguments, corpora):
        before: dict[tuple[str, int], bool] | None = None
        is_right = True
        for number, mutation in drawn(chosen, arguments.each, ""):
            known = done.get((chosen.name, number))
            if known is None and time.monotonic() - start < arguments.seconds:
                if before is None:
                    try:
                        before = findings_of(chosen, chosen.job)
                        is_right = first_failure(chosen, chosen.job, arguments.launches) is None
                    except TimeLimit:
                        break
                if not is_right:
                    break
                known = scored(chosen, number, mutation, arguments.launches, before)
                if arguments.state is not None:
                    with arguments.state.open("a") as file:
                        file.write(json.dumps(asdict(known)) + "\n")
            if known is not None:
                yield known


def read_state(path: Path | None) -> dict[tuple[str, int], Scored]:
    """Finished mutants by kernel and number."""
    if path is None or not path.exists():
        return {}
    found = (Scored(**json.loads(line)) for line in path.read_text().splitlines())
    return {(s.kernel, s.number): s for s in found}


def main() -> None:
    """Score, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=int, default=100)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--launches", type=int, default=8)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=int, default=1 << 30)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--part", default="1/1", metavar="I/N", help="every N-th fixture and kernel from the I-th on")
    arguments = parser.parse_args()
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    text = report(list(all_scored(arguments, corpora)), corpora, arguments)
    print(text)
    if not arguments.only and arguments.part == "1/1":
        RESULTS.write_text(text)
        print(f"written to {RESULTS}", file=sys.stderr)


def report(results: list[Scored], corpora: Path, arguments: argparse.Namespace) -> str:
    """A row for each kind, of fixtures and of real kernels apart, and every mutant that was not told of."""
    real = [r for r in results if ":" in r.kernel]
    commits = ", ".join(f"{n} {commit_of(corpora / n)[:12]}" for n in REPOSITORIES if real and (corpora / n).is_dir())
    lines = [
        "# Mutants that fail, and what a scan says of them at default settings",
        "",
        f"cudalint {own_commit()}; seed {SEED}, {arguments.each} mutants of each kernel, {arguments.launches} launches of each "
        f"walk; {len({r.kernel for r in results})} fixtures and kernels; {commits}",
        "",
    ]
    for title, own in (("Fixtures", [r for r in results if ":" not in r.kernel]), ("Real kernels", real)):
        lines += [f"## {title}", "", *_table(own), ""]
    lines.append("## Not told of")
    lines.append("")
    missed = [r for r in results if r.outcome in ("hidden", "silent", "too long", "other family") and r.seen]
    lines += [f"- {r.kernel}:{r.line} {r.kind} #{r.number}: {r.outcome}; {r.seen}" for r in missed] or ["- none"]
    return "\n".join(lines) + "\n"


def _table(results: list[Scored]) -> list[str]:
    rows = [
        "| kind | seen to fail | right family | other family | hidden | silent | too long | share |",
        "|" + "---|" * 8,
    ]
    for family, kinds in FAMILIES.items():
        rows += [_row(kind, [r for r in results if r.kind == kind]) for kind in kinds]
        rows.append(_row(f"**{family}**", [r for r in results if r.kind in kinds]))
    return rows


def _row(name: str, results: Iterable[Scored]) -> str:
    own = Counter(r.outcome for r in results if r.seen)
    outcomes = ("right family", "other family", "hidden", "silent", "too long")
    share = f"{100 * own['right family'] / own.total():.1f} %" if own.total() else "-"
    return f"| {name} | {own.total()} | {' | '.join(str(own[each]) for each in outcomes)} | {share} |"


if __name__ == "__main__":
    main()
