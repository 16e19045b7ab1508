"""Places that are clamped to the number of elements instead of the last one.

y0 = min(at, height - 1), y1 = min(y0 + 1, height);  x[y1 * width + c]        another clamp of the function stops before it
x1 = min(x0 + 1, cols - 1), y1 = min(y0 + 1, rows);  image(y1)[x1]              that of the column beside it does
row = max(0, min(at, rows));  x[row * columns + c]                            the row behind the last one
if (bin > bins) bin = bins - 1;  histogram[bin] += 1;                         the number itself stays
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from cudalint.analysis.coordinates.slips import are_siblings
from cudalint.analysis.guards.own_clamps import own_clamps
from cudalint.analysis.text.guard_patterns import OFFSETS, GuardIssue, bodies, is_count, names_in
from cudalint.analysis.text.scopes import INT, POINTER, UNSIGNED, WIDE, kind_of, uncast
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_LEAST = re.compile(r"^(::|std::)?(min|imin|MIN)(<\w+>)?$")
_GREATEST = re.compile(r"^(::|std::)?(max|imax|MAX)(<\w+>)?$")
_CLAMP = re.compile(r"^(::|std::|\w+::)*clamp(<\w+>)?$")


def closed_clamps(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each clamp; a function that treats the bound on its own, or a file with one element more, is left out."""
    own = own_clamps(outline)
    for body in bodies(program_of(outline)):
        clamps = [(name, value, bound) for name, value in _declared(body) if (bound := _bound(value, own)) is not None]
        lasts = {_without_one(bound): value for _, value, bound in clamps}
        for name, value, bound in clamps:
            if bound.kind not in ("identifier", "field_expression") or _knows_the_end(name, bound.bare, body):
                continue
            twin = lasts.get(bound.bare)
            use = _used_as_row(name, body) or ((_used(name, body) or _begins(name, body)) if twin is not None else None)
            if twin is None and (mirror := _mirrored(name, value, bound, clamps, body)) is not None:
                twin, use = mirror
            if use is None or not (twin is not None or is_count(bound, body)):
                continue
            text = f"`{name}` may be {bound.text}, and the last place is one before it"
            yield GuardIssue(body.function, value, text, twin if twin is not None else use, behind=(use,))


def late_clamps(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each clamp to the last place that begins behind the number of places."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            for condition, value in _replaced(node):
                name, bound = _above(condition)
                if (
                    not bound
                    or value.bare not in _lasts(bound)
                    or body.scope.types.get(name) not in (INT, UNSIGNED, WIDE)
                ):
                    continue
                use = _used(name, body)
                if use is not None and _longer(bound, body.function.body.text) is None:
                    text = f"`{name}` stays {bound}, and the last place is {value.text}"
                    yield GuardIssue(body.function, condition, text, use)


def _replaced(node: Syntax) -> Iterator[tuple[Syntax, Syntax]]:
    """(condition, value) of `if (name > bound) name = value;` and `name = name > bound ? value : name`."""
    assigned = node.child("consequence") if node.kind == "if_statement" else node
    if assigned is not None and assigned.kind == "compound_statement" and len(assigned.children) == 1:
        assigned = assigned.children[0]
    if assigned is None or assigned.kind != "assignment_expression" or assigned.op != "=":
        return
    left, right = assigned.children
    condition, value = node.child("condition"), right
    if assigned is node:
        other = right.child("alternative")
        if right.kind != "conditional_expression" or other is None or other.text != left.text:
            return
        condition, value = right.child("condition"), right.child("consequence") or right
    if condition is not None and _above(condition)[0] == left.text:
        yield condition, value


def _above(condition: Syntax) -> tuple[str, str]:
    """(name, bound) of `name > bound` and `bound < name`."""
    left, right = condition.child("left"), condition.child("right")
    if left is None or right is None or condition.op not in ("<", ">"):
        return "", ""
    name, bound = (left, right) if condition.op == ">" else (right, left)
    return (name.text, bound.bare) if name.kind == "identifier" else ("", "")


def _lasts(bound: str) -> tuple[str, ...]:
    return (f"{bound}-1", str(int(bound) - 1)) if bound.isdecimal() else (f"{bound}-1",)


def _longer(bound: str, text: str) -> re.Match[str] | None:
    """Something is one longer than the bound."""
    end = re.escape(bound)
    return re.search(rf"{end}\s*\+\s*1\b|\b1\s*\+\s*{end}\b", text)


def _declared(body: Body) -> Iterator[tuple[str, Syntax]]:
    for name, values in sorted(body.scope.values.items()):
        if len(values) == 1 and name not in body.scope.grown and name not in body.scope.parameters:
            yield name, values[0]


def _bound(value: Syntax, own: Mapping[str, int] = MappingProxyType({})) -> Syntax | None:
    """The upper bound of a clamp: the side of a minimum that is a size, or a size less one.

    `own` are functions of the file that clamp, with the place of the upper bound.
    """
    value = uncast(value)
    callee, arguments = value.child("function"), value.child("arguments")
    if value.kind != "call_expression" or callee is None or arguments is None:
        return None
    given = arguments.children
    if callee.text in own and len(given) == 3:
        return given[own[callee.text]]
    if _CLAMP.match(callee.text) and len(given) == 3:
        return given[2]
    if _GREATEST.match(callee.text) and len(given) == 2:
        inner = [bound for each in given if (bound := _bound(each)) is not None]
        return inner[0] if len(inner) == 1 else None
    return given[1] if _LEAST.match(callee.text) and len(given) == 2 and given[0].kind != "number_literal" else None


def _mirrored(
    name: str, value: Syntax, bound: Syntax, clamps: list[tuple[str, Syntax, Syntax]], body: Body
) -> tuple[Syntax, Syntax] | None:
    """(clamp, element): the neighbour on the other side of the same element is clamped to the last place of that side."""
    for other, beside, last in clamps:
        side = _without_one(last)
        if not side or not are_siblings(side, bound.bare) or _step(beside) != _step(value) or not _step(value):
            continue
        for node in body.nodes:
            if node.kind == "subscript_expression" and {name, other} <= names_in(node):
                return beside, node
    return None


def closed_arguments(outline: Outline) -> Iterator[GuardIssue]:
    """`f(min(y + 1, rows), x) - f(y, min(x + 1, cols - 1))`: of two clamps that choose elements one is to the number itself."""
    for body in bodies(program_of(outline)):
        clamps = [(node, bound) for node in body.nodes if _chooses(node, body) and (bound := _bound(node)) is not None]
        lasts = [(_without_one(bound), node) for node, bound in clamps if _without_one(bound)]
        for node, bound in clamps if lasts else ():
            if bound.kind not in ("identifier", "field_expression") or not _step(node):
                continue
            twins = (other for side, other in lasts if are_siblings(side, bound.bare) and _step(other) == _step(node))
            twin = next(twins, None)
            if twin is not None and _longer(bound.bare, body.scope.outline.root.text) is None:
                text = f"`{' '.join(node.text.split())}` may be {bound.text}, and the last place is one before it"
                yield GuardIssue(body.function, node, text, twin)


def _chooses(node: Syntax, body: Body) -> bool:
    """It stands as an index, or as an argument of a parameter that is called or asked for a row."""
    if node.kind != "call_expression":
        return False
    around = body.parents.get(id(node))
    if around is not None and around.kind == "subscript_argument_list":
        return True
    if around is not None and around.kind == "subscript_expression":
        return around.children[0] is not node
    call = None if around is None or around.kind != "argument_list" else body.parents.get(id(around))
    callee = None if call is None else call.child("function")
    base = callee.child("argument") if callee is not None and callee.kind == "field_expression" else callee
    return base is not None and base.text in body.scope.parameters


def _step(value: Syntax) -> str:
    """`1` of `min(y0 + 1, height)`: how far the neighbour is."""
    arguments = uncast(value).child("arguments")
    first = None if arguments is None or len(arguments.children) != 2 else arguments.children[0]
    right = None if first is None or first.op != "+" else first.child("right")
    return right.text if right is not None and right.kind == "number_literal" else ""


def _without_one(bound: Syntax) -> str:
    """`height` of `height - 1`."""
    left, right = bound.child("left"), bound.child("right")
    return left.bare if bound.op == "-" and left is not None and right is not None and right.text == "1" else ""


def _knows_the_end(name: str, bound: str, body: Body) -> bool:
    """The function compares the place, or the file makes something one longer than the bound."""
    place = re.escape(name)
    compared = re.search(rf"\b{place}\s*([<>]=?|[!=]=)|([<>]=?|[!=]=)\s*{place}\b", body.function.body.text)
    return compared is not None or _longer(bound, body.scope.outline.root.text) is not None


def _used_as_row(name: str, body: Body) -> Syntax | None:
    """An element whose index has a multiple of the place as a term."""
    for use, terms in _elements(body):
        for term in terms:
            if (
                term.kind == "binary_expression"
                and term.op == "*"
                and name in (c.text for c in map(uncast, term.children))
            ):
                return use
    return None


def _used(name: str, body: Body) -> Syntax | None:
    """An element whose index has the place as a term."""
    return next((use for use, terms in _elements(body) if name in {term.text for term in terms}), None)


def _begins(name: str, body: Body) -> Syntax | None:
    """`row[i]` of a pointer `row = data + place * pitch`."""
    for node in body.nodes:
        value, variable = node.child("value"), node.child("declarator")
        if node.kind != "init_declarator" or value is None or variable is None or value.op != "+":
            continue
        scaled = [term for term in terms_of(value) if term.kind == "binary_expression" and term.op == "*"]
        if any(name == uncast(each).text for term in scaled for each in term.children):
            row = variable.text.lstrip("*& ")
            elements = (each for each in body.nodes if each.kind == "subscript_expression")
            use = next((each for each in elements if each.children[0].text == row), None)
            if use is not None and kind_of(value, body.scope) == POINTER:
                return use
    return None


def _elements(body: Body) -> Iterator[tuple[Syntax, list[Syntax]]]:
    """Elements of pointers, other than offsets, with the terms of their indices."""
    for node in body.nodes:
        base = node.child("argument")
        if node.kind != "subscript_expression" or base is None or body.scope.types.get(base.text) != POINTER:
            continue
        if OFFSETS.search(base.text) is None:
            yield node, [term for child in node.children if child is not base for term in terms_of(child)]
