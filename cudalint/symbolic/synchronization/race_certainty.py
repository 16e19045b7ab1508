"""How certain a race is that a model shows: whether it needs luck, contents of memory, or a search that finds two places."""

from __future__ import annotations

import re
from itertools import combinations

from cudalint import ir
from cudalint.analysis.synchronization.split_updates import split_updates
from cudalint.finding import Confidence, ThreadAccess, Witness
from cudalint.ir.walk import statements
from cudalint.symbolic.issues import Race
from cudalint.symbolic.model import MEMORY_PREFIX, Access, MemoryObject, scope_of
from cudalint.symbolic.ordinary import is_input
from cudalint.symbolic.solver.question import SMALL_STEPS, Model, Query, Unsatisfiable
from cudalint.symbolic.synchronization import ordering
from cudalint.symbolic.synchronization.access_pairs import conjuncts
from cudalint.symbolic.synchronization.contests import Contests
from cudalint.symbolic.synchronization.digits import shares_weight
from cudalint.symbolic.synchronization.locks import Locks
from cudalint.symbolic.synchronization.pairs import (
    Threads,
    differs,
    is_approximate,
    memory_values,
    pair_facts,
    scope_of_atom,
)
from cudalint.symbolic.verdicts.checked import contents_in
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.verdicts.facts import is_lost
from cudalint.symbolic.verdicts.lost_values import HELD, for_several_values, holds_whatever_is_lost
from cudalint.symbolic.verdicts.reduced import reduced
from cudalint.symbolic.verdicts.witnesses import held_contents
from cudalint.symbolic.walk.collectives import COLLECTIVE
from cudalint.symbolic.walk.execute import Walk
from cudalint.symbolic.walk.integers import between
from cudalint.symbolic.walk.signals import is_signalled
from cudalint.term import (
    AtMostZero,
    IsZero,
    Sum,
    Symbol,
    Term,
    add,
    conjunction,
    equal,
    free_symbols,
    ideal,
    labels,
    multiply,
    number,
    quotient,
    rewrite,
    substitute,
    subtract,
)

DIMENSIONS = ("gridDim", "blockDim")
LARGE_ELEMENT = 1 << 12  # bytes
_DISTINCT = re.compile(r"uniq|permut|(^|_)perm(_|$)|distinct", re.IGNORECASE)
ROUNDS = ("loop", "check")  # what holds in a loop's rounds, and behind them
NEAR_CONTENT = 1 << 10  # of an index that a witness takes from memory
WIDE_CONTENT = 1 << 24  # as a stride of rows


class Certainty:
    """Judges the races of one walk."""

    def __init__(self, walk: Walk, decider: Decider) -> None:
        self.walk = walk
        self.decider = decider
        self.locks = Locks(walk)
        self.contests = Contests(walk)

    def _race(
        self, array: MemoryObject, a: Access, b: Access, left: Term, right: Term, model: Model, confidence: Confidence,
        terms: list[Term], threads: Threads,
    ) -> Race:  # fmt: skip
        decider = self.decider
        sided = [decider.rests_on_contents(self._index(access)) for access in (a, b)]
        scattered = any(sided)
        signals = self.walk.grid_signals - self.contests.names
        guards = [c.term for c in (*a.path, *b.path) if not is_signalled(signals, c.term)]
        guarded = any(decider.rests_on_contents(guard) for guard in guards)
        if "volatile" in (a.order, b.order):
            guarded = False  # in a run ordered accesses meet without a race
        # one side goes over all of the array, so that they meet wherever the other one goes
        met = (
            scattered
            and not all(sided)
            and confidence is Confidence.HIGH
            and not (guarded and self._are_kept_out(a, b, threads.same_block))
        )
        chosen = scattered and any(decider.rests_on_contents(reduced(self._index(access))) for access in (a, b))
        kept_apart = (
            (
                chosen
                and not (
                    self._is_update(a, b) and not self._is_named_distinct(a) and self._meets_by_luck(a, terms, threads)
                )
            )
            or any(self._begins_at_contents(access, threads.same_block) for access in (a, b))
            or all(map(self._takes_from_chosen_counter, (a, b)))
        )
        if (kept_apart and not met) or self._rests_on_small_elements(terms, threads):
            confidence = Confidence.LOW
        elif confidence is Confidence.HIGH:
            known = pair_facts(decider, terms, threads.same_block)
            chosen_by_data = guarded and (self._is_search(a, b) or self._lies_beside(a, b))
            loose = chosen_by_data or decider.rests_on_loose_values(*known, *terms)
            loose = loose or decider.rests_on_files(*known, *terms)
            loose = loose or (threads.same_block and self._pass_a_primitive(a, b))
            if loose or decider.rests_on_lost_block(known, *terms) or self._needs_a_later_block(known, terms, threads):
                confidence = Confidence.MEDIUM
        deciding = self._deciding(a, b, terms, threads)
        lost = is_approximate(deciding)
        unsure = scattered or lost or guarded
        if unsure and not scattered and confidence is Confidence.HIGH:
            model, unsure = self._whatever_is_held(deciding, terms, threads, model)
        suspected = unsure and not (self._meets_always(a, b) or _follow_each_other(a, b))
        if suspected:  # a run decides whether two threads get here at all
            computed = (*(threads.first(c.term) for c in a.path), *(threads.second(c.term) for c in b.path))
            near = [between(0, value, NEAR_CONTENT) for value in contents_in([left, right])]  # that an array may have
            roomy = threads.roomy([*terms, *near], computed) if near else None
            model = roomy or threads.roomy(terms, computed) or model
        sides: list[ThreadAccess] = []
        for access, offset, suffix in ((a, left, "@1"), (b, right, "@2")):
            block, thread = decider.place(model, suffix)
            index = model.value(quotient(offset, number(access.size)))
            sides.append(ThreadAccess(block, thread, access.kind, access.span.path, access.span.line, index))
        witness = Witness(
            launch=decider.shape(model),
            values=decider.input_values(model),
            block=sides[0].block,
            thread=sides[0].thread,
            threads=tuple(sides),
            index=sides[0].index,
            contents=self._held(model, a, b, threads) if suspected else {},
            memory=array.name,
        )
        _, assumptions = decider.relevant(*(c.term for c in (*a.path, *b.path)), a.offset, b.offset)
        facts = tuple(dict.fromkeys(assumptions))
        unfenced = not threads.same_block and ordering.is_unfenced(self.walk, self.locks, a, b)
        return Race(
            array, a, b, witness, facts, confidence, suspected, (), not threads.same_block, unfenced, scattered,
            extraordinary=model.extraordinary,
        )  # fmt: skip

    @staticmethod
    def _whatever_is_held(
        deciding: list[Term], terms: list[Term], threads: Threads, model: Model
    ) -> tuple[Model, bool]:
        """A model for which what the walk has lost, and what memory holds, makes no difference, and whether there is none."""
        question = conjunction(*deciding)
        if holds_whatever_is_lost(question, model, HELD):
            return model, False
        other, confidence, _ = threads.decide("race whatever is held", [*terms, *for_several_values(question, HELD)])
        certain = other is not None and confidence is Confidence.HIGH and holds_whatever_is_lost(question, other, HELD)
        return (other, False) if certain and other is not None else (model, True)

    def _held(self, model: Model, a: Access, b: Access, threads: Threads) -> dict[str, int]:
        """What memory has to hold for both to come there; one side of two at the same statement is enough."""
        views = [(a, threads.first)] + ([] if a.span == b.span else [(b, threads.second)])
        guards = [view(c.term) for access, view in views for c in access.path]
        guards = [guard for guard in guards if self.decider.rests_on_contents(guard)]
        held = held_contents(model, *guards)
        for value in contents_in(guards):  # what an exchange found there
            claim = self.walk.claims.get(str(value.parts[0]).partition("@")[0])
            if claim is not None:
                held.setdefault(claim.object.name, model.value(value))
        if self._is_update(a, b) and not self._is_named_distinct(
            a
        ):  # all come to one element where every place is the same
            for name in arrays_of(self._index(a)):
                held.setdefault(name, 0)
        return held

    def _pass_a_primitive(self, a: Access, b: Access) -> bool:
        """A block-wide primitive lies between the two: its documentation orders no memory of others, its barriers do."""
        earlier, later = sorted((a, b), key=lambda access: access.serial)
        if COLLECTIVE in (a.order, b.order):
            return False
        way = {c.term for c in later.path}
        return any(
            c.order == COLLECTIVE and earlier.serial < c.serial < later.serial and {x.term for x in c.path} <= way
            for c in self.walk.accesses
        )

    def _needs_a_later_block(self, known: list[Term], terms: list[Term], threads: Threads) -> bool:
        """Nothing tells the grid, and in its first block the two do not meet: where sizes decide that, later ones need not be.

        A block that lies behind the data is what a caller launches none of; a race of the last part of the data is one of the
        first block, too, where there is less of them.
        """
        builtin, lost = self.decider.environment.builtin, self._lost_sides()
        if not threads.same_block or not lost:
            return False
        dimensions = frozenset().union(
            *(free_symbols(builtin(f"{part}.{axis}")) for part in DIMENSIONS for axis in "xyz")
        )
        if not any(is_input(atom) and atom not in dimensions for term in terms for atom in free_symbols(term)):
            return False
        first = [equal(builtin(f"blockIdx.{axis}"), number(0)) for axis in lost] + threads.ordinary(terms)
        answer = self.decider.solver.check(Query("race in the first block", (*known, *terms, *first), SMALL_STEPS))
        return isinstance(answer, Unsatisfiable)

    def _lost_sides(self) -> list[str]:
        """The sides of the grid that the host code does not tell."""
        builtin = self.decider.environment.builtin
        return [axis for axis in "xyz" if isinstance(side := builtin(f"gridDim.{axis}"), Symbol) and is_lost(side)]

    def _deciding(self, a: Access, b: Access, terms: list[Term], threads: Threads) -> list[Term]:
        """Without how loops that are over have ended, for two threads that are in no loop: both have come here.

        Blocks that tell each other something may wait in a loop: those stay whose end rests on what another block has told.
        """
        if a.loops or b.loops:
            return terms
        views = ((a, threads.first), (b, threads.second))
        told = set() if threads.same_block else self.walk.grid_signals
        over = {
            x
            for side, view in views
            for c in side.path
            if c.cause == "check" and not is_signalled(told, c.term)
            for x in conjuncts(view(ideal(c.term)))
        }
        return [part for term in terms for part in conjuncts(term) if part not in over]

    def _are_kept_out(self, a: Access, b: Access, same_block: bool) -> bool:
        """By what memory holds, other than by the value that is the index: `if (at[0] >= 0) x[at[0]] = 0` goes somewhere.

        What all threads of the block read alike, `i < lengths[blockIdx.x]`, is as good as a size that the kernel is given, and
        so is the number of rounds of a loop, `for (e = first[v]; e < first[v + 1]; e++)`. Where one of them is atomic the kernel
        takes others to come there: a cutoff, `if (r2 < cutoff) atomicAdd(&force[at[k]], f)`, makes it no one's own.
        """
        signals = self.walk.grid_signals - self.contests.names
        shared = "atomic" in (a.kind, b.kind)
        for access in (a, b):
            places = set(contents_in((self._index(access),)))
            guards = [c.term for c in access.path if c.cause not in ROUNDS and not is_signalled(signals, c.term)]
            guards = [g for g in guards if not same_block or memory_values(g)]
            guards = [g for g in guards if not (shared and _compares_floats(g))]
            if any(self.decider.rests_on_contents(g) and not places.issuperset(contents_in((g,))) for g in guards):
                return True
        return False

    def _meets_always(self, a: Access, b: Access) -> bool:
        """`*sum += x` at the kernel's end: one element, and every thread comes there, however it went through the loops before."""
        one = not any(differs(scope_of_atom(atom), False) for access in (a, b) for atom in free_symbols(access.offset))
        kernel = self.decider.environment.kernel
        return one and all(_is_always_reached(access, kernel) for access in (a, b))

    def _rests_on_small_elements(self, terms: list[Term], threads: Threads) -> bool:
        """A type whose definition is not there is as large as its members: smaller ones would lie in each other."""
        sizes = {a for term in terms for a in free_symbols(term) if str(a.parts[0]).startswith("sizeof(")}
        large = [substitute(term, dict.fromkeys(sizes, number(LARGE_ELEMENT))) for term in terms if sizes]
        return bool(sizes) and threads.decide("race of large elements", large)[1] is not Confidence.HIGH

    def _meets_by_luck(self, access: Access, terms: list[Term], threads: Threads) -> bool:
        """Each thread reads where it goes; a stride that all of them read is as wide as its rows are."""
        if memory_values(self._index(access), same_block=threads.same_block):
            return True
        values = frozenset(value for value in contents_in(terms) if self.decider.rests_on_contents(value))
        wide = [rewrite(term, lambda part: number(WIDE_CONTENT) if part in values else None) for term in terms]
        _, confidence, _ = threads.decide("race with a wide stride", wide)
        return confidence is Confidence.HIGH

    def _is_update(self, a: Access, b: Access) -> bool:
        """`x[at[i]] += v`: nothing but luck keeps two equal indices apart.

        A record that is replaced as a whole, such as the state of a random generator, adds nothing up: it belongs to the one that
        the index names, and whoever fills the indices names each once. One number that all threads store, `if (x[i] != DONE)
        x[i] = NEXT`, is there whoever comes last.
        """
        if a.offset is b.offset and {a.kind, b.kind} == {"read", "atomic"}:
            return self._is_split_update(a, b)  # who adds atomically expects others there
        if a.offset is not b.offset or {a.kind, b.kind} != {"read", "write"}:
            return False
        stored = (a if a.kind == "write" else b).value
        if isinstance(stored, Term) and scope_of(stored) != "thread":
            return False
        if isinstance(a.object.type, ir.Struct) and a.size == a.object.type.size:
            return False
        return a.span.line == b.span.line or self._is_split_update(a, b)

    def _is_split_update(self, a: Access, b: Access) -> bool:
        """The same in several statements.

        Not in a row that each block reads for itself, `state + slot[blockIdx.x] * n`: it is one that the block has for its own.
        """
        read, write = (a, b) if a.kind == "read" else (b, a)
        if all(scope_of(value) != "thread" for value in contents_in([self._index(write)])):
            return False
        return (read.span, write.span) in split_updates(self.decider.environment.kernel)

    def _is_named_distinct(self, access: Access) -> bool:
        """`count[unique_keys[i]] += 1`: the array that says where is called one in which no value comes twice."""
        return any(_DISTINCT.search(name) for name in arrays_of(self._index(access)))

    def _begins_at_contents(self, access: Access, same_block: bool) -> bool:
        """`start[row] + column`: whoever fills such an array keeps its ranges apart; the row may be that of the block."""
        contents = frozenset(memory_values(self._index(access), same_block=same_block))
        return bool(contents) and shares_weight(ideal(access.offset), contents, same_block)

    def _takes_from_chosen_counter(self, access: Access) -> bool:
        """`at = atomicAdd(&next[key[i]], 1)`: whoever fills the counters keeps the ranges of the keys apart."""
        atoms = free_symbols(access.offset)
        return any(ticket.result in atoms and scope_of(ticket.offset) == "thread" for ticket in self.walk.tickets)

    def _is_search(self, a: Access, b: Access) -> bool:
        """`if (keys[t] <= key && key < keys[t + 1]) *place = t`: one thread finds it; whoever fills the array sorts it."""
        if "thread" in (scope_of(ideal(a.offset)), scope_of(ideal(b.offset))):
            return False
        guards = {part for conjunct in a.path for part in conjuncts(conjunct.term)}
        guards &= {part for conjunct in b.path for part in conjuncts(conjunct.term)}
        changed = {x.object.name for x in self.walk.accesses if x.kind != "read"}
        read = [g for g in guards if self.decider.rests_on_contents(g) and arrays_of(g) - changed]
        writes_alone = a.span == b.span and a.kind == b.kind == "write"
        if not writes_alone:  # a step from where the search stands, between two neighbours of one array
            return any(_are_of_one_array(*pair) and _enclose(*pair) for pair in combinations(read, 2))
        return any(isinstance(part, IsZero) for part in read) or len(read) > 1

    def _lies_beside(self, a: Access, b: Access) -> bool:
        """Both come there as what memory holds says, in parts that sizes set apart: whoever fills it keeps to the parts."""
        rests = self.decider.rests_on_contents
        if not all(any(rests(c.term) and scope_of(c.term) == "thread" for c in each.path) for each in (a, b)):
            return False
        apart = subtract(_common_part(ideal(a.offset)), _common_part(ideal(b.offset)))
        return any(is_input(atom) for atom in free_symbols(apart))

    def _index(self, access: Access) -> Term:
        """The offset without tickets, which differ whatever the memory holds."""
        tickets: dict[Term, Term] = {t.result: number(0) for t in self.walk.tickets}
        return substitute(access.offset, tickets)


def _common_part(offset: Term) -> Term:
    """Of an offset, the summands that are the same for all threads of the block."""
    parts = offset.monomials if isinstance(offset, Sum) else (((offset,), 1),)
    common = number(offset.constant if isinstance(offset, Sum) else 0)
    for monomial, factor in parts:
        if not any(scope_of(atom) == "thread" for atom in monomial):
            product = number(factor)
            for atom in monomial:
                product = multiply(product, atom)
            common = add(common, product)
    return common


def _compares_floats(guard: Term) -> bool:
    """Nothing but numbers of floating point is read for it."""
    read = [label for label in labels(guard) if label.startswith(MEMORY_PREFIX)]
    return bool(read) and all(label.startswith(f"{MEMORY_PREFIX}float ") for label in read)


def arrays_of(term: Term) -> set[str]:
    """The arrays that values in the term were read from."""
    return {array_of(label) for label in labels(term) if label.startswith(MEMORY_PREFIX)}


def array_of(label: str) -> str:
    return label.removeprefix(MEMORY_PREFIX).partition("#")[0].partition("@")[0]


def _are_of_one_array(one: Term, other: Term) -> bool:
    """`keys[t] <= key` and `key < keys[t + 1]`: other elements of the same array."""
    return arrays_of(one) == arrays_of(other) and not set(contents_in((one,))) >= set(contents_in((other,)))


def _enclose(one: Term, other: Term) -> bool:
    """What both compare with elements of an array is one value, which lies above the one and below the other."""
    if not isinstance(one, AtMostZero) or not isinstance(other, AtMostZero):
        return False
    left = contents_in((add(one.parts[0], other.parts[0]),))
    return len(left) == 2 and len({array_of(str(content.parts[0])) for content in left}) == 1


def _follow_each_other(a: Access, b: Access) -> bool:
    """Two calls of block-wide primitives under the same conditions: all threads that come to one come to the other.

    No run shows what they do inside.
    """
    if not (a.order == b.order == COLLECTIVE) or a.serial == b.serial:
        return False
    return {c.term for c in a.path} == {c.term for c in b.path} and all(scope_of(c.term) != "thread" for c in a.path)


def _is_always_reached(access: Access, kernel: ir.Function) -> bool:
    """A statement of the kernel's own body, under no condition, with none before it that may end the thread."""
    for stmt in kernel.body:
        if stmt.span == access.span:
            return not access.loops
        if any(isinstance(inner, ir.Return | ir.Trap | ir.Unmodelled | ir.Call) for inner in statements((stmt,))):
            return False
    return False
