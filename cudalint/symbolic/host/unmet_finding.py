"""The finding that an unmet demand of host code becomes."""

from __future__ import annotations

from cudalint.finding import Confidence, Evidence, Finding, Fix, Level
from cudalint.symbolic.host.demands import Unmet
from cudalint.symbolic.host.text import plain, shown


def unmet_finding(subject: Unmet, code: str, name: str, level: Level, message: str, advice: str) -> Finding:
    """With the inputs that show it, and the two sizes in the words of the source.

    Nothing says that sizes are so large as to wrap: then its confidence is medium.
    """
    demand = subject.demand
    inputs = ", ".join(f"{plain(input_)} = {value}" for input_, value in subject.inputs[:8])
    return Finding(
        code=code,
        name=name,
        level=level,
        message=message,
        span=demand.span,
        root=f"{name}:{demand.function}:{demand.kind}:{demand.of}:{demand.call}",
        confidence=Confidence.MEDIUM if subject.wraps else Confidence.HIGH,
        evidence=Evidence.WITNESS,
        trigger=inputs or None,
        condition=f"{shown(demand.needed)} against {shown(demand.limit)}",
        kernel=demand.of if demand.kind in ("block", "shared") else None,
        function=demand.function,
        fix=Fix(advice),
    )
