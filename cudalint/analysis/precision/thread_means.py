"""Means that divide what a block has added up of n elements by the number of its threads.

for (int i = threadIdx.x; i < n; i += blockDim.x) s += x[i];   red[threadIdx.x] = s;  ...  float mean = red[0] / blockDim.x;
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.chosen_threads import reached_names
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.launch_text import text_launches
from cudalint.analysis.text.scopes import FLOATING, kind_of, uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_THREADS = "blockDim.x"


def thread_means(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each division; what it is about is the loop that adds."""
    if _THREADS not in outline.root.text:
        return
    program = program_of(outline)
    for body in bodies(program):
        divisions = [node for node in body.nodes if _is_by_threads(node)]
        sums = dict(_sums(body)) if divisions else {}
        for node in divisions:
            above = node.child("left")
            real = above is not None and kind_of(node, body.scope) == FLOATING
            source = (
                None if above is None or not real else next((sums[n] for n in _made_of(above, body) if n in sums), None)
            )
            if source is not None and above is not None and not _is_block_of_all(_bound(source), body, program):
                count = _bound(source)
                text = f"`{short(node)}` divides a sum of `{count}` elements by the number of threads"
                yield GuardIssue(body.function, node, text, source)


def _is_by_threads(node: Syntax) -> bool:
    right = node.child("right") if node.kind == "binary_expression" and node.op == "/" else None
    return right is not None and uncast(right).bare == _THREADS


def _sums(body: Body) -> Iterator[tuple[str, Syntax]]:
    """Variables that each thread adds elements to, at every blockDim.x-th place below a size, and those loops."""
    for loop in body.nodes:
        update = loop.child("update") if loop.kind == "for_statement" else None
        if update is None or update.op != "+=" or update.children[-1].bare != _THREADS or not _bound(loop):
            continue
        counter = update.children[0].text
        for node in loop.walk():
            target, added = node.child("left"), node.child("right")
            if node.kind != "assignment_expression" or node.op != "+=" or target is None or added is None:
                continue
            if target.kind == "identifier" and target.text != counter and counter in reached_names(added, body):
                yield target.text, loop


def _bound(loop: Syntax) -> str:
    condition = loop.child("condition")
    right = condition.child("right") if condition is not None and condition.op == "<" else None
    return right.text if right is not None and "blockDim" not in right.text else ""


def _is_block_of_all(count: str, body: Body, program: Program) -> bool:
    """A launch of the file has a thread for each element."""
    if count not in body.scope.parameters:
        return False
    place = body.scope.parameters.index(count)
    launches = [each for each in text_launches(program) if each.kernel == body.function.name.rpartition("::")[2]]
    sides = [(each.block[0], each.arguments[place]) for each in launches if place < len(each.arguments)]
    return any(side is not None and uncast(side).bare == uncast(given).bare for side, given in sides)


def _made_of(value: Syntax, body: Body) -> set[str]:
    """The names in a sum of the block: those of the value, and what is stored in shared arrays that it reads."""
    found = reached_names(value, body)
    for _ in range(2):
        for node in body.nodes:
            target, stored = node.child("left"), node.child("right")
            if node.kind == "assignment_expression" and target is not None and stored is not None:
                base = target.child("argument") if target.kind == "subscript_expression" else target
                if base is not None and base.text in found and base.text not in body.scope.parameters:
                    found = found | names_in(stored) | reached_names(stored, body)
    return found
