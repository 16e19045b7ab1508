"""Places that the functions of a file work out alike, but one of them with another of its sizes.

int at = (col & ~31) * m + (row << 5) + (col & 31);       // in three kernels that are given m and n
int at = (col & ~31) * n + (row << 5) + (col & 31);       // in a fourth
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, short
from cudalint.analysis.text.scopes import INT, UNSIGNED, WIDE
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

ENOUGH = 2  # functions that agree
SHORTEST = 7  # words of an expression that nobody writes twice by chance
_PLACE = re.compile(r"(threadIdx|blockIdx)\b")
_WORDS = re.compile(r"[A-Za-z_]\w*|\d\w*|[^\s\w]")

Definition = tuple[Body, Syntax, tuple[str, ...]]


def odd_definitions(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each definition."""
    found: dict[tuple[str, int], list[Definition]] = {}
    for body in bodies(program_of(outline)):
        for name, value in _definitions(body):
            words = tuple(_WORDS.findall(value.text))
            if len(words) >= SHORTEST and "*" in words:
                found.setdefault((name, len(words)), []).append((body, value, words))
    for every in found.values():
        for body, value, words in every if len(every) > ENOUGH else ():
            same = [other for other in every if other[2] == words]
            if len(same) > 1:
                continue
            alike: dict[tuple[str, str], list[Definition]] = {}
            for other in every:
                place = _difference(words, other[2])
                if place is not None and other[0] is not body:
                    alike.setdefault((words[place], other[2][place]), []).append(other)
            for (own, usual), others in alike.items():
                if (
                    len({id(o[0]) for o in others}) >= ENOUGH
                    and _sizes(own, usual, body)
                    and all(_sizes(own, usual, o[0]) for o in others)
                ):
                    first = others[0][1]
                    text = f"`{own}` stands here where {len(others)} other functions have `{usual}`: `{short(first)}`"
                    yield GuardIssue(body.function, value, text, first)
                    break


def _definitions(body: Body) -> Iterator[tuple[str, Syntax]]:
    for node in body.nodes:
        name, value = node.child("declarator"), node.child("value")
        if (
            node.kind == "init_declarator"
            and name is not None
            and value is not None
            and value.kind == "binary_expression"
        ):
            while name.kind in ("pointer_declarator", "reference_declarator") and name.children:
                name = name.children[-1]
            yield name.text, value


def _difference(words: tuple[str, ...], other: tuple[str, ...]) -> int | None:
    """The only place where two expressions differ."""
    places = [k for k, (a, b) in enumerate(zip(words, other)) if a != b]
    return places[0] if len(places) == 1 else None


def _sizes(own: str, usual: str, body: Body) -> bool:
    """Both are whole numbers of one type that the function is given, or makes of what it is given."""
    scope = body.scope
    if scope.types.get(own) not in (INT, UNSIGNED, WIDE) or scope.types.get(own) != scope.types.get(usual):
        return False
    return all(name in scope.parameters or _is_size(name, body) for name in (own, usual))


def _is_size(name: str, body: Body) -> bool:
    made = closure_of(name, body)
    fixed = len(body.scope.values.get(name, [])) == 1 and name not in body.scope.grown
    return fixed and not any(_PLACE.match(each) for each in made) and not made.isdisjoint(body.scope.parameters)
