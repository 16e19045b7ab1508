"""What a rule is: data plus a function, one module each.

A rule module has a docstring (one plain sentence first, then Bad, Good, Limits), a constant `RULE`, and a generator
`check(subject, context)` that yields findings. What the subject is follows from `RULE.subject`:

    OBLIGATION  symbolic.Obligation: one access, step or launch with its verdict
    RACE        symbolic.Race: two accesses that one missing barrier would separate
    BARRIER     symbolic.BarrierIssue: a barrier that some threads of the block do not reach
    WARP        symbolic.WarpIssue: a warp operation that lanes miss or read wrongly
    LOST        symbolic.LostWork: elements that no thread of the launch comes to
    SIDE        symbolic.UnguardedSide: a place along one side of the data that is compared elsewhere only
    ROW         symbolic.RowEnd: a place in a row that comes to the next row
    UNSET       symbolic.UnsetElement: a read of an element that no thread of the block writes
    UNWRITTEN   symbolic.Unwritten: a result of which no thread of the launch writes some elements
    HALVED      symbolic.LostHalf: elements that a fold in halves leaves out
    ALIGNMENT   symbolic.Misaligned: an access at an address that its type does not allow
    FUNCTION    ir.Function: a kernel or device function
    HOST        ir.Function: a host function
    DEMAND      symbolic.host.demands.Unmet: what host code asks of the runtime and cannot have
    COUNTED     symbolic.host.counted.Counted: a copy whose size is in elements instead of bytes
    RETYPED     symbolic.host.retyped.Retyped: a launch that hands on elements as elements of another type
    TEXT        ir.syntax.Outline: what the text of a file says, also where no IR could be made of it
    TOOL        ToolIssue: something about the scan itself

The engine runs each analysis once and hands every subject to the rules that name its kind. Rules are found by listing the
package `cudalint.rules`; adding one touches its own file and its fixtures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from cudalint import ir
from cudalint.contract import Contract
from cudalint.finding import Confidence, Finding, Level
from cudalint.source import Span


class Subject(Enum):
    OBLIGATION = "obligation"
    RACE = "race"
    BARRIER = "barrier"
    WARP = "warp"
    LOST = "lost"
    SIDE = "side"
    ROW = "row"
    UNSET = "unset"
    UNWRITTEN = "unwritten"
    HALVED = "halved"
    ALIGNMENT = "alignment"
    FUNCTION = "function"
    HOST = "host"
    DEMAND = "demand"
    COUNTED = "counted"
    RETYPED = "retyped"
    TEXT = "text"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Rule:
    """`audit` rules are shown by `--profile audit` only."""

    code: str
    name: str
    level: Level
    subject: Subject
    summary: str
    audit: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """Where a subject stands. `text` holds the lines of the file where the IR of the function is not complete, by path,
    and for copies and demands of the host those of the file."""

    unit: ir.Unit
    kernel: ir.Function | None
    contract: Contract | None
    target: str
    text: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolIssue:
    """What the engine met on its way, for the rule with the code `rule`."""

    rule: str
    message: str
    span: Span
    kernel: str | None = None


Check = Callable[[Any, Context], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class LoadedRule:
    rule: Rule
    check: Check
    documentation: str


def shown_by_default(finding: Finding) -> bool:
    """Only what is wrong in ordinary use is shown without `--profile audit`."""
    return finding.confidence is Confidence.HIGH
