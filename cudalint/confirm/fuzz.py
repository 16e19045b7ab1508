"""Launches around a witness: the same contract with nearby sizes, so that one unlucky set of values is not the last word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cudalint.contract import Assume, Contract, Geometry
from cudalint.finding import Dim3, LaunchShape
from cudalint.term import Term, Undefined, evaluate

LARGEST_BLOCK = 1024


def nearby(
    contract: Contract, shape: LaunchShape, values: Mapping[str, int]
) -> Iterator[tuple[LaunchShape, dict[str, int]]]:
    """The witness itself, then each input one larger and twice as large where every assumption still holds."""
    yield shape, dict(values)
    geometry = next((f.what for f in contract.facts if isinstance(f.what, Geometry)), None)
    for name in sorted(values):
        for changed in (values[name] + 1, values[name] * 2):
            candidate = {**values, name: changed}
            moved = _shape(geometry, shape, candidate)
            if moved is not None and _holds(contract, moved, candidate):
                yield moved, candidate


def _shape(geometry: Geometry | None, shape: LaunchShape, values: Mapping[str, int]) -> LaunchShape | None:
    if geometry is None:
        return shape
    try:
        grid, block = _dims(geometry.grid, shape.grid, values), _dims(geometry.block, shape.block, values)
        shared = shape.shared if geometry.shared is None else evaluate(geometry.shared, values)
    except Undefined:
        return None
    threads = block[0] * block[1] * block[2]
    if min(*grid, *block) < 1 or threads > LARGEST_BLOCK:
        return None
    return LaunchShape(grid, block, shared)


def _dims(terms: tuple[Term | None, Term | None, Term | None], former: Dim3, values: Mapping[str, int]) -> Dim3:
    x, y, z = (old if term is None else evaluate(term, values) for term, old in zip(terms, former))
    return x, y, z


def _holds(contract: Contract, shape: LaunchShape, values: Mapping[str, int]) -> bool:
    launch = {f"gridDim.{axis}": size for axis, size in zip("xyz", shape.grid)}
    launch |= {f"blockDim.{axis}": size for axis, size in zip("xyz", shape.block)}
    known = {**values, **launch}
    for fact in contract.facts:
        if isinstance(fact.what, Assume):
            try:
                if not evaluate(fact.what.cond, known):
                    return False
            except Undefined:
                return False
    return True
