"""Arrays of a struct whose rows are as long as its pitch says in one function, and as its number of rows says in another.

struct Ell { int rows, width, pitch; double *val; };     e.pitch = (rows + 31) / 32 * 32;
fill:  e.val[k * e.pitch + r] = v;                       spmv:  sum += e.val[k * e.rows + r] * x[c];
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.coordinates.unread_pitches import GIVEN_PITCH, LENGTH, are_one_length, may_differ
from cudalint.analysis.text.called_functions import given_to
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction


@dataclass(frozen=True, slots=True)
class _Row:
    """`k * e.pitch`, in an index of `e.val`: e, its struct, and the members."""

    owner: str
    structure: str
    array: str
    length: str
    product: Syntax
    body: Body


def other_pitches(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each row that is found by the length, where another function finds rows of that array by the pitch."""
    if "itch" not in outline.root.text and "stride" not in outline.root.text and "ld" not in outline.root.text:
        return
    program = program_of(outline)
    rows = [row for body in bodies(program, ("kernel", "device")) for row in _rows(body)]
    pitched = {(row.structure, row.array): row for row in rows if GIVEN_PITCH.fullmatch(row.length)}
    told: set[int] = set()
    for row in rows:
        twin = pitched.get((row.structure, row.array))
        if twin is None or id(row.product) in told or not LENGTH.fullmatch(row.length):
            continue
        if are_one_length(twin.length, row.length, outline) or _is_made_dense(row, twin.length, program):
            continue
        if may_differ(twin.length, outline) and not _is_read(twin.length, row.body):
            told.add(id(row.product))
            text = f"`{short(row.product)}` finds a row of `{row.array}`, whose rows are as long as `{twin.length}` elsewhere"
            yield GuardIssue(row.body.function, row.product, text, twin.product)


def _rows(body: Body) -> Iterator[_Row]:
    """Products with a member of a struct, in an index of an array that is another member of the same one."""
    for node in body.nodes:
        if node.kind != "binary_expression" or node.op != "*":
            continue
        for side in node.children:
            owner, length = _member(uncast(side))
            structure = body.scope.structures.get(owner, "")
            if owner not in body.scope.parameters or not structure:
                continue
            for array in sorted(set(_arrays(node, owner, body))):
                yield _Row(owner, structure, array, length, node, body)


def _member(node: Syntax) -> tuple[str, str]:
    """(object, member) of `e.pitch`; empty for others."""
    base = node.child("argument") if node.kind == "field_expression" else None
    member = node.bare.replace("->", ".").rpartition(".")[2]
    return (base.text, member) if base is not None and base.kind == "identifier" else ("", "")


def _arrays(product: Syntax, owner: str, body: Body) -> Iterator[str]:
    """The members of the object whose elements the product chooses, by itself or by a variable that it is a summand of."""
    for parent, child in body.ancestors(product):
        if parent.kind == "subscript_expression" and child is not parent.children[0]:
            yield from _of(parent.children[0], owner)
            return
        if parent.kind == "binary_expression" and parent.op == "+":
            yield from _of(parent.children[0], owner)
        elif parent.kind == "init_declarator":
            name = parent.child("declarator")
            if name is not None and len(body.scope.values.get(name.text, [])) == 1:
                yield from _indexed_by(name.text, owner, body)
            return
        elif parent.kind not in ("parenthesized_expression", "cast_expression", "binary_expression"):
            return


def _indexed_by(name: str, owner: str, body: Body) -> Iterator[str]:
    for node in body.nodes:
        if node.kind == "subscript_expression" and len(node.children) == 2:
            terms = re.split(r"\+", node.children[1].bare)
            if name in terms:
                yield from _of(node.children[0], owner)


def _of(base: Syntax, owner: str) -> Iterator[str]:
    its, array = _member(uncast(base))
    if its == owner:
        yield array


def _is_read(pitch: str, body: Body) -> bool:
    """The function knows the pitch, and has a reason not to use it here."""
    return re.search(rf"(\.|->){re.escape(pitch)}\b", body.function.body.text) is not None


def _is_made_dense(row: _Row, pitch: str, program: Program) -> bool:
    """Every object that the function is given comes from a function of the file that makes no rows longer than what they hold."""
    makers = list(_makers(row.owner, row.body.function, program))
    return bool(makers) and all(
        made is not None and not may_differ(pitch, program.outline, made.body) for made in makers
    )


def _makers(owner: str, function: TextFunction, program: Program, hops: int = 3) -> Iterator[TextFunction | None]:
    hosts = {each.name.rpartition("::")[2]: each for each in program.outline.functions if each.role == "host"}
    for value, caller in given_to(owner, function, program):
        values = program.scope(caller).values.get(value.text, [])
        if not values and value.text in program.scope(caller).parameters and hops:
            yield from _makers(value.text, caller, program, hops - 1)
            continue
        callee = uncast(values[0]).child("function") if len(values) == 1 else None
        yield None if callee is None else hosts.get(callee.text.rpartition("::")[2])
