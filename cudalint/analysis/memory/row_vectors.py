"""Vectors at the start of rows whose length need not be a multiple of the vector: every other row is not aligned.

    const float4* line = reinterpret_cast<const float4*>(x + row * cols);      // row 1 begins 4 bytes behind a multiple of 16
    for (int i = tid; i < cols / 4; i += threads) sum4(line[i]);
    for (int i = cols / 4 * 4 + tid; i < cols; i += threads) sum(x[row * cols + i]);      // cols need not be a multiple of 4

That a kernel has a loop for the rest of a row says that rows have one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.tail_patterns import terms_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.analysis.text.thread_text import LOOPS
from cudalint.ir.syntax import Outline, Syntax

_LANES = re.compile(
    r"\b(?:u?(?:int|long|longlong|short|char)|float|double|half|__half|(?:__)?(?:nv_)?bfloat16)_?([248])\s*\*"
)
_ASKED = re.compile(r"uintptr_t|intptr_t|size_t>?\s*\(\s*\w+\s*\)\s*[%&]|align|is_?vec|can_?vec", re.IGNORECASE)
_BLANK = re.compile(r"\s+")


def row_vectors(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel: the first vector of a row that has a rest."""
    for body in bodies(program_of(outline), ("kernel", "device")):
        text = body.function.body.text
        if ("*)" not in text and "*>" not in text) or _ASKED.search(text):
            continue
        for node in body.nodes:
            found = _vector_of_row(node, body)
            if found is None:
                continue
            size, lanes = found
            rest = next((loop for loop in body.nodes if loop.kind in LOOPS and _is_rest(loop, size, lanes, body)), None)
            if rest is not None and not _is_asked(size, lanes, outline):
                said = f"`{short(node)}`: rows of `{size}` elements, which leave a rest, are not all aligned to {lanes}"
                yield GuardIssue(body.function, node, said, rest)
                break


def _vector_of_row(node: Syntax, body: Body) -> tuple[str, int] | None:
    """(length of a row, lanes) where a pointer to a row becomes one to vectors of its elements."""
    written, value = node.child("type"), node.child("value")
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind == "call_expression" and callee is not None and arguments is not None and len(arguments.children) == 1:
        if not callee.text.startswith("reinterpret_cast"):
            return None
        written, value = callee, arguments.children[0]
    elif node.kind != "cast_expression":
        return None
    lanes = None if written is None else _LANES.search(written.text)
    if lanes is None or value is None:
        return None
    size = _length_of_row(_address(value, body), body)
    return None if size is None else (size, int(lanes[1]))


def _address(value: Syntax, body: Body) -> list[Syntax]:
    """The terms of an address, through one pointer to a row."""
    value = uncast(value)
    if value.kind == "identifier" and len(values := body.scope.values.get(value.text, [])) == 1:
        if value.text not in body.scope.grown:
            value = uncast(values[0])
    elif value.kind == "identifier" and len(steps := body.scope.steps.get(value.text, [])) == 1:
        moved = steps[0].child("right")
        if steps[0].op == "+=" and moved is not None and steps[0].start < value.start:
            return [value, *terms_of(moved)]
    if value.kind == "pointer_expression" and value.op == "&" and value.children:
        inner = value.children[0]
        if inner.kind == "subscript_expression" and len(inner.children) == 2:
            return [inner.children[0], *terms_of(inner.children[1])]
    return terms_of(value)


def _length_of_row(terms: list[Syntax], body: Body) -> str | None:
    """The parameter by which rows are apart, where nothing else stands in the address that could make up for it."""
    if not terms or terms[0].kind != "identifier" or terms[0].text not in body.scope.parameters:
        return None
    for term in terms[1:]:
        factors = _factors(term)
        sizes = [f for f in factors if _BLANK.sub("", f.text) in body.scope.parameters]
        rows = [f for f in factors if f not in sizes]
        if len(factors) == 2 and len(sizes) == 1 and _is_row(rows[0], body):
            return sizes[0].text
    return None


def _factors(node: Syntax) -> list[Syntax]:
    node = uncast(node)
    if node.kind == "binary_expression" and node.op == "*":
        return [factor for child in node.children for factor in _factors(child)]
    return [node]


def _is_row(node: Syntax, body: Body) -> bool:
    """It follows from the block or the thread."""
    if re.search(r"\b(blockIdx|threadIdx)\b", node.text):
        return True
    return node.kind == "identifier" and node.text in body.positions


def _is_rest(loop: Syntax, size: str, lanes: int, body: Body) -> bool:
    """A loop, up to the row's length, that begins where the last whole vector ends."""
    start, condition = loop.child("initializer"), loop.child("condition")
    if start is None or condition is None or condition.op != "<":
        return False
    right = condition.child("right")
    if right is None or right.text != size:
        return False
    texts = [_BLANK.sub("", start.text)]
    for name in (n.text for n in start.walk() if n.kind == "identifier"):
        texts += [_BLANK.sub("", value.text) for value in body.scope.values.get(name, ())]
    shift = lanes.bit_length() - 1
    whole = [
        rf"{size}/{lanes}\)?\*{lanes}",
        rf"{size}>>{shift}\)?<<{shift}",
        rf"{size}-{size}%{lanes}",
        rf"{lanes}\*\(?{size}/{lanes}",
        rf"{size}&~\(?({lanes - 1}|{lanes}-1)",
    ]
    if any(re.search(pattern, text) for pattern in whole for text in texts):
        return True
    counts = [name for name, values in body.scope.values.items() if any(_is_count(v, size, lanes) for v in values)]
    return any(re.search(rf"\b{name}\*{lanes}\b|\b{lanes}\*{name}\b", text) for name in counts for text in texts)


def _is_count(value: Syntax, size: str, lanes: int) -> bool:
    """The number of whole vectors of a row."""
    return _BLANK.sub("", value.text) in (f"{size}/{lanes}", f"({size}/{lanes})", f"{size}>>{lanes.bit_length() - 1}")


def _is_asked(size: str, lanes: int, outline: Outline) -> bool:
    """Somewhere the file asks whether a length is a multiple of a vector."""
    multiple = rf"%\s*({lanes}|8|16|vec\w*|VEC\w*)\s*\)*\s*(==|!=|\))|&\s*({lanes - 1}|7|15)\b|!\s*\(\s*\w+\s*%"
    return re.search(multiple, outline.root.file.text) is not None
