"""Contracts from host code, on hand-built IR: what each launch guarantees, and nothing more."""

from __future__ import annotations

import pytest

from cudalint import ir
from cudalint import term as t
from cudalint.contract import Alias, Assume, Binding, Chosen, Contract, Extent, Geometry, Nullable, What
from cudalint.finding import CHOSEN
from cudalint.ir import BinaryOp
from cudalint.source import Span
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.host.values import LARGEST_SIZE

FLOATS = ir.Pointer(ir.F32)
DIM3 = ir.Struct("dim3", 12, 4, tuple(ir.StructField(axis, 4 * i, ir.UINT32) for i, axis in enumerate("xyz")))
TENSOR = ir.Struct("at::Tensor", 8, 8, ())
ONE, ZERO = ir.Const(1, ir.UINT32), ir.Const(0, ir.UINT64)
HERE = Span("k.cu", 10, 3, 10, 40)


def v(name: str, type_: ir.Type = ir.INT32) -> ir.Var:
    return ir.Var(name, type_)


def c(value: int, type_: ir.Type = ir.INT32) -> ir.Const:
    return ir.Const(value, type_)


def op(o: BinaryOp, left: ir.Expr, right: ir.Expr, type_: ir.Type = ir.INT32) -> ir.Binary:
    return ir.Binary(o, left, right, type_)


def cast(expr: ir.Expr, type_: ir.Type) -> ir.Cast:
    return ir.Cast(expr, type_)


def address(var: ir.Var) -> ir.Expr:
    return ir.AddressOf(ir.Variable(var), ir.Pointer(var.type))


def assign(target: ir.Var, value: ir.Expr) -> ir.Assign:
    return ir.Assign(target, value, HERE)


def call(name: str, *args: ir.Expr, target: ir.Var | None = None) -> ir.Call:
    return ir.Call(name, args, target, HERE)


def launch(grid: ir.Expr, block: int, *args: ir.Expr, shared: ir.Expr = ZERO, line: int = 10) -> ir.Launch:
    span = Span("k.cu", line, 3, line, 40)
    dims = (cast(grid, ir.UINT32), ONE, ONE)
    return ir.Launch(ir.FunctionRef("k", ir.VOID), dims, (c(block, ir.UINT32), ONE, ONE), shared, args, span)


def function(name: str, params: list[ir.Param], *body: ir.Stmt, role: ir.Role = ir.Role.HOST) -> ir.Function:
    return ir.Function(name, name, role, (), tuple(params), ir.INT32, body, HERE)


def param(name: str, type_: ir.Type = ir.INT32, memory: bool = False) -> ir.Param:
    return ir.Param(v(name, type_), memory=memory)


KERNEL = function("k", [param("x", FLOATS), param("y", FLOATS), param("n")], role=ir.Role.KERNEL)


def contracts(*functions: ir.Function, kernel: ir.Function = KERNEL) -> tuple[Contract, ...]:
    unit = ir.Unit("k.cu", {f.id: f for f in (kernel, *functions)})
    return launch_contracts(unit).get("k", ())


def only(*functions: ir.Function, kernel: ir.Function = KERNEL) -> list[What]:
    (found,) = contracts(*functions, kernel=kernel)
    return [fact.what for fact in found.facts]


def texts(*functions: ir.Function) -> list[str]:
    (found,) = contracts(*functions)
    return [fact.text for fact in found.facts]


N = t.symbol("f:n", *ir.int_range(ir.INT32))
CEIL_DIV = op(BinaryOp.DIVIDE, op(BinaryOp.ADD, v("n"), c(255)), c(256))
D, E = v("d", FLOATS), v("e", FLOATS)
BYTES = op(BinaryOp.MULTIPLY, cast(v("n"), ir.UINT64), c(4, ir.UINT64), ir.UINT64)


def allocate(target: ir.Var, size: ir.Expr = BYTES) -> tuple[ir.Stmt, ...]:
    return ir.Declare(target, ir.Storage.LOCAL, HERE), call("cudaMalloc", address(target), size)


def loaded(target: str, source: ir.Var) -> ir.Load:
    return ir.Load(v(target, source.type), ir.Variable(source), HERE)


def test_geometry_binding_and_extent() -> None:
    body = (*allocate(D), loaded("d.1", D), launch(CEIL_DIV, 256, v("d.1", FLOATS), v("q", FLOATS), v("n")))
    facts = only(function("f", [param("n"), param("q", FLOATS)], *body))
    grid = t.quotient(t.add(N, t.number(255)), t.number(256))
    one = t.number(1)
    assert facts == [
        Geometry((grid, one, one), (t.number(256), one, one), t.number(0)),
        Extent("x", t.scale(N, 4), "bytes", "f:d"),
        Binding("n", N),
        Assume(t.at_most(N, t.number((1 << 31) - 256))),
        Assume(t.at_most(t.number(0), N)),
    ]


def test_texts_read_like_the_source() -> None:
    body = (*allocate(D), loaded("d.1", D), launch(CEIL_DIV, 256, v("d.1", FLOATS), v("q", FLOATS), v("n")))
    assert texts(function("f", [param("n"), param("q", FLOATS)], *body))[:3] == [
        "grid = (n + 255) / 256, block = 256",
        "x = cudaMalloc(4*n bytes)",
        "n = n",
    ]


def test_an_early_return_is_an_assumption() -> None:
    guard = ir.If(op(BinaryOp.LESS_EQUAL, v("n"), c(0), ir.BOOL), (ir.Return(None, HERE),), (), HERE)
    facts = only(
        function("f", [param("n")], guard, launch(v("n"), 256, ir.Const(None, FLOATS), v("q", FLOATS), v("n")))
    )
    assert Assume(t.at_most(t.number(1), N)) in facts
    assert Nullable("x", t.FALSE) in facts


def test_a_check_is_an_assumption_and_unrelated_ones_are_dropped() -> None:
    check = ir.Check(op(BinaryOp.LESS, v("n"), c(1000), ir.BOOL), "host_check", HERE)
    other = ir.Check(op(BinaryOp.LESS, v("m"), c(7), ir.BOOL), "host_check", HERE)
    body = (check, other, launch(v("n"), 256, v("p", FLOATS), v("q", FLOATS), v("n")))
    facts = only(function("f", [param("n"), param("m")], *body))
    assumed = [f.cond for f in facts if isinstance(f, Assume)]
    assert assumed == [t.less(t.number(0), N), t.less(N, t.number(1000))]


def test_branches_join_to_a_choice() -> None:
    cond = op(BinaryOp.GREATER, v("n"), c(100), ir.BOOL)
    choose = ir.If(cond, (assign(v("b"), c(2)),), (assign(v("b"), c(1)),), HERE)
    facts = only(function("f", [param("n")], choose, launch(v("b"), 64, v("p", FLOATS), v("p", FLOATS), v("n"))))
    geometry = facts[0]
    assert isinstance(geometry, Geometry)
    assert geometry.grid[0] is t.choice(t.less(t.number(100), N), t.number(2), t.number(1))


def test_one_buffer_twice_is_an_alias() -> None:
    body = (*allocate(D), loaded("d.1", D), launch(c(1), 256, v("d.1", FLOATS), v("d.1", FLOATS), v("n")))
    facts = only(function("f", [param("n")], *body))
    assert Alias("x", "y", t.number(0)) in facts
    assert [f.buffer for f in facts if isinstance(f, Extent)] == ["f:d", "f:d"]


def test_an_unknown_pointer_twice_is_an_alias_without_extent() -> None:
    facts = only(function("f", [param("p", FLOATS)], launch(c(1), 256, v("p", FLOATS), v("p", FLOATS), c(3))))
    assert Alias("x", "y", t.number(0)) in facts
    assert not any(isinstance(f, Extent) for f in facts)


def test_an_offset_shortens_the_extent() -> None:
    moved = ir.Offset(v("d.1", FLOATS), v("m"), FLOATS)
    body = (*allocate(D), loaded("d.1", D), launch(c(1), 256, moved, v("q", FLOATS), v("n")))
    m = t.symbol("f:m", *ir.int_range(ir.INT32))
    facts = only(function("f", [param("n"), param("m")], *body))
    assert Extent("x", t.subtract(t.scale(N, 4), t.scale(m, 4)), "bytes", "f:d", t.scale(m, 4)) in facts


def test_a_choice_of_allocations_keeps_the_size_and_drops_the_buffer() -> None:
    cond = op(BinaryOp.GREATER, v("n"), c(9), ir.BOOL)
    pick = ir.Select(cond, v("d.1", FLOATS), v("e.1", FLOATS), FLOATS)
    body = (*allocate(D), *allocate(E, c(64, ir.UINT64)), loaded("d.1", D), loaded("e.1", E))
    facts = only(function("f", [param("n")], *body, launch(c(1), 64, pick, v("q", FLOATS), v("n"))))
    assert Extent("x", t.choice(t.less(t.number(9), N), t.scale(N, 4), t.number(64)), "bytes") in facts


def test_a_called_helper_is_walked_inlined() -> None:
    helper = function(
        "ceil_div",
        [param("a"), param("b")],
        ir.Return(op(BinaryOp.DIVIDE, op(BinaryOp.SUBTRACT, op(BinaryOp.ADD, v("a"), v("b")), c(1)), v("b")), HERE),
    )
    body = (
        call("ceil_div", v("n"), c(256), target=v("g")),
        launch(v("g"), 256, v("p", FLOATS), v("q", FLOATS), v("n")),
    )
    geometry = only(helper, function("f", [param("n")], *body))[0]
    assert isinstance(geometry, Geometry)
    assert geometry.grid[0] is not None and t.free_symbols(geometry.grid[0]) == {N}
    assert t.evaluate(geometry.grid[0], {"f:n": 257}) == 2


def test_a_launcher_is_walked_from_its_caller() -> None:
    launcher = function(
        "run", [param("p", FLOATS), param("n")], launch(c(4), 256, v("p", FLOATS), v("p", FLOATS), v("n"))
    )
    body = (*allocate(D, c(4096, ir.UINT64)), loaded("d.1", D), call("run", v("d.1", FLOATS), c(1024)))
    (found,) = contracts(launcher, function("main", [], *body))
    whats = [f.what for f in found.facts]
    assert Extent("x", t.number(4096), "bytes", "main:d") in whats
    assert Binding("n", t.number(1024)) in whats
    assert found.launch_site is not None and found.launch_site.host_function == "run"


def test_a_recursive_launcher_ends() -> None:
    body = (call("f", v("n")), launch(c(1), 32, v("p", FLOATS), v("q", FLOATS), v("n")))
    assert len(contracts(function("f", [param("n")], *body))) == 1


def test_a_long_loop_keeps_the_range_of_its_counter() -> None:
    step = assign(v("i"), op(BinaryOp.ADD, v("i"), c(2)))
    inside = launch(c(1), 256, v("p", FLOATS), v("q", FLOATS), v("i"))
    loop = ir.Loop((), op(BinaryOp.LESS, v("i"), v("n"), ir.BOOL), (step,), (inside,), True, HERE)
    facts = only(function("f", [param("n")], assign(v("i"), c(0)), loop))
    (binding,) = [f for f in facts if isinstance(f, Binding)]
    i = binding.value
    assumed = [f.cond for f in facts if isinstance(f, Assume)]
    assert t.at_most(t.number(0), i) in assumed
    assert t.less(i, N) in assumed
    assert t.equal(t.remainder(i, t.number(2)), t.number(0)) in assumed


def test_behind_a_loop_the_counter_is_one_step_beyond_a_value_that_let_it_go_on() -> None:
    step = assign(v("i"), op(BinaryOp.ADD, v("i"), c(2)))
    inside = call("work", v("i"))
    loop = ir.Loop((), op(BinaryOp.LESS, v("i"), v("n"), ir.BOOL), (step,), (inside,), True, HERE)
    after = launch(c(1), 256, v("p", FLOATS), v("q", FLOATS), v("i"))
    facts = only(function("f", [param("n")], assign(v("i"), c(0)), loop, after))
    (binding,) = [f for f in facts if isinstance(f, Binding)]
    i = binding.value
    assumed = [f.cond for f in facts if isinstance(f, Assume)]
    assert t.at_most(N, i) in assumed
    assert t.disjunction(t.equal(i, t.number(0)), t.less(t.subtract(i, t.number(2)), N)) in assumed


def test_a_short_loop_is_unrolled() -> None:
    step = assign(v("i"), op(BinaryOp.ADD, v("i"), c(1)))
    inside = launch(c(1), 256, v("p", FLOATS), v("q", FLOATS), v("i"))
    loop = ir.Loop((), op(BinaryOp.LESS, v("i"), c(3), ir.BOOL), (step,), (inside,), True, HERE)
    found = contracts(function("f", [], assign(v("i"), c(0)), loop))
    bound = [f.what.value for contract in found for f in contract.facts if isinstance(f.what, Binding)]
    assert bound == [t.number(0), t.number(1), t.number(2)]


def test_what_a_loop_writes_is_unknown_behind_it() -> None:
    body = assign(v("s"), op(BinaryOp.DIVIDE, v("s"), c(2)))
    loop = ir.Loop((), op(BinaryOp.GREATER, v("s"), c(64), ir.BOOL), (), (body,), True, HERE)
    after = launch(v("s"), 256, v("p", FLOATS), v("q", FLOATS), v("s"))
    facts = only(function("f", [param("n")], assign(v("s"), v("n")), loop, after))
    (binding,) = [f for f in facts if isinstance(f, Binding)]
    assert N not in t.free_symbols(binding.value)
    assert Assume(t.at_most(binding.value, t.number(64))) in facts


def test_an_unknown_call_forgets_what_it_gets_the_address_of() -> None:
    m = v("m")
    body = (
        ir.Declare(m, ir.Storage.LOCAL, HERE),
        ir.Store(ir.Variable(m), c(5), HERE),
        call("fill_in", address(m)),
        loaded("m.1", m),
        launch(v("m.1"), 256, v("p", FLOATS), v("q", FLOATS), v("m.1")),
    )
    (binding,) = [f for f in only(function("f", [], *body)) if isinstance(f, Binding)]
    assert isinstance(binding.value, t.Symbol) and binding.value.name.startswith("~f:m")


def test_dim3_defaults_to_one() -> None:
    grid = v("g", DIM3)
    fields = [ir.Load(v(f"g.{a}", ir.UINT32), ir.Field(ir.Variable(grid), a, ir.UINT32), HERE) for a in "xyz"]
    body: tuple[ir.Stmt, ...] = (
        ir.Declare(grid, ir.Storage.LOCAL, HERE),
        ir.Store(ir.Variable(grid), ir.Construct((c(7, ir.UINT32),), DIM3), HERE),
        *fields,
    )
    dims = (v("g.x", ir.UINT32), v("g.y", ir.UINT32), v("g.z", ir.UINT32))
    stmt = ir.Launch(ir.FunctionRef("k", ir.VOID), dims, (c(32, ir.UINT32), ONE, ONE), ZERO, (), HERE)
    geometry = only(function("f", [], *body, stmt))[0]
    assert isinstance(geometry, Geometry)
    assert geometry.grid == (t.number(7), t.number(1), t.number(1))


def test_a_struct_argument_is_stated_by_fields() -> None:
    args = ir.Struct("Args", 16, 8, (ir.StructField("out", 0, FLOATS), ir.StructField("n", 8, ir.INT32)))
    kernel = function("k", [param("a", args, memory=True)], role=ir.Role.KERNEL)
    local = v("a", args)
    body = (
        *allocate(D),
        loaded("d.1", D),
        ir.Declare(local, ir.Storage.LOCAL, HERE),
        ir.Store(ir.Field(ir.Variable(local), "out", FLOATS), v("d.1", FLOATS), HERE),
        ir.Store(ir.Field(ir.Variable(local), "n", ir.INT32), v("n"), HERE),
        loaded("a.1", local),
        launch(c(1), 32, v("a.1", args)),
    )
    facts = only(function("f", [param("n")], *body), kernel=kernel)
    assert Extent("a.out", t.scale(N, 4), "bytes", "f:d") in facts
    assert Binding("a.n", N) in facts


def test_a_by_value_struct_of_the_caller_is_named_by_fields() -> None:
    args = ir.Struct("Args", 8, 4, (ir.StructField("n", 0, ir.INT32), ir.StructField("m", 4, ir.INT32)))
    kernel = function("k", [param("n")], role=ir.Role.KERNEL)
    body = (ir.Load(v("t"), ir.Field(ir.Variable(v("a", args)), "n", ir.INT32), HERE), launch(c(1), 32, v("t")))
    facts = only(function("f", [param("a", args, memory=True)], *body), kernel=kernel)
    assert Binding("n", t.symbol("f:a.n", *ir.int_range(ir.INT32))) in facts


def test_tensor_sizes_and_creations() -> None:
    x, y = v("x", TENSOR), v("y", TENSOR)
    body = (
        call("at::Tensor::size", address(x), c(0, ir.INT64), target=v("r", ir.INT64)),
        ir.Declare(y, ir.Storage.LOCAL, HERE),
        call("torch::empty_like", address(x), target=v("y.1", TENSOR)),
        ir.Store(ir.Variable(y), v("y.1", TENSOR), HERE),
        call("at::Tensor::data_ptr", address(x), target=v("xp", FLOATS)),
        call("at::Tensor::data_ptr", address(y), target=v("yp", FLOATS)),
        launch(c(1), 32, v("xp", FLOATS), v("yp", FLOATS), cast(v("r", ir.INT64), ir.INT32)),
    )
    facts = only(function("f", [param("x", TENSOR, memory=True)], *body))
    rows = t.symbol("f:x.size(0)", 0, LARGEST_SIZE)  # the only size that is read: x is taken to have one dimension
    extents = {f.pointer: f for f in facts if isinstance(f, Extent)}
    assert extents["x"].size is extents["y"].size is t.scale(rows, 4)
    assert extents["x"].buffer != extents["y"].buffer
    assert Binding("n", t.wrapped(rows, 32, True)) in facts


def test_a_checked_rank_gives_the_product_of_sizes() -> None:
    x = v("x", TENSOR)
    body = (
        call("at::Tensor::dim", address(x), target=v("r", ir.INT64)),
        ir.Check(op(BinaryOp.EQUAL, v("r", ir.INT64), c(2, ir.INT64), ir.BOOL), "host_check", HERE),
        call("at::Tensor::data_ptr", address(x), target=v("xp", FLOATS)),
        launch(c(1), 32, v("xp", FLOATS), v("q", FLOATS), c(0)),
    )
    facts = only(function("f", [param("x", TENSOR, memory=True)], *body))
    sizes = [t.symbol(f"f:x.size({i})", 0, LARGEST_SIZE) for i in (0, 1)]
    assert Extent("x", t.scale(t.multiply(*sizes), 4), "bytes", "f:x", given=True) in facts


def test_ceil_of_a_float_quotient_is_exact_where_floats_are() -> None:
    quotient = ir.Binary(BinaryOp.DIVIDE, cast(v("n"), ir.F32), ir.Const(256.0, ir.F32), ir.F32)
    grid = ir.Cast(ir.Math("ceil", (quotient,), ir.F32), ir.INT32)
    geometry = only(function("f", [param("n")], launch(grid, 256, v("p", FLOATS), v("q", FLOATS), v("n"))))[0]
    assert isinstance(geometry, Geometry)
    term = geometry.grid[0]
    assert term is not None and t.evaluate(term, {"f:n": 1000}) == 4
    with pytest.raises(t.Undefined):
        t.evaluate(term, {"f:n": 1 << 24})


def test_a_callee_that_checks_and_exits_leaves_its_condition() -> None:
    guard = ir.If(op(BinaryOp.LESS, v("a"), c(1), ir.BOOL), (call("exit", c(1)),), (), HERE)
    helper = function("require", [param("a")], guard, ir.Return(None, HERE))
    body = (call("require", v("n")), launch(v("n"), 256, v("p", FLOATS), v("q", FLOATS), v("n")))
    facts = only(helper, function("f", [param("n")], *body))
    assert Assume(t.at_most(t.number(1), N)) in facts


def test_a_callee_that_returns_early_leaves_no_condition() -> None:
    guard = ir.If(op(BinaryOp.LESS, v("a"), c(1), ir.BOOL), (ir.Return(c(1), HERE),), (), HERE)
    helper = function("maybe", [param("a")], guard, ir.Return(c(2), HERE))
    body = (call("maybe", v("n"), target=v("g")), launch(v("g"), 256, v("p", FLOATS), v("q", FLOATS), v("n")))
    facts = only(helper, function("f", [param("n")], *body))
    assert not any(isinstance(f, Assume) for f in facts)
    assert isinstance(facts[0], Geometry)
    assert facts[0].grid[0] is t.choice(t.less(N, t.number(1)), t.number(1), t.number(2))


def test_the_same_contract_is_given_once_and_in_order() -> None:
    stmt = launch(c(1), 32, v("p", FLOATS), v("q", FLOATS), c(3))
    found = contracts(function("f", [], stmt, stmt, launch(c(2), 32, v("p", FLOATS), v("q", FLOATS), c(3), line=12)))
    assert [c.launch_site.line for c in found if c.launch_site] == [10, 12]


def test_a_status_of_the_runtime_is_success_and_a_namesake_is_unknown() -> None:
    body = (
        call("cudaDeviceSynchronize", target=v("s")),
        call("cuda_blocks", v("n"), target=v("g")),
        launch(v("g"), 256, v("p", FLOATS), v("q", FLOATS), v("s")),
    )
    facts = only(function("f", [param("n")], *body))
    assert Binding("n", t.number(0)) in facts
    geometry = facts[0]
    assert isinstance(geometry, Geometry) and isinstance(geometry.grid[0], t.Symbol)
    assert geometry.grid[0].name.startswith("~f:g")


def test_an_input_is_named_after_its_variable() -> None:
    body = (
        call("atoi", v("s", ir.Pointer(ir.INT8)), target=v("t.1")),
        assign(v("m"), v("t.1")),
        launch(c(1), 256, v("p", FLOATS), v("q", FLOATS), v("m")),
    )
    assert Binding("n", t.symbol("f:m", *ir.int_range(ir.INT32))) in only(function("f", [], *body))


def test_a_block_size_is_positive_and_simplifies_the_grid() -> None:
    rounded = op(BinaryOp.SUBTRACT, op(BinaryOp.ADD, v("n"), v("b")), c(1))
    dims = (cast(op(BinaryOp.DIVIDE, rounded, v("b")), ir.UINT32), ONE, ONE)
    block = (cast(v("b"), ir.UINT32), ONE, ONE)
    stmt = ir.Launch(ir.FunctionRef("k", ir.VOID), dims, block, ZERO, (), HERE)
    (found,) = contracts(function("f", [param("n"), param("b")], stmt))
    assert found.facts[0].text == "grid = (b + n - 1) / b, block = b"
    b = t.symbol("f:b", *ir.int_range(ir.INT32))
    assert Assume(t.at_most(t.number(1), b)) in [f.what for f in found.facts]


def test_choices_inside_a_choice_get_names_where_it_is_too_large_for_a_solver() -> None:
    half = op(BinaryOp.DIVIDE, op(BinaryOp.ADD, v("n"), c(1)), c(2))
    blocks = op(BinaryOp.DIVIDE, op(BinaryOp.ADD, half, c(255)), c(256))
    most = ir.Select(op(BinaryOp.LESS, blocks, c(65535), ir.BOOL), blocks, c(65535), ir.INT32)
    least = ir.Select(op(BinaryOp.LESS, most, c(1), ir.BOOL), c(1), most, ir.INT32)
    facts = only(function("f", [param("n")], launch(least, 256, v("p", FLOATS), v("q", FLOATS), v("n"))))
    geometry = next(f for f in facts if isinstance(f, Geometry))
    said = [t.free_symbols(f.cond) for f in facts if isinstance(f, Assume)]
    assert isinstance(geometry.grid[0], t.Symbol) and geometry.grid[0].name.startswith(f"f{CHOSEN}")
    assert any(geometry.grid[0] in symbols for symbols in said)
    assert any(t.symbol("f:n", *ir.int_range(ir.INT32)) in symbols for symbols in said)


def test_a_choice_too_large_for_a_solver_is_one_unknown_in_all_facts() -> None:
    chosen: ir.Expr = v("n")
    for limit in range(1, 16):
        chosen = ir.Select(op(BinaryOp.LESS, v("m"), c(limit * 7), ir.BOOL), c(limit), chosen, ir.INT32)
    body = (assign(v("size"), chosen), launch(v("size"), 64, v("p", FLOATS), v("q", FLOATS), v("size")))
    facts = only(function("f", [param("n"), param("m"), param("p", FLOATS), param("q", FLOATS)], *body))
    geometry = next(f for f in facts if isinstance(f, Geometry))
    bound = next(f.value for f in facts if isinstance(f, Binding) and f.parameter == "n")
    assert isinstance(bound, t.Symbol) and bound.name.startswith("~f:choice#")
    assert geometry.grid[0] is bound
    (said,) = (f for f in facts if isinstance(f, Chosen))
    assert said.name is bound
    assert [t.evaluate(said.value, {"f:n@choice1": 5, "f:m": m}) for m in (0, 80, 1000)] == [15, 15, 5]
