"""Loops over a chunk that has two ends, and an element in them that only one of the two keeps.

for (i0 = 0; i0 < n && i0 < chunk; i0 += blockDim.x * 4)  { i = i0 + threadIdx.x;  if (i < chunk) x[i] = 0; }
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax


def half_kept_chunks(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each comparison that leaves out the other end of the loop."""
    for body in bodies(program_of(outline)):
        for loop in body.nodes:
            condition, inside = loop.child("condition"), loop.child("body")
            if loop.kind != "for_statement" or condition is None or inside is None:
                continue
            ends = _ends(condition)
            if len(ends) != 1 or len(next(iter(ends.values()))) != 2:
                continue
            ((counter, bounds),) = ends.items()
            yield from _half_kept(counter, bounds, condition, inside, body)


def _ends(condition: Syntax) -> dict[str, list[str]]:
    """`i < n && i < chunk` by the variable that all of it keeps below something; nothing for any other condition."""
    found: dict[str, list[str]] = {}
    for part in _parts(condition):
        left, right = part.child("left"), part.child("right")
        if part.kind != "binary_expression" or part.op != "<" or left is None or right is None:
            return {}
        if left.kind != "identifier" or right.kind not in ("identifier", "field_expression"):
            return {}
        found.setdefault(left.text, []).append(right.bare)
    return found


def _parts(condition: Syntax) -> list[Syntax]:
    if condition.kind == "parenthesized_expression" and len(condition.children) == 1:
        return _parts(condition.children[0])
    if condition.kind == "binary_expression" and condition.op == "&&":
        return [part for child in condition.children for part in _parts(child)]
    return [condition]


def _half_kept(
    counter: str, bounds: list[str], loop: Syntax, inside: Syntax, body: Body
) -> Iterator[GuardIssue]:  # fmt: skip
    places = {name for name, values in body.scope.values.items() if len(values) == 1 and _is_behind(values[0], counter)}
    for node in inside.walk():
        condition, guarded = node.child("condition"), node.child("consequence")
        if node.kind != "if_statement" or condition is None or guarded is None:
            continue
        kept = _ends(condition)
        for place in sorted(places & kept.keys()):
            lost = [bound for bound in bounds if bound not in kept[place]]
            use = _element(place, guarded)
            if (
                len(lost) == 1
                and len(kept) == 1
                and use is not None
                and not _is_asked(place, lost[0], inside, condition)
            ):
                text = f"`{short(condition)}` does not keep {place} below `{lost[0]}`, as the loop keeps {counter}"
                yield GuardIssue(body.function, condition, text, loop, behind=(use,))


def _is_behind(value: Syntax, counter: str) -> bool:
    """The counter, and a part of it for each thread."""
    terms = terms_of(value)
    return len(terms) > 1 and counter in {term.text for term in terms} and "threadIdx" in value.text


def _element(place: str, guarded: Syntax) -> Syntax | None:
    return next(
        (
            node
            for node in guarded.walk()
            if node.kind == "subscript_expression" and place in {t.text for c in node.children[1:] for t in terms_of(c)}
        ),
        None,
    )


def _is_asked(place: str, bound: str, inside: Syntax, condition: Syntax) -> bool:
    """Another condition or minimum of the loop speaks of both."""
    for node in inside.walk():
        asked = node.child("condition") or (node if node.kind == "call_expression" else None)
        if asked is not None and asked is not condition and {place, bound} <= names_in(asked):
            return True
    return False
