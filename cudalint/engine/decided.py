"""What the text suggests gives way to what the engine has decided about the same place."""

from __future__ import annotations

import re
from dataclasses import replace

from cudalint.analysis.guards.guard_findings import REACHED
from cudalint.analysis.text.magnitude import SMALL, is_plain, is_stride, largest_of
from cudalint.contract import Origin
from cudalint.finding import (
    LEADS_TO,
    NEXT_ROUND,
    NOT_STATED,
    OF_PROJECT,
    SAME_PRODUCT,
    WHERE_WALKED,
    Confidence,
    Evidence,
    Finding,
    KernelResult,
    ObligationResult,
    Reason,
    Related,
    Verdict,
    is_conditional,
)
from cudalint.rule import shown_by_default
from cudalint.source import Span

_ABOUT_INDICES = ("bounds", "dimension", "overflow")
_HARMLESS = {Verdict.SAFE, Verdict.UNREACHABLE}
_INDEX_KNOWN = {Reason.NO_EXTENT, Reason.UNTIED_EXTENT}
_WRONG_INSIDE = {"IDX113", "IDX134"}  # elements of another row, or in front of what is left out, are elements, too
_OF_TYPES = {
    "IDX208",
    "IDX209",
    "IDX210",
}  # two declarations that disagree say what is large, whatever ordinary sizes are
_OF_GUARDS = {"IDX104"}  # what lets the bound pass: that the element behind it on the same line is wrong says the same
_OF_NAMES = {"IDX109"}  # a stride that nothing uses: how far an array on the line is left is another matter
_OF_ELEMENTS = {
    "IDX108"
}  # the place is an access: what a block of another shape does to its neighbour is another matter
_OF_HALVES = "halved-counter:"  # how much of an element is added to: the half is inside
_OF_PITCHES = "unread-pitch:"  # a row that begins too early: what it begins with is inside
_OF_REMAINDERS = "odd-remainder:"  # a place before the row: the end of the row before is inside
_OF_VALUES = ("IDX206", "IDX3")  # bits that are not set, and unset or misaligned elements, are inside
_GRIDS = {"API108": ("IDX117", "IDX310")}  # too few blocks, by the launch alone and by the elements that nobody reaches
_ROWS, _MISALIGNED = "IDX307", "IDX309"  # a cast to vectors of rows with a rest, and an access that shows it
_COUNTER, _OVERFLOW = "IDX210", "IDX201"  # one cause, told by the types and by the launch
_OVERFLOWS = "IDX2"
_BOUNDS, _SIDE = "IDX1", "IDX127"  # a guard by its text, and an access beyond a side that the kernel knows
_END_OF_ROW = "IDX133"  # or one that comes to the next row: where the guard stands, or what it is about
_ALLOCATION, _LEAVING = "IDX126", ("IDX101", "IDX116")  # the allocation, and what leaves it
_BLOCK, _IMPOSSIBLE = "API103", "API109"  # a block by its names, and with sizes that make it too large
_COUNTED, _AS_BYTES = "API116", "API135"  # elements for bytes, by the size of the memory and by its type
_SIBLING, _LATE = "IDX105", "IDX112"  # an element that no guard keeps, and one whose guard comes after it
_ORDER = {
    "SYN106": ("SYN1", "shared-access-race"),
    "SYN402": ("SYN", "race"),
    "SYN107": ("SYN1", "race"),
    "SYN203": ("SYN2", "divergence"),
    "SYN109": ("SYN1", "global-access-race"),
    "SYN308": ("SYN30", "active-lane"),
}


def with_patterns(
    findings: list[Finding], patterns: list[Finding], kernels: list[KernelResult], codes: frozenset[str]
) -> list[Finding]:
    """The findings of the engine, with what the text adds to them and what the engine could not decide.

    A finding takes the place of a pattern only where its rule is selected, which `codes` are, and tells what a pattern says
    only where it is shown itself.
    """
    commented = [f for f in findings if _rests_on_comment(f)]
    patterns = [_as_launched(pattern, kernels) for pattern in patterns]
    patterns, findings = _with_sides(patterns, [f for f in findings if not _rests_on_comment(f)])
    selected = [f for f in findings if f.code in codes]
    told = [f for f in selected if shown_by_default(f)]
    synchronising = [pattern for pattern in patterns if pattern.code in _ORDER]
    others = [p for p in patterns if p.code not in _ORDER]
    others = [p for p in others if not _is_told_by_accesses(p, told) and not _is_told_by_launch(p, told)]
    others = [p for p in others if not _is_told_by_size(p, told) and not _is_told_as_sibling(p, others, codes)]
    others, findings = _with_lost_elements(others, findings, told)
    kept, findings = _with_misaligned(without_decided(others, selected, kernels), findings, told)
    for pattern in synchronising:
        known = [f for f in findings if f.code in codes and _is_the_same(f, pattern)]
        if known:
            findings = [_told_more(f, pattern) if f is known[0] else f for f in findings]
        elif not _is_refuted(pattern, kernels):
            kept.append(_as_in_own_files(pattern, findings))
    told = [f for f in (*findings, *kept) if f.code.startswith(_BOUNDS) and f.code in codes and shown_by_default(f)]
    places = {(s.path, s.line) for f in told for s in (f.span, *(related.span for related in f.related))}
    return [*findings, *kept, *(f for f in commented if (f.span.path, f.span.line) not in places)]


def with_orders_once(findings: list[Finding], codes: frozenset[str]) -> list[Finding]:
    """A header is read with the files that launch its kernels: what they show is what its own text suggests."""
    suggested = [f for f in findings if f.code in _ORDER and f.evidence is Evidence.PATTERN]
    shown = [f for f in findings if f.code in codes and f.evidence is not Evidence.PATTERN and shown_by_default(f)]
    for pattern in suggested if shown else ():
        known = next((f for f in shown if _is_the_same(f, pattern)), None)
        if known is not None:
            more = _told_more(known, pattern)
            shown[shown.index(known)] = more
            findings = [more if f is known else f for f in findings if f is not pattern]
    return findings


def _as_launched(pattern: Finding, kernels: list[KernelResult]) -> Finding:
    """Nobody chooses sizes that are too large for a kernel that nobody launches."""
    forgotten = {(k.name, k.span.path) for k in kernels if k.forgotten}
    large = pattern.code.startswith(_OVERFLOWS) and pattern.confidence is Confidence.HIGH
    if not large or (pattern.kernel or "", pattern.span.path) not in forgotten:
        return pattern
    return replace(pattern, confidence=Confidence.MEDIUM)


def _as_in_own_files(pattern: Finding, findings: list[Finding]) -> Finding:
    """The engine has it for certain sizes alone, which the program reads from a file of the project."""
    same = [
        f for f in findings if f.code.startswith(_ORDER[pattern.code][0]) and not _lines(f).isdisjoint(_lines(pattern))
    ]
    own = [f for f in same if f.confidence is Confidence.MEDIUM and _reads_own_file(f)]
    high = pattern.confidence is Confidence.HIGH
    return replace(pattern, confidence=Confidence.MEDIUM) if own and high else pattern


def _reads_own_file(finding: Finding) -> bool:
    return any(assumption.text.endswith(OF_PROJECT) for assumption in finding.assumptions)


def _rests_on_comment(finding: Finding) -> bool:
    """An ordinary comment has the size that it breaks: it decides nothing, and adds nothing to what is told without it."""
    return any(fact.origin == Origin.COMMENT.value for fact in finding.assumptions)


def _with_sides(patterns: list[Finding], findings: list[Finding]) -> tuple[list[Finding], list[Finding]]:
    """What the text says of a guard, or of a grid that is rounded up, is told with the witness that the engine has for it."""
    merged: list[Finding] = []
    for pattern in patterns:
        is_bound = pattern.code.startswith(_BOUNDS)
        sides = [f for f in findings if is_bound and f.code == _SIDE and f.span.path == pattern.span.path]
        sides = [f for f in sides if f.span.line == pattern.span.line]
        rows = [f for f in findings if is_bound and f.code == _END_OF_ROW]
        sides += [f for f in rows if (f.span.path, f.span.line) in _lines(pattern)]
        sides = [f for f in sides if f.confidence is pattern.confidence]
        if sides:
            pattern = _with_evidence(pattern, sides[0])
            findings = [f for f in findings if f not in sides]
        merged.append(pattern)
    return merged, findings


def _with_evidence(pattern: Finding, engine: Finding) -> Finding:
    return replace(
        pattern,
        evidence=engine.evidence,
        evidence_reason=engine.evidence_reason,
        witness=engine.witness,
        trigger=engine.trigger,
        assumptions=engine.assumptions,
        launch_site=engine.launch_site,
    )


def _with_lost_elements(
    patterns: list[Finding], findings: list[Finding], told: list[Finding]
) -> tuple[list[Finding], list[Finding]]:
    """Elements that nobody reaches because a launch has too few blocks are told where the launch is, with their evidence."""
    merged: list[Finding] = []
    for pattern in patterns:
        lost = [f for f in told if f.code in _GRIDS.get(pattern.code, ()) and f.confidence is Confidence.HIGH]
        lost = [f for f in lost if _launched(f) == (pattern.span.path, _last(pattern.function), _last(pattern.kernel))]
        if lost:
            related = tuple(Related(f.span, f.message) for f in lost)
            pattern = replace(_with_evidence(pattern, lost[0]), related=(*pattern.related, *related))
            findings = [f for f in findings if f not in lost]
        merged.append(pattern)
    return merged, findings


def _with_misaligned(
    patterns: list[Finding], findings: list[Finding], told: list[Finding]
) -> tuple[list[Finding], list[Finding]]:
    """Rows that are read as vectors are told where the pointer is cast, with the access of the kernel that is not aligned."""
    merged: list[Finding] = []
    for pattern in patterns:
        rows = [f for f in told if pattern.code == _ROWS and f.code == _MISALIGNED and f.kernel == pattern.kernel]
        rows = [f for f in rows if re.search(rf"\b{re.escape(f.root.partition(':')[2])}\b", pattern.message)]
        if rows:
            related = tuple(Related(f.span, f.message) for f in rows)
            pattern = replace(_with_evidence(pattern, rows[0]), related=(*pattern.related, *related))
            findings = [f for f in findings if f not in rows]
        merged.append(pattern)
    return merged, findings


def _launched(finding: Finding) -> tuple[str, str, str] | None:
    """Where the launch of a finding is: file, function and kernel."""
    site = finding.launch_site
    return None if site is None else (site.path, _last(site.host_function), _last(finding.kernel))


def _last(name: str | None) -> str:
    return (name or "").rpartition("::")[2]


def _is_told_by_accesses(pattern: Finding, findings: list[Finding]) -> bool:
    """What is allocated too small in a function is left by an access of its launches, or by a copy there."""
    if pattern.code != _ALLOCATION:
        return False
    left = [f for f in findings if f.code in _LEAVING and f.confidence is Confidence.HIGH]
    hosts = {f.function if f.launch_site is None else f.launch_site.host_function for f in left}
    return pattern.function in hosts


def _is_told_by_launch(pattern: Finding, findings: list[Finding]) -> bool:
    """A block that is too large by its names is one whose sizes the engine found."""
    if pattern.code != _BLOCK:
        return False
    where = pattern.span.path, _last(pattern.function), _last(pattern.kernel)
    refused = (f for f in findings if f.code == _IMPOSSIBLE and f.confidence is Confidence.HIGH)
    return any((f.span.path, _last(f.function), _last(f.kernel)) == where for f in refused)


def _is_told_by_size(pattern: Finding, findings: list[Finding]) -> bool:
    """A copy that counts elements for bytes is told with the number of bytes that its memory has."""
    counted = (f for f in findings if f.code == _COUNTED and f.confidence is Confidence.HIGH)
    there = (f.span for f in counted if f.span.path == pattern.span.path)
    return pattern.code == _AS_BYTES and any(_overlap(span, pattern.span) for span in there)


def _is_told_as_sibling(pattern: Finding, patterns: list[Finding], codes: frozenset[str]) -> bool:
    """`if (x[i] && i < n)`: that the guard comes after the element says that it does not guard it."""
    unguarded = (p for p in patterns if p.code == _SIBLING and _SIBLING in codes and shown_by_default(p))
    return pattern.code == _LATE and any(p.span == pattern.span for p in unguarded)


def _is_the_same(finding: Finding, pattern: Finding) -> bool:
    """The engine found a race or divergence at one of the places, and shows it."""
    same = finding.code.startswith(_ORDER[pattern.code][0]) and finding.code != pattern.code
    if not same or finding.confidence is not Confidence.HIGH:
        return False
    if any(related.message == NEXT_ROUND for related in pattern.related) and (
        (pattern.span.path, pattern.span.line) not in _lines(finding)
    ):
        return False  # the barrier between the rounds is another one than that before the loop
    return not _lines(finding).isdisjoint(_lines(pattern))


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
    around = [o for o in decided if (o.span.path, o.span.line) in lines] or _of_all_arrays(lines, ending, kernels)
    return bool(around) and all(o.verdict in _HARMLESS or o.detail == WHERE_WALKED for o in around)


def _of_all_arrays(lines: set[tuple[str, int]], ending: str, kernels: list[KernelResult]) -> list[ObligationResult]:
    """The verdicts of the kernels that were walked at these lines: that of an array stands where it is first used."""
    found: list[ObligationResult] = []
    for kernel in kernels:
        walked = {(o.span.path, o.span.line) for o in kernel.obligations}
        if lines <= walked:
            found += [o for o in kernel.obligations if o.kind.endswith(ending)]
    return found


def without_decided(patterns: list[Finding], findings: list[Finding], kernels: list[KernelResult]) -> list[Finding]:
    """What the text suggests gives way where the engine found the same family there, or proved every access safe.

    A finding that rests on what memory holds does not hide what the text shows whatever it holds, nor does one that needs an
    extreme input and stands elsewhere in the kernel, or one of sizes of which nothing is said where types or names say it; nor
    one of an element on the line of its guard.
    An access that was walked and has no obligation of overflow has an index that cannot wrap, even where the size of its
    memory is not known; it says nothing of another index on its line, and nothing of what the element holds or how it is
    aligned.
    """
    found = {(f.code[:4], f.span.path, f.span.line, f.confidence) for f in findings}
    obligations = _Obligations(kernels)
    kept: list[Finding] = []
    for pattern in patterns:
        about_indices, is_counter = pattern.code.startswith("IDX"), pattern.code == _COUNTER
        if is_counter and _is_told_as_overflow(pattern, findings):
            continue
        related = [r for r in pattern.related if not (is_counter and r.message == REACHED)]
        spans = (pattern.span, *(r.span for r in related))
        not_stated = obligations.not_stated((pattern.span, *(r.span for r in related if r.message != LEADS_TO)))
        if pattern.root.startswith("product:") and not_stated and not _has_roles(pattern):
            continue
        stated = pattern.code in _OF_TYPES | _OF_GUARDS | _OF_NAMES or (_has_roles(pattern) and not_stated)
        places = [
            (pattern.code[:4], span.path, span.line, confidence)
            for span in spans
            for confidence in _hiding(pattern, span is pattern.span and not stated)
        ]
        if about_indices and not found.isdisjoint(places) and not _is_of_another_access(pattern, places, findings):
            continue
        inside = pattern.code in _WRONG_INSIDE or pattern.code.startswith(_OF_VALUES)
        inside = inside or pattern.root.startswith((_OF_HALVES, _OF_PITCHES, _OF_REMAINDERS))
        one_suffices = pattern.root.startswith("product:") and all(r.message != SAME_PRODUCT for r in pattern.related)
        if about_indices and not inside and obligations.clear(pattern.code, spans, one_suffices):
            continue
        kept.append(pattern)
    return kept


def _is_told_as_overflow(pattern: Finding, findings: list[Finding]) -> bool:
    """The element that the counter chooses is one whose index overflows for certain."""
    chosen = {(each.span.path, each.span.line) for each in pattern.related if each.message == REACHED}
    sure = (f for f in findings if f.code == _OVERFLOW and f.confidence is Confidence.HIGH)
    return any((f.span.path, f.span.line) in chosen for f in sure)


def _is_of_another_access(
    pattern: Finding, places: list[tuple[str, str, int, Confidence]], findings: list[Finding]
) -> bool:
    """All that was found on these lines is of medium confidence, of accesses beside one, or a product, that the text is sure of."""
    about_place = pattern.root.startswith("product:") or pattern.code in _OF_ELEMENTS
    if pattern.confidence is not Confidence.HIGH or not about_place:
        return False
    there = [f for f in findings if (f.code[:4], f.span.path, f.span.line, f.confidence) in places]
    spans = (pattern.span, *(related.span for related in pattern.related))
    apart = not any(_overlap(f.span, span) for f in there for span in spans)
    return apart and all(f.confidence is Confidence.MEDIUM for f in there)


def _has_roles(pattern: Finding) -> bool:
    """The names of a product state that something is large, more than the sides of a matrix or the distance of its rows do."""
    names = pattern.root.removeprefix("product:").split(" * ")
    return pattern.root.startswith("product:") and not all(_says_nothing(n) for n in names if "Idx." not in n)


def _says_nothing(name: str) -> bool:
    return is_plain(name) or is_stride(name) or largest_of(name)[1] is SMALL


def _hiding(pattern: Finding, is_own: bool) -> tuple[Confidence, ...]:
    """The findings that a pattern gives way to, on its own line or on another one that it names."""
    if pattern.confidence is not Confidence.HIGH:
        return tuple(Confidence)
    return (Confidence.HIGH, Confidence.MEDIUM) if is_own else (Confidence.HIGH,)


class _Obligations:
    """The verdicts about indices, by place."""

    def __init__(self, kernels: list[KernelResult]) -> None:
        self._lines: dict[tuple[str, int], list[ObligationResult]] = {}
        for obligation in (o for kernel in kernels for o in kernel.obligations if o.kind.endswith(_ABOUT_INDICES)):
            for line in range(obligation.span.line, obligation.span.end_line + 1):
                self._lines.setdefault((obligation.span.path, line), []).append(obligation)

    def clear(self, code: str, spans: tuple[Span, ...], one_suffices: bool = False) -> bool:
        """Whether all that is known of these places is harmless, and something is.

        Of one product that is part of every index, one index that cannot wrap suffices where nothing is shown of the others.
        """
        if code.startswith("IDX2"):
            overflows = [verdicts for span in spans if (verdicts := self._overflows(span))]
            if overflows:
                safe = any(verdicts == {Verdict.SAFE} for verdicts in overflows)
                harmless = _HARMLESS | {Verdict.UNKNOWN} if one_suffices and safe else _HARMLESS
                return all(verdicts <= harmless for verdicts in overflows)
        known = [verdicts for span in spans if (verdicts := self._verdicts(span, code))]
        return bool(known) and all(verdicts <= _HARMLESS for verdicts in known)

    def not_stated(self, spans: tuple[Span, ...]) -> bool:
        """Whether what overflows at these places does so for ordinary sizes, of which the engine knows no names."""
        violated = [o for span in spans for o in self._at(span, "IDX2") if o.verdict is Verdict.VIOLATED]
        overflows = [o for o in violated if o.kind.endswith("overflow")]
        return bool(overflows) and all(o.detail == NOT_STATED for o in overflows)

    def _at(self, span: Span, code: str) -> list[ObligationResult]:
        same = [o for o in self._lines.get((span.path, span.line), ()) if o.span.line == span.line]
        if not code.startswith("IDX2"):
            return same
        around = (o for o in self._lines.get((span.path, span.line), ()) if _overlap(o.span, span))
        return [o for o in around if o.kind.endswith("overflow") or not _is_inside(o.span, span)]

    def _verdicts(self, span: Span, code: str) -> set[Verdict]:
        return {_verdict(o) for o in self._at(span, code)}

    def _overflows(self, span: Span) -> set[Verdict]:
        around = self._at(span, "IDX2")
        said = {_verdict(o) for o in around if o.kind.endswith("overflow")}
        walked = [o for o in around if not o.kind.endswith("overflow")]
        if said or not walked or not all(map(_has_known_index, walked)):
            return said
        return {Verdict.SAFE}


def _overlap(one: Span, other: Span) -> bool:
    first = (one.line, one.column), (one.end_line, one.end_column)
    second = (other.line, other.column), (other.end_line, other.end_column)
    return max(first[0], second[0]) < min(first[1], second[1])


def _is_inside(one: Span, other: Span) -> bool:
    """An access within an expression loads an operand: it says nothing of the value that is worked out from it."""
    first = (one.line, one.column), (one.end_line, one.end_column)
    second = (other.line, other.column), (other.end_line, other.end_column)
    return first != second and second[0] <= first[0] and first[1] <= second[1]


def _verdict(result: ObligationResult) -> Verdict:
    """A size that was chosen so that the access is inside says nothing of its guard; one launch that is proved does."""
    if result.detail == WHERE_WALKED:
        return Verdict.SAFE
    return Verdict.UNKNOWN if is_conditional(result) else result.verdict


def _has_known_index(access: ObligationResult) -> bool:
    return access.verdict is not Verdict.UNKNOWN or access.reason in _INDEX_KNOWN
