"""How sure a violation is: by what its witness needs of host values that were not followed, and of what memory holds (DESIGN 3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cudalint.finding import NOT_STATED, Confidence
from cudalint.symbolic.model import APPROXIMATE_PREFIX, ITERATION_PREFIX, Obligation, rests_on
from cudalint.symbolic.ordinary import SMALL_BLOCKS, is_input, is_selector
from cudalint.symbolic.solver.question import (
    SMALL_STEPS,
    Model,
    Query,
    Unsatisfiable,
)
from cudalint.symbolic.verdicts.checked import checked_contents, contents_in, guard_parts, is_other_side, without
from cudalint.symbolic.verdicts.clamped import BOTH, without_clamps
from cudalint.symbolic.verdicts.facts import (
    first_value,
    is_entry_of_argument,
    is_loose,
    is_lost,
    is_lost_argument,
    is_lost_size,
)
from cudalint.symbolic.verdicts.padded_rows import lengths_and_pitches
from cudalint.symbolic.verdicts.reduced import reduced
from cudalint.symbolic.verdicts.rounded_grids import makes_room_for_a_rest
from cudalint.symbolic.verdicts.stated_sizes import is_stated_large
from cudalint.symbolic.verdicts.ties import SHARED_BYTES
from cudalint.symbolic.verdicts.witnesses import Witnesses
from cudalint.symbolic.walk.parameters import BLOCK_LIMITS
from cudalint.term import (
    AtMostZero,
    Number,
    Symbol,
    Term,
    at_most,
    equal,
    free_symbols,
    ideal,
    interval,
    labels,
    negation,
    number,
)

LOOSE_VALUES = (1, 2, 32, 64, 256, 1024)  # of host values of which not all relations are known
FILE_VALUES = (32, 64, 256, 1024)  # sides of images and rows as they are made
LARGE_SIZES = (1031, 1 << 10)  # a prime, and a power of two


@dataclass(slots=True)
class Certainty(Witnesses):
    """The confidence of the violations of one walk."""

    def _confidence(
        self, obligation: Obligation, ordinary: bool, beyond: int, tame: bool = False, held: bool = False,
        sides: frozenset[int] = BOTH,
    ) -> Confidence:  # fmt: skip
        """`tame`: nothing but 0 and 1 is read for a guard; `held`: nor for the index; `sides`: on which clamps count."""
        checked = checked_contents(obligation.index, obligation.path, beyond)
        if held or (tame and obligation.kind == "overflow"):
            # it wraps with 0 or 1 there: what is beside them is too large
            checked |= frozenset(contents_in([obligation.index]))
        index = without(obligation.index, checked)
        if self.rests_on_contents(index) and not _has_place_for_each_byte(obligation):
            if self.rests_on_contents(without_clamps(reduced(index), sides)):
                return Confidence.LOW
            obligation.reduced = True
        if not self.environment.from_memory.isdisjoint(free_symbols(index)):
            return Confidence.LOW
        if not tame and self._is_bounded_by_contents(obligation, checked, beyond):
            return Confidence.LOW
        if self._is_bounded_by_loaded_steps(obligation):
            return Confidence.LOW
        if self._rests_on_lost_argument(obligation) or self._is_bounded_by_lost_argument(obligation):
            return Confidence.LOW
        if obligation.kind == "overflow" and self.environment.contract.uncalled:
            return Confidence.MEDIUM  # nobody passes sizes as large as that
        terms = (obligation.holds, *(c.term for c in obligation.path))
        violated = (negation(obligation.holds), *terms[1:])
        loose = self.rests_on_loose_values(*violated) or self._rests_on_lost_grid(obligation, *terms)
        loose = loose or self.rests_on_files(*violated)
        if loose or not ordinary or self.rests_on_lost_block(self.relevant(*violated)[0], *violated):
            return Confidence.MEDIUM
        if obligation.kind == "overflow" and not is_stated_large(obligation, self.environment):
            obligation.detail = NOT_STATED
            return Confidence.MEDIUM
        return Confidence.MEDIUM if _is_selected(obligation) else Confidence.HIGH

    def rests_on_loose_values(self, *terms: Term) -> bool:
        """The terms speak of host values of which some relations are known, and do not hold for each of their usual values."""
        of_block = frozenset().union(*map(free_symbols, self._sides()))  # `rests_on_lost_block` asks for those
        found = frozenset().union(*map(free_symbols, terms)) - of_block
        atoms = sorted(filter(is_loose, found), key=lambda t: t.digest)
        facts, _ = self.relevant(*terms)
        begun = {atom: first for atom in atoms if (first := first_value(atom)) is not None}
        if begun and not self._holds_given(facts, terms, [equal(a, number(first)) for a, first in begun.items()]):
            return True  # only where somebody sets them
        atoms = [atom for atom in atoms if atom not in begun]
        held = 0
        grid = [self.environment.builtin(f"gridDim.{axis}") for axis in "xyz"]
        for value in LOOSE_VALUES if atoms else ():
            given = [equal(atom, number(value)) for atom in atoms]
            if self.solver.find(Query("loose", (*facts, *given), SMALL_STEPS)) is None:
                continue
            if self._holds_given(facts, terms, given):
                held += 1
                continue
            rest = [equal(atom, number(value + 1)) for atom in atoms]
            if not makes_room_for_a_rest(grid, atoms, value) or not self._holds_given(facts, terms, rest):
                return True
        return bool(atoms) and held < 2

    def rests_on_files(self, *terms: Term) -> bool:
        """The terms need other numbers than usual ones in a file of the project that the program itself reads."""
        names = tuple(name + mark for name, _ in self.environment.contract.files for mark in "[.#")
        found = frozenset().union(*map(free_symbols, terms)) if names else frozenset[Term]()
        atoms = sorted((a for a in found if isinstance(a, Symbol) and a.name.startswith(names)), key=lambda t: t.digest)
        facts, _ = self.relevant(*terms) if atoms else ([], [])
        for value in FILE_VALUES if atoms else ():
            given = [equal(atom, number(value)) for atom in atoms]
            possible = self.solver.find(Query("in the file", (*facts, *given), SMALL_STEPS)) is not None
            if possible and not self._holds_given(facts, terms, given):
                return True
        return False

    def _holds_given(self, facts: Iterable[Term], terms: Iterable[Term], given: Iterable[Term]) -> bool:
        return self.solver.find(Query("whatever is loose", (*facts, *terms, *given), SMALL_STEPS)) is not None

    def _rests_on_lost_argument(self, obligation: Obligation) -> bool:
        """The index moves with host values that were not followed, and of one of them the extent does not speak."""
        launched = self.environment.contract.launch_site is not None
        lost = {
            a
            for a in free_symbols(obligation.index)
            if isinstance(a, Symbol) and (is_lost_argument(a) or (launched and is_entry_of_argument(a)))
        }
        size = obligation.object.size if obligation.object is not None else None
        return not lost.issubset(self._component(size) if size is not None else ())

    def _rests_on_small_size(self, obligation: Obligation, path: Term, violation: Term) -> bool:
        """Only small values of sizes that the host code lost make the memory too short; what they are nobody said."""
        found = obligation.object
        size = found.size if found is not None else None
        if found is None or size is None or not (lost := list(filter(is_lost_size, free_symbols(size)))):
            return False
        lost.sort(key=lambda atom: atom.digest)
        trials = [[equal(a, number(value)) for a in lost] for value in LARGE_SIZES]  # makes products of them linear
        trials.append([at_most(number(LARGE_SIZES[-1]), a) for a in lost])
        if found.memory == "shared":
            trials = [[at_most(number(SHARED_BYTES), size)]]
        facts, _ = self.relevant(path, violation, size)
        return all(self.solver.find(Query("large sizes", (*facts, path, violation, *t))) is None for t in trials)

    def _padded(self, obligation: Obligation, path: Term, violation: Term, model: Model) -> Term | None:
        """That rows are no longer than they are apart, which who wrote the file that says both made so, if the model needs it.

        With its other inputs nothing goes wrong then, apart from what wraps.
        """
        atoms = (
            free_symbols(path) | free_symbols(violation) | frozenset().union(*map(free_symbols, self.relevant(path)[0]))
        )
        for length, pitch in lengths_and_pitches(obligation, self.environment.contract.records):
            given: dict[Term, Term] = {a: number(model.value(a)) for a in atoms if is_input(a) and a is not length}
            facts, reach = self._with_inputs(given, ideal(path), ideal(violation))
            there = at_most(length, given.get(pitch, pitch))
            if self.solver.refutes(Query("padded", (*facts, *reach, there), SMALL_STEPS)):
                return at_most(length, pitch)
        return None

    def _bounds_extent(self, obligation: Obligation, values: set[Symbol]) -> bool:
        """The extent has to do with one of the values."""
        size = obligation.object.size if obligation.object is not None else None
        return size is not None and not values.isdisjoint(self._component(size))

    def _is_bounded_by_contents(self, obligation: Obligation, checked: frozenset[Term], beyond: int) -> bool:
        """`for (t = 0; t < length[row]; t++) x[t]`: what bounds the index is read from memory, on the side that it goes beyond."""
        moving = {a for a in free_symbols(obligation.index) if not is_input(a)}
        for part in guard_parts(obligation.path):
            bound = isinstance(part, AtMostZero) and not moving.isdisjoint(free_symbols(part))
            if (
                bound
                and self.rests_on_contents(without(part, checked))
                and not is_other_side(part.parts[0], obligation.index, moving, beyond)
            ):
                return True
        return False

    def _is_bounded_by_loaded_steps(self, obligation: Obligation) -> bool:
        """`for (k = 0; at < end; k++) at += length[at]`: how often it goes round is what memory says, however small that is."""
        rounds = {a for a in free_symbols(obligation.index) if str(a.parts[0]).startswith(ITERATION_PREFIX)}
        loops = [c for c in obligation.path if c.cause == "loop"] if rounds else []
        tests = [free_symbols(part) for part in guard_parts(loops) if isinstance(part, AtMostZero)]
        return any(not self.environment.from_memory.isdisjoint(test) for test in tests) and all(
            rounds.isdisjoint(test) for test in tests
        )

    def _is_bounded_by_lost_argument(self, obligation: Obligation) -> bool:
        """`if (i >= total) return;` where the host code lost what total is made of, and the size of the memory is not."""
        moving = {a for a in free_symbols(obligation.index) if not is_input(a)}
        size = obligation.object.size if obligation.object is not None else None
        told = frozenset() if size is None else free_symbols(size)
        for part in guard_parts(obligation.path):
            symbols = free_symbols(part)
            if isinstance(part, AtMostZero) and not moving.isdisjoint(symbols):
                if any(isinstance(a, Symbol) and is_lost_argument(a) for a in symbols - told):
                    return True
        return False

    def _rests_on_lost_grid(self, obligation: Obligation, *terms: Term) -> bool:
        """There is a launch, but the host code did not tell its grid, and the extent does not speak of it either."""
        grid = free_symbols(self.environment.builtin("gridDim.x"))
        lost = {s for s in grid if isinstance(s, Symbol) and is_lost(s)}
        if self.environment.contract.launch_site is None or not lost or self._bounds_extent(obligation, lost):
            return False
        return any(label.startswith(("blockIdx.x", "gridDim.x")) for term in terms for label in labels(term))

    def rests_on_lost_block(self, facts: Iterable[Term], *terms: Term) -> bool:
        """There is a launch, the host code did not tell its block, and one of the usual ones excludes the terms.

        A side is not told either that callers choose, none of which is in sight, and that the host code holds to no limit.
        """
        if self.environment.contract.launch_site is None:
            return False
        sides, facts = self._sides(), tuple(facts)
        chosen = [
            is_input(side) and self._has_a_block((*facts, equal(side, number(most))))
            for side, most in zip(sides, BLOCK_LIMITS.values())
        ]
        lost = [
            rests_on(side, APPROXIMATE_PREFIX) or any(map(is_loose, free_symbols(side))) or open_
            for side, open_ in zip(sides, chosen)
        ]
        for block in (*self.blocks, *(SMALL_BLOCKS if any(chosen) else ())) if any(lost) else ():
            given = [equal(side, number(length)) for side, length, open_ in zip(sides, block, lost) if open_]
            if not self._has_a_block((*facts, *given)):
                continue
            answer = self.solver.check(Query("whatever the block", (*facts, *terms, *given), SMALL_STEPS))
            if isinstance(answer, Unsatisfiable):
                return True
        return False

    def _has_a_block(self, terms: tuple[Term, ...]) -> bool:
        return self.solver.find(Query("usual block", terms, SMALL_STEPS)) is not None

    def _sides(self) -> list[Term]:
        return [self.environment.builtin(f"blockDim.{axis}") for axis in "xyz"]


def _has_place_for_each_byte(obligation: Obligation) -> bool:
    """A signed byte chooses one of 256: whoever has so many places expects each of the bytes, and half of them are negative."""
    return obligation.extent == number(256) and interval(obligation.index) == (-128, 127)


def _is_selected(obligation: Obligation) -> bool:
    """An entry of a fixed array by a rank or a dimension that callers pass, and of which no guard says how large it gets."""
    found = obligation.object
    chosen = free_symbols(obligation.index)
    if found is None or not isinstance(found.size, Number) or not chosen or not all(map(is_selector, chosen)):
        return False
    compared = (part for part in guard_parts(obligation.path) if isinstance(part, AtMostZero))
    return chosen.isdisjoint(frozenset().union(*map(free_symbols, compared)))
