"""Guards that let their bound pass, where the same comparison stops before it elsewhere in the file.

if (i * step + id <= length) y[row * length + i * step + id] = 0;      four other kernels: i * step + id < length
if (column > dim / 2) break;   x[column] = 0;                          the next loop: if (column >= dim / 2) break;
if (at > lengths[row]) y[i] = 0; else y[i] = x[at];                    another kernel: at >= lengths[row]
if (first + i <= end) y[i] = x[first + i];                             and `end - first` is the number of elements
if (block_start + offset > n) break;                                   a sum of places, which begin at zero, and a count
int upper = lower + count;  for (int i = lower; i <= upper; ++i) y += x[i];     one more than the count
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cudalint.analysis.text.guard_conditions import guards_of
from cudalint.analysis.text.guard_patterns import (
    OFFSETS,
    GuardIssue,
    bodies,
    closure_of,
    is_count,
    is_placed,
    knows_the_end,
    names_in,
    short,
)
from cudalint.analysis.text.scopes import COORDINATES, POINTER, kind_of, leaves, uncast
from cudalint.analysis.text.tail_patterns import terms_of, worked_out
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

Key = tuple[str, str]  # the place and the bound, as they are written
_CLOSED, _OPEN = ("<=", ">"), ("<", ">=")
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_PLACE = re.compile(r"(threadIdx|blockIdx)\s*\.\s*[xyz]")
_BUILT_IN = ("threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize")


@dataclass(frozen=True, slots=True)
class _Guard:
    """A closed comparison; `first` to `end` is the text that only places which pass it come to."""

    body: Body
    part: Syntax
    place: Syntax
    bound: Syntax
    first: int
    end: int


def closed_beside_open(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each guard that is the only one of its kind."""
    every = list(bodies(program_of(outline)))
    opened, closed = _by_key(every, _OPEN), _by_key(every, _CLOSED)
    for body in every:
        for guard in _guards(body):
            key = (guard.place.bare, guard.bound.bare)
            twins = _twins(guard, opened.get(key, ()))
            twin = next(
                (node for node in twins if not _is_other_case(guard, node) and _is_of_one_kind(guard, node)), None
            )
            if len(closed.get(key, ())) != 1 or not _moves(guard) or not _stays(guard):
                continue
            use, told = _use(guard), f"`{short(guard.part)}` lets {short(guard.place)} == {short(guard.bound)} pass"
            count = _counted_up_to(guard) if twin is None else None
            if use is not None and twin is not None:
                text = f"{told}, where `{short(twin)}` stops before it"
                yield GuardIssue(body.function, guard.part, text, twin, behind=(use,))
            elif use is not None and count is not None:
                text = f"{told}, and `{short(count)}` counts the elements before it"
                yield GuardIssue(body.function, guard.part, text, count, behind=(use,))
            elif twin is None and _is_sum_of_places(guard) and (use := _use(guard, whole=False)) is not None:
                yield GuardIssue(body.function, guard.part, told, use)


def _twins(guard: _Guard, opened: Sequence[tuple[Body, Syntax]]) -> list[Syntax]:
    """The same comparison that stops before the bound.

    A function that has both asks what it means to, one for each array: what others ask says nothing of it.
    """
    own = [node for body, node in opened if body is guard.body]
    return own or [node for body, node in opened if _are_alike(guard, body)]


def _counted_up_to(guard: _Guard) -> Syntax | None:
    """`end - first`, where the place goes on from `first`: the number of elements without the one at the end."""
    body, end = guard.body, guard.bound
    loop = body.parents.get(id(guard.part))
    if loop is not None and loop.kind == "for_statement":
        return body.scope.values[end.text][0]
    made = names_in(guard.place).union(*(closure_of(name, body) for name in names_in(guard.place)))
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.op != "-" or left is None or right is None or left.bare != end.bare or right.text not in made:
            continue
        parent = body.parents.get(id(node))
        one_more = parent is not None and parent.op == "+" and parent.children[-1].text == "1"
        if not one_more and end.kind == "identifier" and _goes_on_from(right.text, guard):
            return node
    return None


def _is_from_first(place: Syntax, bound: Syntax, loop: Syntax, body: Body) -> bool:
    """The loop begins at what its bound is a number of elements behind."""
    start = loop.child("initializer")
    ends = body.scope.values.get(bound.text, [])
    first = "" if start is None else start.bare.rstrip(";").partition(f"{place.bare}=")[2]
    terms = {term.text for term in terms_of(ends[0])} if len(ends) == 1 else set()
    return first.isidentifier() and first in terms and len(terms) == 2 and "1" not in terms


def _goes_on_from(first: str, guard: _Guard) -> bool:
    """The place is a sum with `first`, or made of it."""
    if guard.place.kind == "identifier":
        return guard.place.text != first
    terms = terms_of(guard.place)
    counted = guard.body.positions | guard.body.scope.grown
    return first in {term.text for term in terms} and all(term.text == first or term.text in counted for term in terms)


def _is_sum_of_places(guard: _Guard) -> bool:
    """Each term is a place in the launch, or counts on from one; the bound is a number of elements that the function is given."""
    body, terms = guard.body, terms_of(guard.place)
    if len(terms) < 2 or guard.bound.text not in body.scope.parameters or not is_count(guard.bound, body):
        return False
    return all(term.kind == "identifier" and is_placed(term.text, body) for term in terms)


def _by_key(every: list[Body], operators: tuple[str, str]) -> dict[Key, list[tuple[Body, Syntax]]]:
    found: dict[Key, list[tuple[Body, Syntax]]] = {}
    for body in every:
        for node in body.nodes:
            for place, bound in _sides(node, operators):
                found.setdefault((place.bare, bound.bare), []).append((body, node))
    return found


def _sides(node: Syntax, operators: tuple[str, str]) -> Iterator[tuple[Syntax, Syntax]]:
    """(place, bound) of a comparison with one of the operators, whichever stands first."""
    left, right = node.child("left"), node.child("right")
    if node.kind == "binary_expression" and node.op in _TURNED and left is not None and right is not None:
        if node.op in operators:
            yield uncast(left), uncast(right)
        if _TURNED[node.op] in operators:
            yield uncast(right), uncast(left)


def _guards(body: Body) -> Iterator[_Guard]:
    for node in body.nodes:
        for part, operators, end in guards_of(node, body):
            for place, bound in _closed(part, operators):
                if node.kind != "for_statement" or _is_from_first(place, bound, node, body):
                    yield _Guard(body, part, place, bound, part.end, end)
        condition, entered, otherwise = (node.child(f) for f in ("condition", "consequence", "alternative"))
        if node.kind == "if_statement" and condition is not None and entered is not None and otherwise is not None:
            if condition.op == ">" and not leaves(entered):
                sides_of = _closed(condition, (">", "<"))
                yield from (_Guard(body, condition, *sides, otherwise.start, otherwise.end) for sides in sides_of)


def _closed(part: Syntax, operators: tuple[str, str]) -> Iterator[tuple[Syntax, Syntax]]:
    """The sides of a comparison that lets its bound pass: it has the first operator, or the second one with turned sides."""
    left, right = part.child("left"), part.child("right")
    if part.kind == "binary_expression" and left is not None and right is not None and part.op in operators:
        yield (uncast(left), uncast(right)) if part.op == operators[0] else (uncast(right), uncast(left))


def _are_alike(guard: _Guard, other: Body) -> bool:
    """What both sides are made of gets the same values in the other function, or is a parameter there as well."""
    own = guard.body
    if own is other:
        return True
    for name in sorted(names_in(guard.place) | names_in(guard.bound)):
        if COORDINATES.fullmatch(name) or name in _BUILT_IN or name in own.scope.outline.constants:
            continue
        values = {value.bare for value in own.scope.values.get(name, ())}
        given = name in own.scope.parameters and name in other.scope.parameters
        if not given and values.isdisjoint(value.bare for value in other.scope.values.get(name, ())):
            return False
    return True


def _is_of_one_kind(guard: _Guard, twin: Syntax) -> bool:
    """In one function both stand in loops with the same head: elsewhere it may speak of other arrays that are one longer."""
    body = guard.body
    if not body.function.body.start <= twin.start < body.function.body.end:
        return True
    own, other = (_loop(each, body) for each in (guard.part, twin))
    return own is not None and other is not None and own is not other and _head(own) == _head(other)


def _loop(node: Syntax, body: Body) -> Syntax | None:
    return next((parent for parent, _ in body.ancestors(node) if parent.kind == "for_statement"), None)


def _head(loop: Syntax) -> str:
    """How the loop begins, goes on and ends."""
    parts = (loop.child(field) for field in ("initializer", "condition", "update"))
    return ";".join(part.bare for part in parts if part is not None)


def _is_other_case(guard: _Guard, twin: Syntax) -> bool:
    """`if (j < i) ... else if (j > i) ... else`: the case between both is meant."""
    for parent, child in guard.body.ancestors(guard.part):
        condition = parent.child("condition") if parent.kind == "if_statement" else None
        if condition is not None and condition is not child and parent.child("consequence") is not child:
            if condition.start <= twin.start < condition.end:
                return True
    return False


def _moves(guard: _Guard) -> bool:
    """The place is made of the place in the launch, or of what a loop changes."""
    names = names_in(guard.place)
    made = names.union(*(closure_of(name, guard.body) for name in names))
    changed = guard.body.positions | guard.body.scope.grown
    return not made.isdisjoint(changed) or any(_PLACE.fullmatch(name) for name in made)


def _stays(guard: _Guard) -> bool:
    """The bound is the same for every place: no number alone, nothing that changes, and nothing that is itself a place."""
    body = guard.body
    loaded = {name for n in guard.bound.walk() if n.kind == "subscript_expression" for name in names_in(n.children[-1])}
    names = names_in(guard.bound) - loaded
    if not names or any(_PLACE.fullmatch(name) for name in names) or not names.isdisjoint(body.scope.grown):
        return False
    if any(len(body.scope.values.get(name, ())) > (name not in body.scope.parameters) for name in names):
        return False
    parent = body.parents.get(id(guard.part))
    counts_from_first = parent is not None and parent.kind == "for_statement"
    if not counts_from_first and any(_is_made_of_places(name, body) for name in names):
        return False
    end = re.escape(guard.bound.bare)
    if re.search(rf"[=!]={end}\b(?![.(\[])|(?<![\w.>]){end}[=!]=|(?<![\w.>]){end}\+1\b", body.function.body.bare):
        return False  # the function treats the end on its own, or has something that is one longer
    return not knows_the_end(guard.place.text, guard.bound.text, body)


def _is_made_of_places(name: str, body: Body) -> bool:
    """It is worked out from the place in the launch, and no number of elements that are left there."""
    if any("min" in value.text for value in body.scope.values.get(name, ())):
        return False
    return name in body.positions or any(_PLACE.fullmatch(each) for each in closure_of(name, body))


def _use(guard: _Guard, whole: bool = True) -> Syntax | None:
    """An element, or a pointer to it, that the place chooses behind the guard, and not the one before it."""
    body, end = guard.body, min(guard.end, sys.maxsize)
    names = names_in(guard.place)
    single = guard.place.kind == "identifier"
    made = worked_out(guard.place.text, body) if single else set()
    before = re.compile(rf"(?<![\w.]){re.escape(guard.place.bare)}-")
    for node in body.nodes:
        if not guard.first <= node.start < end:
            continue
        base = node.child("argument") if node.kind == "subscript_expression" else node.child("left")
        offset = node.kind == "binary_expression" and node.op == "+" and base is not None
        if base is None or not (
            node.kind == "subscript_expression" or (offset and kind_of(base, body.scope) == POINTER)
        ):
            continue
        index = node.children[-1]
        chosen = names_in(index)
        plain = index.bare.strip("[]") == guard.place.bare
        if plain and OFFSETS.search(base.text):
            return None
        taken = not chosen.isdisjoint(made) if single else names <= chosen if whole else not names.isdisjoint(chosen)
        if taken and not before.search(index.bare):
            return node
    return None
