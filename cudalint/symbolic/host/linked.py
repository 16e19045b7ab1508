"""Host code of several files as one program: what a file only declares is found by name in the others.

A call links where exactly one other file defines a function of that name and arity; a kernel by its id, or by name and
arity where it is no template.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial

from cudalint import ir
from cudalint.analysis.operators import DECLARED_IN_C, Written
from cudalint.ir import walk
from cudalint.source import Span
from cudalint.symbolic.host.mangled import means
from cudalint.symbolic.host.scan import (
    Body,
    Site,
    called_in,
    handed_on,
    inner_bodies,
    launches_in,
    matters,
    passed_functions,
    stores_elsewhere,
    uncast,
    written_globals,
    written_in,
)

Node = tuple[int, str]
OF_ANY_KIND = "python_value"  # the class of what a program in another language passes without a type


@dataclass(slots=True)
class Linked:
    """`units[0]` is the file whose kernels are asked about; the functions in `leading` lead to their launches, None: not known.

    `schemas` say which arguments of operators are written.
    """

    units: tuple[ir.Unit, ...]
    schemas: tuple[Written, ...] = ()
    globals: dict[str, ir.Global] = field(init=False)
    matters: frozenset[str] = field(init=False)
    written: set[str] = field(init=False)
    leading: frozenset[Node] | None = None
    _by_name: dict[tuple[str, int], list[Node]] = field(init=False)
    _by_id: dict[str, Node] = field(init=False)
    _first: dict[tuple[str, int, str], Node] = field(init=False)
    _written_by: dict[Node, frozenset[str]] = field(default_factory=dict)
    _stores: dict[Node, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.globals = {n: g for unit in reversed(self.units) for n, g in unit.globals.items()}
        self.matters = _mattering(self.units)
        self.written = {name for unit in self.units for name in written_globals(unit)}
        self._by_name, self._by_id, self._first = {}, {}, {}
        for number, unit in enumerate(self.units):
            for function in unit.functions.values():
                if function.role is not ir.Role.KERNEL:
                    self._first.setdefault(_place(function), (number, function.id))
        for number, unit in enumerate(self.units) if len(self.units) > 1 else ():
            for function in unit.functions.values():
                if function.role is not ir.Role.KERNEL and function.body:
                    self._by_name.setdefault((function.name, len(function.params)), []).append((number, function.id))
                    if function.template_args:
                        self._by_id.setdefault(_head(function.id), (number, function.id))

    def function(self, node: Node) -> ir.Function:
        return self.units[node[0]].functions[node[1]]

    def written_in_schema(self, function: ir.Function) -> list[Written]:
        """What the schema of the operator that a function is says of its arguments."""
        own = (each for each in self.schemas if each.function == function.name)
        return [each for each in own if each.count == len(function.params)]

    def hosts(self) -> list[Node]:
        """All functions that are no kernels, in the order of the files; what two files include, once."""
        return list(self._first.values())

    def callee(self, name: str, args: tuple[ir.Expr, ...], unit: int) -> Node | None:
        """The function that a call in a unit means; None where no body is known, or more than one may be meant."""
        own = self.units[unit].functions.get(name)
        if self.is_guessed(name, unit):
            nodes = [
                n for n in self._by_name.get((simple(name), len(args)), []) if _fits_behind(args, self.function(n))
            ]
            return nodes[0] if len({n[1] for n in nodes}) == 1 else None
        if own is not None:
            return self._first.get(_place(own))
        exact = self._by_id.get(_head(name)) if name.endswith(")") else None
        if exact is not None:
            return exact if _fits(args, self.function(exact).params) else None
        nodes = [n for n in self._by_name.get((name, len(args)), []) if _fits(args, self.function(n).params)]
        if len(nodes) > 1:  # of overloads the one that takes just what is given
            nodes = [n for n in nodes if _takes(args, self.function(n).params)] or nodes
        places = {(self.function(n).span.path, self.function(n).span.line) for n in nodes}
        return nodes[0] if nodes and len(places) == 1 and len({n[1] for n in nodes}) == 1 else None

    def is_guessed(self, name: str, unit: int) -> bool:
        """A declaration that the front end made for a name that nothing declares: `f<pack>(int &)` takes all by reference."""
        own = self.units[unit].functions.get(name)
        return name.partition("(")[0].endswith("<pack>") and (own is None or not own.body)

    def kernel(self, name: str, arity: int, unit: int) -> str | None:
        """The id, in the first unit, of a kernel that is launched in a unit."""
        own = self.units[unit].functions.get(name)
        found = self.units[0].functions.get(name)
        if unit == 0 or own is None:
            if found is not None:
                return name
            head = _head(name)
            named = [f.id for f in self.units[0].functions.values() if _head(f.id) == head and len(f.params) == arity]
            fitting = [i for i in named if self.units[0].functions[i].role is ir.Role.KERNEL]
            return fitting[0] if len(fitting) == 1 else None
        same = found is not None and (found.span.path, found.span.line) == (own.span.path, own.span.line)
        return name if same else None

    def kernel_of_name(self, name: str) -> str | None:
        """The id, in the first unit, of the kernel that a program looks up by name at run time; None where none or several fit."""
        kernels = [f for f in self.units[0].functions.values() if f.role is ir.Role.KERNEL]
        if name in self.units[0].functions:
            return name
        fitting = [f.id for f in kernels if means(name, _head(f.id))]
        fitting = fitting or [f.id for f in kernels if f.name == name]
        return fitting[0] if len(fitting) == 1 else None

    def calls(self, node: Node, passed: bool = True) -> set[Node]:
        """The functions that a function calls; and those that it passes on, where asked for."""
        found: set[Node] = set()
        self._note_calls(self.function(node).body, node[0], found, passed)
        return found

    def handed_on(self, nodes: Collection[Node]) -> set[Node]:
        """Those of the functions that some function passes to code that nobody has read, which may call them with anything."""
        named = {
            (name, unit)
            for unit, function in self.hosts()
            for name in handed_on(self.units[unit].functions[function].body, partial(self._is_read, unit=unit))
        }
        found = (self.callee(name, (), unit) for name, unit in sorted(named))
        return {node for node in found if node is not None and node in nodes}

    def _is_read(self, call: ir.Call, unit: int) -> bool:
        node = self.callee(call.function, call.args, unit)
        return node is not None and bool(self.function(node).body)

    def written_by(self, node: Node) -> frozenset[str]:
        """The variables outside functions that a function may write, itself or by what it calls; all behind a pointer to one."""
        if node not in self._written_by:
            reached = self.reached(node)
            names = {name for each in reached for name in written_in(self.function(each).body)}
            through = any("(*)" in called_in(self.function(each).body) for each in reached)
            self._written_by[node] = frozenset(self.globals if through else names & self.globals.keys())
        return self._written_by[node]

    def stores_elsewhere(self, node: Node) -> bool:
        """Whether a function, or one that it calls, may store to what is no local variable of it."""
        if node not in self._stores:
            bodies = (self.function(each).body for each in self.reached(node))
            self._stores[node] = any("(*)" in called_in(body) or stores_elsewhere(body) for body in bodies)
        return self._stores[node]

    def reached(self, node: Node) -> set[Node]:
        """The function and all that it calls or passes on."""
        reached, pending = {node}, [node]
        while pending:
            more = self.calls(pending.pop()) - reached
            reached |= more
            pending += more
        return reached

    def declared_at(self, node: Node) -> Span:
        """Where a function stands that declares something of an operator: of one that only calls that of C++ which does, there."""
        function = self.function(node)
        if function.name.startswith(DECLARED_IN_C):
            calls = (s for s in walk.statements(function.body) if isinstance(s, ir.Call))
            called = (self.callee(s.function, s.args, node[0]) for s in calls)
            return next((self.declared_at(each) for each in called if each is not None), function.span)
        return function.span

    def _note_calls(self, body: Body, unit: int, found: set[Node], passed: bool) -> None:
        for stmt in body:
            if isinstance(stmt, ir.Call):
                callee = self.callee(stmt.function, stmt.args, unit)
                if callee is not None:
                    found.add(callee)
            handed = (self.callee(name, (), unit) for name in (passed_functions(stmt) if passed else ()))
            found |= {node for node in handed if node is not None}
            for part in inner_bodies(stmt):
                self._note_calls(part, unit, found, passed)

    def launched(self, name: str, launch: ir.Launch, unit: int) -> str | None:
        """The id, in the first unit, of the kernel that a launch in a unit means by that name."""
        if launch.pointers is None and launch.buffer is None:
            return self.kernel(name, len(launch.args), unit)
        own = self.units[unit].functions.get(name)
        return self.kernel(name, len(own.params), unit) if own is not None else self.kernel_of_name(name)

    def sites(self, node: Node) -> set[Site]:
        """Path, line and kernel of each launch in the function that may be one of the first unit's kernels."""
        found: set[Site] = set()
        for launch in launches_in(self.function(node).body):
            kernel = uncast(launch.kernel)
            name = self.launched(kernel.function, launch, node[0]) if isinstance(kernel, ir.FunctionRef) else ""
            if name is not None:
                found.add((launch.span.path, launch.span.line, name))
        return found


def _fits(args: tuple[ir.Expr, ...], params: tuple[ir.Param, ...]) -> bool:
    """Whether the declaration that the call was written against may be that of this definition."""
    return all(_same_kind(arg.type, param.var.type) for arg, param in zip(args, params))


def _takes(args: tuple[ir.Expr, ...], params: tuple[ir.Param, ...]) -> bool:
    """Whether each argument has the type of its parameter, template arguments of its class included."""
    return all(_same_type(arg.type, param.var.type) for arg, param in zip(args, params))


def _same_type(given: ir.Type, wanted: ir.Type) -> bool:
    """Equal, or a class of one name, whose layout each file may know otherwise."""
    if isinstance(given, ir.Pointer) and isinstance(wanted, ir.Pointer):
        return _same_type(given.element, wanted.element)
    if isinstance(given, ir.Struct | ir.Unknown) and isinstance(wanted, ir.Struct | ir.Unknown):
        return _unscoped(given.name) == _unscoped(wanted.name)
    return given == wanted


def _unscoped(name: str) -> str:
    """`Params<float>` of `attention::Params<float>`."""
    head, bracket, args = name.partition("<")
    return head.rpartition("::")[2] + bracket + args


def simple(name: str) -> str:
    return name.partition("<")[0]


def _fits_behind(args: tuple[ir.Expr, ...], function: ir.Function) -> bool:
    """Whether the function takes what the references of a guessed declaration lead to."""
    given = [a.type.element if isinstance(a.type, ir.Pointer) else None for a in args]
    return all(g is not None and _same_kind(g, p.var.type) for g, p in zip(given, function.params))


def _same_kind(given: ir.Type, wanted: ir.Type) -> bool:
    if _class(given) == OF_ANY_KIND:
        return True
    if isinstance(given, ir.Pointer) and isinstance(wanted, ir.Pointer):
        one, two = given.element, wanted.element
        return one == two or ir.VOID in (one, two) or _class(one) == _class(two) != ""
    return isinstance(given, ir.Pointer) == isinstance(wanted, ir.Pointer)


def _class(type_: ir.Type) -> str:
    """The name of a class without its scope, for which each file has a layout of its own."""
    return type_.name.split("<")[0].split("::")[-1] if isinstance(type_, ir.Struct | ir.Unknown) else ""


def _head(function: str) -> str:
    """`k<float>` of `k<float>(const float *)`: a declaration may spell its parameters otherwise."""
    return function.rpartition("(")[0] or function


def _place(function: ir.Function) -> tuple[str, int, str]:
    return function.span.path, function.span.line, function.id


def declared_instances(units: tuple[ir.Unit, ...]) -> tuple[str, ...]:
    """Instances `k<float>` of kernel templates that these files launch and another one defines."""
    found: dict[str, None] = {}
    for unit in units:
        for function in unit.functions.values():
            _note_instances(function.body, unit, found)
    return tuple(found)


def undefined_calls(units: tuple[ir.Unit, ...]) -> frozenset[str]:
    """Names of the functions that these files call and none of them defines."""
    defined = {f.name for unit in units for f in unit.functions.values() if f.body}
    called = {name for unit in units for f in unit.functions.values() for name in called_in(f.body)}
    return frozenset({simple(_head(name)).split("::")[-1] for name in called} - defined)


def _note_instances(body: Body, unit: ir.Unit, found: dict[str, None]) -> None:
    for stmt in body:
        if isinstance(stmt, ir.Launch) and isinstance(stmt.kernel, ir.FunctionRef):
            head = _head(stmt.kernel.function)
            if stmt.kernel.function not in unit.functions and head.endswith(">"):
                found[head] = None
        for part in inner_bodies(stmt):
            _note_instances(part, unit, found)


def _mattering(units: tuple[ir.Unit, ...]) -> frozenset[str]:
    """Functions that launch or allocate, themselves or through others: ids and names."""
    functions = [f for unit in units for f in unit.functions.values()]
    found: set[str] = set()
    before = -1
    while len(found) != before:
        before = len(found)
        for function in functions:
            if function.id not in found and matters(function.body, found):
                found |= {function.id, function.name}
    return frozenset(found)
