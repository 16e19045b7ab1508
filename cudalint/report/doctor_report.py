"""What the front end lacks, for people and for programs (schema `cudalint-doctor/1`).

fill (kernels/fill.cu:12:17): not complete
   kernels/fill.cu:14:9: unknown name SIZE
      include/sizes.h:3 has `#define SIZE 64`: include it or its definition (-I, -D)
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from cudalint.finding import Diagnosis, KernelDiagnosis, Missing, Note
from cudalint.report.coverage import ranked
from cudalint.report.json_report import Json, portable
from cudalint.report.phrases import place, plural
from cudalint.report.terminal import clean

SCHEMA = "cudalint-doctor/1"
SHOWN_REASONS = 5


def text(diagnosis: Diagnosis) -> str:
    """Incomplete kernels with what they lack, includes that were not found, and a summary line."""
    lines: list[str] = []
    for kernel in diagnosis.kernels:
        if not kernel.complete:
            lines += [f"{kernel.name} ({kernel.span}): not complete", *_missing(kernel)]
    if diagnosis.includes:
        lines += ["includes that were not found:"]
        lines += [line for each in diagnosis.includes for line in _one(each)]
    lines += [_note(note) for note in diagnosis.notes]
    lines += [*_reasons(diagnosis), summary(diagnosis)]
    return "".join(f"{clean(line)}\n" for line in lines)


def summary(diagnosis: Diagnosis) -> str:
    """`3 files, 12 kernels: 10 complete (83.3 %), 9 exact; 1 include not found`."""
    total = len(diagnosis.kernels)
    complete, exact = sum(k.complete for k in diagnosis.kernels), sum(k.exact for k in diagnosis.kernels)
    share = f" ({100 * complete / total:.1f} %)" if total else ""
    found = f"{plural(diagnosis.files, 'file')}, {plural(total, 'kernel')}: {complete} complete{share}, {exact} exact"
    absent = len(diagnosis.includes)
    return f"{found}; {plural(absent, 'include')} not found" if absent else found


def _reasons(diagnosis: Diagnosis) -> Iterator[str]:
    first = ranked(k.missing[0].reason for k in diagnosis.kernels if not k.complete and k.missing)
    if first:
        yield "most frequent: " + ", ".join(f"{number} x {reason}" for reason, number in first[:SHOWN_REASONS])


def _missing(kernel: KernelDiagnosis) -> Iterator[str]:
    """Each reason once, where it is first met."""
    counts = Counter(each.reason for each in kernel.missing)
    first: dict[str, Missing] = {}
    for each in kernel.missing:
        first.setdefault(each.reason, each)
    for reason, each in first.items():
        yield from _one(each, counts[reason] - 1)


def _one(missing: Missing, more: int = 0) -> Iterator[str]:
    yield f"   {missing.span}: {missing.reason}" + (f" (and {more} more)" if more else "")
    if missing.remedy:
        yield f"      {missing.remedy}"


def _note(note: Note) -> str:
    where = place(note.path, note.line)
    return f"note: {where}: {note.text}" if where else f"note: {note.text}"


def json_text(diagnosis: Diagnosis) -> str:
    """The same for programs."""
    return json.dumps(portable(_document(diagnosis)), indent=2) + "\n"


def _document(diagnosis: Diagnosis) -> dict[str, Json]:
    return {
        "schema": SCHEMA,
        "version": diagnosis.version,
        "files": diagnosis.files,
        "kernels": [
            {
                "name": kernel.name,
                "path": kernel.span.path,
                "line": kernel.span.line,
                "complete": kernel.complete,
                "exact": kernel.exact,
                "missing": [_json(each) for each in kernel.missing],
            }
            for kernel in diagnosis.kernels
        ],
        "includes": [_json(each) for each in diagnosis.includes],
        "notes": [{"text": n.text, "path": n.path, "line": n.line, "failed": n.failed} for n in diagnosis.notes],
    }


def _json(missing: Missing) -> Json:
    span = missing.span
    return {
        "reason": missing.reason,
        "path": span.path,
        "line": span.line,
        "column": span.column,
        "remedy": missing.remedy,
    }
