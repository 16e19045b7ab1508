"""Arrays that a function declares with fewer elements than it takes: seen where no path can be followed as well.

float vote[36];  ...  vote[36] = vote[0];
float b[PER_THREAD - 1];  for (int k = 0; k < PER_THREAD; k++) b[k] = 0;
__shared__ float sums[THREADS];  ...  sums[THREADS] = total;                    the place of the result behind the parts
__shared__ int shape[AXES];  if (threadIdx.x < AXES + 1) shape[threadIdx.x] = 0;
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import LEAVING, uncast
from cudalint.analysis.text.text_program import Body, number_of, program_of
from cudalint.ir.syntax import Outline, Syntax

Sum = dict[str, int]  # a number of each term; that of "" counts alone
DEEPEST = 6
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]+|k[A-Z]\w*")
_THREAD = re.compile(r"threadIdx\.[xyz]")


@dataclass(frozen=True, slots=True)
class _Counter:
    """A loop from a number on, by one, that holds its counter below (or at) `end`."""

    loop: Syntax
    end: Syntax
    last: int


def short_arrays(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each array, at the element behind its end; at its length where several accesses take too much."""
    for body in bodies(program_of(outline)):
        arrays = _arrays(body)
        behind: dict[str, list[Syntax]] = {}
        for node in body.nodes if arrays else ():
            name = _taken_behind(node, arrays, body)
            if name:
                behind.setdefault(name, []).append(node)
        for name, nodes in behind.items():
            node, size = nodes[0], arrays[name]
            text = f"`{short(node)}` is behind the end of `{name}`, which has `{short(size)}` elements"
            several = len(nodes) > 1
            yield GuardIssue(body.function, size if several else node, text, node if several else size)


def _taken_behind(node: Syntax, arrays: dict[str, Syntax], body: Body) -> str:
    """The array that the node is an element behind the end of."""
    base, parent = node.child("argument"), body.parents.get(id(node))
    if node.kind != "subscript_expression" or base is None or base.text not in arrays:
        return ""
    if parent is not None and parent.kind == "pointer_expression" and parent.op == "&":
        return ""  # the end of a range
    index = node.children[-1]
    if index.children and index.kind == "subscript_argument_list":
        index = index.children[0]
    highest = _highest(index, node, body)
    over = None if highest is None else _constant(_minus(highest, _sum(arrays[base.text], body)), body)
    return base.text if over is not None and over >= 0 else ""


def _arrays(body: Body) -> dict[str, Syntax]:
    """The lengths of arrays with one dimension that the function declares once."""
    lengths: dict[str, Syntax] = {}
    declared: Counter[str] = Counter(body.scope.parameters)
    for node in body.nodes:
        name, size = node.child("declarator"), node.child("size")
        if node.kind == "array_declarator" and name is not None:
            outer = body.parents.get(id(node))
            plain = name.kind == "identifier" and outer is not None and outer.kind in ("declaration", "init_declarator")
            while name is not None and name.kind != "identifier":
                name = name.child("declarator")
            declared[name.text if name is not None else ""] += 1
            if plain and size is not None and name is not None:
                lengths[name.text] = size
        elif node.kind in ("declaration", "init_declarator") and name is not None and name.kind == "identifier":
            declared[name.text] += 1
    return {name: size for name, size in lengths.items() if declared[name] == 1}


def _highest(index: Syntax, access: Syntax, body: Body) -> Sum | None:
    """The largest value of an index that is made of numbers and of counters of the loops around it."""
    total: Sum = {}
    for sign, term in _terms(index):
        number = _number(term)
        if number is not None:
            total = _plus(total, {"": sign * number})
            continue
        counter = _counter(term.text, access, body) if term.kind == "identifier" and sign > 0 else None
        if counter is not None:
            total = _plus(_plus(total, _sum(counter.end, body)), {"": counter.last})
            continue
        guard = _guard(term, access, body) if sign > 0 else None
        known = guard if guard is not None else _fixed(term, body)
        if known is None:
            return None
        total = _plus(total, {name: sign * n for name, n in known.items()})
    return total


def _fixed(term: Syntax, body: Body) -> Sum | None:
    """What a term is that has one value everywhere in the function: made of constants and arguments of the template alone."""
    found = _sum(term, body)
    return found if term.kind == "identifier" and all(_is_fixed(name, body) for name in found) else None


def _is_fixed(name: str, body: Body) -> bool:
    if name in body.scope.types and name not in body.scope.outline.constants:
        return False
    known = name == "" or name in body.scope.outline.constants or name in body.function.template
    return known or _CONSTANT.fullmatch(name) is not None


def _guard(term: Syntax, access: Syntax, body: Body) -> Sum | None:
    """The last thread that a condition around the access lets pass: `if (threadIdx.x < AXES + 1)`."""
    values = body.scope.values.get(term.text, [])
    written = values[0].bare if len(values) == 1 and term.text not in body.scope.grown else term.bare
    if not _THREAD.fullmatch(written):
        return None
    for parent, child in body.ancestors(access):
        condition = parent.child("condition") if parent.kind == "if_statement" else None
        if condition is None or parent.child("consequence") is not child:
            continue
        left, right = condition.child("left"), condition.child("right")
        if condition.op == "<" and left is not None and right is not None and left.bare == term.bare:
            end = _sum(right, body)
            named = end.keys() - {""}
            return _plus(end, {"": -1}) if named and all(_is_fixed(name, body) for name in named) else None
    return None


def _counter(name: str, access: Syntax, body: Body) -> _Counter | None:
    """The loop around the access that counts the name, where nothing on the way there asks about the name or leaves."""
    if len(body.scope.steps.get(name, [])) != len(_loops_of(name, body)):
        return None
    for parent, child in body.ancestors(access):
        condition = parent.child("condition")
        if parent.kind == "for_statement" and parent in _loops_of(name, body):
            found = _read(parent, name) if parent.child("body") is child else None
            return found if found is not None and not _leaves_before(access, parent, body) else None
        if (
            condition is not None
            and condition is not child
            and (parent.kind != "for_statement" or name in names_in(condition))
        ):
            return None
        if parent.op in ("&&", "||"):
            return None
    return None


def _loops_of(name: str, body: Body) -> list[Syntax]:
    return [
        n
        for n in body.nodes
        if n.kind == "for_statement" and (u := n.child("update")) is not None and name in names_in(u)
    ]


def _read(loop: Syntax, name: str) -> _Counter | None:
    start, condition, step = loop.child("initializer"), loop.child("condition"), loop.child("update")
    if start is None or condition is None or step is None or step.bare not in (f"++{name}", f"{name}++", f"{name}+=1"):
        return None
    first = start.bare.rstrip(";").partition(f"{name}=")[2]
    left, right = condition.child("left"), condition.child("right")
    if not first.isdigit() or condition.op not in ("<", "<=") or left is None or right is None or left.text != name:
        return None
    return _Counter(loop, right, 0 if condition.op == "<=" else -1)


def _leaves_before(access: Syntax, loop: Syntax, body: Body) -> bool:
    return any(n.kind in LEAVING and loop.start < n.start < access.start for n in body.nodes)


# --- sums ----------------------------------------------------------------------------------------------------------------


def _sum(node: Syntax, body: Body, depth: int = 0) -> Sum:
    total: Sum = {}
    for sign, term in _terms(node):
        number = _number(term)
        number = _asserted(term, body) if number is None else number
        values = body.scope.values.get(term.text, []) if term.kind == "identifier" else []
        if number is not None:
            total = _plus(total, {"": sign * number})
        elif len(values) == 1 and term.text not in body.scope.grown and depth < DEEPEST:
            total = _plus(total, {name: sign * n for name, n in _sum(values[0], body, depth + 1).items()})
        else:
            total = _plus(total, {term.bare: sign})
    return total


def _asserted(term: Syntax, body: Body) -> int | None:
    """The number that `static_assert(term == 4)` says."""
    for node in body.nodes:
        condition = node.child("condition") if node.kind == "static_assert_declaration" else None
        if condition is not None and condition.op == "==" and condition.children[0].text == term.text:
            return _number(condition.children[1])
    return None


def _terms(node: Syntax, sign: int = 1) -> Iterator[tuple[int, Syntax]]:
    node = uncast(node)
    if node.kind == "binary_expression" and node.op in ("+", "-") and len(node.children) == 2:
        left, right = node.children
        yield from _terms(left, sign)
        yield from _terms(right, sign if node.op == "+" else -sign)
    else:
        yield sign, node


def _number(node: Syntax) -> int | None:
    return (
        int(number_of(node.text))
        if node.kind == "number_literal" and node.text[0].isdigit() and "." not in node.text
        else None
    )


def _plus(one: Sum, other: Sum) -> Sum:
    names = one.keys() | other.keys()
    return {name: n for name in sorted(names) if (n := one.get(name, 0) + other.get(name, 0))}


def _minus(one: Sum, other: Sum) -> Sum:
    return _plus(one, {name: -n for name, n in other.items()})


def _constant(total: Sum, body: Body) -> int | None:
    """The number that a sum is; constants of the file are put in where names are left."""
    known = {**body.scope.outline.constants, "": 1}
    if not total.keys() <= known.keys():
        return None
    return sum(known[name] * n for name, n in total.items())
