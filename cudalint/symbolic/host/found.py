"""The contracts that walks of host code gave, by kernel and by launch site."""

from __future__ import annotations

from dataclasses import replace

from cudalint import ir
from cudalint.contract import Assume, Binding, Contract, Extent, Fact, Geometry, Origin
from cudalint.symbolic.host.counted import Counted
from cudalint.symbolic.host.demands import Demand
from cudalint.symbolic.host.fact_forms import all_terms, mapped, renumbered, unstated
from cudalint.symbolic.host.linked import Node
from cudalint.symbolic.host.prepared import Filled
from cudalint.symbolic.host.retyped import Retyped
from cudalint.symbolic.host.scan import Site
from cudalint.symbolic.host.values import APPROXIMATE
from cudalint.term import (
    TRUE,
    Number,
    Term,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    number,
    substitute,
    symbol,
)

CONTRACTS_PER_KERNEL = 64
MOST_BLOCKS = 8  # that are told one by one


class Found:
    """Contracts by kernel id in the order in which they came; of a `lost` site nothing is left of what its callers know.

    `filled` tells the walks what runs before a root.
    """

    def __init__(self, unit: ir.Unit, filled: Filled) -> None:
        self._unit, self.filled = unit, filled
        self.contracts: dict[str, dict[Contract, None]] = {}
        self.sites: set[Site] = set()
        self.demands: list[Demand | Counted | Retyped] = []
        self.cut: set[Node] = set()  # functions that a walk did not enter again: what they pass to launches is not told
        self.too_large: set[Node] = set()  # functions whose walk came to its limit, as it would again
        self.free: set[Site] = set()  # told by a function that was walked for any arguments: for all that call it
        self._lost: dict[Site, list[Contract]] = {}
        self._firsts: dict[
            Contract, None
        ] = {}  # of loops: they settle nothing, what other rounds launch is told beside them

    @property
    def seen(self) -> set[Site]:
        """All sites that some walk came to."""
        return of_any_kernel(self.sites | set(self._lost))

    @property
    def lost(self) -> set[Site]:
        """The sites that nothing but lost contracts tell of."""
        return of_any_kernel(set(self._lost) - self.sites)

    def keep(self, contract: Contract) -> None:
        """Take a contract in; a lost one waits for a better one of its site."""
        contract = renumbered(contract)
        site = site_of(contract)
        if contract.first:
            self._firsts |= {} if is_lost(contract) else {contract: None}
        elif site is not None and is_lost(contract):
            self._lost.setdefault(site, []).append(contract)
        else:
            self._keep(contract)

    def keep_again(self, contract: Contract, reason: str) -> None:
        """The launch may be made again with values that were not followed: one of which nothing is known stands for it."""
        self._keep(self._unstated(contract, reason))

    def _unstated(self, contract: Contract, reason: str) -> Contract:
        return unstated(contract, self._unit.functions[contract.kernel], reason)

    def nearer(self, contract: Contract) -> Contract:
        """What a function nearer to a lost site tells of it, with what its callers know.

        start(dim3(n / 128), x, n);      where n was lost: start() knows of neither, and they belong together
        """
        if not _given_by_itself(contract):
            return self._with_known_sides(contract)
        tied = (_with_passed_values(lost) for lost in self._lost[site_of(contract)])  # type: ignore[index]
        return next((each for each in tied if not is_lost(each)), self._with_known_sides(contract))

    def _with_known_sides(self, contract: Contract) -> Contract:
        """With what its callers are known to come to there: the block, and the sides of the grid for themselves.

        start(dim3(1, readers.size()), 256);        whatever the number of readers, there is one block for each
        """
        contract = self._with_known_block(contract)
        told = _grid(contract)
        for axis, side in enumerate(told):
            lost = {_grid(each)[axis] for each in self._lost[site_of(contract)]}  # type: ignore[index]
            numbers = sorted(each.value for each in lost if isinstance(each, Number))
            if side is None or not numbers or len(numbers) < len(lost) or len(lost) > MOST_BLOCKS:
                continue
            held = disjunction(*(equal(side, number(value)) for value in numbers))
            if held is not TRUE:
                text = f"gridDim.{'xyz'[axis]} = {' or '.join(map(str, numbers))}, as callers have it"
                span = next(f.span for f in contract.facts if isinstance(f.what, Geometry))
                fact = Fact(Assume(held), Origin.LAUNCH, text, span)
                contract = replace(contract, facts=(*contract.facts, fact))
        return contract

    def _with_known_block(self, contract: Contract) -> Contract:
        """The contract of a function nearer to a lost site, with the blocks that its callers are known to come to there.

        int order = 256;  ...  scanf("%d", &count); find(order, count);        the block is 256, whatever the grid is
        """
        blocks = {_block(lost) for lost in self._lost[site_of(contract)]}  # type: ignore[index]
        told = _block(contract)
        numbers = [b for b in blocks if b is not None and all(isinstance(side, Number) for side in b)]
        if told is None or len(numbers) < len(blocks) or len(blocks) > MOST_BLOCKS:
            return contract
        numbers.sort(key=lambda block: [side.value for side in block if isinstance(side, Number)])
        held = disjunction(*(conjunction(*map(equal, told, block)) for block in numbers))
        if held is TRUE:
            return contract
        text = "block = " + " or ".join(f"({', '.join(map(str, block))})" for block in numbers) + ", as callers have it"
        span = next(f.span for f in contract.facts if isinstance(f.what, Geometry))
        return replace(contract, facts=(*contract.facts, Fact(Assume(held), Origin.LAUNCH, text, span)))

    def settle(self) -> None:
        """Where nothing better came, the lost contracts count.

        fill(x, 1 << 18);  ...  fill(y, read());       what the first call tells of the launch says nothing of the second
        """
        for contract in [c for site, contracts in self._lost.items() if site not in self.free for c in contracts]:
            self._keep(contract)

    def told(self) -> dict[str, tuple[Contract, ...]]:
        """The contracts of each kernel; behind them those of first rounds, where any round of the loop is told of, too."""
        firsts = [each for each in self._firsts if site_of(each) in self.sites]
        return {
            kernel: (*kept, *(each for each in firsts if each.kernel == kernel and each not in kept))
            for kernel, kept in self.contracts.items()
        }

    def _keep(self, contract: Contract) -> None:
        """Equal ones once; behind the first of a kernel, one of which nothing is known stands for the others."""
        kept = self.contracts.setdefault(contract.kernel, {})
        if len(kept) < CONTRACTS_PER_KERNEL:
            kept[contract] = None
        elif len(kept) == CONTRACTS_PER_KERNEL and contract not in kept:
            kept[self._unstated(contract, f"the kernel is launched in more than {CONTRACTS_PER_KERNEL} ways")] = None
        site = site_of(contract)
        if site is not None:
            self.sites.add(site)


def site_of(contract: Contract) -> Site | None:
    where = contract.launch_site
    return None if where is None else (where.path, where.line, contract.kernel)


def of_any_kernel(sites: set[Site]) -> set[Site]:
    """With each place for a launch of which nobody knows the kernel."""
    return sites | {(path, line, "") for path, line, _ in sites}


def is_lost(contract: Contract) -> bool:
    """Neither the geometry nor the size of any memory is told by what the host code knows there."""
    geometry = [f.what for f in contract.facts if isinstance(f.what, Geometry)]
    dims = [d for each in geometry for d in (*each.grid, *each.block)]
    extents = [f.what.size for f in contract.facts if isinstance(f.what, Extent)]
    return any(map(_is_approximate, dims)) and all(map(_is_approximate, extents))


def _given_by_itself(contract: Contract) -> bool:
    """The grid comes from inputs that the kernel does not get."""
    facts = contract.facts
    passed = {s for f in facts if isinstance(f.what, Binding) for s in free_symbols(f.what.value)}
    sides = [side for f in facts if isinstance(f.what, Geometry) for side in f.what.grid if side is not None]
    symbols = {s for side in sides for s in free_symbols(side)}
    return bool(symbols) and symbols.isdisjoint(passed)


def _with_passed_values(contract: Contract) -> Contract:
    """Where grid and memory follow from lost values that the kernel gets as well, these are what somebody has chosen."""
    facts = contract.facts
    passed = {f.what.value for f in facts if isinstance(f.what, Binding)}
    sized = (Geometry, Extent)
    symbols = {s for f in facts if isinstance(f.what, sized) for t in all_terms(f.what) for s in free_symbols(t)}
    lost = sorted((s for s in symbols if _is_approximate(s)), key=lambda s: str(s.parts[0]))
    if not passed.issuperset(lost):
        return contract
    names = [str(s.parts[0]).removeprefix(APPROXIMATE).partition("#")[0] for s in lost]
    mapping: dict[Term, Term] = {
        old: symbol(f"{name}@{at}", *old.parts[1:]) for at, (old, name) in enumerate(zip(lost, names))
    }
    return replace(contract, facts=tuple(mapped(fact, lambda term: substitute(term, mapping)) for fact in facts))


def _grid(contract: Contract) -> tuple[Term | None, Term | None, Term | None]:
    return next((f.what.grid for f in contract.facts if isinstance(f.what, Geometry)), (None, None, None))


def _block(contract: Contract) -> tuple[Term, Term, Term] | None:
    block = next((f.what.block for f in contract.facts if isinstance(f.what, Geometry)), None)
    if block is None or any(side is None for side in block):
        return None
    return block  # type: ignore[return-value]


def _is_approximate(term: Term | None) -> bool:
    return term is None or any(str(s.parts[0]).startswith(APPROXIMATE) for s in free_symbols(term))
