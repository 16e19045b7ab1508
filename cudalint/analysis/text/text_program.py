"""What the text analyses share of one file: scopes, stated bounds, calls and launches, each made once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from cudalint.analysis.text.scopes import Scope, scope_of
from cudalint.analysis.text.stated_bounds import StatedBound, stated_bounds
from cudalint.ir.syntax import Outline, Syntax, TextFunction

Sides = tuple[Syntax | None, Syntax | None, Syntax | None]
CEIL = re.compile(
    r"(ceil_?div|divide|fast_?div|div_?up|div_?ceil|div_round_up|cdiv|ceildiv|round_?up_?div|idivup)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call or launch at a place of the text, in `function`."""

    function: TextFunction
    arguments: tuple[Syntax, ...]
    place: int


@dataclass(frozen=True, slots=True)
class TextLaunch:
    """`grid` and `block` are sides where their expressions are known; `written` are the two as they stand there."""

    function: TextFunction
    kernel: str
    grid: Sides
    block: Sides
    shared: Syntax | None
    stream: Syntax | None
    arguments: tuple[Syntax, ...]
    written: tuple[Syntax, ...]
    node: Syntax


@dataclass(slots=True)
class Body:
    """One function with what its statements need of their surroundings; `positions` are variables made of the place alone."""

    function: TextFunction
    scope: Scope
    parents: dict[int, Syntax]
    nodes: list[Syntax]
    positions: frozenset[str]

    def ancestors(self, node: Syntax) -> Iterator[tuple[Syntax, Syntax]]:
        """(parent, child) from the node upwards."""
        while (parent := self.parents.get(id(node))) is not None:
            yield parent, node
            node = parent


@dataclass(slots=True)
class Program:
    """A file's functions; `launches` are filled by `launch_text`, `bodies` by `guard_patterns`.

    `launches` are by kernel those that are `stated`; others are `wrapped` in a call.
    """

    outline: Outline
    launches: dict[str, list[TextLaunch]] | None = None
    stated: tuple[TextLaunch, ...] | None = None
    wrapped: tuple[TextLaunch, ...] | None = None
    bodies: dict[int, Body] = field(default_factory=dict)
    _scopes: dict[int, Scope] = field(default_factory=dict)
    _bounds: dict[int, dict[str, list[StatedBound]]] = field(default_factory=dict)
    _calls: dict[str, list[TextCall]] | None = None
    _passed_on: dict[str, bool] = field(default_factory=dict)
    _handed_on: Counter[str] = field(default_factory=Counter)  # how often with all of its arguments
    _host_functions: dict[str, TextFunction] = field(default_factory=dict)

    def scope(self, function: TextFunction) -> Scope:
        if id(function) not in self._scopes:
            self._scopes[id(function)] = scope_of(function, self.outline)
        return self._scopes[id(function)]

    def bounds(self, function: TextFunction) -> dict[str, list[StatedBound]]:
        """What the function states of its own names."""
        if id(function) not in self._bounds:
            self._bounds[id(function)] = stated_bounds(function.body)
        return self._bounds[id(function)]

    def callers(self, name: str) -> list[TextCall]:
        """Calls and launches of a name in the file, and calls that hand it on with all of its arguments: `timed(9, f, x, n)`."""
        if self._calls is None:
            self._calls = {}
            self._host_functions = {f.name: f for f in self.outline.functions if f.role == "host"}
            for function in self.outline.functions:
                for node in function.body.walk():
                    if node.kind == "call_expression":
                        self._note(node, function, self._calls)
        return self._calls.get(name, [])

    def is_passed_on(self, name: str) -> bool:
        """The function itself is given away: `return dequantize<T>;`, `run(f)`; who calls it is not known then."""
        if name not in self._passed_on:
            used = re.compile(rf"(?:[,(=?:]|\breturn)\s*&?\s*{re.escape(name)}\s*(?:<[^<>;(){{}}]*>)?\s*[,);:]")
            self.callers(name)
            self._passed_on[name] = len(used.findall(self.outline.root.text)) > self._handed_on[name]
        return self._passed_on[name]

    def _note(self, node: Syntax, function: TextFunction, calls: dict[str, list[TextCall]]) -> None:
        callee, arguments = node.child("function"), node.child("arguments")
        if callee is None or arguments is None:
            return
        name = callee.text.partition("<")[0].rpartition("::")[2].rpartition(".")[2].rpartition(">")[2].strip()
        calls.setdefault(name, []).append(TextCall(function, arguments.children, node.start))
        for place, argument in enumerate(arguments.children):
            called = self._host_functions.get(argument.text) if argument.kind == "identifier" else None
            given = arguments.children[place + 1 :]
            if called is not None and given and _takes(called, len(given)):
                calls.setdefault(argument.text, []).append(TextCall(function, given, node.start))
                self._handed_on[argument.text] += 1


def _takes(function: TextFunction, count: int) -> bool:
    """So many arguments, without some that have a default."""
    needed = [parameter for parameter in function.parameters if parameter.kind != "optional_parameter_declaration"]
    return len(needed) <= count <= len(function.parameters)


def folded(op: str, a: int, b: int) -> int | None:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a // b if b else None
        case "<<":
            return a << b if 0 <= b < 63 else None
        case _:
            return None


def constant_value(node: Syntax, constants: Mapping[str, int]) -> int | None:
    """The value of an expression of numbers and of names that the file gives a value of their own."""
    match node.kind:
        case "number_literal":
            value = number_of(node.text)
            return int(value) if value.is_integer() else None
        case "identifier":
            return constants.get(node.text)
        case "parenthesized_expression" if len(node.children) == 1:
            return constant_value(node.children[0], constants)
        case "binary_expression" if len(node.children) == 2:
            a, b = (constant_value(child, constants) for child in node.children)
            return None if a is None or b is None else folded(node.op, a, b)
        case _:
            return None


def number_of(text: str) -> float:
    plain = text.lower().replace("'", "")
    try:
        return float(int(plain.rstrip("ul"), 0)) if not plain.startswith("0x") else float(int(plain.rstrip("ul"), 16))
    except ValueError:
        try:
            return float(plain.rstrip("fl"))
        except ValueError:
            return 1.0


PROGRAMS_KEPT = 8  # a file and what it includes


@lru_cache(maxsize=PROGRAMS_KEPT)
def program_of(outline: Outline) -> Program:
    """The program of a file, which every rule shares."""
    return Program(outline)
