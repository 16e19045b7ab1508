"""Functions of a Python file that call a C library through ctypes, as C++ that says the same of sizes, types and checks.

    def scale(x: torch.Tensor):                      void scale(at::Tensor x) {
        if x.dtype != torch.float32: raise ...         if (x.scalar_type() != at::kFloat) { std::abort(); }
        y = torch.empty_like(x)                        at::Tensor y = at::empty_like(x);
        lib.cscale(x.data_ptr(), y.data_ptr(), n)      cscale(x.data_ptr(), y.data_ptr(), (int)(n)); }

Read as text, never executed. What is not understood becomes the result of a function that nothing is known of. Each function
stands on the line of its `def`; one that chooses among several of the library's is written once for each of them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from cudalint.frontend.python_wording import PRELUDE, UNKNOWN, Kind, Said, Wording

MOST_CHOICES = 24
Module = Callable[[str, int], str | None]  # the text of a module by its name and the number of its leading dots
Prototype = Callable[[str], tuple[str, ...] | None]  # the types of a C function's parameters, as they are written
Names = dict[str, Said]
Rows = tuple[tuple[str, ...], ...]  # functions that stand at one place of a table, by place

_RESHAPING = frozenset(("resize_", "resize_as_", "set_", "squeeze_", "unsqueeze_", "t_", "transpose_", "swapaxes_"))
_OF_TENSORS = frozenset(
    ("data_ptr", "numel", "shape", "dtype", "contiguous", "nbytes", "element_size", "is_contiguous")
)
_ANNOTATED = (("Sequence[int]", Kind.SIZES), ("torch.Size", Kind.SIZES), ("dtype", Kind.TYPE))
_PLAIN = {"int": Kind.INT, "bool": Kind.BOOL, "float": Kind.FLOAT}
_RETURNING = "python_value"  # what the library's functions give
_CARRIED = frozenset((Kind.TENSOR, Kind.OPTIONAL, Kind.INT, Kind.BOOL, Kind.TYPE, Kind.SIZES))
_KEYWORDS = frozenset((
    "auto", "case", "char", "const", "default", "delete", "do", "double", "enum", "extern", "float", "goto", "inline", "int",
    "long", "new", "operator", "private", "protected", "public", "register", "short", "signed", "sizeof", "static", "struct",
    "switch", "template", "this", "throw", "typedef", "union", "unsigned", "using", "virtual", "void",
))  # fmt: skip


def as_host_code(text: str, module: Module, prototype: Prototype) -> str:
    """The C++ of the functions that call a library; empty where none does or the file cannot be read."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ""
    file = _File(tree, module, prototype)
    lines: dict[int, list[str]] = {}
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            lines.setdefault(function.lineno, []).extend(_written(function, file))
    if not any(lines.values()):
        return ""
    return "\n".join(
        [PRELUDE, *(" ".join(lines.get(number, ())) for number in range(1 + PRELUDE.count("\n") + 1, max(lines) + 1))]
    )


def called_names(text: str) -> frozenset[str]:
    """The functions of the library that the C++ of a Python file calls."""
    return frozenset(re.findall(rf"{_RETURNING} (\w+)\(", text))


# --- what the file around a function says --------------------------------------------------------------------------------


class _File:
    """Libraries, tables of their functions, constants, and functions that give a tensor's address."""

    def __init__(self, tree: ast.Module, module: Module, prototype: Prototype) -> None:
        self.prototype = prototype
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


# --- one function ----------------------------------------------------------------------------------------------------------


def _written(function: ast.FunctionDef, file: _File) -> list[str]:
    """The function, once for each function of the library that it may choose."""
    first = _Function(function, file)
    texts = [first.text()]
    if not first.called and not first.choices:
        return []
    chosen = sorted(first.choices)[:MOST_CHOICES]
    if chosen:
        made = [_Function(function, file, chosen=name) for name in chosen]
        texts = [text for each in made if (text := each.text()) and each.called]
    return texts


@dataclass
class _Function:
    """`chosen`: the function that the variables for one hold; to choose another one ends the program."""

    node: ast.FunctionDef
    file: _File
    chosen: str = ""
    called: bool = False
    choices: set[str] = field(default_factory=set)
    _made: int = 0
    _declared: dict[str, None] = field(default_factory=dict)
    _held: dict[str, Rows] = field(default_factory=dict)
    _assigned: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self._assigned = _stored_names(self.node)

    def text(self) -> str:
        self.called, self._made, self._declared, self._held = False, 0, {}, dict(self.file.tables)
        names: Names = {}
        written = []
        arguments = self.node.args
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for argument in given:
            kind = _kind_of(argument, self.node, self._is_counted)
            name = argument.arg + "_" if argument.arg in _KEYWORDS else argument.arg
            if kind is not Kind.ANY:
                names[argument.arg] = Said(name, kind)
                written.append(f"{kind.value[0]} {name}")
            else:
                names[argument.arg] = UNKNOWN
        body, _ = self._block(self.node.body, names)
        for said in [each for each in names.values() if each.kind is Kind.SIZES]:  # each of its elements is an input
            elements = sorted(set(re.findall(rf"\b{said.text}_\d+\b", " ".join(body))))
            written += [f"long {element}" for element in elements]
        name = _shown(self.node) + (f"_by_{self.chosen}" if self.chosen else "")
        return f"{' '.join(self._declared)} void {name}({', '.join(written)}) {{ {' '.join(body)} }}"

    # --- statements -----------------------------------------------------------------------------------------------------

    def _block(self, body: Iterable[ast.stmt], names: Names) -> tuple[list[str], bool]:
        """What the statements say, and whether nobody is behind them."""
        written: list[str] = []
        for stmt in body:
            more, ended = self._statement(stmt, names)
            written += more
            if ended:
                return written, True
        return written, False

    def _statement(self, stmt: ast.stmt, names: Names) -> tuple[list[str], bool]:
        match stmt:
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                return self._assign(stmt, names)
            case ast.Expr():
                return self._calls(stmt.value, names), False
            case ast.If():
                return self._if(stmt, names)
            case ast.Assert():
                return [f"if (!{self._wording(names).truth(stmt.test)}) {{ std::abort(); }}"], False
            case ast.Raise():
                return ["std::abort();"], True
            case ast.Return():
                before = [] if stmt.value is None else self._calls(stmt.value, names)
                return [*before, "return;"], True
            case ast.With():
                for item in stmt.items:
                    self._forget(item.optional_vars, names)
                return self._block(stmt.body, names)
            case ast.For() | ast.While():
                self._forget(stmt, names)
                body, _ = self._block(stmt.body, names)
                self._forget(stmt, names)
                return ["while (python_bool()) {", *body, "}"], False
            case ast.Try():
                self._forget(stmt, names)
                body, _ = self._block([*stmt.body, *stmt.orelse], names)
                self._forget(stmt, names)
                return ["if (python_bool()) {", *body, "}"], False
            case ast.FunctionDef() | ast.ClassDef():
                return [], False
            case _:
                self._forget(stmt, names)
                return [], False

    def _forget(self, node: ast.AST | None, names: Names) -> None:
        for name in _stored_names(node) | set(_reshaped(node)):
            names[name] = UNKNOWN
            self._held.pop(name, None)

    def _assign(self, stmt: ast.Assign | ast.AnnAssign | ast.AugAssign, names: Names) -> tuple[list[str], bool]:
        if stmt.value is None:
            return [], False
        targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
        written = self._calls(stmt.value, names)
        if len(targets) != 1 or not isinstance(targets[0], ast.Name):
            for target in targets:
                if isinstance(target, ast.Tuple | ast.List | ast.Name | ast.Starred):
                    self._forget(target, names)
            return written, False
        name, value = targets[0].id, stmt.value
        if isinstance(stmt, ast.AugAssign):
            if names.get(name, UNKNOWN).kind in (Kind.TENSOR, Kind.OPTIONAL):
                return written, False  # in place
            value = ast.BinOp(ast.Name(name), stmt.op, stmt.value)
        rows = self._functions(value)
        if rows:
            names[name] = UNKNOWN
            return self._choose(name, rows, written)
        self._held.pop(name, None)
        said = self._wording(names).of(value)
        if said.kind in (Kind.ANY, Kind.NONE, Kind.FLOAT):
            names[name] = said
            return written, False
        self._made += 1
        own = f"{name}_{self._made}" if name in names or name in _KEYWORDS else name
        names[name] = Said(own, said.kind, said.natural, said.flat)
        made = [f"if ({own}.scalar_type() != {said.item}) {{ std::abort(); }}"] if said.item else []
        return [*written, f"{said.kind.value[0]} {own} = {said.text};", *made], False

    def _choose(self, name: str, rows: Rows, written: list[str]) -> tuple[list[str], bool]:
        self._held[name] = rows
        if all(len(row) == 1 for row in rows):
            offered = {row[0] for row in rows}
            self.choices |= offered
            if self.chosen and self.chosen not in offered:
                return [*written, "std::abort();"], True
        return written, False

    def _if(self, stmt: ast.If, names: Names) -> tuple[list[str], bool]:
        written = self._calls(stmt.test, names)
        cond = self._wording(names).truth(stmt.test)
        then, orelse, held = dict(names), dict(names), dict(self._held)
        body, then_ended = self._block(stmt.body, then)
        held_then, self._held = self._held, dict(held)
        other, else_ended = self._block(stmt.orelse, orelse)
        held_else = self._held
        if not then_ended and held_else.keys() - held_then.keys():  # a variable without a value: no call is made
            body, then_ended = [*body, "std::abort();"], True
        if not else_ended and held_then.keys() - held_else.keys():
            other, else_ended = [*other, "std::abort();"], True
        self._held = {**held_then, **held_else}
        if then_ended and (checked := _excluded(stmt.test)) in orelse and orelse[checked].kind is Kind.INT:
            orelse[checked] = names[checked] = replace(orelse[checked], natural=True)
        live = [side for side, ended in (((then, body), then_ended), ((orelse, other), else_ended)) if not ended]
        joined: list[str] = []
        for name in sorted(_stored_names(stmt)):
            values = [side.get(name, UNKNOWN) for side, _ in live]
            if not values or all(value == names.get(name) for value in values):
                continue
            if len({value.kind for value in values}) > 1 or values[0].kind not in _CARRIED:
                names[name] = UNKNOWN
                continue
            self._made += 1
            own, kind = f"{name}_{self._made}", values[0].kind
            joined.append(f"{kind.value[0]} {own} = {kind.value[1]};")
            for value, (_, text) in zip(values, live):
                text.append(f"{own} = {value.text};")
            names[name] = Said(own, kind, all(v.natural for v in values), any(v.flat for v in values))
        return [*written, *joined, f"if ({cond}) {{", *body, "} else {", *other, "}"], not live

    def _is_counted(self, argument: ast.arg) -> bool:
        """Whether the library gets it as an integer."""
        for call in (n for n in ast.walk(self.node) if isinstance(n, ast.Call)):
            if len(call.args) == 1 and re.search(r"\bc_(?:int|uint|long|size_t)\w*$", ast.unparse(call.func)):
                if getattr(call.args[0], "id", "") == argument.arg:
                    return True
            name = self.file.function(call.func) or (
                self.chosen if getattr(call.func, "id", "") in self._assigned else ""
            )
            types = self.file.prototype(name) if name else None
            for node, type_ in zip(call.args, types or ()):
                if getattr(node, "id", "") == argument.arg and re.search(
                    r"\b(?:int|long|u?int\d+_t|size_t)\b[^*]*$", type_
                ):
                    return True
        return False

    # --- calls ------------------------------------------------------------------------------------------------------------

    def _wording(self, names: Names) -> Wording:
        return Wording(names, self.file.gives_pointer, self.file.constants)

    def _functions(self, value: ast.expr) -> Rows:
        """The functions of the library that the value may be, or the rows of a table of them."""
        direct = self.file.function(value)
        if direct is not None:
            return ((direct,),)
        match value:
            case (
                ast.Call(func=ast.Attribute(value=ast.Name(id=table), attr="get"))
                | ast.Subscript(value=ast.Name(id=table))
            ):
                rows = self._held.get(table, ())
                place = value.slice if isinstance(value, ast.Subscript) else None
                if isinstance(place, ast.Constant) and isinstance(place.value, int):
                    return tuple((row[place.value],) for row in rows if 0 <= place.value < len(row))
                return rows
            case _:
                return ()

    def _calls(self, node: ast.expr, names: Names) -> list[str]:
        """The calls of the library in an expression; what it changes the shape of is another tensor from there on."""
        calls = [text for call in ast.walk(node) if isinstance(call, ast.Call) for text in self._called(call, names)]
        names |= dict.fromkeys(_reshaped(node), UNKNOWN)
        return calls

    def _called(self, call: ast.Call, names: Names) -> Iterator[str]:
        name = self.file.function(call.func)
        if name is None and isinstance(call.func, ast.Name) and call.func.id in self._held:
            name = self.chosen
        if not name or any(isinstance(a, ast.Starred) for a in call.args) or call.keywords:
            return
        types = self.file.prototype(name)
        if types is not None and len(types) != len(call.args):
            return
        wording = self._wording(names)
        given = [
            _argument(node, wording.of(node), types[place] if types is not None else "")
            for place, node in enumerate(call.args)
        ]
        self.called = True
        self._declared[f"{_RETURNING} {name}({', '.join(type_ for type_, _ in given)});"] = None
        yield f"{name}({', '.join(text for _, text in given)});"


def _excluded(test: ast.expr) -> str:
    """The variable that is none of some natural numbers where the test holds: `b not in (32, 64)`."""
    match test:
        case ast.Compare(
            left=ast.Name(id=name), ops=[ast.NotIn()], comparators=[ast.Tuple() | ast.List() | ast.Set() as listed]
        ):
            values = [each.value if isinstance(each, ast.Constant) else None for each in listed.elts]
            return name if all(type(value) is int and value >= 0 for value in values) else ""
        case _:
            return ""


def _argument(node: ast.expr, said: Said, type_: str) -> tuple[str, str]:
    """Type and value of what the library gets; a plain integer is a C `int` unless the function's own text has a longer one."""
    match said.kind:
        case Kind.POINTER | Kind.NONE:
            return "void *", said.text
        case Kind.INT:
            cast = re.match(r"\((int|unsigned|long|unsigned long)\)", said.text)
            if cast is not None:
                return cast[1], said.text
            if re.search(r"\b(?:float|double)\b", type_):
                return "double", Kind.FLOAT.value[1]
            width = "long" if re.search(r"\blong\b|64|size_t|ptrdiff", type_) else "int"
            return width, f"({width})({said.text})"
        case Kind.BOOL | Kind.FLOAT:
            return said.kind.value[0], said.text
        case _:
            return UNKNOWN.kind.value[0], UNKNOWN.text


def _kind_of(argument: ast.arg, function: ast.FunctionDef, is_counted: Callable[[ast.arg], bool]) -> Kind:
    """By its annotation, else by how the function uses it."""
    written = "" if argument.annotation is None else ast.unparse(argument.annotation).strip("'\"")
    name = argument.arg
    used = [n for n in ast.walk(function) if isinstance(n, ast.Attribute) and getattr(n.value, "id", "") == name]
    tested = any(_is_test_for_none(n, name) for n in ast.walk(function))
    if "Tensor" in written or (not written and any(n.attr in _OF_TENSORS for n in used)):
        optional = "Optional" in written or "None" in written or tested or _default(argument, function) is None
        return Kind.OPTIONAL if optional else Kind.TENSOR
    for text, kind in _ANNOTATED:
        if text in written:
            return kind
    if not written and isinstance(_default(argument, function), bool):
        return Kind.BOOL
    if written in _PLAIN:
        return _PLAIN[written]
    if not written and not tested:
        return Kind.INT if is_counted(argument) else Kind.SIZES if _is_indexed(name, function) else Kind.ANY
    return Kind.ANY


def _is_test_for_none(node: ast.AST, name: str) -> bool:
    """`name is None` or `name is not None`"""
    return (
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.Is | ast.IsNot)
        and getattr(node.left, "id", "") == name
        and isinstance(node.comparators[0], ast.Constant)
        and node.comparators[0].value is None
    )


def _default(argument: ast.arg, function: ast.FunctionDef) -> object:
    """The constant that the parameter has where callers give none; ... where it has none."""
    places = [*function.args.posonlyargs, *function.args.args]
    pairs = [
        *zip(reversed(places), reversed(function.args.defaults)),
        *zip(function.args.kwonlyargs, function.args.kw_defaults),
    ]
    found = next((value for each, value in pairs if each is argument), None)
    return found.value if isinstance(found, ast.Constant) else ...


def _is_indexed(name: str, function: ast.FunctionDef) -> bool:
    """Whether only its elements at constant places are asked for."""
    loads = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
    places = [n for n in ast.walk(function) if isinstance(n, ast.Subscript) and getattr(n.value, "id", "") == name]
    return (
        0 < len(loads) == len([p for p in places if isinstance(p.slice, ast.Constant) and type(p.slice.value) is int])
    )


def _reshaped(value: ast.AST | None) -> Iterator[str]:
    """`x.resize_(n)`"""
    for node in ast.walk(value) if value is not None else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _RESHAPING:
            owner = node.func.value
            if isinstance(owner, ast.Name):
                yield owner.id


def _stored_names(node: ast.AST | None) -> set[str]:
    inside = ast.walk(node) if node is not None else ()
    return {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store | ast.Del)}


def _shown(function: ast.FunctionDef) -> str:
    """Its name; of `def _()` that what is registered."""
    if function.name.strip("_"):
        return function.name
    texts = (str(n.value) for d in function.decorator_list for n in ast.walk(d) if isinstance(n, ast.Constant))
    words = [re.sub(r"\W", "_", text.split("::")[-1]) for text in texts]
    return next((w for w in words if w and not w[0].isdigit()), f"function_{function.lineno}")
