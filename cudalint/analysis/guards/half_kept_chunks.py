"""Loops over a chunk that has two ends, and an element in them that only one of the two keeps.

for (i0 = 0; i0 < n && i0 < chunk; i0 += blockDim.x * 4)  { i = i0 + threadIdx.x;  if (i < chunk) x[i] = 0; }
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.guard_conditions import parts_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import leaves
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
    for part in parts_of(condition, "&&"):
        left, right = part.child("left"), part.child("right")
        if part.kind != "binary_expression" or part.op != "<" or left is None or right is None:
            return {}
        if left.kind != "identifier" or right.kind not in ("identifier", "field_expression"):
            return {}
        found.setdefault(left.text, []).append(right.bare)
    return found


def _half_kept(
    counter: str, bounds: list[str], loop: Syntax, inside: Syntax, body: Body
) -> Iterator[GuardIssue]:  # fmt: skip
    for node in inside.walk():
        condition, guarded = node.child("condition"), node.child("consequence")
        if node.kind != "if_statement" or condition is None or guarded is None:
            continue
        kept = _ends(condition)
        for place in sorted(kept):
            value = _declared_before(place, condition, inside)
            if value is None or not _is_behind(value, counter):
                continue
            lost = [bound for bound in bounds if bound not in kept[place]]
            use = _element(place, guarded)
            if len(lost) == 1 and len(kept) == 1 and use is not None and not _is_asked(place, lost[0], inside, node):
                text = f"`{short(condition)}` does not keep {place} below `{lost[0]}`, as the loop keeps {counter}"
                yield GuardIssue(body.function, condition, text, loop, behind=(use,))


def _declared_before(place: str, guard: Syntax, inside: Syntax) -> Syntax | None:
    """What the last variable of the name before the guard, inside the loop, begins with."""
    found = None
    for node in inside.walk():
        name = node.child("declarator") if node.kind == "init_declarator" and node.start < guard.start else None
        if name is not None and name.text == place:
            found = node.child("value")
    return found


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


def _is_asked(place: str, bound: str, inside: Syntax, guard: Syntax) -> bool:
    """A condition around the guard speaks of both, one before it that leaves, or a minimum of the loop."""
    for node in inside.walk():
        condition, guarded = node.child("condition"), node.child("consequence")
        around = node.start < guard.start and guard.end <= node.end
        leaving = guarded is not None and node.start < guard.start and leaves(guarded)
        asked = condition if around or leaving else node if node.kind == "call_expression" else None
        if asked is not None and {place, bound} <= names_in(asked):
            return True
    return False
