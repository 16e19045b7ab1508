"""Bugs that real projects had and fixed: are they found before the fix, and silent after it?

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.realbugs realbugs.tsv [--family bounds] [--row RB142]

CUDALINT_CORPORA holds a clone `owner+name` of each repository; rows whose files lie in --keep already need none. The list
has one bug per row: repository, fixing commit and its parent, file, lines, family, and the line ranges that the fix changed
on both sides.

A row is checked on the file at its repository path with the quoted project headers that it reaches, nothing else.
It is *hit* by a rule of its family within 10 lines of a listed line or inside a changed range, shown at default settings;
*audit* means such a finding of low confidence (it rests on memory contents), *medium* one that needs extreme inputs (does
not count), *function* a shown finding elsewhere in the right function (does not count). A hit *remains* if the same rule
still fires within 5 lines of a range that the fix wrote. Whole runs are written to tests/benchmarks/results/realbugs.md.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import multiprocessing.connection
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

from cudalint.engine import ScanOptions, scan
from cudalint.engine.registry import selected_codes
from cudalint.finding import Confidence, Evidence, Finding, KernelResult, ScanResult, Verdict
from cudalint.rule import shown_by_default
from tests.benchmarks.clones import extract, git_directory
from tests.benchmarks.random_launches import own_commit

RESULTS = Path(__file__).parent / "results" / "realbugs.md"
NEAR_LINE = 10
NEAR_FIX = 5
FAMILIES = {
    "bounds": ("IDX1",),
    "overflow": ("IDX2",),
    "race": ("SYN1", "SYN4"),
    "barrier": ("SYN2", "SYN3"),
    "host-launch": ("API",),
    "numeric": ("PRE",),
    "init": ("IDX3",),
    "align": ("IDX3",),
    "progress": ("SYN5",),
}
ASKED = {
    "race": "race",
    "barrier": "divergence",
}  # how the obligations that a family is about end; others tell nothing of it
COUNTED = ("hit", "audit")
TOO_LONG = "time limit"


@dataclass(frozen=True, slots=True)
class Row:
    """One bug: `lines` of the parent that are wrong, line ranges (first, last) that the fix changed."""

    id: str
    repository: str
    fix: str
    parent: str
    path: str
    function: str
    lines: tuple[int, ...]
    family: str
    decidable: str
    before: tuple[tuple[int, int], ...]
    after: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Score:
    """`outcome` is hit, audit, medium, function or miss."""

    row: Row
    outcome: str
    rule: str
    remains: bool
    reason: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Scan:
    """What one file gave within the time limit; `failure` says why nothing."""

    result: ScanResult | None
    failure: str
    seconds: float


def read_rows(list_: Path) -> list[Row]:
    """The rows of the list."""
    with list_.open(newline="") as lines:
        return [_row(fields) for fields in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


def _row(fields: dict[str, str]) -> Row:
    return Row(
        fields["id"], fields["repo"], fields["fix_commit"], fields["parent_commit"], fields["file_path"],
        fields["function"], tuple(int(n) for n in fields["lines_in_parent"].split(",")), fields["family"],
        fields["decidable_from_file"], _ranges(fields["hunks_parent"]), _ranges(fields["hunks_fix"]),
    )  # fmt: skip


def _ranges(text: str) -> tuple[tuple[int, int], ...]:
    pairs = [tuple(int(n) for n in piece.split("+")) for piece in text.split(",") if piece]
    return tuple((first, first + max(1, count) - 1) for first, count in pairs)


# --- scoring -----------------------------------------------------------------------------------------------------------


def score(row: Row, workspace: Path, limit: float, select: tuple[str, ...] = ()) -> Score:
    """Scan the file before the fix, and after it where something was found; `limit` in seconds of the processor."""
    before, after = workspace / row.id / "parent", workspace / row.id / "fix"
    scanned = bounded_scan(before, row.path, limit, select)
    if scanned.result is None:
        return Score(row, "miss", "", False, scanned.failure, scanned.seconds)
    outcome, finding = _outcome(row, scanned.result)
    if finding is None:
        return Score(row, "miss", "", False, why_missed(row, scanned.result), scanned.seconds)
    reason = f"{finding.span.path.rpartition('/')[2]}:{finding.span.line} {finding.message}"
    remains = outcome in COUNTED and _remains(row, finding, bounded_scan(after, row.path, limit, select))
    return Score(row, outcome, finding.code, remains, reason, scanned.seconds)


def fetch(row: Row, corpora: Path, workspace: Path) -> None:
    """Write both versions of the row's file, with their headers, unless they lie there."""
    for commit, version in ((row.parent, "parent"), (row.fix, "fix")):
        folder = workspace / row.id / version
        if not (folder / row.path).exists():
            extract(git_directory(corpora, row.repository), commit, row.path, folder)


def _outcome(row: Row, result: ScanResult) -> tuple[str, Finding | None]:
    ours = [f for f in result.findings if f.code.startswith(FAMILIES[row.family]) and _counts(f)]
    near = [f for f in ours if any(_is_near(row, line) for line in _lines(f, row.path))]
    default = selected_codes((), (), "default")
    shown = [f for f in near if shown_by_default(f) and f.code in default]
    if shown:
        return "hit", shown[0]
    for outcome, confidence in (("audit", Confidence.LOW), ("medium", Confidence.MEDIUM), ("medium", Confidence.HIGH)):
        weaker = [f for f in near if f.confidence is confidence]
        if weaker:
            return outcome, weaker[0]
    names = {name.strip().rpartition("::")[2] for name in row.function.replace("/", " ").split()}
    for finding in ours:
        if finding.span.path == row.path and finding.kernel in names and shown_by_default(finding):
            return "function", finding
    return "miss", None


def _counts(finding: Finding) -> bool:
    return finding.evidence is not Evidence.REFUTED


def _lines(finding: Finding, path: str) -> list[int]:
    """The guilty lines: of a race both sides."""
    spans = [finding.span]
    if finding.code.startswith("SYN"):
        spans += [related.span for related in finding.related]
    return [span.line for span in spans if span.path == path]


def _is_near(row: Row, line: int) -> bool:
    return any(abs(line - wrong) <= NEAR_LINE for wrong in row.lines) or _inside(line, row.before, 0)


def _inside(line: int, ranges: Iterable[tuple[int, int]], slack: int) -> bool:
    return any(first - slack <= line <= last + slack for first, last in ranges)


def _remains(row: Row, found: Finding, scanned: Scan) -> bool:
    if scanned.result is None:
        return False
    level = [found.confidence, Confidence.HIGH]
    same = [f for f in scanned.result.findings if f.code == found.code and _counts(f) and f.confidence in level]
    return any(_inside(line, row.after, NEAR_FIX) for f in same for line in _lines(f, row.path))


def why_missed(row: Row, result: ScanResult) -> str:
    """What the scan knows about the lines: a hole, an undecided access, or nothing."""
    failed = [note.text for note in result.notes if note.failed]
    if failed:
        return failed[0]
    obligations = [o for k in result.kernels for o in k.obligations if o.span.path == row.path]
    near = [o for o in obligations if _is_near(row, o.span.line) and o.kind.endswith(ASKED.get(row.family, ""))]
    undecided = [o for o in near if o.verdict is Verdict.UNKNOWN]
    if undecided:
        reason = undecided[0].reason
        return f"{undecided[0].kind} at line {undecided[0].span.line} unknown: {reason.value if reason else '?'}"
    gaps = [g for k in result.kernels for g in k.unmodelled if _is_near(row, g.span.line)]
    if gaps:
        return f"not understood: {gaps[0].reason}"
    if near:
        return f"{len(near)} obligations there are {', '.join(sorted({o.verdict.value for o in near}))}"
    inside = [k.name for k in result.kernels if _holds(k, row)]
    if not inside:
        return "no kernel that was walked reaches it"
    told = [note.text for note in result.notes if note.text.startswith(f"kernel `{inside[0]}`: synchronisation is not")]
    return told[0] if told and row.family in ASKED else f"kernel {inside[0]} has no obligation there"


def _holds(kernel: KernelResult, row: Row) -> bool:
    names = row.function.replace("/", " ").replace("::", " ").split()
    return kernel.span.path == row.path and kernel.name in names


# --- running under a time limit ----------------------------------------------------------------------------------------


def bounded_scan(root: Path, path: str, limit: float, select: tuple[str, ...] = ()) -> Scan:
    """The scan of one file in the audit profile; at default settings, which try less, where that takes too long."""
    scanned = _scanned(root, path, limit, select, "audit")
    late = scanned.result is None and scanned.failure.startswith(TOO_LONG)
    return _scanned(root, path, limit, select, "default") if late else scanned


def _scanned(root: Path, path: str, limit: float, select: tuple[str, ...], profile: str) -> Scan:
    """In a process of its own, which ends after `limit` seconds of the processor."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_scan_into, args=(sender, str(root), path, int(limit), select, profile))
    process.start()
    sender.close()
    try:
        result, failure, seconds = receiver.recv()
    except EOFError:
        result, failure, seconds = None, f"{TOO_LONG} of {limit:.0f} s", limit
    process.kill()
    process.join()
    return Scan(result, failure, seconds)


def _scan_into(
    sender: multiprocessing.connection.Connection, root: str, path: str, limit: int, select: tuple[str, ...],
    profile: str,
) -> None:  # fmt: skip
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    options = ScanOptions((os.path.join(root, path),), project_root=root, profile=profile, jobs=1, select=select)
    try:
        sender.send((scan(options), "", time.process_time()))
    except Exception as error:  # counted as a miss, and shown
        sender.send((None, f"{type(error).__name__}: {error}", time.process_time()))


# --- the table ---------------------------------------------------------------------------------------------------------


def report(scores: list[Score], commit: str) -> str:
    """A table of families, then every row with its reason."""
    columns = ("hit", "audit", "medium", "function", "miss")
    lines = [
        f"Checked by commit {commit}. Counted as found: hit and audit.\n",
        "| family | rows | found | " + " | ".join(columns) + " | remains |",
        "|---|" + "---|" * (len(columns) + 3),
    ]
    families = [name for name in FAMILIES if any(s.row.family == name for s in scores)]
    for name in [*families, "all"]:
        ours = [s for s in scores if name in ("all", s.row.family)]
        found = sum(s.outcome in COUNTED for s in ours)
        cells = [name, str(len(ours)), f"{found} ({100 * found / len(ours):.0f} %)"]
        cells += [str(sum(s.outcome == column for s in ours)) for column in columns]
        lines.append("| " + " | ".join([*cells, str(sum(s.remains for s in ours))]) + " |")
    lines += ["\n| row | repository | parent | fix | family | outcome | seconds | reason |", "|" + "---|" * 8]
    for s in scores:
        remains = ", remains" if s.remains else ""
        cells = [s.row.id, s.row.repository, s.row.parent[:12], s.row.fix[:12], s.row.family]
        cells += [f"{s.outcome} {s.rule}{remains}".strip().replace(" ,", ","), f"{s.seconds:.0f}", _cell(s.reason)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")[:200]


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="realbugs", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("list", type=Path)
    parser.add_argument("--family", action="append", choices=sorted(FAMILIES), help="only these families; repeatable")
    parser.add_argument("--row", action="append", help="only these rows; repeatable")
    parser.add_argument("--undecidable", action="store_true", help="also rows that the file alone does not decide")
    parser.add_argument("--limit", type=float, default=120, metavar="SECONDS", help="of the processor for each scan")
    parser.add_argument(
        "--select", default="", help="only these rules, with commas: the walk is left out where none needs it"
    )
    parser.add_argument("--write", type=Path, metavar="FILE", help="the table, where not all rows and rules are run")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the files there: ROW/parent, ROW/fix")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="rows at the same time")
    parser.add_argument("--fetch-only", action="store_true", help="only write the files of --keep")
    return parser.parse_args(words)


def _selected(rows: list[Row], arguments: argparse.Namespace) -> list[Row]:
    if arguments.row:
        return [row for row in rows if row.id in arguments.row]
    decidable = [row for row in rows if row.decidable == "yes" or arguments.undecidable]
    return [row for row in decidable if not arguments.family or row.family in arguments.family]


def main(words: list[str]) -> int:
    arguments = _arguments(words)
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    if not arguments.keep and not (corpora.is_dir() and os.environ.get("CUDALINT_CORPORA")):
        print("CUDALINT_CORPORA names no folder of clones", file=sys.stderr)
        return 2
    rows = _selected(read_rows(arguments.list), arguments)
    scores: list[Score] = []
    with ExitStack() as stack:
        workspace = arguments.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="realbugs-")))
        for row in rows:
            fetch(row, corpora, workspace)
        if arguments.fetch_only:
            return 0
        workers = stack.enter_context(ProcessPoolExecutor(arguments.jobs, multiprocessing.get_context("fork")))
        select = tuple(code for code in arguments.select.split(",") if code)
        for last in workers.map(score, rows, *map(repeat, (workspace, arguments.limit, select))):
            scores.append(last)
            outcome = f"{last.outcome} {last.rule}{' remains' if last.remains else ''}"
            print(f"{last.row.id} {last.row.family} {outcome} {last.seconds:.0f} s: {_cell(last.reason)}", flush=True)
    if not scores:
        return 0
    text = report(scores, own_commit())
    print(text)
    if arguments.write:
        arguments.write.write_text(text)
    elif not (arguments.family or arguments.row or arguments.select):
        RESULTS.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
