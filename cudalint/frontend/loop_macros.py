"""Macros that nothing defines and that open a loop over all threads of the grid, by how they are used.

    KERNEL_LOOP(i, n) {        for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {

What stands in parentheses is a name that nothing else declares and a number; what follows is a statement. Such a macro declares
the name, and every kernel of every project that has one means the loop with a stride of the whole grid. Where a type stands
before or behind them, the name has that type, and what does not fit into it is lost:

    KERNEL_LOOP_TYPE(i, n, int) {    for (long long at = ...; at < n; at += ...) if (int i = at; true) {
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_CAPITALS = re.compile(r"\b[A-Z][A-Z0-9_]+\b(?=\s*\()")
_NAME = re.compile(r"(?:\A|_)(?:LOOP|FOR|STRIDE)(?:_|\Z)")
_OPENS = re.compile(r"\(\s*[A-Za-z_]\w*\s*,[^;{}]*\)\s*(?:\{|[A-Za-z_])")
_OF_TWO = re.compile(r"\(\s*\w+\s*,[^,;{}]*,\s*[A-Za-z_]\w*\s*,[^,;{}]*\)\s*(?:\{|[A-Za-z_])")
_STRIDED = (  # whoever writes such a macro sees to it that the stride leads past the end, and not round to the start
    "for (long long i{0} = blockIdx.{0} * (long long)blockDim.{0} + threadIdx.{0}; i{0} < (n{0});"
    " i{0} += (long long)blockDim.{0} * gridDim.{0})"
)
_TYPE = r"(?:(?:unsigned|long|int)(?:\s+(?:int|long))*|(?:\w+::)*(?:\w+_t|\w*[Tt]ype|T|\w*(?:Id|Idx|Index)T?))"
_TYPE_BEHIND = re.compile(rf"\(\s*[A-Za-z_]\w*\s*,[^,;{{}}]*,\s*{_TYPE}\s*\)\s*(?:\{{|[A-Za-z_])")
_TYPE_BEFORE = re.compile(rf"\(\s*{_TYPE}\s*,\s*[A-Za-z_]\w*\s*,[^,;{{}}]*\)\s*(?:\{{|[A-Za-z_])")
_TYPED = _STRIDED.format("x").replace("ix", "place_x") + " if (tx ix = static_cast<tx>(place_x); true)"
FURTHER = 3  # lines that its arguments may go on


def loop_macro(lines: Sequence[str], number: int, text: str) -> tuple[str, str] | None:
    """Name and parameters with body of the macro on a line (from 1) that the text does not define."""
    line = lines[number - 1] if 1 <= number <= len(lines) else ""
    for found in _CAPITALS.finditer(line):
        name, after = found[0], "\n".join([line[found.end() :], *lines[number : number + FURTHER]]).lstrip()
        if not _NAME.search(name) or re.search(rf"#\s*define\s+{name}\b", text):
            continue
        if _OF_TWO.match(after):
            return name, f"(ix, nx, iy, ny) {_STRIDED.format('x')} {_STRIDED.format('y')}"
        if _TYPE_BEHIND.match(after):
            return name, f"(ix, nx, tx) {_TYPED}"
        if _TYPE_BEFORE.match(after):
            return name, f"(tx, ix, nx) {_TYPED}"
        if _OPENS.match(after):
            return name, f"(ix, nx, ...) {_STRIDED.format('x')}"
    return None
