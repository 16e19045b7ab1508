"""Arrays of a struct whose rows are as long as its pitch says in one function, and as its number of rows says in another.

struct Ell { int rows, width, pitch; double *val; };     e.pitch = (rows + 31) / 32 * 32;
fill:  e.val[k * e.pitch + r] = v;                       spmv:  sum += e.val[k * e.rows + r] * x[c];
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.coordinates.unread_pitches import LENGTH, PITCH, may_differ
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax


@dataclass(frozen=True, slots=True)
class _Row:
    """`k * e.pitch`, in an index of `e.val`: the struct of e, and the members."""

    structure: str
    array: str
    length: str
    product: Syntax
    body: Body


def other_pitches(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each row that is found by the length, where another function finds rows of that array by the pitch."""
    if "itch" not in outline.root.text and "stride" not in outline.root.text and "ld" not in outline.root.text:
        return
    rows = [row for body in bodies(program_of(outline), ("kernel", "device")) for row in _rows(body)]
    pitched = {(row.structure, row.array): row for row in rows if PITCH.fullmatch(row.length)}
    told: set[int] = set()
    for row in rows:
        twin = pitched.get((row.structure, row.array))
        if twin is None or id(row.product) in told or not LENGTH.fullmatch(row.length):
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
                yield _Row(structure, array, length, node, body)


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
