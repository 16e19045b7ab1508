"""Rows that are counted by their own number: the length of a row stands where the other coordinate ends.

for (k < K) sum += b[col * N + k];          with `col < N` guarded: rows of b have K elements, and there are N of them
for (d < D) y += x[i * D + d] - x[j * V + d];          rows of x have D elements in one place, and as many as V says in another
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.coordinates.crossed_guards import crossed_guards
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import leaves
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_BELOW, _FROM = ("<",), (">=",)


def own_strides(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each product, where it is not the guard that is crossed."""
    crossed = {id(issue.function) for issue in crossed_guards(outline)}
    for body in bodies(program_of(outline), ("kernel",)):
        if id(body.function) in crossed:
            continue
        ends = _ends(body)
        told: set[str] = set()
        for node in body.nodes:
            terms = [_plain(term) for term in terms_of(_index(node))] if _has_index(node) else []
            if len(terms) != 2:
                continue
            for product, within in (terms, terms[::-1]):
                sizes = _crossed(product, within, ends)
                if sizes is not None and product.text not in told:
                    told.add(product.text)
                    text = f"`{short(product)}`: there are `{sizes[0]}` rows, and each has as many elements as `{sizes[1]}` says"
                    yield GuardIssue(
                        body.function, product, text, node if node.kind == "subscript_expression" else None
                    )


def two_lengths(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each access to an array whose rows have another length where the same column is used."""
    for body in bodies(program_of(outline), ("kernel", "device")):
        ends = _ends(body)
        rows = [(node, each) for node in body.nodes if ends and (each := _row_of(node, body)) is not None]
        for node, (array, length, column) in rows:
            own = ends.get(column, set())
            twin = next((n for n, other in rows if other[::2] == (array, column) and {other[1]} == own), None)
            if twin is not None and length not in own and length in body.scope.parameters:
                text = f"`{short(node)}`: elsewhere a row of `{array}` has {min(own)} elements: `{short(twin)}`"
                yield GuardIssue(body.function, node, text, twin)


def _row_of(node: Syntax, body: Body) -> tuple[str, str, str] | None:
    """(array, length, column) of `array[row * length + column]`, in the memory of a parameter."""
    base = node.child("argument") if node.kind == "subscript_expression" else None
    if base is None or base.text not in body.scope.parameters or not _has_index(node):
        return None
    terms = [_plain(term) for term in terms_of(_index(node))]
    for product, within in (terms, terms[::-1]) if len(terms) == 2 else ():
        factors = [_plain(factor) for factor in product.children] if product.op == "*" else []
        if len(factors) == 2 and within.kind == "identifier" and factors[1].kind == "identifier":
            return base.text, factors[1].text, within.text
    return None


def _crossed(product: Syntax, within: Syntax, ends: dict[str, set[str]]) -> tuple[str, str] | None:
    """The number of rows, which the row is multiplied with, and the length of a row, which is another."""
    factors = [_plain(factor) for factor in product.children] if product.op == "*" else []
    if len(factors) != 2:
        return None
    for row, length in (factors, factors[::-1]):
        size, column = _whole(length), _whole(within)
        own, its = ends.get(row.text, set()), ends.get(column, set())
        if own == {size} and len(its) == 1 and its != own and row.text != column:
            return size, min(its)
    return None


def _whole(node: Syntax) -> str:
    """`K` of `K / 2`: what is packed is counted alike."""
    return node.children[0].text if node.op == "/" else node.text


def _has_index(node: Syntax) -> bool:
    return len(node.children) == 2 and node.kind in ("subscript_expression", "init_declarator")


def _index(node: Syntax) -> Syntax:
    index = node.children[1]
    return index.children[0] if index.kind == "subscript_argument_list" and len(index.children) == 1 else index


def _plain(node: Syntax) -> Syntax:
    while node.kind in ("parenthesized_expression", "cast_expression") and node.children:
        node = node.children[-1]
    return node


def _ends(body: Body) -> dict[str, set[str]]:
    """The sizes that are given, and that the variables have to stay below where anything is done."""
    found: dict[str, set[str]] = {}
    for node in body.nodes:
        condition = node.child("condition")
        if condition is None or node.kind not in ("if_statement", "for_statement", "while_statement"):
            continue
        guarded = node.child("consequence")
        leaving = node.kind == "if_statement" and guarded is not None and leaves(guarded)
        for part in condition.walk():
            left, right = part.child("left"), part.child("right")
            if part.kind == "binary_expression" and part.op in (_FROM if leaving else _BELOW) and left and right:
                if left.kind == "identifier" and right.text in body.scope.parameters:
                    found.setdefault(left.text, set()).add(right.text)
    return found
