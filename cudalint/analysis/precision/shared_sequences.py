"""Generators of random numbers that every thread, or every block, sets up in the same way: all of them draw the same numbers.

curand_init(seed, 0, 0, &state);      curand_init(seed, threadIdx.x, 0, &state) in a launch of many blocks
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.chosen_threads import is_chosen, reached_names, sends_away
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import POINTER
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_INIT = re.compile(r"(::)?(cu|hip)rand_init")
_DRAWS = re.compile(r"\b(cu|hip)rand(_(?!init)\w+)?\s*\(")
_OF_GRID = re.compile(
    r"(blockIdx\.x\*blockDim\.x|blockDim\.x\*blockIdx\.x)\+threadIdx\.x|threadIdx\.x\+block(Idx|Dim)\.x\*block"
)
_CALLS = re.compile(r"\b(?:cu|hip)rand_init\s*\(")
_PARTS = 4  # seed, sequence, offset, state


def shared_sequences(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each generator that is set up."""
    if "rand_init" not in outline.root.text:
        return
    for body in bodies(program_of(outline), ("kernel",)):
        for node in body.nodes:
            callee, arguments = node.child("function"), node.child("arguments")
            if (
                node.kind != "call_expression"
                or callee is None
                or arguments is None
                or not _INIT.fullmatch(callee.text)
            ):
                continue
            if len(arguments.children) == _PARTS and (who := _who_shares(node, arguments.children, body)) is not None:
                text = f"`{short(node)}` begins the same sequence of random numbers in every {who}"
                certain = _is_own(arguments.children[-1], body) or len(_CALLS.findall(outline.root.text)) == 1
                yield GuardIssue(body.function, node, text, certain=certain)


def _who_shares(call: Syntax, given: tuple[Syntax, ...], body: Body) -> str | None:
    """thread or block; what is loaded, or comes from a call, may differ."""
    if not _is_own(given[-1], body) and not any(
        name.startswith("threadIdx") for name in reached_names(given[-1], body)
    ):
        return None
    if not _is_for_all(call, body):
        return None
    made = [value for part in given[:-1] for value in (part, *_values(part, body))]
    if any(
        node.kind in ("call_expression", "subscript_expression", "pointer_expression")
        for each in made
        for node in each.walk()
    ):
        return None
    reached = set[str]().union(*(reached_names(part, body) for part in given[:-1]))
    if any(name in body.scope.grown or body.scope.types.get(name) == POINTER for name in reached):
        return None
    if not all(_is_known(name, body) for name in reached):
        return None
    if any(name.startswith("blockIdx") for name in reached):
        return None
    if any(name.startswith("threadIdx") for name in reached):
        return "block" if _OF_GRID.search(body.function.body.bare) is not None else None
    return "thread" if "threadIdx" in body.function.body.text else None


def _is_known(name: str, body: Body) -> bool:
    """A variable, a number or a place; a macro may be any of them."""
    known = name in body.scope.types or name in body.scope.outline.constants or name in body.function.template
    return known or re.match(r"(block|grid|thread)(Idx|Dim)\b", name) is not None


def _values(part: Syntax, body: Body) -> Iterator[Syntax]:
    for name in reached_names(part, body):
        yield from body.scope.values.get(name, [])


def _is_own(state: Syntax, body: Body) -> bool:
    """A local generator that this function draws from; one in memory may be the only one of a request that has its own seed."""
    name = state.bare.partition("&")[2]
    return (
        name in body.scope.structures
        and name not in body.scope.parameters
        and _DRAWS.search(body.function.body.text) is not None
    )


def _is_for_all(call: Syntax, body: Body) -> bool:
    """All threads come to it."""
    return not is_chosen(call, body) and not any(
        node.kind == "if_statement" and sends_away(node, body) for node in body.nodes
    )
