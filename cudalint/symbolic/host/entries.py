"""Where a program begins, and which of its kernels nothing in it launches: there nobody chooses sizes from outside."""

from __future__ import annotations

from collections.abc import Iterator

from cudalint import ir
from cudalint.ir import walk
from cudalint.symbolic.host.mangled import means


def starts(unit: ir.Unit) -> bool:
    """Whether the unit has a `main`."""
    return any(f.name == "main" and f.body for f in _hosts((unit,)))


def unnamed_kernels(units: tuple[ir.Unit, ...]) -> frozenset[str]:
    """Ids of kernels of the first unit that no host function of these launches or passes on; none where nothing is launched.

    A kernel that another one launches is named.
    """
    if not any(isinstance(s, ir.Launch) for s in _statements(units)):
        return frozenset()
    named = named_functions(units)
    kernels = (f for f in units[0].functions.values() if f.role is ir.Role.KERNEL)
    return frozenset(f.id for f in kernels if f.name not in named)


def named_functions(units: tuple[ir.Unit, ...]) -> frozenset[str]:
    """Names of the functions that are launched, passed on or kept somewhere."""
    written = [e for s in _statements(units) for e in walk.evaluated(s)]
    written += [
        e for unit in units for g in unit.globals.values() if g.held is not None for e in walk.expressions(g.held)
    ]
    refs = {e.function for e in written if isinstance(e, ir.FunctionRef)}
    said = {e.reason.removeprefix(ir.TEXT).strip('"') for e in written if isinstance(e, ir.Opaque)}
    looked_up = {
        f.name for f in units[0].functions.values() if any(means(text, f.id.rpartition("(")[0]) for text in said)
    }
    return frozenset(name for ref in refs for name in _names(ref, units)) | (said | looked_up)


def _statements(units: tuple[ir.Unit, ...]) -> Iterator[ir.Stmt]:
    return (s for unit in units for f in unit.functions.values() for s in walk.statements(f.body))


def _hosts(units: tuple[ir.Unit, ...]) -> Iterator[ir.Function]:
    return (f for unit in units for f in unit.functions.values() if f.role is ir.Role.HOST)


def _names(ref: str, units: tuple[ir.Unit, ...]) -> set[str]:
    """What the function may be called that a reference means, which another file may only declare."""
    known = {unit.functions[ref].name for unit in units if ref in unit.functions}
    return known or {ref.partition("(")[0].partition("<")[0].split("::")[-1]}
