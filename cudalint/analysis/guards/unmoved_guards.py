"""Guards inside of a loop over a tile that hold its first row against the end, where the row of the round is used.

for (int j = 0; j < TILE; j += ROWS) if (x < width && y < height) tile[ty + j][tx] = in[(y + j) * width + x];
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.guard_conditions import parts_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, names_in, short
from cudalint.analysis.text.scopes import POINTER, uncast
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax


def unmoved_guards(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each guard: the element of a later row that it lets pass."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            condition, guarded = node.child("condition"), node.child("consequence")
            counter = _counter(node, body) if node.kind == "if_statement" and condition is not None else ""
            if not counter or condition is None or guarded is None or counter in names_in(condition):
                continue
            for part in parts_of(condition, "&&"):
                row, end = part.child("left"), part.child("right")
                if part.op != "<" or row is None or end is None or uncast(row).text not in body.positions:
                    continue
                use = _used_later(uncast(row).text, counter, guarded, body)
                if use is not None and counter not in names_in(end):
                    text = f"`{short(part)}` is asked of the first row, and `{short(use)}` is of the row of the round"
                    yield GuardIssue(body.function, part, text, use)
                    break


def _counter(node: Syntax, body: Body) -> str:
    """The counter of the loop around, which goes from zero on by more than one."""
    for parent, child in body.ancestors(node):
        if parent.kind in ("for_statement", "while_statement", "do_statement"):
            start, step = parent.child("initializer"), parent.child("update")
            if start is None or step is None or step.op != "+=" or parent.child("body") is not child:
                return ""
            name, by = step.children[0].text, step.children[-1]
            from_zero = start.bare.rstrip(";").endswith(f"{name}=0")
            return name if from_zero and by.text != "1" and not _is_of_grid(by) else ""
        if parent.kind not in ("compound_statement", "if_statement"):
            return ""
    return ""


def _is_of_grid(step: Syntax) -> bool:
    return any(name.startswith(("blockDim", "gridDim")) for name in names_in(step))


def _used_later(row: str, counter: str, guarded: Syntax, body: Body) -> Syntax | None:
    """An element of the kernel's memory at `row + counter`, where the row stands nowhere without the counter."""
    sums = [node for node in guarded.walk() if node.op == "+" and {row, counter} <= {t.text for t in terms_of(node)}]
    inside = {id(part) for node in sums for part in node.walk()}
    if any(node.kind == "identifier" and node.text == row and id(node) not in inside for node in guarded.walk()):
        return None
    for node in sums:
        for parent, child in body.ancestors(node):
            base = parent.child("argument") if parent.kind == "subscript_expression" else None
            if base is not None and base is not child and body.scope.types.get(base.text) == POINTER:
                made_of = {base.text, *closure_of(base.text, body)}
                return None if made_of.isdisjoint(body.scope.parameters) else parent
            if parent is guarded:
                break
    return None
