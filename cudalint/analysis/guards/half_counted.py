"""Places of two loops over tiles, of which one is kept below the end of its loop, and the other one is not.

for (int i = 0; i < cols; i += 32) { int c = i + threadIdx.x;
  for (int j = 0; j < rows; j += 8) { int r = j + threadIdx.y;
    if (c < cols) sum += x[r * stride + c];                      // rows beyond the last one, unless rows % 8 == 0
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_THREAD = re.compile(r"threadIdx|thread_(rank|index)")
_REDUCED = re.compile(r"\b(min|max|clamp\w*)\b|[%&?]")
_ORDERS = ("<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class _Counted:
    """`place` is the counter of the loop and a thread of the block, so many of which the loop goes on by."""

    place: str
    loop: Syntax
    bound: str


def half_counted(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each place without a guard, at the first element that both places choose."""
    for body in bodies(program_of(outline)):
        places = list(_places(body))
        if len(places) < 2:
            continue
        conditions = [c for node in body.nodes if (c := node.child("condition")) is not None]
        asked = {each.place: [c for c in conditions if each.place in names_in(c)] for each in places}
        kept = [each for each in places if any(_keeps(c, each) for c in asked[each.place])]
        for lost in places:
            if asked[lost.place]:
                continue
            for other in kept:
                use = _use(lost, other, body) if other.bound != lost.bound else None
                if use is not None:
                    text = f"`{short(use)}` is used whatever `{lost.place}` is, which goes beyond `{lost.bound}`"
                    yield GuardIssue(body.function, use, text, asked[other.place][0])
                    break


def _places(body: Body) -> Iterator[_Counted]:
    loops = {counter: (node, bound) for node in body.nodes for counter, bound in _counts(node)}
    for name, values in sorted(body.scope.values.items()):
        counters = {_counter(value, loops.keys(), body) for value in values}
        if len(counters) == 1 and name not in body.scope.grown and (counter := counters.pop()):
            yield _Counted(name, *loops[counter])


def _counter(value: Syntax, counters: Collection[str], body: Body) -> str:
    """The counter of a sum with a thread of the block."""
    terms = [] if _REDUCED.search(value.text) else terms_of(value)
    counted = [term.text for term in terms if term.text in counters]
    threads = [term for term in terms if term.text not in counters]
    return counted[0] if len(counted) == 1 == len(threads) and _is_thread(threads[0], body) else ""


def _counts(node: Syntax) -> Iterator[tuple[str, str]]:
    """The counter of a loop that goes on by several places at once, and its end."""
    condition, step = node.child("condition"), node.child("update")
    if node.kind != "for_statement" or condition is None or step is None or condition.op != "<":
        return
    counter, bound = condition.children
    several = step.kind == "assignment_expression" and step.op == "+=" and step.children[-1].text != "1"
    if several and counter.kind == bound.kind == "identifier" and step.children[0].text == counter.text:
        yield counter.text, bound.text


def _is_thread(term: Syntax, body: Body) -> bool:
    """`threadIdx.y`, or a variable that is nothing else."""
    values = body.scope.values.get(term.text, []) if term.kind == "identifier" else [term]
    return len(values) == 1 and _THREAD.search(values[0].text) is not None and "blockIdx" not in values[0].text


def _keeps(condition: Syntax, each: _Counted) -> bool:
    parts = [part for part in condition.walk() if part.op in _ORDERS]
    return any({child.text for child in part.children} == {each.place, each.bound} for part in parts)


def _use(lost: _Counted, kept: _Counted, body: Body) -> Syntax | None:
    """An element of memory that the function is given, inside of both loops, and that both places choose."""
    start, end = max(lost.loop.start, kept.loop.start), min(lost.loop.end, kept.loop.end)
    for node in body.nodes:
        if node.kind == "subscript_expression" and start <= node.start < end:
            base = node.child("argument")
            local = base is None or re.search(rf"\b{re.escape(base.text)}\s*\[[^;=]*;", _declarations(body)) is not None
            if not local and {lost.place, kept.place} <= names_in(node.children[-1]):
                return node
    return None


def _declarations(body: Body) -> str:
    """What is declared as an array in the function: tiles have room for every thread."""
    return "\n".join(
        node.text for node in body.nodes if node.kind == "declaration" and "[" in node.text.partition("=")[0]
    )
