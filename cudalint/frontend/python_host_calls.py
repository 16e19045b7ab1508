"""Calls of a Python host program: compiled kernels and their launches, functions and classes of the file, libraries."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from cudalint.frontend import python_host_arrays as arrays
from cudalint.frontend import python_host_elementwise as elementwise
from cudalint.frontend import python_untouched as untouched
from cudalint.frontend.python_host_expressions import Expressions
from cudalint.frontend.python_host_names import BUILTINS, asked_for, is_integer, is_static, single_return
from cudalint.frontend.python_host_numbers import as_number, extreme
from cudalint.frontend.python_host_values import (
    Array,
    Bound,
    Class,
    Configured,
    Items,
    Kernel,
    Library,
    Lost,
    Module,
    Nothing,
    Number,
    Object,
    Real,
    Routine,
    Shape,
    String,
    Table,
    Truth,
    Value,
    leaves,
    number,
    rebuilt,
    renamed,
)
from cudalint.frontend.python_host_writer import LaunchLine, Writer
from cudalint.frontend.python_values import HOLE, Arguments, Compiled

if TYPE_CHECKING:
    from cudalint.frontend.python_host import Program

_COMPILING = frozenset(
    ("RawKernel", "RawModule", "SourceModule", "DynamicSourceModule", "_compile_kernel", "ElementwiseKernel")
)
_ASKING = frozenset(("size", "numel", "nelement", "dim"))
_PREPARED = {
    "prepared_call": 2,
    "prepared_timed_call": 2,
    "prepared_async_call": 3,
}  # how many arguments stand before the kernel's


class Calls(Expressions):
    """`quiet`: launches are not told, since they are told where they belong."""

    def __init__(
        self, program: Program, writer: Writer, names: dict[str, Value], node: ast.AST, owner: str, depth: int
    ) -> None:
        super().__init__(program.reader, writer, names)
        self.program, self.node, self.owner, self.depth, self.quiet = program, node, owner, depth, False
        self.function_name = getattr(node, "name", "")
        self.unstable: set[str] = set()  # names that other functions change

    def free(self, name: str) -> Value | None:
        found = self.program.name(name)
        return Library(f"builtins.{name}") if found is None and name in BUILTINS else found

    def attribute_of(self, owner: Object, name: str) -> Value | None:
        found = self.program.attribute(owner, name)
        if found is None and self.program.routine(owner.owner, name) is not None:
            return Bound(owner, name)
        return found

    def define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """A function inside a function: its names are those around it; what it changes of these may be anything."""
        shared = {name for each in ast.walk(node) if isinstance(each, ast.Nonlocal) for name in each.names}
        self.unstable |= shared
        for name in shared:
            self.names[name] = Lost(name)
        if self.node is self.program.tree:
            return
        self.names[node.name] = Routine(node, self.owner, (*self.names.items(), ("", Nothing())))
        if node.decorator_list:
            self.passed_on(self.names[node.name])

    # --- calls --------------------------------------------------------------------------------------------------------

    def call(self, node: ast.Call, hint: str) -> Value:
        last = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if last in _COMPILING and (made := self.program.made_by(node, last, asked_for(node, self.names))) is not None:
            return made
        if last in _ASKING and isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value)
            place = self.value(node.args[0]) if node.args else None
            if isinstance(owner, Array):
                return arrays.torch_size(self.writer, owner, last, place) or self.lost(node, Number)
        callee = self.value(node.func)
        arguments = self._arguments(node)
        if arguments is None:
            return self._of_unknown_arguments(node, callee)
        match callee:
            case Kernel() if callee.library == elementwise.LIBRARY:
                return elementwise.launched(self, node, callee, arguments)
            case Kernel() | Configured():
                self._launch(node, callee, arguments)
                return Nothing()
            case Bound():
                return self._method(node, callee, arguments, hint)
            case Routine():
                return self.call_routine(node, callee, arguments)
            case Class():
                return self._construct(node, callee.name, arguments)
            case Library():
                return self._library(node, callee, arguments, hint)
            case _:
                return self._unknown(node, callee, arguments)

    def _arguments(self, node: ast.Call) -> Arguments | None:
        positional: list[Value] = []
        named: dict[str, Value] = {}
        for argument in node.args:
            if not isinstance(argument, ast.Starred):
                positional.append(self.value(argument))
                continue
            value = self.value(argument.value)
            parts = value.parts if isinstance(value, Items) else None
            if parts is None:
                return None
            positional += parts
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is not None:
                named[keyword.arg] = value
            elif isinstance(value, Table):
                named |= {key: each for key, each in value.entries if isinstance(key, str)}
            else:
                return None
        return Arguments(tuple(positional), named)

    def _of_unknown_arguments(self, node: ast.Call, callee: Value) -> Value:
        if isinstance(callee, Kernel | Configured):
            kernel = callee.kernel if isinstance(callee, Configured) else callee
            nothing = self.lost(node)
            self._emit_launch(node, kernel, (nothing, nothing, nothing), None)
        if isinstance(callee, Routine):
            self.program.unfollowed.add(callee.node)
        if isinstance(callee, Bound | Class):
            owner = callee.name if isinstance(callee, Class) else getattr(callee.owner, "owner", "")
            made = self.program.routine(owner, "__init__" if isinstance(callee, Class) else callee.name)
            self.program.unfollowed |= {made.node} if made is not None else set()
        return self.lost(node)

    def _unknown(self, node: ast.Call, callee: Value, arguments: Arguments) -> Value:
        for value in (*arguments.positional, *arguments.named.values()):
            self.passed_on(value)
        if isinstance(callee, Lost) and callee.kind is Kernel:
            self.program.unread.setdefault(self.reader.start(node), f"which kernel `{callee.written}` is, is not known")
        return self.lost(node)

    def passed_on(self, value: Value) -> None:
        """A function that somebody else gets may be called by them."""
        if isinstance(value, Routine) and value.closure and not self.quiet and self.depth < 8:
            condition = self.writer.lost(Lost("whether it is called"), Truth)
            before = self.writer.block()
            self._inline(value, {p.arg: Lost(p.arg) for p in value.node.args.args})
            self.writer.nested(f"if ({condition}) {{", self.writer.close(before))

    # --- launches -----------------------------------------------------------------------------------------------------

    def _launch(self, node: ast.Call, callee: Kernel | Configured, arguments: Arguments) -> None:
        kernel = callee.kernel if isinstance(callee, Configured) else callee
        named = arguments.named
        if isinstance(callee, Configured):
            given = (*callee.given, number(1), number(1))
            shared: Value = callee.given[3] if len(callee.given) > 3 else number(0)
            self._emit_launch(node, kernel, (given[0], given[1], shared), arguments.positional, node.args)
            return
        if kernel.library == "pycuda":
            grid, block = named.get("grid", number(1)), named.get("block", self.lost(node))
            self._emit_launch(
                node, kernel, (grid, block, named.get("shared", number(0))), arguments.positional, node.args
            )
            return
        grid, block, passed = arguments.get("grid", 0), arguments.get("block", 1), arguments.get("args", 2)
        shared = arguments.get("shared_mem", 3) or number(0)
        nothing = self.lost(node)
        places = self._places(node)
        values = passed.parts if isinstance(passed, Items) else None
        self._emit_launch(node, kernel, (grid or nothing, block or nothing, shared), values, places)

    def _places(self, node: ast.Call) -> list[ast.expr]:
        """The expressions of the kernel's arguments, where they stand in the call."""
        found = node.args[2] if len(node.args) > 2 else next((k.value for k in node.keywords if k.arg == "args"), None)
        return found.elts if isinstance(found, ast.Tuple | ast.List) else []

    def _prepared(self, node: ast.Call, kernel: Kernel, name: str, arguments: Arguments) -> None:
        skipped = _PREPARED[name]
        if len(arguments.positional) < 2:
            return
        grid, block = arguments.positional[:2]
        shared = arguments.named.get("shared_size", number(0))
        passed, places = arguments.positional[skipped:], node.args[skipped:]
        self._emit_launch(node, kernel, (grid, block, shared), passed, places, converts=True)

    def _emit_launch(
        self,
        node: ast.Call,
        kernel: Kernel,
        configuration: tuple[Value, Value, Value],
        passed: tuple[Value, ...] | None,
        places: list[ast.expr] | None = None,
        converts: bool = False,
    ) -> None:
        for choice in kernel.choices:
            self._hint(choice, passed, places or [])
        if self.quiet:
            return
        at = self.writer.at = self.reader.start(node)
        grid, block = (self._dimensions(value) for value in configuration[:2])
        shared = self.writer.number(as_number(configuration[2])).text
        several = len(kernel.choices) > 1
        for choice in kernel.choices:
            if several:
                self.writer.emit(f"if ({self.writer.lost(Lost('which kernel it is'), Truth)}) {{")
            self.writer.lines.append(LaunchLine(choice, grid, block, shared, passed, at, converts))
            if several:
                self.writer.emit("}")

    def _dimensions(self, value: Value) -> str:
        """`dim3(x, y, z)`"""
        parts = value.parts if isinstance(value, Items) else (value,) if isinstance(value, Number) else ()
        if not 1 <= len(parts) <= 3:
            lost = value if isinstance(value, Lost) else Lost("its dimensions")
            parts = (Lost(lost.written, kind=Number),) * 3
        texts = [self.writer.number(part).text for part in (*parts, number(1), number(1))[:3]]
        return f"dim3({', '.join(texts)})"

    def _hint(self, choice: Compiled, passed: tuple[Value, ...] | None, places: list[ast.expr]) -> None:
        """A parameter of the function that goes to the kernel as it is, is what the kernel takes it for."""
        types = self.program.signatures.parameters(choice)
        if types is None or passed is None or not len(types) == len(passed) == len(places):
            return
        for type_, value, place in zip(types, passed, places):
            if isinstance(place, ast.Name) and isinstance(value, Lost) and value.kind is None:
                kind = Array if "*" in type_ else Number if is_integer(type_) else None
                if kind is not None:
                    self.program.hints.setdefault((self.node, place.id), kind)

    # --- methods ------------------------------------------------------------------------------------------------------

    def _method(self, node: ast.Call, bound: Bound, arguments: Arguments, hint: str) -> Value:
        owner, name = bound.owner, bound.name
        match owner:
            case Module() if name in ("get_function", "get_kernel"):
                return self._taken(node, owner, arguments.get("name", 0))
            case Kernel() if name in _PREPARED:
                self._prepared(node, owner, name, arguments)
                return Nothing()
            case Kernel():
                return owner if name == "prepare" else self.lost(node)
            case Array():
                found = arrays.array_method(self.writer, owner, name, arguments, hint)
                return (
                    self.lost(node, Array if name in ("reshape", "view", "transpose") else None)
                    if found is None
                    else found
                )
            case Object():
                routine = self.program.routine(owner.owner, name)
                if routine is None:
                    return self._unknown(node, self.lost(node), arguments)
                given = (
                    arguments if is_static(routine.node) else Arguments((owner, *arguments.positional), arguments.named)
                )
                return self.call_routine(node, routine, given)
            case Items() | Table():
                return self._of_collection(node, owner, name, arguments)
            case String():
                return String("", False)
            case _:
                return self._unknown(node, self.lost(node), arguments)

    def _taken(self, node: ast.Call, module: Module, name: Value | None) -> Value:
        """`mod.get_function("name")`"""
        if isinstance(name, String) and name.whole:
            return Kernel((Compiled(module.compiled.text, name.chars),), module.library)
        begun = name.chars if isinstance(name, String) else ""
        written = [each for each in module.compiled.instances if HOLE not in each]
        meant = [each for each in written if "<" in begun and each.startswith(begun)]
        if meant:
            return Kernel(tuple(Compiled(module.compiled.text, each) for each in meant), module.library)
        base, of_template, _ = begun.partition("<")
        listed = any(each.partition("<")[0] == base for each in written)
        if of_template and not listed:
            ordinary = self.program.signatures.instance(Compiled(module.compiled.text, base))
            if ordinary is not None:
                return Kernel((Compiled(module.compiled.text, ordinary),), module.library)
        return self.lost(node, Kernel)

    def _of_collection(self, node: ast.Call, owner: Items | Table, name: str, arguments: Arguments) -> Value:
        variable = (
            node.func.value.id if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) else ""
        )
        first = arguments.get("", 0)
        match owner:
            case Items() if name in ("append", "extend") and variable and first is not None:
                more = first.parts if name == "extend" and isinstance(first, Items) else (first,)
                known = name == "append" or isinstance(first, Items)
                self.names[variable] = Items((*owner.parts, *more), True) if known else self.lost(node)
                return Nothing()
            case Items():
                if variable and owner.mutable:
                    self.names[variable] = self.lost(node)
                return self.lost(node)
            case Table() if name == "get" and first is not None:
                return self._entry(owner, first) or self.lost(node)
            case Table() if name in ("values", "items", "keys"):
                keys = [String(key) if isinstance(key, str) else number(key) for key, _ in owner.entries]
                values = [value for _, value in owner.entries]
                pairs = [Items((key, value)) for key, value in zip(keys, values)]
                chosen: dict[str, list[Value]] = {"values": values, "items": list(pairs), "keys": list(keys)}
                return Items(tuple(chosen[name]))
            case _:
                return self.lost(node)

    # --- functions of the file ----------------------------------------------------------------------------------------

    def call_routine(self, node: ast.Call, routine: Routine, arguments: Arguments) -> Value:
        """A function of the file with what it is given."""
        given = self._given(routine, arguments)
        if given is None:
            self.program.unfollowed.add(routine.node)
            return self._unknown(node, self.lost(node), arguments)
        if isinstance(routine.node, ast.Lambda) or routine.closure or single_return(routine.node) is not None:
            return self._inline(routine, given) or self.lost(node)
        made = self.program.specialised(routine, given, self)
        if made is None:
            return self.lost(node)
        texts = [self.writer.text(leaf) for name in given for leaf in self._passed_leaves(routine, name, given[name])]
        at = self.writer.at = self.reader.start(node)
        call = f"{made.name}({', '.join(texts)})"
        types = made.results()
        if not types:
            self.writer.emit(f"{call};", made.name)
            result = made.result
            return self.lost(node, result.kind) if isinstance(result, Lost) else result or Nothing()
        holder = self.writer.fresh("result")
        type_ = types[0] if len(types) == 1 else f"{made.name}_result"
        self.writer.emit(f"{type_} {holder} = {call};", made.name)
        self.writer.at = at
        count, result = iter(range(len(types))), made.result
        assert result is not None
        return rebuilt(result, lambda leaf: renamed(leaf, holder if len(types) == 1 else f"{holder}.part{next(count)}"))

    def _passed_leaves(self, routine: Routine, name: str, value: Value) -> list[Value]:
        """What C++ has to be given for an argument."""
        kind = self.program.lost_parameter(routine, name, value)
        return (
            [Lost(value.written, value.at, kind)]
            if kind is not None and isinstance(value, Lost)
            else list(leaves(value))
        )

    def _given(self, routine: Routine, arguments: Arguments) -> dict[str, Value] | None:
        """The parameters by name, with those that the call leaves to their defaults."""
        args = routine.node.args
        plain = [*args.posonlyargs, *args.args]
        found: dict[str, Value] = {}
        if len(arguments.positional) > len(plain) and args.vararg is None:
            return None
        for parameter, value in zip(plain, arguments.positional):
            found[parameter.arg] = value
        names = {p.arg for p in (*plain, *args.kwonlyargs)}
        rest: list[tuple[str | int, Value]] = []
        for name, value in arguments.named.items():
            if name in names:
                found[name] = value
            else:
                rest.append((name, value))
        if args.vararg is not None:
            found[args.vararg.arg] = Items(arguments.positional[len(plain) :])
        if args.kwarg is not None:
            found[args.kwarg.arg] = Table(tuple(rest))
        elif rest:
            return None
        defaults = [*zip(reversed(plain), reversed(args.defaults)), *zip(args.kwonlyargs, args.kw_defaults)]
        for parameter, default in defaults:
            if parameter.arg not in found and default is not None:
                found[parameter.arg] = self.program.default(default)
        return found if names <= set(found) else None

    def _inline(self, routine: Routine, given: dict[str, Value]) -> Value | None:
        """The body in the place of the call; a function with several returns is not followed."""
        if self.depth > 20:
            return None
        outer = self.names
        self.names = {**dict(routine.closure), **given} if routine.closure else dict(given)
        self.depth += 1
        try:
            if isinstance(routine.node, ast.Lambda):
                return self.value(routine.node.body)
            body, result = routine.node.body, None
            returns = [each for each in ast.walk(routine.node) if isinstance(each, ast.Return)]
            last = body[-1]
            if len(returns) > 1 or (returns and returns[0] is not last):
                return None
            self.statements_of(body[:-1] if returns else body)
            if isinstance(last, ast.Return) and last.value is not None:
                result = self.value(last.value)
            return result if returns else Nothing()
        finally:
            self.names = outer
            self.depth -= 1

    def statements_of(self, body: list[ast.stmt]) -> None:
        """Word them here."""
        raise NotImplementedError

    def _construct(self, node: ast.Call, name: str, arguments: Arguments) -> Value:
        made = self.program.functions.get((name, "__init__"))
        if made is None:
            return Object(name)
        given = self._given(Routine(made, name), Arguments((Object(name), *arguments.positional), arguments.named))
        return self.lost(node) if given is None else self.program.construct(name, made, given, self)

    # --- libraries ----------------------------------------------------------------------------------------------------

    def _library(self, node: ast.Call, callee: Library, arguments: Arguments, hint: str) -> Value:
        root, _, name = callee.name.partition(".")
        if root == "builtins":
            return self._builtin(node, name, arguments) or self.lost(node)
        if root in arrays.ROOTS:
            last = callee.name.rpartition(".")[2]
            if last in ("get_array_module", "get_array_backend"):
                return Library("cupy")
            found = arrays.library_call(self.writer, callee.name, arguments, self.lost(node), hint)
            if found is not None:
                return untouched.noted(self, node, callee.name, found, arguments)
        return self._unknown(node, self.lost(node), arguments)

    def _builtin(self, node: ast.Call, name: str, arguments: Arguments) -> Value | None:
        first = arguments.get("", 0)
        values = (
            list(first.parts)
            if len(arguments.positional) == 1 and isinstance(first, Items)
            else list(arguments.positional)
        )
        match name:
            case "len":
                return self._length(first)
            case "min" | "max":
                return extreme(name, values) or self.lost(
                    node, Number if values and all(map(_counts, values)) else None
                )
            case "int" | "round":
                return self._whole(node, first)
            case "float" | "complex":
                return Real(item="float64" if name == "float" else "")
            case "abs" if isinstance(first, Number) and first.natural:
                return first
            case "bool" if isinstance(first, Truth):
                return first
            case "tuple" | "list" if isinstance(first, Items):
                return Items(first.parts, name == "list")
            case "tuple" | "list" if isinstance(first, Shape):
                return first
            case "str" if isinstance(first, Number) and first.value is not None:
                return String(str(first.value))
            case "str":
                return first if isinstance(first, String) else String("", False)
            case "dict" if not arguments.positional:
                return Table(tuple(arguments.named.items()))
            case "isinstance" | "hasattr" | "callable":
                return Truth(self.writer.lost(self.lost(node), Truth))
            case "getattr" | "print" | "type":
                return None
            case _:
                for value in values:
                    self.passed_on(value)
                return None

    def _length(self, value: Value | None) -> Value | None:
        match value:
            case Items():
                return number(len(value.parts))
            case Array():
                return arrays.first_size(value)
            case Shape():
                return Number(f"{value.array.text}.dim()", None, True)
            case Table():
                return number(len(value.entries))
            case String() if value.whole:
                return number(len(value.chars))
            case _:
                return None

    def _whole(self, node: ast.Call, value: Value | None) -> Value:
        """`int(n / 256)`"""
        if isinstance(value, Number):
            return Number(value.text, value.value, value.natural)
        if isinstance(value, Truth):
            return as_number(value)
        found = arrays.library_call(self.writer, "math.int", Arguments((value,), {}), self.lost(node), "")
        known = found if isinstance(value, Real) and isinstance(found, Number) else None
        return known or self.lost(node, Number)


def _counts(value: Value) -> bool:
    return isinstance(value, Number) or getattr(value, "kind", None) is Number
