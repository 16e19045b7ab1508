"""Bisections over integers that come to a round which changes nothing: the next one is the same, and so on for ever.

    while (lo < hi) {
        mid = lo + (hi - lo) / 2;
        if (x[mid] <= key) lo = mid; else hi = mid - 1;      // of lo = 4, hi = 5 the middle is 4: lo stays
    }

Rounds are run for small bounds, both ways where a condition asks for anything but the bounds.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.scopes import FLOATING, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOOPS = ("while_statement", "do_statement", "for_statement")
_CHOICES = ("if_statement", "conditional_expression", *_LOOPS, "switch_statement")
_LEAVES = ("break_statement", "return_statement", "goto_statement", "throw_statement")
_HELD = ("lambda_expression", "labeled_statement", "case_statement")
_SHARED = re.compile(r"atomic|volatile|\basm\b")
_LARGEST = 9
_MOST_WAYS = 64
_Bounds = dict[str, int]


def stuck_bisections(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop: the assignment that changes nothing, and the middle."""
    if re.search(r"\b(while|for)\b[^;{]*<", outline.root.text) is None:
        return
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        for loop in body.nodes:
            inner, condition = loop.child("body"), loop.child("condition")
            if loop.kind not in _LOOPS or inner is None or condition is None:
                continue
            middle = _middle(inner, body)
            if middle is None or not _is_alone(loop, inner, condition, middle):
                continue
            found = _stuck(inner, condition, middle, body)
            if found is not None:
                at, values = found
                held = " and ".join(
                    f"`{name} = {values[name]}`" for name in sorted(middle.bounds, key=values.__getitem__)
                )
                yield GuardIssue(
                    body.function, at, f"the bisection never ends: from {held} the next round is the same", middle.node
                )


@dataclass(frozen=True, slots=True)
class _Middle:
    """`mid = (lo + hi) / 2`: the statement, and the names that it is between."""

    node: Syntax
    name: str
    bounds: tuple[str, str]


def _middle(inner: Syntax, body: Body) -> _Middle | None:
    """The middle of two integers that the loop gives to one of them."""
    given = {name for node in inner.walk() if _is_plain(node) and (name := _assigned(node)[0]) is not None}
    for node in inner.walk():
        name, value = _assigned(node)
        if name is None or value is None or not _is_halved(value):
            continue
        bounds = tuple(sorted(names_in(value)))
        kinds = {body.scope.types.get(each) for each in (name, *bounds)}
        if len(bounds) == 2 and name not in bounds and not given.isdisjoint(bounds) and FLOATING not in kinds:
            return _Middle(node, name, (bounds[0], bounds[1]))
    return None


def _assigned(node: Syntax) -> tuple[str | None, Syntax | None]:
    if node.kind == "init_declarator":
        name, value = node.child("declarator"), node.child("value")
    elif _is_plain(node):
        name, value = node.child("left"), node.child("right")
    else:
        return None, None
    return (name.text, value) if name is not None and name.kind == "identifier" else (None, None)


def _is_plain(node: Syntax) -> bool:
    return node.kind == "assignment_expression" and node.op == "=" and node.child("left") is not None


def _is_halved(value: Syntax) -> bool:
    parts = list(value.walk())
    return any(part.op in ("/", ">>") for part in parts) and not any(
        part.kind in ("call_expression", "subscript_expression", "field_expression") for part in parts
    )


def _is_alone(loop: Syntax, inner: Syntax, condition: Syntax, middle: _Middle) -> bool:
    """What decides about the way of a round changes with the bounds alone: no counter, no memory, nobody else."""
    bounds = middle.bounds
    if not set(bounds) <= names_in(condition) or _SHARED.search(loop.text):
        return False
    own = {middle.name} | {
        name for node in inner.walk() if node.kind == "init_declarator" and (name := _assigned(node)[0])
    }
    own |= {
        n.text for d in inner.walk() if d.kind == "declaration" for n in d.all("declarator") if n.kind == "identifier"
    }
    asked = {
        name
        for node in loop.walk()
        if node.kind in _CHOICES and (asks := node.child("condition")) is not None
        for name in names_in(asks)
    }
    for node in loop.walk():
        if node.kind in _HELD or (node is not loop and node.kind == "switch_statement"):
            return False
        if node.kind == "call_expression" and _gets(node, bounds):
            return False
        changed = _changed(node)
        if changed is None or changed.text in bounds or changed.text in own:
            continue
        if changed.kind != "identifier" or changed.text in asked:
            return False
    return True


def _changed(node: Syntax) -> Syntax | None:
    if node.kind == "update_expression" and node.children:
        return node.children[0]
    return node.child("left") if node.kind == "assignment_expression" else None


def _gets(call: Syntax, bounds: tuple[str, str]) -> bool:
    """A function that gets a bound itself may change it."""
    arguments = call.child("arguments")
    given = () if arguments is None else arguments.children
    return any(each.text.lstrip("&") in bounds for each in given)


# --- the rounds ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Way:
    """One way through a round; `chosen` are the answers to conditions that the bounds do not decide."""

    values: _Bounds
    chosen: dict[str, bool] = field(default_factory=dict)
    given: Syntax | None = None  # the assignment that left a bound as it was
    over: bool = False  # the round
    left: bool = False  # the loop

    def copy(self) -> _Way:
        return _Way(dict(self.values), dict(self.chosen), self.given, self.over, self.left)


class _Unclear(Exception):
    """The text is none that this runs."""


def _stuck(inner: Syntax, condition: Syntax, middle: _Middle, body: Body) -> tuple[Syntax, _Bounds] | None:
    """Bounds that a run comes to and whose round leaves them as they are, by an assignment."""
    first = {name: _first_values(name, inner, body) for name in middle.bounds}
    waiting = [
        {middle.bounds[0]: a, middle.bounds[1]: b} for a in first[middle.bounds[0]] for b in first[middle.bounds[1]]
    ]
    waiting = [values for values in waiting if _holds(condition, values) is not False]
    seen: set[tuple[int, int]] = set()
    try:
        while waiting:
            values = waiting.pop(0)
            key = (values[middle.bounds[0]], values[middle.bounds[1]])
            if key in seen:
                continue
            seen.add(key)
            for way in _run(inner, [_Way(dict(values))]):
                after = {name: way.values.get(name, values[name]) for name in middle.bounds}
                if way.left or _holds(condition, after) is False:
                    continue
                if after == values and way.given is not None:
                    return way.given, values
                waiting.append(after)
    except _Unclear:
        return None
    return None


def _first_values(name: str, inner: Syntax, body: Body) -> Iterable[int]:
    """The number that it begins at, or any small one."""
    before = [value for value in body.scope.values.get(name, ()) if value.end <= inner.start]
    known = _value(before[-1], {}) if len(before) == 1 else None
    return range(_LARGEST) if known is None else (known,)


def _run(node: Syntax, ways: list[_Way]) -> list[_Way]:
    if len(ways) > _MOST_WAYS:
        raise _Unclear
    done = [way for way in ways if way.over]
    ways = [way for way in ways if not way.over]
    if not ways:
        return done
    match node.kind:
        case "compound_statement" | "declaration" | "expression_statement" | "else_clause" | "comma_expression":
            for child in node.children:
                ways = _run(child, ways)
        case "if_statement":
            ways = _branches(node, ways)
        case "init_declarator" | "assignment_expression" | "update_expression":
            ways = [after for way in ways for after in _given(node, way)]
        case "continue_statement":
            for way in ways:
                way.over = True
        case kind if kind in _LEAVES:
            for way in ways:
                way.over = way.left = True
        case kind if kind in _LOOPS:
            if any(part.kind in (*_LEAVES, "continue_statement") for part in node.walk()) or _gives(node, ways[0]):
                raise _Unclear
        case _:
            pass  # it changes no bound, or `_is_alone` would have said so
    return done + ways


def _gives(loop: Syntax, way: _Way) -> bool:
    return any((changed := _changed(node)) is not None and changed.text in way.values for node in loop.walk())


def _branches(node: Syntax, ways: list[_Way]) -> list[_Way]:
    condition, then, orelse = node.child("condition"), node.child("consequence"), node.child("alternative")
    if condition is None or then is None:
        raise _Unclear
    found: list[_Way] = []
    for way in ways:
        for holds, taken in _answers(condition, way):
            branch = then if holds else orelse
            after = [taken] if branch is None else _run(branch, [taken])
            if len(taken.chosen) > len(way.chosen) and condition.op != "==" and any(each.left for each in after):
                raise _Unclear  # `if (x[mid] <= key && key < x[mid + 1]) break;` may be what ends it
            found += after
    return found


def _answers(condition: Syntax, way: _Way) -> Iterator[tuple[bool, _Way]]:
    """Both, where nothing decides; the same one for the same question of a round."""
    known = _holds(condition, way.values)
    key = condition.bare + "".join(
        f"|{name}={way.values[name]}" for name in sorted(names_in(condition) & set(way.values))
    )
    known = way.chosen.get(key, known)
    for holds in (True, False) if known is None else (known,):
        taken = way.copy()
        if known is None:
            taken.chosen[key] = holds
        yield holds, taken


def _given(node: Syntax, way: _Way) -> Iterator[_Way]:
    """The ways that an assignment leaves: one for each arm of a conditional value."""
    name, value = _assigned(node)
    if name is None or value is None:
        changed = _changed(node)
        if changed is not None and changed.text in way.values:
            yield _stepped(node, changed.text, way)
        else:
            yield way
        return
    value = uncast(value)
    if value.kind == "conditional_expression" and len(value.children) == 3:
        condition, *arms = value.children
        for holds, taken in _answers(condition, way):
            yield _set(node, name, uncast(arms[0 if holds else 1]), taken)
    else:
        yield _set(node, name, value, way)


def _set(node: Syntax, name: str, value: Syntax, way: _Way) -> _Way:
    number = _value(value, way.values)
    if number is None:
        if way.values.pop(name, None) is not None and node.kind == "assignment_expression":
            raise _Unclear
    else:
        if way.values.get(name) == number and value.text != name and node.kind == "assignment_expression":
            way.given = node
        way.values[name] = number
    return way


def _stepped(node: Syntax, name: str, way: _Way) -> _Way:
    step: int | None = 1
    right = node.child("right")
    if node.kind == "assignment_expression" and right is not None:
        step = _value(right, way.values)
    change = _CHANGES.get(node.op)
    if step is None or change is None:
        raise _Unclear
    way.values[name] = change(way.values[name], step)
    return way


def _holds(condition: Syntax, values: _Bounds) -> bool | None:
    """None where the bounds do not decide."""
    if condition.kind == "condition_clause" and len(condition.children) == 1:
        condition = condition.children[0]
    if condition.op in ("&&", "||") and len(condition.children) == 2:
        parts = [_holds(part, values) for part in condition.children]
        decisive = condition.op == "||"
        return decisive if decisive in parts else None if None in parts else not decisive
    value = _value(condition, values)
    return None if value is None else bool(value)


def _value(node: Syntax, values: _Bounds) -> int | None:
    node = uncast(node)
    if node.kind == "identifier":
        return values.get(node.text)
    if node.kind == "number_literal":
        return int(node.text.rstrip("uUlL")) if re.fullmatch(r"\d+[uUlL]*", node.text) else None
    if node.kind == "unary_expression" and node.op in _SIGNS and node.children:
        inner = _value(node.children[0], values)
        return None if inner is None else _SIGNS[node.op](inner)
    if node.kind == "binary_expression" and node.op in _OPERATORS and len(node.children) == 2:
        left, right = (_value(child, values) for child in node.children)
        if (
            left is None
            or right is None
            or (node.op in ("/", "%") and right == 0)
            or (node.op in ("<<", ">>") and right < 0)
        ):
            return None
        return int(_OPERATORS[node.op](left, right))
    return None


_SIGNS: dict[str, Callable[[int], int]] = {"-": operator.neg, "!": lambda value: int(not value), "+": operator.pos}
_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": lambda a, b: int(a / b), "%": lambda a, b: a - int(a / b) * b,
    ">>": operator.rshift, "<<": operator.lshift, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne, "&": operator.and_,
}  # fmt: skip
_CHANGES: dict[str, Callable[[int, int], int]] = {
    "++": operator.add, "--": operator.sub, "+=": operator.add, "-=": operator.sub
}  # fmt: skip
