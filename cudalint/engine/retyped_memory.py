"""Memory that a launch hands on as another type is told once: by the text, by the engine, and by the access that leaves it.

    auto x = torch::zeros({n}, torch::kFloat);   k<<<g, b>>>((const double *)x.data_ptr(), n);      k: if (i < n) s += x[i];

The access is the defect that a run shows; the cast, or the launch, is a place of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cudalint.finding import Confidence, Finding, Related
from cudalint.rule import shown_by_default

_RETYPED, _CAST, _LEFT = "API127", "API125", "IDX101"


def with_retyped(
    findings: list[Finding], refused: list[Finding], texts: Iterable[Finding], codes: frozenset[str]
) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """The findings with the places of the casts that explain them, and what is left of those."""
    said, left = list(texts), list[Finding]()
    for finding in refused:
        if finding.code != _RETYPED:
            left.append(finding)
            continue
        casts = [each for each in said if _is_same_cast(finding, each)]
        leaving = [f for f in findings if _LEFT in codes and _leaves(f, finding)]
        for each in leaving[:1]:
            # all launches that lead to one access are told as one
            places = tuple(Related(cast.span, cast.message) for cast in (casts or [finding]))
            same = each.code, each.span
            findings = [replace(f, related=(*f.related, *places)) if (f.code, f.span) == same else f for f in findings]
            said = [text for text in said if text not in casts]
        if not casts and not leaving:
            left.append(finding)
    return findings, left, said


def _is_same_cast(finding: Finding, said: Finding) -> bool:
    """The text has the cast that makes an argument of the launch another type, and tells the place more exactly."""
    same = said.code == _CAST and finding.span.path == said.span.path
    return same and finding.span.line <= said.span.line <= finding.span.end_line


def _leaves(finding: Finding, retyped: Finding) -> bool:
    """An access of that launch is shown to leave what the parameter points to."""
    site, parameter = finding.launch_site, retyped.root.rpartition(":")[2]
    if (
        finding.code != _LEFT
        or site is None
        or finding.confidence is not Confidence.HIGH
        or not shown_by_default(finding)
    ):
        return False
    here = (site.path, site.line) == (retyped.span.path, retyped.span.line)
    kernels = {(name or "").rpartition("::")[2] for name in (finding.kernel, retyped.kernel)}
    return here and len(kernels) == 1 and parameter in finding.message
