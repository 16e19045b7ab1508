"""Elements that a guard lets through and no thread of the launch comes to (SEMANTICS 25).

`if (i < n) y[i] = ...` obliges the launch to supply n threads along i. A grid that was rounded down, a block of fixed size
for a row of any length, and a guard by a size that the launch was not made for leave elements as they were.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from cudalint import ir
from cudalint.finding import Assumption, Confidence
from cudalint.ir.walk import evaluated, places, root, statements
from cudalint.source import Span
from cudalint.symbolic.host.scan import launches_in
from cudalint.symbolic.indexing.fresh_memory import element_of, is_unset
from cudalint.symbolic.indexing.guarded_places import PLACES, Guard, Guards, place_of
from cudalint.symbolic.issues import LostWork
from cudalint.symbolic.model import Access, MemoryObject
from cudalint.symbolic.ordinary import REGION, is_input, ordinary_inputs
from cudalint.symbolic.solver.parts import conjuncts
from cudalint.symbolic.solver.question import Model, Query
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.walk.environment import Environment
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import (
    AtMostZero,
    Choice,
    IsZero,
    Number,
    Quotient,
    Sum,
    Symbol,
    Term,
    Undefined,
    add,
    at_most,
    conjunction,
    equal,
    free_symbols,
    ideal,
    labels,
    number,
    quotient,
    remainder,
    scale,
    substitute,
    subterms,
    subtract,
)

_OF_LAUNCH = re.compile(r"block|group|thread|warp|tile|cta|per_|lane|chunk")
_SIDE_OF_REGION = re.compile(rf"{REGION}\.(width|height|w|h|rows|cols)$", re.IGNORECASE)
_CHANGES = ("write", "atomic")
LARGEST_BLOCK = 1024
LARGEST_COUNT = 1 << 28  # elements that a capped grid is made for


def find_lost_work(
    walk: Walk, decider: Decider, beyond: Collection[tuple[Span, MemoryObject | None]]
) -> Iterator[LostWork]:
    """One for each object and number of elements that guarded writes leave out, but for those that go `beyond` their object."""
    told: dict[tuple[MemoryObject, Term, Term, str], LostWork] = {}
    for lost in _lost_writes(walk, decider):
        if (lost.span, lost.object) in beyond:
            continue
        key = (lost.object, lost.wanted, lost.reached, f"{lost.meant} {lost.span}" if lost.meant else "")
        first = told.setdefault(key, lost)
        if first is not lost:
            told[key] = replace(first, beside=(*first.beside, lost.span))
    yield from told.values()


def _lost_writes(walk: Walk, decider: Decider) -> Iterator[LostWork]:
    environment = decider.environment
    if not environment.launch_known or walk.stopped or environment.contract.uncalled:
        return
    groups: dict[tuple[Span, MemoryObject], list[Access]] = {}
    for access in walk.accesses:
        if access.kind in _CHANGES and access.object.memory == "global":
            groups.setdefault((access.span, access.object), []).append(access)
    guards = Guards(walk)
    for (span, found), accesses in groups.items():
        if any(_traps(access, walk) for access in accesses):
            continue
        others = [a for (_, o), group in groups.items() if o is found and group is not accesses for a in group]
        lost = _lost(span, found, accesses, others, guards, walk, decider)
        if lost is None and not others and _launches_once(environment):
            lost = _lost_tail(span, found, accesses, list(_whole_rows(walk.accesses)), decider)
            lost = lost or _between_blocks(span, found, accesses, guards, decider)
        if lost is not None:
            yield lost


def _traps(access: Access, walk: Walk) -> bool:
    """Whoever makes the access ends the kernel with an error: it is not meant to run like this, and not for this target."""
    way = {c.term for c in access.path}
    return any(way.issuperset(c.term for c in trap) for trap in walk.traps)


def _lost(
    span: Span, found: MemoryObject, accesses: list[Access], others: list[Access], guards: Guards, walk: Walk,
    decider: Decider,
) -> LostWork | None:  # fmt: skip
    environment = decider.environment
    first = guards.of(accesses[0])
    for wanted, guard in first.items():
        if any(wanted not in guards.of(access) for access in (*accesses, *others)):
            continue  # another write comes to the rest
        if _is_of_one_thread(guard, accesses[0]):
            continue  # it writes what there is one of for the whole block
        if decider.rests_on_contents(guard.wanted):
            continue  # a size that memory holds is the one that the launch was made with, or no more
        every = [guards.of(access)[wanted] for access in (*accesses, *others)]
        meant = _meant_size(guard, environment)
        lost = _made_for_another(span, found, guard, meant, decider) if meant else None
        if lost is None and _is_tied(guard, decider):
            beside = [g for g in first.values() if g.axes == guard.axes]  # the next thread has to pass them all
            whole = list(_whole_vectors(guard, guards, walk))
            passed = list(dict.fromkeys((guard, *every, *beside)))
            lost = _too_few(span, found, accesses[0], passed, whole, decider)
        if lost is not None:
            return lost
    return None


def _is_of_one_thread(guard: Guard, access: Access) -> bool:
    """`if (t >= n) return;  if (t == 0) y[blockIdx.x] = sum;`: further threads would write nothing."""
    settled = {p.parts[0] for c in access.path for p in conjuncts(c.term) if isinstance(p, IsZero)}
    return settled.issuperset(atom for atom in free_symbols(guard.place) if str(atom.parts[0]) in PLACES)


# --- the elements between blocks ---------------------------------------------------------------------------------------


def _between_blocks(
    span: Span, found: MemoryObject, accesses: list[Access], guards: Guards, decider: Decider
) -> LostWork | None:
    """`blockIdx.y * 8 + threadIdx.y < rows` in blocks of one row: of eight rows nobody comes to seven."""
    for wanted, guard in guards.gaps(accesses[0]).items():
        if not all(wanted in guards.gaps(access) and not access.loops for access in accesses):
            continue
        question = conjunction(*_of_sizes(accesses[0]), at_most(add(guard.reached, number(1)), wanted))
        terms, facts = decider.relevant(question)
        lost = _shown(span, found, (wanted, guard.reached), [*terms, question], facts, decider)
        if lost is not None:
            return replace(lost, skipped=True)
    return None


# --- the last elements -------------------------------------------------------------------------------------------------


def _lost_tail(
    span: Span, found: MemoryObject, accesses: list[Access], whole: list[Term], decider: Decider
) -> LostWork | None:
    """Vectors of a count that was rounded down cover all of the memory but what is left over."""
    first, element = accesses[0], element_of(found)
    if found.size is None or not element or first.size <= element or not is_unset(found, decider.environment):
        return None
    for wanted in _vectors(first):
        if not all(wanted in _vectors(access) for access in accesses):
            continue
        if not free_symbols(found.size) <= free_symbols(wanted):
            continue  # callers relate the two
        gap = subtract(found.size, scale(wanted, first.size))
        question = conjunction(*_of_sizes(first), *whole, at_most(number(1), gap), at_most(gap, number(first.size - 1)))
        terms, facts = decider.relevant(question)
        counts = (quotient(found.size, number(element)), scale(wanted, first.size // element))
        lost = _shown(span, found, counts, [*terms, question], facts, decider)
        if lost is not None:
            return lost
    return None


def _whole_rows(accesses: list[Access]) -> Iterator[Term]:
    """`scale[i / (columns / 8)]`: who finds the row by the number of vectors in one has rows of whole vectors."""
    divisors = {t.parts[1] for t in subterms(a.offset for a in accesses) if isinstance(t, Quotient)}
    for row in sorted((t for t in subterms(divisors) if isinstance(t, Quotient)), key=lambda t: t.digest):
        size, vector = row.parts
        rounded_up = isinstance(size, Sum) and size.constant != 0
        if isinstance(vector, Number) and not rounded_up and all(map(is_input, free_symbols(size))):
            yield equal(remainder(size, vector), number(0))


def _vectors(access: Access) -> list[Term]:
    """Sizes that a quotient gave and that guard the number of the vector that is written."""
    found: list[Term] = []
    for part in (p for c in access.path for p in conjuncts(c.term) if isinstance(p, AtMostZero)):
        difference = ideal(part.parts[0])
        place = place_of(difference)
        wanted = add(subtract(place, difference), number(1))
        rounded = any(isinstance(t, Quotient) for t in subterms([wanted]))
        if rounded and ideal(access.offset) is scale(place, access.size) and all(map(is_input, free_symbols(wanted))):
            found.append(wanted)
    return found


def _launches_once(environment: Environment) -> bool:
    """No other launch of the host function writes what this one leaves."""
    site = environment.contract.launch_site
    hosts = [f for f in environment.unit.functions.values() if site is not None and f.name == site.host_function]
    return bool(hosts) and all(sum(1 for _ in launches_in(host.body)) == 1 for host in hosts)


# --- what the launch gives ---------------------------------------------------------------------------------------------


def _inputs_of_launch(guard: Guard, environment: Environment) -> frozenset[Term] | None:
    """What the dimensions behind the guard are made of; None where the host code lost some of it, or
    where callers choose the launch."""
    atoms = frozenset().union(*(free_symbols(environment.builtin(axis)) for axis in sorted(guard.axes)))
    named = any(isinstance(a, Symbol) and _OF_LAUNCH.search(a.name.rpartition(":")[2].lower()) for a in atoms)
    return atoms if all(map(is_input, atoms)) and not named else None


def _is_tied(guard: Guard, decider: Decider) -> bool:
    """The launch is made of what the guard speaks of; or host code gives it a fixed size along it, and the guard a size of
    the data."""
    inputs = _inputs_of_launch(guard, decider.environment)
    if inputs is None:
        return False
    if not inputs:
        return (
            decider.environment.contract.launch_site is not None
            and all(isinstance(a, Symbol) and _is_data_size(a) for a in free_symbols(guard.wanted))
            and not _is_for_another_number(guard, decider.environment)
        )
    wanted = free_symbols(guard.wanted)
    if not inputs <= wanted and not all(_is_related(size, inputs, decider.environment) for size in wanted - inputs):
        return False  # `num_rows * k` threads and `active_rows * k` elements: callers keep the one below the other
    return all(_is_related(side, inputs, decider.environment) for side in _alternatives(guard.wanted))


def _alternatives(size: Term) -> list[Term]:
    """`whole` and `mine` of `is_main ? whole : mine`: one that has nothing to do with the launch, callers keep others for."""
    if not isinstance(size, Choice):
        return [size]
    return [part for side in size.parts[1:] for part in _alternatives(side) if not isinstance(part, Number)]


def _is_for_another_number(guard: Guard, environment: Environment) -> bool:
    """The launch has just the blocks that another number needs which the kernel is given: the guard is by a capacity."""
    given = [value.value for value in environment.bindings.values() if isinstance(value, Number)]
    reached = guard.reached
    return isinstance(reached, Number) and any(reached.value - LARGEST_BLOCK < n <= reached.value for n in given)


def _is_related(size: Term, inputs: frozenset[Term], environment: Environment) -> bool:
    return not inputs.isdisjoint(_component(size, environment))


def _is_data_size(size: Symbol) -> bool:
    """A size of a tensor, or a number that the host function takes and does not call one of the launch."""
    last = size.name.rpartition(":")[2]
    return ".size(" in last or ".numel(" in last or ("." not in last and not _OF_LAUNCH.search(last.lower()))


def _component(size: Term, environment: Environment) -> set[Term]:
    """What the size is made of, and all that some fact speaks of together with it."""
    atoms = set(free_symbols(size))
    for fact in environment.facts:
        if not atoms.isdisjoint(free_symbols(fact.term)):
            atoms |= free_symbols(fact.term)
    return atoms


def _meant_size(guard: Guard, environment: Environment) -> str:
    """The parameter with the size that the launch is made of, where the kernel never reads it and the guard is by another."""
    inputs = _inputs_of_launch(guard, environment)
    if not inputs:
        return ""
    for name, value in environment.bindings.items():
        atoms = {a for a in free_symbols(value) if isinstance(a, Symbol)}
        if atoms == inputs and not _may_read(environment.kernel, name):
            return name
    return ""


def _may_read(kernel: ir.Function, name: str) -> bool:
    """Whether the kernel reads a parameter or, of a structure, the member; what has a structure as a whole may read any."""
    owner, _, member = name.partition(".")
    for stmt in statements(kernel.body):
        read = list(evaluated(stmt))
        if any(isinstance(e, ir.Var) and e.name == owner for e in read):
            return True
        for place in (*places(stmt), *(e.place for e in read if isinstance(e, ir.AddressOf))):
            var, way = root(place), _members(place)
            if var is not None and var.name == owner and f"{member}.".startswith(f"{way}." if way else ""):
                return True
    return False


def _members(place: ir.Place) -> str:
    """The members that lead from the variable to the place, as far as they are named."""
    names: list[str] = []
    while isinstance(place, ir.Field | ir.Index):
        names = [place.name, *names] if isinstance(place, ir.Field) else []
        place = place.base
    return ".".join(names)


def _made_for_another(span: Span, found: MemoryObject, guard: Guard, meant: str, decider: Decider) -> LostWork | None:
    inputs = _inputs_of_launch(guard, decider.environment)
    if inputs is None or not inputs.isdisjoint(_component(guard.wanted, decider.environment)):
        return None
    if any(_SIDE_OF_REGION.search(name) for name in labels(guard.wanted)):
        return None  # it lies within what the launch covers
    _, facts = decider.relevant(guard.wanted, guard.reached)
    return LostWork(span, found, guard.wanted, guard.reached, (), None, meant, tuple(facts), Confidence.HIGH)


def _whole_vectors(guard: Guard, guards: Guards, walk: Walk) -> Iterator[Term]:
    """`if (4 * i < n) v = ((float4 *) x)[i]`: who never asks about the parts of a vector means sizes made of whole ones.

    A last part of a vector is another defect, beyond the end of x; one more thread would only come to it.
    """
    if not isinstance(guard.step, Number) or guard.step.value <= 1:
        return
    for access in walk.accesses:
        own = guards.of(access)
        parts = any(isinstance(gap := subtract(guard.wanted, w), Number) and gap.value > 0 for w in own)
        if guard.wanted in own and not parts and _distance(ideal(access.offset)) is number(access.size):
            yield equal(remainder(guard.wanted, guard.step), number(0))
            return


def _distance(offset: Term) -> Term:
    """From what a thread accesses to what the next thread does."""
    threads = (a for a in free_symbols(offset) if isinstance(a, Symbol) and a.name == "threadIdx.x")
    thread: dict[Term, Term] = {a: add(a, number(1)) for a in threads}
    return subtract(substitute(offset, thread), offset)


def _too_few(
    span: Span, found: MemoryObject, access: Access, guards: list[Guard], vectors: list[Term], decider: Decider
) -> LostWork | None:
    """An ordinary launch whose last thread does not come to the last element, along any of the writes."""
    spare = min(_spare(g.wanted) for g in guards)  # `i <= n` lets one more through than the data have
    short = (at_most(add(g.reached, number(1 + spare)), g.wanted) for g in guards)
    whole = (w for g in guards for w in _whole_parts(g.reached, decider.environment))
    question = conjunction(*_of_sizes(access), *short, *whole, *vectors, *_inside(guards[0], access))
    terms, facts = decider.relevant(question)
    counts = (guards[0].wanted, guards[0].reached)
    return _shown(span, found, counts, [*terms, question], facts, decider)


def _inside(guard: Guard, access: Access) -> Iterator[Term]:
    """`k<<<blocks - 1, 256>>>(y + 256, n)`: what one more thread would write has to be in the memory behind the pointer."""
    size, base = access.object.size, subtract(ideal(access.offset), scale(guard.place, access.size))
    if size is not None and not any(isinstance(a, Symbol) and a.name in PLACES for a in free_symbols(base)):
        yield at_most(add(base, scale(guard.reached, access.size), number(access.size)), size)


def _whole_parts(reached: Term, environment: Environment) -> Iterator[Term]:
    """`params.c / params.channels_per_block` blocks: who fills a structure fits its members to each other.

    So they do where a `switch` on the member has made it the number that divides.
    """
    for part in subterms((reached,)):
        if not isinstance(part, Quotient):
            continue
        dividend, divisor = part.parts
        parts = _members_that_are(divisor, environment) if isinstance(divisor, Number) else free_symbols(divisor)
        owners = {_owner(atom) for atom in free_symbols(dividend)}
        if len(owners) == 1 and "" not in owners and any(_owner(atom) in owners for atom in parts):
            yield equal(remainder(dividend, divisor), number(0))


def _members_that_are(value: Number, environment: Environment) -> set[Term]:
    """The inputs of which a fact says that they are this number."""
    known = (conjunct for fact in environment.facts for conjunct in conjuncts(fact.term))
    return {atom for part in known for atom in free_symbols(part) if part is equal(atom, value)}


def _owner(atom: Term) -> str:
    """The structure that the value came with; nothing for what is no member of one."""
    return atom.name.rpartition(".")[0] if isinstance(atom, Symbol) and is_input(atom) else ""


def _spare(wanted: Term) -> int:
    return max(0, wanted.constant) if isinstance(wanted, Sum) else 0


def _of_sizes(access: Access) -> list[Term]:
    """The conditions on the way that are the same for all threads."""
    return [p for c in access.path for p in conjuncts(c.term) if all(map(is_input, free_symbols(p)))]


def _shown(
    span: Span,
    found: MemoryObject,
    counts: tuple[Term, Term],
    question: list[Term],
    facts: list[Assumption],
    decider: Decider,
) -> LostWork | None:
    """With an ordinary launch for which the question holds; `counts` are the elements that there are, and those reached.

    What the host code computes is meant as it stands: too many elements for its integers are another defect.
    """
    question = [ideal(part) for part in question]
    if decider.solver.refutes(Query("lost work", tuple(question))):
        return None
    atoms = sorted(frozenset().union(*map(free_symbols, question)), key=lambda t: t.digest)
    model = decider.ordinary_model(question, atoms) or _beyond_cap(question, counts, atoms, decider)
    if model is None:
        return None
    try:
        numbers = (model.value(counts[0]), model.value(counts[1]))
        values = tuple(sorted(decider.input_values(model).items()))
    except Undefined:
        return None
    return LostWork(span, found, *counts, values, numbers, "", tuple(facts), Confidence.HIGH)


def _beyond_cap(question: list[Term], counts: tuple[Term, Term], atoms: list[Term], decider: Decider) -> Model | None:
    """`min(ceil_div(n, 256), 65535)` blocks: who caps the grid counts on data beyond the cap, ordinary or not."""
    wanted, reached = map(ideal, counts)
    capped = any(
        isinstance(t, Choice) and any(isinstance(p, Number) for p in t.parts[1:]) for t in subterms((reached,))
    )
    if not capped or not isinstance(wanted, Symbol):
        return None
    others = ordinary_inputs([atom for atom in atoms if atom is not wanted])
    facts = [ideal(fact.term) for fact in decider.environment.facts]
    just = (equal(wanted, add(reached, number(1))), at_most(wanted, number(LARGEST_COUNT)))
    return decider.solver.find(Query("beyond the cap", (*question, *facts, *others, *just)))
