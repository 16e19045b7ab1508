"""Rules as SARIF reporting descriptors: what code scanning shows beside an alert."""

from __future__ import annotations

from collections.abc import Sequence

import sarif_om

from cudalint.finding import Finding, Level
from cudalint.rule import LoadedRule

SEVERITY = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "recommendation"}


def descriptors(rules: Sequence[LoadedRule], findings: Sequence[Finding]) -> list[sarif_om.ReportingDescriptor]:
    """One per rule and per finding of the tool itself, by code."""
    known = {each.rule.code: _of_rule(each) for each in rules}
    for finding in findings:
        if finding.code not in known:
            known[finding.code] = _of_finding(finding)
    return [known[code] for code in sorted(known)]


def _of_rule(loaded: LoadedRule) -> sarif_om.ReportingDescriptor:
    rule, text = loaded.rule, loaded.documentation.strip() or loaded.rule.summary
    return _descriptor(rule.code, rule.name, rule.level, rule.summary, text)


def _of_finding(finding: Finding) -> sarif_om.ReportingDescriptor:
    summary = f"cudalint reports {finding.name.replace('-', ' ')}."
    return _descriptor(finding.code, finding.name, finding.level, summary, summary)


def _descriptor(code: str, name: str, level: Level, summary: str, text: str) -> sarif_om.ReportingDescriptor:
    return sarif_om.ReportingDescriptor(
        id=code,
        name=camel(name),
        short_description=sarif_om.MultiformatMessageString(text=sentence(summary)),
        full_description=sarif_om.MultiformatMessageString(text=sentence(first_sentence(text))),
        help=sarif_om.MultiformatMessageString(text=text, markdown=markdown(code, name, text)),
        default_configuration=sarif_om.ReportingConfiguration(level=level.value),
        properties={"tags": ["cuda", "correctness"], "problem.severity": SEVERITY[level]},
    )


def camel(name: str) -> str:
    """`global-bounds` as `GlobalBounds`, the form that SARIF asks of names."""
    return "".join(part.capitalize() for part in name.split("-"))


def sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else text + "."


def first_sentence(text: str) -> str:
    return " ".join(text.strip().split("\n\n")[0].split())


def markdown(code: str, name: str, text: str) -> str:
    """The rule's page with its section words as headings; indented examples are code already."""
    body = [
        f"**{line.strip(':')}**\n" if line.endswith(":") and line[:1].isupper() else line for line in text.splitlines()
    ]
    return f"# {code} {name}\n\n" + "\n".join(body).strip() + "\n"
