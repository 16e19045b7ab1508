"""Findings of the bounds, overflow, precision and synchronisation rules on whole repositories, against labels of a reader.

    CUDALINT_CORPORA=/path/to/clones python -m tests.benchmarks.labels apex llm.c
    python -m tests.benchmarks.labels --reports FOLDER apex        # FOLDER/apex/**/*.json of `check --format json`

A label is a line of labels/<repository>.tsv: file, line, rule, kernel, true or false, and why. Each argument is a folder below
CUDALINT_CORPORA that holds the commit of the labels. The result is written to tests/benchmarks/results/labels.md.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cudalint.engine import ScanOptions, scan
from tests.benchmarks.coverage import commit_of

LABELS = Path(__file__).parent / "labels"
RESULTS = Path(__file__).parent / "results" / "labels.md"
FAMILIES = ("IDX1", "IDX2", "PRE", "SYN")
GROUPS = {"bounds and overflow": ("IDX1", "IDX2"), "precision": ("PRE",), "synchronisation": ("SYN",)}
COLUMNS = "file\tline\trule\tkernel\tlabel\twhy"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A finding as far as labels know it."""

    path: str
    line: int
    rule: str


@dataclass(frozen=True, slots=True)
class Label:
    place: Place
    kernel: str
    true: bool
    why: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Findings by what their label says, labels that another finding of the rule names beside its own place, and others."""

    true: tuple[Label, ...]
    false: tuple[Label, ...]
    unlabelled: tuple[Place, ...]
    gone: tuple[Label, ...]
    beside: tuple[Label, ...] = ()


def read_labels(text: str) -> tuple[str, tuple[Label, ...]]:
    """The commit that the labels speak of, and the labels; ValueError names a line that is none."""
    lines = text.splitlines()
    if len(lines) < 2 or not lines[0].startswith("# commit ") or lines[1] != COLUMNS:
        raise ValueError("labels begin with `# commit ID` and the names of the columns")
    labels = tuple(_label(line, number) for number, line in enumerate(lines[2:], 3) if line)
    return lines[0].removeprefix("# commit ").strip(), labels


def _label(line: str, number: int) -> Label:
    cells = line.split("\t")
    if len(cells) != len(COLUMNS.split("\t")) or cells[4] not in ("true", "false") or not cells[5]:
        raise ValueError(f"line {number}: file, line, rule, kernel, true or false, why")
    path, at, rule, kernel, verdict, why = cells
    return Label(Place(path, int(at), rule), kernel, verdict == "true", why)


def compare(found: Iterable[Place], labels: Iterable[Label], related: Iterable[Place] = ()) -> Comparison:
    """Each finding with its label; `related` are the further places that findings name."""
    places, given, named = set(found), {label.place: label for label in labels}, set(related)
    known = [given[place] for place in sorted(places & given.keys())]
    others = [label for place, label in sorted(given.items()) if place not in places]
    return Comparison(
        tuple(label for label in known if label.true),
        tuple(label for label in known if not label.true),
        tuple(sorted(places - given.keys())),
        tuple(label for label in others if label.place not in named),
        tuple(label for label in others if label.place in named),
    )


def scanned(folder: Path) -> tuple[list[Place], list[Place]]:
    """The findings of the families at default settings, and what else they name."""
    found = scan(ScanOptions(paths=(str(folder),), project_root=str(folder), jobs=1)).findings
    return _of_families((f.span.path, f.span.line, f.code) for f in found), _of_families(
        (r.span.path, r.span.line, f.code) for f in found for r in f.related
    )


def reported(reports: Path) -> tuple[list[Place], list[Place]]:
    """The findings of the families in saved reports, and what else they name."""
    results = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(reports.rglob("*.json"))]
    found = [f for result in results for f in result["findings"]]
    return _of_families((f["path"], f["line"], f["code"]) for f in found), _of_families(
        (r["path"], r["line"], f["code"]) for f in found for r in f["related"]
    )


def _of_families(findings: Iterable[tuple[str, int, str]]) -> list[Place]:
    return [Place(path, line, code) for path, line, code in findings if code.startswith(FAMILIES)]


def section(name: str, commit: str, result: Comparison) -> str:
    """What the result page says of one repository."""
    counted = (
        f"{len(result.true)} true, {len(result.false)} false, {len(result.unlabelled)} without a label; "
        f"{len(result.beside)} told with another one; {len(result.gone)} labels of findings that are not made any more"
    )
    lines = [f"## {name} at {commit[:12]}", "", counted, ""]
    lines += [f"- false: {_told(label)}" for label in result.false]
    lines += [f"- no label: {place.path}:{place.line} {place.rule}" for place in result.unlabelled]
    lines += [f"- lost: {_told(label)}" for label in result.gone if label.true]
    lines += [f"- true: {_told(label)}" for label in result.true]
    return "\n".join(lines)


def _told(label: Label) -> str:
    place = label.place
    return f"{place.path}:{place.line} {place.rule} in `{label.kernel}`: {label.why}"


def by_family(named: Iterable[tuple[str, Comparison]]) -> str:
    """How many are true and false, by repository and family of rules."""
    lines = ["| repository | " + " | ".join(GROUPS) + " |", "|" + "---|" * (1 + len(GROUPS))]
    sums = dict.fromkeys(GROUPS, (0, 0))
    for name, result in named:
        cells = []
        for group, codes in GROUPS.items():
            true, false = (
                sum(label.place.rule.startswith(codes) for label in side) for side in (result.true, result.false)
            )
            sums[group] = sums[group][0] + true, sums[group][1] + false
            cells.append(f"{true} true, {false} false")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines.append("| all | " + " | ".join(f"{true} true, {false} false" for true, false in sums.values()) + " |")
    return "\n".join(lines)


def defects(named: Iterable[tuple[str, Comparison]]) -> str:
    """Each defect that is no overflow once for its kernel: what runs with ordinary sizes show."""
    lines = ["## Real defects that ordinary sizes show, one line for each kernel and rule", ""]
    for name, result in named:
        seen: dict[tuple[str, str], Label] = {}
        for label in result.true:
            if not label.place.rule.startswith("IDX2"):
                seen.setdefault((label.kernel, label.place.rule), label)
        lines += [f"- {name}: {_told(label)}" for label in seen.values()]
    return "\n".join(lines)


def main() -> None:
    """Write the page of results for the repositories that are named."""
    parser = argparse.ArgumentParser(description="findings against labels")
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--reports", type=Path, help="saved JSON reports instead of a scan")
    parser.add_argument("--note", action="append", default=[], help="what a reader has to know of the reports")
    arguments = parser.parse_args()
    compared = [(name, *_compared(name, arguments.reports)) for name in arguments.repositories]
    named = [(name, result) for name, _, result in compared]
    sections = [by_family(named), *(section(*each) for each in compared), defects(named)]
    notes = "".join(f"- {note}\n" for note in arguments.note)
    page = "# Findings of the families " + ", ".join(FAMILIES) + " at default settings, labelled by a reader\n\n"
    page += notes + "\n" * bool(notes)
    RESULTS.write_text(page + "\n\n".join(sections) + "\n", encoding="utf-8")
    print(page + "\n\n".join(sections))


def _compared(name: str, reports: Path | None) -> tuple[str, Comparison]:
    """The commit of the labels, and the findings with their labels."""
    commit, labels = read_labels((LABELS / f"{name}.tsv").read_text(encoding="utf-8"))
    if reports is not None:
        found, related = reported(reports / name)
        return commit, compare(found, labels, related)
    folder = Path(os.environ["CUDALINT_CORPORA"]) / name
    held = commit_of(folder)
    if held != commit:
        raise SystemExit(f"{folder} holds {held}, the labels speak of {commit}")
    found, related = scanned(folder)
    return commit, compare(found, labels, related)


if __name__ == "__main__":
    main()
