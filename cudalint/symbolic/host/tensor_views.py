"""Sizes of what indexing and slicing give of a tensor, also where nothing tells how many dimensions that has.

    x[i], x.select(1, i)      without that dimension          x.narrow(0, s, n), x.slice(0, s, e)     with that one shorter
    x.unsqueeze(0)            with one more                   x.permute({1, 0}), x.flatten(0, 1), x.expand({4, -1})

A view begins with dimensions of its own and goes on with those of the tensor: `Follows` says from which one on.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from cudalint.symbolic.host.element_types import item_type
from cudalint.symbolic.host.shapes import Shapes
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import LARGEST_SIZE, Follows, Record, Sizes, Tensor, Value
from cudalint.symbolic.host_vocabulary import words
from cudalint.symbolic.walk import integers
from cudalint.term import (
    TRUE,
    All,
    Number,
    Term,
    add,
    at_most,
    choice,
    equal,
    interval,
    less,
    maximum,
    minimum,
    multiply,
    number,
    subtract,
    symbol,
)


def viewed(
    shapes: Shapes, name: str, tensor: Tensor, args: list[Value], label: str, storage: str, state: State
) -> Tensor | None:
    """What the method gives of the tensor; None where it is another one, or the dimension is chosen at run time."""
    view = _View(shapes, tensor, state)
    found: Follows | tuple[Term, ...] | None = None
    listed = args[1].dims if len(args) > 1 and isinstance(args[1], Sizes) else None
    if name in words().slices:
        args = _with_values(args)
    terms = [integers.as_integer(arg) for arg in args[1:] if isinstance(arg, Term)]
    if name in words().permutations:
        found = view.permuted(listed if listed is not None else tuple(terms))
    elif name in words().expansions:
        found = view.expanded(listed if listed is not None else tuple(terms))
    elif len(terms) < len(args) - 1:
        return None
    elif name in words().selections:
        found = view.selected(terms if len(terms) > 1 else [number(0), *terms])
    elif name in words().narrowings:
        found = view.narrowed(terms)
    elif name in words().slices:
        found = view.sliced(terms)
    elif name in words().insertions:
        found = view.inserted(terms)
    elif name in words().flattenings:
        found = view.flattened(terms)
    return None if found is None else view.made(found, label, storage, thin=name in words().thin_views)


def part_of(
    shapes: Shapes, tensor: Tensor, place: Term, length: Term, label: str, storage: str, state: State
) -> Tensor | None:
    """The view of a part of one dimension, of that length; it has the type of the tensor."""
    view = _View(shapes, tensor, state)
    at = view.place(place)
    if at is None:
        return None
    return replace(view.made(view.shortened(at, length), label, storage, thin=False), scalar_type=item_type(tensor))


class _View:
    def __init__(self, shapes: Shapes, tensor: Tensor, state: State) -> None:
        self._shapes, self._tensor, self._state = shapes, tensor, state
        self._whole = shapes.dims(tensor, state, None)
        self._count: Term | None = None
        self._ratio: tuple[Term, Term] | None = (
            None  # elements of the view times the first are those of the tensor times the second
        )
        self._thin = tensor.root().thin

    def made(self, found: Follows | tuple[Term, ...], label: str, storage: str, thin: bool) -> Tensor:
        if isinstance(found, Follows) and self._whole is not None:
            found = (*found.first, *self._whole[found.rest :])
        if isinstance(found, tuple):
            return Tensor(label, found, storage=storage, thin=thin or self._thin)
        count = self._count
        if count is None and self._ratio is not None:
            count = symbol(f"{label}.numel()", 0, LARGEST_SIZE)
            times, of = self._ratio
            self._state.assume(equal(multiply(count, times), multiply(self._all(), of)), "lasting")
        return Tensor(label, storage=storage, count=count, follows=found, thin=self._thin)

    def _all(self) -> Term:
        return self._shapes.count(self._tensor, self._state)

    def _size(self, place: int) -> Term:
        return integers.as_integer(self._shapes.size(self._tensor, [number(place)], self._state))  # type: ignore[arg-type]

    def place(self, term: Term) -> int | None:
        """The dimension that a number means; from the end only where the rank is known."""
        if not isinstance(term, Number):
            return None
        if term.value >= 0:
            return term.value if self._whole is None or term.value < len(self._whole) else None
        return None if self._whole is None or term.value + len(self._whole) < 0 else term.value + len(self._whole)

    def selected(self, terms: list[Term]) -> Follows | None:
        place = self.place(terms[0]) if len(terms) == 2 else None
        if place is None:
            return None
        self._ratio = self._size(place), number(1)
        self._spread(place)
        return Follows(tuple(map(self._size, range(place))), self._tensor, place + 1)

    def narrowed(self, terms: list[Term]) -> Follows | None:
        place = self.place(terms[0]) if len(terms) == 3 else None
        if place is None:
            return None
        _, start, length = terms
        self._state.assume(at_most(number(0), length), "lasting")
        low, _ = interval(start)
        if low is not None and low >= 0:  # a negative one counts from the end
            self._state.assume(at_most(add(start, length), self._size(place)), "lasting")
        return self.shortened(place, length)

    def sliced(self, terms: list[Term]) -> Follows | None:
        """From a first one to before another one, which is the end of the dimension where it is left out.

        One that is a variable is as a rule no further than the dimension, of which the view would only be as long.
        """
        place = self.place(terms[0]) if len(terms) >= 2 and terms[3:] in ([], [number(1)]) else None
        told = isinstance(terms[1], Number) or self._is_checked(terms[1]) if place is not None else False
        if place is None or not told or not all(isinstance(term, Number) for term in terms[2:3]):
            return None
        size = self._size(place)
        start, end = (_end(term, size) for term in (terms[1], *(terms[2:3] or (size,))))
        length = number(0) if _are_behind(terms[1:3]) else subtract(end, start)
        in_order = not terms[2:3] or at_most(start, end) is TRUE or length is number(0)
        return self.shortened(place, length if in_order else maximum(number(0), length))

    def _is_checked(self, start: Term) -> bool:
        """Whether it counts from the beginning of the dimension."""
        low, _ = interval(start)
        known = {
            part for c in self._state.path for part in (c.term, *(c.term.parts[0] if isinstance(c.term, All) else ()))
        }
        return (low is not None and low >= 0) or at_most(number(0), start) in known

    def shortened(self, place: int, length: Term) -> Follows:
        self._ratio = self._size(place), length
        self._spread(place)
        return Follows((*map(self._size, range(place)), length), self._tensor, place + 1)

    def _spread(self, place: int) -> None:
        """What a view leaves out of an inner dimension lies between its rows."""
        self._thin |= any(self._size(outer) is not number(1) for outer in range(place))

    def inserted(self, terms: list[Term]) -> Follows | None:
        term = terms[0] if len(terms) == 1 else None
        if not isinstance(term, Number) or (term.value < 0 and self._whole is None):
            return None
        place = term.value if term.value >= 0 else term.value + len(self._whole or ()) + 1
        if place < 0 or (self._whole is not None and place > len(self._whole)):
            return None
        self._count = self._all()
        return Follows((*map(self._size, range(place)), number(1)), self._tensor, place)

    def flattened(self, terms: list[Term]) -> Follows | tuple[Term, ...] | None:
        """All of it, or from one dimension to another."""
        if not terms or (len(terms) <= 2 and terms[0] is number(0) and terms[1:] in ([], [number(-1)])):
            return (self._all(),)
        places = [self.place(term) for term in terms]
        if len(places) != 2 or places[0] is None or places[1] is None or places[1] < places[0]:
            return None
        start, end = places[0], places[1]
        self._count = self._all()
        whole = reduce(multiply, map(self._size, range(start, end + 1)), number(1))
        return Follows((*map(self._size, range(start)), whole), self._tensor, end + 1)

    def permuted(self, order: tuple[Term, ...]) -> tuple[Term, ...] | None:
        """The list tells the rank as well."""
        rank = len(order)
        if not order or not all(isinstance(term, Number) for term in order):
            return None
        places = [term.value % rank for term in order if isinstance(term, Number)]
        if sorted(places) != list(range(rank)) or (self._whole is not None and len(self._whole) != rank):
            return None
        self._state.assume(equal(self._shapes.rank(self._tensor.root()), number(rank)), "lasting")
        return tuple(map(self._size, places))

    def expanded(self, sizes: tuple[Term, ...]) -> tuple[Term, ...] | None:
        """The sizes that are asked for; -1 keeps one, counted from the end."""
        kept = [place for place, size in enumerate(sizes) if not _is_size(size)]
        if not sizes or not all(sizes[place] is number(-1) for place in kept):
            return None
        if kept and (self._whole is None or len(self._whole) > len(sizes)):
            return None
        before = len(sizes) - len(self._whole or ())
        if any(place < before for place in kept):
            return None
        return tuple(self._size(place - before) if place in kept else size for place, size in enumerate(sizes))


def _are_behind(ends: list[Term]) -> bool:
    """Whether a slice ends before it begins, counted from one side."""
    values = [end.value for end in ends if isinstance(end, Number)]
    return len(values) == 2 and (values[0] < 0) == (values[1] < 0) and values[1] <= values[0]


def _end(term: Term, size: Term) -> Term:
    """Where a slice begins or ends: no further than the dimension, from the end of which a negative number counts."""
    from_end = maximum(number(0), add(size, term))
    return choice(less(term, number(0)), from_end, minimum(term, size))


def _with_values(args: list[Value]) -> list[Value]:
    """The arguments of a slice with what its optional ends hold; a last one without a value is left out."""
    found: list[Value] = []
    for arg in args:
        if isinstance(arg, Record) and arg.origin is None and not arg.members:
            return found  # no step is told behind an end that is left out but by one of 1
        engaged, value = (_member(arg, *name) for name in (("__engaged",), ("__stored", "__value")))
        found.append(value if isinstance(arg, Record) and engaged is TRUE and value is not None else arg)
    return found


def _member(value: Value, *name: str) -> Value | None:
    known = value.members.get((name, number(0))) if isinstance(value, Record) else None
    return None if known is None else known[1]


def _is_size(term: Term) -> bool:
    low, _ = interval(term)
    return low is not None and low >= 0
