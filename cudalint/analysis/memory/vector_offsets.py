"""Vectors in shared memory behind a number of single elements that follows the block.

    extern __shared__ float smem[];                 // the first num_warps elements hold a sum of each warp
    v.store(smem + num_warps + i * VEC);            // 16 bytes at a multiple of 4 only

The number of warps is no multiple of the vector's length unless every launch makes it one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.launch_text import launches_of
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_VECTOR = re.compile(r"\b(float4|int4|uint4|double2|float2|int2|uint2|half8|Vec\w*|vec\w*|Pack\w*)\s*(<[^<>]*>)?\s*\*")
_METHODS = re.compile(r"^(cast_)?(load|store)(_\w+)?$")
_SHARED = re.compile(
    r"__shared__[^;\[=]*?\b(float|int|unsigned|uint32_t|int32_t|half|__half|char|uint8_t)\s+(\w+)\s*\["
)
_FROM_BLOCK = re.compile(r"blockDim\s*\.\s*[xyz](\s*(/\s*(32|warpSize|WARP_SIZE|warp_size)|>>\s*5))?")


def vector_offsets(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel: the first vector whose place may not be aligned."""
    program = program_of(outline)
    for body in bodies(program, ("kernel",)):
        arrays = {match[2] for match in _SHARED.finditer(body.function.body.text)}
        if not arrays or _is_always_even(body, program):
            continue
        for node in body.nodes if arrays else ():
            place = _place_of_vector(node)
            terms = [] if place is None else list(_terms(place))
            if place is None or not terms or terms[0].text not in arrays:
                continue
            count = next((term for term in terms[1:] if _follows_the_block(term, body)), None)
            if count is not None:
                text = f"`{' '.join(place.text.split())[:60]}` is no place for a vector where `{count.text}` is odd"
                yield GuardIssue(body.function, place, text, count)
                break


def _place_of_vector(node: Syntax) -> Syntax | None:
    """The address that a vector is loaded from or stored to."""
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind == "cast_expression" and (written := node.child("type")) is not None:
        value = node.child("value")
        return value if value is not None and _VECTOR.search(written.text) else None
    if node.kind != "call_expression" or callee is None or arguments is None or not arguments.children:
        return None
    if callee.text.startswith("reinterpret_cast") and _VECTOR.search(callee.text):
        return arguments.children[0]
    method = callee.child("field") if callee.kind == "field_expression" else None
    if method is not None and _METHODS.match(method.text.partition("<")[0]) and "vec" in callee.text.lower():
        return arguments.children[0]
    return None


def _terms(node: Syntax) -> Iterator[Syntax]:
    """The terms of an address; of `&a[i]` the array and those of the index."""
    node = uncast(node)
    if node.kind == "pointer_expression" and node.op == "&" and node.children:
        node = node.children[0]
    if node.kind == "subscript_expression" or (node.kind == "binary_expression" and node.op == "+"):
        for child in node.children:
            yield from _terms(child)
    else:
        yield node


def _follows_the_block(term: Syntax, body: Body) -> bool:
    """A number of threads or warps, with no factor."""
    values = body.scope.values.get(term.text, []) if term.kind == "identifier" else [term]
    return len(values) == 1 and _FROM_BLOCK.fullmatch(values[0].text.strip("()")) is not None


def _is_always_even(body: Body, program: Program) -> bool:
    """Every launch in the file has a block of a constant size whose warps are a multiple of four."""
    launches = launches_of(body.function.name.rpartition("::")[2].partition("<")[0], program)
    for launch in launches:
        threads = 1
        for side in launch.block:
            value = 1 if side is None else Sizes(program, launch.function).fixed_value(side)
            if value is None:
                return False
            threads *= value
        if threads % 128:
            return False
    return bool(launches)
