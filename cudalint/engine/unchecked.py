"""What contracts take for granted of a host function that does not check it: once for each function, as lines to paste.

    void run(Tensor x, Tensor y) { k<<<...>>>((float *)y.data_ptr(), ...); }      TORCH_CHECK(y.element_size() == 4);

These are the inferred preconditions (DESIGN 3, origin 7). They are no findings: a caller that keeps them does nothing wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from cudalint.contract import Contract, Origin
from cudalint.finding import Note, Noted

_OF_TENSORS = re.compile(r"\.(?:element_size|is_contiguous|numel|dim|size|stride)\(")


@dataclass(slots=True)
class _Function:
    """Where its first launch stands, and the conditions in the order of its launches."""

    line: int
    checks: dict[str, None] = field(default_factory=dict)


def unchecked_relations(contracts: Iterable[Contract], paths: frozenset[str]) -> list[Note]:
    """One note for each host function at the `paths` whose launches rest on conditions that nothing checks."""
    functions: dict[tuple[str, str], _Function] = {}
    for contract in contracts:
        site = contract.launch_site
        if site is None or site.path not in paths:
            continue
        checks = [check for fact in contract.facts if fact.origin is Origin.INFERRED for check in fact.checks]
        if checks:
            function = functions.setdefault((site.path, site.host_function), _Function(site.line))
            function.line = min(function.line, site.line)
            function.checks.update(dict.fromkeys(checks))
    return [
        Note(_text(name, function.checks), path, function.line, kind=Noted.UNCHECKED)
        for (path, name), function in sorted(functions.items(), key=lambda each: (each[0][0], each[1].line, each[0][1]))
    ]


def _text(name: str, checks: Iterable[str]) -> str:
    lines = " ".join(f"{_macro(check)}({check});" for check in checks)
    return f"what {name}() launches is taken to keep what nothing checks; to paste: {lines}"


def _macro(check: str) -> str:
    return "TORCH_CHECK" if _OF_TENSORS.search(check) else "assert"
