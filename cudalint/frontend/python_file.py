"""What a Python file says around its functions: libraries, tables of their functions, constants, what gives an address."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass

from cudalint.analysis.operators import DECLARED_IN_C
from cudalint.frontend.python_functions import Functions
from cudalint.frontend.python_imported import Imported, Module
from cudalint.frontend.python_operators import Callee, Operators, Project, kind_in_schema
from cudalint.frontend.python_parameters import annotated_kind
from cudalint.frontend.python_passed import Parameter, Variant, Worded, bound, result_type
from cudalint.frontend.python_registered import NOTHING, called, key_of, positional, registered_in
from cudalint.frontend.python_said import Kind, in_c
from cudalint.frontend.python_tree import tree_of

Prototype = Callable[[str], tuple[str, ...] | None]  # the types of a C function's parameters, as they are written
GIVES = "_gives"  # ends the name of the function that says what an operator gives
Rows = tuple[tuple[str, ...], ...]  # functions that stand at one place of a table, by place
Word = Callable[[ast.FunctionDef, "File"], Worded]
WordDeclared = Callable[[str, ast.FunctionDef, "File"], Worded]


@dataclass(frozen=True, slots=True)
class Told:
    """What is declared of an operator, as a function in C++; `names` are its parameters in the operator's order.

    `giving` is the function that says what the operator gives: it gets what is known of that, and the same arguments.
    """

    operator: str
    worded: Worded
    names: tuple[str, ...]
    node: ast.FunctionDef | None = None

    @property
    def short(self) -> str:
        """The operator's name without its namespace."""
        return re.sub(r"\W", "_", self.operator.split("::")[-1])

    @property
    def variant(self) -> Variant:
        return self.worded.variants[0]

    @property
    def checks(self) -> bool:
        return self.worded.checks

    @property
    def results(self) -> tuple[Kind, ...]:
        return self.worded.results if set(self.worded.results) == {Kind.TENSOR} else ()

    @property
    def natural(self) -> frozenset[str]:
        return self.worded.natural

    @property
    def giving(self) -> str:
        return f"{self.variant.name}{GIVES}"

    @property
    def declarations(self) -> tuple[str, ...]:
        """Of the function, and of the one that says what the operator gives."""
        types = [*(kind.value[0] for kind in self.results), *filter(None, (self.variant.types,))]
        giving = (f"{result_type(self.results)} {self.giving}({', '.join(types)});",) if self.results else ()
        return (*self.worded.declarations, *giving)


def told_in_c(declaring: Callee) -> Told:
    """What a meta kernel of C++ says of its operator."""
    operator = declaring.operator
    names = tuple(p.name or f"given_{n}" for n, p in enumerate(declaring.parameters))
    known = [(name, p) for name, p in zip(names, declaring.parameters) if p.kind is not Kind.ANY]
    parameters = tuple(Parameter(name, p.kind) for name, p in known)
    passed = [in_c(n) if p.kind is not Kind.ANY else p.kind.value[1] for n, p in zip(names, declaring.parameters)]
    written = ", ".join(f"{p.kind.value[0]} {in_c(p.name)}" for p in parameters)
    own = f"{DECLARED_IN_C}{operator.space}_{operator.name}"
    gives = "return " if declaring.results else ""
    text = (
        f"extern {declaring.declaration} {result_type(declaring.results)} {own}({written}) "
        f"{{ {gives}::{declaring.function}({', '.join(passed)}); }}"
    )
    worded = Worded((Variant(own, parameters, text),), declaring.results, False, True)
    return Told(f"{operator.space}::{operator.name}", worded, names)


class File:
    """`word` writes a function of the file in C++."""

    def __init__(
        self,
        tree: ast.Module,
        module: Module,
        prototype: Prototype,
        project: Project,
        word: Word,
        word_declared: WordDeclared,
        prefix: str = "",
    ) -> None:
        self.tree = tree
        self.prototype, self.project, self._word, self._word_declared = prototype, project, word, word_declared
        self.operators = Operators(project.callees, tree)
        taken = frozenset(c.function for each in project.callees.values() for c in each)
        self.functions = Functions(tree, taken, prefix)
        self.imported = Imported(
            tree,
            module if not prefix else lambda *_: None,
            lambda tree, prefix: File(tree, lambda *_: None, prototype, project, word, word_declared, prefix),
        )
        self.registered = registered_in(tree)
        self._run_by = {id(f): name for name, r in self.registered.items() for f in r.running}
        self._declared_by = {id(r.declaring): name for name, r in self.registered.items() if r.declaring is not None}
        self.told_in_c: dict[str, Told] = {}  # what C++ declares of operators that the file calls
        self.understood: set[int] = set()  # expressions for operators whose calls are in the C++
        self.followed: set[int] = set()  # expressions for functions of the file whose calls are in the C++
        self._worded: dict[int, Worded | None] = {}
        self._declaring: dict[int, Worded | None] = {}
        self._passed: dict[tuple[int, str], set[Kind]] | None = None
        self._pointers = {f.name for f in tree.body if isinstance(f, ast.FunctionDef) and _gives_pointer(f)}
        for stmt in tree.body:
            if isinstance(stmt, ast.ImportFrom):
                self._pointers |= _imported_pointers(stmt, module)
        self._libraries = _libraries(tree, prototype)
        once = _assigned_once(tree.body)
        shared = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
        once = {name: value for name, value in once.items() if name not in shared}
        numbers = {n: v.value for n, v in once.items() if isinstance(v, ast.Constant) and type(v.value) is int}
        self.constants = {name: value for name, value in numbers.items() if isinstance(value, int)}
        self.tables = {name: rows for name, value in once.items() if (rows := self._rows(value))}

    def worded(self, node: ast.FunctionDef) -> Worded | None:
        """A function of the file in C++; None while it is being written, for it calls itself."""
        if id(node) not in self._worded:
            self._worded[id(node)] = None
            self._worded[id(node)] = self._word(node, self)
        return self._worded[id(node)]

    def kind_passed(self, node: ast.FunctionDef, name: str) -> Kind:
        """The kind of value that the callers in the file pass for a parameter, as far as these say so."""
        if self._passed is None:
            self._passed = {}
            for place in self.functions.places.values():
                for call in (n for n in ast.walk(place.node) if isinstance(n, ast.Call)):
                    self._note_passed(call, place.node)
        kinds = self._passed.get((id(node), name), set()) - {Kind.ANY}
        if len(kinds) > 1 and kinds <= {Kind.TENSOR, Kind.OPTIONAL, Kind.NONE}:
            return Kind.OPTIONAL
        return next(iter(kinds)) if len(kinds) == 1 and Kind.NONE not in kinds else Kind.ANY

    def _note_passed(self, call: ast.Call, caller: ast.FunctionDef) -> None:
        meant = self.functions.called(call.func, caller)
        given = bound(call, *meant) if meant is not None else None
        if meant is None or given is None or self._passed is None:
            return
        own = {a.arg: a for a in (*caller.args.posonlyargs, *caller.args.args, *caller.args.kwonlyargs)}
        for name, value in given.items():
            argument = own.get(value.id) if isinstance(value, ast.Name) else None
            kind = Kind.ANY if argument is None else annotated_kind(argument, caller)
            self._passed.setdefault((id(meant[0]), name), set()).add(kind)

    # --- what is registered of operators --------------------------------------------------------------------------------

    def registered_operator(self, function: ast.expr) -> str | None:
        """The operator that a call of torch means, of which Python registers something."""
        return called(self.project.registered, function)

    def running(self, operator: str) -> ast.FunctionDef | None:
        """The function of the file that runs the operator."""
        running = self.registered.get(operator, NOTHING).running
        everywhere = self.project.registered.get(operator, NOTHING).running
        return running[0] if len(running) == len(everywhere) == 1 else None

    def run_by(self, node: ast.FunctionDef) -> tuple[str, ...]:
        """The operators that a function of the file runs."""
        return (self._run_by[id(node)],) if id(node) in self._run_by else ()

    def told(self, operator: str) -> Told | None:
        """What Python declares of an operator, in whichever file that is."""
        node = self.project.registered.get(operator, NOTHING).declaring
        worded = self._declaration(operator, node) if node is not None else None
        return None if node is None or worded is None else Told(operator, worded, tuple(positional(node)), node)

    def told_of(self, callee: Callee) -> Told | None:
        """What is declared of an operator of C++, where it speaks of all its parameters."""
        operator = key_of(self.project.registered, callee.operator.space, callee.operator.name)
        told = self.told(operator) if operator is not None else None
        if told is None and callee.declaring is not None:
            told = told_in_c(callee.declaring)
            self.told_in_c[told.variant.name] = told
        return told if told is not None and len(told.names) == len(callee.parameters) else None

    def _declaration(self, operator: str, node: ast.FunctionDef) -> Worded | None:
        if id(node) not in self._declaring:
            self._declaring[id(node)] = None
            self._declaring[id(node)] = self._word_declared(operator, node, self)
        return self._declaring[id(node)]

    def asked_kinds(self, node: ast.FunctionDef, operator: str) -> dict[str, Kind]:
        """What an operator takes for the parameters of a function that is registered for it, as its schema says."""
        operator = operator or self._run_by.get(id(node), self._declared_by.get(id(node), ""))
        if not operator:
            return {}
        names = [*positional(node), *(each.arg for each in node.args.kwonlyargs)]
        schema = self.project.registered.get(operator, NOTHING).schema
        space, _, name = operator.partition("::")
        callees = [c for c in self.project.callees.get(name, ()) if c.operator.space == space]
        kinds = [p.kind for p in callees[0].parameters] if len(callees) == 1 else []
        if schema is not None:
            kinds = [kind_in_schema(each) for each in schema.arguments]
        return dict(zip(names, kinds)) if len(names) == len(kinds) else {}

    def gives_pointer(self, function: ast.expr) -> bool:
        return isinstance(function, ast.Name) and function.id in self._pointers

    def function(self, node: ast.expr) -> str | None:
        """`lib.name`"""
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in self._libraries:
            return node.attr
        return None

    def _rows(self, value: ast.expr) -> Rows:
        if not isinstance(value, ast.Dict):
            return ()
        rows = []
        for entry in value.values:
            listed = entry.elts if isinstance(entry, ast.Tuple | ast.List) else [entry]
            names = [self.function(each) for each in listed]
            if None in names:
                return ()
            rows.append(tuple(name for name in names if name is not None))
        return tuple(rows)


def _gives_pointer(function: ast.FunctionDef) -> bool:
    """`def get_ptr(A): return None if A is None else ct.c_void_p(A.data_ptr())`"""
    if len(function.args.args) != 1:
        return False
    name = function.args.args[0].arg
    given = [r.value for r in ast.walk(function) if isinstance(r, ast.Return)]
    address = re.compile(rf"(?:[\w.]*c_void_p\()?{name}\.data_ptr\(\)\)?")
    texts = {"None" if value is None else ast.unparse(value) for value in given}
    return any(address.fullmatch(t) for t in texts) and all(t == "None" or address.fullmatch(t) for t in texts)


def _imported_pointers(stmt: ast.ImportFrom, module: Module) -> set[str]:
    text = module(stmt.module or "", stmt.level)
    if text is None or "data_ptr" not in text:
        return set()
    tree = tree_of(text)
    if tree is None:
        return set()
    found = {f.name for f in tree.body if isinstance(f, ast.FunctionDef) and _gives_pointer(f)}
    return {alias.asname or alias.name for alias in stmt.names if alias.name in found}


def _libraries(tree: ast.Module, prototype: Prototype) -> frozenset[str]:
    """What the file calls a library: what it loads, and whatever has functions that the C code defines."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and re.search(r"\b(?:CDLL|LoadLibrary)\(", ast.unparse(node.value)):
            found |= {ast.unparse(target) for target in node.targets}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            owner = ast.unparse(node.value)
            if owner not in found and prototype(node.attr) is not None:
                found.add(owner)
    return frozenset(found)


def _assigned_once(body: list[ast.stmt]) -> dict[str, ast.expr]:
    found: dict[str, list[ast.expr]] = {}
    for stmt in body:
        if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Name):
            found.setdefault(stmt.targets[0].id, []).append(stmt.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}
