"""Two threads from one walk: the symbols that differ between them are renamed `@1` and `@2`."""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.finding import Confidence
from cudalint.symbolic.decide import Decider
from cudalint.symbolic.model import APPROXIMATE_PREFIX, rests_on
from cudalint.symbolic.query import Model, Query, Undecided, Unsatisfiable
from cudalint.term import (
    FALSE,
    Flag,
    Symbol,
    Term,
    conjunction,
    disjunction,
    equal,
    flag,
    free_symbols,
    negation,
    substitute,
    symbol,
)

THREAD_AXES = ("threadIdx.x", "threadIdx.y", "threadIdx.z")
BLOCK_AXES = ("blockIdx.x", "blockIdx.y", "blockIdx.z")


def renamed(term: Term, suffix: str, same_block: bool = True) -> Term:
    """The term as thread 1 or 2 sees it; block symbols are shared by threads of one block."""
    mapping: dict[Term, Term] = {}
    for atom in free_symbols(term):
        if isinstance(atom, Symbol):
            name, low, high, scope = atom.parts
            if _differs(scope, same_block):
                mapping[atom] = symbol(name + suffix, low, high, scope)
        elif isinstance(atom, Flag) and _differs(atom.parts[1], same_block):
            mapping[atom] = flag(atom.parts[0] + suffix, atom.parts[1])
    return substitute(term, mapping)


def _differs(scope: str, same_block: bool) -> bool:
    return scope in ("thread", "warp") or (scope == "block" and not same_block)


def different_threads(decider: Decider, same_block: bool = True) -> Term:
    """The two are not one thread."""
    axes = THREAD_AXES if same_block else BLOCK_AXES
    places = [decider.environment.builtin(axis) for axis in axes]
    return disjunction(*(negation(equal(renamed(p, "@1", same_block), renamed(p, "@2", same_block))) for p in places))


def different_warps(decider: Decider) -> Term:
    warp = decider.environment.builtin("warpid")
    return negation(equal(renamed(warp, "@1"), renamed(warp, "@2")))


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


def decide_pair(decider: Decider, name: str, terms: list[Term]) -> tuple[Model | None, Confidence | None, bool]:
    """(witness, confidence, decided): no witness and decided means that no two threads satisfy the terms."""
    question = conjunction(*terms)
    if question is FALSE:
        return None, None, True
    facts = pair_facts(decider, terms)
    answer = decider.solver.check(Query(name, (*facts, *terms)))
    if isinstance(answer, Unsatisfiable):
        return None, None, True
    atoms = sorted(frozenset().union(*(free_symbols(t) for t in (*facts, *terms))), key=lambda t: t.digest)
    ordinary = decider.ordinary_model([*facts, *terms], atoms)
    if ordinary is not None:
        return ordinary, Confidence.HIGH, True
    if isinstance(answer, Undecided):
        return None, None, False
    return answer, Confidence.MEDIUM, True


def is_approximate(terms: Iterable[Term]) -> bool:
    return any(rests_on(term, APPROXIMATE_PREFIX) for term in terms)
