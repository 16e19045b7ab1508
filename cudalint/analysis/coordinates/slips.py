"""Slips of the keyboard that compile: a dimension copied twice, a stride that nobody uses, a loop that repeats itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.scopes import INT, POINTER, UNKNOWN, UNSIGNED, WIDE, kind_of_type
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_STRIDE = re.compile(r"stride|pitch", re.IGNORECASE)
_REPEATS = re.compile(r"rep|iter|trial|step|time|loop|round|warm|unroll|bench", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")


def unused_strides(outline: Outline) -> Iterator[GuardIssue]:
    """A kernel takes a stride and never uses it; all its arrays are addressed by one other stride."""
    for body in bodies(program_of(outline), ("kernel",)):
        text = body.function.body.text
        unused = [
            name
            for name in body.scope.parameters
            if name
            and _STRIDE.search(name)
            and body.scope.types.get(name) in (INT, UNSIGNED, WIDE)
            and re.search(rf"\b{re.escape(name)}\b", text) is None
        ]
        strides = set(re.findall(r"\b[\w.]*(?:stride|pitch)\w*", text, re.IGNORECASE))
        if len(unused) != 1 or len(strides) != 1:
            continue
        uses = [n for n in body.nodes if n.kind == "subscript_expression" and _STRIDE.search(n.text)]
        arrays = {_base(use) for use in uses} & {n for n in body.scope.parameters if body.scope.types.get(n) == POINTER}
        read_only = [use for use in uses if _base(use) in arrays and _is_const(_base(use), body)]
        if len(arrays) >= 2 and read_only:
            text = f"`{unused[0]}` is never used: `{_base(read_only[0])}` is addressed by `{strides.pop()}`"
            yield GuardIssue(body.function, read_only[0], text)


def _base(use: Syntax) -> str:
    base = use.child("argument")
    return "" if base is None else base.text


def _is_const(name: str, body: Body) -> bool:
    parameters = dict(zip(body.scope.parameters, body.function.parameters))
    return name in parameters and "const" in parameters[name].text.partition("*")[0]


def repeated_dimensions(outline: Outline) -> Iterator[GuardIssue]:
    """`s12 = nb[2]; s13 = nb[2]` after `s11 = nb[1]`: the number was copied, not counted on."""
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        for block in body.nodes:
            if block.kind != "compound_statement":
                continue
            named = [_declared(child) for child in block.children]
            for first, second, third in zip(named, named[1:], named[2:]):
                if first is not None and second is not None and third is not None and _slipped(first, second, third):
                    text = f"`{third[0]}` is given the same value as `{second[0]}`"
                    yield GuardIssue(body.function, third[1], text, second[1])


def _declared(node: Syntax) -> tuple[str, Syntax] | None:
    declarator = node.child("declarator") if node.kind == "declaration" else None
    if declarator is None or declarator.kind != "init_declarator" or len(node.all("declarator")) != 1:
        return None
    name, value = declarator.child("declarator"), declarator.child("value")
    return None if name is None or value is None else (name.text, value)


def _slipped(first: tuple[str, Syntax], second: tuple[str, Syntax], third: tuple[str, Syntax]) -> bool:
    """Names and values count in step from the first to the second; then only the name does."""
    names = [int(n) for item in (first, second, third) for n in _NUMBER.findall(item[0])[-1:]]
    stems = {_NUMBER.sub("#", item[0]) for item in (first, second, third)}
    values = [item[1].text for item in (first, second, third)]
    if len(names) != 3 or len(stems) != 1 or any(b - a != 1 for a, b in pairwise(names)):
        return False
    if values[1] != values[2] or values[0] == values[1] or _NUMBER.sub("#", values[0]) != _NUMBER.sub("#", values[1]):
        return False
    steps = [int(b) - int(a) for a, b in zip(_NUMBER.findall(values[0]), _NUMBER.findall(values[1]))]
    return sorted(steps, reverse=True)[:1] == [1] and steps.count(0) == len(steps) - 1


def idle_loops(outline: Outline) -> Iterator[GuardIssue]:
    """A loop whose body does not depend on its counter writes the same elements again and again."""
    for body in bodies(program_of(outline), ("kernel",)):
        for node in body.nodes:
            if node.kind == "for_statement" and _repeats_itself(node):
                yield GuardIssue(body.function, node, "every iteration of the loop writes the same elements")


def _repeats_itself(loop: Syntax) -> bool:
    start, condition, inner = loop.child("initializer"), loop.child("condition"), loop.child("body")
    if start is None or condition is None or inner is None or _REPEATS.search(condition.text + start.text):
        return False
    declarator = start.child("declarator")
    name = declarator.child("declarator") if declarator is not None else None
    if (
        name is None
        or name.text not in names_in(condition)
        or not names_in(inner).isdisjoint(_moved_by(loop, name.text))
    ):
        return False
    nodes = list(inner.walk())
    if any(n.kind in _ACTIVE or (n.kind == "assignment_expression" and n.op != "=") for n in nodes):
        return False
    targets = [n.child("left") for n in nodes if n.kind == "assignment_expression"]
    plain = [t for t in targets if t is not None and t.kind == "subscript_expression"]
    return bool(plain) and len(plain) == len(targets) and not any(_feeds_back(t, inner) for t in plain)


def _moved_by(loop: Syntax, counter: str) -> set[str]:
    """The counter, and what the step of the loop moves beside it: `k++, id += blockDim.x`."""
    update = loop.child("update")
    steps = (
        [] if update is None else [n for n in update.walk() if n.kind in ("assignment_expression", "update_expression")]
    )
    moved = (step.child("left") or step.child("argument") for step in steps)
    return {counter, *(target.text for target in moved if target is not None)}


def _feeds_back(target: Syntax, inner: Syntax) -> bool:
    """The array that is written is read too, so that the next iteration differs."""
    base = target.child("argument")
    return base is None or len(re.findall(rf"\b{re.escape(base.text)}\b", inner.text)) > 1


_ACTIVE = {"call_expression", "update_expression", "break_statement", "return_statement", "while_statement", "ERROR"}


def casts_of_a_sign(outline: Outline) -> Iterator[GuardIssue]:
    """`(size_t) + x`: the cast belongs to a unary plus, and what stood between them is gone."""
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        for node in body.nodes:
            value = node.child("value") if node.kind == "cast_expression" else None
            written = node.child("type")
            if value is None or written is None or not _is_arithmetic(written.text, body):
                continue
            while value.kind in ("binary_expression",) and value.child("left") is not None:
                value = value.children[0]
            if value.kind == "unary_expression" and value.op == "+":
                yield GuardIssue(body.function, node, f"`{' '.join(node.text.split())[:60]}` casts a unary plus")


def _is_arithmetic(written: str, body: Body) -> bool:
    """A type that is known to be one: `(offset) + 4` is a sum, whatever else the parser takes a lone name for."""
    return written not in body.scope.types and kind_of_type(written, body.scope.outline) not in (UNKNOWN, POINTER)


def asked_of_another(outline: Outline) -> Iterator[GuardIssue]:
    """`height > 1 ? width : 1`: the dimension that is taken is not the one that was asked about."""
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        for node in body.nodes:
            condition, taken, other = (node.child(f) for f in ("condition", "consequence", "alternative"))
            if node.kind != "conditional_expression" or condition is None or taken is None or other is None:
                continue
            asked, least = condition.child("left"), condition.child("right")
            if condition.op not in (">", "==") or asked is None or least is None or least.text != "1":
                continue
            value, literal = (taken, other) if condition.op == ">" else (other, taken)
            if literal.text == least.text and are_siblings(asked.text, value.text):
                text = f"`{' '.join(node.text.split())[:60]}` asks about `{asked.text}` and takes `{value.text}`"
                yield GuardIssue(body.function, node, text)


def are_siblings(name: str, other: str) -> bool:
    """Names of two dimensions: KW and KH, size_x and size_y, ne[1] and ne[0], rows and cols."""
    if (name, other) in _AXES or (other, name) in _AXES:
        return True
    parts = [(a, b) for a, b in zip(_PART.findall(name), _PART.findall(other)) if a != b]
    if len(_PART.findall(name)) != len(_PART.findall(other)) or len(parts) != 1:
        return False
    one, two = (part.lower() for part in parts[0])
    if (one, two) in _AXES or (two, one) in _AXES or (one in _AXIS and two in _AXIS):
        return True
    return len(one) == len(two) > 1 and one[:-1] == two[:-1] and one[-1] in _AXIS and two[-1] in _AXIS


_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_AXIS = frozenset("xyzwhdmnk0123")
_AXES = frozenset(
    [
        ("rows", "cols"),
        ("rows", "columns"),
        ("row", "col"),
        ("width", "height"),
        ("height", "depth"),
        ("width", "depth"),
    ]
)
