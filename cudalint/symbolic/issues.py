"""What an analysis finds beside the verdicts on accesses: races, barriers, lost work, unset and unwritten elements."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cudalint.finding import Assumption, Confidence, LaunchShape, Related, Witness
from cudalint.source import Span
from cudalint.symbolic.model import Access, MemoryObject, Obligation
from cudalint.term import Term

if TYPE_CHECKING:
    from cudalint.symbolic.verdicts.preconditions import Precondition


@dataclass(frozen=True, slots=True)
class Race:
    object: MemoryObject
    first: Access
    second: Access
    witness: Witness
    facts: tuple[Assumption, ...]
    confidence: Confidence
    approximate: bool
    related: tuple[Related, ...] = ()
    across_blocks: bool = False
    unfenced: bool = False  # a flag or counter orders the two, but no fence does
    scattered: bool = False  # an index comes from memory
    others: tuple[MemoryObject, ...] = ()  # that the same barrier is missing for
    extraordinary: bool = False  # ordinary sizes may show it as well, and the solver found none
    locked: bool = False  # both hold the lock, and what they write leaves it late: no run shows that


@dataclass(frozen=True, slots=True)
class BarrierIssue:
    """`cause`: branch (divergence), split warp (lanes of one warp at two barriers), exit (some threads have returned before),
    count (it waits for `waited` threads, and `came` come or are waited for elsewhere), collective (of cub, made for `waited`
    threads where the block has `came`), held lock, lock of a warp (who has it waits for who wants it, at a barrier or at the end
    of the loop that takes it).
    """

    span: Span
    cause: str
    witness: Witness
    facts: tuple[Assumption, ...]
    confidence: Confidence
    approximate: bool
    related: tuple[Related, ...] = ()
    needed: bool = False  # of an exit: it waits for those that left, or a survivor reads what they would have written
    waited: int = 0
    came: int = 0
    primitive: bool = False  # the barrier is inside of a block-wide primitive
    grid: bool = False  # all threads of the launch meet at it
    stack: tuple[Span, ...] = ()  # the calls that lead to the barrier, and the barrier


@dataclass(frozen=True, slots=True)
class WarpIssue:
    """`cause`: legacy, width, distance, activemask, caller, absent, past the block, exited, not named."""

    span: Span
    op: str
    cause: str
    witness: Witness | None
    facts: tuple[Assumption, ...]
    confidence: Confidence
    approximate: bool
    related: tuple[Related, ...] = ()  # operations that go wrong for the same reason
    stack: tuple[Span, ...] = ()  # the calls that lead to the operation, and the operation


@dataclass(frozen=True, slots=True)
class LostWork:
    """Writes at `span` stand behind a guard by `wanted` elements, and the launch's threads come to `reached` of them.

    Where the launch was made for another size, `meant` is the parameter that has it, and the numbers are None. `skipped`: the
    element of that number is the first that lies between two blocks and belongs to neither. `beside` are further writes of the
    object that leave out as many.
    """

    span: Span
    object: MemoryObject
    wanted: Term
    reached: Term
    values: tuple[tuple[str, int], ...]
    numbers: tuple[int, int] | None
    meant: str
    facts: tuple[Assumption, ...]
    confidence: Confidence
    approximate: bool = False
    skipped: bool = False
    beside: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class UnguardedSide:
    """Along one side of the data an access is at `place`, which nothing keeps below the `size` that a guard at `guard` speaks of.

    The witness counts places along that side.
    """

    span: Span
    object: MemoryObject
    access: str
    place: Term
    size: Term
    guard: Span
    witness: Witness
    facts: tuple[Assumption, ...]
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class RowEnd:
    """An access at `place` in a row, which goes up to `end` and not only to the `length` of the row.

    The witness counts places in the row. `other` is an access, by its memory, with the place in rows that are `end` long. Where
    `end` is the length, the place ends there and not before.
    """

    span: Span
    object: MemoryObject
    access: str
    place: Term
    length: Term
    end: Term
    witness: Witness
    facts: tuple[Assumption, ...]
    other: tuple[Span, MemoryObject] | None = None
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class UnsetElement:
    """A read of an element of shared memory that no thread of the block writes; `seen` where a run has shown that it counts."""

    span: Span
    object: MemoryObject
    witness: Witness
    facts: tuple[Assumption, ...]
    approximate: bool = False
    seen: bool = False


@dataclass(frozen=True, slots=True)
class Unwritten:
    """A result of `count` elements of which a launch leaves `missing`, the first of them at `first`; nobody else writes any.

    `span` is a write of the kernel; `values` are the sizes of a run that has shown it.
    """

    span: Span
    object: MemoryObject
    first: int
    missing: int
    count: int
    launch: LaunchShape
    values: tuple[tuple[str, int], ...]
    facts: tuple[Assumption, ...]
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class LostHalf:
    """A fold in halves of `count` elements comes to `left` of them, an odd number; `fixed` where the launch is made of numbers."""

    span: Span
    object: MemoryObject
    count: int
    left: int
    values: tuple[tuple[str, int], ...]
    fixed: bool
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class Misaligned:
    """An access whose offset from aligned memory is no multiple of what its type needs, whatever the inputs are."""

    access: Access
    span: Span
    witness: Witness
    facts: tuple[Assumption, ...]
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class OpenRace:
    """An array that is not proved, with those of its accesses of which drawn launches may tell where they are."""

    result: Obligation
    accesses: tuple[Access, ...]


@dataclass(slots=True)
class Analysis:
    """All that one walk of one kernel under one contract yields."""

    kernel: str
    obligations: list[Obligation] = field(default_factory=list)
    races: list[Race] = field(default_factory=list)
    barriers: list[BarrierIssue] = field(default_factory=list)
    warps: list[WarpIssue] = field(default_factory=list)
    lost: list[LostWork] = field(default_factory=list)
    unset: list[UnsetElement] = field(default_factory=list)
    sides: list[UnguardedSide] = field(default_factory=list)
    rows: list[RowEnd] = field(default_factory=list)
    unwritten: list[Unwritten] = field(default_factory=list)
    halves: list[LostHalf] = field(default_factory=list)
    misaligned: list[Misaligned] = field(default_factory=list)
    sync_results: list[Obligation] = field(default_factory=list)
    open_races: list[OpenRace] = field(default_factory=list)
    preconditions: list[Precondition] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    contradictory: bool = False
    order_unknown: bool = False  # what synchronises the threads is not all understood
