"""Contracts from launch sites: host functions are walked symbolically up to each launch.

A function that nobody in the unit calls is a root; those that it calls are walked inlined, with what it passes to them.
`launch_contracts` says of each kernel what its launches in the unit guarantee.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from cudalint import ir
from cudalint.analysis.operators import Written
from cudalint.contract import Assume, Contract, Extent, Fact, Origin
from cudalint.symbolic.host.counted import Counted
from cudalint.symbolic.host.demands import Demand
from cudalint.symbolic.host.entries import named_functions, starts, unnamed_kernels
from cudalint.symbolic.host.found import Found, is_lost, site_of
from cudalint.symbolic.host.launch_contract import contract_of, entered_records
from cudalint.symbolic.host.linked import Linked, Node
from cudalint.symbolic.host.prepared import Filled
from cudalint.symbolic.host.retyped import Retyped
from cudalint.symbolic.host.scan import Site
from cudalint.symbolic.host.walk import HostLimit, Walk
from cudalint.term import TRUE

MOST_NEARER = 64  # functions that are walked for sites of which all was lost


def launch_contracts(
    unit: ir.Unit,
    others: tuple[ir.Unit, ...] = (),
    program: bool = False,
    demands: list[Demand | Counted | Retyped] | None = None,
    written: tuple[Written, ...] = (),
) -> dict[str, tuple[Contract, ...]]:
    """Contracts by id of the unit's kernels, in the order of the roots and their launches; equal ones once.

    Behind the first 64 of a kernel, one of which nothing is known stands for the others.

    `others` are files whose host functions call those of the unit, launch its kernels, or are called there. They may be
    parts of one `program`; the unit with a `main` of its own is one. `demands` receives what the walked code asks of the runtime.
    Of arguments that are `written`, as the schema of an operator says, the contracts say so.
    """
    linked = Linked((unit, *others), written)
    program = program or starts(unit)
    calls = {node: linked.calls(node) for node in linked.hosts()}
    launching = _reaching(calls, {node for node in calls if linked.sites(node)})
    linked.leading = frozenset(launching)
    if not launching:
        return {}
    found = Found(unit, Filled(linked))
    direct = {callee for node in calls for callee in linked.calls(node, passed=False)}
    shared = {callee for node in calls for callee in linked.calls(node, passed=False) if callee != node}
    named = named_functions(linked.units) if program else frozenset()
    entered: set[Node] = set()
    of_main: set[Node] = set()
    unfinished: set[Node] = set()  # what roots call that were too large to be walked to the end
    first: list[Node] = []
    free: set[Node] = set()  # roots that no other function calls: they have been walked for any arguments
    while roots := _roots(calls, launching - entered, linked):
        first = first or roots
        for root in roots:
            alone = bool(entered) and root in direct
            free |= set() if root in shared else {root}
            if root in unfinished or not alone or not _sites_from(root, calls, linked) <= found.seen:
                outside = program and root not in direct and linked.function(root).name != "main"
                dead = outside and linked.function(root).name not in named
                known = found.seen if alone and root not in unfinished else set[Site]()
                of_main |= _walk_root(linked, root, alone, entered, found, known, outside, dead)
                unfinished -= {root}
                unfinished |= set() if root in entered else calls[root] & launching
            entered.add(root)
    again = (found.cut | linked.handed_on(launching)) & direct
    _walk_again(linked, unfinished | (again - free), calls, found)
    for node in calls:
        if node in launching and not linked.sites(node) <= found.seen:
            avoided = node in of_main  # main goes through it and never to these launches
            _walk_root(linked, node, True, entered, found, found.seen, avoided, avoided)
    _walk_nearer(linked, first, calls, found, program)
    if demands is not None:
        demands += found.demands
    return found.told()


def _walk_again(linked: Linked, unfinished: set[Node], calls: dict[Node, set[Node]], found: Found) -> None:
    """What was entered from elsewhere only is taken alone as well: a caller that was lost may pass other values."""
    pending = [node for node in calls if node in unfinished]
    seen = set(pending)
    while pending:
        node, entered = pending.pop(0), set[Node]()
        _walk_root(linked, node, True, entered, found, set())
        if node not in entered:
            more = [callee for callee in calls if callee in calls[node] - seen and callee in (linked.leading or ())]
            pending += more
            seen |= set(more)


def _walk_root(
    linked: Linked,
    root: Node,
    alone: bool,
    entered: set[Node],
    found: Found,
    known: Set[Site],
    uncalled: bool = False,
    dead: bool = False,
) -> set[Node]:
    """Keep the contracts that the root gives of other sites than the `known` ones.

    What a `main` goes through comes back.
    """
    name, before = linked.function(root).name, set(entered)
    for contract in _walked(linked, root, alone, entered, found):
        site = site_of(contract)
        if site not in known:
            found.keep(replace(contract, uncalled=uncalled, dead=dead))
            if alone and site is not None and not contract.first and not is_lost(contract):
                found.free.add(site)
    return entered - before if name == "main" else set()


def _walk_nearer(linked: Linked, roots: list[Node], calls: dict[Node, set[Node]], found: Found, program: bool) -> None:
    """Tell of lost sites by functions nearer to them, whose arguments are taken as inputs."""
    nodes = list(roots)
    for node in nodes:  # level by level
        nodes += [callee for callee in sorted(calls[node] & (linked.leading or frozenset())) if callee not in nodes]
    for node in nodes[len(roots) : len(roots) + MOST_NEARER]:
        lost = found.lost
        if lost and not lost.isdisjoint(_sites_from(node, calls, linked)):
            for contract in _walked(linked, node, True, set(), found):
                site = site_of(contract)
                if site is not None and site in lost and not contract.first and not is_lost(contract):
                    found.keep(replace(found.nearer(contract), uncalled=program))
                    found.free.add(site)
    found.settle()


def _opened(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """A view that callers pass may begin behind the start of its memory: `scan(View(sums + 1, rows, columns))`."""
    return tuple(
        replace(fact, what=replace(fact.what, inside=True))
        if isinstance(fact.what, Extent) and fact.what.described
        else fact
        for fact in facts
    )


def _walked(linked: Linked, root: Node, alone: bool, entered: set[Node], found: Found) -> list[Contract]:
    """The contracts of one walk; what it went through counts as entered where it came to its end."""
    if root in found.too_large:
        return []
    name = linked.function(root).name
    notes = [f"{name} is taken alone: its callers were not followed to the launch"] if alone else []
    walk = Walk(linked, root, filled=found.filled if name != "main" else None)
    try:
        records = walk.run()
    except (HostLimit, RecursionError):
        found.too_large.add(root)
        return []
    entered |= walk.entered
    found.cut |= walk.cut
    notes += [f"{name} is taken to run after {each}, which fills what it uses" for each in walk.prepared_by]
    found.demands += walk.demands
    extra = tuple(Fact(Assume(TRUE), Origin.LAUNCH, note, linked.function(root).span) for note in notes)
    contracts = [(record, contract_of(record, linked.units[0], walk.world)) for record in records]
    for record, contract in contracts:
        if contract is not None and record.doubt and not record.first:
            found.keep_again(contract, record.doubt)
    return [
        replace(
            c,
            facts=(*(_opened(c.facts) if alone else c.facts), *extra, *_taken_for(record.launch)),
            files=tuple((name, walk.files.read[name]) for name in sorted(entered_records(walk.files.read, c.facts))),
        )
        for record, c in contracts
        if c is not None
    ]


def _taken_for(launch: ir.Launch) -> tuple[Fact, ...]:
    """That the code does not show the launch itself."""
    text = (
        f"{launch.through}() is taken to launch the kernel that it gets, with the grid, block and arguments behind it"
    )
    return (Fact(Assume(TRUE), Origin.LAUNCH, text, launch.span),) if launch.through else ()


def _roots(calls: dict[Node, set[Node]], open_: set[Node], linked: Linked) -> list[Node]:
    """Functions among the open ones that no other of them calls; of a cycle without such a one, its members that launch.

    What a function only passes on (to a registry, to another library) is called by nobody once that function was walked.
    """
    called = {callee for caller in open_ for callee in calls[caller] if callee != caller}
    roots = [node for node in calls if node in open_ and node not in called]
    reached = _closure(calls, roots)
    return roots + [node for node in calls if node in open_ and node not in reached and linked.sites(node)]


def _sites_from(root: Node, calls: dict[Node, set[Node]], linked: Linked) -> set[Site]:
    return {site for node in _closure(calls, [root]) for site in linked.sites(node)}


def _closure(calls: dict[Node, set[Node]], starts: list[Node]) -> set[Node]:
    reached, pending = set(starts), list(starts)
    while pending:
        for callee in calls.get(pending.pop(), ()):
            if callee not in reached:
                reached.add(callee)
                pending.append(callee)
    return reached


def _reaching(calls: dict[Node, set[Node]], goals: set[Node]) -> set[Node]:
    """Functions from which a goal is reached."""
    reaching, changed = set(goals), True
    while changed:
        more = {node for node, callees in calls.items() if node not in reaching and callees & reaching}
        reaching |= more
        changed = bool(more)
    return reaching


__all__ = ["launch_contracts", "starts", "unnamed_kernels"]
