"""What the text suggests gives way to what the engine has decided about the same place."""

from __future__ import annotations

from dataclasses import replace

from cudalint.finding import Confidence, Finding, KernelResult, ObligationResult, Reason, Verdict

_ABOUT_INDICES = ("bounds", "dimension", "overflow")
_HARMLESS = {Verdict.SAFE, Verdict.UNREACHABLE}
_INDEX_KNOWN = {Reason.NO_EXTENT, Reason.UNTIED_EXTENT}
_WRONG_INSIDE = {"IDX113"}  # elements of another row are elements, too
_GRIDS = {"API108": "IDX117"}  # too few blocks, by the launch alone and by the elements that nobody reaches
_ORDER = {"SYN106": ("SYN1", "race"), "SYN107": ("SYN1", "race"), "SYN203": ("SYN2", "divergence")}


def with_patterns(findings: list[Finding], patterns: list[Finding], kernels: list[KernelResult]) -> list[Finding]:
    """The findings of the engine, with what the text adds to them and what the engine could not decide."""
    synchronising = [pattern for pattern in patterns if pattern.code in _ORDER]
    others = [p for p in patterns if p.code not in _ORDER and not _is_told_by_elements(p, findings)]
    kept = without_decided(others, findings, kernels)
    for pattern in synchronising:
        known = [f for f in findings if _is_the_same(f, pattern)]
        if known:
            findings = [_told_more(f, pattern) if f is known[0] else f for f in findings]
        elif not _is_refuted(pattern, kernels):
            kept.append(pattern)
    return [*findings, *kept]


def _is_told_by_elements(pattern: Finding, findings: list[Finding]) -> bool:
    sites = (f.launch_site for f in findings if f.code == _GRIDS.get(pattern.code) and f.confidence is Confidence.HIGH)
    return (pattern.span.path, pattern.span.line) in {(site.path, site.line) for site in sites if site is not None}


def _is_the_same(finding: Finding, pattern: Finding) -> bool:
    """The engine found a race or divergence at one of the places, and shows it."""
    same = finding.code.startswith(_ORDER[pattern.code][0]) and finding.code != pattern.code
    return same and finding.confidence is Confidence.HIGH and not _lines(finding).isdisjoint(_lines(pattern))


def _lines(finding: Finding) -> set[tuple[str, int]]:
    return {(span.path, span.line) for span in (finding.span, *(related.span for related in finding.related))}


def _told_more(finding: Finding, pattern: Finding) -> Finding:
    """The finding with the places of the pattern that it does not name."""
    lines = _lines(finding)
    more = tuple(r for r in pattern.related if (r.span.path, r.span.line) not in lines)
    return replace(finding, related=(*finding.related, *more))


def _is_refuted(pattern: Finding, kernels: list[KernelResult]) -> bool:
    """The engine proved every order in that function, or that all threads reach that barrier."""
    ending = _ORDER[pattern.code][1]
    decided = [o for kernel in kernels for o in kernel.obligations if o.kind.endswith(ending)]
    lines = {(pattern.span.path, pattern.span.line)} if ending == "divergence" else _lines(pattern)
    around = [o for o in decided if (o.span.path, o.span.line) in lines]
    return bool(around) and all(o.verdict in _HARMLESS for o in around)


def without_decided(patterns: list[Finding], findings: list[Finding], kernels: list[KernelResult]) -> list[Finding]:
    """What the text suggests gives way where the engine found the same family there, or proved every access safe.

    A finding that rests on what memory holds does not hide what the text shows whatever it holds. An access that was
    walked and has no obligation of overflow has an index that cannot wrap, even where the size of its memory is not known.
    """
    found = {(f.code[:4], f.span.path, f.span.line, f.confidence is Confidence.LOW) for f in findings}
    verdicts: dict[tuple[str, int], set[Verdict]] = {}
    overflow: dict[tuple[str, int], set[Verdict]] = {}
    walked: dict[tuple[str, int], bool] = {}
    for obligation in (o for kernel in kernels for o in kernel.obligations if o.kind.endswith(_ABOUT_INDICES)):
        place = (obligation.span.path, obligation.span.line)
        verdicts.setdefault(place, set()).add(obligation.verdict)
        if obligation.kind.endswith("overflow"):
            overflow.setdefault(place, set()).add(obligation.verdict)
        else:
            walked[place] = walked.get(place, True) and _has_known_index(obligation)
    overflow |= {place: {Verdict.SAFE} for place, known in walked.items() if known and place not in overflow}
    kept: list[Finding] = []
    for pattern in patterns:
        places = [(pattern.span.path, pattern.span.line), *((r.span.path, r.span.line) for r in pattern.related)]
        decided = [overflow[place] for place in places if place in overflow] if pattern.code.startswith("IDX2") else []
        known = decided or [verdicts[place] for place in places if place in verdicts]
        about_indices = pattern.code.startswith("IDX")
        weak = (False,) if pattern.confidence is Confidence.HIGH else (False, True)
        if about_indices and any((pattern.code[:4], *place, low) in found for place in places for low in weak):
            continue
        inside = known and all(v <= _HARMLESS for v in known)
        if about_indices and inside and pattern.code not in _WRONG_INSIDE:
            continue
        kept.append(pattern)
    return kept


def _has_known_index(access: ObligationResult) -> bool:
    return access.verdict is not Verdict.UNKNOWN or access.reason in _INDEX_KNOWN
