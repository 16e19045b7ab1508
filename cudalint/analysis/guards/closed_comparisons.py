"""Guards that let their bound pass, where the same comparison stops before it elsewhere in the file.

for (c = 0; c < end; c += 256) { at = c + threadIdx.x;  if (at <= end) y[at] = 0; }       `end` is behind the last
if (at <= end) y[at] = 0;                                                                 two other kernels: at < end
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.guards.dropped_guards import made_of
from cudalint.analysis.text.guard_conditions import guards_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

ENOUGH = 2  # functions that stop before the bound
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_CLOSED, _OPEN = ("<=", ">"), ("<", ">=")


def closed_comparisons(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each guard."""
    every = list(bodies(program_of(outline)))
    opened = {id(body): _comparisons(body, _OPEN) for body in every}
    for body in every:
        for node in body.nodes:
            for part, _, end in guards_of(node, body):
                for name, bound in _sides(part, _CLOSED):
                    twin = _counted(name, bound, body, opened[id(body)]) or _usual(name, bound, body, every, opened)
                    if twin is not None and _is_place(name, bound, part.end, end, body):
                        text = f"`{short(part)}` lets {name} == {bound} pass, where `{short(twin)}` stops before it"
                        yield GuardIssue(body.function, part, text, twin)


def _sides(node: Syntax, operators: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """(variable, bound) of a comparison with one of the operators, whichever stands first."""
    left, right = node.child("left"), node.child("right")
    if node.kind == "binary_expression" and left is not None and right is not None and node.op in _TURNED:
        if left.kind == "identifier" and node.op in operators:
            yield left.text, right.text
        if right.kind == "identifier" and _TURNED[node.op] in operators:
            yield right.text, left.text


def _comparisons(body: Body, operators: tuple[str, str]) -> dict[tuple[str, str], Syntax]:
    return {sides: node for node in body.nodes for sides in _sides(node, operators)}


def _counted(name: str, bound: str, body: Body, opened: dict[tuple[str, str], Syntax]) -> Syntax | None:
    """A loop whose counter stops before the bound, where the place is that counter and the thread's place."""
    values = body.scope.values.get(name, [])
    terms = terms_of(values[0]) if len(values) == 1 else []
    for term in terms if len(terms) > 1 else ():
        others = [names_in(other) for other in terms if other is not term]
        placed = all(any(n.startswith("threadIdx.") or n in body.positions for n in other) for other in others)
        twin = opened.get((term.text, bound)) if placed else None
        loop = body.parents.get(id(twin)) if twin is not None else None
        if loop is not None and loop.kind == "for_statement":
            return twin
    return None


def _usual(
    name: str, bound: str, body: Body, every: list[Body], opened: dict[int, dict[tuple[str, str], Syntax]]
) -> Syntax | None:
    """The comparison of other functions that make the place alike, where no third one lets the bound pass."""
    if bound not in body.scope.parameters or name not in body.scope.values:
        return None
    made = made_of(name, body)
    alike = [b for b in every if b is not body and bound in b.scope.parameters and made_of(name, b) == made]
    twins = [twin for b in alike if (twin := opened[id(b)].get((name, bound))) is not None]
    return twins[0] if len(twins) >= ENOUGH and len(twins) == len(alike) else None


def _is_place(name: str, bound: str, after: int, end: int, body: Body) -> bool:
    """An element, or a call, gets the variable behind the comparison, which nothing compares with the bound once more."""
    if any(
        (name, bound) in set(_sides(n, _OPEN))
        or (n.op in ("==", "!=") and {c.text for c in n.children} == {name, bound})
        for n in body.nodes
    ):
        return False
    inside = (n for n in body.nodes if after <= n.start < end and n.kind in ("subscript_expression", "argument_list"))
    return any(name in {c.text for c in node.walk() if c.kind == "identifier"} for node in inside)
