"""The host program of a Python file in C++: each function that leads to a launch of a kernel which the file compiles.

    def scale(x):                                 void scale(cupy::ndarray x) {
        n = x.size                                    long n = x.numel();
        k(((n + 255) // 256,), (256,), (x, n))        k<<<dim3(cupy::floor_div(n + 255, 256)), ...>>>(x.data_ptr(), n);

Read as text, never executed. A function is written once for each sort of arguments that its callers pass: what only Python
knows of them (kernels, tuples, strings, constants) is worked out here, the rest is left to who walks host code. What is not
understood is the result of a function that nothing is known of.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from cudalint.frontend.python_host_calls import Calls
from cudalint.frontend.python_host_names import (
    callers,
    default_of,
    is_sized,
    is_static,
    parameters_of,
    parts_of,
    passed_names,
    stores,
    top_level,
    uses,
)
from cudalint.frontend.python_host_statements import Walker
from cudalint.frontend.python_host_values import (
    Array,
    Class,
    Items,
    Kernel,
    Library,
    Lost,
    Module,
    Number,
    Object,
    Real,
    Routine,
    Truth,
    Value,
    leaves,
    rebuilt,
    renamed,
    shape_of,
)
from cudalint.frontend.python_host_writer import Names, Writer, Written, c_name
from cudalint.frontend.python_values import Compiled, Exhausted, Reader

MOST_WRITTEN, MOST_VARIANTS = 200, 12  # functions, each for one sort of arguments; and of one function
DEEPEST = 12
_PASSES = 3
_TESTS = ("main", "test", "bench", "_main", "demo", "example", "run_test")
_LIBRARIES = {
    "RawKernel": "cupy",
    "RawModule": "cupy",
    "_compile_kernel": "cupy",
    "ElementwiseKernel": "cupy elementwise",
}


class Program:
    """One file. `compiled` says what each compiling call gives; `signatures` the kernels' parameters, in C."""

    def __init__(
        self,
        reader: Reader,
        tree: ast.Module,
        compiled: Mapping[ast.Call, tuple[Compiled, ...]],
        signatures: Signatures,
        reserved: frozenset[str],
    ) -> None:
        self.reader, self.tree, self.compiled, self.signatures = reader, tree, compiled, signatures
        self.names, self.reserved = Names(), reserved
        self.written: list[Written] = []
        self.unread: dict[int, str] = {}  # launches that are not told, by their offsets
        self.functions: dict[tuple[str, str], ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.imports: dict[str, str] = {}
        self.hints: dict[tuple[ast.AST, str], type] = {}  # what a kernel takes a parameter for
        self.module_names: dict[str, Value] = {}
        self._stored, self._passed, self._callers = stores(tree), passed_names(tree), callers(tree)
        self._known: dict[object, Written] = {}
        self._open: set[object] = set()
        self._called_by: dict[ast.AST, set[str]] = {}
        self._variants: dict[ast.AST, int] = {}
        self._used_as: dict[tuple[ast.AST, str], type | None] = {}
        self.unfollowed: set[ast.AST] = set()  # functions of which a call was not followed: others may pass anything
        self._collect()

    def _collect(self) -> None:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.asname or alias.name.split(".")[0]
                    self.imports.setdefault(name, alias.name if alias.asname else name)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.imports.setdefault(alias.asname or alias.name, f"{node.module or '.'}.{alias.name}")
        for stmt in top_level(self.tree.body):
            if isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef):
                self.functions["", stmt.name] = stmt
                self.unfollowed |= {stmt} if stmt.name in self._passed else set()
            elif isinstance(stmt, ast.ClassDef):
                self.classes[stmt.name] = stmt
                for inner in stmt.body:
                    if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                        self.functions[stmt.name, inner.name] = inner
                        self.unfollowed |= {inner} if inner.name in self._passed else set()

    def write(self) -> None:
        """The module's own statements, then each function that anybody may call."""
        try:
            self._write_module()
            waiting = list(self.functions.items())
            for called in (False, True):  # those that nobody seems to call first: they show what the others get
                for (owner, name), node in waiting:
                    if self._seems_called(name) == called and not self._is_internal(node):
                        self._write_free(node, owner)
        except (Exhausted, RecursionError):
            self.written = []

    # --- functions ----------------------------------------------------------------------------------------------------------

    def _write_module(self) -> None:
        walker = self._walker("", self.tree, {})
        walker.statements(self.tree.body)
        self.module_names = {n: v for n, v in walker.names.items() if "." not in n}
        name = self.names.function("module")
        self.names.shown[name] = "the module"
        self.written.append(Written(name, "the module", (), walker.writer.lines, free=True))

    def _walker(self, owner: str, node: ast.AST, names: dict[str, Value], depth: int = 0) -> Walker:
        writer = Writer(self.names, self.reserved)
        return Walker(self, writer, names, node, owner, depth)

    def _seems_called(self, name: str) -> bool:
        """Whether another function calls one of that name."""
        return any(caller not in ("", name) for caller in self._callers.get(name, ()))

    def _is_internal(self, node: ast.AST) -> bool:
        """Whether other functions of the file alone decide what it gets."""
        callers = {name for name in self._called_by.get(node, set()) if name and not name.startswith(_TESTS)}
        name = getattr(node, "name", "")
        private = name.startswith("_") and not name.startswith("__")
        if node in self.unfollowed:
            return False
        return bool(callers) or (private and node in self._called_by)

    def _write_free(self, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> None:
        """The function with arguments that its callers choose."""
        for _ in range(_PASSES):
            before = len(self.hints)
            made = self._free(node, owner)
            if len(self.hints) == before:
                break
        made.free = True
        self.written.append(self._named(made))

    def _named(self, made: Written) -> Written:
        made.name = self.names.function(made.shown)
        return made

    def _free(self, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> Written:
        walker = self._walker(owner, node, {})
        parameters: list[str] = []
        walker.writer.at = self.reader.offset(node.lineno, node.col_offset)
        plain = parameters_of(node.args)
        if owner and plain and not is_static(node):
            walker.names[plain[0].arg] = self._instance(owner, walker, parameters, node)
            plain = plain[1:]
        for argument in plain:
            self._give(argument, node, walker, parameters)
        for rest in (node.args.vararg, node.args.kwarg):
            if rest is not None:
                walker.names[rest.arg] = Lost(rest.arg)
        walker.statements(node.body)
        shown = f"{owner}.{node.name}" if owner else node.name
        return Written("", shown, tuple(parameters), walker.writer.lines, None, walker.start)

    def _instance(
        self, owner: str, walker: Walker, parameters: list[str], method: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> Object:
        """An object whose class was called with arguments that nobody knows."""
        made = self.functions.get((owner, "__init__"))
        if made is None or made is method:
            return Object(owner)
        inner = Walker(self, walker.writer, {}, made, owner, walker.depth + 1)
        inner.quiet = True
        for argument in parameters_of(made.args)[1:]:
            self._give(argument, made, inner, parameters)
        return self.constructed(owner, made, inner)

    def constructed(self, owner: str, made: ast.FunctionDef | ast.AsyncFunctionDef, walker: Walker) -> Object:
        """The object that `__init__` fills, whose parameters are in the walker's names."""
        self_ = made.args.args[0].arg if made.args.args else "self"
        walker.names[self_] = Object(owner)
        walker.inlined(made.body)
        prefix = f"{self_}."
        once = self._set_once(owner)
        found = {n.removeprefix(prefix): v for n, v in walker.names.items() if n.startswith(prefix)}
        return Object(owner, tuple(sorted((n, v) for n, v in found.items() if n in once)))

    def _set_once(self, owner: str) -> frozenset[str]:
        """Attributes that one assignment alone gives a value other than None."""
        names = {name for of, name in self._stored.attributes if of == owner}
        return frozenset(name for name in names if len(self._attribute_values(owner, name)) == 1)

    def _related(self, owner: str) -> list[str]:
        """The class, those that it is derived from, and those that are derived from it."""
        bases = {name: {getattr(b, "id", "") for b in node.bases} for name, node in self.classes.items()}
        found, before = {owner}, 0
        while len(found) != before:
            before = len(found)
            found |= {name for name, above in bases.items() if above & found}
            found |= {above for name in found for above in bases.get(name, ()) if above in self.classes}
        return sorted(found)

    def _attribute_values(self, owner: str, name: str) -> list[ast.expr]:
        """What is assigned to an attribute of the class, None apart."""
        values = [v for each in ("", *self._related(owner)) for v in self._stored.attributes.get((each, name), [])]
        return [value for value in values if not (isinstance(value, ast.Constant) and value.value is None)]

    def _give(self, argument: ast.arg, node: ast.AST, walker: Walker, parameters: list[str]) -> None:
        """A parameter, as what its annotation, its default and its uses say that it is."""
        kind, maybe = self._kind(argument, node)
        count = parts_of(argument.arg, node) if kind is None and default_of(argument, node) is None else 0
        if count and is_sized(argument.arg, node):
            numbers = tuple(Number(walker.writer.fresh(f"{argument.arg}_{place}")) for place in range(count))
            parameters += [f"long {each.text}" for each in numbers]
            walker.names[argument.arg] = Items(numbers)
            return
        if kind is None:
            walker.names[argument.arg] = Lost(argument.arg, walker.writer.at)
            return
        if kind is Real:
            walker.names[argument.arg] = Real()
            return
        name = walker.writer.fresh(argument.arg)
        value: Value = Array(name, maybe=maybe) if kind is Array else Number(name) if kind is Number else Truth(name)
        parameters.append(f"{c_name(value)} {name}")
        walker.names[argument.arg] = value

    def _kind(self, argument: ast.arg, node: ast.AST) -> tuple[type | None, bool]:
        name, default = argument.arg, default_of(argument, node)
        maybe = isinstance(default, ast.Constant) and default.value is None
        hint = self.hints.get((node, name))
        written = "" if argument.annotation is None else ast.unparse(argument.annotation)
        if any(word in written for word in ("ndarray", "Array", "Tensor")):
            return Array, maybe or "None" in written or "Optional" in written
        for word, kind in (("int", Number), ("bool", Truth), ("float", Real)):
            if written.strip("'\"") == word:
                return kind, False
        if (node, name) not in self._used_as:
            self._used_as[node, name] = uses(name, node)
        used = self._used_as[node, name]
        if used is Array or (hint is Array and used is None):
            return Array, maybe
        if isinstance(default, ast.Constant) and not maybe:
            plain = {bool: Truth, int: Number, float: Real}.get(type(default.value))
            return plain, False
        if maybe or isinstance(default, ast.expr):
            return None, False
        return (used or hint), False

    def is_changed(self, name: str) -> bool:
        """Whether functions assign a name of the module."""
        return self._stored.is_changed(name)

    # --- calls --------------------------------------------------------------------------------------------------------------

    def routine(self, owner: str, name: str) -> Routine | None:
        """A function of the file, or a method of a class or of what it is derived from."""
        node = self.functions.get((owner, name))
        if node is not None:
            return Routine(node, owner)
        bases = self.classes[owner].bases if owner in self.classes else []
        for base in bases:
            if isinstance(base, ast.Name) and base.id in self.classes and base.id != owner:
                return self.routine(base.id, name)
        return None

    def specialised(self, routine: Routine, given: Mapping[str, Value], caller: Calls) -> Written | None:
        """The function for one sort of arguments; None where it calls itself or there are too many."""
        node = routine.node
        assert not isinstance(node, ast.Lambda)
        count = self._variants.get(node, 0)
        key = node, tuple(sorted((name, shape_of(value)) for name, value in given.items()))
        self._called_by.setdefault(node, set()).add(caller.function_name)
        if key in self._known:
            return self._known[key]
        if key in self._open or caller.depth >= DEEPEST or count >= MOST_VARIANTS or len(self._known) >= MOST_WRITTEN:
            self.unfollowed.add(node)
            return None
        self._variants[node] = count + 1
        self._open.add(key)
        for _ in range(_PASSES):
            before = len(self.hints)
            made = self._special(routine, given, caller.depth + 1)
            if len(self.hints) == before:
                break
        self._open.discard(key)
        self._known[key] = self._named(made)
        self.written.append(made)
        return made

    def _special(self, routine: Routine, given: Mapping[str, Value], depth: int) -> Written:
        node = routine.node
        assert not isinstance(node, ast.Lambda)
        walker = self._walker(routine.owner, node, {}, depth)
        walker.writer.at = self.reader.offset(node.lineno, node.col_offset)
        parameters: list[str] = []
        for name, value in given.items():

            def named(leaf: Value, name: str = name) -> Value:
                own = walker.writer.fresh(name)
                parameters.append(f"{c_name(leaf)} {own}")
                return renamed(leaf, own)

            kind = self.lost_parameter(routine, name, value)
            if kind is not None:
                walker.names[name] = named(Array("") if kind is Array else Number(""))
            else:
                walker.names[name] = rebuilt(value, named)
        walker.statements(node.body)
        shown = f"{routine.owner}.{node.name}" if routine.owner else node.name
        return Written("", shown, tuple(parameters), walker.writer.lines, walker.result(), walker.start)

    def lost_parameter(self, routine: Routine, name: str, value: Value) -> type | None:
        """What a parameter is of whose argument nothing is known, where the function tells."""
        argument = next((a for a in parameters_of(routine.node.args) if a.arg == name), ast.arg(name))
        kind = self._kind(argument, routine.node)[0] if isinstance(value, Lost) else None
        return kind if kind in (Array, Number) else None

    def default(self, node: ast.expr) -> Value:
        """A default value, which hangs on nothing but the module."""
        walker = self._walker("", self.tree, {}, DEEPEST)
        walker.quiet = True
        value = walker.value(node)
        return Lost(self.reader.written(node)) if any(True for _ in leaves(value)) else value

    def construct(
        self, owner: str, made: ast.FunctionDef | ast.AsyncFunctionDef, given: Mapping[str, Value], caller: Calls
    ) -> Object:
        """The object that a call of its class gives."""
        inner = Walker(self, caller.writer, dict(given), made, owner, caller.depth + 1)
        inner.quiet = True
        self._called_by.setdefault(made, set())
        return self.constructed(owner, made, inner)

    # --- names ----------------------------------------------------------------------------------------------------------------

    def name(self, name: str) -> Value | None:
        """What a name means outside of functions, where it means one thing only."""
        if ("", name) in self.functions:
            return Routine(self.functions["", name])
        if name in self.classes:
            return Class(name)
        if name in self.imports:
            return Library(self.imports[name])
        values = self._stored.globals.get(name, [])
        real = [v for v in values if not (isinstance(v, ast.Constant) and v.value is None)]
        if len(real) == 1 and name in self.module_names and not self._stored.is_changed(name):
            found = self.module_names[name]
            return found if not any(True for _ in leaves(found)) else Lost(name, kind=_plain_kind(found))
        if len(real) == 1:
            return self.constant(real[0])
        return None if not values else Lost(name)

    def constant(self, node: ast.expr) -> Value | None:
        """A value that hangs on nothing but the module: a kernel that some function makes and keeps."""
        walker = self._walker("", self.tree, {}, DEEPEST)
        walker.quiet = True
        value = walker.value(node)
        return value if isinstance(value, Kernel | Module) else None

    def attribute(self, owner: Object, name: str) -> Value | None:
        """What an object has under the name: what `__init__` or the class sets once, or a kernel that a method makes."""
        known = dict(owner.attributes).get(name)
        if known is not None:
            return known
        real = self._attribute_values(owner.owner, name)
        if len(real) == 1:
            found = self.constant(real[0])
            if found is not None:
                return found
            return self._of_class(owner.owner, name, real[0])
        return None

    def _of_class(self, owner: str, name: str, value: ast.expr) -> Value | None:
        """`THREADS = 256` in the body of the class."""
        node = self.classes.get(owner)
        own = node is not None and any(
            isinstance(s, ast.Assign | ast.AnnAssign) and s.value is value for s in node.body
        )
        if not own:
            return None
        walker = self._walker(owner, self.tree, {}, DEEPEST)
        walker.quiet = True
        found = walker.value(value)
        return found if not any(True for _ in leaves(found)) else None

    def made_by(self, node: ast.Call, last: str, name: str | None = None) -> Kernel | Module | Lost | None:
        """What a compiling call gives; Lost where it gives several, none of which the `name` that it is called with tells."""
        every = self.compiled.get(node, ())
        every = tuple(each for each in every if each.kernel == name) or every
        whole = [each for each in every if not self.signatures.has_holes(each)] or list(every)
        distinct = {(each.text.chars, each.text.at, each.kernel): each for each in whole}
        if not distinct:
            return None
        library = _LIBRARIES.get(last, "pycuda")
        if len(distinct) > 1:
            return Lost(self.reader.written(node), self.reader.start(node), Kernel)
        (one,) = distinct.values()
        return Module(one, library) if one.kernel is None else Kernel((one,), library)


class Signatures:
    """The kernels of the file's units. Replaced by who knows them."""

    def has_holes(self, compiled: Compiled) -> bool:
        raise NotImplementedError

    def parameters(self, compiled: Compiled) -> tuple[str, ...] | None:
        """The C types of a kernel's parameters; None where they cannot be read."""
        raise NotImplementedError

    def instance(self, compiled: Compiled) -> str | None:
        """An instance of a kernel that has types alone for its template, with ordinary ones; None of any other."""
        raise NotImplementedError


def _plain_kind(value: Value) -> type | None:
    return type(value) if isinstance(value, Number | Array | Truth) else None


__all__ = ["Program", "Signatures"]
