"""What the text of a Python host program says of its names: who sets and who calls them, and what parameters are used as."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cudalint.frontend.python_host_values import Array, Number, String, Value

_ARRAY_PARTS = frozenset((
    "size", "shape", "dtype", "ndim", "nbytes", "astype", "reshape", "ravel", "T", "data", "gpudata", "flags", "itemsize",
    "strides", "fill", "mem_size", "data_ptr", "numel", "nelement", "contiguous", "is_cuda", "new_empty", "new_zeros",
))  # fmt: skip
_ARRAY_MAKERS = frozenset((
    "asarray", "ascontiguousarray", "asanyarray", "empty_like", "zeros_like", "ones_like", "full_like", "to_gpu", "In", "Out",
    "InOut", "asfortranarray", "to_device",
))  # fmt: skip
_SIZED = frozenset(("empty", "zeros", "ones", "arange", "rand", "randn", "range"))
_WHOLE = frozenset(("int32", "int64", "uint32", "uint64", "intc", "uint8", "int8", "int16", "uint16"))
BUILTINS = frozenset((
    "len", "min", "max", "int", "float", "complex", "abs", "bool", "tuple", "list", "str", "dict", "isinstance", "hasattr",
    "callable", "round", "print", "getattr", "type", "range", "enumerate", "zip", "sum", "any", "all", "sorted", "map",
))  # fmt: skip


@dataclass(slots=True)
class Stores:
    """What is assigned to names of the module and to attributes, wherever it stands."""

    globals: dict[str, list[ast.expr]] = field(default_factory=dict)
    attributes: dict[tuple[str, str], list[ast.expr]] = field(default_factory=dict)  # by class, "" for any
    changed: set[str] = field(default_factory=set)

    def is_changed(self, name: str) -> bool:
        """Whether a function assigns the module's name."""
        return name in self.changed


def stores(tree: ast.Module) -> Stores:
    """Where names of the module and attributes are assigned."""
    found = Stores()
    shared = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    for stmt in top_level(tree.body):
        _note_globals(stmt, found)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            own = {n for s in ast.walk(node) if isinstance(s, ast.Global) for n in s.names}
            for inner in ast.walk(node):
                for name, value in _assigned(inner):
                    if name in own:
                        found.globals.setdefault(name, []).append(value)
        if isinstance(node, ast.ClassDef):
            _note_attributes(node, found)
    of_classes = {id(each) for c in ast.walk(tree) if isinstance(c, ast.ClassDef) for each in ast.walk(c)}
    for each in ast.walk(tree):
        for target, value in _attribute_targets(each) if id(each) not in of_classes else ():
            found.attributes.setdefault(("", target.attr), []).append(value)
    found.changed = shared
    return found


def passed_names(tree: ast.Module) -> frozenset[str]:
    """Names of functions that are handed on and not called at once: who gets them may pass anything."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute) and id(node) not in called)
    return frozenset(
        node.id if isinstance(node, ast.Name) else node.attr for node in names if isinstance(node.ctx, ast.Load)
    )


def callers(tree: ast.Module) -> dict[str, set[str]]:
    """By the name of what is called, the functions that call it; "" for the module."""
    found: dict[str, set[str]] = {}
    for function in (tree, *(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))):
        inside = (
            ast.walk(function) if function is not tree else (n for s in top_level(tree.body) for n in _plain_walk(s))
        )
        for node in inside:
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                found.setdefault(called, set()).add(getattr(function, "name", ""))
    return found


def _plain_walk(stmt: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement of the module, those of functions and classes apart."""
    return iter(()) if isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else ast.walk(stmt)


def _note_attributes(node: ast.ClassDef, found: Stores) -> None:
    for stmt in node.body:
        for name, value in _assigned(stmt):
            found.attributes.setdefault((node.name, name), []).append(value)
    for inner in ast.walk(node):
        for target, value in _attribute_targets(inner):
            own = isinstance(target.value, ast.Name) and target.value.id in ("self", "cls", node.name)
            found.attributes.setdefault((node.name if own else "", target.attr), []).append(value)


def _note_globals(stmt: ast.stmt, found: Stores) -> None:
    if isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
        return
    told = {name for name, _ in _assigned(stmt)}
    for name, value in _assigned(stmt):
        found.globals.setdefault(name, []).append(value)
    for name in stored(stmt) - told:
        found.globals.setdefault(name, []).extend([ast.Constant(...), ast.Constant(...)])


def _assigned(stmt: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(stmt, ast.Assign):
        for target in stmt.targets:
            if isinstance(target, ast.Name):
                yield target.id, stmt.value
    elif isinstance(stmt, ast.AnnAssign) and isinstance(stmt.target, ast.Name) and stmt.value is not None:
        yield stmt.target.id, stmt.value


def _attribute_targets(node: ast.AST) -> Iterator[tuple[ast.Attribute, ast.expr]]:
    """`self.n = ...`, and twice what is no plain assignment, for that is no single one."""
    match node:
        case ast.Assign():
            yield from ((target, node.value) for target in node.targets if isinstance(target, ast.Attribute))
            rest = [target for target in node.targets if not isinstance(target, ast.Attribute)]
        case ast.AnnAssign(target=ast.Attribute() as one):
            if node.value is not None:
                yield one, node.value
            return
        case ast.AugAssign() | ast.For() | ast.AsyncFor():
            rest = [node.target]
        case ast.With() | ast.AsyncWith():
            rest = [item.optional_vars for item in node.items if item.optional_vars is not None]
        case ast.Delete():
            rest = node.targets
        case _:
            return
    for part in rest:
        for inner in ast.walk(part):
            if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store | ast.Del):
                yield from ((inner, ast.Constant(...)), (inner, ast.Constant(...)))


def top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those in its `if`, `try` and `with` too."""
    for stmt in body:
        if isinstance(stmt, ast.If | ast.Try | ast.With):
            for part in ("body", "orelse", "finalbody"):
                yield from top_level(getattr(stmt, part, []))
            for handler in getattr(stmt, "handlers", []):
                yield from top_level(handler.body)
        else:
            yield stmt


def parameters_of(args: ast.arguments) -> list[ast.arg]:
    """All but those that take the rest."""
    return [*args.posonlyargs, *args.args, *args.kwonlyargs]


def is_static(node: ast.AST) -> bool:
    """A method that gets no object."""
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in getattr(node, "decorator_list", []))


def default_of(argument: ast.arg, node: ast.AST) -> ast.expr | None:
    """The expression that a parameter has where a call gives none."""
    args = getattr(node, "args", None)
    if not isinstance(args, ast.arguments):
        return None
    plain = [*args.posonlyargs, *args.args]
    pairs = [*zip(reversed(plain), reversed(args.defaults)), *zip(args.kwonlyargs, args.kw_defaults)]
    return next((value for each, value in pairs if each.arg == argument.arg), None)


def uses(name: str, node: ast.AST) -> type | None:
    """What the uses of a parameter say that it is."""
    found: type | None = None
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and each.attr in _ARRAY_PARTS and _is(each.value, name):
            return Array
        if isinstance(each, ast.Call):
            called = each.func.attr if isinstance(each.func, ast.Attribute) else getattr(each.func, "id", "")
            if called in _ARRAY_MAKERS and each.args and _is(each.args[0], name):
                return Array
            sized = called in _SIZED and any(_mentions(a, name) for a in each.args[:1] if not isinstance(a, ast.Name))
            sized = sized or (called in _SIZED and any(_is(a, name) for a in each.args))
            if sized and _is_indexed(name, node):
                continue
            if sized or (called in _WHOLE and each.args and _is(each.args[0], name)):
                found = Number
            if called == "ceil" and each.args and isinstance(each.args[0], ast.BinOp) and _is(each.args[0].left, name):
                found = Number
        if isinstance(each, ast.BinOp) and isinstance(each.op, ast.FloorDiv | ast.LShift | ast.RShift):
            if _mentions(each.left, name) or _is(each.right, name):
                found = Number
    return found


def parts_of(name: str, node: ast.AST) -> int:
    """How many numbers a parameter is taken apart into: `rows, cols = shape`; 0 where it is not."""
    for each in ast.walk(node):
        if isinstance(each, ast.Assign) and _is(each.value, name) and isinstance(each.targets[0], ast.Tuple):
            targets = each.targets[0].elts
            return len(targets) if all(isinstance(target, ast.Name) for target in targets) else 0
    return 0


def is_sized(name: str, node: ast.AST) -> bool:
    """Whether an array is made of that size: `cp.empty(shape)`; its parts are integers then."""
    calls = (each for each in ast.walk(node) if isinstance(each, ast.Call) and each.args)
    return any(getattr(c.func, "attr", "") in _SIZED and _is(c.args[0], name) for c in calls)


def _is_indexed(name: str, node: ast.AST) -> bool:
    """Whether parts of it are asked for: then it is no number."""
    indexed = any(isinstance(each, ast.Subscript | ast.Starred) and _is(each.value, name) for each in ast.walk(node))
    measured = (
        each
        for each in ast.walk(node)
        if isinstance(each, ast.Call) and getattr(each.func, "id", "") in ("len", "tuple")
    )
    return indexed or parts_of(name, node) > 0 or any(each.args and _is(each.args[0], name) for each in measured)


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _mentions(node: ast.expr, name: str) -> bool:
    """Whether the expression computes with the name itself."""
    match node:
        case ast.BinOp():
            return _mentions(node.left, name) or _mentions(node.right, name)
        case ast.UnaryOp():
            return _mentions(node.operand, name)
        case ast.Tuple() | ast.List():
            return any(_mentions(each, name) for each in node.elts)
        case _:
            return _is(node, name)


def stored(node: ast.AST) -> set[str]:
    """Names that the statements bind, `self.n` among them; not those of functions inside."""
    found: set[str] = set()
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store | ast.Del):
            found.add(each.id)
        elif isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store | ast.Del):
            if isinstance(each.value, ast.Name):
                found.add(each.value.id if each.attr in ("shape", "strides") else f"{each.value.id}.{each.attr}")
        elif isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store) and isinstance(each.value, ast.Name):
            found.add(each.value.id)
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef) and each is not node:
            if not isinstance(each, ast.Lambda):
                found.add(each.name)
            continue
        if (
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Attribute)
            and isinstance(each.func.value, ast.Name)
        ):
            if each.func.attr in ("append", "extend", "insert", "pop", "resize"):
                found.add(each.func.value.id)
        pending += ast.iter_child_nodes(each)
    return found


def single_return(node: ast.AST) -> ast.Return | None:
    """The one statement of a function that only gives a value."""
    body = [
        stmt
        for stmt in getattr(node, "body", [])
        if not (isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant))
    ]
    return body[0] if len(body) == 1 and isinstance(body[0], ast.Return) else None


def asked_for(node: ast.Call, names: Mapping[str, Value]) -> str | None:
    """The kernel that `cp.RawKernel(source, name)` makes, where a variable holds its name."""
    given = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords if k.arg == "name"), None)
    value = names.get(given.id) if isinstance(given, ast.Name) else None
    return value.chars if isinstance(value, String) and value.whole else None


def is_integer(type_: str) -> bool:
    words = set(type_.replace("const", " ").split())
    return bool(words) and words <= {
        "int", "unsigned", "long", "short", "size_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "signed", "ptrdiff_t",
    }  # fmt: skip
