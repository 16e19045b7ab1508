"""Mutants of correct kernels: where the emulator sees one fail inside its contract, nothing that it breaks may be called `safe`.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.mutants [--kernels 100] [--each 10] [--launches 8] [--only PART]
        [--kind KIND] [--seconds 3600] [--state FILE] [--part I/N]

The ok fixtures come first, then as many real kernels as --kernels says, drawn with SEED from the repositories in the folder.
Of each kernel (or fixture) --each mutants are drawn (tests/benchmarks/mutations.py), kinds in turn. A mutant counts where a
run inside its own contract leaves an object or races; it has lost its `safe` if no verdict excludes what was seen. The result is
printed and, unless --only, --kind or --part chooses some, written to tests/benchmarks/results/mutants.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from tests.benchmarks.coverage import commit_of
from tests.benchmarks.mutations import Mutation, mutations
from tests.benchmarks.proofs import (
    SCHEDULES,
    TimeLimit,
    Walked,
    at_most_seconds,
    failures,
    launches,
    refuted,
    run_of,
    visit_walks,
    why_not,
)
from tests.benchmarks.random_launches import REPOSITORIES, SEED, Chosen, every_chosen, own_commit

RESULTS = Path(__file__).parent / "results" / "mutants.md"
MUTANT_SECONDS = 60
FAMILIES = {
    "bounds": ("drop-guard", "weaken-guard", "lengthen-loop", "swap-indices", "swap-dimensions", "shrink-array",
               "shrink-allocation", "shrink-extent"),
    "order": ("remove-barrier", "move-barrier", "merge-indices", "plain-atomic"),
}  # fmt: skip


@dataclass
class Tried:
    """One mutant. `outcome`: clean, failed (and lost its `safe`), kept (a `safe` that is refuted), no launch, too long."""

    kernel: str
    kind: str
    line: int
    number: int
    outcome: str
    seen: list[str] = field(default_factory=list)


def drawn(chosen: Chosen, each: int, kind: str) -> list[tuple[int, Mutation]]:
    """The mutants of one kernel with their numbers among all: of every kind in turn, so that no kind fills the draw."""
    every = list(enumerate(mutations(chosen.job.source.text, chosen.kernel)))
    source = random.Random(f"{SEED}:{chosen.name}")
    source.shuffle(every)
    rank: Counter[str] = Counter()
    order: list[tuple[int, tuple[int, Mutation]]] = []
    for number, mutation in every:
        order.append((rank[mutation.kind], (number, mutation)))
        rank[mutation.kind] += 1
    order.sort(key=lambda pair: pair[0])
    return [pair for _, pair in order if kind in ("", pair[1].kind)][:each]


def tried(chosen: Chosen, number: int, mutation: Mutation, count: int) -> Tried:
    """The mutant in `count` launches of each walk; only where one of them fails is it analysed."""
    result = Tried(chosen.name, mutation.kind, mutation.line, number, "no launch")
    text = mutation.applied(chosen.job.source.text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
    job = replace(chosen.job, source=replace(chosen.job.source, text=text))

    def visit(walked: Walked) -> None:
        if why_not(walked.contract) is not None:
            return
        for place, draw in enumerate(launches(walked, SEED, count)):
            schedule = SCHEDULES[place % len(SCHEDULES)]
            outcome = run_of(walked, draw, SEED + place, schedule)
            if outcome is None:
                continue
            if result.outcome == "no launch":
                result.outcome = "clean"
            if not failures(outcome):
                continue
            if result.outcome == "clean":
                result.outcome = "failed"
            for each in refuted(walked.analysis, outcome, draw.values):
                if each.what in ("bounds", "race", "divergence"):
                    result.outcome = "kept"
                    shape = f"grid {draw.shape.grid} block {draw.shape.block}"
                    result.seen.append(f"{each.what} at {each.span}: {each.seen}; {shape} {draw.values} {schedule}")
            if result.outcome == "kept":
                return

    try:
        with at_most_seconds(MUTANT_SECONDS):
            visit_walks(job, chosen.project, visit, chosen.kernel)
    except TimeLimit:
        result.outcome = "too long"
    return result


def all_tried(arguments: argparse.Namespace, corpora: Path) -> Iterator[Tried]:
    """Everything that the arguments ask for, from the file of what is done or anew."""
    done = read_state(arguments.state)
    start = time.monotonic()
    for chosen in every_chosen(arguments, corpora):
        for number, mutation in drawn(chosen, arguments.each, arguments.kind):
            known = done.get((chosen.name, number))
            if known is not None:
                yield known
            elif time.monotonic() - start < arguments.seconds:
                result = tried(chosen, number, mutation, arguments.launches)
                if arguments.state is not None:
                    with arguments.state.open("a") as file:
                        file.write(json.dumps(asdict(result)) + "\n")
                for line in result.seen:
                    print(f"{result.kernel}:{result.line} {result.kind} #{number}: {line}", file=sys.stderr, flush=True)
                yield result


def read_state(path: Path | None) -> dict[tuple[str, int], Tried]:
    """Finished mutants by kernel and number."""
    if path is None or not path.exists():
        return {}
    found = (Tried(**json.loads(line)) for line in path.read_text().splitlines())
    return {(t.kernel, t.number): t for t in found}


def main() -> None:
    """Try, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=int, default=100)
    parser.add_argument("--each", type=int, default=10)
    parser.add_argument("--launches", type=int, default=8)
    parser.add_argument("--only", default="")
    parser.add_argument("--kind", default="")
    parser.add_argument("--seconds", type=int, default=1 << 30)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--part", default="1/1", metavar="I/N", help="every N-th fixture and kernel from the I-th on")
    arguments = parser.parse_args()
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    text = report(list(all_tried(arguments, corpora)), corpora, arguments)
    print(text)
    if not arguments.only and not arguments.kind and arguments.part == "1/1":
        RESULTS.write_text(text)


def report(results: list[Tried], corpora: Path, arguments: argparse.Namespace) -> str:
    """A row for each kind, and every mutant that kept a `safe` that a run refutes."""
    real = any(":" in r.kernel for r in results)
    commits = ", ".join(f"{n} {commit_of(corpora / n)[:12]}" for n in REPOSITORIES if real and (corpora / n).is_dir())
    rows = [
        "| kind | mutants | without a launch | clean | seen to fail | lost their safe | kept it | share |",
        "|" + "---|" * 8,
    ]
    for family, kinds in FAMILIES.items():
        rows += [_row(kind, [r for r in results if r.kind == kind]) for kind in kinds]
        rows.append(_row(f"**{family}**", [r for r in results if r.kind in kinds]))
    kept = [r for r in results if r.outcome == "kept"]
    lines = [
        "# Mutants of ok fixtures and of real kernels",
        "",
        f"cudalint {own_commit()}; seed {SEED}, {arguments.each} mutants of each kernel, {arguments.launches} launches of each "
        f"walk; {len({r.kernel for r in results})} fixtures and kernels; {commits}",
        "",
        *rows,
        "",
        "Kept:",
        *([f"- {r.kernel}:{r.line} {r.kind} #{r.number}: {r.seen[0]}" for r in kept] or ["- none"]),
    ]
    return "\n".join(lines) + "\n"


def _row(name: str, results: Iterable[Tried]) -> str:
    own = Counter(r.outcome for r in results)
    failed = own["failed"] + own["kept"]
    share = f"{100 * own['failed'] / failed:.1f} %" if failed else "-"
    without = own["no launch"] + own["too long"]
    return f"| {name} | {own.total()} | {without} | {own['clean']} | {failed} | {own['failed']} | {own['kept']} | {share} |"


if __name__ == "__main__":
    main()
