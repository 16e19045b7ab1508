"""Products in 32 bits of which a launch has 64: the kernel computes them and its caller widens, or the other way round.

const int64_t total = (int64_t)n * c * h * w;   fill<<<blocks(total), 256>>>(y, n, c, h, w);
int total = n * c * h * w;                      in the kernel, which counts up to it

const int64_t total = p.n * p.c * p.h * p.w;    fill<<<blocks(total), 256>>>(y, total);
int64_t i = ...;   if (i < total) y[i] = 0;     in the kernel
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from cudalint.analysis.text.caps import Caps
from cudalint.analysis.text.launch_text import kernels_by_name, launches_of, text_launches
from cudalint.analysis.text.scopes import WIDE, Scope, kind_of, uncast
from cudalint.analysis.text.text_program import Program, TextLaunch
from cudalint.ir.syntax import Syntax, TextFunction

_COMPARED = ("<", "<=", ">", ">=")
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


def is_checked_in_launch(product: Syntax, function: TextFunction, program: Program, limit: float) -> bool:
    """Every launch has checked a number that the product divides: `TORCH_CHECK((int64_t)n * c * h * w <= INT_MAX)`."""
    scope = program.scope(function)
    names = _factors(product, scope, DEEPEST)
    launches = launches_of(function.name.rpartition("::")[2], program)
    if not launches or any(name not in scope.parameters for name in names):
        return False
    if any(len(launch.arguments) != len(scope.parameters) for launch in launches):
        return False
    return all(
        _has_checked([dict(zip(scope.parameters, launch.arguments))[name] for name in names], launch, program, limit)
        for launch in launches
    )


def _has_checked(given: list[Syntax], launch: TextLaunch, program: Program, limit: float) -> bool:
    host = program.scope(launch.function)
    wanted = Counter(factor for each in given for factor in _factors(each, host, DEEPEST))
    caps = Caps(program, launch.function, launch.node.start)
    for node in launch.function.body.walk():
        values = host.values.get(node.text, []) if node.kind == "identifier" and node.start < launch.node.start else []
        if len(values) == 1 and node.text not in host.grown and kind_of(values[0], host) == WIDE:
            cap = caps.of(node) if wanted <= Counter(_factors(node, host, DEEPEST)) else None
            if cap is not None and cap <= limit:
                return True
    return False


def is_counted_wide(name: str, function: TextFunction, program: Program) -> bool:
    """A kernel that the function launches gets the variable in 64 bits, and compares a variable of 64 bits with it."""
    kernels = kernels_by_name(program.outline)
    for launch in text_launches(program):
        position = next((n for n, given in enumerate(launch.arguments) if given.text == name), None)
        if launch.function is not function or position is None:
            continue
        for kernel in kernels.get(launch.kernel, ()):
            scope = program.scope(kernel)
            if position < len(scope.parameters) and counts_wide(scope, scope.parameters[position], kernel):
                return True
    return False


def counts_wide(scope: Scope, bound: str, kernel: TextFunction) -> bool:
    """The kernel compares the bound with a variable of 64 bits that its place in the launch is in, and computes that so.

    The bound has 64 bits, or a type that the template leaves to who launches it.
    """
    if scope.types.get(bound) != WIDE and scope.structures.get(bound, "") not in kernel.template:
        return False
    for node in kernel.body.walk():
        if node.kind != "binary_expression" or node.op not in _COMPARED or len(node.children) != 2:
            continue
        sides = [side for side in node.children if side.text != bound]
        if len(sides) != 1 or sides[0].kind != "identifier" or scope.types.get(sides[0].text) != WIDE:
            continue
        values = scope.values.get(sides[0].text, [])
        if any("blockIdx" in value.text and kind_of(value, scope) == WIDE for value in values):
            return True
    return False


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
