"""Random host programs: whatever a contract states of known inputs is true of the program when it runs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from cudalint import ir
from cudalint import term as t
from cudalint.contract import Assume, Binding, Contract, Geometry
from cudalint.ir import BinaryOp
from cudalint.source import Span
from cudalint.symbolic.host import launch_contracts

HERE = Span("k.cu", 1, 1, 1, 2)
NAMES = ("a", "b", "c")
ONE = ir.Const(1, ir.UINT32)
BOX = ir.Struct("Box", 8, 4, (ir.StructField("u", 0, ir.INT32), ir.StructField("w", 4, ir.INT32)))
ARITHMETIC = (BinaryOp.ADD, BinaryOp.SUBTRACT, BinaryOp.MULTIPLY, BinaryOp.DIVIDE, BinaryOp.REMAINDER)
COMPARISONS = (BinaryOp.LESS, BinaryOp.LESS_EQUAL, BinaryOp.EQUAL, BinaryOp.NOT_EQUAL, BinaryOp.GREATER)
PARAMS = tuple(ir.Param(ir.Var(name, ir.INT32)) for name in NAMES)


def variable(name: str) -> ir.Var:
    return ir.Var(name, ir.INT32)


@st.composite
def sums(draw: st.DrawFn, depth: int = 2) -> ir.Expr:
    if depth == 0 or draw(st.booleans()):
        if draw(st.booleans()):
            return variable(draw(st.sampled_from(NAMES)))
        return ir.Const(draw(st.integers(-3, 40)), ir.INT32)
    return ir.Binary(draw(st.sampled_from(ARITHMETIC)), draw(sums(depth - 1)), draw(sums(depth - 1)), ir.INT32)


@st.composite
def conditions(draw: st.DrawFn) -> ir.Expr:
    return ir.Binary(draw(st.sampled_from(COMPARISONS)), draw(sums(1)), draw(sums(1)), ir.BOOL)


@st.composite
def bodies(draw: st.DrawFn, depth: int = 3, looping: bool = False, inside: bool = False) -> tuple[ir.Stmt, ...]:
    kinds = ["assign", "assign", "box", "unbox", "check"]
    if depth:
        kinds += ["if", "if", "loop", "count", "return", "once"] + ["call"] * (not inside) + ["break"] * looping
    found: list[ir.Stmt] = []
    for kind in draw(st.lists(st.sampled_from(kinds), max_size=4)):
        found += _statements(draw, kind, depth, looping, inside)
        if kind in ("return", "break"):
            break
    return tuple(found)


def _statements(draw: st.DrawFn, kind: str, depth: int, looping: bool, inside: bool) -> list[ir.Stmt]:
    target = variable(draw(st.sampled_from(NAMES)))
    place = ir.Field(ir.Variable(ir.Var("box", BOX)), draw(st.sampled_from("uw")), ir.INT32)
    if kind == "assign":
        return [ir.Assign(target, draw(sums()), HERE)]
    if kind == "box":
        return [ir.Store(place, draw(sums(1)), HERE)]
    if kind == "unbox":
        return [ir.Load(target, place, HERE)]
    if kind == "check":
        return [ir.Check(draw(conditions()), "host_check", HERE)]
    if kind == "return":
        return [ir.Return(draw(sums(1)), HERE)]
    if kind == "break":
        return [ir.Break(HERE) if draw(st.booleans()) else ir.Continue(HERE)]
    if kind == "call":
        return [ir.Call("g", (draw(sums(1)), draw(sums(1)), draw(sums(1))), target, HERE)]
    if kind == "if":
        then, orelse = draw(bodies(depth - 1, looping, inside)), draw(bodies(depth - 1, looping, inside))
        return [ir.If(draw(conditions()), then, orelse, HERE)]
    if kind == "once":
        return [ir.Loop((), ir.Const(False, ir.BOOL), (), draw(bodies(depth - 1, True, inside)), False, HERE)]
    body = draw(bodies(depth - 1, True, inside))
    if kind == "loop":
        return [ir.Loop((), draw(conditions()), (), body, True, HERE)]
    counter = variable(f"i{depth}{'g' if inside else ''}")
    step = ir.Assign(
        counter, ir.Binary(BinaryOp.ADD, counter, ir.Const(draw(st.integers(1, 3)), ir.INT32), ir.INT32), HERE
    )
    use = ir.Assign(target, ir.Binary(BinaryOp.ADD, target, counter, ir.INT32), HERE)
    limit = variable("a") if draw(st.booleans()) else ir.Const(draw(st.sampled_from([4, 60])), ir.INT32)
    loop = ir.Loop((), ir.Binary(BinaryOp.LESS, counter, limit, ir.BOOL), (step,), (use, *body), True, HERE)
    return [ir.Assign(counter, draw(sums(0)), HERE), loop]


@st.composite
def programs(draw: st.DrawFn) -> ir.Unit:
    boxed = ir.Declare(ir.Var("box", BOX), ir.Storage.LOCAL, HERE)
    cleared = tuple(
        ir.Store(ir.Field(ir.Variable(ir.Var("box", BOX)), name, ir.INT32), ir.Const(0, ir.INT32), HERE)
        for name in "uw"
    )
    launch = ir.Launch(
        ir.FunctionRef("k", ir.VOID),
        (ir.Cast(variable("a"), ir.UINT32), ONE, ONE),
        (ir.Const(32, ir.UINT32), ONE, ONE),
        ir.Const(0, ir.UINT64),
        (variable("b"), variable("c")),
        HERE,
    )
    body = (boxed, *cleared, *draw(bodies()), launch)
    helper = (boxed, *cleared, *draw(bodies(2, False, True)), ir.Return(draw(sums(1)), HERE))
    functions = (
        ir.Function("f", "f", ir.Role.HOST, (), PARAMS, ir.INT32, body, HERE),
        ir.Function("g", "g", ir.Role.HOST, (), PARAMS, ir.INT32, helper, HERE),
        ir.Function("k", "k", ir.Role.KERNEL, (), PARAMS[1:], ir.VOID, (), HERE),
    )
    return ir.Unit("k.cu", {f.id: f for f in functions})


# --- running a program -----------------------------------------------------------------------------------------------


class Ended(Exception):
    """A check failed, the program ran too long, or its arithmetic is undefined."""


class Left(Exception):
    pass


class Returned(Exception):
    def __init__(self, value: int) -> None:
        self.value = value


@dataclass
class Machine:
    unit: ir.Unit
    launches: list[tuple[int, ...]] = field(default_factory=list)
    steps: int = 0

    def call(self, name: str, args: list[int]) -> int:
        frame = dict(zip(NAMES, args))
        try:
            self.run(self.unit.functions[name].body, frame)
        except Returned as returned:
            return returned.value
        return 0

    def run(self, body: tuple[ir.Stmt, ...], frame: dict[str, int]) -> None:
        for stmt in body:
            self.steps += 1
            if self.steps > 3000:
                raise Ended
            self.statement(stmt, frame)

    def statement(self, stmt: ir.Stmt, frame: dict[str, int]) -> None:
        if isinstance(stmt, ir.Assign):
            frame[stmt.target.name] = self.value(stmt.value, frame)
        elif isinstance(stmt, ir.Store) and isinstance(stmt.place, ir.Field):
            frame["box." + stmt.place.name] = self.value(stmt.value, frame)
        elif isinstance(stmt, ir.Load) and isinstance(stmt.place, ir.Field):
            frame[stmt.target.name] = frame["box." + stmt.place.name]
        elif isinstance(stmt, ir.Check):
            if not self.value(stmt.cond, frame):
                raise Ended
        elif isinstance(stmt, ir.Return):
            raise Returned(self.value(stmt.value, frame) if stmt.value is not None else 0)
        elif isinstance(stmt, ir.Break | ir.Continue):
            raise Left(stmt)
        elif isinstance(stmt, ir.Call) and stmt.target is not None:
            frame[stmt.target.name] = self.call("g", [self.value(arg, frame) for arg in stmt.args])
        elif isinstance(stmt, ir.If):
            self.run(stmt.then if self.value(stmt.cond, frame) else stmt.orelse, frame)
        elif isinstance(stmt, ir.Loop):
            self.loop(stmt, frame)
        elif isinstance(stmt, ir.Launch):
            self.launches.append((frame["a"], frame["b"], frame["c"]))

    def loop(self, stmt: ir.Loop, frame: dict[str, int]) -> None:
        while not stmt.test_first or self.value(stmt.cond, frame):
            self.steps += 1
            if self.steps > 3000:
                raise Ended
            try:
                self.run(stmt.body, frame)
            except Left as left:
                if isinstance(left.args[0], ir.Break):
                    return
            if not stmt.test_first:
                return
            self.run(stmt.step, frame)

    def value(self, expr: ir.Expr, frame: dict[str, int]) -> int:
        if isinstance(expr, ir.Const):
            return int(expr.value or 0)
        if isinstance(expr, ir.Var):
            return frame[expr.name]
        assert isinstance(expr, ir.Binary)
        a, b = self.value(expr.left, frame), self.value(expr.right, frame)
        if expr.op in (BinaryOp.DIVIDE, BinaryOp.REMAINDER):
            if b == 0:
                raise Ended
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if expr.op is BinaryOp.DIVIDE else a - b * quotient
        results = {
            BinaryOp.ADD: a + b,
            BinaryOp.SUBTRACT: a - b,
            BinaryOp.MULTIPLY: a * b,
            BinaryOp.LESS: a < b,
            BinaryOp.LESS_EQUAL: a <= b,
            BinaryOp.EQUAL: a == b,
            BinaryOp.NOT_EQUAL: a != b,
            BinaryOp.GREATER: a > b,
        }
        result = int(results[expr.op])
        if abs(result) >= 1 << 31:
            raise Ended
        return result


def admits(contract: Contract, launch: tuple[int, ...], inputs: dict[str, int]) -> bool:
    """Whether nothing that the contract states of known values contradicts the launch."""
    stated: list[tuple[t.Term, int]] = []
    for fact in contract.facts:
        if isinstance(fact.what, Geometry) and fact.what.grid[0] is not None:
            stated.append((fact.what.grid[0], launch[0]))
        elif isinstance(fact.what, Binding):
            stated.append((fact.what.value, launch[1 + NAMES[1:].index(fact.what.parameter)]))
        elif isinstance(fact.what, Assume):
            stated.append((fact.what.cond, 1))
    for term, value in stated:
        try:
            if t.evaluate(term, inputs) != value:
                return False
        except t.Undefined:
            continue
    return True


@settings(max_examples=150, deadline=None)
@given(programs(), st.lists(st.tuples(*[st.integers(-4, 70)] * 3), min_size=1, max_size=6))
def test_some_contract_admits_every_launch(program: ir.Unit, arguments: list[tuple[int, ...]]) -> None:
    contracts = launch_contracts(program).get("k", ())
    for args in arguments:
        machine = Machine(program)
        with suppress(Ended):
            machine.call("f", list(args))
        inputs = {f"f:{name}": value for name, value in zip(NAMES, args)}
        for launch in machine.launches:
            if launch[0] >= 1:
                assert any(admits(contract, launch, inputs) for contract in contracts)
