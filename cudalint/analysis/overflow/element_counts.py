"""Bounds of 64 bits that count the elements of memory: an array of 2^31 numbers is 8 GiB, which any device has.

__global__ void fill(float *x, int64_t numel);            // the name says so
fill<<<blocks, 256>>>(x.data_ptr<float>(), x.numel());    // or what is given for it
const int64_t count = values.size(0);                     // of an accessor with a single side
cudaMalloc(&x, n * sizeof(float));  fill<<<g, 256>>>(x, n);      // memory is made for so many
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.caps import Caps
from cudalint.analysis.text.guard_patterns import is_product
from cudalint.analysis.text.launch_text import text_launches, wrapped_launches
from cudalint.analysis.text.magnitude import SMALL, largest_of, magnitude
from cudalint.analysis.text.scopes import UNKNOWN, WIDE, cast_target, kind_of, uncast
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Syntax

LARGE = 2.0**31
_ELEMENTS = re.compile(
    r"(n|num|total|number|count|ne)_?(of_|total_?)?elem(ent)?s?|(n|num)el|elem(ent)?_?(cnt|count|num)|elements|nnz"
    r"|(ne_|n_|num_)?total(_?(size|count|num|numel|elem(ent)?s?|threads|work))?|(n|num)_?(edges|param(eter)?s)",
    re.IGNORECASE,
)
_COUNTS = re.compile(r"(^|[\w.>:])(numel|n_?elements|num_?elements|element_?count)$", re.IGNORECASE)
_ALLOCATES = re.compile(r"(cuda|hip)Malloc(Async|Managed)?$")
_FLAT = re.compile(r"PackedTensorAccessor64\s*<[^;{}]*,\s*1\s*,")


def counted_elements(bound: Syntax, body: Body, each: bool) -> Syntax | None:
    """What says that a bound of 64 bits is a number of elements.

    `each`: whatever is below the bound is itself an index. Who writes `long long` for such a bound means more than 32 bits.
    """
    scope = body.scope
    if bound.text not in scope.parameters:
        values = scope.values.get(bound.text, ())
        return values[0] if len(values) == 1 and _counts(values[0], body) else None
    position = scope.parameters.index(bound.text)
    parameter = body.function.parameters[position]
    if _ELEMENTS.fullmatch(bound.text.strip("_")) or (each and _is_long_long(parameter, bound.text)):
        return parameter
    return next(_given(position, body, program_of(scope.outline)), None)


def may_be_large(bound: Syntax, use: Syntax, body: Body) -> bool:
    """Nothing that the text states keeps the bound below 2^31 on the way to `use`; all callers may pass a constant."""
    program = program_of(body.scope.outline)
    cap, fixed = Caps(program, body.function, use.start).of(bound), Sizes(program, body.function).fixed_value(bound)
    return all(known is None or known >= LARGE for known in (cap, fixed))


def is_large_product(bound: Syntax, body: Body) -> bool:
    """A product of sizes with 64 bits that is beyond 32 in ordinary use."""
    if bound.op != "*" or not is_of_sizes(bound, body) or kind_of(bound, body.scope) != WIDE:
        return False
    return magnitude(Sizes(program_of(body.scope.outline), body.function).of(bound)) > LARGE


def is_of_sizes(bound: Syntax, body: Body) -> bool:
    """A product of numbers that the function is given."""
    if bound.kind == "binary_expression" and bound.op == "*":
        return all(is_of_sizes(factor, body) for factor in bound.children)
    return bound.kind == "identifier" and bound.text in body.scope.parameters


def _is_long_long(parameter: Syntax, name: str) -> bool:
    written = parameter.child("type")
    return written is not None and "long long" in written.text and largest_of(name)[1] is not SMALL


def _given(position: int, body: Body, program: Program) -> Iterator[Syntax]:
    """What the launches of the file pass, where it is a number of elements in 64 bits."""
    name = body.function.name.rpartition("::")[2]
    for launch in (*text_launches(program), *wrapped_launches(program)):
        if launch.kernel != name or position >= len(launch.arguments):
            continue
        scope = program.scope(launch.function)
        given = launch.arguments[position]
        values = scope.values.get(given.text, ()) if given.kind == "identifier" else ()
        if kind_of(given, scope) in (WIDE, UNKNOWN) and any(map(_is_count, (given, *values))):
            yield given
        elif given.kind == "identifier" and kind_of(given, scope) == WIDE:
            yield from _allocations(given.text, launch)


def _allocations(count: str, launch: TextLaunch) -> Iterator[Syntax]:
    """`cudaMalloc(&x, n * sizeof(float))` of another argument of the launch."""
    passed = {argument.text for argument in launch.arguments}
    for node in launch.function.body.walk():
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or callee is None or arguments is None or not _ALLOCATES.search(callee.text):
            continue
        target, *sizes = arguments.children or (node,)
        made = uncast(target).text.lstrip("&* ") in passed
        if made and any("sizeof" in size.text and _is_factor(count, size) for size in sizes[:1]):
            yield node


def _is_factor(name: str, product: Syntax) -> bool:
    """`name * sizeof(T)`, in either order."""
    factors = product.children if product.kind == "binary_expression" and product.op == "*" else ()
    return len(factors) == 2 and name in {uncast(factor).text for factor in factors}


def _is_count(value: Syntax) -> bool:
    """`x.numel()`, `ggml_nelements(x)`."""
    value = uncast(value)
    callee = value.child("function") if value.kind == "call_expression" else None
    return callee is not None and _COUNTS.search(callee.text) is not None


def _counts(value: Syntax, body: Body) -> bool:
    """A number of elements, or the only side of an accessor for more than 2^31 of them."""
    value = uncast(value)
    if _is_count(value):
        return True
    accessor = re.fullmatch(r"(\w+)\.size\(0\)", value.bare)
    if accessor is None or accessor[1] not in body.scope.parameters:
        return False
    return _FLAT.search(body.function.parameters[body.scope.parameters.index(accessor[1])].text) is not None


def handed_on(name: str, body: Body) -> Syntax | None:
    """Where a function is called with the variable itself, to do something at that place."""
    for node in body.nodes:
        arguments = node.child("arguments") if node.kind == "call_expression" else None
        if arguments is None or cast_target(node) is not None or is_product(node):
            continue
        if any(argument.kind == "identifier" and argument.text == name for argument in arguments.children):
            return node
    return None
