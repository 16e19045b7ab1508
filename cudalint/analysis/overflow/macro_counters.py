"""Loops that a macro writes with an int, up to a number of elements that has 64 bits.

#define KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
__global__ void fill(int64_t numel, float *x) { KERNEL_LOOP(at, numel) { x[at] = 0; } }
__global__ void fill(int64_t rows, int64_t cols, float *x) { KERNEL_LOOP_TYPE(at, rows * cols, int) { x[at] = 0; } }

The file has the macro, or the use itself says that the counter is an int.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.overflow.element_counts import counted_elements, is_large_product, may_be_large
from cudalint.analysis.text.addressed import bytes_of_element
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import WIDE, kind_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_DEFINED = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)\((\w+),[ \t]*(\w+)(?:,[ \t]*(\w+))?\)((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE
)
LOOP_MACRO = re.compile(r"[A-Z0-9_]*KERNEL_LOOP[A-Z0-9_]*")
_INT = ("int", "int32_t")
LARGEST = 8  # bytes of an element: 2^31 larger ones are beyond what is ordinary


@dataclass(frozen=True, slots=True)
class _Loop:
    """The positions of what a macro takes; `kind` is that of the counter's type, where it takes that."""

    counter: int
    bound: int
    kind: int | None = None


_TYPE_BEHIND, _TYPE_BEFORE = _Loop(0, 1, 2), _Loop(1, 2, 0)


def macro_counters(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each use of such a macro whose counter is an index; what it is about says how large the bound is."""
    text = outline.root.text
    if "define" not in text and "KERNEL_LOOP" not in text:
        return
    defined = {match[1]: _loop(match) for match in _DEFINED.finditer(text)}
    for body in bodies(program_of(outline), ("kernel", "device")):
        for node in body.nodes:
            name, given = macro_call(node)
            loop = defined[name] if name in defined else _undefined(name, given)
            if loop is None or len(given) != (2 if loop.kind is None else 3):
                continue
            if loop.kind is not None and given[loop.kind].text not in _INT:
                continue
            counter, bound = given[loop.counter], given[loop.bound]
            use = _element_at(counter.text, body)
            said = None if use is None else _large(bound, use, body)
            if said is not None:
                text = f"`{name}` counts `{counter.text}` in 32 bits up to `{short(bound)}`, which has 64"
                yield GuardIssue(body.function, node, text, said)


def _large(bound: Syntax, use: Syntax, body: Body) -> Syntax | None:
    """What says that a bound of 64 bits is a number of elements."""
    scope = body.scope
    values = scope.values.get(bound.text, [])
    product = values[0] if len(values) == 1 and bound.text not in scope.grown else bound
    if WIDE not in (kind_of(bound, scope), scope.types.get(bound.text)):
        return None
    said = product if is_large_product(product, body) else counted_elements(bound, body, each=True)
    return said if said is not None and may_be_large(bound, use, body) else None


def macro_call(node: Syntax) -> tuple[str, tuple[Syntax, ...]]:
    """The macro and what it is given; with its block behind it, it reads as the head of a function, or stands for a loop."""
    callee, given = node.child("function"), node.child("arguments")
    if node.kind == "while_statement" and (name := LOOP_MACRO.match(node.text)) is not None:
        condition = node.child("condition")
        return name[0], () if condition is None else tuple(_between_commas(condition))
    if node.kind == "function_declarator" and len(node.children) == 2:
        callee, given = node.children
    return ("", ()) if callee is None or given is None else (callee.text, given.children)


def _between_commas(node: Syntax) -> Iterator[Syntax]:
    if node.kind == "comma_expression":
        for child in node.children:
            yield from _between_commas(child)
    else:
        yield node


def _loop(match: re.Match[str]) -> _Loop | None:
    """An int, or what it is given the type of, that begins at the place of the thread in the launch, below the bound."""
    first, second, third, written = match[2], match[3], match[4], match[5].replace("\\\n", " ")
    if third is None:
        head = rf"\bfor\s*\(\s*(?:const\s+)?int(?:32_t)?\s+{first}\s*=([^;]*);\s*{first}\s*<\s*\(?\s*{second}\b"
        loop = re.search(head, written)
        return _Loop(0, 1) if loop is not None and "blockIdx" in loop[1] else None
    if "blockIdx" not in written:
        return None
    if re.search(rf"\b{third}\s+{first}\s*=", written):
        return _TYPE_BEHIND
    return _TYPE_BEFORE if re.search(rf"\b{first}\s+{second}\s*=", written) else None


def _undefined(name: str, given: tuple[Syntax, ...]) -> _Loop | None:
    """A macro of another file that is given the type of its counter."""
    if len(given) != 3 or LOOP_MACRO.fullmatch(name) is None:
        return None
    return next((loop for loop in (_TYPE_BEHIND, _TYPE_BEFORE) if given[loop.kind or 0].text in _INT), None)


def _element_at(counter: str, body: Body) -> Syntax | None:
    """The first element whose index is the counter itself."""
    for node in body.nodes:
        index = node.children[-1] if node.kind == "subscript_expression" and node.children else None
        if index is not None and re.sub(r"^\[|\]$", "", index.bare) == counter:
            return node if bytes_of_element(index, body.parents, body.scope) <= LARGEST else None
    return None
