"""Fixtures in other words: what a scan says of them must not depend on how a program is written.

    python -m tests.benchmarks.rewritten [--kind KIND] [--only PART] [--jobs 2]

Each fixture is rewritten in every way of tests/benchmarks/rewrites.py that changes it. A bad one is found if its own rule names
all its guilty lines, told otherwise if only other findings are there; an ok one is silent or alarmed, and keeps its proof where
the rule promises one. The result is printed and, unless --kind or --only chooses some, written to results/rewritten.md here.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.random_launches import own_commit
from tests.benchmarks.rewrites import KINDS, rewritten

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fixture_format import PROVED, expected, fixture_id, fixtures, open_accesses, rule_code

RESULTS = Path(__file__).parent / "results" / "rewritten.md"
BAD, OK = ("found", "told otherwise", "lost"), ("silent", "unproved", "alarmed")


@dataclass(frozen=True, slots=True)
class Told:
    """What became of one fixture: a word of BAD or OK, and what is said of it now."""

    fixture: str
    kind: str
    outcome: str
    detail: str


def told(path: Path, kind: str) -> Told | None:
    """The rewritten fixture as a project of its own; nothing if the rewrite leaves it as it is."""
    from cudalint.engine import ScanOptions, scan

    text = path.read_text(encoding="utf-8")
    new = rewritten(text, kind)
    if new == text:
        return None
    with tempfile.TemporaryDirectory() as root:
        own = Path(root) / path.name
        own.write_text(new, encoding="utf-8")
        result = scan(ScanOptions(paths=(str(own),), project_root=root, confirm="emulator", jobs=1))
    code, guilty = rule_code(path), set(expected(path))
    findings = "; ".join(f"{f.span.line} {f.code}" for f in result.findings)
    if path.name.startswith("ok_"):
        if result.findings:
            return Told(fixture_id(path), kind, "alarmed", findings)
        open_ones = open_accesses(result)
        open_ones += [f"{kernel.name} incomplete" for kernel in result.kernels if not kernel.complete]
        proved = code not in PROVED or not open_ones
        return Told(fixture_id(path), kind, "silent" if proved else "unproved", "; ".join(open_ones))
    own_findings = [f for f in result.findings if f.code == code]
    covered = {f.span.line for f in own_findings}
    if code.startswith("SYN"):
        covered |= {related.span.line for f in own_findings for related in f.related}
    outcome = "found" if guilty <= covered else "told otherwise" if result.findings else "lost"
    return Told(fixture_id(path), kind, outcome, findings)


def all_told(kinds: Iterable[str], only: str, jobs: int) -> list[Told]:
    paths = [path for path in (*fixtures("bad"), *fixtures("ok")) if only in fixture_id(path)]
    asked = [(path, kind) for kind in kinds for path in paths]
    with ProcessPoolExecutor(jobs) as executor:
        results = executor.map(told, *zip(*asked, strict=True), chunksize=8)
        return [result for result in results if result is not None]


def report(results: list[Told]) -> str:
    """A row for each kind, and every fixture of which something else is said."""
    lines = [
        "# Fixtures in other words", "", f"cudalint {own_commit()}", "",
        "| rewrite | bad | " + " | ".join(BAD) + " | ok | " + " | ".join(OK) + " |", "|---" * 9 + "|",
    ]  # fmt: skip
    for kind in (*dict.fromkeys(r.kind for r in results), "all"):
        count = Counter(r.outcome for r in results if kind in (r.kind, "all"))
        cells = [
            sum(count[o] for o in BAD),
            *(count[o] for o in BAD),
            sum(count[o] for o in OK),
            *(count[o] for o in OK),
        ]
        lines.append(f"| {kind} | " + " | ".join(map(str, cells)) + " |")
    for outcome in ("alarmed", "lost", "told otherwise", "unproved"):
        lines += ["", f"## {outcome}", ""]
        lines += [f"- {r.kind} {r.fixture}: {r.detail or 'nothing'}" for r in results if r.outcome == outcome] or [
            "- none"
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--only", default="", help="fixtures whose name has this in it")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    text = report(all_told(arguments.kind or KINDS, arguments.only, arguments.jobs))
    print(text)
    if not arguments.only and not arguments.kind:
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
