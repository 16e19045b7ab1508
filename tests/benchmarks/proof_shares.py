"""How much is proved: accesses with a known extent, and the kernels that are free of races, of whole repositories.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.proof_shares llm.c cuda-samples gpu-rodinia
    python -m tests.benchmarks.proof_shares --reports FOLDER llm.c   # FOLDER/llm.c.json of `check --format json`

Each argument is a folder below CUDALINT_CORPORA that holds a commit; the ok fixtures of this repository are added, as a scan of
`fixtures/` from which those of other files are left out. An access counts where its memory has an extent; what is safe only under
an inferred precondition has a column of its own and is not in the share. A kernel is free of races in shared (global) memory
where that is proved of all of its shared (global) arrays; one that is so only under a precondition is counted beside it. The
table is written to tests/benchmarks/results/proof-shares.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.coverage import commit_of
from tests.benchmarks.random_launches import own_commit

ROOT = Path(__file__).parent.parent.parent
RESULTS = Path(__file__).parent / "results" / "proof-shares.md"
OWN = "ok fixtures"
IN_BOUNDS = ("-bounds", "-dimension")
PROVED = ("safe", "unreachable")
MEMORIES = ("shared", "global")
HEADER = (
    "| code | commit | kernels | accesses | of known extent | safe | share | safe under inferred preconditions | violated "
    "| unknown | kernels with shared arrays | free of races | under inferred preconditions | kernels with global arrays "
    "| free of races | under inferred preconditions |\n" + "|---" * 16 + "|"
)


@dataclass(slots=True)
class Shares:
    """What a report says of the kernels of some code."""

    kernels: int = 0
    accesses: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    ordered: dict[str, Counter[str]] = field(default_factory=lambda: {memory: Counter() for memory in MEMORIES})

    @property
    def known(self) -> int:
        return self.verdicts.total()

    def share(self, count: int, of: int) -> str:
        return f"{100 * count / max(1, of):.1f} %"

    def row(self, code: str, commit: str) -> str:
        """One line of the table."""
        safe = self.verdicts["safe"]
        cells: list[object] = [
            code,
            commit,
            self.kernels,
            self.accesses,
            self.known,
            safe,
            self.share(safe, self.known),
        ]
        cells += [self.verdicts[kind] for kind in ("inferred", "violated", "unknown")]
        for memory in MEMORIES:
            free = self.ordered[memory]
            cells += [free.total(), f"{free['free']} ({self.share(free['free'], free.total())})", free["inferred"]]
        return "| " + " | ".join(map(str, cells)) + " |"


def shares_of(report: dict[str, Any], begin: str = "") -> Shares:
    """The shares of the kernels whose file has such a name."""
    found = Shares()
    for kernel in report["kernels"]:
        if not Path(kernel["path"]).name.startswith(begin):
            continue
        found.kernels += 1
        said = kernel["obligations"]
        for each in said:
            if each["kind"].endswith(IN_BOUNDS):
                found.accesses += 1
                _count(found, each)
        for memory in MEMORIES:
            races = [each for each in said if each["kind"] == f"{memory}-access-race"]
            if races:
                found.ordered[memory][_order(races)] += 1
    return found


def _order(races: list[dict[str, Any]]) -> str:
    if any(each["verdict"] not in PROVED for each in races):
        return "open"
    return "inferred" if any(each["reason"] for each in races) else "free"


def _count(found: Shares, said: dict[str, Any]) -> None:
    if said["verdict"] == "unknown" and said["reason"] == "no-extent":
        return
    kind = "safe" if said["verdict"] in PROVED else said["verdict"]
    found.verdicts["inferred" if kind == "safe" and said["reason"] else kind] += 1
    if kind == "unknown":
        found.reasons[said["detail"] or said["reason"]] += 1


def joined(every: list[Shares]) -> Shares:
    """All of them together."""
    total = Shares()
    for each in every:
        total.kernels += each.kernels
        total.accesses += each.accesses
        total.verdicts += each.verdicts
        for memory in MEMORIES:
            total.ordered[memory].update(each.ordered[memory])
    return total


def scanned(folder: Path) -> dict[str, Any]:
    """The report of a scan of the folder."""
    command = [sys.executable, "-m", "cudalint.cli.main", "check", ".", "--fail-level", "never", "--format", "json"]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--reports", type=Path, help="saved JSON reports instead of scans")
    parser.add_argument("--by", help="the commit that wrote the reports")
    args = parser.parse_args()
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    rows, details, every = [HEADER], list[str](), list[Shares]()
    for name in (*args.repositories, OWN):
        folder = ROOT / "fixtures" if name == OWN else corpora / name
        saved = args.reports / f"{name}.json" if args.reports else None
        report = json.loads(saved.read_text()) if saved else scanned(folder)
        found = shares_of(report, "ok_" if name == OWN else "")
        every.append(found)
        rows.append(found.row(name, (args.by or own_commit()) if name == OWN else commit_of(folder)[:12]))
        details += [f"\n## {name}: why accesses of known extent are unknown\n"]
        details += [
            f"- {count} x {reason}" for reason, count in sorted(found.reasons.items(), key=lambda i: (-i[1], i[0]))
        ]
    rows.append(joined(every).row("all", ""))
    text = "\n".join([f"cudalint {args.by or own_commit()}\n", *rows, *details]) + "\n"
    RESULTS.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
