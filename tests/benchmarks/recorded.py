"""Launches recorded at run time against what contracts say of them: which stated facts does reality contradict?

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.recorded [RECORDS] [program ...]

CUDALINT_JOBS is how many programs are compared at a time. RECORDS is a folder with what tests.gpu.recorded.places wrote
(by default launches/recorded, which is committed).

A launch is compared with each contract of its kernel that speaks of the place where the launch stands; one of them has to
be free of contradictions, and the best of them counts. A stated fact is

    checked        all its values follow from what was recorded, and it holds
    names          it says what a host value is that other facts speak of; the recorded value is taken for it
    open           it speaks of host values that nothing recorded fixes; all open facts hold together for some values
    not recorded   it speaks of memory contents, or of memory that the recorder did not see
    contradicted   it does not hold: no values of the host make it true together with the facts before it

An extent holds if at least so many bytes are left of the real allocation. Written to results/recorded.md.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.benchmarks.coverage import commit_of
from tests.benchmarks.recorded_facts import Kind, Launch, Outcome, best_outcome
from tests.benchmarks.recorded_launches import Program, contracts_below, read_records

RECORDS = Path(__file__).parent / "launches" / "recorded"
RESULTS = Path(__file__).parent / "results" / "recorded.md"
HEAD = (
    "| repository | program | launches | different | with a contract | facts | checked | names | open | not recorded "
    "| contradicted |"
)
KINDS = (Kind.CHECKED, Kind.NAMES, Kind.OPEN, Kind.UNRECORDED, Kind.CONTRADICTED)


def compared(root: Path, program: Program) -> list[tuple[Launch, Outcome | None]]:
    """Each different launch of a program with the outcome under its best contract; None where no contract speaks of it."""
    stated = contracts_below(root, program.folder)
    found = [(launch, best_outcome(launch, stated)) for launch in program.launches]
    return [(launch, None if outcome is None else _without_terms(outcome)) for launch, outcome in found]


def _without_terms(outcome: Outcome) -> Outcome:
    """What the page tells of it, small enough to be handed from process to process."""
    return Outcome(tuple(replace(claim, term=None) for claim in outcome.claims))


def row(repository: str, program: Program, outcomes: Sequence[Outcome | None]) -> str:
    found = [each for each in outcomes if each is not None]
    counts = Counter(kind for each in found for kind in each.kinds())
    cells = [repository, program.name, program.total, len(outcomes), len(found), sum(counts.values())]
    return "| " + " | ".join(map(str, [*cells, *(counts[kind] for kind in KINDS)])) + " |"


def page(results: dict[str, list[tuple[Program, list[tuple[Launch, Outcome | None]]]]], commits: dict[str, str]) -> str:
    """The tables and every contradiction."""
    lines = [(__doc__ or "").split("\n\n", 3)[3].strip(), "", HEAD, "|" + "---|" * (HEAD.count("|") - 1)]
    contradictions: list[str] = []
    unfollowed: list[str] = []
    everything: list[Outcome | None] = []
    total = programs = 0
    for repository, found in results.items():
        for program, launches in found:
            lines.append(row(repository, program, [outcome for _, outcome in launches]))
            everything += [outcome for _, outcome in launches]
            total += program.total
            programs += bool(launches)
            contradictions += _contradictions(f"{repository} {program.name}", launches)
            unfollowed += _unfollowed(f"{repository} {program.name}", launches)
    whole = Program("all", "", {}, total, ())
    lines.append(row(f"{programs} programs", whole, everything))
    lines += ["", "Commits: " + ", ".join(f"{name} {commit[:12]}" for name, commit in commits.items()) + "."]
    lines += ["", "## Contradicted", "", *(contradictions or ["None."])]
    lines += ["", "## Launches of which no contract speaks", "", *(unfollowed or ["None."])]
    return "\n".join(lines) + "\n"


def _contradictions(name: str, launches: Iterable[tuple[Launch, Outcome | None]]) -> list[str]:
    found = Counter(
        f"{name} {launch.kernel} at {launch.place()}: {each.subject}: {each.stated}; recorded {each.recorded}"
        for launch, outcome in launches
        if outcome is not None
        for each in outcome.contradicted()
    )
    return [f"- {number} x {text}" for text, number in sorted(found.items())]


def _unfollowed(name: str, launches: Iterable[tuple[Launch, Outcome | None]]) -> list[str]:
    found = Counter(f"{name} {launch.kernel} at {launch.place()}" for launch, outcome in launches if outcome is None)
    return [f"- {number} x {text}" for text, number in sorted(found.items())]


def main(arguments: list[str]) -> int:
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    if not os.environ.get("CUDALINT_CORPORA") or not corpora.is_dir():
        print(__doc__)
        return 2
    records = Path(arguments[0]) if arguments else RECORDS
    chosen = arguments[1:]
    results: dict[str, list[tuple[Program, list[tuple[Launch, Outcome | None]]]]] = defaultdict(list)
    for path in sorted(records.glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        programs = [each for each in read_records(lines) if not chosen or each.name in chosen]
        with ProcessPoolExecutor(int(os.environ.get("CUDALINT_JOBS", "1"))) as pool:
            for program, found in zip(programs, pool.map(partial(compared, corpora / path.stem), programs)):
                results[path.stem].append((program, found))
                print(row(path.stem, program, [o for _, o in found]), file=sys.stderr, flush=True)
    text = page(results, {name: commit_of(corpora / name) for name in results})
    print(text)
    if not chosen:
        RESULTS.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
