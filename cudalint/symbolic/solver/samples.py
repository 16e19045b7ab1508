"""Models that earlier questions had, for threads and blocks of all kinds: a condition that one of them meets is met by something.

if (blockIdx.x * 256 + threadIdx.x < n) ... if (threadIdx.x == 0) ... if (lane == 31) ...

No reasoning excludes what has a model, so that none is asked for: to evaluate a path takes a hundredth of a query's time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cudalint.symbolic.solver.question import Model, satisfies
from cudalint.term import Symbol, Term, free_symbols

PLACES: tuple[tuple[int, int], ...] = (
    (0, 0),
    (1, 0),
    (0, 1),
    (31, 0),
    (32, 0),
    (33, 1),
    (64, 2),
    (255, 0),
)  # thread, block


def has_model(constraints: tuple[Term, ...], models: Iterable[Model]) -> bool:
    """Whether one of the models, or one of them at another place in the launch, satisfies all constraints."""
    places = _places(constraints)
    return any(satisfies(sample, constraints) for model in models for sample in _samples(model, places))


def _places(constraints: tuple[Term, ...]) -> list[dict[str, int]]:
    """Values of the thread's own symbols, which say where it is."""
    symbols = frozenset().union(*map(free_symbols, constraints))
    threads = sorted(s.name for s in symbols if isinstance(s, Symbol) and s.name.startswith("threadIdx."))
    blocks = sorted(s.name for s in symbols if isinstance(s, Symbol) and s.name.startswith("blockIdx."))
    found = [dict.fromkeys(threads, thread) | dict.fromkeys(blocks, block) for thread, block in PLACES]
    return list({tuple(place.items()): place for place in found}.values())


def _samples(model: Model, places: list[dict[str, int]]) -> Iterator[Model]:
    yield model
    for place in places:
        if any(model.values.get(name) != value for name, value in place.items()):
            yield Model(model.values | place, model.applications)
