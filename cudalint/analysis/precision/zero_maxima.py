"""Searches for the largest of values of either sign that begin with zero.

float m = 0.f;   for (...) m = fmaxf(m, x[i]);   sum += expf(x[i] - m);      a row below -104 has the sum 0, and 0 / 0 is NaN
__global__ void row_max(...) { float m = 0.f;  for (...) m = fmaxf(m, x[i]);  out[row] = m; }        never below zero

That a result is meant to be the largest value its kernel says by its name; in a file that speaks of magnitudes or of values
that are made positive the elements may be such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.magnitudes import ZERO
from cudalint.analysis.precision.signs import is_magnitude, is_never_negative
from cudalint.analysis.precision.wrong_extremes import given_values, searched_for
from cudalint.analysis.text.chosen_threads import reached_names
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import FLOATING, POINTER, uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_EXPONENTIAL = re.compile(r"^(::|std::)?(__)?h?exp(f|2|2f|10f)?$")
_NAMED = re.compile(
    r"(^|_)(reduce_?|row_?|col(umn)?_?|block_?|global_?|segment_?)*max(_?pool\w*|_\w+)?$", re.IGNORECASE
)
_POSITIVE = re.compile(r"abs|relu|sigmoid|square|norm|prob|count|dist|\bexpf?\s*\(|hist|iou|score", re.IGNORECASE)


def zero_maxima(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each beginning; what it is about is where the largest value is used."""
    if "max" not in outline.root.text and ">" not in outline.root.text:
        return
    for body in bodies(program_of(outline)):
        for target, value in given_values(body):
            name = target.text
            if target.kind != "identifier" or not ZERO.fullmatch(value.bare) or not _may_be_real(name, body):
                continue
            found = searched_for(name, body)
            if found is None or found[0] != "largest" or _is_begun_twice(name, body) or _is_of_none(name, value, body):
                continue
            use = _shift(name, body)
            if not _is_raw(found[1], body):
                use = use if use is not None and _is_score(found[1], use, body) else None
            elif use is None:
                use = _result(name, body, outline)
            if use is not None:
                text = (
                    f"the search for the largest value begins with `{short(value)}`, and the elements may all be below"
                )
                yield GuardIssue(body.function, value, text, use)


def _is_begun_twice(name: str, body: Body) -> bool:
    """`if (full) m = x[first]; else m = 0;`: where the search begins with zero, zero is one of the values."""
    for node in body.nodes:
        branches = (node.child("consequence"), node.child("alternative")) if node.kind == "if_statement" else ()
        given = [{ZERO.fullmatch(v.bare) is not None for v in _given(branch, name)} for branch in branches if branch]
        if {True} in given and {False} in given:
            return True
    return False


def _is_of_none(name: str, value: Syntax, body: Body) -> bool:
    """`if (m == -INFINITY) m = 0;`: what stands for the largest of no elements is no beginning."""
    for node in body.nodes:
        condition = node.child("condition") if node.kind == "if_statement" else None
        if condition is not None and node.start <= value.start < node.end and name in names_in(condition):
            return True
    return False


def _given(branch: Syntax, name: str) -> Iterator[Syntax]:
    """What the branch sets the variable to."""
    for node in branch.walk():
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and node.op == "=" and left is not None and right is not None:
            if name in (left.text, _base(left)):
                yield right


def _may_be_real(name: str, body: Body) -> bool:
    """A variable in floating point, or of a type that is an argument of the template."""
    types = "|".join(sorted(map(re.escape, body.function.template)))
    generic = bool(types) and re.search(rf"\b(?:{types})\s+(?:const\s+)?{name}\b", body.function.body.text) is not None
    return generic or body.scope.types.get(name) == FLOATING


def _is_raw(value: Syntax, body: Body) -> bool:
    """An element as it lies in memory that the kernel is given."""
    value = uncast(value)
    values = body.scope.values.get(value.text, []) if value.kind == "identifier" else []
    loaded = uncast(values[0]) if len(values) == 1 and value.text not in body.scope.grown else value
    base = loaded.child("argument") if loaded.kind == "subscript_expression" else None
    names = (
        set() if base is None else {base.text, *(n for v in body.scope.values.get(base.text, []) for n in names_in(v))}
    )
    given = {n for n in names & set(body.scope.parameters) if body.scope.types.get(n) == POINTER}
    return bool(given) and not is_never_negative(value, body)


def _is_score(value: Syntax, use: Syntax, body: Body) -> bool:
    """What is searched is what the exponent is of, and made of memory: `s[i] = q[i] * scale + mask;  expf(s[i] - m)`."""
    arguments = use.child("arguments")
    shifted = None if arguments is None else uncast(uncast(arguments.children[0]).children[0])
    value = uncast(value)
    if shifted is None or shifted.bare != value.bare:
        return False
    made = list(_given(body.function.body, _base(value))) if value.kind == "subscript_expression" else []
    made += body.scope.values.get(value.text, []) if value.kind == "identifier" else []
    made = [each for each in made if each.end <= use.start]
    pointers = {name for name in body.scope.parameters if body.scope.types.get(name) == POINTER}
    loaded = all(not pointers.isdisjoint(reached_names(each, body)) for each in made)
    return bool(made) and loaded and not any(is_never_negative(each, body) for each in made)


def _carriers(name: str, body: Body) -> set[str]:
    """The names that hold the largest value of all threads: `s_max = blockReduceMax(local_max)`."""
    found = {name}
    for _ in range(3):
        for node in body.nodes:
            target, value = node.child("declarator") or node.child("left"), node.child("value") or node.child("right")
            plain = node.kind == "init_declarator" or (node.kind == "assignment_expression" and node.op == "=")
            if plain and target is not None and value is not None and target.kind == "identifier":
                parts = value.children[1:] if value.kind == "conditional_expression" else (value,)
                if all(_hands_on(uncast(part), found) for part in parts):
                    found.add(target.text)
    return found


def _hands_on(value: Syntax, names: set[str]) -> bool:
    callee, arguments = value.child("function"), value.child("arguments")
    if callee is None or arguments is None:
        return value.text in names
    return "max" in callee.text.lower() and any(uncast(each).text in names for each in arguments.children)


def _shift(name: str, body: Body) -> Syntax | None:
    """`expf(x[i] - m)`, without an `expf(-m)` that stands for an element of zero."""
    found, names = None, _carriers(name, body)
    for node in body.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if callee is None or arguments is None or len(arguments.children) != 1 or not _EXPONENTIAL.match(callee.text):
            continue
        inner = uncast(arguments.children[0])
        values = body.scope.values.get(inner.text, []) if inner.kind == "identifier" else []
        if any(_is_less(each, names) for each in (inner, *values)):
            return None
        if inner.op == "-" and inner.kind == "binary_expression" and uncast(inner.children[1]).text in names:
            found = found or node
    return found


def _is_less(value: Syntax, names: set[str]) -> bool:
    """`-m` or `0.f - m`."""
    value = uncast(value)
    if value.op != "-" or uncast(value.children[-1]).text not in names:
        return False
    return value.kind == "unary_expression" or ZERO.fullmatch(value.children[0].bare) is not None


def _result(name: str, body: Body, outline: Outline) -> Syntax | None:
    """The store of the value by a kernel that is called after it."""
    if body.function.role != "kernel" or not _NAMED.search(body.function.name) or _POSITIVE.search(outline.root.text):
        return None
    if any(node.kind == "conditional_expression" and is_magnitude(node) for node in outline.root.walk()):
        return None
    arrays: set[str] = set()
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and node.op == "=" and left is not None and right is not None:
            base, stored = _base(left), uncast(right)
            if base in body.scope.parameters and (stored.text == name or _base(stored) in arrays):
                return node
            if base and stored.text == name:
                arrays.add(base)  # in which the threads of a block find the largest of theirs
    return None


def _base(element: Syntax) -> str:
    base = element.child("argument") if element.kind == "subscript_expression" else None
    return "" if base is None else base.text
