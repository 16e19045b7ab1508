"""Sentences that several rules share: where an access lies against its extent, and who does it."""

from __future__ import annotations

from cudalint import ir
from cudalint.finding import Related, Witness, without_first_value
from cudalint.symbolic.issues import BarrierIssue
from cudalint.symbolic.model import APPROXIMATE_PREFIX, Obligation
from cudalint.symbolic.verdicts.defects import Defect
from cudalint.term import ideal, text

PAST_TENSE = {"read": "reads", "write": "writes", "atomic": "updates"}


def place_phrase(obligation: Obligation) -> str:
    """`write past the end of`, `read before the start of`."""
    witness = obligation.witness
    noun = {"read": "read", "write": "write", "atomic": "atomic update"}[obligation.access]
    before = witness is not None and witness.index is not None and witness.index < 0
    return f"{noun} before the start of" if before else f"{noun} past the end of"


def trigger_phrase(obligation: Obligation) -> str | None:
    """Who does what: `block (0,0,0) thread (1,0,0) writes out[4], extent 4`."""
    witness = obligation.witness
    if witness is None or obligation.object is None:
        return None
    who = f"block {coordinates(witness.block)} thread {coordinates(witness.thread)}"
    what = f"{PAST_TENSE[obligation.access]} {obligation.object.name}[{witness.index}]"
    extent = "" if witness.extent is None else f", extent {witness.extent}"
    return f"{values_phrase(witness)}{who} {what}{extent}"


def values_phrase(witness: Witness) -> str:
    """`n = 5, cols = 3; ` of the inputs, or nothing."""
    shown = [
        f"{short_name(name)} = {value}"
        for name, value in witness.named_values.items()
        if not name.startswith("sizeof(")
    ]
    return f"{', '.join(shown[:8])}; " if shown else ""


def short_name(name: str) -> str:
    """The name as its function knows it: `forward:n` is `n`, and a constant that nothing declares has its own."""
    name = without_first_value(name.removeprefix(f"{APPROXIMATE_PREFIX}{ir.UNDECLARED}"))
    return name.rpartition(":")[2] if "::" not in name else name


def coordinates(place: tuple[int, int, int] | None) -> str:
    return "(?)" if place is None else f"({place[0]},{place[1]},{place[2]})"


def parting_phrase(issue: BarrierIssue, absent_verb: str) -> str:
    """`thread (0,0,0) waits, thread (1,0,0) does not arrive`, with their blocks where these meet, too."""
    waits, absent = issue.witness.threads
    names = [f"thread {coordinates(side.thread)}" for side in (waits, absent)]
    if issue.grid:
        names = [f"{name} of block {coordinates(side.block)}" for name, side in zip(names, (waits, absent))]
    return f"{names[0]} waits, {names[1]} {absent_verb}"


def condition_phrase(obligation: Obligation) -> str | None:
    """The index against the extent, in the words of the source where they are short enough."""
    if obligation.extent is None:
        return None
    index, extent = text(obligation.index), text(obligation.extent)
    if max(len(index), len(extent)) > 160 or "#" in index + extent or "..." in index + extent:
        return None
    return f"index {index}, extent {extent}"


def consequence_notes(defect: Defect) -> tuple[Related, ...]:
    """The later accesses that go wrong with the same index, or beside it."""
    notes: dict[object, Related] = {}
    index = ideal(defect.primary.index)
    for obligation in defect.consequences:
        if obligation.object is not None:
            how = "with the same index" if ideal(obligation.index) is index else "beside it"
            text_ = f"{place_phrase(obligation)} `{obligation.object.name}` {how}"
            notes.setdefault(obligation.span, Related(obligation.span, text_))
    return tuple(notes.values())
