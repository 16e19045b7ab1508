"""Elements that a kernel guards where it uses them first, and writes elsewhere whatever the guard says.

if (threadIdx.x < length) v = x[row + threadIdx.x];      ...      x[row + threadIdx.x] = v / sum;
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, comparisons_of, is_guarded, names_in, short
from cudalint.analysis.text.scopes import POINTER
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_THREADS = {"threadIdx.x", "threadIdx.y", "threadIdx.z"}


def unguarded_writes(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each variable: an element with the same array and the same index stands under the guard."""
    for body in bodies(program_of(outline), ("kernel",)):
        pointers = {n for n in body.scope.parameters if body.scope.types.get(n) == POINTER}
        for name in sorted((body.positions | _THREADS) & body.scope.limits.keys() - body.scope.grown):
            guards = [guard for guard in comparisons_of(name, body) if guard is not None]
            if not guards or any(guard.leaving for guard in guards):
                continue
            elements = list(_elements(name, pointers, body))
            kept = {_text(node) for node in elements if is_guarded(node, name, body)}
            lost = [n for n in elements if _is_written(n, body) and _text(n) in kept and not is_guarded(n, name, body)]
            if lost:
                text = f"`{short(lost[0])}` is written without the guard `{short(guards[0].condition)}`"
                yield GuardIssue(body.function, lost[0], text, guards[0].condition)


def _elements(name: str, pointers: set[str], body: Body) -> Iterator[Syntax]:
    """Elements of memory that the kernel is given, at an index that mentions the variable."""
    for node in body.nodes:
        base = node.child("argument")
        if node.kind == "subscript_expression" and base is not None and base.text in pointers:
            if any(name in names_in(child) for child in node.children if child is not base):
                yield node


def _is_written(node: Syntax, body: Body) -> bool:
    parent = body.parents.get(id(node))
    return parent is not None and parent.kind == "assignment_expression" and parent.child("left") is node


def _text(node: Syntax) -> str:
    return node.bare
