"""Absent types in headers beside the file, as far as they take classes from it that it uses.

    layer.h     LayerParameter param_;       error: unknown type name 'LayerParameter'
    relu.cu     float slope = this->param_.slope();         error: no member named 'param_' in 'Relu<float>'

Names are guessed for what a file writes itself; the errors in such a header are worth a guess as well: the parser makes
nothing of a class of which one member has no type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from cudalint.frontend.clang import Diagnostic
from cudalint.frontend.guess import Problem

_LACKING = re.compile(r"no member named '(\w+)' in '|use of undeclared identifier '(\w+_|m_\w+)'")
_ABSENT = re.compile(r"unknown type name '(\w+)'|no template named '(\w+)'$")
_CLASS = re.compile(
    r"^[ \t]*(?:template[^;{}]*>\s*)?(?:class|struct)\s+(?:[A-Z_]+\s+)?(\w+)\b[^;{}()]*\{", re.MULTILINE
)
MOST = 12  # absent names; of more than these, a library is absent


def absent_types(
    own: Iterable[Diagnostic], others: Iterable[Diagnostic], words: Collection[str], text_of: Callable[[str], str]
) -> dict[str, list[Problem]]:
    """The absent types, by path, of headers that declare a class that is among the words, or a member that the file lacks."""
    found: dict[str, dict[str, Problem]] = {}
    for error in others:
        if (match := _ABSENT.search(error.message)) is not None:
            problem = Problem(error.message, error.line, error.column)
            found.setdefault(error.path, {}).setdefault(match[1] or match[2], problem)
    lacking = {name for error in own for match in _LACKING.finditer(error.message) for name in match.groups() if name}
    declared = re.compile(rf"\b(?:{'|'.join(sorted(lacking)) or '(?!)'})\s*[;=\[{{,]")
    chosen = {
        path: problems
        for path, problems in found.items()
        if not set(_CLASS.findall(text := text_of(path))).isdisjoint(words) or declared.search(text)
    }
    few = len({name for problems in chosen.values() for name in problems}) <= MOST
    return {path: list(problems.values()) for path, problems in chosen.items()} if few else {}
