"""Temporary storage of a device-wide algorithm that was asked for with another algorithm, or for a part of the elements.

cub::DeviceRadixSort::SortKeys(nullptr, bytes, ...);   cub::DeviceRadixSort::SortPairs(storage, bytes, ...);
cub::DeviceScan::InclusiveSum(nullptr, bytes, x, y, n);   cub::DeviceScan::InclusiveSum(storage, bytes, x, y, n + 1);
cub::DeviceX::SortKeys(nullptr, bytes, ..., r.rows, r.rows);   cub::DeviceX::SortKeys(storage, bytes, ..., r.items, r.rows);
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import INT, UNSIGNED, WIDE, kind_of, uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_ALGORITHM = re.compile(r"(::)?(cub|hipcub)::Device\w+::\w+")
_NAME = re.compile(r"(?<![\w.>])[A-Za-z_]\w*")
_MEMBER = re.compile(r"(\w+(?:\.|->))\w+")
_BRANCHES = ("if_statement", "switch_statement")
_NOTHING = ("nullptr", "NULL", "0")


@dataclass(frozen=True, slots=True)
class _Side:
    """An argument of the algorithm; `written` is what the caller of a function around it gives, in its words."""

    node: Syntax
    written: str


def other_storage_queries(outline: Outline) -> Iterator[GuardIssue]:
    """A run whose number of bytes comes from the question of another algorithm alone."""
    if "cub::Device" not in outline.root.text:
        return
    program = program_of(outline)
    calls = _Calls(program)
    for body in bodies(program, ("host",)):
        asked: dict[str, Syntax] = {}
        alone: dict[str, set[str]] = {}
        for node in body.nodes:
            name, given = calls.of(node)
            if not name or len(given) < 2 or given[1].node.kind != "identifier":
                continue
            size = given[1].written
            if given[0].written in _NOTHING or calls.is_null_there(given[0].node, node, body):
                asked[size] = node
                alone.setdefault(size, set()).add(name)
            elif size in asked and name not in alone[size] and not _is_set_otherwise(size, asked[size], node, body):
                other = calls.of(asked[size])[0]
                text = f"the storage of `{name}` has the size that `{other}` asked for"
                yield GuardIssue(body.function, node, text, asked[size])
            elif size in asked and alone[size] == {name} and not _is_set_otherwise(size, asked[size], node, body):
                query = calls.of(asked[size])[1]
                for count, asked_for in zip(given[2:], query[2:]) if len(given) == len(query) else ():
                    if _is_more(count, asked_for, body) or _is_another_side(count, asked_for, given, query):
                        enough = f"the storage is as large as `{asked_for.written}` elements need"
                        text = f"{enough}, and `{count.written}` are worked on"
                        yield GuardIssue(body.function, node, text, asked[size])


class _Calls:
    """Calls of algorithms, also through a function of the file that does little else."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._around: dict[str, tuple[TextFunction, Syntax]] = {}
        named = Counter(function.name.rpartition("::")[2] for function in program.outline.functions)
        for function in program.outline.functions:
            name = function.name.rpartition("::")[2]
            if function.role == "host" and named[name] == 1 and "cub::Device" in function.body.text:
                made = [node for node in function.body.walk() if _algorithm(node)]
                if len(made) == 1 and self._hands_on(function, made[0]):
                    self._around[name] = function, made[0]

    def _hands_on(self, function: TextFunction, call: Syntax) -> bool:
        """The storage and its size are parameters that nothing changes."""
        scope = self._program.scope(function)
        first = [argument.text for argument in _arguments(call)[:2]]
        return len(first) == 2 and all(
            name in scope.parameters and name not in scope.values and name not in scope.grown for name in first
        )

    def of(self, node: Syntax) -> tuple[str, tuple[_Side, ...]]:
        """The algorithm and its arguments; nothing for another node."""
        own = _algorithm(node)
        if own:
            return own, tuple(_Side(argument, argument.bare) for argument in _arguments(node))
        callee = node.child("function") if node.kind == "call_expression" else None
        name = "" if callee is None else re.sub(r"<.*", "", callee.bare).rpartition("::")[2]
        if name not in self._around:
            return "", ()
        function, inner = self._around[name]
        parameters = self._program.scope(function).parameters
        given = dict(zip(parameters, _arguments(node)))
        if len(given) != len(parameters) or inner.start <= node.start < inner.end:
            return "", ()
        return _algorithm(inner), tuple(_handed_on(argument, given) for argument in _arguments(inner))

    def is_null_there(self, storage: Syntax, call: Syntax, body: Body) -> bool:
        """A variable that begins as null, and of which nothing is said between that and the call."""
        values = body.scope.values.get(storage.text, [])
        if storage.kind != "identifier" or not values or values[0].bare not in _NOTHING:
            return False
        before = (n for n in body.nodes if n.kind == "identifier" and n.text == storage.text and n.start < call.start)
        return all(n.end < values[0].start or self._is_argument(n, body) for n in before)

    def _is_argument(self, node: Syntax, body: Body) -> bool:
        return any(self.of(parent)[0] for parent, _ in body.ancestors(node))


def _handed_on(argument: Syntax, given: dict[str, Syntax]) -> _Side:
    """`r.items` of the caller's `batch` for its parameter r is `batch.items`."""
    if argument.kind == "identifier" and argument.text in given:
        return _Side(given[argument.text], given[argument.text].bare)
    written = _NAME.sub(lambda name: given[name[0]].bare if name[0] in given else name[0], argument.bare)
    return _Side(argument, written)


def _algorithm(node: Syntax) -> str:
    callee = node.child("function")
    if node.kind != "call_expression" or callee is None or node.child("arguments") is None:
        return ""
    name = re.sub(r"<.*", "", callee.bare)
    return name if _ALGORITHM.fullmatch(name) else ""


def _arguments(call: Syntax) -> tuple[Syntax, ...]:
    arguments = call.child("arguments")
    return () if arguments is None else arguments.children


def _is_more(count: _Side, asked_for: _Side, body: Body) -> bool:
    """n + 1 or a multiple of n where n was asked for; what is one number under two names is not told apart."""
    if count.written == asked_for.written or kind_of(count.node, body.scope) not in (INT, UNSIGNED, WIDE):
        return False
    made = body.scope.values.get(count.node.text, [])
    value = uncast(made[0]) if len(made) == 1 else count.node
    parts = [uncast(part).bare for part in value.children] if value.op in ("+", "*") else []
    return asked_for.written in parts and "0" not in parts and "1" not in (parts if value.op == "*" else [])


def _is_another_side(count: _Side, asked_for: _Side, given: tuple[_Side, ...], query: tuple[_Side, ...]) -> bool:
    """Of the two members of one object that the run takes, the question gave one for both."""
    one, other = (_MEMBER.fullmatch(side.written) for side in (count, asked_for))
    if count.written == asked_for.written or one is None or other is None or one[1] != other[1]:
        return False
    sides = list(zip(given[2:], query[2:]))
    changed = [one for one, other in sides if one.written != other.written]
    return len(changed) == 1 and any(one.written == other.written == asked_for.written for one, other in sides)


def _is_set_otherwise(size: str, query: Syntax, run: Syntax, body: Body) -> bool:
    """An assignment or another call changes the number in between, or the two stand in different branches."""
    for node in body.nodes:
        if not query.end <= node.start < run.start:
            continue
        left = node.child("left")
        if node.kind == "assignment_expression" and left is not None and left.text == size:
            return True
        if node.kind == "pointer_expression" and node.op == "&" and node.children and node.children[-1].text == size:
            return True
    branches = [
        {id(p) for p, c in body.ancestors(n) if p.kind in _BRANCHES and p.child("condition") is not c}
        for n in (query, run)
    ]
    return branches[0] != branches[1]
