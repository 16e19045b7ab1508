"""What one host function does with memory that it allocates: whose it is, when it is freed, who may still be working on it.

The statements are followed in the order in which they run: both sides of a branch, a loop once and once more. What the two
sides of a branch do not agree on is forgotten, and so is a variable whose address goes anywhere but to an allocation. A
pointer that is null on one side points into what it has on the other one, if anywhere: `if (n < 1 || cudaMalloc(&d, n)) return;`.
What one side frees and goes on with is freed for the statements behind that run whatever was branched on.

    cudaMalloc(&d, n);  ...  cudaFree(d);  k<<<grid, block>>>(d)     ->   Misuse("freed", ...)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from cudalint import ir
from cudalint.ir.walk import evaluated, expressions, root, statements
from cudalint.source import Span
from cudalint.symbolic.host.stored_parameters import stored_parameters
from cudalint.symbolic.host.touched_parameters import pointer_of, touched_by
from cudalint.symbolic.host.ways_out import WAITS_FOR_NOTHING, may_leave, plain_name
from cudalint.symbolic.host_vocabulary import Allocator, words

Kind = Literal["freed", "direction", "side", "unawaited", "released"]
GIVEN = "given"  # the owner of what a caller hands over
_DATA = "std::vector::data"
_COPIES = {"Memcpy": (0, 1, 3), "MemcpyAsync": (0, 1, 3), "Memcpy2D": (0, 2, 6), "Memcpy2DAsync": (0, 2, 6)}
_MAPS = "HostGetDevicePointer"
_RELEASES = {
    "free": ("host",), "operator delete": ("host",), "cudaFree": ("device", "managed"), "cudaFreeAsync": ("device", "managed"),
    "hipFree": ("device", "managed"), "hipFreeAsync": ("device", "managed"),
    "cudaFreeHost": ("pinned", "mapped"), "hipHostFree": ("pinned", "mapped"), "hipFreeHost": ("pinned", "mapped"),
}  # fmt: skip  # whose memory each takes back
_FILLS = ("Memset", "MemsetAsync", "Memset2D", "Memset2DAsync")
_DIRECTIONS = {
    0: ("host", "host"), 1: ("device", "host"), 2: ("host", "device"), 3: ("device", "device"),
}  # fmt: skip  # cudaMemcpyKind: whose memory is written, and whose is read
_PAGEABLE_ACCESS = 88  # cudaDevAttrPageableMemoryAccess: who asks for it hands memory of the host to kernels on purpose


@dataclass(frozen=True, slots=True)
class Memory:
    """One allocation: `name` is the variable that got it first, `place` the statement that made it."""

    owner: str  # as allocators say it, or GIVEN
    name: str
    place: Span | None
    registered: bool = False  # pinned after another allocator had made it


@dataclass(frozen=True, slots=True)
class Misuse:
    """`before` is where it was freed, or what has not been waited for; `text` says what is wrong."""

    kind: Kind
    span: Span
    memory: Memory
    text: str
    before: Span | None = None


@dataclass(slots=True)
class _State:
    held: dict[str, Memory] = field(default_factory=dict)  # by variable
    empty: set[str] = field(default_factory=set)  # variables that point nowhere: null, or not set yet
    freed: dict[Memory, Span] = field(default_factory=dict)
    pending: dict[Memory, Span] = field(default_factory=dict)
    leaving: dict[Memory, Span] = field(default_factory=dict)  # what a copy in flight reads
    perhaps: dict[Memory, Span] = field(default_factory=dict)  # what one side of a branch has freed, and went on

    def copy(self) -> _State:
        """`perhaps` stays behind: what is branched on may be the same again."""
        return _State(dict(self.held), set(self.empty), dict(self.freed), dict(self.pending), dict(self.leaving))

    def agreed(self, other: _State) -> _State:
        return _State(
            {**_beside(self, other), **_beside(other, self)},
            self.empty & other.empty,
            {memory: span for memory, span in self.freed.items() if memory in other.freed},
            {memory: span for memory, span in self.pending.items() if memory in other.pending},
            {memory: span for memory, span in self.leaving.items() if memory in other.leaving},
        )


def _beside(one: _State, other: _State) -> dict[str, Memory]:
    """What the variables of one side hold that have the same on the other side, or nothing."""
    return {n: memory for n, memory in one.held.items() if n in other.empty or other.held.get(n) == memory}


def misuses(function: ir.Function, unit: ir.Unit) -> Iterator[Misuse]:
    """Each place once."""
    if any(
        isinstance(s, ir.Launch) or (isinstance(s, ir.Call) and plain_name(s.function))
        for s in statements(function.body)
    ):
        walk = _Walk(function, unit)
        walk.run()
        yield from walk.found.values()


class _Walk:
    def __init__(self, function: ir.Function, unit: ir.Unit) -> None:
        self.function = function
        self.unit = unit
        self.found: dict[tuple[Kind, Span], Misuse] = {}
        self._escaped = _escaped(function)
        self._own = {s.var.name for s in statements(function.body) if isinstance(s, ir.Declare)}
        self._left: list[list[_State]] = []  # by breaks of the loops around
        self._skipped: list[list[_State]] = []  # by their continues

    def run(self) -> None:
        state = _State()
        for param in self.function.params:
            if isinstance(param.var.type, ir.Pointer):
                state.held[param.var.name] = Memory(GIVEN, param.var.name, None)
        self._block(self.function.body, state)

    def _block(self, body: tuple[ir.Stmt, ...], state: _State) -> _State | None:
        """The state behind the statements; None where no way leads there."""
        after: _State | None = state
        for stmt in body:
            if after is None:
                return None
            after = self._statement(stmt, after)
        return after

    def _statement(self, stmt: ir.Stmt, state: _State) -> _State | None:
        match stmt:
            case ir.If():
                return self._branch(stmt, state)
            case ir.Loop():
                return self._loop(stmt, state)
            case ir.Return() | ir.Trap():
                return None
            case ir.Break() | ir.Continue():
                collected = self._left if isinstance(stmt, ir.Break) else self._skipped
                if collected:
                    collected[-1].append(state)
                return None
            case ir.Unmodelled():
                return _State()
            case ir.Declare() if isinstance(stmt.var.type, ir.Pointer):
                self._set(stmt.var.name, None, state)
                state.empty.add(stmt.var.name)
            case ir.Assign():
                self._set(stmt.target.name, self._memory(stmt.value, state), state)
            case ir.Load():
                self._load(stmt, state)
            case ir.Store():
                self._store(stmt, state)
            case ir.Call():
                return self._call(stmt, state)
            case ir.Launch():
                self._launch(stmt, state)
            case _:
                pass
        return state

    def _branch(self, stmt: ir.If, state: _State) -> _State | None:
        first, second = self._block(stmt.then, state.copy()), self._block(stmt.orelse, state.copy())
        if first is None or second is None:
            return first or second
        behind = first.agreed(second)
        if state.perhaps and not may_leave((stmt,), self.unit):
            behind.perhaps.update(state.perhaps)
        if isinstance(stmt.cond, ir.Const):
            return behind
        for side, one, other in ((stmt.then, first, second), (stmt.orelse, second, first)):
            behind.perhaps.update(self._freed_by(side, one, other, behind))
        return behind

    def _freed_by(self, side: tuple[ir.Stmt, ...], one: _State, other: _State, behind: _State) -> dict[Memory, Span]:
        """What a side has freed, and goes on with: no variable was set to null there."""
        inside = list(statements(side))
        found: dict[Memory, Span] = {}
        for memory, span in one.freed.items():
            last = max((place for place, stmt in enumerate(inside) if stmt.span == span), default=None)
            holders = [name for name, held in behind.held.items() if held == memory]
            if last is None or memory in other.freed or may_leave(inside[last + 1 :], self.unit):
                continue
            if holders and all(one.held.get(n) == other.held.get(n) == memory for n in holders):
                found[memory] = span
        return found

    def _loop(self, stmt: ir.Loop, state: _State) -> _State | None:
        """Without a round where it tests first, with one, and with a second one where the test is no constant."""
        ends = [state.copy()] if stmt.test_first else []
        once = isinstance(stmt.cond, ir.Const) and not stmt.cond.value
        current: _State | None = state
        for _ in range(1 if once else 2):
            if current is None:
                break
            self._left.append([])
            self._skipped.append([])
            behind = self._block((*stmt.pre, *stmt.body), current.copy())
            skipped, left = self._skipped.pop(), self._left.pop()
            behind = _all_agreed([*skipped, *([behind] if behind is not None else [])])
            current = None if behind is None else self._block(stmt.step, behind)
            ends += [*left, *([current.copy()] if current is not None else [])]
        after = _all_agreed(ends)
        if (
            after is not None
            and state.perhaps
            and not may_leave(statements((*stmt.pre, *stmt.body, *stmt.step)), self.unit)
        ):
            after.perhaps.update(state.perhaps)
        return after

    # --- statements ---------------------------------------------------------------------------------------------------

    def _set(self, name: str, memory: Memory | None, state: _State) -> None:
        state.held.pop(name, None)
        state.empty.discard(name)
        if memory is not None and name in self._own and name not in self._escaped:
            state.held[name] = memory if memory.name else replace(memory, name="" if "." in name else name)

    def _load(self, stmt: ir.Load, state: _State) -> None:
        if stmt.order is not ir.Order.VOLATILE:
            self._touch(stmt.place, stmt.span, "reads", state)
        place = stmt.place
        self._set(stmt.target.name, state.held.get(place.var.name) if isinstance(place, ir.Variable) else None, state)

    def _store(self, stmt: ir.Store, state: _State) -> None:
        if stmt.order is not ir.Order.VOLATILE:
            self._touch(stmt.place, stmt.span, "writes", state)
        if isinstance(stmt.place, ir.Variable):
            self._set(stmt.place.var.name, self._memory(stmt.value, state), state)
            if _is_null(stmt.value):
                state.empty.add(stmt.place.var.name)

    def _touch(self, place: ir.Place, span: Span, verb: str, state: _State) -> None:
        """The host itself reads or writes there; volatile accesses watch what the device does."""
        pointer = pointer_of(place)
        memory = None if pointer is None else self._memory(pointer, state)
        if memory is not None:
            self._by_host(memory, span, verb, state)

    def _by_host(self, memory: Memory, span: Span, verb: str, state: _State) -> None:
        if memory.owner == "device":
            self._tell("side", span, memory, f"the host {verb} {_memory_of(memory, 'device')}")
        elif memory in state.pending:
            text = f"the host {verb} `{memory.name}` while the device may still be at work on it"
            self._tell("unawaited", span, memory, text, state.pending[memory])
        elif memory in state.leaving and verb == "writes":
            text = f"the host writes `{memory.name}` while a copy may still read it"
            self._tell("unawaited", span, memory, text, state.leaving[memory])

    def _launch(self, stmt: ir.Launch, state: _State) -> None:
        given = [(place, m) for place, arg in enumerate(stmt.args) if (m := self._memory(arg, state)) is not None]
        kernel = self.unit.functions.get(stmt.kernel.function) if isinstance(stmt.kernel, ir.FunctionRef) else None
        stored = stored_parameters(kernel) if kernel is not None and given else frozenset()
        for place, memory in given:
            self._use(memory, stmt.span, "the kernel gets", state)
            if memory.owner == "host" and not _asks_for_pages(self.unit):
                self._tell("side", stmt.span, memory, f"the kernel gets {_memory_of(memory, 'host')}")
            if memory.owner == "managed" or (memory.owner in ("pinned", "mapped") and place in stored):
                state.pending[memory] = stmt.span

    def _call(self, stmt: ir.Call, state: _State) -> _State:
        name, args = stmt.function, stmt.args
        allocation = _allocation(name)
        if allocation is not None and allocation.out is not None:
            self._allocate(stmt, allocation, state)
            return state
        if stmt.target is not None:
            owner = "host" if name == _DATA else allocation.owner if allocation is not None else ""
            made = Memory(owner, _label(args), stmt.span) if owner and _is_of_numbers(stmt) else None
            self._set(stmt.target.name, made, state)
            _begin_anew(stmt.span, state)
        if name in _RELEASES:
            self._release(stmt, state)
        if name in words().frees:
            self._free(stmt, state)
        elif plain_name(name) in _COPIES:
            self._copy(stmt, *_COPIES[plain_name(name)], state)
        elif plain_name(name) in _FILLS and args:
            self._use_of(args[0], stmt.span, f"`{name}` fills", state)
        elif name in self.unit.functions:
            self._pass_on(stmt, self.unit.functions[name], state)
        if plain_name(name) == "HostRegister" and args and (memory := self._memory(args[0], state)) is not None:
            pinned = Memory("pinned", memory.name, memory.place, registered=True)
            state.held = {v: pinned if held == memory else held for v, held in state.held.items()}
        if plain_name(name) == _MAPS and len(stmt.args) > 1:
            self._map(stmt.args[0], self._memory(stmt.args[1], state), state)
        waits = name not in WAITS_FOR_NOTHING and allocation is None and name != _DATA
        if waits and not plain_name(name).endswith("Async"):
            state.pending.clear()
            state.leaving.clear()
        return state

    def _allocate(self, stmt: ir.Call, allocation: Allocator, state: _State) -> None:
        receiver = _receiver(stmt, allocation)
        target = None if receiver is None else _unconverted(receiver)
        if isinstance(target, ir.AddressOf) and isinstance(target.place, ir.Variable):
            name = target.place.var.name
            self._set(name, Memory(allocation.owner, name, stmt.span) if allocation.owner else None, state)
        _begin_anew(stmt.span, state)

    def _map(self, target: ir.Expr, memory: Memory | None, state: _State) -> None:
        """The device gets another address of the same memory."""
        receiver = _unconverted(target)
        if not isinstance(receiver, ir.AddressOf) or not isinstance(receiver.place, ir.Variable):
            return
        mapped = None if memory is None or memory.owner not in ("pinned", "mapped") else replace(memory, owner="mapped")
        if mapped is not None:
            state.held = {v: mapped if held == memory else held for v, held in state.held.items()}
        self._set(receiver.place.var.name, mapped, state)

    def _release(self, stmt: ir.Call, state: _State) -> None:
        """What one allocator made is given back to another one, which does not know it."""
        memory = self._memory(stmt.args[0], state) if stmt.args else None
        if memory is None or memory.place is None or memory.owner == GIVEN or memory.registered:
            return
        if memory.owner not in _RELEASES[stmt.function]:
            whose = {"pinned": "pinned memory", "mapped": "pinned memory", "host": "memory of the host"}.get(
                memory.owner, "memory of the device"
            )
            text = f"`{stmt.function.removeprefix('operator ')}` gets `{memory.name}`, which is {whose} that it did not make"
            self._tell("released", stmt.span, memory, text)

    def _free(self, stmt: ir.Call, state: _State) -> None:
        memory = self._memory(stmt.args[0], state) if stmt.args else None
        if memory is not None and _is_whole(stmt.args[0]):
            self._use(memory, stmt.span, f"`{stmt.function}` frees", state)
            state.freed.setdefault(memory, stmt.span)

    def _copy(self, stmt: ir.Call, to: int, of: int, kind: int, state: _State) -> None:
        if max(to, of, kind) >= len(stmt.args):
            return
        sides = [self._memory(stmt.args[to], state), self._memory(stmt.args[of], state)]
        for memory, verb in zip(sides, ("writes", "reads")):
            if memory is not None:
                self._use(memory, stmt.span, f"`{stmt.function}` {verb}", state)
        direction = _unconverted(stmt.args[kind])
        said = _DIRECTIONS.get(direction.value) if isinstance(direction, ir.Const) else None  # type: ignore[arg-type]
        for memory, owner, verb in zip(sides, said or (), ("writes to", "reads from")):
            if memory is not None and _owner(memory) not in (owner, None):
                text = f"`{stmt.function}` {verb} `{memory.name}` as memory of the {owner}, and it is the {_owner(memory)}'s"
                self._tell("direction", stmt.span, memory, text)
        if stmt.function.endswith("Async") and sides[0] is not None and sides[0].owner == "pinned":
            state.pending[sides[0]] = stmt.span
        if stmt.function.endswith("Async") and sides[1] is not None and sides[1].owner == "pinned":
            if _is_whole(stmt.args[of]):  # of a part, another part may be written
                state.leaving[sides[1]] = stmt.span

    def _pass_on(self, stmt: ir.Call, callee: ir.Function, state: _State) -> None:
        """Whether the callee itself reads or writes what it is given, before it waits for anything."""
        if callee.role is not ir.Role.HOST:
            return
        touched = touched_by(callee)
        for param, arg in zip(callee.params, stmt.args):
            memory = self._memory(arg, state) if param.var.name in touched else None
            if memory is not None:
                self._by_host(memory, stmt.span, f"in {callee.name}() {touched[param.var.name]}", state)

    # --- what is found --------------------------------------------------------------------------------------------------

    def _use_of(self, expr: ir.Expr, span: Span, verb: str, state: _State) -> None:
        memory = self._memory(expr, state)
        if memory is not None:
            self._use(memory, span, verb, state)

    def _use(self, memory: Memory, span: Span, verb: str, state: _State) -> None:
        if memory in state.freed:
            text = f"{verb} `{memory.name}`, which has been freed"
            self._tell("freed", span, memory, text, state.freed[memory])
        elif memory in state.perhaps:
            text = f"{verb} `{memory.name}`, which has been freed where a branch was taken"
            self._tell("freed", span, memory, text, state.perhaps[memory])

    def _tell(self, kind: Kind, span: Span, memory: Memory, text: str, before: Span | None = None) -> None:
        self.found.setdefault((kind, span), Misuse(kind, span, memory, text, before))

    def _memory(self, expr: ir.Expr, state: _State) -> Memory | None:
        """What a pointer points into."""
        match expr:
            case ir.Cast() | ir.Bitcast():
                return self._memory(expr.operand, state)
            case ir.Offset():
                return self._memory(expr.pointer, state)
            case ir.Var():
                return state.held.get(expr.name)
            case ir.AddressOf():
                pointer = pointer_of(expr.place)
                if pointer is not None:
                    return self._memory(pointer, state)
                var = root(expr.place)
                return Memory("host", var.name, None) if var is not None and var.name in self._own else None
            case _:
                return None


def _all_agreed(states: list[_State]) -> _State | None:
    if not states:
        return None
    agreed = states[0]
    for other in states[1:]:
        agreed = agreed.agreed(other)
    return agreed


def _begin_anew(place: Span, state: _State) -> None:
    """The statement made another one in a later round."""
    for known in (state.freed, state.perhaps):
        for memory in [m for m in known if m.place == place]:
            del known[memory]


def _memory_of(memory: Memory, owner: str) -> str:
    """By its name, where it has one: `values.data()` has none."""
    return f"`{memory.name}`, which is memory of the {owner}" if memory.name else f"memory of the {owner}"


def _owner(memory: Memory) -> str | None:
    """Host or device, where it is one of the two."""
    return {"device": "device", "host": "host", "pinned": "host"}.get(memory.owner)


def _is_of_numbers(stmt: ir.Call) -> bool:
    """A class may have an `operator new` of its own, which takes managed memory; numbers have none."""
    made = stmt.target.type if stmt.target is not None else None
    return not stmt.function.startswith("operator new") or (
        isinstance(made, ir.Pointer) and isinstance(made.element, ir.Int | ir.Float | ir.Bool)
    )


def _label(args: tuple[ir.Expr, ...]) -> str:
    """The vector whose data are asked for; other memory has the name of the variable that gets it."""
    named = root(args[0].place) if args and isinstance(args[0], ir.AddressOf) else None
    return named.name if named is not None else ""


def _unconverted(expr: ir.Expr) -> ir.Expr:
    while isinstance(expr, ir.Cast | ir.Bitcast):
        expr = expr.operand
    return expr


def _is_null(expr: ir.Expr) -> bool:
    expr = _unconverted(expr)
    return isinstance(expr, ir.Const) and isinstance(expr.type, ir.Pointer) and not expr.value


def _is_whole(expr: ir.Expr) -> bool:
    return isinstance(_unconverted(expr), ir.Var)


def _allocation(name: str) -> Allocator | None:
    pitched = name in words().pitched_allocators
    return Allocator((), 0, "device") if pitched else words().allocators.get(name)


def _receiver(stmt: ir.Call, allocation: Allocator) -> ir.Expr | None:
    """The argument that receives the pointer."""
    return stmt.args[allocation.out] if allocation.out is not None and allocation.out < len(stmt.args) else None


def _escaped(function: ir.Function) -> set[str]:
    """Variables whose address goes elsewhere than to an allocation."""
    found: set[str] = set()
    for stmt in statements(function.body):
        allocation = _allocation(stmt.function) if isinstance(stmt, ir.Call) else None
        allowed = _receiver(stmt, allocation) if isinstance(stmt, ir.Call) and allocation is not None else None
        if isinstance(stmt, ir.Call) and plain_name(stmt.function) == _MAPS and stmt.args:
            allowed = stmt.args[0]
        kept = set() if allowed is None else {id(part) for part in expressions(allowed)}
        for part in evaluated(stmt):
            if isinstance(part, ir.AddressOf) and isinstance(part.place, ir.Variable) and id(part) not in kept:
                found.add(part.place.var.name)
    return found


def _asks_for_pages(unit: ir.Unit) -> bool:
    """The program knows of devices that read the memory of the host as it is."""
    for function in unit.functions.values():
        for stmt in statements(function.body):
            if isinstance(stmt, ir.Call) and stmt.function.endswith("DeviceGetAttribute"):
                if any(isinstance(arg, ir.Const) and arg.value == _PAGEABLE_ACCESS for arg in stmt.args):
                    return True
            if isinstance(stmt, ir.Load) and isinstance(stmt.place, ir.Field):
                if stmt.place.name.startswith("pageableMemoryAccess"):
                    return True
    return False
