"""Small launches inside a contract: sizes around warps and blocks first, by rejection, from one seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType

from cudalint import ir
from cudalint.compiled import Compiled, compiled
from cudalint.contract import Alignment, Assume, Binding, Chosen, Contract, Distinct, Extent, Geometry, Values, terms_of
from cudalint.finding import Dim3, LaunchShape
from cudalint.symbolic.host.narrow import Ranges
from cudalint.symbolic.solver.question import default
from cudalint.symbolic.whole_windows import windows_that_fit
from cudalint.term import (
    Flag,
    IsZero,
    Sum,
    Symbol,
    Term,
    Undefined,
    evaluator,
    free_symbols,
    interval,
    scale,
    subtract,
)

SIZES = (1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 129, 192, 255, 256, 257, 300, 511, 512,
         513, 768, 1000, 1023, 1024, 1025, 1920, 2048, 4096)  # fmt: skip
WHOLE_SIZES = (64, 128, 256, 512, 1024)  # of a problem without last parts
SMALLEST_SIZES = (1, 2, 3, 4, 5, 7, 8)  # of launches whose many sizes are multiplied
TRIES = 4_000
MOST_LIMITED = 2  # drawn launches that came to the step limit: others would, too
BARREN_TRIES = (
    1_000  # without a launch, behind which only the smallest sizes are tried; behind as many, none is expected
)
AT_LIMITS = 5  # one in so many tries has what the host code limits at its limit
BOUNDARIES_ALONE = 64  # tries of sizes from the list; then some lie between them
MOST_THREADS = 1 << 20
RESIDENT_THREADS = 1 << 14  # of a cooperative launch: a small device holds all of them at once
MOST_BYTES = 1 << 24
MOST_SHARED = 48 << 10
FREE_BLOCKS = (128, 256, 512, 64, 32)


@dataclass(frozen=True, slots=True)
class Draw:
    shape: LaunchShape
    values: dict[str, int]


def draws(
    kernel: ir.Function, contract: Contract, seed: int, count: int,
    fixed: Mapping[str, int | str] = MappingProxyType({}), most_threads: int = MOST_THREADS, sizes: tuple[int, ...] = SIZES,
    tries: int = TRIES,
) -> Iterator[Draw]:  # fmt: skip
    """At most `count` different launches that satisfy every fact; fewer where few small ones do.

    Inputs that `fixed` names have the value that it gives, or that of the input that it names.
    """
    launches, limits = Launches(contract, fixed), _limits(contract)
    choices = [_Choices.of(s, sizes, limits) for s in launches.symbols]
    if any(isinstance(fact.what, Geometry) and fact.what.cooperative for fact in contract.facts):
        most_threads = min(most_threads, RESIDENT_THREADS)
    source = random.Random(f"{seed}:{kernel.id}")
    seen: set[tuple[int, ...]] = set()
    for attempt in range(tries):
        if attempt == BARREN_TRIES and not seen:
            choices = [_Choices.of(s, SMALLEST_SIZES, limits) for s in launches.symbols]
        if attempt == 2 * BARREN_TRIES and not seen:
            return
        draw = launches.of({choice.name: choice.value(source, attempt) for choice in choices})
        if draw is None or threads(draw.shape) > most_threads:
            continue
        key = (*draw.shape.grid, *draw.shape.block, *draw.values.values())
        if key not in seen:
            seen.add(key)
            yield draw
        if len(seen) == count:
            return


class Launches:
    """The launches of a contract by the values of its inputs; those that `fixed` names are given by it."""

    def __init__(self, contract: Contract, fixed: Mapping[str, int | str] = MappingProxyType({})) -> None:
        bindings = {fact.what.parameter: fact.what.value for fact in contract.facts if isinstance(fact.what, Binding)}
        self._fixed = fixed
        self._passed = [(parameter, compiled(value)) for parameter, value in bindings.items()]
        self._equations = [(name, compiled(term)) for name, term in _equations(contract, fixed)]
        self._computed = [f.what for f in contract.facts if isinstance(f.what, Chosen)]
        self._check = _Check(contract)
        symbols = (s for s in _symbols(contract) if s.parts[0] not in bindings)
        self.symbols = sorted(symbols, key=lambda s: str(s.parts[0]))

    @property
    def free(self) -> list[Term]:
        """The inputs that nothing else decides."""
        given = {*self._fixed, *(name for name, _ in self._equations), *(what.name.name for what in self._computed)}
        return [symbol for symbol in self.symbols if symbol.parts[0] not in given]

    def of(self, chosen: Mapping[str, int]) -> Draw | None:
        """The launch with these values of the inputs, if it satisfies the contract and is small."""
        values = dict(chosen)
        values |= {name: values[given] if isinstance(given, str) else given for name, given in self._fixed.items()}
        self._solve(values)
        if self._computed:
            values |= _as_computed(self._computed, values)
            self._solve(values)
        return self._check.draw({**values, **_passed(self._passed, values)})

    def _solve(self, values: dict[str, int]) -> None:
        for name, term in self._equations:
            with suppress(Undefined):
                values[name] = term(values)

    def elements(self, draw: Draw) -> int:
        """Of all the memory that is known of the launch."""
        complete = {**draw.values, **_builtins(draw.shape)}
        return sum(extent(complete) for extent in self._check.extents)


def threads(shape: LaunchShape) -> int:
    """Of the whole grid."""
    total = 1
    for size in (*shape.grid, *shape.block):
        total *= size
    return total


def _equations(contract: Contract, fixed: Mapping[str, int | str]) -> list[tuple[str, Term]]:
    """Inputs that facts give in terms of others, in an order in which they can be worked out."""
    found: list[tuple[str, Term]] = []
    open_ = [
        fact.what.cond.parts[0]
        for fact in contract.facts
        if isinstance(fact.what, Assume) and isinstance(fact.what.cond, IsZero)
    ]
    given = set(fixed)
    for equation in open_:
        solved = _solved(equation, given, {str(s.parts[0]) for _, term in found for s in free_symbols(term)})
        if solved is not None:
            found.append(solved)
            given.add(solved[0])
    return found


def _solved(equation: Term, given: set[str], used: set[str]) -> tuple[str, Term] | None:
    """`x = rest` from an equation of which x is a term that occurs nowhere else in it."""
    if not isinstance(equation, Sum):
        return None
    for atoms, factor in equation.monomials:
        atom = atoms[0]
        if len(atoms) != 1 or abs(factor) != 1 or not isinstance(atom, Symbol) or str(atom.parts[0]) in given | used:
            continue
        rest = subtract(equation, scale(atom, factor))
        if atom not in free_symbols(rest):
            return str(atom.parts[0]), scale(rest, -factor)
    return None


def _as_computed(chosen: list[Chosen], values: Mapping[str, int]) -> dict[str, int]:
    """What the host computes from these inputs, where a fact has only a name for it."""
    value, found = evaluator(values, lambda atom, _: default(atom)), dict[str, int]()
    for what in chosen:
        with suppress(Undefined):
            found[what.name.name] = value(what.value)
    return found


def _passed(bindings: list[tuple[str, Compiled]], values: Mapping[str, int]) -> dict[str, int]:
    """Facts may speak of a parameter by its own name: it is what the launch passes."""
    passed: dict[str, int] = {}
    for parameter, term in bindings:
        with suppress(Undefined):
            passed[parameter] = term(values)
    return passed


def is_loose(contract: Contract) -> bool:
    """Some fact speaks of a value that the host code did not tell."""
    return any(name.startswith("~") or name.endswith("~") or "#" in name for name in names_in(contract))


def _limits(contract: Contract) -> Ranges:
    """What the facts say of single inputs."""
    found = Ranges()
    for fact in contract.facts:
        if isinstance(fact.what, Assume):
            found.learn(fact.what.cond)
    return found


def names_in(contract: Contract) -> set[str]:
    """The names of all that the facts speak of."""
    return {str(symbol.parts[0]) for symbol in _symbols(contract)}


def _symbols(contract: Contract) -> set[Term]:
    terms: list[Term] = []
    for fact in contract.facts:
        terms += terms_of(fact.what)
    atoms = {atom for term in terms for atom in free_symbols(term) if isinstance(atom, Symbol | Flag)}
    return {atom for atom in atoms if not str(atom.parts[0]).startswith(("gridDim.", "blockDim."))}


@dataclass(frozen=True, slots=True)
class _Choices:
    """The sizes that an input may have: all that fit, and the smaller half of them for every other launch."""

    name: str
    is_flag: bool
    fitting: tuple[int, ...]
    small: tuple[int, ...]
    otherwise: int
    has_between: bool
    most: int | None  # where the host code says what it may be at most

    @staticmethod
    def of(symbol: Term, sizes: tuple[int, ...], limits: Ranges) -> _Choices:
        low, high = limits.of(symbol) if isinstance(symbol, Symbol) else interval(symbol)
        fitting = tuple(s for s in sizes if (low is None or s >= low) and (high is None or s <= high))
        small = fitting[: max(4, len(fitting) // 2)]
        otherwise = low if low is not None else high if high is not None else 1
        most = high if high is not None and fitting and high <= sizes[-1] else None
        return _Choices(str(symbol.parts[0]), isinstance(symbol, Flag), fitting, small, otherwise, sizes is SIZES, most)

    def value(self, source: random.Random, attempt: int) -> int:
        if self.is_flag:
            return source.randrange(2)
        if self.most is not None and attempt % AT_LIMITS == AT_LIMITS - 1:
            return self.most
        chosen = self.small if attempt % 2 else self.fitting
        if not chosen:
            return self.otherwise
        if self.has_between and attempt >= BOUNDARIES_ALONE and attempt % 4 == 3:
            return source.randint(chosen[0], chosen[-1])
        return source.choice(chosen)


class _Check:
    """What the facts of a contract ask of a launch, ready for thousands of draws."""

    def __init__(self, contract: Contract) -> None:
        whats = [fact.what for fact in contract.facts]
        self.geometry = next((what for what in whats if isinstance(what, Geometry)), None)
        self.grid = _sides(self.geometry.grid) if self.geometry is not None else ()
        self.block = _sides(self.geometry.block) if self.geometry is not None else ()
        self.shared = _optional(self.geometry.shared if self.geometry is not None else None)
        told = [term for what in whats for term in terms_of(what)]
        self.conditions = [compiled(what.cond) for what in whats if isinstance(what, Assume)]
        self.conditions += [compiled(fits) for fits in windows_that_fit(told)]
        self.extents = [compiled(what.size) for what in whats if isinstance(what, Extent)]
        self.ranges = [(compiled(what.low), compiled(what.high)) for what in whats if isinstance(what, Values)]
        self.distinct = [_room(contract, what) for what in whats if isinstance(what, Distinct)]
        self.is_possible = not any(isinstance(what, Alignment) and what.bytes > 256 for what in whats)

    def draw(self, values: Mapping[str, int]) -> Draw | None:
        """The draw if it satisfies the contract and is small."""
        try:
            shape = self._shape(values)
            if shape is None or not self.is_possible:
                return None
            complete = {**values, **_builtins(shape)}
            if not all(condition(complete) for condition in self.conditions):
                return None
            sizes = [extent(complete) for extent in self.extents]
            if min(sizes, default=0) < 0 or any(low(complete) >= high(complete) for low, high in self.ranges):
                return None
            if not all(fits(complete) for fits in self.distinct):
                return None
        except Undefined:
            return None
        return Draw(shape, dict(values)) if 8 * sum(sizes) <= MOST_BYTES else None

    def _shape(self, values: Mapping[str, int]) -> LaunchShape | None:
        if self.geometry is None:
            return LaunchShape((2, 1, 1), (128, 1, 1))
        block = _dims(self.block, values, (FREE_BLOCKS[0], 1, 1))
        grid = _dims(self.grid, {**values, **_builtins(LaunchShape((1, 1, 1), block))}, (2, 1, 1))
        shared = self.shared(values) if self.shared is not None else 0
        threads = block[0] * block[1] * block[2]
        fits = min(*grid, *block) >= 1 and threads <= 1024 and block[2] <= 64 and max(grid[1:]) <= 65535
        if not fits or grid[0] * grid[1] * grid[2] * threads > MOST_THREADS or not 0 <= shared <= MOST_SHARED:
            return None
        return LaunchShape(grid, block, shared)


def _room(contract: Contract, what: Distinct) -> Callable[[Mapping[str, int]], bool]:
    """Whether the promised range holds as many values as the array has elements."""
    facts = [fact.what for fact in contract.facts]
    limits = next((f for f in facts if isinstance(f, Values) and f.pointer == what.pointer), None)
    extent = next((f for f in facts if isinstance(f, Extent) and f.pointer == what.pointer), None)
    if limits is None or extent is None or what.exempt is not None:
        return lambda values: True
    size, low, high = compiled(extent.size), compiled(limits.low), compiled(limits.high)
    return lambda values: size(values) <= high(values) - low(values)


def _sides(terms: tuple[Term | None, ...]) -> tuple[Compiled | None, ...]:
    return tuple(_optional(term) for term in terms)


def _optional(term: Term | None) -> Compiled | None:
    return compiled(term) if term is not None else None


def _dims(terms: tuple[Compiled | None, ...], values: Mapping[str, int], free: Dim3) -> Dim3:
    x, y, z = (term(values) if term is not None else default for term, default in zip(terms, free))
    return x, y, z


def _builtins(shape: LaunchShape) -> dict[str, int]:
    return {f"{name}.{axis}": size for name, dims in (("gridDim", shape.grid), ("blockDim", shape.block))
            for axis, size in zip("xyz", dims)}  # fmt: skip
