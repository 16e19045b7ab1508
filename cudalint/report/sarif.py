"""SARIF 2.1.0 for code scanning, through sarif-om.

Made for GitHub: one run, regions of one line (others are not shown in pull requests), `primaryLocationLineHash`, no
reliance on `suppressions`, and `executionSuccessful` always true (a false one fails the upload): failures are
notifications. URIs are relative to `%SRCROOT%`, so that the bytes are the same in every directory.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from urllib.parse import quote

import sarif_om

from cudalint.finding import Finding, Note, ScanResult, ThreadAccess
from cudalint.report import phrases
from cudalint.report.coverage import coverage, in_order
from cudalint.report.excerpt import marked
from cudalint.report.fingerprints import line_hashes
from cudalint.report.json_report import portable
from cudalint.report.sarif_rules import descriptors
from cudalint.report.sarif_serialise import plain
from cudalint.rule import LoadedRule
from cudalint.source import SourceFile, Span

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"


def render(result: ScanResult, sources: Mapping[str, SourceFile], rules: Sequence[LoadedRule] = ()) -> str:
    """The log as JSON text."""
    log = sarif_om.SarifLog(version="2.1.0", schema_uri=SCHEMA, runs=[_run(result, sources, rules)])
    return json.dumps(portable(plain(log)), indent=2) + "\n"


def _run(result: ScanResult, sources: Mapping[str, SourceFile], rules: Sequence[LoadedRule]) -> sarif_om.Run:
    findings = in_order(result.findings)
    known = descriptors(rules, findings)
    order = {descriptor.id: position for position, descriptor in enumerate(known)}
    places = Places(sources)
    driver = sarif_om.ToolComponent(
        name="cudalint", version=result.version, semantic_version=result.version, rules=known
    )
    return sarif_om.Run(
        tool=sarif_om.Tool(driver=driver),
        automation_details=sarif_om.RunAutomationDetails(id="cudalint/"),
        column_kind="unicodeCodePoints",
        original_uri_base_ids={
            ROOT: sarif_om.ArtifactLocation(description=_message("The root of the scanned project."))
        },
        invocations=[_invocation(result)],
        results=[_result(finding, order[finding.code], places) for finding in findings],
        properties=_figures(result),
    )


def _figures(result: ScanResult) -> dict[str, object]:
    cover = coverage(result)
    return {
        "kernels": cover.kernels,
        "kernelsComplete": cover.complete,
        "kernelsExact": cover.exact,
        "obligations": {verdict.value: number for verdict, number in cover.obligations.items()},
        "safeUnderInferredPreconditions": cover.conditional,
        "uncalledDeviceFunctions": cover.uncalled,
    }


def _invocation(result: ScanResult) -> sarif_om.Invocation:
    notes = sorted(result.notes, key=lambda note: (note.path or "", note.line or 0, note.text))
    return sarif_om.Invocation(
        execution_successful=True, tool_execution_notifications=[_notification(note) for note in notes]
    )


def _notification(note: Note) -> sarif_om.Notification:
    locations = None
    if note.path is not None:
        region = sarif_om.Region(start_line=note.line) if note.line else None
        locations = [sarif_om.Location(physical_location=_physical(note.path, region))]
    return sarif_om.Notification(
        message=_message(note.text), level="error" if note.failed else "note", locations=locations
    )


def _result(finding: Finding, position: int, places: Places) -> sarif_om.Result:
    name = phrases.subject(finding)
    where = places.location(finding.span)
    if name:
        where.logical_locations = [sarif_om.LogicalLocation(name=name, kind="function")]
    return sarif_om.Result(
        rule_id=finding.code,
        rule_index=position,
        kind="fail",
        level=finding.level.value,
        message=_message(_text(finding)),
        locations=[where],
        related_locations=_related(finding, places) or None,
        code_flows=_flows(finding, places),
        partial_fingerprints=places.fingerprints(finding),
        properties=_properties(finding),
    )


def _text(finding: Finding) -> str:
    """Message, call, point, condition, evidence and fix, a line each."""
    lines = [
        f"{finding.message[:1].upper()}{finding.message[1:]}.",
        phrases.call(finding),
        phrases.circumstances(finding),
        phrases.general(finding),
        f"Evidence: {phrases.evidence(finding)}.",
        f"Fix: {finding.fix.text}" if finding.fix else "",
        f"Replay: {finding.replay}" if finding.replay else "",
    ]
    return "\n".join(line for line in lines if line)


def _message(text: str) -> sarif_om.Message:
    """Plain text: `[a](1)` would be read as a link to a related location."""
    return sarif_om.Message(text=text.replace("](", "] ("))


def _properties(finding: Finding) -> dict[str, object]:
    return {
        "name": finding.name,
        "confidence": finding.confidence.value,
        "evidence": finding.evidence.value,
        "evidenceReason": finding.evidence_reason,
        "kernel": finding.kernel,
        "condition": finding.condition,
        "trigger": finding.trigger,
        "replay": finding.replay,
    }


def _related(finding: Finding, places: Places) -> list[sarif_om.Location]:
    """The sides of a race, related places, the launch, and where the assumptions stand."""
    threads = finding.witness.threads if finding.witness else ()
    found = [places.access(side) for side in threads]
    found += [places.location(each.span, each.message) for each in finding.related]
    site = finding.launch_site
    if site:
        found.append(places.line(site.path, site.line, f"launched by {site.host_function}()"))
    for fact in finding.assumptions:
        if fact.path is not None and fact.line is not None:
            found.append(places.line(fact.path, fact.line, f"assuming {fact.text}"))
    for number, location in enumerate(found, 1):
        location.id = number
    return found


def _flows(finding: Finding, places: Places) -> list[sarif_om.CodeFlow] | None:
    """For a race: one flow with a thread each."""
    threads = finding.witness.threads if finding.witness else ()
    if len(threads) != 2:
        return None
    flows = [_thread_flow(finding, side, places) for side in threads]
    return [sarif_om.CodeFlow(thread_flows=flows, message=_message("The two threads that meet."))]


def _thread_flow(finding: Finding, side: ThreadAccess, places: Places) -> sarif_om.ThreadFlow:
    steps = [places.access(side)]
    site = finding.launch_site
    if site:
        steps.insert(0, places.line(site.path, site.line, f"launched by {site.host_function}()"))
    return sarif_om.ThreadFlow(
        id=f"block {phrases.dim(side.block)} thread {phrases.dim(side.thread)}",
        locations=[sarif_om.ThreadFlowLocation(location=step) for step in steps],
    )


def _physical(path: str, region: sarif_om.Region | None) -> sarif_om.PhysicalLocation:
    return sarif_om.PhysicalLocation(
        artifact_location=sarif_om.ArtifactLocation(uri=uri(path), uri_base_id=ROOT), region=region
    )


def uri(path: str) -> str:
    """A relative path as a URI reference; bytes that are not UTF-8 are escaped as they are."""
    quoted = quote(path.encode("utf-8", "surrogateescape"))
    return quoted if ":" not in path.split("/")[0] else f"./{quoted}"


class Places:
    """Locations in the scanned sources, each with a region of one line."""

    def __init__(self, sources: Mapping[str, SourceFile]) -> None:
        self.sources = sources
        self.hashes = cache(self._hashes)

    def location(self, span: Span, message: str | None = None) -> sarif_om.Location:
        region = sarif_om.Region(start_line=span.line, start_column=span.column, end_column=self._end(span))
        return sarif_om.Location(
            physical_location=_physical(span.path, region), message=_message(message) if message else None
        )

    def line(self, path: str, line: int, message: str) -> sarif_om.Location:
        return sarif_om.Location(
            physical_location=_physical(path, sarif_om.Region(start_line=max(line, 1))), message=_message(message)
        )

    def access(self, side: ThreadAccess) -> sarif_om.Location:
        return self.line(side.path, side.line, phrases.access(side))

    def fingerprints(self, finding: Finding) -> dict[str, str]:
        hashes = self.hashes(finding.span.path)
        own = {"cudalint/v1": finding.fingerprint}
        if 1 <= finding.span.line <= len(hashes):
            return {"primaryLocationLineHash": hashes[finding.span.line - 1], **own}
        return own

    def _hashes(self, path: str) -> list[str]:
        source = self.sources.get(path)
        return line_hashes(source.text) if source else []

    def _end(self, span: Span) -> int:
        """The end on the first line; at least one column."""
        source = self.sources.get(span.path)
        lines = source.lines() if source else []
        if span.end_line == span.line or span.line > len(lines):
            return max(span.end_column, span.column + 1) if span.end_line == span.line else span.column + 1
        return marked(lines[span.line - 1], span)[1] + 1
