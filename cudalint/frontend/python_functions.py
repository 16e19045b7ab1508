"""The functions of a Python file, what each is called in the C++ that words it, and which one a call means."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_KEEPING = frozenset((
    "cache", "lru_cache", "staticmethod", "classmethod", "no_grad", "enable_grad", "inference_mode", "custom_fwd", "custom_bwd",
    "once_differentiable", "disable", "allow_in_graph", "ignore", "contextmanager", "override", "abstractmethod",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """Where a function stands: the classes and functions around it, outermost first."""

    node: ast.FunctionDef
    owners: tuple[ast.ClassDef | ast.FunctionDef, ...] = ()

    @property
    def owner(self) -> ast.ClassDef | None:
        last = self.owners[-1] if self.owners else None
        return last if isinstance(last, ast.ClassDef) else None


@dataclass(slots=True)
class Functions:
    """`taken` are names that mean something else in the C++; a `prefix` tells the functions of another file from the own ones."""

    tree: ast.Module
    taken: frozenset[str] = frozenset()
    prefix: str = ""
    places: dict[int, Place] = field(init=False)
    _names: dict[int, str] = field(init=False)

    def __post_init__(self) -> None:
        self.places = {id(place.node): place for place in _places(self.tree, ())}
        self._names = {}
        used = set(self.taken)
        for place in self.places.values():
            name = base = self.prefix + _shown(place)
            if name in used:
                name = f"{base}_of_{place.owners[-1].name}" if place.owners else f"python_{base}"
            if name in used:
                name = f"{base}_at_{place.node.lineno}"
            used.add(name)
            self._names[id(place.node)] = name

    def name(self, node: ast.FunctionDef) -> str:
        """What the function is called in C++."""
        return self._names.get(id(node), node.name)

    def called(self, function: ast.expr, inside: ast.FunctionDef) -> tuple[ast.FunctionDef, int] | None:
        """The function of the file that a call means, and how many of its parameters the call does not give."""
        match function:
            case ast.Name(id=name):
                return self._of_name(name, inside)
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                place = self.places.get(id(inside))
                owner = place.owner if place is not None else None
                return self._method(owner, name) if owner is not None else None
            case ast.Attribute(value=ast.Name(id=owner_name), attr=name):
                owners = [s for s in self.tree.body if isinstance(s, ast.ClassDef) and s.name == owner_name]
                if len(owners) != 1:
                    return None
                return self._applied(owners[0]) if name == "apply" else self._method(owners[0], name, bound=False)
            case ast.Attribute(value=ast.Call(func=ast.Name(id=getter), args=[]), attr=name):
                return self._inside(getter, name)
            case _:
                return None

    def is_entry(self, node: ast.FunctionDef, elsewhere: frozenset[str]) -> bool:
        """Whether callers that are not in the file may call it: its name says so, or files that use it."""
        place = self.places[id(node)]
        names = [each.name for each in (*place.owners, node)]
        if any(not keeps_arguments(each) for each in node.decorator_list):
            return True  # what it is called with may be something else
        private = any(name.startswith("_") and not name.startswith("__") for name in names)
        private |= place.owner is not None and _has_derivative(place.owner)  # functions of the file apply it
        return not private or any(name in elsewhere for name in names)

    def escaping(self, followed: Collection[int]) -> frozenset[int]:
        """Functions that the file hands on, or calls where that is not followed: what they get may be anything.

        `followed` are the expressions whose calls are.
        """
        own = {place.node.name for place in self.places.values()}
        named = set[str]()
        owners = dict[str, set[str]]()
        for node in ast.walk(self.tree):
            if id(node) in followed or not isinstance(getattr(node, "ctx", None), ast.Load):
                continue
            if isinstance(node, ast.Name) and node.id in own:
                named.add(node.id)
            elif isinstance(node, ast.Attribute) and node.attr in own:
                owners.setdefault(node.attr, set()).add(ast.unparse(node.value))
        return frozenset(id(p.node) for p in self.places.values() if _is_spoken_of(p, named, owners))

    def _of_name(self, name: str, inside: ast.FunctionDef) -> tuple[ast.FunctionDef, int] | None:
        around = self.places.get(id(inside))
        owners = [o for o in (around.owners if around is not None else ()) if isinstance(o, ast.FunctionDef)]
        scopes: list[ast.FunctionDef | ast.Module] = [*reversed([*owners, inside]), self.tree]
        for scope in scopes:
            found = [s for s in _own(scope.body) if isinstance(s, ast.FunctionDef) and s.name == name]
            if found:
                return (found[0], 0) if len(found) == 1 else None
        return None

    def _method(self, owner: ast.ClassDef, name: str, bound: bool = True) -> tuple[ast.FunctionDef, int] | None:
        found = [s for s in owner.body if isinstance(s, ast.FunctionDef) and s.name == name]
        if len(found) != 1:
            return None
        static = any(ast.unparse(d) == "staticmethod" for d in found[0].decorator_list)
        of_class = any(ast.unparse(d) == "classmethod" for d in found[0].decorator_list)
        return found[0], 1 if (bound and not static) or of_class else 0

    def _applied(self, owner: ast.ClassDef) -> tuple[ast.FunctionDef, int] | None:
        """`X.apply(a)` of a function with a derivative is `forward(context, a)`."""
        if not _has_derivative(owner):
            return None
        found = self._method(owner, "forward", bound=False)
        return None if found is None else (found[0], 1)

    def _inside(self, getter: str, name: str) -> tuple[ast.FunctionDef, int] | None:
        """`get_module().run()` where the getter defines `run`"""
        around = [s for s in self.tree.body if isinstance(s, ast.FunctionDef) and s.name == getter]
        found = [s for each in around for s in _own(each.body) if isinstance(s, ast.FunctionDef) and s.name == name]
        return (found[0], 0) if len(found) == 1 else None


def _is_spoken_of(place: Place, named: set[str], owners: Mapping[str, set[str]]) -> bool:
    """By its name or, of a method, as one of its class or by a name that says whose it is."""
    name = place.node.name
    if place.owner is None:
        return name in named
    told = owners.get(name, set())
    distinct = name.startswith("_") and not name.startswith("__")
    return bool(told) if distinct else not told.isdisjoint((place.owner.name, "self", "cls", "super()"))


def keeps_arguments(decorator: ast.expr) -> bool:
    """A decorator that calls the function with what it gets: it caches, registers, or sets something around it."""
    if isinstance(decorator, ast.Call) and any(
        isinstance(a, ast.Constant) and "::" in str(a.value) for a in decorator.args
    ):
        return True
    named = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
    return named.split(".")[-1] in _KEEPING and not (isinstance(decorator, ast.Call) and decorator.keywords)


def _has_derivative(owner: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith("Function") for base in owner.bases)


def _own(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a scope, those in its branches among them."""
    for stmt in body:
        yield stmt
        for part in (
            ("body", "orelse", "handlers", "finalbody") if not isinstance(stmt, ast.FunctionDef | ast.ClassDef) else ()
        ):
            yield from _own([s for s in getattr(stmt, part, ()) if isinstance(s, ast.stmt)])


def _places(
    scope: ast.Module | ast.ClassDef | ast.FunctionDef, owners: tuple[ast.ClassDef | ast.FunctionDef, ...]
) -> Iterator[Place]:
    for stmt in _own(scope.body):
        if isinstance(stmt, ast.FunctionDef):
            yield Place(stmt, owners)
        if isinstance(stmt, ast.FunctionDef | ast.ClassDef):
            yield from _places(stmt, (*owners, stmt))


def _shown(place: Place) -> str:
    """Its name; of `def _()` that what is registered, of a method called like many others that of its class with it."""
    function, owner = place.node, place.owner
    if owner is not None and function.name in ("forward", "backward", "__call__", "__init__", "run", "apply"):
        return f"{owner.name}_{function.name.strip('_')}"
    if function.name.strip("_"):
        return function.name
    texts = (str(n.value) for d in function.decorator_list for n in ast.walk(d) if isinstance(n, ast.Constant))
    words = [re.sub(r"\W", "_", text.split("::")[-1]) for text in texts]
    return next((w for w in words if w and not w[0].isdigit()), f"function_{function.lineno}")
