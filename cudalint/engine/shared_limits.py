"""Dynamic shared memory of launches where nothing raises its limit: a launch that asks for more never runs.

k<<<blocks, 128, rows * sizeof(float)>>>(x, rows);      // rows <= 12288, unless cudaFuncSetAttribute says so
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cudalint import ir
from cudalint.analysis.launch.raised_limits import mentions_limits, sets_limits
from cudalint.contract import Assume, Contract, Fact, Geometry, Origin
from cudalint.frontend.lexical import blank
from cudalint.project.callers import Neighbour
from cudalint.project.discovery import PYTHON_ENDINGS, read_source
from cudalint.source import SourceFile
from cudalint.symbolic.host.demands import UNRAISED_SHARED
from cudalint.term import Number, at_most, number

_TEXT = (
    f"no more than {UNRAISED_SHARED >> 10} KiB of dynamic shared memory, since no cudaFuncSetAttribute raises the limit"
)


def with_unraised_limits(
    launches: dict[str, tuple[Contract, ...]],
    units: Iterable[ir.Unit],
    texts: Iterable[SourceFile],
    neighbours: Iterable[Neighbour],
) -> dict[str, tuple[Contract, ...]]:
    """The contracts, those with a computed size of shared memory limited to what a kernel gets without a word."""
    if not any(_computed(each) for found in launches.values() for each in found):
        return launches
    told = tuple(texts)
    if any(each.path.endswith(PYTHON_ENDINGS) or _mentions_limits(each) for each in told) or any(
        sets_limits(unit) for unit in units
    ):
        return launches
    if any(_may_mention_limits(each) for each in neighbours):
        return launches
    return {kernel: tuple(map(_limited, found)) for kernel, found in launches.items()}


def _may_mention_limits(neighbour: Neighbour) -> bool:
    """What cannot be read may do so, and so may Python: its libraries have ways of their own."""
    if neighbour.declares:
        return False
    if neighbour.path.endswith(PYTHON_ENDINGS):
        return True
    try:
        source = read_source(neighbour.path, neighbour.path)
    except OSError:
        return True
    return source is None or _mentions_limits(source)


def _mentions_limits(source: SourceFile) -> bool:
    return mentions_limits(blank(source.text).plain)


def _computed(contract: Contract) -> list[Fact]:
    return [
        fact
        for fact in contract.facts
        if isinstance(fact.what, Geometry)
        and fact.what.shared is not None
        and not isinstance(fact.what.shared, Number)
        and fact.origin is Origin.LAUNCH
    ]


def _limited(contract: Contract) -> Contract:
    shared = (fact.what.shared for fact in _computed(contract) if isinstance(fact.what, Geometry))
    limits = (at_most(size, number(UNRAISED_SHARED)) for size in shared if size is not None)
    facts = (Fact(Assume(limit), Origin.LIMIT, _TEXT) for limit in limits)
    return replace(contract, facts=(*contract.facts, *facts))
