"""What a Python file says around its functions: libraries, tables of their functions, constants, what gives an address."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from cudalint.frontend.python_functions import Functions
from cudalint.frontend.python_operators import Operators, Project
from cudalint.frontend.python_parameters import annotated_kind
from cudalint.frontend.python_passed import Worded, bound
from cudalint.frontend.python_said import Kind

Module = Callable[[str, int], str | None]  # the text of a module by its name and the number of its leading dots
Prototype = Callable[[str], tuple[str, ...] | None]  # the types of a C function's parameters, as they are written
Rows = tuple[tuple[str, ...], ...]  # functions that stand at one place of a table, by place
Word = Callable[[ast.FunctionDef, "File"], Worded]
WordDeclared = Callable[[str, ast.FunctionDef, "File"], Worded]


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
    ) -> None:
        self.prototype, self.project, self._word, self._word_declared = prototype, project, word, word_declared
        self.operators = Operators(project.callees, tree)
        self.functions = Functions(tree, frozenset(c.function for each in project.callees.values() for c in each))
        self.understood: set[int] = set()  # expressions for operators whose calls are in the C++
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

    def declaring(self, operator: str, node: ast.FunctionDef) -> Worded | None:
        """What a function declares of an operator, whose file need not be this one."""
        if id(node) not in self._declaring:
            self._declaring[id(node)] = None
            self._declaring[id(node)] = self._word_declared(operator, node, self)
        return self._declaring[id(node)]

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
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return set()
    found = {f.name for f in body if isinstance(f, ast.FunctionDef) and _gives_pointer(f)}
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
