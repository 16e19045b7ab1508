"""Fills with a byte where an element of several bytes was meant: `cudaMemset(x, 1, n * sizeof(float))`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_FILL = re.compile(r"(::)?(cuda|hip)Memset(Async)?")
_WIDE = re.compile(
    r"(const\s+)?(float|double|(__)?half|__nv_bfloat16|int|long( long)?|unsigned( int| long)?|u?int(16|32|64)(_t)?|short|size_t)"
    r"\s*\*"
)
_NUMBER = re.compile(r"-?\d+(\.\d*f?)?|-?\.\d+f?")
_LARGEST = re.compile(
    r"-?(?:(?:INT|SHRT|LONG|LLONG)_M(?:AX|IN)|(?:FLT|DBL)_MAX|INFINITY|HUGE_VALF?"
    r"|(?:std::)?numeric_limits<[\w ]+>::(?:max|lowest|infinity)\(\))"
)
_UNSIGNED = re.compile(r"u(int|nsigned)|size_t")
_PATTERNS = (0, -1, 255, 127, 128, 63)  # of bytes: nothing, all ones, large, and numbers near the ends of formats


def patterned_fills(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each fill with an ordinary number of memory whose elements have several bytes."""
    for body in bodies(program_of(outline), ("host",)):
        for node in body.nodes:
            callee, arguments = node.child("function"), node.child("arguments")
            if (
                node.kind != "call_expression"
                or callee is None
                or arguments is None
                or not _FILL.fullmatch(callee.text)
            ):
                continue
            if len(arguments.children) < 3:
                continue
            element = _element(uncast(arguments.children[0]), body)
            value = uncast(arguments.children[1]).bare
            if element is None or not (_is_number(value) or _is_largest(value, element)):
                continue
            text = f"`{short(node)}` sets every byte of the {element} elements to {value}"
            yield GuardIssue(body.function, arguments.children[1], text)


def _is_number(value: str) -> bool:
    return _NUMBER.fullmatch(value) is not None and float(value.rstrip("f")) not in _PATTERNS


def _is_largest(value: str, element: str) -> bool:
    """`INT_MAX`, of which the lowest byte is all ones: right for the largest unsigned number alone."""
    return _LARGEST.fullmatch(value) is not None and _UNSIGNED.match(element) is None


def _element(pointer: Syntax, body: Body) -> str | None:
    """The type of the elements, where the function declares the pointer with one of several bytes."""
    if pointer.kind != "identifier":
        return None
    declared = set()
    nodes = [*body.function.parameters, *(node for node in body.nodes if node.kind == "declaration")]
    name = re.compile(rf"[*,]\s*(__restrict__\s*)?{re.escape(pointer.text)}\b(?!\s*\()")
    for node in nodes:
        written, text = node.child("type"), node.text
        if "*" not in text or name.search(text) is None:
            continue
        # `int n = 4, *flags;`: the star stands behind the first name
        starred = written is not None and re.search(rf"\*\s*{re.escape(pointer.text)}\b", text) is not None
        matched = _WIDE.match(f"{written.text} *" if starred and written is not None else text.strip())
        pointers = re.search(rf"\*\s*\*\s*{re.escape(pointer.text)}\b", text)
        declared.add(matched[2] if matched is not None and pointers is None else None)
    return declared.pop() if len(declared) == 1 else None
