"""Neighbours of two places that are computed alike, of which one is kept inside its side and the other is not.

int x0 = (int)fx, y0 = (int)fy, x1 = x0 + 1, y1 = min(y0 + 1, height - 1);
top = row0[x0] * (1 - a) + row0[x1] * a
int up = y > 0 ? y - 1 : 0, left = x - 1;                    so does a choice, and a remainder: (y - 1 + height) % height
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.guards.room_for_neighbours import bounds_of_place, is_in_chunk, is_in_longer_row
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import INT, POINTER, WIDE, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_NAME = re.compile(r"[A-Za-z_][\w.]*")
_CLAMP = re.compile(r"^(?:::|std::)?(?:min|max)$")
_FITTED = re.compile(r"max|min|clamp|mod|wrap|fit|border|reflect|abs|\?|%|&", re.IGNORECASE)
_CHOICES = ("if_statement", "while_statement", "for_statement", "conditional_expression")
_BORDER = r"\b#(>0|>=1|==0|!=0|<1|<=0)(?!\w)|(?<!\w)0(<|>=|==|!=)#\b|\b#\+1(?!\w)|\b#(<|<=|>|>=|==|!=)[\w.>-]+?-1(?!\w)"
_COMPARES = ("<", "<=", ">", ">=", "==", "!=")
_HOPS = 3


def half_clamped_places(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each neighbour that is used as it is."""
    for body in bodies(program_of(outline)):
        values = {n: made[0] for n, made in body.scope.values.items() if len(made) == 1 and n not in body.scope.grown}
        kept = {name: found for name, value in values.items() if (found := _kept(value)) is not None}
        for name, value in sorted(values.items()) if kept else ():
            place, step = _neighbour(value)
            alike = (whole for other, by, whole in kept.values() if by == step and _alike(place, other, body))
            whole = next(alike, None) if body.scope.types.get(name) in (INT, WIDE) else None
            behind = _closure(place, body)
            if whole is None or _is_asked_for({name, *behind}, body) or is_in_chunk(place, step, body):
                continue
            last, given = bounds_of_place(behind, body)
            use = None if given else _element(name, body, kept_by_side=last)
            if use is not None:
                text = f"`{name}` is `{short(value)}` wherever it ends, and `{short(whole)}` is kept inside"
                yield GuardIssue(body.function, use, text, whole)


def _neighbour(value: Syntax) -> tuple[str, str]:
    """`x + 1`: the name of the place, and the step with its sign; empty for others."""
    value = uncast(value)
    left, right = value.child("left"), value.child("right")
    if value.kind != "binary_expression" or value.op not in ("+", "-") or left is None or right is None:
        return "", ""
    left, right = uncast(left), uncast(right)
    plain = left.kind == "identifier" and right.kind == "number_literal"
    return (left.text, value.op + right.text) if plain else ("", "")


def _kept(value: Syntax) -> tuple[str, str, Syntax] | None:
    """`min(y + 1, height - 1)`, `max(y - 1, 0)`: the name of the place, the step, and the whole."""
    value = uncast(value)
    if value.kind == "parenthesized_expression" and len(value.children) == 1:
        return _kept(value.children[0])
    condition = value.child("condition")
    if condition is not None or value.op == "%":
        ways = value.children[1:] if condition is not None else [_without_period(value)]
        steps = [each for way in ways if (each := _neighbour(way))[0]]
        asked = condition is None or (len(steps) == 1 and steps[0][0] in names_in(condition))
        return (*steps[0], value) if len(steps) == 1 and asked else None
    callee, arguments = value.child("function"), value.child("arguments")
    if callee is None or arguments is None or _CLAMP.match(callee.text) is None or len(arguments.children) != 2:
        return None
    for given in arguments.children:
        place, step = _neighbour(given)
        if place and step.startswith("+") == callee.text.endswith("min"):
            return place, step, value
    return None


def _without_period(remainder: Syntax) -> Syntax:
    """`y - 1` of `(y - 1 + height) % height`."""
    whole, period = remainder.children
    whole = whole.children[0] if whole.kind == "parenthesized_expression" and whole.children else whole
    lifted = whole.op == "+" and whole.children[-1].bare == period.bare
    return whole.children[0] if lifted else whole


def _alike(place: str, other: str, body: Body, hops: int = _HOPS) -> bool:
    """Two variables whose values are written alike, whatever their operands are called."""
    scope = body.scope
    first, second = scope.values.get(place, []), scope.values.get(other, [])
    if place == other or not first or scope.types.get(place) != scope.types.get(other) or len(first) != len(second):
        return False
    for one, two in zip(first, second):
        if _shape(one) != _shape(two):
            return False
        for mine, its in zip(_NAME.findall(one.bare), _NAME.findall(two.bare)) if hops else ():
            if mine != its and mine in scope.values and mine != place and not _alike(mine, its, body, hops - 1):
                return False
    return True


def _shape(value: Syntax) -> str:
    return _NAME.sub("#", value.bare)


def _closure(name: str, body: Body) -> set[str]:
    """The place and the variables that it is computed from."""
    found, waiting = {name}, [name]
    while waiting:
        for value in body.scope.values.get(waiting.pop(), []):
            new = {each for each in names_in(value) if each in body.scope.values} - found
            found |= new
            waiting += sorted(new)
    return found


def _is_asked_for(names: set[str], body: Body) -> bool:
    """A condition compares the neighbour, its place, or what that is made of where the end of the side is near."""
    for node in body.nodes:
        condition = node.child("condition") if node.kind in _CHOICES else None
        if condition is not None and any(_is_of_neighbour(each, names, body) for each in _spelled(condition, body)):
            return True
        callee, arguments = node.child("function"), node.child("arguments")
        if callee is not None and arguments is not None and _FITTED.search(callee.text) is not None:
            if any(_neighbour(given)[0] and names_in(given) & names for given in arguments.children):
                return True
    return False


def _is_of_neighbour(condition: Syntax, names: set[str], body: Body) -> bool:
    """Anything but the guard of the thread's own place, unless that asks for the first or the last one."""
    asked = names & names_in(condition)
    if any(re.search(_BORDER.replace("#", re.escape(name)), condition.bare) for name in asked):
        return True
    for part in condition.walk() if asked else ():
        if part.op in _COMPARES and len(part.children) == 2:
            one, other = part.children
            if _is_shifted(one, asked) or _is_shifted(other, asked):
                return True
            if (one.text in asked and _is_less(other, body)) or (other.text in asked and _is_less(one, body)):
                return True
    return not asked <= {name for name in asked if _is_of_thread(name, body)}


def _spelled(condition: Syntax, body: Body) -> Iterator[Syntax]:
    """The condition, and the comparisons that its variables stand for: `inside = x < w - 1 && y < h`."""
    yield condition
    for name in sorted(names_in(condition)):
        for value in body.scope.values.get(name, []):
            if any(part.op in _COMPARES for part in value.walk()):
                yield value


def _is_shifted(side: Syntax, asked: set[str]) -> bool:
    """`x + 2`, `x - step`: a place beside the one that is asked for."""
    side = uncast(side)
    return side.op in ("+", "-") and len(side.children) == 2 and uncast(side.children[0]).text in asked


def _is_less(side: Syntax, body: Body) -> bool:
    """`w - 2`, or a variable that is such a one."""
    side = uncast(side)
    values = body.scope.values.get(side.text, []) if side.kind == "identifier" else []
    made = uncast(values[0]) if len(values) == 1 else side
    return made.op == "-" and len(made.children) == 2 and made.kind == "binary_expression"


def _is_of_thread(name: str, body: Body) -> bool:
    return any("threadIdx" in value.text for value in body.scope.values.get(name, []))


def _element(name: str, body: Body, kept_by_side: bool) -> Syntax | None:
    """An element behind a pointer, at the place or in the row of it; a row may be longer than a side that nothing names."""
    for node in body.nodes:
        if node.kind != "subscript_expression" or len(node.children) < 2:
            continue
        base, index = node.children[0], node.children[1]
        root = base.text.partition("[")[0].strip("(* ")
        places = [index, *body.scope.values.get(root, [])]
        used = [each for each in places if name in names_in(each)]
        if used and is_in_longer_row(name, places, body, with_pitch=not kept_by_side):
            continue
        if used and body.scope.types.get(root) == POINTER and not any(_FITTED.search(each.text) for each in used):
            return node
    return None
