"""Memory that a host function makes without values, gives to one launch, and hands out as a whole.

    auto y = torch::empty_like(x);  k<<<grid, block>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);  return y;
    cudaMalloc(&c, bytes);  k<<<grid, block>>>(a, c, n);  cudaMemcpy(host, c, bytes, cudaMemcpyDeviceToHost);

Whatever the launch leaves out is then a result that nobody has written. A use that is not understood may write the rest, as may
the caller of a function inside the program or who gets a pointer, and a slice may leave it out on purpose: of such memory
nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from cudalint import ir
from cudalint.ir.walk import evaluated, expressions, places, root, statements
from cudalint.symbolic.host.scan import Body, runs_once
from cudalint.symbolic.host_vocabulary import Allocator, words

DEEPEST = 4  # calls of functions that launch
TO_HOST = 2  # cudaMemcpyDeviceToHost
_EMPTY = re.compile(r"(^|_)empty(_like|_cuda|_strided)?$")
_TO_HOST = re.compile(r"MemcpyDtoH(Async)?(_v2)?$")
_COLLECT = frozenset({
    "vector", "tuple", "pair", "make_tuple", "make_pair", "tie", "push_back", "emplace_back", "initializer_list", "optional",
})  # fmt: skip
_SHAPE = frozenset({
    "options", "dtype", "scalar_type", "device", "get_device", "is_contiguous", "is_cuda", "element_size", "sizes", "strides",
    "nbytes", "itemsize", "defined", "layout", "is_floating_point",
})  # fmt: skip


class _NotUnderstood(Exception):
    """A use of the memory that may write it, or take a part of it."""


@dataclass(frozen=True, slots=True)
class _Way:
    """How many launches get the memory on some way through statements, and whether every way ends there."""

    launches: int
    ends: bool = False


def is_whole_result(unit: ir.Unit, buffer: str, launcher: str = "") -> bool:
    """Whether `function:variable` names such memory, in each instance of the function.

    A script that calls the `launcher` does no more with the memory than that: the variable is the launcher's then.
    """
    function, _, variable = buffer.rpartition(":")
    hosts = _hosts(unit, function) or (_hosts(unit, launcher) if launcher else [])
    goes_on = _go_on(unit, hosts, DEEPEST) if hosts else True
    return not goes_on and all(_is_whole(unit, host, variable) for host in hosts)


def _hosts(unit: ir.Unit, name: str) -> list[ir.Function]:
    return [f for f in unit.functions.values() if f.role is ir.Role.HOST and _last(f.name) == _last(name)]


def _go_on(unit: ir.Unit, callees: list[ir.Function], depth: int) -> bool:
    """Who calls for the memory may write what is left of it, unless all that he does is to hand it out in turn."""
    names = {callee.id for callee in callees}
    callers = []
    for function in unit.functions.values():
        calls = [s for s in statements(function.body) if isinstance(s, ir.Call) and s.function in names]
        if calls and not (depth and all(_hands_out(unit, function, call) for call in calls)):
            return True
        callers += [function] if calls else []
    return bool(callers) and _go_on(unit, callers, depth - 1)


def _hands_out(unit: ir.Unit, function: ir.Function, call: ir.Call) -> bool:
    """`return group_norm(x, w, b);`"""
    if call.target is None:
        return False
    uses = _Uses(unit, {call.target.name})
    try:
        way = uses.follow(function.body)
    except _NotUnderstood:
        return False
    return uses.whole and way.launches == 0


def _is_whole(unit: ir.Unit, host: ir.Function, variable: str) -> bool:
    declared = [s for s in statements(host.body) if isinstance(s, ir.Declare) and s.var.name == variable]
    if len(declared) != 1 or declared[0].storage is not ir.Storage.LOCAL:
        return False
    uses = _Uses(unit, {variable}, variable)
    try:
        way = uses.follow(host.body)
    except _NotUnderstood:
        return False
    return way.launches == 1 and uses.made == 1 and uses.whole


def _last(name: str) -> str:
    """Without template arguments and namespaces."""
    return re.sub(r"<.*", "", name, flags=re.DOTALL).rpartition("::")[2]


class _Uses:
    """What is done with a memory, followed through the names that it gets."""

    def __init__(self, unit: ir.Unit, names: set[str], variable: str = "", depth: int = DEEPEST) -> None:
        self.unit, self.names, self.variable, self.depth = unit, names, variable, depth
        self.empty: set[str] = set()  # registers with a tensor that has no values yet
        self.bytes: ir.Expr | None = None  # of the allocation
        self.made = 0
        self.whole = False

    def follow(self, body: Body) -> _Way:
        launches = 0
        for stmt in body:
            way = self._stmt(stmt)
            launches += way.launches
            if way.ends:
                return _Way(launches, True)
        return _Way(launches)

    def _stmt(self, stmt: ir.Stmt) -> _Way:
        match stmt:
            case ir.If():
                return _either(self.follow(stmt.then), self.follow(stmt.orelse))
            case ir.Loop():
                way = self.follow((*stmt.pre, *stmt.body, *stmt.step))
                return _Way(way.launches if runs_once(stmt) else 2 * way.launches)
            case ir.Call() if stmt.target is not None and _EMPTY.search(_last(stmt.function)):
                self.empty.add(stmt.target.name)
            case _:
                pass
        if self._is_named(evaluated(stmt), places(stmt)):
            return self._use(stmt)
        return _Way(0, isinstance(stmt, ir.Return | ir.Trap))

    def _use(self, stmt: ir.Stmt) -> _Way:
        match stmt:
            case ir.Load() if isinstance(stmt.place, ir.Variable):
                self.names.add(stmt.target.name)
            case ir.Assign() if self._is_it(stmt.value):
                self.names.add(stmt.target.name)
            case ir.Store() if isinstance(stmt.place, ir.Variable):
                self._store(stmt.place.var.name, stmt.value)
            case ir.Return() if stmt.value is not None and not isinstance(stmt.value.type, ir.Pointer):
                self.whole = True
                return _Way(0, True)
            case ir.Launch():
                return self._launch(stmt)
            case ir.Call():
                return self._call(stmt)
            case ir.Check():
                pass
            case _:
                raise _NotUnderstood
        return _Way(0)

    def _is_named(self, exprs: Iterable[ir.Expr], lie_in: Iterable[ir.Place] = ()) -> bool:
        found = list(exprs)
        owners = (root(place) for place in (*lie_in, *(e.place for e in found if isinstance(e, ir.AddressOf))))
        named = {e.name for e in found if isinstance(e, ir.Var)} | {owner.name for owner in owners if owner is not None}
        return not self.names.isdisjoint(named)

    def _is_it(self, expr: ir.Expr) -> bool:
        """The memory itself: its tensor, its pointer, or the address of one of these."""
        bare = _bare(expr)
        if isinstance(bare, ir.AddressOf):
            return isinstance(bare.place, ir.Variable) and bare.place.var.name in self.names
        return isinstance(bare, ir.Var) and bare.name in self.names

    def _store(self, name: str, value: ir.Expr) -> None:
        bare = _bare(value)
        if name == self.variable and isinstance(bare, ir.Var) and bare.name in self.empty:
            self.made += 1
        elif name != self.variable and self._is_it(value):
            self.names.add(name)
        else:
            raise _NotUnderstood

    def _launch(self, stmt: ir.Launch) -> _Way:
        others = (*stmt.grid, *stmt.block, stmt.shared, stmt.pointers, stmt.buffer)
        told = [arg for arg in stmt.args if self._is_named(expressions(arg))]
        if not all(map(self._is_it, told)) or any(e is not None and self._is_named(expressions(e)) for e in others):
            raise _NotUnderstood
        return _Way(1)

    def _call(self, stmt: ir.Call) -> _Way:
        name = _last(stmt.function)
        callee = self.unit.functions.get(stmt.function)
        collects = name in _COLLECT and stmt.function.startswith("std::")
        if callee is not None and not collects:
            return self._into(callee, stmt)
        if name in words().allocators:
            self._allocated(words().allocators[name], stmt)
        elif name in words().copies or _TO_HOST.search(name):
            self._copied(name, stmt)
        elif collects or name in _gives_the_same():
            self._named_anew(stmt)
        elif name in words().sums | words().computing:
            self.whole = True
        elif name not in words().frees | words().asking | _SHAPE:
            raise _NotUnderstood
        return _Way(0)

    def _allocated(self, allocator: Allocator, stmt: ir.Call) -> None:
        out = allocator.out
        if out is None or allocator.owner != "device" or len(allocator.sizes) != 1 or not self._is_it(stmt.args[out]):
            raise _NotUnderstood
        self.bytes = _bare(stmt.args[allocator.sizes[0]])
        self.made += 1

    def _copied(self, name: str, stmt: ir.Call) -> None:
        """Back to the host, and all of it."""
        copy = words().copies[name]
        if copy.of is None or not self._is_it(stmt.args[copy.of]) or self._is_named(expressions(stmt.args[copy.to])):
            raise _NotUnderstood
        kind = _bare(stmt.args[copy.bytes + 1]) if len(stmt.args) > copy.bytes + 1 else None
        back = _TO_HOST.search(name) is not None or (isinstance(kind, ir.Const) and kind.value == TO_HOST)
        if not back or self.bytes is None or _bare(stmt.args[copy.bytes]) != self.bytes:
            raise _NotUnderstood
        self.whole = True

    def _named_anew(self, stmt: ir.Call) -> None:
        """Its data, a view of all of it, or a list that holds it."""
        into = _bare(stmt.args[0]) if stmt.args else None
        if stmt.target is not None:
            self.names.add(stmt.target.name)
        elif isinstance(into, ir.AddressOf) and isinstance(into.place, ir.Variable):
            self.names.add(into.place.var.name)
        else:
            raise _NotUnderstood

    def _into(self, callee: ir.Function, stmt: ir.Call) -> _Way:
        """A function that launches for this one."""
        if callee.role is not ir.Role.HOST or self.depth == 0 or len(callee.params) != len(stmt.args):
            raise _NotUnderstood
        named = [(p.var.name, a) for p, a in zip(callee.params, stmt.args) if self._is_named(expressions(a))]
        if not all(self._is_it(argument) for _, argument in named):
            raise _NotUnderstood
        inner = _Uses(self.unit, {name for name, _ in named}, depth=self.depth - 1)
        way = inner.follow(callee.body)
        if inner.whole or inner.made:
            raise _NotUnderstood  # what it gives back need not be all
        return _Way(way.launches)


def _either(then: _Way, orelse: _Way) -> _Way:
    """What follows is reached by the branch that does not end; a way that ends there has its own launches."""
    if then.ends != orelse.ends:
        ended, goes_on = (then, orelse) if then.ends else (orelse, then)
        if ended.launches <= 1:
            return goes_on
    return _Way(max(then.launches, orelse.launches), then.ends and orelse.ends)


def _bare(expr: ir.Expr) -> ir.Expr:
    while isinstance(expr, ir.Cast | ir.Bitcast):
        expr = expr.operand
    return expr


def _gives_the_same() -> frozenset[str]:
    known = words()
    return known.data_methods | known.same_tensor | known.converting | known.views | known.rearranging
