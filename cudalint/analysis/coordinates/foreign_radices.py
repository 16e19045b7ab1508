"""Digits of a place that are put together by the length of another digit.

b = i / width / tiles % rows;  n = i / width / tiles / rows;    x[(n * tiles + b) * width]      there are `rows` of b for each n
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax


def foreign_radices(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each sum of a digit and the next one times what other digits are counted by."""
    for body in bodies(program_of(outline)):
        quotients, remainders = _digits("/", body), _digits("%", body)
        pairs = {
            (high, low): (divisor, lengths)
            for low, (whole, divisor, lengths) in remainders.items()
            for high, (same, by, _) in quotients.items()
            if (whole, divisor) == (same, by) and lengths
        }
        for node in body.nodes if pairs else ():
            if node.kind != "binary_expression" or node.op != "+":
                continue
            found = _foreign(node, pairs)
            if found is not None and _is_index(node, body):
                product, low, divisor = found
                text = f"`{' '.join(node.text.split())}`: there are {divisor} of {low}"
                yield GuardIssue(body.function, product, text, node)


def _digits(op: str, body: Body) -> dict[str, tuple[str, str, frozenset[str]]]:
    """(what is divided, by what, and what it was divided by before) of the variables that are such a digit and nothing else."""
    found: dict[str, tuple[str, str, frozenset[str]]] = {}
    for name, values in body.scope.values.items():
        value = uncast(values[0]) if len(values) == 1 and name not in body.scope.grown else None
        if value is None or value.op != op or len(value.children) != 2:
            continue
        whole, by = (_bare(child) for child in value.children)
        if by.kind == "identifier":
            found[name] = (whole.bare, by.text, frozenset(_divisors(whole)))
    return found


def _divisors(node: Syntax) -> Iterator[str]:
    """`width` and `tiles` of `i / width / tiles`."""
    while node.op == "/" and len(node.children) == 2:
        yield node.children[1].bare
        node = _bare(node.children[0])


def _bare(node: Syntax) -> Syntax:
    node = uncast(node)
    while node.kind == "parenthesized_expression" and len(node.children) == 1:
        node = uncast(node.children[0])
    return node


def _foreign(total: Syntax, pairs: dict[tuple[str, str], tuple[str, frozenset[str]]]) -> tuple[Syntax, str, str] | None:
    """(product, digit, its number) of `high * length + low` where the length is that of a digit below."""
    terms = [_bare(term) for term in terms_of(total)]
    names = {term.text for term in terms if term.kind == "identifier"}
    for product in terms:
        factors = [_bare(child).text for child in product.children] if product.op == "*" else []
        for (high, low), (divisor, lengths) in pairs.items():
            if low not in names or len(factors) != 2 or high not in factors:
                continue
            length = factors[1 - factors.index(high)]
            if length in lengths and length != divisor:
                return product, low, divisor
    return None


def _is_index(node: Syntax, body: Body) -> bool:
    """It chooses an element, or is a factor or the value of what does."""
    for parent, _ in body.ancestors(node):
        if parent.kind == "subscript_expression":
            return True
        if parent.kind == "init_declarator":
            name = parent.child("declarator")
            return name is not None and any(
                use.kind == "subscript_expression" and any(n.text == name.text for n in use.children[-1].walk())
                for use in body.nodes
            )
        if parent.kind in ("compound_statement", "call_expression"):
            return False
    return False
