"""Sides of a grid that the function keeps small in other words than a bound of the size itself.

if (fits(rows)) by_rows<<<dim3(n, rows), 256>>>(x);  else flat<<<m, 256>>>(x);       another launch has the tall ones
if ((long)rows * w > 1 << 22 || w < 128) return;     k<<<dim3(n, rows), 256>>>(x);   so there are few rows
"""

from __future__ import annotations

from cudalint.analysis.text.guard_patterns import names_in
from cudalint.analysis.text.scopes import Scope, uncast
from cudalint.analysis.text.text_program import Program, TextLaunch
from cudalint.ir.syntax import Syntax

_COMPARES = ("<", "<=", ">", ">=")


def is_one_of_two_ways(side: Syntax, launch: TextLaunch, program: Program) -> bool:
    """A condition on a size of the side, or on what is made of it, parts the launch from another one."""
    scope = program.scope(launch.function)
    launching = {f.name.rpartition("::")[2] for f in program.outline.functions if "<<<" in f.body.text}
    nodes = list(launch.function.body.walk())
    others = [node for node in nodes if node is not launch.node and _is_launch(node, launching)]
    made = _made_of(_sizes(side, scope), scope)
    for node in nodes if others else ():
        condition = node.child("condition") if node.kind in ("if_statement", "switch_statement") else None
        if condition is not None and not made.isdisjoint(names_in(condition)):
            if any(_branch(each, node) is not _branch(launch.node, node) for each in others):
                return True
    return False


def _is_launch(node: Syntax, launching: set[str]) -> bool:
    """`k<<<...>>>(...)`, or a call of a function of the file that does so."""
    callee = node.child("function") if node.kind == "call_expression" else None
    if callee is None:
        return False
    is_kernel = any(child.kind == "kernel_call_syntax" for child in node.children)
    return is_kernel or callee.text.partition("<")[0].rpartition("::")[2] in launching


def _branch(node: Syntax, around: Syntax) -> Syntax | None:
    """The innermost part of an `if` or a `switch`, or the case, that the place stands in."""
    inside = [part for part in around.children if part.start <= node.start < part.end]
    cases = [part for each in inside for part in each.children if part.kind == "case_statement"]
    return next((case for case in cases if case.start <= node.start < case.end), inside[0] if inside else None)


def _parts(side: Syntax, scope: Scope) -> list[Syntax]:
    """Whatever the side is made of, with the values of its variables."""
    found, known = list(side.walk()), set[str]()
    for node in found:
        if node.kind == "identifier" and node.text not in known and node.text not in scope.parameters:
            known.add(node.text)
            found += [part for value in scope.values.get(node.text, ()) for part in value.walk()]
    return found


def _sizes(side: Syntax, scope: Scope) -> set[str]:
    """Its variables that are no constants."""
    return {n.text for n in _parts(side, scope) if n.kind == "identifier"} - set(scope.outline.constants)


def _made_of(names: set[str], scope: Scope) -> set[str]:
    """The variables, and those whose values name one, and so on."""
    found, size = set(names), 0
    while size < len(found):
        size = len(found)
        found |= {each for each, values in scope.values.items() if any(found & set(names_in(v)) for v in values)}
    return found


def is_part_of_a_bound(side: Syntax, launch: TextLaunch, program: Program) -> bool:
    """A product or a quotient with a size of it is compared, `(long)rows * w > MOST`, or a size that it is divided by."""
    scope = program.scope(launch.function)
    names, divisors = _sizes(side, scope), _divisors(side, scope)
    for node in launch.function.body.walk():
        if node.kind == "binary_expression" and node.op in _COMPARES and node.start < launch.node.start:
            if not divisors.isdisjoint(names_in(node)):
                return True
            products = [part for part in node.walk() if part.kind == "binary_expression" and part.op in ("*", "/")]
            if any(not names.isdisjoint(names_in(part)) and not _is_share(part, scope) for part in products):
                return True
    return False


def _divisors(side: Syntax, scope: Scope) -> set[str]:
    """The sizes that something of the side is divided by."""
    quotients = [part for part in _parts(side, scope) if part.kind == "binary_expression" and part.op == "/"]
    return {uncast(part.children[-1]).bare for part in quotients} - set(scope.outline.constants)


def _is_share(part: Syntax, scope: Scope) -> bool:
    """One of its two sides is a constant."""
    return any(
        node.kind == "number_literal" or node.text in scope.outline.constants for node in map(uncast, part.children)
    )
