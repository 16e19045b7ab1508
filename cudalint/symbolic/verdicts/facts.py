"""What is known of one walk, and questions about it to the solver (SEMANTICS 5 to 8)."""

from __future__ import annotations

from dataclasses import dataclass, field

from cudalint import ir
from cudalint.contract import Binding, Extent, Fact, Origin
from cudalint.finding import FIRST_VALUE, Assumption, LaunchShape
from cudalint.symbolic.model import (
    APPROXIMATE_PREFIX,
    CHOICE_LABEL,
    LOOSELY_KNOWN,
    MEMORY_PREFIX,
    MemoryObject,
)
from cudalint.symbolic.ordinary import BLOCKS_1D, is_input
from cudalint.symbolic.solver.query import Solver
from cudalint.symbolic.solver.question import DEFAULT_STEPS, PROOF_STEPS, Answer, Model, Query, Unsatisfiable
from cudalint.symbolic.verdicts.touched import Touched
from cudalint.symbolic.walk.environment import Environment
from cudalint.term import (
    AtMostZero,
    Choice,
    Number,
    Quotient,
    Remainder,
    Sum,
    Symbol,
    Term,
    Truth,
    Wrapped,
    at_most,
    conjunction,
    equal,
    free_symbols,
    labels,
    negation,
    number,
    subterms,
)

AXES = ("x", "y", "z")


@dataclass(slots=True)
class Facts:
    """The facts of one walk, and the solver that is asked about them."""

    environment: Environment
    axioms: list[Term]
    solver: Solver = field(default_factory=Solver)
    blocks: tuple[tuple[int, int, int], ...] = BLOCKS_1D  # ordinary ones, where the launch is not known
    touched: Touched | None = None

    def relevant(self, *terms: Term) -> tuple[list[Term], list[Assumption]]:
        """The facts and axioms that share symbols with the terms, also through other facts; and what they assume."""
        return self.relevant_to(frozenset().union(*(free_symbols(t) for t in terms)))

    def relevant_to(self, atoms: frozenset[Term]) -> tuple[list[Term], list[Assumption]]:
        """The same for a set of symbols and flags."""
        symbols = set(atoms)
        pool: list[tuple[Term, Assumption | None]] = [(f.term, f.assumption) for f in self.environment.facts]
        filled = self.environment.contents.filled
        pool += [(axiom, filled.get(axiom)) for axiom in self.axioms]
        chosen = [False] * len(pool)
        grew = True
        while grew:
            grew = False
            for position, (term, _) in enumerate(pool):
                if not chosen[position] and (not free_symbols(term) or not symbols.isdisjoint(free_symbols(term))):
                    chosen[position] = grew = True
                    symbols |= free_symbols(term)
        kept = [pair for pair, flag in zip(pool, chosen) if flag]
        return [term for term, _ in kept], [a for _, a in kept if a is not None]

    def ask(self, name: str, *terms: Term, steps: int = DEFAULT_STEPS) -> Answer:
        facts, _ = self.relevant(*terms)
        return self.solver.check(Query(name, (*facts, *terms), steps))

    def excluded(self, name: str, *terms: Term) -> bool:
        facts, _ = self.relevant(*terms)
        return self.solver.refutes(Query(name, (*facts, *terms), PROOF_STEPS))

    def contradictory(self) -> bool:
        """No launch satisfies the contract; none has memory of a negative size, as an annotation may state it."""
        facts = tuple(f.term for f in self.environment.facts)
        stated = (f.what.size for f in self.environment.contract.facts if _is_stated(f) and isinstance(f.what, Extent))
        sizes = tuple(at_most(number(0), self.environment.stated(size)) for size in stated)
        return isinstance(self.solver.check(Query("contract", (*facts, *sizes))), Unsatisfiable)

    def rests_on_contents(self, index: Term) -> bool:
        """The index comes from memory whose contents nothing bounds (SEMANTICS 8)."""
        names = (label.removeprefix(MEMORY_PREFIX) for label in labels(index) if label.startswith(MEMORY_PREFIX))
        if any(name.partition("#")[0].partition("@")[0] not in self.environment.values for name in names):
            return True
        return not self.environment.begun_in_memory.isdisjoint(free_symbols(index))

    def _component(self, term: Term) -> set[Term]:
        """The symbols of a term with those that a fact relates to them; a limit is no relation."""
        symbols = set(free_symbols(term))
        for fact in self.environment.facts:
            if self.environment.is_limit(fact.term) or symbols.isdisjoint(free_symbols(fact.term)):
                continue
            if not _limits_one_of_several(fact.term):
                symbols |= free_symbols(fact.term)
        return symbols

    def _global_objects(self) -> list[MemoryObject]:
        return list(dict.fromkeys(self.environment._objects.values()))

    def shape(self, model: Model) -> LaunchShape:
        b = self.environment.builtin
        grid = tuple(model.value(b(f"gridDim.{axis}")) for axis in AXES)
        block = tuple(model.value(b(f"blockDim.{axis}")) for axis in AXES)
        geometry = self.environment.geometry
        shared = model.value(self.environment._term(geometry.shared)) if geometry and geometry.shared is not None else 0
        return LaunchShape((grid[0], grid[1], grid[2]), (block[0], block[1], block[2]), shared)

    def place(self, model: Model, suffix: str = "") -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Block and thread of the (renamed) symbolic thread."""
        values = model.values

        def axis_value(name: str) -> int:
            return values.get(name + suffix, values.get(name, 0))

        block = tuple(axis_value(f"blockIdx.{axis}") for axis in AXES)
        thread = tuple(axis_value(f"threadIdx.{axis}") for axis in AXES)
        return (block[0], block[1], block[2]), (thread[0], thread[1], thread[2])

    def input_values(self, model: Model) -> dict[str, int]:
        """Every input that the facts speak of, whether the query needed it or not, and what else the query gave a value.

        None of them where the launch makes no difference: nobody looked for one.
        """
        if model.of_any_launch:
            return {}
        atoms = frozenset().union(frozenset(), *(free_symbols(f.term) for f in self.environment.facts))
        passed = [f.what.value for f in self.environment.contract.facts if isinstance(f.what, Binding)]
        arguments = frozenset().union(frozenset(), *map(free_symbols, passed))
        asked = {a for a in arguments if isinstance(a, Symbol) and a.name in model.values}
        values = {a.name: model.value(a) for a in atoms | asked if isinstance(a, Symbol) and is_input(a)}
        for name, value in model.values.items():
            if "#" not in name and "Idx." not in name and "Dim." not in name and "@" not in name:
                values.setdefault(name, value)
        return dict(sorted(values.items()))


def _limits_one_of_several(fact: Term) -> bool:
    """`(c ? a.numel() : b.numel()) <= 2147483647`: no relation of the one to the other, nor to what decides between them."""
    inner = fact.parts[0] if isinstance(fact, AtMostZero) else None
    if not isinstance(inner, Sum) or len(inner.parts[1]) != 1:
        return False
    ((factors, _),) = inner.parts[1]
    return len(factors) == 1 and isinstance(factors[0], Choice) and _is_one_of_inputs(factors[0])


def _is_one_of_inputs(term: Term) -> bool:
    if not isinstance(term, Choice):
        return isinstance(term, Number | Symbol)
    cond, *sides = term.parts
    apart = all(free_symbols(cond).isdisjoint(free_symbols(side)) for side in sides)
    return apart and all(map(_is_one_of_inputs, sides))


def _is_stated(fact: Fact) -> bool:
    return fact.origin is Origin.ANNOTATION


def is_loose(atom: Term) -> bool:
    """A host value whose relation to the others is known in part only."""
    return isinstance(atom, Symbol) and str(atom.parts[0]).partition("@")[0].endswith(LOOSELY_KNOWN)


def first_value(atom: Term) -> int | None:
    """What a member begins with that others may set: `this.halo_=1~`."""
    found = FIRST_VALUE.search(str(atom.parts[0]).partition("@")[0])
    return None if found is None else int(found[1])


def small_constants(most: int, *terms: Term) -> Term:
    """The constants of which only the names are known are at most that large, whatever their sign."""
    found = frozenset().union(*map(free_symbols, terms))
    names = [a for a in found if str(a.parts[0]).startswith(f"{APPROXIMATE_PREFIX}{ir.UNDECLARED}")]
    names.sort(key=lambda atom: atom.digest)
    return conjunction(*(conjunction(at_most(number(-most), a), at_most(a, number(most))) for a in names))


def is_lost(size: Symbol) -> bool:
    """A dimension of the launch that is nothing but itself."""
    return size.name.startswith(("gridDim.", APPROXIMATE_PREFIX))


def is_lost_size(atom: Term) -> bool:
    return isinstance(atom, Symbol) and atom.scope == "launch" and atom.name.startswith(APPROXIMATE_PREFIX)


def is_large_choice(atom: Symbol) -> bool:
    """One of many values, each of which the host code tells (`~main:choice#2`); only the choice was lost."""
    return is_lost_size(atom) and CHOICE_LABEL in atom.name


def is_lost_argument(value: Symbol) -> bool:
    """A value of the host code (`~main:n#2`) that was lost on the way to the launch."""
    return value.scope == "launch" and value.name.startswith(APPROXIMATE_PREFIX) and ":" in value.name


def is_entry_of_argument(value: Symbol) -> bool:
    """`codes.data[0]` of a structure that the kernel takes by value: an entry of a table that the host code did not tell."""
    name = value.name
    return value.scope == "launch" and ":" not in name and "." in name and name.endswith("]") and "(" not in name


def is_size_of_absent_type(atom: Term) -> bool:
    return isinstance(atom, Symbol) and str(atom.parts[0]).startswith("sizeof(")


def defined(*terms: Term) -> list[Term]:
    """That nothing in the terms divides by zero: a thread that did so has no meaning to tell of."""
    divisors = dict.fromkeys(t.parts[1] for t in subterms(terms) if isinstance(t, Quotient | Remainder))
    unknown = sorted((d for d in divisors if not isinstance(d, Number)), key=lambda t: t.digest)
    return [
        said for said in (negation(equal(divisor, number(0))) for divisor in unknown) if not isinstance(said, Truth)
    ]


def wrapped_parts(*terms: Term) -> list[Term]:
    """The wrapped values inside the terms."""
    return sorted((t for t in subterms(terms) if isinstance(t, Wrapped)), key=lambda t: t.digest)
