"""Products that a kernel computes in 32 bits, and the function that launches it in 64.

const int64_t total = (int64_t)n * c * h * w;   fill<<<blocks(total), 256>>>(y, n, c, h, w);
int total = n * c * h * w;                      in the kernel, which counts up to it
"""

from __future__ import annotations

from collections.abc import Callable

from cudalint.analysis.text.launch_text import launches_of
from cudalint.analysis.text.scopes import WIDE, Scope, kind_of, uncast
from cudalint.analysis.text.text_program import Program
from cudalint.ir.syntax import Syntax, TextFunction

DEEPEST = 4  # names that stand for products


def launched_product(product: Syntax, function: TextFunction, program: Program) -> Syntax | None:
    """The same product of what a launch passes, with a cast."""
    scope = program.scope(function)
    names = _factors(product, scope, DEEPEST)
    if len(names) < 2 or any(name not in scope.parameters for name in names):
        return None
    for launch in launches_of(function.name.rpartition("::")[2], program):
        if len(launch.arguments) != len(scope.parameters):
            continue
        host, given = program.scope(launch.function), dict(zip(scope.parameters, launch.arguments))
        wanted = sorted(factor for name in names for factor in _factors(given[name], host, DEEPEST))
        for node in launch.function.body.walk():
            if node.kind == "binary_expression" and node.op == "*" and kind_of(node, host) == WIDE:
                if _is_cast(node) and sorted(_factors(node, host, DEEPEST)) == wanted:
                    return node
    return None


def _is_cast(product: Syntax) -> bool:
    """A factor of it is: who wrote that knows how large it gets."""
    return any(uncast(part) is not part for part in _each(product, lambda part: part))


def _factors(node: Syntax, scope: Scope, depth: int) -> list[str]:
    """The factors without casts, of the products that names stand for too."""
    found: list[str] = []
    for part in _each(node, uncast):
        values = scope.values.get(part.text, []) if part.kind == "identifier" and part.text not in scope.grown else []
        if depth and len(values) == 1 and uncast(values[0]).op == "*":
            found += _factors(values[0], scope, depth - 1)
        else:
            found.append(part.bare)
    return found


def _each(node: Syntax, inner: Callable[[Syntax], Syntax]) -> list[Syntax]:
    node = inner(node)
    if node.kind == "parenthesized_expression" and node.children:
        return _each(node.children[0], inner)
    if node.kind == "binary_expression" and node.op == "*":
        return [part for child in node.children for part in _each(child, inner)]
    return [node]
