"""Contracts from launch sites: host functions are walked symbolically up to each launch.

A function that nobody in the unit calls is a root; those that it calls are walked inlined, with what it passes to them.
`launch_contracts` says of each kernel what its launches in the unit guarantee.
"""

from __future__ import annotations

from dataclasses import replace

from cudalint import ir
from cudalint.contract import Assume, Contract, Fact, Origin
from cudalint.symbolic.host.facts import contract_of, renumbered
from cudalint.symbolic.host.scan import called_functions, launch_sites
from cudalint.symbolic.host.walk import HostLimit, OfUnit, Walk, of_whole
from cudalint.term import TRUE

CONTRACTS_PER_KERNEL = 64


def launch_contracts(unit: ir.Unit) -> dict[str, tuple[Contract, ...]]:
    """Contracts by kernel id, in the order of the roots and their launches; equal ones once, at most 64 a kernel."""
    calls = {f.id: called_functions(f.body, unit) for f in unit.functions.values() if f.role is not ir.Role.KERNEL}
    launching = _reaching(calls, {f for f in calls if launch_sites(unit.functions[f].body)})
    if not launching:
        return {}
    of_unit = of_whole(unit)
    found: dict[str, dict[Contract, None]] = {}
    sites: set[tuple[str, int]] = set()
    for root in _roots(calls, launching, unit):
        for contract in _walked(unit, root, of_unit, ()):
            _keep(contract, found, sites)
    for function in unit.functions.values():
        if function.id in launching and not launch_sites(function.body) <= sites:
            note = f"{function.name} is taken alone: its callers were not followed to the launch"
            for contract in _walked(unit, function, of_unit, (note,)):
                if contract.launch_site is None or (contract.launch_site.path, contract.launch_site.line) not in sites:
                    _keep(contract, found, None)
    return {kernel: tuple(contracts) for kernel, contracts in found.items()}


def _keep(contract: Contract, found: dict[str, dict[Contract, None]], sites: set[tuple[str, int]] | None) -> None:
    contract = renumbered(contract)
    kept = found.setdefault(contract.kernel, {})
    if len(kept) < CONTRACTS_PER_KERNEL:
        kept[contract] = None
    if sites is not None and contract.launch_site is not None:
        sites.add((contract.launch_site.path, contract.launch_site.line))


def _walked(unit: ir.Unit, root: ir.Function, of_unit: OfUnit, notes: tuple[str, ...]) -> list[Contract]:
    walk = Walk(unit, root, of_unit)
    try:
        records = walk.run()
    except (HostLimit, RecursionError):
        return []
    contracts = [contract_of(record, unit, walk.world) for record in records]
    extra = tuple(Fact(Assume(TRUE), Origin.LAUNCH, note, root.span) for note in notes)
    return [replace(c, facts=c.facts + extra) for c in contracts if c is not None]


def _roots(calls: dict[str, set[str]], launching: set[str], unit: ir.Unit) -> list[ir.Function]:
    """Functions that lead to a launch and that no other function calls; of a cycle without such a one, its members."""
    called = {callee for caller, callees in calls.items() for callee in callees if callee != caller}
    roots = [f for f in unit.functions if f in launching and f not in called]
    reached = _closure(calls, roots)
    roots += [f for f in unit.functions if f in launching and f not in reached and launch_sites(unit.functions[f].body)]
    return [unit.functions[f] for f in roots]


def _closure(calls: dict[str, set[str]], starts: list[str]) -> set[str]:
    reached, pending = set(starts), list(starts)
    while pending:
        for callee in calls.get(pending.pop(), ()):
            if callee not in reached:
                reached.add(callee)
                pending.append(callee)
    return reached


def _reaching(calls: dict[str, set[str]], goals: set[str]) -> set[str]:
    """Functions from which a goal is reached."""
    reaching, changed = set(goals), True
    while changed:
        more = {f for f, callees in calls.items() if f not in reaching and callees & reaching}
        reaching |= more
        changed = bool(more)
    return reaching


__all__ = ["launch_contracts"]
