"""Small launches inside a contract: sizes around warps and blocks first, by rejection, from one seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType

from cudalint import ir
from cudalint.contract import Alignment, Assume, Binding, Contract, Distinct, Extent, Geometry, Nullable, Values
from cudalint.finding import Dim3, LaunchShape
from cudalint.term import (
    Flag,
    IsZero,
    Sum,
    Symbol,
    Term,
    Undefined,
    evaluate,
    free_symbols,
    interval,
    scale,
    subtract,
)

SIZES = (1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 129, 192, 255, 256, 257, 300, 511, 512,
         513, 768, 1000, 1023, 1024, 1025, 1920, 2048, 4096)  # fmt: skip
WHOLE_SIZES = (64, 128, 256, 512, 1024)  # of a problem without last parts
TRIES = 4_000
BARREN_TRIES = 1_000  # without a launch, behind which none is expected any more
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
    bindings = {fact.what.parameter: fact.what.value for fact in contract.facts if isinstance(fact.what, Binding)}
    equations = _equations(contract, fixed)
    symbols = sorted((s for s in _symbols(contract) if s.parts[0] not in bindings), key=lambda s: str(s.parts[0]))
    if any(isinstance(fact.what, Geometry) and fact.what.cooperative for fact in contract.facts):
        most_threads = min(most_threads, RESIDENT_THREADS)
    source = random.Random(f"{seed}:{kernel.id}")
    seen: set[tuple[int, ...]] = set()
    for attempt in range(tries):
        if attempt == BARREN_TRIES and not seen:
            return
        values = {str(s.parts[0]): _value(s, source, attempt, sizes) for s in symbols}
        values |= {name: values[given] if isinstance(given, str) else given for name, given in fixed.items()}
        for name, term in equations:
            with suppress(Undefined):
                values[name] = evaluate(term, values)
        values |= _passed(bindings, values)
        draw = _checked(contract, values)
        if draw is None or _threads(draw.shape) > most_threads:
            continue
        key = (*draw.shape.grid, *draw.shape.block, *draw.values.values())
        if key not in seen:
            seen.add(key)
            yield draw
        if len(seen) == count:
            return


def _threads(shape: LaunchShape) -> int:
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


def _passed(bindings: Mapping[str, Term], values: Mapping[str, int]) -> dict[str, int]:
    """Facts may speak of a parameter by its own name: it is what the launch passes."""
    passed: dict[str, int] = {}
    for parameter, term in bindings.items():
        with suppress(Undefined):
            passed[parameter] = evaluate(term, values)
    return passed


def names_in(contract: Contract) -> set[str]:
    """The names of all that the facts speak of."""
    return {str(symbol.parts[0]) for symbol in _symbols(contract)}


def _symbols(contract: Contract) -> set[Term]:
    terms: list[Term] = []
    for fact in contract.facts:
        terms += _terms(fact.what)
    atoms = {atom for term in terms for atom in free_symbols(term) if isinstance(atom, Symbol | Flag)}
    return {atom for atom in atoms if not str(atom.parts[0]).startswith(("gridDim.", "blockDim."))}


def _terms(what: object) -> list[Term]:
    match what:
        case Extent():
            return [what.size, *([what.offset] if what.offset is not None else [])]
        case Geometry():
            return [term for term in (*what.grid, *what.block, what.shared) if term is not None]
        case Assume():
            return [what.cond]
        case Binding():
            return [what.value]
        case Values():
            return [what.low, what.high]
        case Nullable():
            return [what.present] if what.present is not None else []
        case _:
            return []


def _value(symbol: Term, source: random.Random, attempt: int, sizes: tuple[int, ...]) -> int:
    if isinstance(symbol, Flag):
        return source.randrange(2)
    low, high = interval(symbol)
    fitting = [s for s in sizes if (low is None or s >= low) and (high is None or s <= high)]
    small = fitting[: max(4, len(fitting) // 2)] if attempt % 2 else fitting
    if small and sizes is SIZES and attempt >= BOUNDARIES_ALONE and attempt % 4 == 3:
        return source.randint(small[0], small[-1])
    if small:
        return source.choice(small)
    return low if low is not None else high if high is not None else 1


def _checked(contract: Contract, values: Mapping[str, int]) -> Draw | None:
    """The draw if it satisfies the contract and is small."""
    try:
        shape = _shape(contract, values)
        if shape is None:
            return None
        complete = {**values, **_builtins(shape)}
        bytes_needed = 0
        for fact in contract.facts:
            what = fact.what
            if isinstance(what, Assume) and not evaluate(what.cond, complete):
                return None
            if isinstance(what, Extent):
                size = evaluate(what.size, complete)
                if size < 0:
                    return None
                bytes_needed += size * 8
            if isinstance(what, Values) and evaluate(what.low, complete) >= evaluate(what.high, complete):
                return None
            if isinstance(what, Distinct) and not _enough(contract, what, complete):
                return None
            if isinstance(what, Alignment) and what.bytes > 256:
                return None
    except Undefined:
        return None
    return Draw(shape, dict(values)) if bytes_needed <= MOST_BYTES else None


def _enough(contract: Contract, what: Distinct, values: Mapping[str, int]) -> bool:
    """Whether the promised range holds as many values as the array has elements."""
    facts = [fact.what for fact in contract.facts]
    limits = next((f for f in facts if isinstance(f, Values) and f.pointer == what.pointer), None)
    extent = next((f for f in facts if isinstance(f, Extent) and f.pointer == what.pointer), None)
    if limits is None or extent is None or what.exempt is not None:
        return True
    return evaluate(extent.size, values) <= evaluate(limits.high, values) - evaluate(limits.low, values)


def _shape(contract: Contract, values: Mapping[str, int]) -> LaunchShape | None:
    geometry = next((fact.what for fact in contract.facts if isinstance(fact.what, Geometry)), None)
    if geometry is None:
        return LaunchShape((2, 1, 1), (128, 1, 1))
    block = _dims(geometry.block, values, (FREE_BLOCKS[0], 1, 1))
    grid = _dims(geometry.grid, {**values, **_builtins(LaunchShape((1, 1, 1), block))}, (2, 1, 1))
    shared = evaluate(geometry.shared, values) if geometry.shared is not None else 0
    threads = block[0] * block[1] * block[2]
    fits = min(*grid, *block) >= 1 and threads <= 1024 and block[2] <= 64 and max(grid[1:]) <= 65535
    if not fits or grid[0] * grid[1] * grid[2] * threads > MOST_THREADS or not 0 <= shared <= MOST_SHARED:
        return None
    return LaunchShape(grid, block, shared)


def _dims(terms: tuple[Term | None, ...], values: Mapping[str, int], free: Dim3) -> Dim3:
    x, y, z = (evaluate(term, values) if term is not None else default for term, default in zip(terms, free))
    return x, y, z


def _builtins(shape: LaunchShape) -> dict[str, int]:
    return {f"{name}.{axis}": size for name, dims in (("gridDim", shape.grid), ("blockDim", shape.block))
            for axis, size in zip("xyz", dims)}  # fmt: skip
