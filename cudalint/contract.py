"""What may be assumed of a kernel's launches and arguments; each fact with its origin.

    contract = Contract(kernel, facts*, launch_site?, missing*)
    fact     = Fact(what, origin, text, span?)
    missing  = Missing(subject, reason, caller?)
    what     = Extent | ElementExtent | Geometry | Assume | Binding | Values | ElementValues | Offsets | Held | Placed | Output
             | Nullable | Alias | Distinct | Initial | Alignment | Reference | External | Chosen

Terms speak of symbols: a kernel's scalar parameter `n` is the symbol `n`; a field of a by-value struct parameter is
`p.n`; a value of the host function that launches is named `host_function:variable`, and the
parameters that it determines are related to it by `Binding`. Pointer names are parameter names, `p.field`, or global names.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from cudalint.finding import Assumption, LaunchSite
from cudalint.source import Span
from cudalint.term import Symbol, Term


class Origin(Enum):
    """Where a fact comes from, strongest first (DESIGN section 3)."""

    ANNOTATION = "annotation"
    OPTION = "option"
    LAUNCH = "launch"
    SCHEMA = "schema"
    TRACE = "trace"
    KERNEL = "kernel"
    LIMIT = "limit"
    ASSERT = "assert"
    ORDINARY = "ordinary"
    DEFAULT = "default"
    INFERRED = "inferred"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Extent:
    """`pointer` points to the first of `size` elements (of its element type) or bytes; `offset` bytes lie before it.

    `given` memory was made elsewhere: the code that launches was handed it with its size. Of `described` memory a struct tells
    sizes and strides, each a number of its own: that those of two structs fit is up to who fills them. It begins `inside` of
    other memory where callers that were not followed may have filled the struct so.
    """

    pointer: str
    size: Term
    unit: str = "elements"  # or "bytes"
    buffer: str | None = None  # the host's name of the allocation; equal names are one buffer
    offset: Term | None = None  # bytes from the start of the buffer
    given: bool = False
    described: bool = False
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Geometry:
    """The launch. A dimension that is None is free within the limits."""

    grid: tuple[Term | None, Term | None, Term | None]
    block: tuple[Term | None, Term | None, Term | None]
    shared: Term | None = None
    cooperative: bool = False


@dataclass(frozen=True, slots=True)
class Assume:
    cond: Term


@dataclass(frozen=True, slots=True)
class Binding:
    """The parameter (or field) equals the term."""

    parameter: str
    value: Term


@dataclass(frozen=True, slots=True)
class Values:
    """Every element of `pointer` lies in [low, high)."""

    pointer: str
    low: Term
    high: Term


@dataclass(frozen=True, slots=True)
class ElementValues:
    """As `Values`, for the elements where `where` holds; all terms may speak of `index`, the element's number."""

    pointer: str
    index: Symbol
    low: Term
    high: Term
    where: Term


@dataclass(frozen=True, slots=True)
class Offsets:
    """`pointer` holds offsets: from 0 up to `total`, none smaller than the one before it."""

    pointer: str
    total: Term


@dataclass(frozen=True, slots=True)
class Held:
    """When the kernel begins, element `index` of the `count` elements of `pointer` is `value`, which may speak of it.

    `passed`: it is one number that a call passes for all elements.
    """

    pointer: str
    index: Symbol
    value: Term
    count: Term
    passed: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """When the kernel begins, the integer of `width` bytes that lies `offset` bytes into the variable `pointer` is `value`.

    The variable of the device has `size` bytes.
    """

    pointer: str
    offset: int
    width: int
    value: Term
    size: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """The unknown stands for a value of the host that is too large for a question: a witness has both alike."""

    name: Symbol
    value: Term


@dataclass(frozen=True, slots=True)
class ElementExtent:
    """Each pointer in the table `pointer` has an extent of its own; `size` may speak of `index`, its number."""

    pointer: str
    index: Symbol
    size: Term
    unit: str = "elements"  # or "bytes"


@dataclass(frozen=True, slots=True)
class External:
    """Others than this launch's threads write it while the kernel runs: a peer, the host, another stream."""

    pointer: str


@dataclass(frozen=True, slots=True)
class Output:
    pointer: str


@dataclass(frozen=True, slots=True)
class Nullable:
    """`pointer` may be null; `present` says exactly when it is not, None leaves it open."""

    pointer: str
    present: Term | None = None


@dataclass(frozen=True, slots=True)
class Alias:
    """`b` begins `distance` bytes behind `a`; None where that is not known."""

    a: str
    b: str
    distance: Term | None = None


@dataclass(frozen=True, slots=True)
class Distinct:
    """No two elements are equal, but for those that equal `exempt`."""

    pointer: str
    exempt: int | None = None


@dataclass(frozen=True, slots=True)
class Initial:
    pointer: str
    value: int | None


@dataclass(frozen=True, slots=True)
class Alignment:
    pointer: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Reference:
    """The result `output` must equal the expression, as text; used by the oracles only."""

    output: str
    expression: str


What: TypeAlias = (
    Extent
    | Geometry
    | Assume
    | Binding
    | Values
    | ElementValues
    | Offsets
    | Held
    | Placed
    | Chosen
    | ElementExtent
    | External
    | Output
    | Nullable
    | Alias
    | Distinct
    | Initial
    | Alignment
    | Reference
)


def terms_of(what: What) -> list[Term]:
    """Sizes, values and conditions that a fact is made of."""
    match what:
        case Extent():
            return [what.size, *([what.offset] if what.offset is not None else [])]
        case Geometry():
            return [term for term in (*what.grid, *what.block, what.shared) if term is not None]
        case Assume():
            return [what.cond]
        case Binding() | Placed():
            return [what.value]
        case Values():
            return [what.low, what.high]
        case Nullable():
            return [what.present] if what.present is not None else []
        case Alias():
            return [what.distance] if what.distance is not None else []
        case _:
            return []


@dataclass(frozen=True, slots=True)
class Fact:
    """`checks` are conditions in the host's words, of an inferred fact: a function that checks them makes it certain."""

    what: What
    origin: Origin
    text: str
    span: Span | None = None
    checks: tuple[str, ...] = ()

    def assumption(self) -> Assumption:
        path, line = (self.span.path, self.span.line) if self.span else (None, None)
        return Assumption(self.text, self.origin.value, path, line)


@dataclass(frozen=True, slots=True)
class Missing:
    """What a launch leaves open: `subject` is a pointer, `grid` or `block`; `caller` is the entry point that decides it.

    `caller` is None where something on the way from the entry point to the launch was not understood.
    """

    subject: str
    reason: str
    caller: str | None = None


@dataclass(frozen=True, slots=True)
class Contract:
    """The facts of one kernel instance under one launch (or under ordinary launches, without a site).

    `uncalled`: the files are a program, and no call in it leads from its `main` to the launch; nobody chooses its inputs.
    `device`: it is a device function that nobody calls; each thread of an ordinary launch passes arguments of its own.
    `dead`: nor is what launches passed on to be called, so that no run of the program comes there.
    `first`: it is the first of those that a loop makes, and what it leaves out may be done by the others.
    `records`: host objects whose entries one call read from a file. `files`: objects that hold what the program read from a
    file that it names itself, and the name.
    """

    kernel: str
    facts: tuple[Fact, ...]
    launch_site: LaunchSite | None = None
    missing: tuple[Missing, ...] = ()
    uncalled: bool = False
    dead: bool = False
    device: bool = False
    first: bool = False
    records: frozenset[str] = frozenset()
    files: tuple[tuple[str, str], ...] = ()

    def buffer_of(self, pointer: str) -> str:
        """The memory that the pointer leads to, as a run calls it."""
        extents = (f.what for f in self.facts if isinstance(f.what, Extent) and f.what.pointer == pointer)
        return next((each.buffer or pointer for each in extents), pointer)
