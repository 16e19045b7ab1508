"""Findings from defects: what every bounds rule says in the same way."""

from __future__ import annotations

from cudalint.contract import Contract
from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.symbolic.ordinary import DEVICE_BYTES, ERROR_BYTES
from cudalint.symbolic.verdicts.defects import Defect
from cudalint.symbolic.verdicts.phrases import condition_phrase, consequence_notes, place_phrase, trigger_phrase


def bounds_finding(defect: Defect, code: str, name: str, contract: Contract | None, advice: str) -> Finding:
    """The finding of an access outside its object."""
    obligation = defect.primary
    assert obligation.confidence is not None and obligation.object is not None
    return Finding(
        code=code,
        name=name,
        level=level_for(obligation.witness.bytes_needed if obligation.witness else None),
        message=f"{place_phrase(obligation)} `{obligation.object.name}`",
        span=obligation.span,
        root=obligation.root,
        confidence=obligation.confidence,
        evidence=Evidence.WITNESS,
        assumptions=obligation.facts,
        witness=obligation.witness,
        trigger=trigger_phrase(obligation),
        condition=condition_phrase(obligation),
        launch_site=contract.launch_site if contract else None,
        related=consequence_notes(defect),
        fix=Fix(advice),
    )


def level_for(bytes_needed: int | None) -> Level:
    """An error up to 16 GiB of arguments, a warning up to the device's memory, a note beyond."""
    if bytes_needed is None or bytes_needed <= ERROR_BYTES:
        return Level.ERROR
    return Level.WARNING if bytes_needed <= DEVICE_BYTES else Level.NOTE
