"""What contracts take for granted of a host function that does not check it: once for each function, as lines to paste.

    void run(Tensor x, Tensor y) { k<<<...>>>((float *)y.data_ptr(), ...); }      TORCH_CHECK(y.element_size() == 4);
    void run(float *x, int n) { k<<<...>>>(x, n); }                   before `k`: // cudalint: extent(x) = n

These are the inferred preconditions (DESIGN 3, origin 7). They are no findings: a caller that keeps them does nothing wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from cudalint.contract import Contract, Origin
from cudalint.finding import Note, Noted, Unchecked

_OF_TENSORS = re.compile(r"\.(?:element_size|is_contiguous|numel|dim|size|stride)\(")


@dataclass(slots=True)
class _Function:
    """Where its first launch stands, and the conditions in the order of its launches; promises by kernel."""

    line: int
    checks: dict[str, None] = field(default_factory=dict)
    promises: dict[str, dict[str, None]] = field(default_factory=dict)

    def take(self, each: Unchecked) -> None:
        self.line = min(self.line, each.line)
        (self.checks if each.kernel is None else self.promises.setdefault(each.kernel, {}))[each.check] = None


def unchecked_facts(contracts: Iterable[Contract], paths: frozenset[str]) -> list[Unchecked]:
    """Those of the facts of launches by the host functions at the `paths`."""
    found: dict[Unchecked, None] = {}
    for contract in contracts:
        site = contract.launch_site
        if site is None or site.path not in paths:
            continue
        for fact in contract.facts:
            checks = fact.checks if fact.origin is Origin.INFERRED else ()
            found.update((Unchecked(site.path, site.line, site.host_function, check), None) for check in checks)
    return list(found)


def unchecked_notes(unchecked: Iterable[Unchecked]) -> list[Note]:
    """One note for each host function whose launches rest on conditions that nothing checks."""
    functions: dict[tuple[str, str], _Function] = {}
    told = list(unchecked)
    replaced = {(each.path, each.host_function, each.instead) for each in told}
    for each in told:
        if (each.path, each.host_function, each.check) in replaced:
            continue
        functions.setdefault((each.path, each.host_function), _Function(each.line)).take(each)
    return [
        Note(_text(name, function), path, function.line, kind=Noted.UNCHECKED)
        for (path, name), function in sorted(functions.items(), key=lambda each: (each[0][0], each[1].line, each[0][1]))
    ]


def _text(name: str, function: _Function) -> str:
    lines = [" ".join(f"{_macro(check)}({check});" for check in function.checks)] if function.checks else []
    lines += [
        f"before `{kernel}`: // cudalint: {'; '.join(said)}" for kernel, said in sorted(function.promises.items())
    ]
    return f"what {name}() launches is taken to keep what nothing checks; to paste: {', '.join(lines)}"


def _macro(check: str) -> str:
    return "TORCH_CHECK" if _OF_TENSORS.search(check) else "assert"
