"""Memory that one kernel fills with rows of its pitch, and that the next one reads with rows as long as a number of rows.

pitch = (rows + 31) / 32 * 32;
fill<<<..>>>(values, pitch, width);                      values[k * pitch + r] = v;
multiply<<<..>>>(values, rows, width, x, y);             sum += values[k * rows + r] * x[c];
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.coordinates.unread_pitches import GIVEN_PITCH, LENGTH, are_one_length, may_differ
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.launch_text import launches_of
from cudalint.analysis.text.scopes import POINTER, uncast
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax


@dataclass(frozen=True, slots=True)
class _Row:
    """`k * length` in an index of an array, and what a launch gives for both."""

    body: Body
    product: Syntax
    launch: TextLaunch
    array: str
    length: str
    is_written: bool


def launched_pitches(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel that reads so."""
    if "itch" not in outline.root.text and "stride" not in outline.root.text and "ld" not in outline.root.text:
        return
    program = program_of(outline)
    rows = [row for body in bodies(program, ("kernel",)) for row in _rows(body, program)]
    fills = [row for row in rows if row.is_written and GIVEN_PITCH.fullmatch(_last(row.length))]
    told: set[int] = set()
    for row in rows:
        if id(row.body.function) in told or row.is_written or not LENGTH.fullmatch(_last(row.length)):
            continue
        fill = next((each for each in fills if _is_read_next(each, row) and not _is_length(each, row, program)), None)
        if fill is not None and may_differ(_last(fill.length), outline):
            told.add(id(row.body.function))
            text = f"`{short(row.product)}` finds a row of what `{short(fill.product)}` fills by the pitch"
            yield GuardIssue(row.body.function, row.product, text, fill.product)


def _last(length: str) -> str:
    return re.split(r"\.|->", length)[-1]


def _is_read_next(fill: _Row, row: _Row) -> bool:
    """The launches follow each other in one function, nothing between them names the memory, and the later one has no pitch."""
    first, then = fill.launch, row.launch
    if first.function is not then.function or fill.array != row.array or first.node.end > then.node.start:
        return False
    start = then.function.body.start
    between = then.function.body.text[first.node.end - start : then.node.start - start]
    named = re.search(rf"(?<![\w.>]){re.escape(fill.array)}\b", between) is not None
    return not named and all(uncast(given).bare != fill.length for given in then.arguments)


def _is_length(fill: _Row, row: _Row, program: Program) -> bool:
    """The length is made of the pitch, `rows = pitch`, or the host asks whether they are the same."""
    scope = program.scope(row.launch.function)
    made = [*scope.values.get(row.length, []), *scope.fields.get(row.length, [])]
    named = re.compile(rf"(?<![\w.>]){re.escape(fill.length)}(?!\w)")
    if any(named.search(value.bare) for value in made):
        return True
    return are_one_length(_last(fill.length), _last(row.length), program.outline)


def _rows(body: Body, program: Program) -> Iterator[_Row]:
    for launch in launches_of(body.function.name.rpartition("::")[2], program):
        given = dict(zip(body.scope.parameters, (uncast(argument).bare for argument in launch.arguments)))
        for node in body.nodes:
            lengths = [uncast(side).text for side in node.children] if node.op == "*" else []
            for length in (each for each in lengths if each in given and body.scope.types.get(each) != POINTER):
                for array, is_written in _elements(node, body):
                    if array in given:
                        yield _Row(body, node, launch, given[array], given[length], is_written)


def _elements(product: Syntax, body: Body) -> Iterator[tuple[str, bool]]:
    """(array, whether the element is written) of the subscripts that the product, or a variable with it, is a summand of."""
    for parent, child in body.ancestors(product):
        if parent.kind == "subscript_expression" and child is not parent.children[0]:
            yield parent.children[0].text, _is_written(parent, body)
            return
        if parent.kind == "init_declarator":
            name = parent.child("declarator")
            if name is not None and len(body.scope.values.get(name.text, [])) == 1:
                for node in body.nodes:
                    if node.kind == "subscript_expression" and name.text in names_in(node.children[-1]):
                        yield node.children[0].text, _is_written(node, body)
            return
        plain = parent.kind == "binary_expression" and parent.op == "+"
        if not plain and parent.kind not in ("parenthesized_expression", "cast_expression"):
            return


def _is_written(element: Syntax, body: Body) -> bool:
    parent = body.parents.get(id(element))
    return parent is not None and parent.kind == "assignment_expression" and parent.child("left") is element
