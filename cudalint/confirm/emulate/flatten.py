"""IR to flat code: one list of instructions with jumps, calls inlined, names made unique per inlined copy.

    if (c) a; else b;   ->   0 branch c else 3    1 a    2 jump 4    3 b    4 ...

Code is laid out so that running the lowest counter first makes lanes meet again after branches and loops.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias, assert_never

from cudalint.ir import nodes as ir
from cudalint.ir import types as t
from cudalint.source import Span

MAX_INSTRUCTIONS = 100_000
MAX_RECURSION = 4  # copies of one function on one call path

SHARED_STORAGE = (ir.Storage.SHARED, ir.Storage.DYNAMIC_SHARED)
SILENT_CALLS = ("printf", "vprintf", "__nanosleep", "__prof_trigger", "assume", "__builtin_assume")


@dataclass(frozen=True, slots=True)
class Declared:
    """A memory object that the code needs. `key` is unique; calls share shared objects, each copy has its own locals."""

    key: str
    var: ir.Var
    storage: ir.Storage
    align: int | None
    parameter: bool = False


@dataclass(slots=True)
class Copy:
    """The scope of one inlined copy of a function: what its names mean."""

    function: ir.Function
    prefix: str
    objects: dict[str, str] = field(default_factory=dict)  # variable name: key of its object

    def slot(self, name: str) -> str:
        return self.prefix + name


Simple: TypeAlias = (
    ir.Assign | ir.Load | ir.Store | ir.Atomic | ir.AsyncCopy | ir.Check | ir.Barrier | ir.Fence | ir.Warp
    | ir.AsyncCommit | ir.AsyncWait
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Do:
    """A statement without jumps."""

    stmt: Simple
    copy: Copy


@dataclass(frozen=True, slots=True)
class Bind:
    """An argument or a result goes from one copy's expression to another copy's variable (register or memory)."""

    value: ir.Expr
    copy: Copy
    target: ir.Var
    into: Copy
    span: Span


@dataclass(slots=True)
class Branch:
    """Lanes where `cond` is false go to `otherwise`."""

    cond: ir.Expr
    copy: Copy
    span: Span
    otherwise: int = -1


@dataclass(slots=True)
class Jump:
    """`left` is the early return from a function behind which the kernel has nothing left to do: the lane has left there."""

    target: int = -1
    left: Span | None = None


@dataclass(frozen=True, slots=True)
class Exit:
    """The lane is done: at the end of the kernel, by an early return, or by a trap."""

    span: Span
    early: bool
    trap: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """No meaning is known from here: the run ends when a lane arrives."""

    reason: str
    span: Span
    limit: bool = False


@dataclass(frozen=True, slots=True)
class Skip:
    """Something without effect on the run, worth an event of kind `opaque`."""

    reason: str
    span: Span


Instruction: TypeAlias = Do | Bind | Branch | Jump | Exit | Stop | Skip


@dataclass(frozen=True, slots=True)
class Program:
    code: list[Instruction]
    objects: list[Declared]
    kernel: Copy


def flatten(unit: ir.Unit, kernel_id: str) -> Program:
    """The flat code of one kernel; raises KeyError for an unknown id."""
    return _Flattener(unit).run(unit.functions[kernel_id])


@dataclass(slots=True)
class _Targets:
    """Jumps out of the innermost loop that wait for their addresses."""

    breaks: list[Jump] = field(default_factory=list)
    continues: list[Jump] = field(default_factory=list)


@dataclass(slots=True)
class _Call:
    """Where `return` goes: None for the kernel itself.

    Behind a `final` one, and behind the statement at hand of an `ending` one, the kernel has nothing left to do.
    """

    copy: Copy
    target: ir.Var | None
    into: Copy | None
    final: bool = True
    ending: bool = True
    returns: list[Jump] = field(default_factory=list)


class _Flattener:
    def __init__(self, unit: ir.Unit) -> None:
        self.unit = unit
        self.code: list[Instruction] = []
        self.objects: dict[str, Declared] = {}
        self.stack: list[str] = []
        self.copies = 0

    def run(self, kernel: ir.Function) -> Program:
        copy = self._enter(kernel)
        call = _Call(copy, None, None)
        self.stack.append(kernel.id)
        self._body(kernel.body, call, None)
        end = kernel.span
        self.code.append(Exit(Span(end.path, end.end_line, end.end_column, end.end_line, end.end_column), early=False))
        return Program(self.code, list(self.objects.values()), copy)

    # --- scopes ------------------------------------------------------------------------------------------------------

    def _enter(self, function: ir.Function) -> Copy:
        prefix = f"{self.copies}/" if self.copies else ""
        self.copies += 1
        copy = Copy(function, prefix)
        for key, global_ in self.unit.globals.items():
            copy.objects[key] = f"global/{key}"
            copy.objects.setdefault(global_.var.name, f"global/{key}")
        for param in function.params:
            copy.objects.pop(param.var.name, None)
            if param.memory:
                self._declare(copy, Declared(f"{prefix}{param.var.name}", param.var, ir.Storage.LOCAL, None, True))
        self._declarations(copy, function.body)
        return copy

    def _declare(self, copy: Copy, declared: Declared) -> None:
        self.objects.setdefault(declared.key, declared)
        copy.objects[declared.var.name] = declared.key

    def _declarations(self, copy: Copy, body: tuple[ir.Stmt, ...]) -> None:
        for stmt in body:
            if isinstance(stmt, ir.Declare):
                self._declaration(copy, stmt)
            elif isinstance(stmt, ir.If):
                self._declarations(copy, stmt.then + stmt.orelse)
            elif isinstance(stmt, ir.Loop):
                self._declarations(copy, stmt.pre + stmt.body + stmt.step)

    def _declaration(self, copy: Copy, stmt: ir.Declare) -> None:
        name = stmt.var.name
        if stmt.storage is ir.Storage.REGISTER:
            copy.objects.pop(name, None)
            return
        local = stmt.storage is ir.Storage.LOCAL
        key = f"{copy.prefix}{name}" if local else f"{copy.function.id}/{name}"
        self._declare(copy, Declared(key, stmt.var, stmt.storage, stmt.align))

    # --- statements --------------------------------------------------------------------------------------------------

    def _body(self, body: tuple[ir.Stmt, ...], call: _Call, loop: _Targets | None) -> None:
        ending = call.ending
        for position, stmt in enumerate(body):
            if len(self.code) > MAX_INSTRUCTIONS:
                self.code.append(Stop("the code is too long after inlining", stmt.span, limit=True))
                return
            if ending and isinstance(stmt, ir.Call | ir.If | ir.Loop):
                following = body[position + 1 :]
                call.ending = not isinstance(stmt, ir.Loop) and all(isinstance(s, ir.Return) for s in following)
            self._statement(stmt, call, loop)
            call.ending = ending

    def _statement(self, stmt: ir.Stmt, call: _Call, loop: _Targets | None) -> None:
        match stmt:
            case ir.Declare():
                pass
            case (
                ir.Assign() | ir.Load() | ir.Store() | ir.Atomic() | ir.AsyncCopy()
                | ir.Check() | ir.Barrier() | ir.Fence() | ir.Warp() | ir.AsyncCommit() | ir.AsyncWait()
            ):  # fmt: skip
                self.code.append(Do(stmt, call.copy))
            case ir.If():
                self._if(stmt, call, loop)
            case ir.Loop():
                self._loop(stmt, call)
            case ir.Return():
                self._return(stmt, call)
            case ir.Break() | ir.Continue():
                self._leave(stmt, loop)
            case ir.Trap():
                self.code.append(Exit(stmt.span, early=True, trap=True))
            case ir.Call():
                self._call(stmt, call)
            case ir.Launch():
                self.code.append(Stop("a launch from the device", stmt.span))
            case ir.Unmodelled():
                self._hole(stmt)
            case _:
                assert_never(stmt)

    def _if(self, stmt: ir.If, call: _Call, loop: _Targets | None) -> None:
        branch = Branch(stmt.cond, call.copy, stmt.span)
        self.code.append(branch)
        self._body(stmt.then, call, loop)
        if not stmt.orelse:
            branch.otherwise = len(self.code)
            return
        jump = Jump()
        self.code.append(jump)
        branch.otherwise = len(self.code)
        self._body(stmt.orelse, call, loop)
        jump.target = len(self.code)

    def _loop(self, stmt: ir.Loop, call: _Call) -> None:
        targets = _Targets()
        branch = Branch(stmt.cond, call.copy, stmt.span)
        top = len(self.code)
        if stmt.test_first:
            self._body(stmt.pre, call, targets)
            self.code.append(branch)
        self._body(stmt.body, call, targets)
        after_body = len(self.code)
        self._body(stmt.step, call, targets)
        if not stmt.test_first:
            self._body(stmt.pre, call, targets)
            self.code.append(branch)
        for jump in targets.continues:
            jump.target = after_body
        self.code.append(Jump(top))
        branch.otherwise = len(self.code)
        for jump in targets.breaks:
            jump.target = len(self.code)

    def _leave(self, stmt: ir.Break | ir.Continue, loop: _Targets | None) -> None:
        if loop is None:
            self.code.append(Stop("a break outside a loop", stmt.span))
            return
        jump = Jump()
        self.code.append(jump)
        (loop.breaks if isinstance(stmt, ir.Break) else loop.continues).append(jump)

    def _return(self, stmt: ir.Return, call: _Call) -> None:
        early = stmt is not call.copy.function.body[-1]
        if call.into is None:
            self.code.append(Exit(stmt.span, early))
            return
        if stmt.value is not None and call.target is not None:
            self.code.append(Bind(stmt.value, call.copy, call.target, call.into, stmt.span))
        jump = Jump(left=stmt.span if early and call.final else None)
        call.returns.append(jump)
        self.code.append(jump)

    def _hole(self, stmt: ir.Unmodelled) -> None:
        harmless = stmt.reason == ir.ADDRESS_AS_NUMBER  # what takes the number stops by itself, or has a model
        if not harmless and (stmt.reads or stmt.writes or stmt.may_exit or stmt.may_sync):
            self.code.append(Stop(stmt.reason, stmt.span))
        else:
            self.code.append(Skip(stmt.reason, stmt.span))

    # --- calls -------------------------------------------------------------------------------------------------------

    def _call(self, stmt: ir.Call, caller: _Call) -> None:
        function = self.unit.functions.get(stmt.function)
        if function is None:
            self._call_without_body(stmt, caller.copy)
        elif self.stack.count(function.id) >= MAX_RECURSION:
            self.code.append(Stop(f"recursion of {function.name} deeper than {MAX_RECURSION}", stmt.span, limit=True))
        else:
            self._inline(stmt, function, caller)

    def _inline(self, stmt: ir.Call, function: ir.Function, caller: _Call) -> None:
        callee = self._enter(function)
        for param, argument in zip(function.params, stmt.args):
            self.code.append(Bind(argument, caller.copy, param.var, callee, stmt.span))
        call = _Call(callee, stmt.target, caller.copy, caller.ending, caller.ending)
        self.stack.append(function.id)
        self._body(function.body, call, None)
        self.stack.pop()
        for jump in call.returns:
            jump.target = len(self.code)

    def _call_without_body(self, stmt: ir.Call, caller: Copy) -> None:
        if stmt.function.rsplit("::", 1)[-1] in SILENT_CALLS:
            self.code.append(Skip(f"call of {stmt.function}", stmt.span))
        elif stmt.target is not None and not any(_reaches_memory(a.type) for a in (*stmt.args, stmt.target)):
            value = ir.Opaque(stmt.function, stmt.args, stmt.target.type)
            self.code.append(Bind(value, caller, stmt.target, caller, stmt.span))
        else:
            self.code.append(Stop(f"call of {stmt.function}, which has no body", stmt.span))


def _reaches_memory(type_: t.Type) -> bool:
    return not isinstance(type_, (t.Int, t.Float, t.Bool, t.Vector, t.Void))
