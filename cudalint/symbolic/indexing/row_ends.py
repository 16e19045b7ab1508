"""Places in a row that run into the next one, as another access or the place's own bound shows: no extent is needed.

    if (i < n) out[row * m + i] = in[row * n + i];       rows of n elements lie m apart, and m counts the rows
    for (k = 0; k <= n; k++) sum += in[row * n + k];     at k == n the next row begins

An offset is taken apart by what it is multiplied with: `(b * rows + r) * columns + c` has rows of `columns` places c, and `rows`
of them in each b. Where nothing keeps a place below the length of its row, one of two things tells that the length is wrong: the
place ends exactly there, or the length counts something else: another access has the same place in rows of the length that it is
kept below, or in rows where each place is as many elements, or the place counts one side of the grid and the length another.
Arrays whose rows another access takes to have that length are left out, and so is room for the most there may be.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from math import gcd

from cudalint.symbolic.issues import RowEnd
from cudalint.symbolic.model import ITERATION_PREFIX, Access, scope_of
from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.solver.effort import Effort
from cudalint.symbolic.solver.monomials import divided, monomials, product
from cudalint.symbolic.solver.parts import conjuncts
from cudalint.symbolic.solver.query import Solver
from cudalint.symbolic.solver.question import Query
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.verdicts.undecided import undecided_bounds
from cudalint.symbolic.walk.environment import DIMENSION_OF, Environment
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import (
    AtMostZero,
    Monomial,
    Number,
    Remainder,
    Sum,
    Symbol,
    Term,
    Undefined,
    add,
    at_most,
    free_symbols,
    ideal,
    negate,
    number,
    scale,
    substitute,
    symbol,
)

MOST_ASKED = 16  # questions about one kernel
_CAPACITY = re.compile(r"max|cap|pad|pitch|stride|total|alloc|(^|_)(ld|row_?step)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Product:
    """One part of an offset: `coefficient * sizes * places`, where sizes are the same for the whole launch."""

    coefficient: int
    sizes: Monomial
    places: Monomial


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """`place` is where an access lies in a row, and `length` how far the next one is, both counted in units of `unit` elements."""

    access: Access
    place: Term
    length: Term
    unit: Term


@dataclass(frozen=True, slots=True)
class _Bounds:
    """The sizes below which a place is, and those that it reaches and does not exceed."""

    below: frozenset[Term]
    up_to: frozenset[Term]


@dataclass(frozen=True, slots=True, eq=False)
class _Cause:
    """What the place goes up to, and the access that has rows of that length."""

    end: Term
    other: Access | None = None


class _Comparisons:
    """What the conditions on the ways of a kernel, and its launch, compare places with."""

    def __init__(self, accesses: Iterable[Access], environment: Environment) -> None:
        self._known: dict[Term, tuple[Term, int, Term] | None] = {}
        self._dimensions: dict[Term, Term] = {}
        self.counted: dict[Term, set[Term]] = {}  # by a size the places that it ends
        self.of_grid: dict[Term, Term] = {}  # by the number of the block the size of the grid
        for name, size in DIMENSION_OF.items():
            for axis in "xyz":
                place, end = environment.builtin(f"{name}.{axis}"), ideal(environment.builtin(f"{size}.{axis}"))
                self._dimensions[place] = end
                if name == "blockIdx":
                    self.of_grid[place] = end
                self.counted.setdefault(end, set()).add(place)
        for access in accesses:
            for moved, _, limit in self._on(access):
                self.counted.setdefault(limit, set()).add(_of_one_round(moved))

    def bounds(self, row: _Row) -> _Bounds:
        moved, added = _split(row.place)
        below = {end for place, end in self._dimensions.items() if place is row.place}
        if isinstance(row.place, Remainder):
            below.add(ideal(row.place.parts[1]))
        up_to: set[Term] = set()
        for place, constant, size in self._on(row.access):
            if place is moved and added - constant <= 0:
                (up_to if added == constant else below).add(size)
        return _Bounds(frozenset(below), frozenset(up_to - below))

    def _on(self, access: Access) -> Iterator[tuple[Term, int, Term]]:
        for part in (part for c in access.path for part in conjuncts(c.term)):
            if part not in self._known:
                self._known[part] = _comparison(part)
            found = self._known[part]
            if found is not None:
                yield found


def find_row_ends(walk: Walk, decider: Decider) -> Iterator[RowEnd]:
    """One for each place in rows of one length, where it is used first."""
    if walk.stopped or walk.environment.contract.dead:
        return
    open_ = undecided_bounds(walk)
    accesses = [a for a in walk.accesses if a.object.memory == "global"]
    if not any((a.span, a.object) in open_ for a in accesses):
        return
    rows = [row for access in accesses for row in _rows(access)]
    if not rows:
        return
    comparisons = _Comparisons(walk.accesses, walk.environment)
    known = [(row, comparisons.bounds(row)) for row in rows]
    lengths = {(row.access.object, row.length) for row, bounds in known if row.length in bounds.below}
    own = Decider(decider.environment, walk.axioms, Solver(Effort()), decider.blocks)
    told: set[tuple[Term, Term]] = set()
    asked = 0
    for row, bounds in known:
        key = _of_one_round(row.place), row.length
        if (row.access.span, row.access.object) not in open_ or key in told or asked >= MOST_ASKED:
            continue
        if (row.access.object, row.length) in lengths or not _is_size(row.length):
            continue
        cause = (
            _closed(row, bounds)
            or _twin(row, bounds, known, comparisons)
            or _other_side(row, bounds, comparisons)
            or _within(row, bounds, known)
        )
        if cause is None:
            continue
        asked += 1
        found = _beyond(row, cause, own)
        if found is not None:
            told.add(key)
            yield found


def _closed(row: _Row, bounds: _Bounds) -> _Cause | None:
    return _Cause(row.length) if row.length in bounds.up_to else None


def _twin(row: _Row, bounds: _Bounds, known: list[tuple[_Row, _Bounds]], comparisons: _Comparisons) -> _Cause | None:
    """Another array has the place in rows as long as the place goes, where the length of this row counts something else."""
    place = _of_one_round(row.place)
    if not comparisons.counted.get(row.length, set()) - {place} or row.length in bounds.below or _is_room(row.length):
        return None
    for other, ends in known:
        if other.length in ends.below and other.length in bounds.below and other.access.object is not row.access.object:
            if _of_one_round(other.place) is place and _is_size(other.length):
                return _Cause(other.length, other.access)
    return None


def _other_side(row: _Row, bounds: _Bounds, comparisons: _Comparisons) -> _Cause | None:
    """The place counts one side of the grid, and its row is as long as another side, whose number is not in the offset."""
    if row.length in bounds.below or row.place not in comparisons.of_grid:
        return None
    own = comparisons.of_grid[row.place]
    offset = free_symbols(row.access.offset)
    counts = [place for place, size in comparisons.of_grid.items() if size is row.length and place not in offset]
    return _Cause(own) if counts and _is_size(own) and own is not row.length else None


def _within(row: _Row, bounds: _Bounds, known: list[tuple[_Row, _Bounds]]) -> _Cause | None:
    """Another array has rows of the place that are made of as many elements for each place as this row is long.

    `x[(p * heads + h) * size + d]` and `y[p * size + h]`: who counts heads does not count what is in one. The rounds of two loops
    count the same where they end at the same size.
    """
    if row.length in bounds.below or _is_room(row.length):
        return None
    place, (moved, _) = _of_one_round(row.place), _split(row.place)
    for other, _ in known:
        if other.unit is row.length and other.length is not row.length and other.access.object is not row.access.object:
            alike = _split(other.place)[0] is moved or other.length in bounds.below
            if alike and _of_one_round(other.place) is place and _is_size(other.length):
                return _Cause(other.length, other.access)
    return None


def _beyond(row: _Row, cause: _Cause, decider: Decider) -> RowEnd | None:
    """Some thread comes to the next row with ordinary sizes."""
    beyond = at_most(row.length, row.place)
    path = list(dict.fromkeys(part for c in row.access.path for part in conjuncts(ideal(c.term))))
    terms, facts = decider.relevant(*path, beyond)
    question = [*map(ideal, terms), *path, beyond]
    if decider.solver.refutes(Query("beyond a row", tuple(question))):
        return None
    inputs = sorted(frozenset().union(*map(free_symbols, question)), key=lambda atom: atom.digest)
    model = decider.ordinary_model(question, inputs)
    if model is None:
        return None
    try:
        witness = decider.witness(model, row.place, row.length)
    except Undefined:
        return None
    access, other = row.access, cause.other
    twin = (other.span, other.object) if other is not None else None
    return RowEnd(
        access.span, access.object, access.kind, row.place, row.length, cause.end, witness, tuple(facts), twin
    )


# --- rows of an offset ---------------------------------------------------------------------------------------------------


def _rows(access: Access) -> Iterator[_Row]:
    """The rows that the offset is made of; none where a place is multiplied with two sizes, which are one by their sum."""
    products = list(_products(ideal(access.offset)))
    placed = [p for p in products if p.places]
    of_places = Counter(place for place, _ in {(p.places, p.sizes) for p in placed})
    if any(count > 1 for count in of_places.values()):
        return
    strides = dict.fromkeys(p.sizes for p in placed)
    for stride in strides:
        if not stride:
            continue
        lesser = [s for s in dict.fromkeys((*strides, ())) if s != stride and divided(stride, s) is not None]
        for inner in (s for s in lesser if not any(s != t and divided(t, s) is not None for t in lesser)):
            row = _row(access, products, stride, inner)
            if row is not None:
                yield row


def _row(access: Access, products: list[_Product], stride: Monomial, inner: Monomial) -> _Row | None:
    """The place in what lies `stride` apart, as it is counted in steps of `inner`."""
    outer = [p for p in products if p.places and p.sizes == stride]
    within = [
        (p, left)
        for p in products
        if divided(p.sizes, stride) is None and (left := divided(p.sizes, inner)) is not None
    ]
    if not any(p.places for p, _ in within) or any(left and not p.places for p, left in within):
        return None
    lesser = (p for p in products if divided(p.sizes, inner) is None)
    if any(not p.places for p, _ in within) and any(p.coefficient < 0 for p in lesser):
        return None  # `(row + 1) * n - m + i` need not be in the next row
    unit = gcd(*(p.coefficient for p, _ in within if p.places))
    step = gcd(*(p.coefficient for p in outer))
    if step % unit or any(p.coefficient % unit for p, _ in within):
        return None
    place = add(*(scale(product((*left, *p.places)), p.coefficient // unit) for p, left in within))
    length = divided(stride, inner)
    assert length is not None
    return _Row(access, place, scale(product(length), step // unit), product(inner))


def _products(offset: Term) -> Iterator[_Product]:
    for monomial, coefficient in monomials(offset):
        sizes = tuple(atom for atom in monomial if scope_of(atom) == "launch")
        yield _Product(coefficient, sizes, tuple(atom for atom in monomial if atom not in sizes))
    constant = _constant(offset)
    if constant:
        yield _Product(constant, (), ())


def _comparison(part: Term) -> tuple[Term, int, Term] | None:
    """`place + constant <= size`, without what both sides are multiplied with."""
    difference = ideal(part.parts[0]) if isinstance(part, AtMostZero) else None
    if not isinstance(difference, Sum):
        return None
    products = list(_products(difference))
    common = reduce(lambda a, b: a & b, (Counter(p.sizes) for p in products))
    shared = tuple(common.elements())
    parts = [(p, divided(p.sizes, shared) or ()) for p in products]
    moved = [scale(product((*left, *p.places)), p.coefficient) for p, left in parts if p.places]
    sizes = [scale(product(left), p.coefficient) for p, left in parts if not p.places and left]
    constant = sum(p.coefficient for p, left in parts if not p.places and not left)
    if not moved or not (sizes or constant):
        return None
    if not sizes:
        return add(*moved), 0, number(-constant)
    return add(*moved), constant, negate(add(*sizes))


def _is_size(length: Term) -> bool:
    """A product of sizes that callers choose."""
    atoms = free_symbols(length)
    return bool(atoms) and all(map(is_input, atoms)) and len(monomials(length)) == 1


def _is_room(length: Term) -> bool:
    """By its name it is the most that there may be, or how far rows lie apart whatever is in them."""
    names = (str(atom.parts[0]).rpartition(":")[2] for atom in free_symbols(length))
    return any(_CAPACITY.search(name) for name in names)


def _of_one_round(place: Term) -> Term:
    """The place with its iteration number under a name that it has in every loop."""
    moved, _ = _split(place)
    rounds = [a for a in free_symbols(moved) if isinstance(a, Symbol) and a.name.startswith(ITERATION_PREFIX)]
    return substitute(moved, {rounds[0]: symbol(ITERATION_PREFIX, 0, None, "thread")}) if len(rounds) == 1 else moved


def _split(place: Term) -> tuple[Term, int]:
    constant = _constant(place)
    return add(place, number(-constant)), constant


def _constant(term: Term) -> int:
    if isinstance(term, Sum):
        return term.constant
    return term.value if isinstance(term, Number) else 0
