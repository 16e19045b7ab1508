"""Pointers into tensors that nobody keeps: the memory goes back to the allocator before the launch.

const float *p = x.contiguous().data_ptr<float>();   auto y = torch::empty_like(x);   k<<<g, b>>>(p, y.data_ptr<float>());
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.memory.reinterpreted_tensors import launching
from cudalint.analysis.text.guard_patterns import GuardIssue
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body
from cudalint.ir.syntax import Outline, Syntax

_DATA = re.compile(r"(\.|->)(mutable_|const_)?data(_ptr)?(<[\w:\s]+>)?$")
_NEW = re.compile(
    r"(\.|->)(contiguous|to|clone|cuda|cpu|half|float|bfloat16|toType|to_type)$|"
    r"^(torch|at)::(empty|zeros|ones|full|tensor|arange|empty_like|zeros_like|ones_like|full_like|rand|randn|cat|stack)$"
)


def dangling_tensors(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each such pointer that a launch gets, where it is made."""
    told: set[int] = set()
    for body, launch in launching(outline):
        for argument in launch.arguments:
            values = body.scope.values.get(uncast(argument).text, [])
            owner = _temporary(values[0]) if len(values) == 1 else None
            if owner is not None and values[0].start not in told and not _is_checked(owner, body):
                told.add(values[0].start)
                text = f"`{uncast(argument).text}` points into `{' '.join(owner.text.split())[:60]}`, which ends with the statement"
                yield GuardIssue(body.function, values[0], text, argument)


def _is_checked(owner: Syntax, body: Body) -> bool:
    """`x.contiguous()` of an x that the function has checked to be contiguous is x itself."""
    named = re.fullmatch(r"(\w+)(\.|->)contiguous\(\s*\)", owner.text)
    checks = rf"\b{named[1]}\s*(\.|->)\s*is_contiguous|CHECK\w*\(\s*{named[1]}\s*[,)]" if named is not None else r"(?!)"
    return re.search(checks, body.function.body.text) is not None


def _temporary(value: Syntax) -> Syntax | None:
    """The tensor that only this expression holds, and whose pointer it gives."""
    value = uncast(value)
    callee = value.child("function") if value.kind == "call_expression" else None
    if callee is None or callee.kind not in ("field_expression", "template_function", "template_method"):
        return None
    if _DATA.search(callee.text) is None:
        return None
    for node in callee.walk():
        made = node.child("function") if node.kind == "call_expression" else None
        if made is not None:  # the outermost call of what the pointer is asked of
            return node if _NEW.search(made.text) is not None else None
    return None
