"""Planted bugs of the generated IndigoSuite, of synchronisation and of bounds: a confusion matrix by bug type.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.indigo [--every N] [--only PART_OF_NAME]

The suite is generated from the clone (Generators/generate_suite.py) into a temporary folder; a code's bugs stand in its file name.
Comments carry the label too, so they are stripped. The launch comes from argv: it is given as 64 blocks of 256 threads, and the
graph's arrays by hints. The result is printed and, for the whole suite, written to tests/benchmarks/results/indigo.md.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from cudalint.engine import ScanOptions, scan
from tests.benchmarks.coverage import commit_of
from tests.benchmarks.random_launches import own_commit

RESULTS = Path(__file__).parent / "results" / "indigo.md"
SYNC_BUGS = ("atomicBug", "guardBug", "raceBug", "syncBug")
BOUNDS, NO_BOUNDS = "boundsBug: IDX1 findings", "no boundsBug: IDX1 findings"
EDGES = 4096
HINTS = f"""[hints]
test_kernel = [
    "extent(nindex) = numv + 1", "extent(nlist) = {EDGES}",
    "extent(data1) = max(numv, {EDGES})", "extent(data2) = max(numv, {EDGES})",
    "values(nindex) in [0, {EDGES}]", "values(nlist) in [0, numv)", "assume 0 < numv <= {EDGES}",
]
"""
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|(\"(?:[^\"\\]|\\.)*\")", re.DOTALL)


@dataclass(slots=True)
class Tally:
    """Files by what their names promise."""

    files: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    wrong: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, kind: str, path: str, found: bool, right: bool) -> None:
        """One file of this kind; `right` says whether the answer is the one that the name promises."""
        self.files[kind] += 1
        self.found[kind] += found
        if not right:
            self.wrong[kind].append(path)


def generate(clone: Path, target: Path) -> Path:
    """The suite as generated from a copy of the clone; gives the folder of its CUDA codes."""
    copy = target / "clone"
    shutil.copytree(clone / "Generators", copy / "Generators")
    shutil.copy(clone / "copyright.txt", copy)
    subprocess.run(
        [sys.executable, "generate_suite.py"], cwd=copy / "Generators", check=True, stdout=subprocess.DEVNULL
    )
    return next((copy / "Generators").glob("IndigoSuite_*"))


def prepare(suite: Path, project: Path, every: int, only: str) -> list[str]:
    """The codes without comments in one project with the hints; gives their names."""
    project.mkdir()
    (project / "cudalint.toml").write_text(HINTS)
    for header in (suite / "include").glob("*.h"):
        shutil.copy(header, project)
    codes = sorted(path for path in (suite / "CUDA").rglob("*.cu") if only in path.name)[::every]
    for path in codes:
        (project / path.name).write_text(_COMMENT.sub(lambda m: m[1] or " ", path.read_text()))
    return [path.stem for path in codes]


def bugs_of(name: str) -> list[str]:
    """The bugs that the name of a code promises."""
    return [part for part in name.split("_") if part.endswith("Bug")]


def score(project: Path, names: list[str]) -> Tally:
    """Scan the project as a user would and compare with the names."""
    options = ScanOptions(
        paths=(str(project),), project_root=str(project), block_dim=(256, 1, 1), grid_dim=(64, 1, 1), confirm="emulator"
    )
    findings = scan(options).findings
    flagged = {Path(f.span.path).stem for f in findings if f.code.startswith("SYN")}
    outside = {Path(f.span.path).stem for f in findings if f.code.startswith("IDX1")}
    tally = Tally()
    for name in names:
        bugs, said = bugs_of(name), name in flagged
        left = "boundsBug" in bugs
        tally.add(BOUNDS if left else NO_BOUNDS, name, name in outside, left is (name in outside))
        sync = [bug for bug in bugs if bug in SYNC_BUGS]
        for bug in sync:
            tally.add(bug, name, said, said)
        if sync:
            tally.add("any race or sync bug", name, said, said)
        else:
            tally.add("bounds bug alone" if bugs else "bug-free", name, said, not said)
    return tally


def table(tally: Tally) -> str:
    """One row for each kind of code."""
    rows = ["| planted | codes | with a SYN finding (of bounds: IDX1) | share |", "|---|---|---|---|"]
    for kind in (*SYNC_BUGS, "any race or sync bug", "bug-free", "bounds bug alone", BOUNDS, NO_BOUNDS):
        total, found = tally.files[kind], tally.found[kind]
        if total:
            rows.append(f"| {kind} | {total} | {found} | {100 * found / total:.1f} % |")
    return "\n".join(rows)


def main() -> None:
    """Generate, scan, print; write the result of a whole run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    clone = Path(os.environ["CUDALINT_CORPORA"]) / "IndigoSuite"
    with tempfile.TemporaryDirectory() as folder:
        suite = generate(clone, Path(folder))
        names = prepare(suite, Path(folder) / "project", arguments.every, arguments.only)
        start = time.process_time()
        tally = score(Path(folder) / "project", names)
        seconds = time.process_time() - start
    print(table(tally))
    for kind, paths in tally.wrong.items():
        if kind != "any race or sync bug":
            print(f"{kind}: not as promised: {', '.join(paths[:40])}")
    if arguments.every == 1 and not arguments.only:
        commits = f"cudalint {own_commit()}, IndigoSuite {commit_of(clone)[:12]}"
        said = f"{commits}; 64 blocks of 256 threads; `python -m tests.benchmarks.indigo`."
        RESULTS.write_text(f"# IndigoSuite\n\n{said}\n\n{table(tally)}\n")
    print(f"{len(names)} codes, {seconds:.0f} s of this process", file=sys.stderr)


if __name__ == "__main__":
    main()
