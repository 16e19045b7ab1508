"""What the tool says: verdicts, evidence, witnesses and findings. Frozen data; reports print it, rules make it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from hashlib import blake2b

from cudalint.source import Span

FIRST_VALUE = re.compile(r"=(-?\d+)~$")  # ends the name of a member that begins with the value: `this.halo_=1~`
CHOSEN = ":?chosen"  # in the name of a choice that the host code makes and gives no name: no variable is called so


class Level(Enum):
    """How bad."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Confidence(Enum):
    """What the witness needs (DESIGN: high is ordinary, medium is extreme, low rests on memory contents)."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Evidence(Enum):
    """How sure: a pattern, a solver's model, a run of the emulator, a run on a GPU; or what a run said against it."""

    PATTERN = "pattern"
    WITNESS = "witness"
    EMULATED = "emulated"
    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNCONFIRMED = "unconfirmed"


class Verdict(Enum):
    """The answer to one obligation. UNKNOWN is never shown as SAFE."""

    SAFE = "safe"
    VIOLATED = "violated"
    UNKNOWN = "unknown"
    UNREACHABLE = "unreachable"


class Reason(Enum):
    """Why an obligation is `unknown`: a closed list."""

    NO_EXTENT = "no-extent"
    UNTIED_EXTENT = "untied-extent"
    MEMORY_VALUE = "memory-value"
    UNMODELLED = "unmodelled"
    SOLVER_LIMIT = "solver-limit"
    SIZE_LIMIT = "size-limit"
    LOOP_INVARIANT = "loop-invariant"
    OVERFLOW = "overflow"
    POINTER = "pointer"
    NO_LAUNCH = "no-launch"
    INCOMPLETE = "incomplete"
    DEPENDS = "depends"
    CALLER = "caller"  # whoever calls the device function decides
    PRECONDITION = "inferred-precondition"  # of what is safe: under a relation of sizes or a range that nothing checks


Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Assumption:
    """One fact that a verdict rests on. `origin` is a value of contract.Origin."""

    text: str
    origin: str
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class LaunchShape:
    grid: Dim3
    block: Dim3
    shared: int = 0


@dataclass(frozen=True, slots=True)
class ThreadAccess:
    """One side of a race: who, where and with which element."""

    block: Dim3
    thread: Dim3
    kind: str
    path: str
    line: int
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """The launch in which the emulator showed the defect: one near the witness, with the contents of this `attempt`.

    `variant` is their kind. The access that it saw has `index` and `extent` in elements, among `bytes` of buffers; of a race
    `threads` are both sides, the earlier one first.
    """

    launch: LaunchShape
    values: dict[str, int]
    attempt: int
    variant: int = 0
    block: Dim3 | None = None
    thread: Dim3 | None = None
    index: int | None = None
    extent: int | None = None
    bytes: int | None = None
    threads: tuple[ThreadAccess, ...] = ()


@dataclass(frozen=True, slots=True)
class Witness:
    """A concrete launch that goes wrong. Integers are mathematical; `extent` and `index` count elements of the access.

    `contents` has the one value that matters of each memory whose elements decide where the access goes, `memory` is the pointer
    or the array of the access.
    """

    launch: LaunchShape
    values: dict[str, int] = field(default_factory=dict)
    block: Dim3 | None = None
    thread: Dim3 | None = None
    threads: tuple[ThreadAccess, ...] = ()
    index: int | None = None
    extent: int | None = None
    bytes_needed: int | None = None
    ran: Ran | None = None
    contents: dict[str, int] = field(default_factory=dict)
    memory: str | None = None

    @property
    def named_values(self) -> dict[str, int]:
        """Those that the code has a name for: not the choices among them that the walk has named to be told once."""
        return {name: value for name, value in self.values.items() if CHOSEN not in name}


@dataclass(frozen=True, slots=True)
class Related:
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Edit:
    span: Span
    replacement: str


@dataclass(frozen=True, slots=True)
class Fix:
    text: str
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class LaunchSite:
    path: str
    line: int
    host_function: str


@dataclass(frozen=True, slots=True)
class Instance:
    template_args: tuple[str, ...]
    target: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect. `root` identifies it before instantiation and unrolling (SEMANTICS 9)."""

    code: str
    name: str
    level: Level
    message: str
    span: Span
    root: str
    confidence: Confidence = Confidence.HIGH
    evidence: Evidence = Evidence.PATTERN
    kernel: str | None = None
    function: str | None = None
    assumptions: tuple[Assumption, ...] = ()
    witness: Witness | None = None
    trigger: str | None = None
    condition: str | None = None
    launch_site: LaunchSite | None = None
    instance: Instance | None = None
    also_in: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    evidence_reason: str | None = None
    replay: str | None = None

    @property
    def fingerprint(self) -> str:
        """Stable under moved lines: rule, path, kernel and root."""
        text = "\0".join((self.code, self.span.path, self.kernel or "", self.root))
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


LEADS_TO = "the element that it leads to"  # of an access through a pointer that a product has moved
SAME_PRODUCT = "the same product"
NEXT_ROUND = "the rounds of this loop meet"  # of a race between one round and the next
NOT_STATED = "ordinary sizes of which nothing says that they are as large"
OF_PROJECT = "a file of the project"  # ends the assumption that names the file
WHERE_WALKED = "proved where it was walked; other launches or instances were left out"  # detail of an obligation


@dataclass(frozen=True, slots=True)
class ObligationResult:
    """One line of `kernels[].obligations[]`."""

    kind: str
    span: Span
    verdict: Verdict
    reason: Reason | None = None
    facts: tuple[Assumption, ...] = ()
    detail: str = ""


def is_conditional(result: ObligationResult) -> bool:
    """Safe where callers keep a relation between sizes that nothing checks."""
    return result.verdict is Verdict.SAFE and result.reason is Reason.PRECONDITION


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A condition that what a host function launches is taken to keep, and nothing checks.

    `check` is in the host's words, or a promise for the annotation of `kernel`; it is told `instead` of another one.
    """

    path: str
    line: int
    host_function: str
    check: str
    kernel: str | None = None
    instead: str | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that was not understood, or is understood but not modelled."""

    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class KernelResult:
    """Of a kernel, or of a `device` function that nobody calls. A `forgotten` one stands beside kernels that are launched."""

    name: str
    span: Span
    complete: bool
    exact: bool
    unmodelled: tuple[Gap, ...] = ()
    opaque: tuple[Gap, ...] = ()
    obligations: tuple[ObligationResult, ...] = ()
    device: bool = False
    forgotten: bool = False


LOST = "the parser lost this kernel"


def is_lost(kernel: KernelResult) -> bool:
    """A kernel of which the front end made nothing, as in a branch of `#if` that is not taken."""
    return any(gap.reason == LOST for gap in kernel.unmodelled)


@dataclass(frozen=True, slots=True)
class Missing:
    """A gap of a kernel, and what would settle it."""

    reason: str
    span: Span
    remedy: str | None = None


@dataclass(frozen=True, slots=True)
class KernelDiagnosis:
    """What the front end lacks to understand a kernel."""

    name: str
    span: Span
    complete: bool
    exact: bool
    missing: tuple[Missing, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The answer of `cudalint doctor`: `includes` are those that no folder holds, each once."""

    version: str
    files: int
    kernels: tuple[KernelDiagnosis, ...]
    includes: tuple[Missing, ...] = ()
    notes: tuple[Note, ...] = ()


class Noted(Enum):
    """What a note is about."""

    SCAN = "scan"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class Note:
    """Something the reader of a scan has to know that is no finding: a skipped file, a limit, a failed stage, a precondition."""

    text: str
    path: str | None = None
    line: int | None = None
    failed: bool = False  # a named file that could not be analysed at all
    kind: Noted = Noted.SCAN


@dataclass(frozen=True, slots=True)
class ScanResult:
    """All that a report needs. `findings` are what is shown; `hidden` counts the others by confidence or filter."""

    version: str
    targets: tuple[str, ...]
    findings: tuple[Finding, ...]
    kernels: tuple[KernelResult, ...]
    notes: tuple[Note, ...]
    files: int
    files_failed: int
    hidden: dict[str, int] = field(default_factory=dict)


def without_first_value(name: str) -> str:
    """`this.halo_` of `this.halo_=1~`."""
    return FIRST_VALUE.sub("", name)
