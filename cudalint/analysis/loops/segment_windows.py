"""Windows that begin at each element of a segment, and of which the last ones go on behind its end.

begin = offsets[r], end = offsets[r + 1];
for (p = begin + threadIdx.x; p < end; p += blockDim.x)
  for (j = 0; j < k; ++j) code = code << 2 | bases[p + j];                 // nothing compares p + j, or p + k, with the end
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.called_functions import given_to
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import POINTER, leaves, uncast
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_NEXT = re.compile(r"\[[^\[\]]*\+1\]$")
_OF_THREADS = ("blockDim", "gridDim", "warpSize", "threadIdx")
_CONSTANTS = ("number_literal", "true", "false", "char_literal")
_COMPARED = ("<", "<=", ">", ">=", "==", "!=")
_FITS = re.compile(r"min|max|clamp|valid|inside|bound|check", re.IGNORECASE)


def segment_windows(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each function: the first element that may lie behind the end."""
    program = program_of(outline)
    for body in bodies(program, ("kernel", "device")):
        found = next(_in_body(body, program), None)
        if found is not None:
            yield found


def _in_body(body: Body, program: Program) -> Iterator[GuardIssue]:
    for outer in body.nodes:
        start, end = _ends(outer, body)
        inner_loops = outer.walk() if end is not None else ()
        for inner in (node for node in inner_loops if node.kind == "for_statement" and node is not outer):
            counter, length = _counted(inner)
            if (
                length is None
                or end is None
                or _is_step(length, outer)
                or _is_chunk(start, length, outer, body, program)
            ):
                continue
            element = _element(start, counter, inner, body)
            if element is not None and not _is_asked(start, counter, length, end, outer, body):
                text = (
                    f"`{short(element)}` may lie behind `{end.text}`: only where the window begins is compared with it"
                )
                certain = not (
                    _ends_by_data(inner) or _has_mark(inner, outer) or _is_filter(start, counter, inner, outer, body)
                )
                yield GuardIssue(body.function, body.parents[id(end)], text, element if certain else None, certain)


def _ends(loop: Syntax, body: Body) -> tuple[str, Syntax | None]:
    """(place, end) of `p < end`, where a segment ends by what the memory says: `end = offsets[r + 1]`."""
    condition = loop.child("condition") if loop.kind in ("for_statement", "while_statement") else None
    while condition is not None and condition.kind in ("condition_clause", "parenthesized_expression"):
        condition = condition.children[0]
    left, right = (None, None) if condition is None else (condition.child("left"), condition.child("right"))
    if condition is None or left is None or right is None or condition.op != "<" or left.kind != "identifier":
        return "", None
    values = body.scope.values.get(right.text, []) if right.kind == "identifier" else [right]
    is_end = len(values) == 1 and right.text not in body.scope.grown and _NEXT.search(uncast(values[0]).bare)
    return (left.text, right) if is_end and uncast(values[0]).kind == "subscript_expression" else ("", None)


def _counted(loop: Syntax) -> tuple[str, Syntax | None]:
    """(counter, how many) of `for (j = 0; j < k; ++j)`, where k is a name."""
    condition, update = loop.child("condition"), loop.child("update")
    left, right = (None, None) if condition is None else (condition.child("left"), condition.child("right"))
    if condition is None or update is None or left is None or right is None or condition.op not in ("<", "<="):
        return "", None
    steps = re.fullmatch(rf"(\+\+{re.escape(left.text)}|{re.escape(left.text)}\+\+)", update.bare)
    return (left.text, right) if steps and right.kind in ("identifier", "field_expression") else ("", None)


def _is_step(length: Syntax, outer: Syntax) -> bool:
    """The next window begins where this one ends, or the length is that of a chunk."""
    update = outer.child("update")
    steps = [update] if update is not None else [n for n in outer.walk() if n.kind == "assignment_expression"]
    return "Dim" in length.text or any(length.text in names_in(step) for step in steps)


def _is_chunk(place: str, length: Syntax, outer: Syntax, body: Body, program: Program) -> bool:
    """`p += C`, `p += W * blockDim.x`: windows do not begin at each element, and may be as long as the step."""
    update = outer.child("update")
    moves = [update] if update is not None else list(outer.walk())
    steps = [
        n for move in moves for n in move.walk() if n.kind == "assignment_expression" and n.child("right") is not None
    ]
    given = {value.bare for value, _ in given_to(length.text, body.function, program)}
    for step in steps:
        target, right = step.child("left"), step.child("right")
        if target is None or right is None or target.text != place:
            continue
        names = {n for n in names_in(right) - {place} - body.positions if n.partition(".")[0] not in _OF_THREADS}
        made = [body.scope.values.get(name, []) for name in names]
        if not all(values and all("Dim" in value.text for value in values) for values in made):
            return True
        numbers = {node.text for node in right.walk() if node.kind == "number_literal"} - {"1"}
        if numbers & given or (numbers and not _is_of_thread(place, body)):
            return True
    return False


def _is_of_thread(place: str, body: Body) -> bool:
    values = body.scope.values.get(place, [])
    return any("threadIdx" in value.text or not body.positions.isdisjoint(names_in(value)) for value in values)


def _element(place: str, counter: str, inner: Syntax, body: Body) -> Syntax | None:
    """An element of memory that is given, at the sum of both: `bases[p + j]`, `x[(p + j) * width + c]`."""
    sums = {
        name for name, values in body.scope.values.items() if len(values) == 1 and _is_sum(values[0], place, counter)
    }
    for node in inner.walk():
        base = node.child("argument") if node.kind == "subscript_expression" else None
        if base is None or body.scope.types.get(base.text) != POINTER or base.text not in body.scope.parameters:
            continue
        for part in (each for child in node.children[1:] for each in child.walk()):
            if _is_sum(part, place, counter) or part.text in sums:
                return node
    return None


def _is_sum(node: Syntax, place: str, counter: str) -> bool:
    return node.op == "+" and sorted(term.text for term in terms_of(uncast(node))) == sorted((place, counter))


def _is_asked(place: str, counter: str, length: Syntax, end: Syntax, outer: Syntax, body: Body) -> bool:
    """Something relates the window, or what it is made of, with the end: by a comparison, a call, or another variable."""
    for node in body.nodes:
        compared = node.kind == "binary_expression" and node.op in _COMPARED
        callee = node.child("function")
        if not compared and not (callee is not None and _FITS.search(callee.text)):
            continue
        names = names_in(node)
        own = {place, end.text} & names
        if {place, counter} <= names or (own and length.text in names) or (len(own) == 2 and "+" in node.text):
            return True
    values = (value for each in body.scope.values.values() for value in each)
    return any({end.text} & names_in(value) and "-" in value.text for value in values) or _leaves_before(outer)


def _leaves_before(outer: Syntax) -> bool:
    """A branch leaves the outer loop, or goes on with the next place, before the window is read."""
    inner = outer.child("body")
    for child in inner.children if inner is not None else ():
        if child.kind == "for_statement":
            return False
        if child.kind == "if_statement" and (then := child.child("consequence")) is not None and leaves(then):
            return True
    return False


def _ends_by_data(inner: Syntax) -> bool:
    """The window may end earlier by what it reads, as a mark between two segments would make it."""
    return any(node.kind in ("break_statement", "return_statement", "goto_statement") for node in inner.walk())


def _has_mark(inner: Syntax, outer: Syntax) -> bool:
    """`bad |= c >> 2` in the window, and `if (!bad)` behind it: a window that meets the mark of an end is left out."""
    marks = set()
    for node in inner.walk():
        target, value = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and target is not None and value is not None:
            if node.op in ("|=", "&=") or value.kind in _CONSTANTS or re.search(rf"={target.text}(&&|\|\|)", node.bare):
                marks.add(target.text)
    conditions = (c for node in outer.walk() if node.start >= inner.end and (c := node.child("condition")) is not None)
    return any(marks & names_in(condition) for condition in conditions)


def _is_filter(place: str, counter: str, inner: Syntax, outer: Syntax, body: Body) -> bool:
    """`acc += taps[j] * x[p + j]` and `out[p] = acc`: the segments may divide the outputs alone, of an input that is longer."""
    at_counter = [n for n in inner.walk() if n.kind == "subscript_expression" and n.children[-1].bare == counter]
    weighed = any(body.scope.types.get(node.children[0].text) == POINTER for node in at_counter)
    targets = (node.child("left") for node in outer.walk() if node.kind == "assignment_expression")
    return weighed and any(
        t is not None and t.kind == "subscript_expression" and t.children[-1].bare == place for t in targets
    )
