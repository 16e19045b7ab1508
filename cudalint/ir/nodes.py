"""The language that device and host code are lowered to. Frozen data, no behaviour.

Expressions are pure; every load, call, atomic and launch is a statement with a result, so that evaluation order and
guards are explicit (`a && p[i]` becomes an `If`), and an obligation has one place and one path.

    unit     = Unit(path, functions*, globals*)
    function = Function(id, name, role, template_args*, params*, result, body*, span, launch_bounds, ...)
    stmt     = Declare | Assign | Load | Store | Atomic | AsyncCopy                 memory
             | If | Loop | Return | Break | Continue | Check | Trap                 control
             | Barrier | Fence | Warp | AsyncCommit | AsyncWait                     synchronisation
             | Call | Launch | Unmodelled                                           calls and holes
    expr     = Const | Var | Builtin | Unary | Binary | Cast | Bitcast | Select | Math | Opaque
             | AddressOf(place) | Offset(pointer, index) | Extract(value, field) | Construct(type, args*) | FunctionRef
    place    = Variable(var) | Element(pointer, index) | Index(place, index) | Field(place, name)

`float x = a[i] * 2` with a kernel parameter `float *a` lowers to

    Declare(t.1: f32, register)   Load(t.1, Element(Var a, Var i))
    Declare(x: f32, register)     Assign(x, Binary(MUL, Var t.1, Const 2.0))

Rules that lowering keeps and every meaning may rely on:
- Variable names are unique in their function (`i`, then `i.1`); a parameter keeps its name.
- A `register` variable is a scalar (int, float, bool, pointer), or an aggregate that is only moved as a whole; its
  address is never taken, and it is read by `Var` and written by `Assign` or as the result of a statement. Every other
  variable is memory, read by Load and written by Store through `Variable(var)` and the places built on it.
- Implicit conversions are explicit `Cast`s. The operands of an arithmetic `Binary` have equal types after promotion; shifts
  keep the type of the left operand. Comparisons and logic give Bool. `&&` and `||` whose right side has no statements
  are `Binary(LOGICAL_AND/OR)`; others are `If`s. A float is tested as `!= 0`.
- Array decay is `AddressOf(Index(place, 0))`; `p[i]` is `Element(p, i)`; `p + i` and `p - i` are `Offset` (in elements);
  `p - q` is `Binary(POINTER_DIFFERENCE)` of type int64; `*p` is `Element(p, 0)`; `s->f` is `Field(Element(s, 0), f)`.
- A reference is a pointer variable; using it is `Element(ref, 0)`.
- Local and shared declarations are never initialised by `Declare`; the initialiser is a separate Assign or Store.
- `for (init; cond; step)`: init goes before the Loop; `pre` runs before each test; `continue` goes to `step`; do/while has
  `test_first = False` (its first test comes after the first run of body and step). A `switch` is an If chain, or, with
  fall-through or inner breaks, a Loop that runs once.
- A call of a function whose body is in the unit names its id; other calls keep their qualified name and have no body.
- A kernel's `Launch` stands in the host function's body with its arguments in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from cudalint.ir.types import Type
from cudalint.source import Span


class UnaryOp(Enum):
    NEGATE = "-"
    NOT = "~"
    LOGICAL_NOT = "!"


class BinaryOp(Enum):
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    REMAINDER = "%"
    AND = "&"
    OR = "|"
    XOR = "^"
    SHIFT_LEFT = "<<"
    SHIFT_RIGHT = ">>"
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="
    EQUAL = "=="
    NOT_EQUAL = "!="
    LOGICAL_AND = "&&"
    LOGICAL_OR = "||"
    POINTER_DIFFERENCE = "ptrdiff"


class Storage(Enum):
    REGISTER = "register"
    LOCAL = "local"
    SHARED = "shared"
    DYNAMIC_SHARED = "dynamic_shared"
    CONSTANT = "constant"
    GLOBAL = "global"


class Order(Enum):
    PLAIN = "plain"
    VOLATILE = "volatile"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    READ_ONLY = "read_only"


class Scope(Enum):
    WARP = "warp"
    BLOCK = "block"
    CLUSTER = "cluster"
    GRID = "grid"
    DEVICE = "device"
    SYSTEM = "system"
    NAMED = "named"


class Role(Enum):
    KERNEL = "kernel"
    DEVICE = "device"
    HOST = "host"


# --- expressions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Const:
    """An int, a float (rounded to its type), a bool, or None for the null pointer."""

    value: int | float | bool | None
    type: Type


@dataclass(frozen=True, slots=True)
class Var:
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Builtin:
    """threadIdx.x ... gridDim.z (uint32), warpSize, laneid, warpid (int32 or uint32 as in CUDA)."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Unary:
    op: UnaryOp
    operand: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class Binary:
    op: BinaryOp
    left: Expr
    right: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class Cast:
    """Conversion of the value. `explicit` where the source has a cast."""

    operand: Expr
    type: Type
    explicit: bool = False


@dataclass(frozen=True, slots=True)
class Bitcast:
    """The same bits (or the same address) under another type."""

    operand: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class Select:
    cond: Expr
    then: Expr
    orelse: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class Math:
    """A pure function by its C name without precision suffix: sqrt, exp, min, max, abs, fma, mulhi, popc, clz, ..."""

    name: str
    args: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class Opaque:
    """A pure value that is understood but not modelled; equal arguments give equal results."""

    reason: str
    args: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class AddressOf:
    place: Place
    type: Type


@dataclass(frozen=True, slots=True)
class Offset:
    """`pointer + index` in elements of the pointer's element type."""

    pointer: Expr
    index: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class Extract:
    """A member of an aggregate value (struct field or vector lane)."""

    value: Expr
    field: str
    type: Type


@dataclass(frozen=True, slots=True)
class Construct:
    """An aggregate value from its members in order; missing ones are zero."""

    args: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class FunctionRef:
    """A function as a value; `function` is its id in the unit."""

    function: str
    type: Type


Expr: TypeAlias = (
    Const | Var | Builtin | Unary | Binary | Cast | Bitcast | Select | Math | Opaque
    | AddressOf | Offset | Extract | Construct | FunctionRef
)  # fmt: skip


# --- places ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Variable:
    var: Var


@dataclass(frozen=True, slots=True)
class Element:
    pointer: Expr
    index: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class Index:
    """One dimension of an array that is itself a place; each dimension has a bounds obligation of its own."""

    base: Place
    index: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class Field:
    base: Place
    name: str
    type: Type


Place: TypeAlias = Variable | Element | Index | Field


# --- memory ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Declare:
    """`align` is an explicit `__align__`; a static or shared declaration is one object for all calls (SEMANTICS 13)."""

    var: Var
    storage: Storage
    span: Span
    align: int | None = None


@dataclass(frozen=True, slots=True)
class Assign:
    target: Var
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Load:
    target: Var
    place: Place
    span: Span
    order: Order = Order.PLAIN


@dataclass(frozen=True, slots=True)
class Store:
    place: Place
    value: Expr
    span: Span
    order: Order = Order.PLAIN


@dataclass(frozen=True, slots=True)
class Atomic:
    """`op`: add, sub, min, max, inc, dec, and, or, xor, exch, cas, load, store. `target` receives the old value."""

    op: str
    place: Place
    args: tuple[Expr, ...]
    target: Var | None
    span: Span
    order: Order = Order.RELAXED
    scope: Scope = Scope.DEVICE


@dataclass(frozen=True, slots=True)
class AsyncCopy:
    """cp.async: `bytes` from `source` to `destination` (pointers), visible after the matching wait.

    That is one for its group, or, with a `barrier` (the address of an mbarrier), one for the phase of that barrier.
    """

    destination: Expr
    source: Expr
    bytes: Expr
    span: Span
    barrier: Expr | None = None


# --- control ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class If:
    cond: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Loop:
    pre: tuple[Stmt, ...]
    cond: Expr
    step: tuple[Stmt, ...]
    body: tuple[Stmt, ...]
    test_first: bool
    span: Span
    unroll: int | None = None


@dataclass(frozen=True, slots=True)
class Return:
    value: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Break:
    span: Span


@dataclass(frozen=True, slots=True)
class Continue:
    span: Span


@dataclass(frozen=True, slots=True)
class Check:
    """From here on `cond` holds. `origin`: assert, host_check, static_assert, assume."""

    cond: Expr
    origin: str
    span: Span


@dataclass(frozen=True, slots=True)
class Trap:
    span: Span


# --- synchronisation -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Barrier:
    """`mode`: sync, arrive, wait. `count` in threads (None: all). `reduce`: and, or, count over `value` into `target`.

    For scope WARP, `mask` is the lane mask of `__syncwarp`. `object` is the address of an mbarrier in shared memory; `init` is a
    mode of these alone, and its `count` says how many arrivals end a phase.
    """

    scope: Scope
    span: Span
    id: Expr | None = None
    count: Expr | None = None
    mode: str = "sync"
    mask: Expr | None = None
    reduce: str | None = None
    value: Expr | None = None
    target: Var | None = None
    object: Expr | None = None


@dataclass(frozen=True, slots=True)
class Fence:
    scope: Scope
    span: Span
    order: Order = Order.ACQ_REL


@dataclass(frozen=True, slots=True)
class Warp:
    """`op`: shfl, shfl_up, shfl_down, shfl_xor (args: value, lane or delta, width), ballot, any, all (predicate),
    match_any, match_all (value), activemask, reduce_add, reduce_min, reduce_max, reduce_and, reduce_or, reduce_xor.

    `mask` is None for the legacy forms without `_sync`.
    """

    op: str
    mask: Expr | None
    args: tuple[Expr, ...]
    target: Var
    span: Span


@dataclass(frozen=True, slots=True)
class AsyncCommit:
    span: Span


@dataclass(frozen=True, slots=True)
class AsyncWait:
    """All but the newest `pending` groups are complete; without a number the oldest one that was not waited for."""

    pending: Expr | None
    span: Span


# --- calls and holes -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call:
    """`function` is an id of the unit, or the qualified name of a function without a body (`cudaMalloc`, `at::Tensor::size`).

    A member function gets its object's address as the first argument. A reference argument is an address. In host
    code, `constant` lists the arguments that are pointers to const. `(*)` is a call through its first argument.
    """

    function: str
    args: tuple[Expr, ...]
    target: Var | None
    span: Span
    constant: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Launch:
    """`kernel` is FunctionRef where it is known. `grid` and `block` are three uint32 expressions each.

    `gives_status`: it is a call whose result says whether it succeeded. `through` names the function elsewhere that gets kernel,
    grid, block and arguments, and is taken to launch.
    """

    kernel: Expr
    grid: tuple[Expr, Expr, Expr]
    block: tuple[Expr, Expr, Expr]
    shared: Expr
    args: tuple[Expr, ...]
    span: Span
    stream: Expr | None = None
    cooperative: bool = False
    gives_status: bool = False
    through: str = ""
    pointers: Expr | None = None
    buffer: Expr | None = None


@dataclass(frozen=True, slots=True)
class Unmodelled:
    """A hole: everything it may read or write is named; nothing behind it may be trusted more than it says."""

    reason: str
    span: Span
    reads: tuple[Expr, ...] = ()
    writes: tuple[Place, ...] = ()
    may_exit: bool = False
    may_sync: bool = False


UNDECLARED = "unknown name "  # the reason of an opaque value that has a name, which nothing declares
TEXT = "string "  # the reason of an opaque pointer to a literal of host code, before the literal as it is written
TURNING_BACK = ("goto to an earlier or inner label", "label")  # reasons of holes through which statements run again
HANDLER = "handler of an exception"  # behind it runs what follows a block that was left anywhere
LEAVING_HANDLER = "handler of an exception that returns"  # behind it goes on who called the function
ADDRESS_AS_NUMBER = (
    "shared address as an integer"  # the reason of a hole that does nothing itself: what takes the number may
)


MemoryStmt: TypeAlias = Declare | Assign | Load | Store | Atomic | AsyncCopy
ControlStmt: TypeAlias = If | Loop | Return | Break | Continue | Check | Trap
SyncStmt: TypeAlias = Barrier | Fence | Warp | AsyncCommit | AsyncWait
CallStmt: TypeAlias = Call | Launch | Unmodelled
Stmt: TypeAlias = MemoryStmt | ControlStmt | SyncStmt | CallStmt


# --- functions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Param:
    var: Var
    restrict: bool = False
    const: bool = False  # a pointer to const
    reference: bool = False
    memory: bool = False  # a by-value aggregate or an address-taken scalar: read it through `Variable(var)`


@dataclass(frozen=True, slots=True)
class Function:
    """`id` is unique in the unit and stable (qualified name, template arguments, parameter types)."""

    id: str
    name: str
    role: Role
    template_args: tuple[str, ...]
    params: tuple[Param, ...]
    result: Type
    body: tuple[Stmt, ...]
    span: Span
    launch_bounds: tuple[int, ...] = ()
    name_span: Span | None = None


@dataclass(frozen=True, slots=True)
class Global:
    """A `__device__`, `__constant__`, `__managed__` or static host variable; `init` where it is constant.

    `held` is what a table of the host holds that is no list of numbers: functions, names, or structs of them. Nobody
    writes a `const` one, wherever its address goes.
    """

    var: Var
    storage: Storage
    span: Span
    init: tuple[int | float | bool, ...] | None = None
    held: Expr | None = None
    const: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    path: str
    functions: dict[str, Function]
    globals: dict[str, Global] = field(default_factory=dict)
