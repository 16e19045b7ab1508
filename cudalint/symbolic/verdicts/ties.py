"""Which inputs of an index something ties to the extent of its object, and which are left to callers (DESIGN 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import gcd

from cudalint.contract import Origin
from cudalint.symbolic.model import MemoryObject, Obligation
from cudalint.symbolic.ordinary import WARP, is_input, ordinary_inputs
from cudalint.symbolic.solver.question import Model, Query, Undecided, Unsatisfiable, nearest
from cudalint.symbolic.verdicts.checked import spoken_of
from cudalint.symbolic.verdicts.columns import MOST_COLUMNS, named_columns
from cudalint.symbolic.verdicts.facts import AXES, Facts, is_lost_size, is_size_of_absent_type, wrapped_parts
from cudalint.symbolic.verdicts.members import are_apart, is_rest_by_an_object
from cudalint.symbolic.verdicts.pitches import pitches
from cudalint.symbolic.verdicts.rows import goes_by_rows
from cudalint.symbolic.verdicts.stated_limits import is_limited
from cudalint.symbolic.walk.environment import DIMENSION_OF
from cudalint.term import (
    FALSE,
    Apply,
    Number,
    Quotient,
    Sum,
    Symbol,
    Term,
    Undefined,
    add,
    at_most,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    interval,
    negate,
    number,
    rewrite,
    scale,
    substitute,
    subterms,
)

MOST_DIMENSIONS = 4
MOST_LANES = 16  # of a vector
FAR = 64  # elements beyond one and a half times the extent
ROOMY_BYTES = 1 << 14
VAST_BYTES = 1 << 36  # more than an index needs whose sizes are those of a witness
VAST_SIDE = 1 << 28  # of rows as well as of the bytes in one
AMPLE_BYTES = 1 << 30  # enough for most, where an accessor of 32 bits keeps the memory smaller
SHARED_BYTES = 48 << 10  # of a block, without asking for more
TRIED_SIZES = (
    (197, 193, 191, 181),
    (288, 192, 320, 160),
    (256, 384, 128, 512),
)  # large, so that one step over the end is short, and a second one of two elements in each is not
USUAL_SIZES = (1, 2, 4, 8, 16)  # of an element, in bytes
SMALL_VALUES = (1, 2, 4, 64)
LEAST_LAUNCHES = tuple(  # of one dimension, and of all
    {"gridDim.x": 2, "gridDim.y": wide, "gridDim.z": wide, "blockDim.x": WARP, "blockDim.y": wide, "blockDim.z": wide}
    for wide in (1, 4)
)


@dataclass(slots=True)
class Ties(Facts):
    """What relates an index to the memory that it leads into."""

    def _is_untied(self, obligation: Obligation, path: Term, violation: Term, model: Model) -> bool:
        """Index and extent share no input: a relation between them would settle it (DESIGN 3.7), so it is no finding."""
        if obligation.kind == "overflow":
            return False
        if self._is_stated_smaller(obligation, path):
            return False
        found = obligation.object
        extent_terms = [t for t in (found.size if found else None, found.before if found else None) if t is not None]
        if obligation.kind == "dimension":
            extent_terms = [number(0)]
        atoms = free_symbols(obligation.holds) | free_symbols(path)
        given = any(
            is_input(a) or is_lost_size(a) for t in extent_terms for a in free_symbols(t)
        )  # else the kernel itself fixes the extent
        inputs = [a for a in (self._with_launch(atoms) if given else atoms) if is_input(a)]
        tied = set().union(*(self._component(t) for t in extent_terms)) if extent_terms else set()
        if found is not None and found.described:
            own = frozenset().union(*map(free_symbols, extent_terms))
            if not own.issuperset(inputs):
                return True
        if found is not None and found.inside:
            behind = at_most(number(0), obligation.index)
            if not isinstance(self.ask("behind the start", path, violation, behind), Model):
                return True  # who passes the view may keep elements in front of it
        # who takes a tensor takes it with any sizes: no relation between two of them is left to callers
        tensors = _tensors_of(tied)
        loose = [a for a in inputs if a not in tied and tensors.isdisjoint(_tensors_of(self._component(a)))]
        loose = [a for a in loose if not _is_of_device(a)]
        if extent_terms and all(isinstance(t, Number) for t in extent_terms):
            loose = [a for a in loose if not is_limited(a, self.environment)]
        if self._may_have_more_dimensions(obligation) and self._goes_far(obligation, path):
            return True
        if not given and found is not None and self._is_settled_by_launch(found, path, violation):
            return True
        if wide := self._columns_left_to_callers(obligation, path):
            violation = conjunction(violation, *wide)
            answer = self.ask("wide", path, violation)
            if isinstance(answer, Unsatisfiable):
                return True
            if isinstance(answer, Undecided) and self._is_settled_at_sizes(tied, {}, path, violation):
                return True
        if self._is_settled_by_absent_types(obligation, extent_terms, path, violation):
            return True
        free_sizes = extent_terms[:1] if self._has_free_size(obligation) else []
        if free_sizes and found is not None and found.name in self.environment.given:
            settled = self._is_settled_by_room(loose, found, model, path, violation)
            if settled or not loose:
                return settled
        if not loose or (found is not None and found.size is None and not inputs):
            return False
        if found is not None and found.memory == "global" and found.size is number(obligation.unit):
            return False  # who allocates room for one element means one; a declared array has as many as its type says
        roomy = [at_most(number(ROOMY_BYTES), size) for size in free_sizes]
        if (same := _same_sizes(loose, tied)) and self._goes_far(obligation, path):
            facts, reach = self._with_inputs(same, path, violation)
            answer = self.solver.check(Query("of one shape", (*facts, *reach)))
            if isinstance(answer, Unsatisfiable):
                return True
            if isinstance(answer, Undecided) and self._is_settled_at_sizes(tied, same, path, violation):
                return True
        halved = _halved(obligation.index)
        for values in _small_values([a for a in loose if not _is_flag(a)], near=not given, halved=halved):
            facts, reach = self._with_inputs(values, path, violation)
            if not isinstance(self.solver.check(Query("reached", (*facts, reach[0]))), Model):
                continue  # no launch passes these values
            question = (*facts, *reach, *_unwrapped(model, *reach))
            if roomy and self.solver.find(Query("roomy", (*facts, *roomy))) is not None:
                question = (*question, *roomy)  # a caller that knows the index makes the memory large enough
            still = self.solver.check(Query("tied", question))
            if isinstance(still, Undecided) and free_sizes:
                return _is_witness_settled_by_room(free_sizes[0], model, violation)
            if isinstance(still, Undecided):
                still = self.solver.check(Query("tied in one launch", self._in_launch_of(model, question)))
            if isinstance(still, Model) and extent_terms:
                # memory without elements is what goes wrong then, and not that value
                some = at_most(number(1), extent_terms[0])
                if self.solver.find(Query("with elements", (*facts, reach[0], some))) is not None:
                    still = self.solver.check(Query("tied, with elements", (*question, some)))
            if isinstance(still, Unsatisfiable):
                return self._goes_far(obligation, path) or self._is_inside_where_large(obligation, path, violation)
            break
        return found is not None and bool(free_sizes) and self._is_settled_by_room(loose, found, model, path, violation)

    def _is_stated_smaller(self, obligation: Obligation, path: Term) -> bool:
        """The host code checks that there are fewer elements than the number that the kernel has for an index."""
        found = obligation.object
        if found is None or obligation.extent is None or not isinstance(obligation.index, Number):
            return False
        whole = found.described or not self._may_have_more_dimensions(obligation)
        return whole and self.excluded("inside", path, obligation.holds)

    def _columns_left_to_callers(self, obligation: Obligation, path: Term) -> list[Term]:
        """The tensor has `MOST_COLUMNS`, where the kernel names columns of which the host code checks nothing."""
        size = obligation.object.size if obligation.object is not None else None
        if size is None or not (columns := named_columns(obligation.index, size, path, self._geometry())):
            return []
        if not isinstance(self.ask("one column", *(equal(c, number(1)) for c in columns)), Model):
            return []  # checked by the host code
        wide = [at_most(number(MOST_COLUMNS), c) for c in columns]
        return wide if isinstance(self.ask("many columns", path, *wide), Model) else []

    def _geometry(self) -> frozenset[Term]:
        """What the sides of grid and block are made of."""
        sides = (self.environment.builtin(f"{name}.{axis}") for name in ("gridDim", "blockDim") for axis in AXES)
        return frozenset().union(*map(free_symbols, sides))

    def _is_settled_by_room(
        self, loose: list[Term], found: MemoryObject, model: Model, path: Term, violation: Term
    ) -> bool:
        """With these inputs as the witness has them, memory that is large enough makes the access safe.

        The smallest values do not reach every access: a second tile of rows takes more rows than one tile has.
        """
        given: dict[Term, Term] = {a: number(model.value(a)) for a in loose}
        size = found.size
        assert size is not None
        if pitches(found, self.environment.facts) and self._is_settled_by_sides(given, size, path, violation):
            return True
        facts, reach = self._with_inputs(given, path, violation, free_symbols(size))
        for room in (SHARED_BYTES,) if found.memory == "shared" else (VAST_BYTES, AMPLE_BYTES):
            vast = (*facts, at_most(number(room), size))
            reached = self.solver.check(Query("vast", (*vast, reach[0])))
            if not isinstance(reached, Unsatisfiable):
                break
        else:
            return False
        answer = self.solver.check(Query("settled", (*vast, *reach)))
        if Undecided in (type(reached), type(answer)):
            return _is_witness_settled_by_room(size, model, violation)
        return isinstance(answer, Unsatisfiable)

    def _is_settled_by_sides(self, given: dict[Term, Term], size: Term, path: Term, violation: Term) -> bool:
        """Rows of memory that are many, long and far apart make the access safe: where one of the three is small there is no room.

        That is asked for all ordinary inputs, and for those of the witness where the solver has no answer for all.
        """
        vast: dict[Term, Term] = {side: number(VAST_SIDE) for side in free_symbols(size)}
        for inputs in ({}, given):
            facts, reach = self._with_inputs(vast | inputs, path, violation)
            if not isinstance(self.solver.check(Query("vast sides", (*facts, reach[0]))), Model):
                continue
            if isinstance(self.solver.check(Query("settled", (*facts, *reach))), Unsatisfiable):
                return True
        return False

    def _is_settled_at_sizes(self, tied: Iterable[Term], same: dict[Term, Term], path: Term, violation: Term) -> bool:
        """At sizes that stand for all the access is safe: quotients of places by sizes are quotients by numbers there.

        `same` are sizes of other tensors; one that a fact keeps from being tried is left open.
        """
        sizes = [a for a in sorted(tied, key=lambda t: t.digest) if _tensors_of([a])]
        settled = False
        for values in TRIED_SIZES:
            own: dict[Term, Term] = {a: number(values[place % len(values)]) for place, a in enumerate(sizes)}
            given = own | {a: substitute(size, own) for a, size in same.items()}
            facts, reach = self._with_inputs(given, path, violation)
            if not isinstance(self.solver.check(Query("reached at sizes", (*facts, reach[0]))), Model):
                continue
            if not isinstance(self.solver.check(Query("at sizes", (*facts, *reach))), Unsatisfiable):
                return False
            settled = True
        return settled

    def _is_settled_by_launch(self, found: MemoryObject, path: Term, violation: Term) -> bool:
        """`__constant__ float options[1024]` at blockIdx.x: who launches the kernel knows how many there are."""
        if self.environment.launch_known or found.memory == "shared":
            return False
        for sides in LEAST_LAUNCHES:
            launch = [equal(self.environment.builtin(name), number(size)) for name, size in sides.items()]
            facts, _ = self.relevant(path, violation, *launch)
            if isinstance(self.solver.check(Query("least launch", (*facts, path, violation, *launch))), Unsatisfiable):
                if isinstance(self.solver.check(Query("reached", (*facts, path, *launch))), Model):
                    return True
                continue  # it has too few threads to come here: a border of each axis is left out
            return False
        return True

    def _in_launch_of(self, model: Model, terms: Iterable[Term]) -> tuple[Term, ...]:
        """The terms where grid and block are those of the witness: quotients by a side are quotients by a number there."""
        sides = [self.environment.builtin(f"{name}.{axis}") for name in ("gridDim", "blockDim") for axis in AXES]
        given: dict[Term, Term] = {side: number(model.value(side)) for side in sides if isinstance(side, Symbol)}
        return tuple(substitute(term, given) for term in terms)

    def members_apart(self, obligation: Obligation) -> bool:
        """Whether the relation of index and extent is one of the members of an object, and nothing says it."""
        size = obligation.object.size if obligation.object is not None else None
        return size is not None and are_apart(obligation, self._component(size))

    def divides_by_an_object(self, obligation: Obligation, model: Model) -> bool:
        """An index is before the start for members that do not belong together, where no launch tells how their object is made."""
        before = obligation.kind == "bounds" and model.value(obligation.index) < 0
        return before and self.environment.contract.launch_site is None and is_rest_by_an_object(obligation)

    def _with_launch(self, atoms: frozenset[Term]) -> frozenset[Term]:
        """The symbols with what bounds the block and thread numbers among them."""
        bounds = {f"{place}.{axis}": f"{size}.{axis}" for place, size in DIMENSION_OF.items() for axis in AXES}
        named = {str(a.parts[0]) for a in atoms if isinstance(a, Symbol)} & set(bounds)
        return atoms.union(*(free_symbols(self.environment.builtin(bounds[name])) for name in named))

    def _with_inputs(
        self, given: dict[Term, Term], path: Term, violation: Term, unlimited: frozenset[Term] = frozenset()
    ) -> tuple[list[Term], tuple[Term, Term]]:
        """Facts, path and violation where inputs have these values; the others are ordinary, unless they are unlimited."""
        facts = [substitute(f, given) for f in self.relevant(path, violation)[0]]
        atoms = frozenset().union(*(free_symbols(t) for t in (*facts, path, violation))) - frozenset(given)
        atoms -= unlimited
        facts += ordinary_inputs(sorted(atoms, key=lambda t: t.digest))
        return facts, (substitute(path, given), substitute(violation, given))

    def _is_settled_by_absent_types(
        self, obligation: Obligation, extents: list[Term], path: Term, violation: Term
    ) -> bool:
        """Nothing goes wrong where a type that is not there has the size of the elements that the memory is made for."""
        of_memory = {a for t in extents for a in free_symbols(t) if is_size_of_absent_type(a)}
        absent = of_memory | {a for a in free_symbols(violation) if is_size_of_absent_type(a)}
        sizes = (obligation.unit,) if of_memory else dict.fromkeys(s for t in extents for s in _element_sizes(t))
        for size in sizes if absent else ():
            facts, reach = self._with_inputs(dict.fromkeys(absent, number(size)), path, violation)
            if isinstance(self.solver.check(Query("of the element's type", (*facts, *reach))), Unsatisfiable):
                return True
        return False

    def _is_left_to_callers(self, found: MemoryObject | None, size: Term) -> bool:
        """The size is an input or was lost; for global memory neither the launch nor an argument of the kernel depends on it."""
        inputs = {atom for atom in free_symbols(size) if is_input(atom) or is_lost_size(atom)}
        if found is None or not inputs:
            return False
        if found.memory == "shared":
            return True
        at_launch = self.environment.contract.launch_site is not None
        return at_launch and self._component(size).isdisjoint(self.environment.inputs_of_launch())

    def _has_free_size(self, obligation: Obligation) -> bool:
        """Callers make the memory as large as they like, or a kernel that gets its size along with it does not ask for that.

        A pitch that the kernel gets says where rows begin, and nothing of how many there are.
        """
        found = obligation.object
        if found is None or found.size is None or obligation.kind == "dimension":
            return False
        if self._is_left_to_callers(found, found.size):
            return True
        steps = pitches(found, self.environment.facts)
        own = {atom for atom in free_symbols(found.size) if is_input(atom) or is_lost_size(atom)} - steps
        asked = frozenset().union(*(spoken_of(guard.term) for guard in obligation.path))
        if found.name not in self.environment.given or not own or not own.isdisjoint(asked):
            return False
        return self._component(found.size).isdisjoint(self.environment.inputs_of_launch(found.name) - steps)

    def _sizes_left_to_callers(self) -> frozenset[Term]:
        """Counts of elements that nothing relates to the launch: callers make them what its other sizes need."""
        given = (o for o in self._global_objects() if o.size is not None and o.name in self.environment.given)
        return frozenset().union(
            *(free_symbols(o.size) for o in given if o.size and self._is_left_to_callers(o, o.size))
        )

    def relation(self, obligation: Obligation) -> Relation:
        """How the index of an access and the extent of its object are related."""
        path = conjunction(*(c.term for c in obligation.path))
        found = obligation.object
        size = found.size if found is not None else None
        if found is None or size is None:
            return Relation(frozenset(), False, True)
        inputs = {a for a in self._with_launch(free_symbols(obligation.holds) | free_symbols(path)) if is_input(a)}
        loose = frozenset(str(a.parts[0]) for a in inputs - self._component(size))
        return Relation(loose, self._is_of_inferred_rank(obligation), self._has_free_size(obligation))

    def _may_have_more_dimensions(self, obligation: Obligation) -> bool:
        """The rank of its memory was inferred, and is not one of four: tensors of more are rare."""
        found = obligation.object
        fact = self.environment.extent_facts.get(found.name) if found is not None else None
        few = fact is not None and fact.text.count(".size(") < MOST_DIMENSIONS
        return few and self._is_of_inferred_rank(obligation)

    def _is_of_inferred_rank(self, obligation: Obligation) -> bool:
        """Nothing but the sizes that the host code reads says the rank of the memory: nor do the steps of the index."""
        found = obligation.object
        fact = self.environment.extent_facts.get(found.name) if found is not None else None
        if fact is None or fact.origin != Origin.INFERRED.value:
            return False
        return not goes_by_rows(obligation.index, obligation.extent, self.environment.facts)

    def outgrows(self, obligation: Obligation) -> bool:
        """The index leaves a tensor of inferred rank far behind: there may be a further dimension."""
        if not self._may_have_more_dimensions(obligation):
            return False
        return self._goes_far(obligation, conjunction(*(c.term for c in obligation.path)))

    def _goes_far(self, obligation: Obligation, path: Term) -> bool:
        """The index outgrows the extent with the inputs; one that only oversteps it has a defect of its own."""
        extent = obligation.extent
        if extent is None:
            return True
        half = add(extent, number(2 * FAR))
        above = at_most(add(extent, extent, half), scale(obligation.index, 2))
        beyond = disjunction(above, at_most(scale(obligation.index, 2), negate(half)))
        sizes = sorted(filter(is_input, free_symbols(extent)), key=lambda t: t.digest)
        for values in TRIED_SIZES:
            given = [equal(size, number(values[place % len(values)])) for place, size in enumerate(sizes)]
            answer = self.ask("far", path, beyond, *given)
            if isinstance(answer, Model):
                return True
            if isinstance(answer, Unsatisfiable) and isinstance(self.ask("near", path, *given), Model):
                return False
        return True

    def _is_inside_where_large(self, obligation: Obligation, path: Term, violation: Term) -> bool:
        """Memory of large sides has room for all that the host code lets the other inputs be: nothing oversteps it.

        Whatever is left of them in vectors: of some sizes the rest of a row may lie in what others leave.
        """
        sizes = sorted(filter(is_input, free_symbols(obligation.extent or number(0))), key=lambda t: t.digest)
        for rest in range(MOST_LANES):
            sides = (TRIED_SIZES[0][place % MOST_DIMENSIONS] + rest for place in range(len(sizes)))
            given = [equal(size, number(side)) for size, side in zip(sizes, sides)]
            if not isinstance(self.ask("large", path, *given), Model):
                return False
            if not isinstance(self.ask("beyond large", path, violation, *given), Unsatisfiable):
                return False
        return True


@dataclass(frozen=True, slots=True)
class Relation:
    """How an index and the extent of its object are related.

    `loose` inputs of the index are tied to the extent by nothing; the extent may rest on an inferred rank, or on callers alone.
    """

    loose: frozenset[str]
    inferred: bool
    left_to_callers: bool


def _element_sizes(extent: Term) -> tuple[int, ...]:
    """`4 * n` bytes are made for elements of four; of a number of bytes the usual sizes."""
    if isinstance(extent, Sum):
        constant, monomials = extent.parts
        factor = gcd(constant, *(coefficient for _, coefficient in monomials))
        return (factor,) if factor in USUAL_SIZES else (1,)
    return USUAL_SIZES if isinstance(extent, Number) else (1,)


def _unwrapped(model: Model, *terms: Term) -> list[Term]:
    """No value of the terms wraps, if the witness does without it: where one does is a question of its own."""
    wraps = wrapped_parts(*terms)
    with suppress(Undefined):
        if all(model.value(wrap) == model.value(wrap.parts[0]) for wrap in wraps):
            return [equal(wrap, wrap.parts[0]) for wrap in wraps]
    return []


def _is_witness_settled_by_room(size: Term, model: Model, violation: Term) -> bool:
    """What the witness accesses lies in memory that is large enough: less than for all threads, and no question to a solver.

    What it loads at places that do not hang on how large the memory is, such as `int(x[i])`, stays what it is.
    """
    sides = free_symbols(size)
    given: dict[Term, Term] = {a: number(model.value(a)) for a in free_symbols(violation)}
    given.update((a, number(VAST_BYTES)) for a in sides)

    def loaded(term: Term) -> Term | None:
        known = isinstance(term, Apply) and sides.isdisjoint(free_symbols(term))
        return number(model.value(term)) if known else None

    with suppress(Undefined):
        return substitute(rewrite(violation, loaded), given) is FALSE
    return False


def _is_flag(atom: Term) -> bool:
    """It is true or false: no size."""
    return interval(atom) == (0, 1)


def _halved(index: Term) -> frozenset[Term]:
    """Inputs of which the index takes a half, as that of the middle of a filter: nobody passes 1 for them."""
    found = (part for part in subterms([index]) if isinstance(part, Quotient) and part.parts[1] is number(2))
    return frozenset(part.parts[0] for part in found if is_input(part.parts[0]))


def _small_values(inputs: list[Term], near: bool, halved: frozenset[Term]) -> Iterator[dict[Term, Term]]:
    """One value for all of them, and at least 2 for those that are `halved`; then for two of them one after the other, as the ends
    of `for (k = first; k < last; k++)` are.

    `near`: of an input that the host code has checked to be larger, `if (n > 1024) kernel<<<rows, 512>>>(x, n)`, the smallest
    it may be. Beside memory that the host code makes so large, its sizes would have to be as large as that.
    """
    for value in SMALL_VALUES:
        least = {a: max(value, 2) if a in halved else value for a in inputs}
        yield {a: _number_near(a, least[a]) if near else number(least[a]) for a in inputs}
    for ends in (inputs, inputs[::-1]) if len(inputs) == 2 else ():
        yield {a: _number_near(a, value) if near else number(value) for value, a in enumerate(ends, 1)}


def _number_near(atom: Term, value: int) -> Term:
    return number(nearest(atom, value) if isinstance(atom, Symbol) else value)


def _is_of_device(atom: Term) -> bool:
    """What a device has, such as `multiProcessorCount`, no caller chooses."""
    return isinstance(atom, Symbol) and atom.name.startswith("device.")


def _tensors_of(atoms: Iterable[Term]) -> set[str]:
    """The tensors of which some of the atoms are sizes."""
    names = (a.name for a in atoms if isinstance(a, Symbol) and a.scope == "launch")
    return {name.rpartition(".size(")[0] for name in names if ".size(" in name}


def _same_sizes(loose: Iterable[Term], tied: Iterable[Term]) -> dict[Term, Term]:
    """For each size of other tensors the one of the same dimension by which the extent goes; empty where one has none."""
    own = {str(a.parts[0]).rpartition(".size(")[2]: a for a in sorted(tied, key=lambda t: t.digest) if _tensors_of([a])}
    found = {a: own.get(str(a.parts[0]).rpartition(".size(")[2]) for a in loose if _tensors_of([a])}
    kept = {a: size for a, size in found.items() if size is not None}
    return kept if len(kept) == len(list(loose)) else {}
