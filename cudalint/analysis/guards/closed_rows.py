"""Guards that let the length of a row pass as a place in it, where the element shows what the length is.

if (page > most) return;   at = table[row * most + page];        page = most is the first one of the next row
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.guard_conditions import guards_of
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, compared, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax


def closed_rows(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each comparison; what it is about is the element."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            for part, operators, end in guards_of(node, body) if node.kind == "if_statement" else ():
                sides = compared(part, operators)
                if sides is None or any(side.kind != "identifier" for side in sides):
                    continue
                place, length = (side.text for side in sides)
                if length not in body.scope.parameters or place in body.scope.grown:
                    continue  # `column <= row` is the triangle with its diagonal
                use = _in_row(place, length, part.end, end, body)
                if use is not None:
                    text = f"`{short(part)}` lets {place} == {length} pass, the first element of the next row"
                    yield GuardIssue(body.function, part, text, use)


def _in_row(place: str, length: str, after: int, end: int, body: Body) -> Syntax | None:
    """`x[row * length + place]` behind the guard."""
    for node in body.nodes:
        if node.kind != "subscript_expression" or not after <= node.start < end:
            continue
        index = node.children[-1]
        inner = index.children[0] if index.kind == "subscript_argument_list" and index.children else index
        terms = [uncast(term) for term in terms_of(uncast(inner))]
        rows = [t for t in terms if t.op == "*" and any(uncast(side).text == length for side in t.children)]
        if len(terms) == 2 and len(rows) == 1 and any(term.text == place for term in terms):
            return node
    return None
