"""Loops in which the whole grid shares out pieces of work, and that do one piece more than there are.

for (size_t task = first; task <= num_tasks; task += all) run(task);         with `all` made of gridDim
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, is_count, is_placed, names_in, short
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax


def closed_rounds(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each loop whose counter is given to a function as it is."""
    for body in bodies(program_of(outline)):
        for loop in body.nodes:
            condition, step, work = (loop.child(name) for name in ("condition", "update", "body"))
            if loop.kind != "for_statement" or condition is None or step is None or work is None:
                continue
            counter, bound = condition.child("left"), condition.child("right")
            if condition.op != "<=" or counter is None or bound is None or not _is_of_grid(counter.text, step, body):
                continue
            call = _given_to(counter.text, work) if is_count(bound, body) else None
            if call is not None:
                text = f"`{short(condition)}` lets {counter.text} == {bound.text} pass"
                yield GuardIssue(body.function, condition, text, call)


def _is_of_grid(counter: str, step: Syntax, body: Body) -> bool:
    """It begins at the place in the launch, and goes on by what is made of the number of blocks."""
    if step.kind != "assignment_expression" or step.op != "+=" or not is_placed(counter, body):
        return False
    added = names_in(step.children[-1])
    added = added.union(*(closure_of(name, body) for name in added))
    return any(name.startswith("gridDim") for name in added)


def _given_to(counter: str, work: Syntax) -> Syntax | None:
    for node in work.walk():
        arguments = node.child("arguments") if node.kind == "call_expression" else None
        if arguments is not None and counter in (argument.text for argument in arguments.children):
            return node
    return None
