"""Smallest and largest values that many threads keep by reading, comparing and writing an element without an atomic.

if (d < nearest[k[i]]) nearest[k[i]] = d;                      // wherever the data of each thread says
a = find_root(label, a);  if (b < label[a]) label[a] = b;      // the root of several threads: a union is lost
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.synchronization.common_memory import is_given_whole, signals_again
from cudalint.analysis.synchronization.lost_updates import ORDERED, Judge, has_one_block, taken_apart
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.launch_text import launches_of, plain_name
from cudalint.analysis.text.scopes import POINTER, uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_EXTREME = re.compile(r"^(::|std::)?f?(min|max)f?$")
_ORDERS = ("<", "<=", ">", ">=")
_SAYS_AGAIN = re.compile(
    r"change|again|done|stop|over|modif|update|flag|converge|finish|active|front|mask", re.IGNORECASE
)


def lost_extremes(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such update."""
    if "blockIdx" not in outline.root.file.text:
        return
    program = program_of(outline)
    for body in bodies(program, ("kernel",)):
        text = body.function.body.text
        if "blockIdx" not in text or ORDERED.search(text) or _SAYS_AGAIN.search(text) or signals_again(body):
            continue
        if any(has_one_block(launch) for launch in launches_of(body.function.name, program)):
            continue
        judge = Judge(body, frozenset())
        for place, store, condition in _kept_extremes(body):
            issue = judge.issue(place, store, condition)
            if issue is not None:
                yield issue
    for body in bodies(program, ("device",)):
        if not ORDERED.search(body.function.body.text) and "atomic" not in body.function.body.text:
            yield from _lost_unions(body, program)


def _kept_extremes(body: Body) -> Iterator[tuple[Syntax, Syntax, Syntax | None]]:
    """(element, store, condition) of `if (v < x[k]) x[k] = v`, also where a variable holds the element, and of a call."""
    for node in body.nodes:
        if _is_of_call(node, body) and (target := node.child("left")) is not None:
            yield target, node, None
        condition, branch = node.child("condition"), node.child("consequence")
        if node.kind != "if_statement" or condition is None or branch is None:
            continue
        compared = condition.children[0] if condition.kind == "parenthesized_expression" else condition
        sides = [uncast(side) for side in compared.children] if compared.op in _ORDERS else []
        for store in branch.walk() if len(sides) == 2 else ():
            place, value = store.child("left"), store.child("right")
            if store.kind != "assignment_expression" or store.op != "=" or place is None or value is None:
                continue
            if place.kind != "subscript_expression" or uncast(value).kind not in ("identifier", "subscript_expression"):
                continue
            kept = [side for side in sides if _is_element(side, place, body)]
            given = [side for side in sides if side.bare == uncast(value).bare]
            if len(kept) == 1 and given and kept[0] is not given[0]:
                yield place, store, condition


def _is_of_call(node: Syntax, body: Body) -> bool:
    """`x[k] = min(x[k], v)`."""
    place, value = node.child("left"), node.child("right")
    call = None if value is None else uncast(value)
    callee, arguments = (None, None) if call is None else (call.child("function"), call.child("arguments"))
    if node.kind != "assignment_expression" or node.op != "=" or place is None or callee is None or arguments is None:
        return False
    named = place.kind == "subscript_expression" and _EXTREME.match(callee.text) is not None
    return named and [_is_element(uncast(each), place, body) for each in arguments.children].count(True) == 1


def _is_element(side: Syntax, place: Syntax, body: Body) -> bool:
    """The element itself, or a variable that was given it and nothing else."""
    values = body.scope.values.get(side.text, []) if side.kind == "identifier" else []
    held = len(values) == 1 and side.text not in body.scope.grown and uncast(values[0]).bare == place.bare
    return side.bare == place.bare or held


def _lost_unions(body: Body, program: Program) -> Iterator[GuardIssue]:
    """The element is the root of a tree that the array itself holds: others may find the same one.

    The array is one for all threads, and no flag says that there is another round.
    """
    for place, store, _ in _kept_extremes(body):
        base, indices = taken_apart(place)
        if base is None or body.scope.types.get(base) != POINTER or base not in body.scope.parameters:
            continue
        names = set().union(*(names_in(index) for index in indices))
        found = any(_is_found_in(base, name, body) for name in names)
        if found and is_given_whole(base, body, program, blocks=True) and not _is_repeated(body, program):
            text = f"lost updates of `{base}`: `{short(place)}` is read, compared and written without an atomic"
            yield GuardIssue(body.function, store, text)


def _is_repeated(body: Body, program: Program) -> bool:
    """A kernel that comes to the function, or the function itself, asks the host for another round."""
    name = body.function.name.rpartition("::")[2].partition("<")[0]
    callers = [body, *(b for b in bodies(program, ("device",)) if b is not body)]
    reached = {name}
    for _ in range(3):
        reached |= {b.function.name.rpartition("::")[2] for b in callers if _calls_one(b, reached)}
    kernels = [b for b in bodies(program, ("kernel",)) if _calls_one(b, reached)]
    return any(signals_again(each) for each in (body, *kernels))


def _calls_one(body: Body, names: set[str]) -> bool:
    called = (n.child("function") for n in body.nodes if n.kind == "call_expression")
    return any(callee is not None and plain_name(callee.text) in names for callee in called)


def _is_found_in(array: str, name: str, body: Body) -> bool:
    """`a = label[a]`, `a = find_root(label, a)`."""
    for value in body.scope.values.get(name, []):
        inner = value.child("arguments") or value
        if value.kind in ("call_expression", "subscript_expression") and {array, name} <= names_in(inner):
            return True
    return False
