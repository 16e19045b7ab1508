"""What lowering knows: the unit being built, and the function that is open.

`Program` finds functions by declaration, hands out ids and keeps the queue of bodies still to be lowered. `Body` holds
the statements of one function as they are emitted, its names, and what was not understood. The tables at the end
map kinds of syntax to the functions that lower them; each module of this folder fills in its own.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Diagnostic, Kind, Locator
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.last_words import ends_program
from cudalint.frontend.lowering.types import Types
from cudalint.ir import nodes as ir
from cudalint.ir.types import Type, Unknown
from cudalint.source import Span


@dataclass(frozen=True)
class Gap:
    """What was not understood, or is understood but has no modelled value."""

    reason: str
    span: Span


@dataclass
class Record:
    """What is known of one function besides its IR. `calls` are ids, in order of first use.

    `body` is the file and the byte offsets of its braces; `visited` are files and offsets of the statements that were
    lowered, `dropped` are regions that a constant condition removes.
    """

    gaps: list[Gap] = field(default_factory=list)
    opaque: list[Gap] = field(default_factory=list)
    calls: dict[str, None] = field(default_factory=dict)
    body: tuple[str, int, int] | None = None
    visited: set[tuple[str, int]] = field(default_factory=set)
    dropped: list[tuple[str, int, int]] = field(default_factory=list)


@dataclass
class Program:
    """One unit in the making. `pending` holds declarations with bodies whose ids were handed out."""

    locator: Locator
    types: Types
    main: str
    stubs: str
    guessed_file: str
    errors: dict[str, list[Diagnostic]]
    ids: dict[int, str] = field(default_factory=dict)
    pending: deque[tuple[str, Cursor]] = field(default_factory=deque)
    functions: dict[str, ir.Function] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    globals: dict[str, ir.Global] = field(default_factory=dict)
    global_names: dict[int, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    device: set[str] = field(default_factory=set)  # functions that device code calls
    definitions: dict[str, Cursor] = field(default_factory=dict)  # of what is lowered, by id
    captures: dict[int, tuple[int, ...]] = field(default_factory=dict)
    instances: Counter[str] = field(default_factory=Counter)  # of kernel templates
    host_instances: Counter[Span] = field(default_factory=Counter)  # of templates of host functions, by place
    call_spans: dict[str, Span] = field(default_factory=dict)
    given: dict[str, dict[int, Cursor]] = field(default_factory=dict)  # functions that parameters of a copy are
    macros: dict[str, list[str]] = field(default_factory=dict)
    has_guesses: bool = False
    strict: bool = False
    wanted: frozenset[str] = frozenset()  # files whose kernels are lowered, as shown
    declarations: list[Cursor] = field(default_factory=list)  # functions and templates of the files that count
    templates: list[Cursor] = field(default_factory=list)  # of kernels
    hosts: list[Cursor] = field(default_factory=list)  # host functions that launch
    launching: list[Cursor] = field(default_factory=list)  # templates of host functions that launch
    members: list[Cursor] = field(default_factory=list)  # of class templates, that launch
    asked: frozenset[bytes] = frozenset()  # names of host functions that are lowered, with those that mention them
    defining: frozenset[str] = frozenset()  # names of host functions that are lowered
    called: frozenset[str] = frozenset()  # names of host functions that are lowered where they allocate or are short
    included: frozenset[str] = frozenset()  # files whose launching host functions are lowered, as shown
    kernels: bool = True  # kernels have bodies
    alone: bool = False  # device functions that nobody calls are lowered, too
    length: int = 0  # bytes of the main file without what is put behind it
    named_elsewhere: frozenset[str] = frozenset()  # what files around call by its name
    uncalled: list[Cursor] = field(default_factory=list)  # device functions, and templates of them
    unchecked: int = 0  # further ones

    def file_of(self, declaration: Cursor) -> str:
        return self.locator.position(declaration.location)[0]

    def in_stubs(self, declaration: Cursor) -> bool:
        file = self.file_of(declaration)
        return not file or file.startswith(self.stubs)

    def is_guessed(self, declaration: Cursor) -> bool:
        return self.file_of(declaration) == self.guessed_file


class Body:
    """The function that is being lowered."""

    def __init__(self, program: Program, owner: Cursor, record: Record, place: Span | None = None) -> None:
        self.program = program
        self._place = place  # stands for every place in a copy of a library function
        self.owner = owner
        self.record = record
        self.role = ir.Role.HOST
        self.for_host = True  # no device code is known to call it
        self.block: list[ir.Stmt] = []
        self.variables: dict[int, ir.Var] = {}
        self.unnamed: dict[int, ir.Var] = {}  # objects without a name by their union
        self.references: set[int] = set()
        self.memory: set[str] = set()
        self.own: set[str] = set()  # memory variables of this function's frame
        self.constants: dict[str, Span] = {}  # `const` numbers and pointers, with the declaration that sets them
        self.address_taken: set[int] = set()
        self.names: dict[str, int] = {}
        self.this: ir.Var | None = None
        self.closure: ir.Var | None = None
        self.escaping: dict[int, tuple[int, ...] | None] = {}
        self.kept: dict[int, dict[int, ir.Var]] = {}  # copies that lambdas lowered in place hold, by the lambda's type
        self.seen_errors: set[int] = set()
        self.inlined: list[InlinedReturn] = []
        self.given: dict[int, Cursor] = {}  # functions that parameters are
        self.labels: list[frozenset[str]] = []  # of the blocks around: those that only earlier statements jump to

    # names and statements

    def unique(self, name: str) -> str:
        count = self.names.get(name)
        self.names[name] = 1 if count is None else count + 1
        if count is None:
            return name
        made = f"{name}.{count}"
        return made if made not in self.names else self.unique(name)

    def emit(self, statement: ir.Stmt) -> None:
        self.block.append(statement)

    @contextmanager
    def nested(self) -> Iterator[list[ir.Stmt]]:
        """Statements emitted inside go to the list that is yielded."""
        outer, self.block = self.block, []
        try:
            yield self.block
        finally:
            self.block = outer

    def fresh(self, type_: Type, span: Span, name: str = "t") -> ir.Var:
        """A register variable of our own; temporaries are `t.1`, `t.2`, ..."""
        self.names.setdefault(name, 1)
        var = ir.Var(self.unique(name), type_)
        self.emit(ir.Declare(var, ir.Storage.REGISTER, span))
        return var

    def temporary(self, type_: Type, span: Span) -> ir.Place:
        """A memory variable of our own."""
        self.names.setdefault("m", 1)
        var = ir.Var(self.unique("m"), type_)
        self.memory.add(var.name)
        self.own.add(var.name)
        self.emit(ir.Declare(var, ir.Storage.LOCAL, span))
        return ir.Variable(var)

    # places

    def read(self, place: ir.Place, span: Span, order: ir.Order = ir.Order.PLAIN) -> ir.Expr:
        if isinstance(place, ir.Variable) and place.var.name not in self.memory:
            return place.var
        target = self.fresh(build.place_type(place), span)
        self.emit(ir.Load(target, place, span, order))
        return target

    def write(self, place: ir.Place, value: ir.Expr, span: Span, order: ir.Order = ir.Order.PLAIN) -> None:
        value = build.convert(value, build.place_type(place)) if _converts(value, place) else value
        if isinstance(place, ir.Variable) and place.var.name not in self.memory:
            self.emit(ir.Assign(place.var, value, span))
        else:
            self.emit(ir.Store(place, value, span, order))

    def is_register(self, place: ir.Place) -> bool:
        return isinstance(place, ir.Variable) and place.var.name not in self.memory

    # syntax

    def type_of(self, cursor: Cursor) -> Type:
        return self.program.types.translate(cursor.type)

    def span(self, cursor: Cursor) -> Span:
        return self._place or self.program.locator.span(cursor)

    def text(self, cursor: Cursor) -> str:
        return self.program.locator.text(cursor)

    def value(self, cursor: Cursor) -> ir.Expr:
        """The value of an expression; what it does besides is emitted first."""
        lower = EXPRESSIONS.get(cursor.kind)
        return lower(self, cursor) if lower else self.hole_value(cursor, f"expression {_kind_name(cursor)}")

    def place(self, cursor: Cursor) -> ir.Place:
        """Where an lvalue lives; a value without a place gets a temporary."""
        lower = PLACES.get(cursor.kind)
        place = lower(self, cursor) if lower else None
        if place is None and cursor.kind in (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR, Kind.ARRAY_SUBSCRIPT_EXPR):
            self.gap(f"unknown place {cursor.spelling}".rstrip(), self.span(cursor))
        return place if place is not None else self.materialize(self.value(cursor), cursor)

    def materialize(self, value: ir.Expr, cursor: Cursor) -> ir.Place:
        span = self.span(cursor)
        place = self.temporary(value.type, span)
        self.emit(ir.Store(place, value, span))
        return place

    def statement(self, cursor: Cursor) -> None:
        file, _, _, offset = self.program.locator.position(cursor.extent.start)
        self.record.visited.add((file, offset))
        lower = STATEMENTS.get(cursor.kind)
        if lower:
            lower(self, cursor)
        elif cursor.kind.is_expression():
            self.drop(cursor)
        elif cursor.kind.is_statement() or cursor.kind.is_declaration():
            self.hole(f"statement {_kind_name(cursor)}", cursor)

    def drop(self, cursor: Cursor) -> None:
        """A whole expression, or a side of one, for its effects and those of what it destroys at its end."""
        self.discard(cursor)
        if ends_program(cursor):
            self.emit(ir.Trap(self.span(cursor)))

    def discard(self, cursor: Cursor) -> None:
        """An expression for its effects only."""
        lower = EFFECTS.get(cursor.kind)
        if lower:
            lower(self, cursor)
        else:
            self.value(cursor)

    # what is not understood

    def gap(self, reason: str, span: Span) -> None:
        self.record.gaps.append(Gap(reason, span))

    def hole(self, reason: str, cursor: Cursor) -> None:
        HOLES["hole"](self, reason, cursor)

    def hole_value(self, cursor: Cursor, reason: str) -> ir.Expr:
        """A hole whose result has a known type."""
        self.hole(reason, cursor)
        return ir.Opaque(reason, (), self.type_of(cursor))

    def opaque(self, reason: str, args: tuple[ir.Expr, ...], type_: Type, span: Span) -> ir.Expr:
        self.record.opaque.append(Gap(reason, span))
        return ir.Opaque(reason, args, type_)

    def opaque_statement(
        self,
        reason: str,
        span: Span,
        reads: tuple[ir.Expr, ...] = (),
        writes: tuple[ir.Place, ...] = (),
        may_exit: bool = False,
        may_sync: bool = False,
    ) -> None:
        """What is understood and has no model: its effects are known, its values are not."""
        self.record.opaque.append(Gap(reason, span))
        self.emit(ir.Unmodelled(reason, span, reads, writes, may_exit, may_sync))

    def note_opaque(self, reason: str, span: Span) -> None:
        self.record.opaque.append(Gap(reason, span))


@dataclass(frozen=True)
class InlinedReturn:
    """Where the value of `return` goes in the body of a lambda that is lowered in place."""

    target: ir.Place | None


def _converts(value: ir.Expr, place: ir.Place) -> bool:
    to = build.place_type(place)
    return value.type != to and not isinstance(to, Unknown)


def _kind_name(cursor: Cursor) -> str:
    return str(cursor.kind.name).lower().replace("_", " ")


Lower = Callable[[Body, Cursor], ir.Expr]
EXPRESSIONS: dict[Kind, Lower] = {}
PLACES: dict[Kind, Callable[[Body, Cursor], ir.Place | None]] = {}
STATEMENTS: dict[Kind, Callable[[Body, Cursor], None]] = {}
EFFECTS: dict[Kind, Callable[[Body, Cursor], None]] = {}
HOLES: dict[str, Callable[[Body, str, Cursor], None]] = {}


def expression(*kinds: Kind) -> Callable[[Lower], Lower]:
    """The decorated function lowers expressions of these kinds to values."""

    def register(function: Lower) -> Lower:
        EXPRESSIONS.update(dict.fromkeys(kinds, function))
        return function

    return register


PlaceOf = Callable[[Body, Cursor], "ir.Place | None"]
Statement = Callable[[Body, Cursor], None]


def lvalue(*kinds: Kind) -> Callable[[PlaceOf], PlaceOf]:
    def register(function: PlaceOf) -> PlaceOf:
        PLACES.update(dict.fromkeys(kinds, function))
        return function

    return register


def statement(*kinds: Kind) -> Callable[[Statement], Statement]:
    def register(function: Statement) -> Statement:
        STATEMENTS.update(dict.fromkeys(kinds, function))
        return function

    return register


def effect(*kinds: Kind) -> Callable[[Statement], Statement]:
    """The decorated function lowers discarded expressions of these kinds."""

    def register(function: Statement) -> Statement:
        EFFECTS.update(dict.fromkeys(kinds, function))
        return function

    return register


def identity(cursor: Cursor) -> int:
    return clang.identity(cursor)
