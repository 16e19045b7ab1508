"""Collective loads and stores of a block that forget how many elements there are, beside others that state it."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_COLLECTIVES = ("Load", "Store")
SIBLINGS = 2


def uncounted_collectives(outline: Outline) -> Iterator[GuardIssue]:
    """`Load(t).Load(x + i, values)` where the same statements say `Load(t).Load(y + i, values, valid)` twice or more."""
    for body in bodies(program_of(outline), ("kernel",)):
        for block in body.nodes:
            if block.kind == "compound_statement":
                yield from _uncounted(block, body)


def _uncounted(block: Syntax, body: Body) -> Iterator[GuardIssue]:
    calls = [call for statement in block.children if (call := _collective(statement)) is not None]
    counts = [_arguments(call)[2].text for call in calls if len(_arguments(call)) > 2]
    if len(counts) < SIBLINGS or len(set(counts)) > 1:
        return
    counted = next(call for call in calls if len(_arguments(call)) > 2)
    for call in calls:
        if len(_arguments(call)) == 2:
            text = f"`{short(call)}` moves whole tiles, its siblings no more than `{counts[0]}` elements"
            yield GuardIssue(body.function, call, text, counted)


def _collective(statement: Syntax) -> Syntax | None:
    """A statement that is nothing but a collective load or store."""
    callee = statement.child("function") if statement.kind == "call_expression" else None
    method = callee.children[-1].text if callee is not None and callee.kind == "field_expression" else ""
    return statement if method in _COLLECTIVES else None


def _arguments(call: Syntax) -> tuple[Syntax, ...]:
    arguments = call.child("arguments")
    return () if arguments is None else tuple(arguments.children)
