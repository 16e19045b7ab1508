"""What the symbolic walk computes with and what it leaves behind: values, memory objects, accesses, obligations.

Integers and truths are Terms; a float is a symbol without structure. A pointer is (object, byte offset). Objects carry their
extent, so that a byte range can be compared with it whatever type the access has (SEMANTICS 18).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from cudalint import ir
from cudalint.finding import Assumption, Confidence, Reason, Verdict, Witness
from cudalint.source import Span
from cudalint.term import TRUE, Apply, Symbol, Term, children, free_symbols, labels

ResultKey: TypeAlias = tuple[str, Span]  # what is said of a place, and the place
SCOPES = ("launch", "block", "warp", "thread")


@dataclass(frozen=True, slots=True, eq=False)
class MemoryObject:
    """An allocation. `size` in bytes is None where nothing ties it; `before` bytes lie in front of the pointer's origin.

    `entry` is the place from which its pointer was read: the entries of a table point to allocations of their own. Of `described`
    memory a struct tells sizes and strides, each a number of its own (contract.Extent): an index is asked about as if nothing did.
    What lies in front of memory that begins `inside` of other is not known.
    """

    name: str
    memory: str  # global, shared, local, constant, unknown
    type: ir.Type
    size: Term | None
    before: Term | None = None
    read_only: bool = False
    dynamic: bool = False
    entry: tuple[Term, ...] = ()
    described: bool = False
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Address:
    """`object` None is the null pointer; `dims` is set while a declared array is indexed dimension by dimension."""

    object: MemoryObject | None
    offset: Term


@dataclass(frozen=True, slots=True)
class Either:
    """A pointer that depends on a condition."""

    cond: Term
    then: Pointer
    orelse: Pointer


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A struct or vector value by leaf: byte offset to (type, value)."""

    type: ir.Type
    leaves: dict[int, tuple[ir.Type, Value]]


Pointer: TypeAlias = Address | Either
Value: TypeAlias = Term | Address | Either | Aggregate


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One condition on the way. `cause`: branch, exit (some threads have left before), check, or loop."""

    term: Term
    cause: str


Path: TypeAlias = tuple[Conjunct, ...]


@dataclass(frozen=True, slots=True)
class BarrierPoint:
    """A barrier reached in one inlining context and loop copy; entry and exit are points too."""

    number: int
    span: Span | None
    kind: str


@dataclass(frozen=True, slots=True)
class Edge:
    source: BarrierPoint
    target: BarrierPoint
    cond: Term


@dataclass(frozen=True, slots=True)
class Rounds:
    """Where a thread stands at the barrier with this number: how often it has arrived, and up to which round it has waited."""

    barrier: str
    arrived: Term
    waited: Term


@dataclass(frozen=True, slots=True)
class Access:
    """One read, write or atomic of `size` bytes at `offset`; `phases` says from which barrier points it is reached."""

    object: MemoryObject
    offset: Term
    size: int
    kind: str
    span: Span
    path: Path
    phases: tuple[tuple[BarrierPoint, Term], ...]
    stack: tuple[Span, ...]
    value: Value | None = None
    order: str = "plain"
    grid_phases: tuple[tuple[BarrierPoint, Term], ...] = ()
    serial: int = 0  # program order
    repeated: bool = False  # of the second copy of a loop with a barrier
    narrow: bool = False  # an atomic for threads of one block only
    loops: tuple[Symbol, ...] = ()  # iteration numbers of the loops around it that each thread counts alone
    inside: Term = TRUE  # it stays in the member array that it names
    align: int = 1  # bytes of which its address has to be a multiple
    rounds: tuple[Rounds, ...] = ()  # at barriers for part of the block


@dataclass(frozen=True, slots=True)
class FenceVisit:
    """A fence, or an atomic that releases, which orders what stands before it for other blocks."""

    serial: int
    path: Path


@dataclass(frozen=True, slots=True)
class WarpBarrier:
    """`__syncwarp` of groups of `size` lanes, or of the `members` of them; None where the mask does not say which.

    A shuffle is one for reads only: no lane passes it before all have what they hand over, values with the names `handed`.
    """

    size: int | None
    serial: int
    path: Path
    loops: tuple[Symbol, ...]
    handed: frozenset[str] | None = None
    members: Term = TRUE


@dataclass(frozen=True, slots=True)
class Unparted:
    """A loop that holds barriers, of which two iterations may pass without one: on this way.

    `steps` are the serials of its accesses, `made` the counts of the symbols that its walk made: above the first, up to the last.
    """

    steps: tuple[int, int]
    made: tuple[int, int]
    way: Term


@dataclass(frozen=True, slots=True)
class AwaitedRounds:
    """A loop in each iteration of which a thread learns from `signals` what others of the launch have told.

    `steps` are the serials of its accesses.
    """

    iteration: Symbol
    steps: tuple[int, int]
    signals: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ticket:
    """What an atomic addition returned: no other one of the same place returns a value within `step` of it.

    `step` is negative where the counter is lowered. `epoch` is the barrier interval; `counts` says that the addition cannot
    lower the counter.
    """

    result: Symbol
    object: MemoryObject
    offset: Term
    step: Term
    epoch: tuple[str, tuple[Term, ...]]
    counts: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """What a compare-and-swap returned: of all threads that leave something else at one place, one gets what it expected.

    Or an exchange, which expects nothing: of all that leave the same mark at one place, one does not find it there.
    """

    result: Symbol
    object: MemoryObject
    offset: Term
    expected: Term | None
    desired: Term


@dataclass(frozen=True, slots=True)
class Extreme:
    """What an atomic minimum, maximum or setting of bits returned, by its operation; `type` is that of the element."""

    result: Symbol
    object: MemoryObject
    offset: Term
    op: str
    value: Term
    type: ir.Int


@dataclass(frozen=True, slots=True)
class Taken:
    """A compare-and-swap or exchange that may have taken a lock."""

    object: MemoryObject
    offset: Term
    serial: int
    path: Path


@dataclass(frozen=True, slots=True)
class BarrierVisit:
    """A barrier statement with the path that reaches it."""

    point: BarrierPoint
    span: Span
    path: Path
    balanced: bool
    stack: tuple[Span, ...]
    serial: int = 0


@dataclass(frozen=True, slots=True)
class CountedVisit:
    """A barrier for a stated number of threads, of those that have a number of their own; `repeated` in a loop.

    `count` is None where it is no constant. `name`, `rounds` (before it) and `loops` as those of accesses.
    """

    id: Term
    count: int | None
    span: Span
    path: Path
    repeated: bool
    serial: int
    of: str = ""  # the mbarrier, at which threads arrive one by one and not in whole warps
    mode: str = "sync"
    name: str = ""
    rounds: tuple[Rounds, ...] = ()
    loops: tuple[Symbol, ...] = ()


@dataclass(frozen=True, slots=True)
class WarpVisit:
    """A warp operation with the path that reaches it; `mask` is None for the legacy forms, `used` says when its result matters."""

    op: str
    mask: Term | None
    args: tuple[Term, ...]
    span: Span
    path: Path
    stack: tuple[Span, ...]
    used: Term = TRUE
    serial: int = 0  # program order


@dataclass(slots=True)
class Obligation:
    """`holds` must be true wherever `path` is. The engine fills in the verdict.

    `index` and `extent` count elements of `unit` bytes. `approximate` names what the walk over-approximated on the way.
    `footprint` is the bytes that a caller has to allocate for the access, where no extent says so.
    """

    kind: str  # bounds, dimension, overflow, negative
    access: str  # read, write, atomic
    object: MemoryObject | None
    span: Span
    path: Path
    holds: Term
    index: Term
    extent: Term | None
    unit: int
    stack: tuple[Span, ...] = ()
    root: str = ""
    verdict: Verdict = Verdict.UNKNOWN
    reason: Reason | None = None
    detail: str = ""
    confidence: Confidence | None = None
    witness: Witness | None = None
    model: dict[str, int] = field(default_factory=dict)
    facts: tuple[Assumption, ...] = ()
    approximate: bool = False
    extraordinary: bool = False  # the solver found no witness of ordinary sizes, and nothing else is in doubt
    settled: bool = False  # approximate, and the witness is one whatever the lost values are
    condition: str | None = None
    footprint: Term | None = None
    reduced: bool = False  # the index comes from memory, and the kernel itself has reduced it by a constant
    computed_at: Span | None = None  # of an overflow: the statement in which it happens, where that is another one
    offset: Term | None = None  # of an access: bytes from the origin of its pointer


def result_key(obligation: Obligation) -> ResultKey:
    """What a report calls the question: the memory, the access and the kind of failure."""
    memory = obligation.object.memory if obligation.object else ""
    return "-".join(part for part in (memory, obligation.access, obligation.kind) if part), obligation.span


def is_proved(obligation: Obligation) -> bool:
    """Whether nothing goes wrong there, whatever is passed."""
    return obligation.verdict in (Verdict.SAFE, Verdict.UNREACHABLE) and obligation.reason is None


def scope_of(value: Value) -> str:
    """For which threads the value is the same."""
    if isinstance(value, Address):
        return scope_of(value.offset)
    if isinstance(value, Either):
        return join_scopes(scope_of(value.cond), scope_of(value.then), scope_of(value.orelse))
    if isinstance(value, Aggregate):
        return join_scopes("launch", *(scope_of(leaf) for _, leaf in value.leaves.values()))
    result = "launch"
    for atom in free_symbols(value):
        scope = atom.parts[3] if isinstance(atom, Symbol) else atom.parts[1]
        result = join_scopes(result, scope)
    return result


def objects_of(value: Value) -> tuple[MemoryObject, ...]:
    """What a pointer may point into."""
    if isinstance(value, Address):
        return () if value.object is None else (value.object,)
    if isinstance(value, Either):
        return (*objects_of(value.then), *objects_of(value.orelse))
    if isinstance(value, Aggregate):
        return tuple(found for _, leaf in value.leaves.values() for found in objects_of(leaf))
    return ()


def join_scopes(*scopes: str) -> str:
    return SCOPES[max(SCOPES.index(scope) for scope in scopes)]


MEMORY_PREFIX = "mem:"
COMPUTED_PREFIX = "mem:computed "  # of an integer made from floating point without memory: a run has it exactly
APPROXIMATE_PREFIX = "~"
CHOICE_LABEL = ":choice#"  # in the name of one of many values that the host code tells, where only the choice was lost
ITERATION_PREFIX = "k#"  # of the number of a loop's iteration; what stands for it in a second thread has a suffix
LOOSELY_KNOWN = "~"  # ends the name of a host value of which a loop keeps only some relations


def applications(term: Term) -> list[Term]:
    """All uninterpreted functions of arguments in the term."""
    found: list[Term] = []
    stack, seen = [term], {term}
    while stack:
        part = stack.pop()
        if isinstance(part, Apply):
            found.append(part)
        following = [child for child in children(part) if child not in seen]
        seen.update(following)
        stack += following
    return found


def base_name(label: str) -> str:
    """The label without what tells its instances apart."""
    return label.partition("#")[0].partition("@")[0]


def rests_on(term: Term, prefix: str) -> bool:
    """Whether a symbol or function whose name begins with `prefix` occurs in the term."""
    return any(label.startswith(prefix) for label in labels(term))
