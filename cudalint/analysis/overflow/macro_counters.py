"""Loops that a macro of the file writes with an int, up to a number of elements that has 64 bits.

#define KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
__global__ void fill(int64_t numel, float *x) { KERNEL_LOOP(at, numel) { x[at] = 0; } }
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.overflow.element_counts import counted_elements, may_be_large
from cudalint.analysis.text.addressed import bytes_of_element
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import WIDE
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\((\w+),[ \t]*(\w+)\)((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
LARGEST = 8  # bytes of an element: 2^31 larger ones are beyond what is ordinary


def macro_counters(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each use of such a macro whose counter is an index; what it is about says how large the bound is."""
    if "define" not in outline.root.text:
        return
    loops = {
        name for name, counter, bound, text in _DEFINED.findall(outline.root.text) if _counts(counter, bound, text)
    }
    for body in bodies(program_of(outline), ("kernel", "device")) if loops else ():
        for node in body.nodes:
            name, given = _used(node)
            if name not in loops or len(given) != 2 or body.scope.types.get(given[1].text) != WIDE:
                continue
            counter, bound = given
            use = _element_at(counter.text, body)
            said = None if use is None else counted_elements(bound, body, each=True)
            if use is not None and said is not None and may_be_large(bound, use, body):
                text = f"`{name}` counts `{counter.text}` in 32 bits up to `{bound.text}`, which has 64"
                yield GuardIssue(body.function, node, text, said)


def _used(node: Syntax) -> tuple[str, tuple[Syntax, ...]]:
    """The macro and what it is given; with its block behind it, it reads as the head of a function."""
    callee, given = node.child("function"), node.child("arguments")
    if node.kind == "function_declarator" and len(node.children) == 2:
        callee, given = node.children
    return ("", ()) if callee is None or given is None else (callee.text, given.children)


def _counts(counter: str, bound: str, text: str) -> bool:
    """An int that begins at the place of the thread in the launch, below the bound."""
    written = text.replace("\\\n", " ")
    loop = re.search(
        rf"\bfor\s*\(\s*(?:const\s+)?int(?:32_t)?\s+{counter}\s*=([^;]*);\s*{counter}\s*<\s*\(?\s*{bound}\b", written
    )
    return loop is not None and "blockIdx" in loop[1]


def _element_at(counter: str, body: Body) -> Syntax | None:
    """The first element whose index is the counter itself."""
    for node in body.nodes:
        index = node.children[-1] if node.kind == "subscript_expression" and node.children else None
        if index is not None and re.sub(r"^\[|\]$", "", index.bare) == counter:
            return node if bytes_of_element(index, body.parents, body.scope) <= LARGEST else None
    return None
