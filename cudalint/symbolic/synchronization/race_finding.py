"""Findings from races: what every race rule says in the same way."""

from __future__ import annotations

from cudalint.contract import Contract
from cudalint.finding import Evidence, Finding, Fix, Level, Related
from cudalint.symbolic.issues import Race
from cudalint.symbolic.model import Access
from cudalint.symbolic.verdicts.phrases import coordinates


def ordered_sides(race: Race) -> tuple[Access, Access]:
    """The side to report first: a write before an atomic before a read, then by place."""
    rank = {"write": 0, "atomic": 1, "read": 2}
    first, second = sorted((race.first, race.second), key=lambda access: (rank[access.kind], access.span))
    return first, second


def is_lost_update(race: Race) -> bool:
    """One statement reads and writes the same element, and not one beside it."""
    if race.first.offset is not race.second.offset:
        return False
    return race.first.span.line == race.second.span.line and {race.first.kind, race.second.kind} == {"read", "write"}


def race_finding(
    race: Race, code: str, name: str, level: Level, contract: Contract | None, message: str, advice: str
) -> Finding:
    """The finding of one missing barrier, fence or atomic."""
    first, second = ordered_sides(race)
    whose = "another block" if race.across_blocks else "another thread of the block"
    related = Related(second.span, f"{second.kind} of `{race.object.name}` by {whose}")
    return Finding(
        code=code,
        name=name,
        level=level,
        message=message,
        span=first.span,
        root=f"{race.object.name}:{first.kind}:{second.kind}",
        confidence=race.confidence,
        evidence=Evidence.WITNESS,
        assumptions=race.facts,
        witness=race.witness,
        trigger=_trigger(race),
        launch_site=contract.launch_site if contract else None,
        related=(*((related,) if second.span != first.span else ()), *race.related),
        fix=Fix(advice),
    )


def _trigger(race: Race) -> str:
    place = f"{race.object.name}[{race.witness.index}]"
    if race.across_blocks:
        who = " and ".join(
            f"block {coordinates(side.block)} thread {coordinates(side.thread)}" for side in race.witness.threads
        )
        return f"{who} meet at {place}"
    who = " and ".join(f"thread {coordinates(side.thread)}" for side in race.witness.threads)
    return f"{who} of one block meet at {place}"
