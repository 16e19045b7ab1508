"""Comparisons with NaN, which is equal to nothing, itself included: `if (x == NAN)` is never true, `x != NAN` always."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import program_of
from cudalint.ir.syntax import Outline

_NAN = re.compile(
    r'[-+]?(NAN|CUDART_NAN(_F)?|(std::)?nanf?\((""|0|NULL|nullptr)?\)|'
    r"(std::)?numeric_limits<[\w:]+>::(quiet|signaling)_NaN\(\)|__int_as_float\(0x7f(ffffff|c00000)[uU]?\))"
)


def nan_comparisons(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each comparison."""
    if "nan" not in outline.root.text.lower() and "_as_float" not in outline.root.text:
        return
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        for node in body.nodes:
            if node.kind == "binary_expression" and node.op in ("==", "!="):
                if any(_NAN.fullmatch(uncast(side).bare) for side in node.children):
                    always = "false" if node.op == "==" else "true"
                    yield GuardIssue(body.function, node, f"`{short(node)}` is always {always}: NaN equals nothing")
