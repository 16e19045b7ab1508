"""Functions that a Python file imports from other files of the project, and calls.

from .checks import same_shape         same_shape(x, y)
from . import checks                   checks.same_shape(x, y)

A few modules, read when a call asks for them; what they import themselves is not followed, nor a name that may mean several.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cudalint.frontend.python_functions import keeps_arguments
from cudalint.frontend.python_parameters import stored_names
from cudalint.frontend.python_tree import tree_of

if TYPE_CHECKING:
    from cudalint.frontend.python_file import File

MOST_MODULES = 3
LONGEST_MODULE = 100_000  # characters

Module = Callable[[str, int], str | None]  # the text of a module by its name and the number of its leading dots
Made = Callable[[ast.Module, str], "File"]  # a file with the prefix of its functions' names in C++


@dataclass(slots=True)
class Imported:
    """`module` gives the texts, `made` the files."""

    tree: ast.Module
    module: Module
    made: Made
    files: dict[tuple[str, int], File | None] = field(default_factory=dict)
    _names: dict[str, tuple[str, int, str]] = field(init=False)

    def __post_init__(self) -> None:
        given: dict[str, set[tuple[str, int, str]]] = {}
        for name, origin in _names(self.tree):
            given.setdefault(name, set()).add(origin)
        stored = stored_names(self.tree)
        self._names = {n: next(iter(each)) for n, each in given.items() if len(each) == 1 and n not in stored}

    def function(self, called: ast.expr, inside: ast.FunctionDef) -> tuple[File, ast.FunctionDef] | None:
        """The function of another file that a call means, with its file; none of a name that a parameter has."""
        root = called.value if isinstance(called, ast.Attribute) else called
        if not self._names or getattr(root, "id", "") in {
            a.arg for a in ast.walk(inside.args) if isinstance(a, ast.arg)
        }:
            return None
        match called:
            case ast.Name(id=name) if name in self._names:
                module, dots, own = self._names[name]
                return self._of(module, dots, own)
            case ast.Attribute(value=ast.Name(id=name), attr=own) if name in self._names:
                module, dots, last = self._names[name]
                return self._of(f"{module}.{last}".strip("."), dots, own)
            case _:
                return None

    def _of(self, module: str, dots: int, name: str) -> tuple[File, ast.FunctionDef] | None:
        file = self._file(module, dots, name)
        found = [s for s in file.tree.body if isinstance(s, ast.FunctionDef) and s.name == name] if file else []
        once = len(found) == 1 and all(map(keeps_arguments, found[0].decorator_list))
        return (file, found[0]) if file is not None and once else None

    def _file(self, module: str, dots: int, name: str) -> File | None:
        key = (module, dots)
        if key not in self.files:
            text = self.module(module, dots) if len(self.files) < MOST_MODULES else None
            if text is None or len(text) > LONGEST_MODULE or not re.search(rf"^def {name}\b", text, re.MULTILINE):
                return None
            tree = tree_of(text)
            if tree is None:
                self.files[key] = None
                return None
            self.files[key] = self.made(tree, re.sub(r"\W", "_", module.split(".")[-1]) + "_")
        return self.files[key]


def _names(tree: ast.Module) -> Iterator[tuple[str, tuple[str, int, str]]]:
    """What the file calls something that it imports; its module, the number of dots before that, and its name there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((a.asname or a.name, (node.module or "", node.level, a.name)) for a in node.names)
        elif isinstance(node, ast.Import):
            yield from ((a.asname, ("", 0, a.name)) for a in node.names if a.asname is not None)
