"""Results that hang on shared memory which nothing has set, as two runs of one drawn launch show.

    if (i < n) tile[t] = x[i];  __syncthreads();  if (t == 0) { for (k < 128) sum += tile[k];  y[blockIdx.x] = sum; }

The runs differ in nothing but what shared memory holds before the kernel sets it: large numbers, or in a third run zeros, which
are below all others. Where a read of an element that nobody has set comes first and the global memory behind differs, the element
is used. Reads whose values come to nothing are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from cudalint import ir
from cudalint.analysis.initialisation.guarded_fills import guarded_fills
from cudalint.confirm.emulate.events import Event
from cudalint.confirm.emulate.formats import size_of
from cudalint.confirm.emulate.memory import OTHER_POISON
from cudalint.confirm.emulate.run import Outcome, run
from cudalint.confirm.emulate.undecided import nans
from cudalint.confirm.plan import CannotPlan, Expectation, make_plan
from cudalint.contract import Contract, ElementExtent, External
from cudalint.engine.drawn_races import small_launches, values_of_nobody
from cudalint.engine.draws import MOST_LIMITED, SIZES, Draw, draws, is_loose
from cudalint.finding import Witness
from cudalint.symbolic.issues import Analysis, UnsetElement
from cudalint.symbolic.model import MemoryObject

LAUNCHES = 4
MOST_THREADS = 1 << 12
STEP_LIMIT = 6_000
WORK_LIMIT = 1 << 22  # steps of single lanes
MEMORY_LIMIT = 1 << 27
_DYNAMIC = "dynamic shared memory"  # one array, whatever its names are
_OTHERS = (OTHER_POISON, 0)
_HARMLESS = ("overflow", "uninitialised")


def find_unset_in_runs(
    analysis: Analysis, unit: ir.Unit, kernel: ir.Function, contract: Contract, seed: int
) -> Iterator[UnsetElement]:
    """One for each array of which only the threads within the data set elements, at the first read of another."""
    unfit = any(isinstance(fact.what, ElementExtent | External) for fact in contract.facts)
    if unfit or contract.dead or analysis.contradictory or is_loose(contract):
        return
    told = {unset.object.name for unset in analysis.unset}
    arrays = _arrays(analysis, guarded_fills(kernel, contract.launch_site is not None) - told)
    limited = 0
    for place, (given, within) in enumerate(_launches(kernel, contract, seed) if arrays else ()):
        if not arrays or limited == MOST_LIMITED:
            return
        draw = replace(given, values={**values_of_nobody(kernel, within, place), **given.values})
        launched = partial(_run, unit, kernel, within, draw, seed)
        first = launched(None)
        limited += first is not None and first.status == "step_limit"
        for event in _shown(first, [partial(launched, poison) for poison in _OTHERS]):
            array = arrays.pop(event.access.place, None)
            if array is not None:
                access = event.access
                witness = Witness(draw.shape, dict(draw.values), access.block, access.thread, index=access.index)
                facts = tuple(fact.assumption() for fact in contract.facts if fact.span is not None)
                yield UnsetElement(access.span, array, witness, facts, seen=True)


def _launches(kernel: ir.Function, contract: Contract, seed: int) -> Iterator[tuple[Draw, Contract]]:
    """Sizes with last parts first; then those in which races are looked for, with blocks where nothing tells them."""
    if contract.launch_site is not None:
        found = draws(kernel, contract, seed, LAUNCHES, most_threads=MOST_THREADS, sizes=SIZES)
        yield from ((draw, contract) for draw in found)
    yield from small_launches(kernel, contract, seed)


def _arrays(analysis: Analysis, names: frozenset[str]) -> dict[str, MemoryObject]:
    objects = (o.object for o in analysis.obligations if o.object is not None)
    found = {o.name: o for o in objects if o.memory == "shared" and o.name in names}
    return {_DYNAMIC if each.dynamic else name: each for name, each in found.items()}


def _shown(first: Outcome | None, others: list[Callable[[], Outcome | None]]) -> list[Event]:
    """Reads of unset shared memory in a launch that is right otherwise and whose results hang on it."""
    if first is None or first.status != "finished" or any(event.kind not in _HARMLESS for event in first.events):
        return []
    unset = [event for event in first.events if event.kind == "uninitialised"]
    if not unset or any(event.detail != "shared" for event in unset):
        return []
    for again in others:
        second = again()
        if second is None or second.status != "finished":
            return []
        if any(_differs(name, first, second) for name in first.buffers):
            return unset
    return []


def _differs(name: str, first: Outcome, second: Outcome) -> bool:
    """The launches leave other results there; what is no number in both has bits that nobody decides."""
    one, other = first.buffers[name], second.buffers[name]
    if np.array_equal(one, other):
        return False
    stored = first.stored.get(name, set()) | second.stored.get(name, set())
    (leaf,) = stored if len(stored) == 1 else (None,)
    width = size_of(leaf) if isinstance(leaf, ir.Float) else 1
    if not isinstance(leaf, ir.Float) or len(one) % width:
        return True
    rows, others = one.reshape(-1, width), other.reshape(-1, width)
    both = np.broadcast_to((nans(rows, leaf) & nans(others, leaf)).reshape(-1), len(rows))
    return bool(((rows != others).any(axis=1) & ~both).any())


def _run(
    unit: ir.Unit, kernel: ir.Function, contract: Contract, draw: Draw, seed: int, poison: int | None
) -> Outcome | None:
    try:
        plan = make_plan(kernel, contract, draw.shape, draw.values, Expectation((), ()), seed)
    except CannotPlan:
        return None
    return run(
        unit, plan.kernel, plan.launch, (*plan.buffers, *plan.constants), seed=seed, step_limit=STEP_LIMIT,
        lane_limit=MOST_THREADS, memory_limit=MEMORY_LIMIT, work_limit=WORK_LIMIT, other_bits=poison is not None, poison=poison,
    )  # fmt: skip
