"""Two threads from one walk: the symbols that differ between them are renamed `@1` and `@2`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from math import prod

from cudalint.finding import Confidence, ThreadAccess, Witness
from cudalint.source import Span
from cudalint.symbolic.model import APPROXIMATE_PREFIX, MEMORY_PREFIX, Path, applications, rests_on, scope_of
from cudalint.symbolic.ordinary import is_computed_input, is_input, ordinary_inputs, ordinary_launches
from cudalint.symbolic.solver.question import Answer, Model, Query, Undecided, Unsatisfiable
from cudalint.symbolic.verdicts.checked import contents_in
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.verdicts.facts import defined, wrapped_parts
from cudalint.symbolic.walk.integers import between
from cudalint.term import (
    FALSE,
    Flag,
    IsZero,
    Number,
    Quotient,
    Sum,
    Symbol,
    Term,
    Undefined,
    at_most,
    cached_by_term,
    conjunction,
    disjunction,
    equal,
    flag,
    free_symbols,
    interval,
    multiply,
    negation,
    number,
    quotient,
    remainder,
    rewrite,
    symbol,
)

ROOMY = (300, 60)
MANY_BLOCKS = 16
FEW_BLOCKS = {"gridDim.x": 32, "gridDim.y": 4, "gridDim.z": 4}  # of a run
MOST_LANES = 1 << 17  # threads of a run
MOST_TRIED = 8  # inputs, one by one
WARP = 32
WHOLE = 1 << 10  # a multiple of every side of a block
THREAD_AXES = ("threadIdx.x", "threadIdx.y", "threadIdx.z")
BLOCK_AXES = ("blockIdx.x", "blockIdx.y", "blockIdx.z")


class Threads:
    """Two threads of one block, or of different blocks: terms as each of them sees them."""

    def __init__(self, decider: Decider, same_block: bool) -> None:
        self.decider = decider
        self.same_block = same_block
        self._memo: dict[str, dict[Term, Term]] = {"@1": {}, "@2": {}}

    def first(self, term: Term) -> Term:
        return self._seen_by(term, "@1")

    def second(self, term: Term) -> Term:
        return self._seen_by(term, "@2")

    def _seen_by(self, term: Term, suffix: str) -> Term:
        if all(not differs(scope_of_atom(atom), self.same_block) for atom in free_symbols(term)):
            return term
        return rewrite(term, lambda t: _renamed_atom(t, suffix, self.same_block), self._memo[suffix])

    def different(self) -> Term:
        return different_threads(self.decider, self.same_block)

    def decide(self, name: str, terms: list[Term]) -> tuple[Model | None, Confidence | None, bool]:
        return decide_pair(self.decider, name, terms, self.same_block)

    def roomy(self, terms: list[Term], computed: tuple[Term, ...] = ()) -> Model | None:
        """A model whose inputs leave room for many threads, for a run that has to show what a walk only suspects.

        `computed` are the terms as the program computes them: a product of sizes that wraps brings no thread there.
        """
        decider = self.decider
        constraints = [
            *pair_facts(decider, terms, self.same_block),
            *terms,
            *(f.term for f in decider.environment.facts),
        ]
        atoms = sorted(frozenset().union(*(free_symbols(t) for t in constraints)), key=lambda t: t.digest)
        builtin = decider.environment.builtin
        sizes = {builtin("gridDim.x"): (2, 32), builtin("blockDim.x"): (64, 256)}
        given = {size: limits for size, limits in sizes.items() if is_input(size)}
        constraints += [between(low, size, high) for size, (low, high) in given.items()]
        inputs = [atom for atom in atoms if is_input(atom) and not is_computed_input(atom) and atom not in given]
        if not decider.environment.launch_known:
            constraints += ordinary_launches(decider.blocks)[0]
        sides = {builtin(axis): most for axis, most in FEW_BLOCKS.items()}
        chosen = frozenset().union(*(free_symbols(side) for side in sides))
        few = [between(1, side, most) for side, most in sides.items() if not isinstance(side, Number)]
        free = [atom for atom in inputs if atom not in chosen]
        tied = _tied_to(decider, chosen | given.keys())
        loose = [atom for atom in free if atom not in tied]
        ways = [(inputs, []), (free, few), *([(loose, few)] if len(loose) < len(free) else [])]
        if not self.same_block and decider.environment.launch_known and is_input(builtin("gridDim.x")):
            several = at_most(
                number(MANY_BLOCKS), builtin("gridDim.x")
            )  # one row of the data for each: rows may be alike
            ways = [(roomy, [*small, several]) for roomy, small in ways] + ways
        products = [part for part in wrapped_parts(*computed) if scope_of(part) == "launch"]

        def found(least: int, roomy: list[Term], small: list[Term]) -> Model | None:
            room = [between(least, atom, 4 * least) for atom in roomy]
            model = decider.solver.find(Query("roomy", (*constraints, *small, *room)))
            fits = model is not None and self._lanes(model) <= MOST_LANES and not _wraps(model, products)
            return model if fits else None

        for roomy, small in ways:
            for least in ROOMY:
                if (model := found(least, roomy, small)) is not None:
                    return model
        for least in ROOMY if decider.environment.launch_known and len(inputs) <= MOST_TRIED else ():
            able = [
                atom for atom in inputs if found(least, [atom], []) is not None
            ]  # others are fixed: `extent(x) = 4096`
            if 0 < len(able) < len(inputs) and (model := found(least, able, [])) is not None:
                return model
        return None

    def ordinary(self, terms: list[Term]) -> list[Term]:
        """That the inputs in the terms, and in what is known of them, are as large as callers usually make them."""
        known = (*pair_facts(self.decider, terms, self.same_block), *terms)
        atoms = frozenset().union(*(free_symbols(term) for term in known))
        return ordinary_inputs(sorted(atoms, key=lambda atom: atom.digest))

    def _lanes(self, model: Model) -> int:
        """The threads of its launch; more than any run has where the launch is not defined."""
        try:
            shape = self.decider.shape(model)
        except Undefined:
            return MOST_LANES + 1
        return prod((*shape.grid, *shape.block))

    def excludes(self, name: str, terms: list[Term]) -> bool:
        """Linear arithmetic shows that no two threads satisfy the terms."""
        if conjunction(*terms) is FALSE:
            return True
        facts = pair_facts(self.decider, terms, self.same_block)
        return self.decider.solver.refutes(Query(name, (*facts, *terms)))

    def refutes(self, name: str, terms: list[Term]) -> bool:
        """No two threads satisfy the terms, for certain: what `decide` says without a search for a witness."""
        return isinstance(_answer(self.decider, name, terms, self.same_block)[0], Unsatisfiable)


def _tied_to(decider: Decider, sides: frozenset[Term]) -> frozenset[Term]:
    """Sizes that a check holds to those of the launch: `ids.numel() == grad.size(0)`, a block for each."""
    equations = [free_symbols(f.term) for f in decider.environment.facts if isinstance(f.term, IsZero)]
    return frozenset().union(*(atoms for atoms in equations if not atoms.isdisjoint(sides)))


def _wraps(model: Model, values: list[Term]) -> bool:
    """One of the values is not what mathematics makes it, or not defined."""
    try:
        return any(model.value(value) != model.value(value.parts[0]) for value in values)
    except Undefined:
        return True


def scope_of_atom(atom: Term) -> str:
    return str(atom.parts[3] if isinstance(atom, Symbol) else atom.parts[1])


def _renamed_atom(atom: Term, suffix: str, same_block: bool) -> Term | None:
    if isinstance(atom, Symbol):
        name, low, high, scope = atom.parts
        return symbol(name + suffix, low, high, scope) if differs(scope, same_block) else atom
    if isinstance(atom, Flag):
        return flag(atom.parts[0] + suffix, atom.parts[1]) if differs(atom.parts[1], same_block) else atom
    return None


@cached_by_term(maxsize=1 << 14)
def renamed(term: Term, suffix: str, same_block: bool = True) -> Term:
    """The term as thread 1 or 2 sees it; block symbols are shared by threads of one block."""
    if all(not differs(scope_of_atom(atom), same_block) for atom in free_symbols(term)):
        return term
    return rewrite(term, lambda t: _renamed_atom(t, suffix, same_block))


def differs(scope: str, same_block: bool) -> bool:
    """Whether a value of this scope is another one in each of two threads."""
    return scope in ("thread", "warp") or (scope == "block" and not same_block)


def different_threads(decider: Decider, same_block: bool = True) -> Term:
    """The two are not one thread."""
    axes = THREAD_AXES if same_block else BLOCK_AXES
    places = [decider.environment.builtin(axis) for axis in axes]
    return disjunction(*(negation(equal(renamed(p, "@1", same_block), renamed(p, "@2", same_block))) for p in places))


def different_warps(decider: Decider) -> Term:
    return different_groups(decider, WARP)


def different_groups(decider: Decider, size: int) -> Term:
    """Of so many neighbouring lanes of a warp: the two are not in one."""
    group = quotient(decider.environment.linear_thread(), number(size))
    return negation(equal(renamed(group, "@1"), renamed(group, "@2")))


def by_thread_number(path: Path) -> list[Term]:
    """The conditions that the number of the thread alone decides."""
    return [c.term for c in path if is_by_thread_number(c.term)]


def is_by_thread_number(term: Term) -> bool:
    atoms = free_symbols(term)
    return not applications(term) and all(isinstance(a, Symbol) and a.name in THREAD_AXES for a in atoms)


def pair_facts(decider: Decider, terms: Iterable[Term], same_block: bool = True) -> list[Term]:
    """The facts that matter for the terms, for both threads."""
    atoms = frozenset(original(atom) for term in terms for atom in free_symbols(term))
    facts, _ = decider.relevant_to(atoms)
    both = [renamed(fact, suffix, same_block) for fact in facts for suffix in ("@1", "@2")]
    return list(dict.fromkeys(both))


def original(atom: Term) -> Term:
    """The symbol or flag before renaming."""
    name = str(atom.parts[0])
    if not name.endswith(("@1", "@2")):
        return atom
    return symbol(name[:-2], *atom.parts[1:]) if isinstance(atom, Symbol) else flag(name[:-2], atom.parts[1])


def decide_pair(
    decider: Decider, name: str, terms: list[Term], same_block: bool = True
) -> tuple[Model | None, Confidence | None, bool]:
    """(witness, confidence, decided): no witness and decided means that no two threads satisfy the terms."""
    answer, facts = _answer(decider, name, terms, same_block)
    if isinstance(answer, Unsatisfiable):
        return None, None, True
    atoms = sorted(frozenset().union(*(free_symbols(t) for t in (*facts, *terms))), key=lambda t: t.digest)
    ordinary = decider.ordinary_model([*facts, *terms], atoms)
    if ordinary is not None and _tells_all(ordinary, terms, decider):
        fits = decider.environment.contract.uncalled and not _goes_wrong_in_whole_blocks(
            decider, [*facts, *terms], atoms
        )
        return replace(ordinary, extraordinary=fits), Confidence.MEDIUM if fits else Confidence.HIGH, True
    told = isinstance(answer, Model) and _tells_all(answer, terms, decider)
    missing = [divided for divided in defined(*terms, *_launch_of(decider)) if divided not in terms]
    if missing and (ordinary is not None or (isinstance(answer, Model) and not told)):
        model, confidence, _ = decide_pair(decider, name, [*terms, *missing], same_block)
        return model, confidence, model is not None  # `m ? n / m : 0` is defined for any m: nothing else is excluded
    if not isinstance(answer, Model) or not told:
        return None, None, False
    if ordinary is None and all(map(_is_of_any_launch, atoms)):
        return replace(answer, of_any_launch=True), Confidence.HIGH, True
    return replace(answer, extraordinary=True), Confidence.MEDIUM, True


def _answer(decider: Decider, name: str, terms: list[Term], same_block: bool) -> tuple[Answer, list[Term]]:
    """Whether two threads satisfy the terms, and the facts that were taken into account."""
    if conjunction(*terms) is FALSE:
        return Unsatisfiable(), []
    facts = pair_facts(decider, terms, same_block)
    answer = decider.solver.check(Query(name, (*facts, *terms)))
    if isinstance(answer, Undecided) and len(without := _without_contents(facts, terms)) < len(facts):
        facts = without
        answer = decider.solver.check(Query(name, (*facts, *terms)))
    return answer, facts


def _without_contents(facts: list[Term], terms: list[Term]) -> list[Term]:
    """Without what is said of values in memory that the terms do not speak of: whatever holds of the terms, memory may hold."""
    asked = set(contents_in(terms))
    return [fact for fact in facts if asked.issuperset(contents_in([fact]))]


def _launch_of(decider: Decider) -> list[Term]:
    return [decider.environment.builtin(f"{side}.{axis}") for side in ("gridDim", "blockDim") for axis in "xyz"]


def _is_of_any_launch(atom: Term) -> bool:
    """Neither a caller nor the launch chooses it: where all of a question is such, what callers pass makes no difference."""
    return scope_of_atom(atom) != "launch"


def _goes_wrong_in_whole_blocks(decider: Decider, terms: list[Term], atoms: list[Term]) -> bool:
    """Also where the sizes that decide the grid are multiples of every block: those of a program's own data are."""
    sizes = dict.fromkeys(size for axis in "xyz" for size in _counted(decider.environment.builtin(f"gridDim.{axis}")))
    whole = [equal(remainder(size, number(WHOLE)), number(0)) for size in sizes]
    return not whole or decider.ordinary_model([*terms, *whole], atoms) is not None


def _counted(side: Term) -> list[Term]:
    """What a side of the grid is made for: inputs, and the whole of a product of them (`(rows * columns + 255) / 256`)."""
    parts = side.parts[0].monomials if isinstance(side, Quotient) and isinstance(side.parts[0], Sum) else ()
    if len(parts) == 1 and len(parts[0][0]) > 1 and all(map(is_input, parts[0][0])):
        return [reduce(multiply, parts[0][0])]
    atoms = sorted(free_symbols(side), key=lambda a: a.digest)
    return [atom for atom in atoms if is_input(atom) and not is_computed_input(atom)]


def _tells_all(model: Model, terms: list[Term], decider: Decider) -> bool:
    """Neither a term nor the launch divides by zero under the model: what does has no meaning to tell."""
    try:
        decider.shape(model)
        for term in terms:
            model.value(term)
    except Undefined:
        return False
    return True


def varying_contents(decider: Decider, *terms: Term) -> list[Term]:
    """Values from memory, of whose contents nothing is known, that two threads of a block may see differently."""
    return [value for value in memory_values(*terms) if decider.rests_on_contents(value)]


def memory_values(*terms: Term, same_block: bool = True) -> list[Term]:
    """Values from memory that two threads, of a block or of different ones, may see differently."""
    seen = contents_in(terms)
    return [value for value in seen if renamed(value, "@1", same_block) is not renamed(value, "@2", same_block)]


def loosened(term: Term, contents: frozenset[Term]) -> Term:
    """The same term where both threads have read the same: a value each that is otherwise free.

    What is computed from it stays: a count that is rounded up to whole blocks is a multiple of the block for any of them.
    """

    def leaf(part: Term) -> Term | None:
        if part not in contents or isinstance(part, Flag):
            return None
        return symbol(f"{MEMORY_PREFIX}same#{part.digest.hex()[:12]}", *interval(part))

    return rewrite(term, leaf)


def is_approximate(terms: Iterable[Term]) -> bool:
    return any(rests_on(term, APPROXIMATE_PREFIX) for term in terms)


def witness_of_two(decider: Decider, model: Model, span: Span, kinds: tuple[str, str]) -> Witness:
    """The launch of a model, with the two threads and what each of them does there."""
    sides: list[ThreadAccess] = []
    for suffix, kind in zip(("@1", "@2"), kinds):
        block, thread = decider.place(model, suffix)
        sides.append(ThreadAccess(block, thread, kind, span.path, span.line))
    return Witness(
        launch=decider.shape(model),
        values=decider.input_values(model),
        block=sides[0].block,
        thread=sides[0].thread,
        threads=tuple(sides),
    )
