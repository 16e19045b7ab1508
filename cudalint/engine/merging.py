"""What is told several times, by launches, instances, pieces or the files around a header, is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from cudalint.engine.confirmation import CERTAINTY
from cudalint.finding import (
    WHERE_WALKED,
    Evidence,
    Finding,
    KernelResult,
    ObligationResult,
    Verdict,
    is_conditional,
    is_lost,
)
from cudalint.source import Span

if TYPE_CHECKING:
    pass

_WORST = {Verdict.VIOLATED: 0, Verdict.UNKNOWN: 1, Verdict.SAFE: 2, Verdict.UNREACHABLE: 3}
_EVIDENCE = {
    Evidence.CONFIRMED: 0,
    Evidence.EMULATED: 1,
    Evidence.WITNESS: 2,
    Evidence.PATTERN: 3,
    Evidence.UNCONFIRMED: 4,
}


def merged_kernels(kernels: Iterable[KernelResult]) -> Iterator[KernelResult]:
    """A kernel that was read in several files, or in several variants of a text, is one: complete where all are.

    One that another configuration of its file gave is not lost in the others.
    """
    groups: dict[tuple[Span, str], list[KernelResult]] = {}
    for kernel in kernels:
        groups.setdefault((kernel.span, kernel.name), []).append(kernel)
    for (span, name), every in sorted(groups.items()):
        members = [k for k in every if not is_lost(k)] or every
        yield members[0] if len(members) == 1 else KernelResult(
            name,
            span,
            all(k.complete for k in members),
            all(k.exact for k in members),
            tuple(dict.fromkeys(gap for k in members for gap in k.unmodelled)),
            tuple(dict.fromkeys(gap for k in members for gap in k.opaque)),
            tuple(merged_obligations([o for k in members for o in k.obligations])),
            all(k.device for k in members),
            all(k.forgotten for k in members),
        )  # fmt: skip


def merged_obligations(results: list[ObligationResult]) -> list[ObligationResult]:
    """The worst verdict of each place over unrolled copies, instances and launches."""
    worst: dict[tuple[str, Span], ObligationResult] = {}
    for result in results:
        key = (result.kind, result.span)
        if key not in worst or _rank(result) < _rank(worst[key]):
            worst[key] = result
    return sorted(worst.values(), key=lambda r: (r.span, r.kind))


def _rank(result: ObligationResult) -> tuple[int, bool, bool]:
    """What is safe under a relation that nothing checks is worse than what is safe whatever is passed.

    And what nobody proved is worse than what was proved of some launches.
    """
    return _WORST[result.verdict], not is_conditional(result), result.detail == WHERE_WALKED


def merged(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Launches, instances and files around that share a defect become one finding, told by its strongest."""
    groups: dict[tuple[str, Span], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.code, finding.span), []).append(finding)
    for members in groups.values():
        best = min(members, key=lambda f: (CERTAINTY[f.confidence], _EVIDENCE.get(f.evidence, 5)))
        others = [place for f in members if f is not best for place in (_place(f), *f.also_in)]
        known = dict.fromkeys((*best.also_in, *others))
        known.pop(_place(best), None)
        known.pop("", None)  # of host code that launches nothing
        yield replace(best, also_in=tuple(known))


def _place(finding: Finding) -> str:
    site = finding.launch_site
    instance = f"<{', '.join(finding.instance.template_args)}>" if finding.instance else ""
    launched = f" launched by {site.host_function} at {site.path}:{site.line}" if site else ""
    return f"{finding.kernel or ''}{instance}{launched}"
