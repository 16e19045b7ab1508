"""Which names of a function mean shared memory: declared so, pointers to its start, parameters that calls hand it to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cudalint.analysis.text.text_program import Body
from cudalint.analysis.text.thread_text import THREAD, UNIFORM, ThreadText, thread_text
from cudalint.ir.syntax import Syntax
from cudalint.source import SourceFile

Handed = dict[
    str, dict[str, bool]
]  # by function: the parameters that shared arrays are handed to, and if they are volatile
ROUNDS = 3
_ZERO = SourceFile("", "", "0")
TABLE = re.compile(r"\b(\w+)\s*(?:\[[^\[\]]*\]\s*){2}")  # with rows and columns
_SHARED_PARAMETER = re.compile(
    r"^(?!\w*(offset|idx|index|stride|size|addr))(smem\w*|shmem\w*|sh_?buf\w*|shared|shared_\w+|\w+_(shared|smem|shmem|sh)|sdata|s_?mem|sh_?mem\w*)$",
    re.IGNORECASE,
)
_WRAPPER = re.compile(r"(?:\w+::)*(?:[Dd]ynamic)?_?[Ss]hared_?[Mm]em(?:ory)?\w*\s*<")
_OF_FILE = re.compile(
    r"^[ \t]*(?:(?:static|extern)\s+)?__shared__\s+([\w:<>, \t]+?)\s*\b(\w+)\s*(?:\[[^;=]*\]\s*)?;", re.MULTILINE
)
_GIVEN_POINTER = re.compile(r"^(\w+)\s*\.\s*\w+\s*\(\s*\)$")


def shared_arrays(body: Body, handed: Handed) -> dict[str, bool]:
    """Names declared `__shared__`, pointers to the start of one, parameters called or given so; and whether they are volatile."""
    found, others = _declared(body)
    hidden = [name for name in found if name in others]
    given_here = handed.get(body.function.name, {})
    for parameter, given in zip(body.function.parameters, body.scope.parameters):
        by_name = body.function.role != "kernel" and _SHARED_PARAMETER.match(given) and "*" in parameter.text
        if by_name or given in given_here:
            found[given] = given_here.get(given, False) or "volatile" in parameter.text
    wrappers = _wrappers(body)
    threads: ThreadText | None = None
    for node in body.nodes:
        value = node.child("value") if node.kind == "init_declarator" else None
        name = None if value is None else _name_of(node)
        if name is None or value is None or name in body.scope.grown or len(body.scope.values.get(name, ())) != 1:
            continue
        start, declared = _start_of(value), node.text.partition("=")[0]
        if start in hidden and others[start] < node.start:
            continue  # it means the other one by now
        made = "&" in declared or (value.kind != "subscript_expression" and ("*" in declared or "auto" in _line(node)))
        called = _GIVEN_POINTER.match(value.text)
        if start in found and made:
            found[name] = found[start] or "volatile" in value.text or "volatile" in _line(node)
        elif "*" in declared and (_WRAPPER.match(value.text) or (called is not None and called[1] in wrappers)):
            found[name] = False
        elif "*" in declared and (part := _part_of(value)) is not None and part[0] in found:
            threads = threads or thread_text(body)
            if threads.kind(part[1]) == UNIFORM:  # a part of its own: others are elsewhere
                found[name] = found[part[0]] or "volatile" in value.text
    found = {each: volatile for each, volatile in found.items() if each not in hidden}
    return found | dict.fromkeys(wrappers, False)


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A pointer to an element of an array: what it points at, by the array's own indices."""

    array: str
    indices: tuple[Syntax, ...]

    def at(self, index: Syntax) -> tuple[Syntax, ...]:
        """The indices of what lies so many elements behind."""
        *first, last = self.indices
        return (*first, summed(last, index))


def zero_at(node: Syntax) -> Syntax:
    """The index of a first element, which is not written out."""
    return Syntax("number_literal", _ZERO, 0, 1, node.place)


def summed(left: Syntax, right: Syntax) -> Syntax:
    """Their sum, which stands where the right one does."""
    sides = (left, right), ("left", "right")
    return Syntax("binary_expression", right.file, right.start, right.end, right.place, *sides, "+")


def added(value: Syntax) -> tuple[Syntax, Syntax]:
    """(what the sum begins with, the rest of it)"""
    first, offset = value.children
    while first.kind == "binary_expression" and first.op == "+":
        first, more = first.children
        offset = summed(more, offset)
    return first, offset


def shared_rows(body: Body, arrays: Iterable[str]) -> dict[str, Row]:
    """Pointers that each thread sets once to an element of a shared array: `row = s + threadIdx.y * 33`."""
    known, tables = frozenset(arrays), frozenset(TABLE.findall(body.function.body.text))
    found: dict[str, Row] = {}
    for node in body.nodes:
        value = node.child("value") if node.kind == "init_declarator" else None
        declarator = node.child("declarator")
        if value is None or declarator is None:
            continue
        of_table = "auto" in _line(node) and value.kind == "subscript_expression" and value.children[0].text in tables
        if declarator.kind != "pointer_declarator" and not of_table:  # `auto row = tile[threadIdx.y];`
            continue
        name = _name_of(node)
        row = None if name is None or name in known or name in body.scope.grown else _row(value, known)
        if row is not None and name is not None and len(body.scope.values.get(name, ())) == 1:
            found[name] = row
    return found


def _row(value: Syntax, arrays: frozenset[str]) -> Row | None:
    """What an address without a cast, which would count other elements, is of."""
    if value.kind == "binary_expression" and value.op == "+":
        first, offset = added(value)
        return Row(first.text, (offset,)) if first.kind == "identifier" and first.text in arrays else None
    addressed = value.kind == "pointer_expression" and value.op == "&" and bool(value.children)
    place = value.children[0] if addressed else value
    indices: list[Syntax] = []
    while place.kind == "subscript_expression" and len(place.children) == 2:
        indices = [place.children[1], *indices]
        place = place.children[0]
    if place.kind != "identifier" or place.text not in arrays or not indices:
        return None
    if not addressed:  # a row of rows: its first element
        indices.append(zero_at(indices[-1]))
    return Row(place.text, tuple(indices))


def _wrappers(body: Body) -> list[str]:
    """Objects that stand for the dynamic shared memory: `SharedMemory<T> s;`."""
    found = [
        name
        for node in body.nodes
        if node.kind == "declaration" and _WRAPPER.match(node.text)
        for declarator in node.all("declarator")
        if (name := _name_of(declarator)) is not None
    ]
    return list(dict.fromkeys(found))


def _part_of(value: Syntax) -> tuple[str, Syntax] | None:
    """(array, offset) of `array + offset` or `&array[offset]`, through casts."""
    inner = without_casts(value)
    if inner is not None and inner.kind == "pointer_expression" and inner.op == "&" and inner.children:
        inner = inner.children[0]
        if inner.kind != "subscript_expression":
            return None
    if inner is None or len(inner.children) != 2 or (inner.kind == "binary_expression" and inner.op != "+"):
        return None
    if inner.kind not in ("binary_expression", "subscript_expression"):
        return None
    first, offset = added(inner) if inner.kind == "binary_expression" else inner.children
    return (first.text, offset) if first.kind == "identifier" else None


def without_casts(value: Syntax) -> Syntax | None:
    """What is inside of casts; None where one holds nothing."""
    while value.kind in ("cast_expression", "call_expression"):
        inner = value.child("value")
        arguments, callee = value.child("arguments"), value.child("function")
        if value.kind == "call_expression" and callee is not None and callee.text.startswith("reinterpret_cast"):
            inner = arguments.children[0] if arguments is not None and arguments.children else None
        if inner is None:
            return None
        value = inner
    return value


def handed_arrays(bodies: Sequence[Body]) -> Handed:
    """Parameters of functions of the file to which every call gives a shared array, with all threads of the block."""
    named = {body.function.name: body for body in bodies if body.function.role != "kernel"}
    once = {name for name in named if sum(body.function.name == name for body in bodies) == 1}
    handed: Handed = {}
    for _ in range(ROUNDS):
        found = _handed_once([*bodies], {name: named[name] for name in once}, handed)
        if found == handed:
            break
        handed = found
    return handed


def _handed_once(bodies: list[Body], named: dict[str, Body], known: Handed) -> Handed:
    calls: dict[str, list[dict[str, bool]]] = {}
    for body in bodies:
        if not any(name in body.function.body.text for name in named):
            continue
        arrays = shared_arrays(body, known)
        threads: ThreadText | None = None
        for node in body.nodes:
            callee, arguments = node.child("function"), node.child("arguments")
            name = "" if callee is None else callee.text.partition("<")[0].rpartition("::")[2]
            if node.kind != "call_expression" or name not in named or arguments is None:
                continue
            given = dict(zip(named[name].scope.parameters, map(_start_of, arguments.children)))
            shared = {parameter: arrays[start] for parameter, start in given.items() if start in arrays}
            if shared and threads is None:
                threads = thread_text(body)
            calls.setdefault(name, []).append({} if threads is None or _is_parted(node, body, threads) else shared)
    found: Handed = {}
    for name, every in calls.items():
        common = set(every[0]).intersection(*every[1:])
        if common:
            found[name] = {parameter: any(each[parameter] for each in every) for parameter in sorted(common)}
    return found


def _is_parted(call: Syntax, body: Body, threads: ThreadText) -> bool:
    """Only some threads of the block come to the call, as far as the text tells."""
    for parent, child in body.ancestors(call):
        condition = parent.child("condition")
        if condition is not None and child is not condition and not _is_uniform(condition, threads):
            return True
    return False


def _is_uniform(condition: Syntax, threads: ThreadText) -> bool:
    if condition.kind == "binary_expression":
        return all(_is_uniform(child, threads) for child in condition.children)
    return threads.kind(condition) != THREAD


def declared_shared(body: Body) -> dict[str, bool]:
    """Only names that mean nothing else in the function; some are declared for all functions of the file."""
    found, others = _declared(body)
    return {name: volatile for name, volatile in found.items() if name not in others}


def _declared(body: Body) -> tuple[dict[str, bool], dict[str | None, int]]:
    """The names declared shared, and where a name is first declared as something else."""
    found = _declared_outside(body)
    elsewhere: dict[str | None, int] = dict.fromkeys(body.scope.parameters, 0)
    for node in body.nodes:
        if node.kind != "declaration":
            continue
        written, names = node.child("type"), [_name_of(declarator) for declarator in node.all("declarator")]
        if "__shared__" not in node.text.partition("=")[0][:80]:
            elsewhere = dict.fromkeys(names, node.start) | elsewhere
        elif written is None or written.kind == "union_specifier" or "Storage" not in written.text:
            found.update((name, "volatile" in node.text) for name in names if name is not None)
    return found, elsewhere


def _declared_outside(body: Body) -> dict[str, bool]:
    """`__shared__ int total;` of a namespace."""
    text, inside = body.function.body.file.text, [f.body for f in body.scope.outline.functions]
    found: dict[str, bool] = {}
    for declared in _OF_FILE.finditer(text) if "__shared__" in text else ():
        type_, name = declared.groups()
        at = declared.start(2)
        if "Storage" not in type_ and not any(each.start <= at < each.end for each in inside):
            found[name] = "volatile" in type_
    return {name: volatile for name, volatile in found.items() if re.search(rf"\b{name}\b", body.function.body.text)}


def _line(node: Syntax) -> str:
    """What stands on the line before the node."""
    text = node.file.text
    return text[text.rfind("\n", 0, node.start) + 1 : node.start]


def _start_of(value: Syntax) -> str:
    """The array to whose start a pointer is set."""
    inner = without_casts(value)
    if inner is None:
        return ""
    value = inner
    if value.kind == "subscript_expression" and len(value.children) == 2 and value.children[1].kind == "number_literal":
        value = value.children[0]
    return value.text if value.kind == "identifier" else ""


def _name_of(node: Syntax) -> str | None:
    while node.kind != "identifier":
        inner = node.child("declarator") or (node.children[-1] if node.children else None)
        if inner is None:
            return None
        node = inner
    return node.text
