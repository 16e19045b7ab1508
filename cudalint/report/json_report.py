"""The report for programs, schema `cudalint/1`: names are added, never renamed.

Absent is null; integers beyond 2^53 are decimal strings; lines and columns count from 1 in code points, ends exclusive.
The text is ASCII (other characters escaped, lone surrogates replaced), so that any reader accepts it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, cast

from cudalint.finding import (
    Assumption,
    Finding,
    Fix,
    Gap,
    Instance,
    KernelResult,
    LaunchShape,
    LaunchSite,
    Note,
    ObligationResult,
    Related,
    ScanResult,
    ThreadAccess,
    Witness,
)
from cudalint.report.coverage import coverage, in_order, overall
from cudalint.rule import LoadedRule
from cudalint.source import SourceFile, Span

SCHEMA = "cudalint/1"
LARGEST = 1 << 53
Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"


def render(result: ScanResult, sources: Mapping[str, SourceFile], rules: Sequence[LoadedRule] = ()) -> str:
    """The whole scan as one JSON text."""
    return json.dumps(portable(document(result)), indent=2) + "\n"


def document(result: ScanResult) -> dict[str, Json]:
    cover = coverage(result)
    return {
        "schema": SCHEMA,
        "version": result.version,
        "verdict": overall(result),
        "targets": list(result.targets),
        "findings": [_finding(each) for each in in_order(result.findings)],
        "hidden": {name: result.hidden[name] for name in sorted(result.hidden)},
        "coverage": {
            "files": cover.files,
            "files_failed": cover.files_failed,
            "kernels": cover.kernels,
            "kernels_complete": cover.complete,
            "kernels_exact": cover.exact,
            "obligations": {verdict.value: number for verdict, number in cover.obligations.items()},
            "safe_under_inferred_preconditions": cover.conditional,
            "uncalled_device_functions": cover.uncalled,
            "uncalled_obligations": {verdict.value: number for verdict, number in cover.uncalled_obligations.items()},
        },
        "kernels": _kernels(each for each in result.kernels if not each.device),
        "uncalled_device_functions": _kernels(each for each in result.kernels if each.device),
        "notes": [_note(each) for each in sorted(result.notes, key=lambda n: (n.path or "", n.line or 0, n.text))],
    }


def portable(value: Json) -> Json:
    """Large integers as strings, lone surrogates as U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return str(value) if abs(value) > LARGEST else value
    if isinstance(value, list):
        return [portable(each) for each in value]
    return {cast(str, portable(name)): portable(each) for name, each in value.items()}


def _finding(finding: Finding) -> Json:
    return {
        "code": finding.code,
        "name": finding.name,
        "level": finding.level.value,
        "confidence": finding.confidence.value,
        "evidence": finding.evidence.value,
        "message": finding.message,
        **_region(finding.span),
        "kernel": finding.kernel,
        "function": finding.function,
        "assumptions": [_assumption(each) for each in finding.assumptions],
        "witness": _witness(finding.witness),
        "trigger": finding.trigger,
        "condition": finding.condition,
        "launch_site": _launch_site(finding.launch_site),
        "instance": _instance(finding.instance),
        "also_in": list(finding.also_in),
        "related": [_related(each) for each in finding.related],
        "fix": _fix(finding.fix),
        "evidence_reason": finding.evidence_reason,
        "fingerprint": finding.fingerprint,
        "replay": finding.replay,
    }


def _region(span: Span) -> dict[str, Json]:
    return {
        "path": span.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def _assumption(fact: Assumption) -> Json:
    return {"text": fact.text, "origin": fact.origin, "path": fact.path, "line": fact.line}


def _witness(witness: Witness | None) -> Json:
    if witness is None:
        return None
    return {
        "launch": _launch(witness.launch),
        "block": _dim(witness.block),
        "thread": _dim(witness.thread),
        "values": _values(witness.values),
        "threads": [_access(each) for each in witness.threads],
        "index": witness.index,
        "extent": witness.extent,
        "bytes_needed": witness.bytes_needed,
        "contents": _values(witness.contents),
    }


def _values(values: dict[str, int]) -> Json:
    return {name: value for name, value in values.items()}  # noqa: C416  (a dict of int is no dict of Json)


def _launch(shape: LaunchShape) -> Json:
    return {"grid": _dim(shape.grid), "block": _dim(shape.block), "shared": shape.shared}


def _dim(value: tuple[int, int, int] | None) -> Json:
    return None if value is None else [value[0], value[1], value[2]]


def _access(side: ThreadAccess) -> Json:
    return {
        "block": _dim(side.block),
        "thread": _dim(side.thread),
        "kind": side.kind,
        "path": side.path,
        "line": side.line,
        "index": side.index,
    }


def _launch_site(site: LaunchSite | None) -> Json:
    return None if site is None else {"path": site.path, "line": site.line, "host_function": site.host_function}


def _instance(instance: Instance | None) -> Json:
    return None if instance is None else {"template_args": list(instance.template_args), "target": instance.target}


def _related(related: Related) -> Json:
    return {**_region(related.span), "message": related.message}


def _fix(fix: Fix | None) -> Json:
    if fix is None:
        return None
    return {"text": fix.text, "edits": [{**_region(e.span), "replacement": e.replacement} for e in fix.edits]}


def _kernels(kernels: Iterable[KernelResult]) -> Json:
    return [_kernel(each) for each in sorted(kernels, key=lambda each: (each.span, each.name))]


def _kernel(kernel: KernelResult) -> Json:
    return {
        "name": kernel.name,
        "path": kernel.span.path,
        "line": kernel.span.line,
        "complete": kernel.complete,
        "exact": kernel.exact,
        "unmodelled": [_gap(each) for each in sorted(kernel.unmodelled, key=_gap_order)],
        "opaque": [_gap(each) for each in sorted(kernel.opaque, key=_gap_order)],
        "obligations": [_obligation(each) for each in sorted(kernel.obligations, key=_obligation_order)],
    }


def _gap_order(gap: Gap) -> tuple[Span, str]:
    return gap.span, gap.reason


def _obligation_order(obligation: ObligationResult) -> tuple[Span, str, str, str]:
    return obligation.span, obligation.kind, obligation.verdict.value, obligation.detail


def _gap(gap: Gap) -> Json:
    return {"reason": gap.reason, "path": gap.span.path, "line": gap.span.line, "column": gap.span.column}


def _obligation(obligation: ObligationResult) -> Json:
    return {
        "kind": obligation.kind,
        "path": obligation.span.path,
        "line": obligation.span.line,
        "column": obligation.span.column,
        "verdict": obligation.verdict.value,
        "reason": obligation.reason.value if obligation.reason else None,
        "facts": [_assumption(each) for each in obligation.facts],
        "detail": obligation.detail or None,
    }


def _note(note: Note) -> Json:
    return {"text": note.text, "path": note.path, "line": note.line, "failed": note.failed, "kind": note.kind.value}
