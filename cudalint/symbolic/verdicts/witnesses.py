"""Ordinary launches and inputs for which something fails, within the memory of a device."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from cudalint.finding import Witness
from cudalint.symbolic.model import MEMORY_PREFIX, MemoryObject, Obligation, base_name
from cudalint.symbolic.ordinary import (
    DEVICE_BYTES,
    ERROR_BYTES,
    LARGEST,
    SMALL_LIMITS,
    is_input,
    is_ordinary_input,
    ordinary_block,
    ordinary_grid,
    ordinary_inputs,
    ordinary_launches,
    small_inputs,
)
from cudalint.symbolic.solver.question import SMALL_STEPS, Model, Query
from cudalint.symbolic.solver.samples import large_model, small_model
from cudalint.symbolic.solver.shifts import shifts_that_are_defined
from cudalint.symbolic.verdicts.checked import contents_in, guard_parts, without
from cudalint.symbolic.verdicts.choices import as_computed, is_as_computed
from cudalint.symbolic.verdicts.facts import is_large_choice, is_lost_argument
from cudalint.symbolic.verdicts.launched_work import usual_shares
from cudalint.symbolic.verdicts.other_rows import rows_of_other_length
from cudalint.symbolic.verdicts.possible import at_their_limits, possible, tensors
from cudalint.symbolic.verdicts.ties import Ties
from cudalint.symbolic.verdicts.touched import Needs, are_long_enough, fits, to_allocate
from cudalint.symbolic.walk.environment import DIMENSION_OF
from cudalint.symbolic.whole_windows import windows_that_fit
from cudalint.term import (
    Apply,
    Choice,
    Flag,
    Number,
    Quotient,
    Remainder,
    Symbol,
    Term,
    Undefined,
    add,
    at_most,
    conjunction,
    equal,
    free_symbols,
    ideal,
    interval,
    number,
    rewrite,
    subterms,
)

MOST_WITNESSES = 7  # that turn out to need more memory than there is, or not to be possible


@dataclass(slots=True)
class Witnesses(Ties):
    """Searches for the least surprising launch that shows a violation."""

    def _ordinary(self, obligation: Obligation, path: Term, violation: Term) -> Model | None:
        """A witness among ordinary inputs and launches, as small as the limits of the table permit."""
        facts, _ = self.relevant(path, violation)
        atoms = sorted(frozenset().union(*(free_symbols(t) for t in (*facts, path, violation))), key=lambda t: t.digest)
        asked = [*facts, path, violation]
        if obligation.kind == "overflow" and not self.environment.launch_known:
            asked.append(ideal(path))  # else it is the launch that has more threads than there are elements
        asked += [*_not_empty(obligation), *windows_that_fit(asked), *shifts_that_are_defined(asked)]
        if obligation.object is not None and obligation.object.memory == "shared":
            asked += ordinary_lost(atoms)  # global memory is as large as whoever lost its size makes it
        model = self._fitting(obligation, asked, atoms)
        if model is not None and (self._needed(obligation, model) or 0) > ERROR_BYTES:
            less = self._fitting(obligation, asked, atoms, ERROR_BYTES)
            if less is not None and self._is_possible(obligation, less) >= self._is_possible(obligation, model):
                return less
        return model

    def _is_possible(self, obligation: Obligation, model: Model) -> bool:
        """The arrays are as long as the whole launch reaches."""
        return are_long_enough(self._touched(obligation, model), model)

    def _ordinary_near(self, obligation: Obligation, path: Term, violation: Term, model: Model) -> Model | None:
        """An ordinary witness at or beside one that was found, where the search for any was too hard.

        Inputs that are ordinary there keep their values, which makes products of sizes linear; the others are free.
        """
        if not self.environment.launch_known:
            return None
        facts, _ = self.relevant(path, violation)
        atoms = sorted(frozenset().union(*(free_symbols(t) for t in (*facts, path, violation))), key=lambda t: t.digest)
        kept = [equal(a, number(model.value(a))) for a in atoms if is_ordinary_input(a, model.value(a))]
        if not kept:
            return None
        asked = [*facts, path, violation, *kept, *_not_empty(obligation)]
        return self._fitting(obligation, [*asked, *windows_that_fit(asked), *shifts_that_are_defined(asked)], atoms)

    def _of_small_values(self, obligation: Obligation, path: Term, violation: Term) -> Model | None:
        """A witness of few small values, where the search for an ordinary one was too hard; of an overflow there is none."""
        if obligation.kind == "overflow":
            return None
        facts, _ = self.relevant(path, violation)
        atoms = sorted(frozenset().union(*(free_symbols(t) for t in (*facts, path, violation))), key=lambda t: t.digest)
        asked = [*facts, path, violation, *_not_empty(obligation)]
        return self.tried_model([*asked, *windows_that_fit(asked), *shifts_that_are_defined(asked)], atoms)

    def _of_large_values(self, obligation: Obligation, path: Term, violation: Term) -> Model | None:
        """A witness of an overflow of a known launch among large sizes and places all over it, found by trying."""
        if obligation.kind != "overflow" or not self.environment.launch_known:
            return None
        facts, _ = self.relevant(path, violation)
        atoms = sorted(frozenset().union(*(free_symbols(t) for t in (*facts, path, violation))), key=lambda t: t.digest)
        told = frozenset().union(*(free_symbols(fact.term) for fact in self.environment.facts))
        known = sorted({*atoms, *told}, key=lambda t: t.digest)
        asked = [*facts, path, *_not_empty(obligation), *possible(obligation, known, self.environment)]
        asked += [at_most(whole, number(DEVICE_BYTES)) for whole in tensors(known)]
        base, atoms = self._ordinary_base(asked, atoms, self._memory_limit(obligation.footprint))
        sides = {f"{place}.{axis}": f"{of}.{axis}" for place, of in DIMENSION_OF.items() for axis in "xyz"}
        ends = {place: self.environment.builtin(side) for place, side in sides.items()}
        model = large_model(violation, base, atoms, ends)
        if model is None or not is_as_computed(self.environment.contract, model):
            return None
        return model if self._is_possible(obligation, model) else None

    def _fitting(
        self, obligation: Obligation, asked: list[Term], atoms: list[Term], memory: int = DEVICE_BYTES
    ) -> Model | None:
        """An ordinary model; of an overflow one that is possible, with arrays that fit as far as the whole launch reaches."""
        left: list[Term] = []
        if obligation.kind == "overflow":
            told = frozenset().union(*(free_symbols(fact.term) for fact in self.environment.facts))
            known = sorted({*atoms, *told}, key=lambda t: t.digest)
            left = possible(obligation, known, self.environment)
            left += [at_most(whole, number(memory)) for whole in tensors(known)]
        fitting: Model | None = None
        linear: list[Term] = []  # what makes products linear, where the search for any witness is too hard
        for _ in range(MOST_WITNESSES):
            model = self.ordinary_model(asked, atoms, obligation.footprint, memory)
            if model is None and linear:
                model = self.ordinary_model([*asked, *linear], atoms, obligation.footprint, memory)
            if model is None:
                break
            missed = [fact for fact in left if not model.holds(fact)]
            if missed:
                asked, left = [*asked, *missed], [fact for fact in left if fact not in missed]
                linear = [*at_their_limits(missed), *usual_shares(missed)]
                continue
            if (self._needed(obligation, model) or 0) <= memory:
                fitting = model
                if self._is_possible(obligation, model):
                    break
            touched = self._touched(obligation, model)
            asked, linear = [*asked, fits(touched, self._bytes(), memory)], self._rows_of(model, atoms)
        return fitting

    def _rows_of(self, model: Model, atoms: list[Term]) -> list[Term]:
        """Ordinary inputs keep their values; how large the launch is stays open."""
        kept = [a for a in atoms if a not in self._geometry() and is_ordinary_input(a, model.value(a))]
        return [equal(a, number(model.value(a))) for a in kept]

    def _touched(self, obligation: Obligation, model: Model) -> Needs:
        return self.touched.needs(model) if self.touched is not None and obligation.kind == "overflow" else {}

    def _needed(self, obligation: Obligation, model: Model) -> int | None:
        """The bytes of all arguments whose extents are known, and of what the access itself needs where its is not.

        For an overflow what the whole launch needs, where that is more.
        """
        touched = self._touched(obligation, model)
        wholes = [add(*to_allocate(touched), self._bytes() or number(0))] if touched else []
        totals = [total for total in (self._bytes(obligation.footprint), *wholes) if total is not None]
        try:
            return max((model.value(total) for total in totals), default=None)
        except Undefined:  # a size that the query did not ask about is a quotient by zero
            return None

    def ordinary_model(
        self, constraints: list[Term], atoms: list[Term], footprint: Term | None = None, memory: int = DEVICE_BYTES
    ) -> Model | None:
        """A model of the constraints with ordinary values for the inputs among `atoms`, and arguments that fit."""
        base, atoms = self._ordinary_base(constraints, atoms, self._memory_limit(footprint, memory))
        if not self.environment.launch_known:
            return self._ordinary_launch(base, atoms)
        dimensions = self.environment.builtin("blockDim.x"), self.environment.builtin("gridDim.x")
        base += [*ordinary_block(dimensions[0]), *ordinary_grid(dimensions[1])]
        model = self._smallest(base, atoms)
        contract = self.environment.contract
        if model is None or is_as_computed(contract, model):
            return model
        for there in as_computed(contract, model):
            model = self.solver.find(Query("as computed", (*base, *there), SMALL_STEPS))
            if model is not None and is_as_computed(contract, model):
                return model
        return None

    def tried_model(self, constraints: list[Term], atoms: list[Term]) -> Model | None:
        """The same of a known launch, by trying small values: what products make hard for a solver often has small models."""
        if not self.environment.launch_known:
            return None
        base, atoms = self._ordinary_base(constraints, atoms, self._memory_limit())
        model = small_model(base, atoms)
        return model if model is not None and is_as_computed(self.environment.contract, model) else None

    def _ordinary_base(
        self, constraints: list[Term], atoms: list[Term], limit: list[Term]
    ) -> tuple[list[Term], list[Term]]:
        facts = [f.term for f in self.environment.facts]
        atoms = sorted({*atoms, *frozenset().union(*map(free_symbols, facts))}, key=lambda t: t.digest)
        left_open = self._sizes_left_to_callers()
        limited = [atom for atom in atoms if atom not in left_open]
        return [*dict.fromkeys((*constraints, *facts)), *ordinary_inputs(limited), *limit], atoms

    def _ordinary_launch(self, base: list[Term], atoms: list[Term]) -> Model | None:
        """It has to go wrong under every ordinary launch."""
        found: Model | None = None
        for launch in ordinary_launches(self.blocks):
            model = self._smallest([*base, *launch], atoms)
            if model is None:
                return None
            found = found or model
        return found

    def _smallest(self, base: list[Term], atoms: list[Term]) -> Model | None:
        """A model of the constraints, with inputs as small as the limits of the table permit."""
        for limit, smaller in SMALL_LIMITS if small_inputs(atoms, 1) else ():
            model = self.solver.find(Query("small", (*base, *small_inputs(atoms, limit)), SMALL_STEPS))
            if model is not None:
                return self.solver.find(Query("smaller", (*base, *small_inputs(atoms, smaller)), SMALL_STEPS)) or model
        return self.solver.find(Query("ordinary", tuple(base)))

    def _memory_limit(self, footprint: Term | None = None, memory: int = DEVICE_BYTES) -> list[Term]:
        total = self._bytes(footprint)
        return [] if total is None else [at_most(total, number(memory))]

    def _bytes(self, footprint: Term | None = None) -> Term | None:
        counted: list[MemoryObject] = []
        for found in self._global_objects():
            same = (o for o in counted if o.size is found.size and o in self.environment.overlapping(found))
            if found.size is not None and not found.described and next(same, None) is None:
                counted.append(found)
        sizes = [found.size for found in counted if found.size is not None]
        sizes += [] if footprint is None else [footprint]
        return add(*sizes) if sizes else None

    def _with_tame_contents(self, obligation: Obligation, path: Term, violation: Term) -> Model | None:
        """A witness for which no guard reads from memory anything but 0 or 1: lengths, ids and flags that any caller has.

        Nor does an index that overflows: `row * classes + label[row]` does so for the rows alone, and beyond its type, not
        below zero, as `first[row + 1] - first[row] - 1u` does of a range that is empty. With sizes of at least 2, so that both
        are ids, too.
        """
        if any(map(self._is_range_of_contents, guard_parts(obligation.path))):
            return None
        facts, _ = self.relevant(path, violation)
        atoms = sorted(frozenset().union(*(free_symbols(t) for t in (*facts, path, violation))), key=lambda t: t.digest)
        spoken = (path, violation) if obligation.kind == "overflow" else (path,)
        read = [value for value in contents_in(spoken) if not isinstance(value, Flag)]
        counts = self.environment.from_memory & free_symbols(path) - free_symbols(obligation.index)
        read += sorted(counts, key=lambda t: t.digest)  # what loops have made of numbers that were read
        tame = [conjunction(at_most(number(0), value), at_most(value, number(1))) for value in read]
        tame += [at_most(number(2), a) for a in atoms if is_input(a) and (interval(a)[1] or 2) >= 2]
        tame += _not_below_zero(obligation.index) if obligation.kind == "overflow" else ()
        question = [*facts, path, violation, *tame, *_not_empty(obligation)]
        return self._fitting(obligation, question, atoms, ERROR_BYTES)

    def _with_any_row(self, obligation: Obligation, path: Term, violation: Term) -> Model | None:
        """A witness of a known launch for which each row that is read is the second one, of memory of at least two by two.

        `cache + rows[i] * stride` of `cache.size(0) * cache.size(1)` elements leaves it with a larger stride than it has, whatever
        keeps the rows inside. By trying small values: products of sizes make it hard for a solver.
        """
        read = contents_in((path, violation))
        rows = rows_of_other_length(obligation, [fact.term for fact in self.environment.facts])
        if not rows or not set(read) <= rows or any(map(self._is_range_of_contents, guard_parts(obligation.path))):
            return None
        second = dict.fromkeys(read, number(1))
        facts, _ = self.relevant(path, violation)
        asked = [rewrite(term, second.get) for term in (*facts, path, violation, *_not_empty(obligation))]
        atoms = sorted(frozenset().union(*map(free_symbols, asked)), key=lambda t: t.digest)
        several = [at_most(number(2), a) for a in atoms if is_input(a) and (interval(a)[1] or 2) >= 2]
        model = self.tried_model([*asked, *several], atoms)
        return _with_contents(model, read) if model is not None else None

    def _with_empty_ranges(self, obligation: Obligation, path: Term, violation: Term) -> Model | None:
        """A witness for which all that is read is 0, as where each range is empty: `t < first[row + 1] - first[row] - 1u`.

        Whoever fills such an array knows how far its ranges go, and there is always room for none.
        """
        guards = guard_parts(obligation.path)
        if not any(map(_is_between_entries, guards)) or any(map(_ends_elsewhere, guards)):
            return None
        facts, _ = self.relevant(path, violation)
        atoms = sorted(frozenset().union(*(free_symbols(t) for t in (*facts, path, violation))), key=lambda t: t.digest)
        read = [value for value in contents_in((path, violation)) if not isinstance(value, Flag)]
        nothing = [equal(value, number(0)) for value in read]
        return self._fitting(
            obligation, [*facts, path, violation, *nothing, *_not_empty(obligation)], atoms, ERROR_BYTES
        )

    def _is_range_of_contents(self, guard: Term) -> bool:
        """`t < first[row + 1] - first[row]`, `t < n - first[row]`: whoever fills such an array knows how far its ranges go."""
        read = [value for value in contents_in((guard,)) if self.rests_on_contents(value)]
        beside = free_symbols(without(guard, frozenset(read))) if read else frozenset()
        return len(read) > 1 or any(is_input(atom) for atom in beside)

    def witness(self, model: Model, index: Term, extent: Term | None, footprint: Term | None = None) -> Witness:
        block, thread = self.place(model)
        total = self._bytes(footprint)
        return Witness(
            launch=self.shape(model),
            values=self.input_values(model),
            block=block,
            thread=thread,
            index=model.value(index),
            extent=None if extent is None else model.value(extent),
            bytes_needed=None if total is None else model.value(total),
        )


def _with_contents(model: Model, read: Iterable[Term]) -> Model | None:
    """The model with memory that holds 1 where it is read."""
    found: dict[tuple[str, tuple[int, ...]], int] = {}
    for each in read:
        try:
            found[str(each.parts[0]), tuple(Model(model.values, found).value(place) for place in each.parts[1])] = 1
        except Undefined:
            return None
    return Model(model.values, found)


def _not_below_zero(index: Term) -> list[Term]:
    """What an index makes of contents is not negative, nor what it divides."""
    divided = [part.parts[0] for part in subterms([index]) if isinstance(part, Quotient | Remainder)]
    return [at_most(number(0), part) for part in (index, *divided) if contents_in([part])]


def _is_between_entries(guard: Term) -> bool:
    """Two entries of one array are subtracted from each other."""
    memories = [value.parts[0] for value in contents_in((guard,)) if isinstance(value, Apply)]
    return len(memories) > len(set(memories))


def _ends_elsewhere(guard: Term) -> bool:
    """`row + 1 < rows ? first[row + 1] : total`: where all entries are 0 the last range is everything."""
    choices = (part.parts[1:] for part in subterms((guard,)) if isinstance(part, Choice))
    return any(bool(contents_in((a,))) != bool(contents_in((b,))) for a, b in choices)


def held_contents(model: Model, *terms: Term) -> dict[str, int]:
    """The value that all elements of a memory have which the terms rest on; nothing of memory with several values."""
    found: dict[str, set[int]] = {}
    for part in contents_in(terms):
        if isinstance(part, Symbol | Apply):
            name = base_name(str(part.parts[0]).removeprefix(MEMORY_PREFIX))
            if " " in name:
                continue  # a comparison of floating point: no array has that name
            with suppress(Undefined):  # an index that is a quotient by zero
                value = model.value(part)
                found.setdefault(name, set()).add(value)
    return {name: value for name, (value, *others) in found.items() if not others}


def ordinary_lost(atoms: list[Term]) -> list[Term]:
    """Values that the host code lost are no more extreme than those that callers choose: not negative, and not beyond any size."""
    lost = (a for a in atoms if isinstance(a, Symbol) and is_lost_argument(a) and not is_large_choice(a))
    return [
        conjunction(at_most(number(0), a), at_most(a, number(LARGEST)))
        for a in lost
        if (low := interval(a)[0]) is None or low < 0
    ]


def _not_empty(obligation: Obligation) -> list[Term]:
    """Memory of no bytes at all is as little ordinary as a size of zero; what a caller may leave out is another matter."""
    size = obligation.object.size if obligation.object is not None else None
    return [] if size is None or isinstance(size, Number | Choice) else [at_most(number(1), size)]
