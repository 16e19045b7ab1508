"""Sizes and offsets of 64 bits that lose their upper half between the host code and a kernel that computes in 64.

int n = x.numel();  clamp<<<blocks, 256>>>(x, n);            // __global__ void clamp(float *x, int64_t n)
int n = volume(sides);  ...                                   // int64_t volume(...) multiplies them
int64_t begin = rank * shard;  update<<<g, b>>>(x, begin);   // __global__ void update(float *x, int begin, int64_t n)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.overflow.launched_products import counts_wide
from cudalint.analysis.overflow.narrow_products import LIMITS
from cudalint.analysis.text.caps import Caps
from cudalint.analysis.text.guard_patterns import GuardIssue, short
from cudalint.analysis.text.launch_text import kernels_by_name, text_launches
from cudalint.analysis.text.scopes import INT, POINTER, WIDE, Scope, kind_of, kind_of_type, uncast
from cudalint.analysis.text.text_program import Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_ELEMENTS = re.compile(r"\w+(\.|->)numel\(\)")
_MULTIPLIES = re.compile(r"\bmultiplies\b|\baccumulate\b.*\{[^{}]*\*", re.DOTALL)
_LOOPS = ("for_range_loop", "for_statement", "while_statement", "do_statement")
_ORDERS = ("<", "<=", ">", ">=", "==", "!=")
_CHECKS = re.compile(r"assert|check|enforce|require|expect", re.IGNORECASE)
_ASKS = re.compile(r"INT_?(32_)?MAX|numeric_limits|[uU]se_?32_?[bB]it|0x7f{7}|2147483647", re.IGNORECASE)


def narrowed_on_the_way(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each variable of the host code, and for each parameter of a kernel."""
    program = program_of(outline)
    kernels = kernels_by_name(outline)
    seen: set[int] = set()
    for launch in text_launches(program):
        if _ASKS.search(launch.function.body.text):
            continue
        candidates = kernels.get(launch.kernel, [])
        for position, argument in enumerate(launch.arguments):
            takers = [k for k in candidates if position < len(program.scope(k).parameters)]
            if not takers or len(takers) < len(candidates):
                continue
            found = _count(argument, position, takers, launch, program)
            found = found or _offset(argument, position, takers[0], launch, program)
            if found is not None and id(found.place) not in seen:
                seen.add(id(found.place))
                yield found


def _count(
    argument: Syntax, position: int, takers: list[TextFunction], launch: TextLaunch, program: Program
) -> GuardIssue | None:
    """A number of elements that the host code keeps in 32 bits, and the kernel compares places of 64 with."""
    scope = program.scope(launch.function)
    value = _only_value(argument, scope)
    if value is None or scope.types.get(argument.text) != INT or not _is_number_of_elements(value, program):
        return None
    if not all(counts_wide(program.scope(k), program.scope(k).parameters[position], k) for k in takers):
        return None
    if _is_capped(value, launch, program) or _is_checked(argument.text, value, launch):
        return None
    text = f"`{argument.text}` keeps 32 bits of `{short(value)}`, and the kernel counts up to it in 64"
    return GuardIssue(launch.function, value, text, argument)


def _is_number_of_elements(value: Syntax, program: Program) -> bool:
    """`x.numel()`, or `volume(sides)` where functions of the file multiply the sides in 64 bits."""
    if _ELEMENTS.fullmatch(value.bare) is not None:
        return True
    callee = value.child("function") if value.kind == "call_expression" else None
    name = "" if callee is None else re.split(r"::|\.|->", callee.bare)[-1]
    called = [f for f in program.outline.functions if name and f.name.rpartition("::")[2] == name]
    return bool(called) and all(_multiplies_wide(f, program) for f in called)


def _multiplies_wide(function: TextFunction, program: Program) -> bool:
    wide = kind_of_type(function.result, program.outline) == WIDE and function.role == "host"
    return wide and (_MULTIPLIES.search(function.body.text) is not None or _multiplies_in_loop(function, program))


def _multiplies_in_loop(function: TextFunction, program: Program) -> bool:
    """A product that each round multiplies with another number: neither a constant nor what the function is given."""
    fixed = {*program.outline.constants, *program.scope(function).parameters}
    inside = (n for loop in function.body.walk() if loop.kind in _LOOPS for n in loop.walk())
    products = (n.children[-1] for n in inside if n.kind == "assignment_expression" and n.op == "*=" and n.children)
    return any(by.kind != "number_literal" and by.text not in fixed for by in map(uncast, products))


def _offset(
    argument: Syntax, position: int, kernel: TextFunction, launch: TextLaunch, program: Program
) -> GuardIssue | None:
    """A product of 64 bits whose lower half a parameter takes, which the kernel adds to indices of 64."""
    scope, taken = program.scope(launch.function), program.scope(kernel)
    name = taken.parameters[position]
    product = _only_value(argument, scope) if argument.kind == "identifier" else argument
    if product is None or kind_of(argument, scope) != WIDE or taken.types.get(name) != INT or name in taken.grown:
        return None
    wide_beside = any(taken.types.get(other) == WIDE for other in taken.parameters)
    if not wide_beside or not _is_wide_product(product, scope) or not _is_only_added(name, kernel, taken):
        return None
    if _is_capped(product, launch, program):
        return None
    text = f"`{name}` takes 32 bits of `{short(product)}`, and is added to what has 64"
    return GuardIssue(kernel, kernel.parameters[position], text, argument)


def _only_value(argument: Syntax, scope: Scope) -> Syntax | None:
    """What a local variable is declared with, where nothing changes it."""
    values = scope.values.get(argument.text, []) if argument.kind == "identifier" else []
    return values[0] if len(values) == 1 and argument.text not in scope.grown else None


def _is_wide_product(product: Syntax, scope: Scope) -> bool:
    """A product with a variable of 64 bits: who wrote it expects that it may be that large."""
    product = uncast(product)
    if product.kind != "binary_expression" or product.op != "*" or kind_of(product, scope) != WIDE:
        return False
    return any(each.kind == "identifier" and scope.types.get(each.text) == WIDE for each in product.walk())


def _is_only_added(name: str, kernel: TextFunction, scope: Scope) -> bool:
    """Each use of the parameter is a term of a sum of 64 bits, or moves a pointer."""
    uses = added = 0
    for node in kernel.body.walk():
        uses += node.kind == "identifier" and node.text == name
        terms = node.children if node.kind == "binary_expression" and node.op == "+" else ()
        if terms and kind_of(node, scope) in (WIDE, POINTER):
            added += sum(term.kind == "identifier" and term.text == name for term in terms)
    return 0 < uses == added


def _is_capped(value: Syntax, launch: TextLaunch, program: Program) -> bool:
    cap = Caps(program, launch.function, launch.node.start).of(value)
    return cap is not None and cap <= LIMITS[INT]


def _is_checked(name: str, value: Syntax, launch: TextLaunch) -> bool:
    """The same call is compared with something, or the variable is in a check: whoever wrote it thought of how large it gets."""
    nodes = list(launch.function.body.walk())
    checks = [n for n in nodes if n.kind == "call_expression" and _CHECKS.search(n.children[0].text)]
    checked = {id(inner) for check in checks for inner in check.walk()}
    for node in nodes:
        if node.kind == "binary_expression" and node.op in _ORDERS:
            sides = [uncast(side).bare for side in node.children]
            compared = value.bare in sides or (name in sides and id(node) in checked)
            if compared and not {"0", "1"} & set(sides):
                return True
    return False
