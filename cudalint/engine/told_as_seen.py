"""A finding in the words of the run that showed it: what the walk over-approximated had values of no program.

write and write of sh_A[64] by two warps, `emulated`   ->   read and write of sh_A[0] by two lanes, in the launch that was run
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudalint.engine.remarks import ask_rules
from cudalint.finding import Finding, Ran, Related, ThreadAccess, Witness
from cudalint.rule import Context, Subject
from cudalint.source import Span
from cudalint.symbolic.issues import Race
from cudalint.symbolic.model import Access
from cudalint.symbolic.verdicts.defects import Defect


def as_seen(finding: Finding, about: object, context: Context) -> Finding:
    """Told anew where the witness is an over-approximation, and a race where the run saw another pair of accesses."""
    witness = finding.witness
    if witness is None or witness.ran is None:
        return finding
    if isinstance(about, Defect) and about.primary.approximate and about.primary.kind == "bounds":
        return _bounds_as_seen(finding, about, witness, witness.ran, context)
    if isinstance(about, Race) and witness.ran.threads:
        return _race_as_seen(finding, about, witness, witness.ran, context)
    return finding


def _bounds_as_seen(finding: Finding, about: Defect, witness: Witness, ran: Ran, context: Context) -> Finding:
    if ran.index is None:
        return finding
    seen = replace(
        witness, launch=ran.launch, values=ran.values, block=ran.block, thread=ran.thread, index=ran.index,
        extent=ran.extent, bytes_needed=ran.bytes,
    )  # fmt: skip
    told = replace(about, primary=replace(about.primary, witness=seen))
    again = _again(Subject.OBLIGATION, told, context, finding)
    return replace(finding, message=again.message, trigger=again.trigger, level=again.level, witness=seen)


def _race_as_seen(finding: Finding, race: Race, witness: Witness, ran: Ran, context: Context) -> Finding:
    """The pair of the witness may be one that the walk has made up, or that stores equal values in the run."""
    first, second = (_access_of(side, race) for side in ran.threads)
    if first is None or second is None:
        return finding
    pair = {(first.span, first.kind), (second.span, second.kind)}
    if not race.approximate and pair == {(race.first.span, race.first.kind), (race.second.span, race.second.kind)}:
        return finding
    one = ran.threads[0]
    seen = replace(
        witness, launch=ran.launch, values=ran.values, block=one.block, thread=one.thread, threads=ran.threads,
        index=one.index,
    )  # fmt: skip
    others = (*map(_of_the_interval, (race.first, race.second)), *race.related)
    others = tuple({each.span: each for each in others if each.span not in (first.span, second.span)}.values())
    told = replace(race, first=first, second=second, witness=seen, related=others)
    again = _again(Subject.RACE, told, context, finding)
    if again is finding:
        return finding
    return replace(
        finding, message=again.message, trigger=again.trigger, level=again.level, span=again.span, root=again.root,
        related=again.related, fix=again.fix, witness=seen,
    )  # fmt: skip


def _again(subject: Subject, told: object, context: Context, finding: Finding) -> Finding:
    return next((found for found in ask_rules(subject, told, context) if found.code == finding.code), finding)


def _access_of(side: ThreadAccess, race: Race) -> Access | None:
    """The access of the walk that the run saw; None where the walk knows nothing of it."""
    both = (race.first, race.second)
    own = (each for each in both if (each.span.path, each.span.line) == (side.path, side.line))
    known = next((each for each in own if each.kind == side.kind), None)
    if known is not None:
        return known
    span = next((span for span in _spans(race) if (span.path, span.line) == (side.path, side.line)), None)
    return None if span is None else replace(race.first, span=span, kind=side.kind)


def _of_the_interval(access: Access) -> Related:
    return Related(access.span, f"{access.kind} of `{access.object.name}`, which the walk takes to race as well")


def _spans(race: Race) -> Iterator[Span]:
    yield from (race.first.span, race.second.span)
    yield from (each.span for each in race.related)
