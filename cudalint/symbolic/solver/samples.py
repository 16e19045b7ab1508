"""Models to try: those that earlier questions had, for threads and blocks of all kinds, and those of small values.

if (blockIdx.x * 256 + threadIdx.x < n) ... if (threadIdx.x == 0) ... if (lane == 31) ...

No reasoning excludes what has a model, so that none is asked for: to evaluate a path takes a hundredth of a query's time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from cudalint.symbolic.solver.computed_sizes import told_sizes
from cudalint.symbolic.solver.question import Model, nearest, satisfies
from cudalint.term import Symbol, Term, Undefined, free_symbols

SMALL_SIZES, SMALL_PLACES = (1, 2, 3, 5), (0, 1, 2, 3)
LARGE_SIZES = (1, 1 << 10, 1 << 12, 1 << 14, 1 << 15, 46_400, 1 << 16, 66_000, 1 << 17, 1 << 18, 1 << 20)
MOST_LARGE = 3
MOST_TRIED = 4000
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


def small_model(constraints: Iterable[Term], atoms: Iterable[Term]) -> Model | None:
    """A model of few small values, found by trying them; None where there are too many symbols to try."""
    constraints = list(constraints)
    symbols = sorted({s for each in (*constraints, *atoms) for s in free_symbols(each)}, key=lambda s: s.digest)
    named = [s for s in symbols if isinstance(s, Symbol)]
    if len(named) != len(symbols):
        return None
    computed = told_sizes(constraints)
    named.sort(key=lambda s: s in computed)
    tested = {s: [each for each in constraints if s in free_symbols(each)] for s in named}

    def values(symbol: Symbol, known: Mapping[str, int]) -> list[int]:
        if symbol not in computed:
            return _small_values(symbol, known)
        try:
            value = Model(dict(known), {}).value(computed[symbol])
        except Undefined:
            return []
        return [value] if nearest(symbol, value) == value else []

    return _extended({}, named, tested, [MOST_TRIED], values)


def large_model(
    violation: Term, constraints: Iterable[Term], atoms: Iterable[Term], ends: Mapping[str, Term]
) -> Model | None:
    """The same with large values for the sizes that the violation speaks of, and with threads all over the launch.

    `ends` has the number of blocks or threads of each side that a place in the launch lies below.
    """
    constraints, first = [violation, *constraints], free_symbols(violation)
    symbols = {s for each in (*constraints, *atoms) for s in free_symbols(each)}
    named = [s for s in symbols if isinstance(s, Symbol)]
    large = {s for s in named if s.scope == "launch" and s in first}
    if len(named) != len(symbols) or not 0 < len(large) <= MOST_LARGE:
        return None
    named.sort(key=lambda s: (s not in first, s.scope != "launch", s.scope == "thread", s.digest))
    tested = {s: [each for each in constraints if s in free_symbols(each)] for s in named}

    def values(symbol: Symbol, known: Mapping[str, int]) -> list[int]:
        if symbol in large:
            return list(dict.fromkeys(nearest(symbol, value) for value in LARGE_SIZES))
        if symbol.name not in ends:
            return _small_values(symbol, known)
        try:
            end = Model(dict(known), {}).value(ends[symbol.name])
        except Undefined:
            return []
        return list(dict.fromkeys(max(0, min(at, end - 1)) for at in (end - 1, end // 2, 0, 1)))

    return _extended({}, named, tested, [MOST_TRIED], values)


def _extended(
    values: dict[str, int],
    left: list[Symbol],
    tested: dict[Symbol, list[Term]],
    tries: list[int],
    choices: Callable[[Symbol, Mapping[str, int]], list[int]] | None = None,
) -> Model | None:
    """Values for one symbol after another, as long as the constraints hold that speak of none of the others."""
    if not left:
        return Model(values, {})
    symbol, *others = left
    open_ = frozenset(others)
    closed = [each for each in tested[symbol] if open_.isdisjoint(free_symbols(each))]
    for value in (choices or _small_values)(symbol, values):
        tries[0] -= 1
        if tries[0] < 0:
            return None
        model = Model({**values, symbol.name: value}, {})
        if satisfies(model, closed):
            found = _extended(model.values, others, tested, tries, choices)
            if found is not None:
                return found
    return None


def _small_values(symbol: Symbol, _: Mapping[str, int]) -> list[int]:
    values = SMALL_SIZES if symbol.scope == "launch" else SMALL_PLACES
    return list(dict.fromkeys(nearest(symbol, value) for value in values))
