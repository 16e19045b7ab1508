"""Terms as z3 expressions: quotients with a fresh result, wrapped values with a multiple of 2^n, lemmas of products."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import z3

from cudalint.symbolic.solver.bit_lemmas import exclusive_or_lemmas
from cudalint.symbolic.solver.lemmas import definitions, product_lemmas, quotient_lemmas, row_lemmas
from cudalint.symbolic.solver.parts import conjuncts
from cudalint.symbolic.solver.question import Model
from cudalint.term import (
    All,
    Any_,
    Apply,
    AtMostZero,
    Choice,
    Flag,
    IsZero,
    Not,
    Number,
    Quotient,
    Remainder,
    Sum,
    Symbol,
    Term,
    Truth,
    Wrapped,
    cached_by_term,
    free_symbols,
    interval,
    monomial_interval,
    subterms,
)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """One constraint with its definitions and lemmas, and what is to be known of their terms."""

    everything: tuple[Term, ...]
    terms: tuple[Term, ...]
    products: tuple[tuple[Term, ...], ...]
    factors: tuple[Symbol, ...]  # sizes that are multiplied with, or divide, what is not a number
    leaves: tuple[Term, ...]  # what a model of the constraint is read from


@cached_by_term(maxsize=1 << 14)
def prepared_for(constraint: Term) -> _Prepared:
    everything = [constraint, *definitions([constraint])]
    everything += product_lemmas(everything)
    terms = tuple(subterms(everything))
    products = dict.fromkeys(m for term in terms if isinstance(term, Sum) for m, _ in term.monomials if len(m) > 1)
    factors = dict.fromkeys(size for product in products for atom in product for size in sizes_of(atom))
    for term in terms:
        if isinstance(term, Quotient | Remainder) and not isinstance(term.parts[1], Number):
            factors |= dict.fromkeys(sizes_of(term.parts[1]))
    leaves = tuple(term for term in subterms([constraint]) if isinstance(term, Symbol | Flag | Apply))
    return _Prepared(tuple(everything), terms, tuple(products), tuple(factors), leaves)


def _crossing_lemmas(parts: list[Term]) -> list[Term]:
    """What the quotient of one constraint says of a product in another, and the bits of one of those in another."""
    prepared = [prepared_for(part) for part in parts]
    products = dict.fromkeys(monomial for part in prepared for monomial in part.products)
    lemmas = quotient_lemmas(parts, products) + row_lemmas(parts, products)
    return lemmas + exclusive_or_lemmas(leaf for part in prepared for leaf in part.leaves)


class Encoder:
    """Terms as z3 expressions, one for each term.

    With `linear`, a product of symbols is an unknown of its own that only its range and the lemmas speak of: what that
    refutes is refuted, a model of it means nothing.
    """

    def __init__(self, linear: bool = False) -> None:
        self.linear = linear
        self._cache: dict[Term, Any] = {}
        self._integers: dict[int, Any] = {}
        self._bundles: dict[Term, dict[object, Any]] = {}
        self._steps = 0

    @cached_property
    def context(self) -> Any:
        """Made for the first question that z3 is asked: the answers to many are known from another solver of the kernel."""
        return z3.Context()

    def solver(self, constraints: Iterable[Term], heavy: bool = False) -> Any:
        """A solver that holds the constraints: the light one is z3's older simplex without preprocessing, ten times as fast."""
        solver = z3.Solver(ctx=self.context) if heavy else z3.SimpleSolver(ctx=self.context)
        solver.set("random_seed", 7)
        if heavy:
            solver.set("arith.nl.grobner", False)  # steps that are not counted
        else:
            solver.set("arith.solver", 2)
        assertions: dict[object, Any] = {}
        parts = [part for constraint in constraints for part in conjuncts(constraint)]
        for part in (*parts, *_crossing_lemmas(parts)):
            assertions |= self._bundle(part)
        context, handle = self.context.ref(), solver.solver
        for assertion in assertions.values():
            z3.Z3_solver_assert(context, handle, assertion.ast)
        return solver

    def steps_since_last(self, solver: Any) -> int:
        """The steps that the check just done took: the count of z3 runs on over all solvers of a context."""
        before, self._steps = self._steps, int(solver.statistics().get_key_value("rlimit count"))
        return self._steps - before

    def factors(self, constraints: Iterable[Term]) -> tuple[Symbol, ...] | None:
        """The sizes whose values would make the constraints linear; None where they are linear."""
        prepared = [prepared_for(part) for constraint in constraints for part in conjuncts(constraint)]
        if not any(part.products for part in prepared):
            return None
        return tuple(dict.fromkeys(factor for part in prepared for factor in part.factors))

    def _bundle(self, constraint: Term) -> dict[object, Any]:
        """The constraint with everything that it brings along, as assertions by what they speak of."""
        found = self._bundles.get(constraint)
        if found is None:
            prepared = prepared_for(constraint)
            found = self._bundles[constraint] = {part: self.encode(part) for part in prepared.everything}
            for term in prepared.terms:
                found |= self._ranges(term)
            for product in prepared.products:
                found |= self._product_ranges(product)
        return found

    def model(self, found: Any, constraints: Iterable[Term]) -> Model:
        values: dict[str, int] = {}
        applications: dict[tuple[str, tuple[int, ...]], int] = {}
        leaves = (leaf for c in constraints for part in conjuncts(c) for leaf in prepared_for(part).leaves)
        for term in dict.fromkeys(leaves):
            value = found.eval(self.encode(term), model_completion=True)
            if isinstance(term, Symbol):
                values[term.name] = value.as_long()
            elif isinstance(term, Flag):
                values[str(term.parts[0])] = int(z3.is_true(value))
            else:
                arguments = [found.eval(self.encode(arg), model_completion=True) for arg in term.parts[1]]
                applications[term.parts[0], tuple(int(arg.as_long()) for arg in arguments)] = value.as_long()
        return Model(values, applications)

    def encode(self, term: Term) -> Any:
        found = self._cache.get(term)
        if found is None:
            found = self._cache[term] = self._encode(term)
        return found

    def _encode(self, term: Term) -> Any:
        if isinstance(term, Number):
            return self._integer(term.value)
        if isinstance(term, Symbol):
            return self._unknown(f"{term.name}:{term.digest.hex()[:6]}")
        if isinstance(term, Flag):
            return z3.Bool(str(term.parts[0]), self.context)
        if isinstance(term, Sum):
            return self._encode_sum(term)
        if isinstance(term, Truth):
            return z3.BoolVal(term.parts[0], self.context)
        if isinstance(term, Choice):
            return z3.If(*(self.encode(part) for part in term.parts))
        if isinstance(term, AtMostZero):
            return self._compared(z3.Z3_mk_le, self.encode(term.parts[0]), 0)
        if isinstance(term, IsZero):
            return self._compared(z3.Z3_mk_eq, self.encode(term.parts[0]), 0)
        if isinstance(term, Not):
            return z3.BoolRef(z3.Z3_mk_not(self.context.ref(), self.encode(term.parts[0]).ast), self.context)
        if isinstance(term, All):
            return z3.BoolRef(self._joined(z3.Z3_mk_and, map(self.encode, term.parts[0])), self.context)
        if isinstance(term, Any_):
            return z3.BoolRef(self._joined(z3.Z3_mk_or, map(self.encode, term.parts[0])), self.context)
        if isinstance(term, Apply) and term.parts[1]:
            sorts = [self._sort] * (len(term.parts[1]) + 1)
            function = z3.Function(f"{term.parts[0]}/{len(term.parts[1])}", *sorts)
            return function(*(self.encode(arg) for arg in term.parts[1]))
        return self._unknown(f"{term.kind}:{term.digest.hex()}")

    def _encode_sum(self, term: Sum) -> Any:
        parts = [self._integer(term.constant)] if term.constant else []
        for monomial, coefficient in term.monomials:
            product = self._product(monomial)
            parts.append(product if coefficient == 1 else self._times(self._integer(coefficient), product))
        return z3.ArithRef(self._joined(z3.Z3_mk_add, parts), self.context) if len(parts) > 1 else parts[0]

    def _product(self, atoms: tuple[Term, ...]) -> Any:
        if self.linear and len(atoms) > 1:
            return self._unknown("product:" + ":".join(atom.digest.hex()[:16] for atom in atoms))
        product = self.encode(atoms[0])
        for atom in atoms[1:]:
            product = self._times(product, self.encode(atom))
        return product

    # The operators of z3's Python layer coerce their operands each time, which costs more than the solver does.

    @cached_property
    def _sort(self) -> Any:
        return z3.IntSort(self.context)

    def _unknown(self, name: str) -> Any:
        context = self.context.ref()
        return z3.ArithRef(z3.Z3_mk_const(context, z3.Z3_mk_string_symbol(context, name), self._sort.ast), self.context)

    def _integer(self, value: int) -> Any:
        known = self._integers.get(value)
        if known is None:
            known = self._integers[value] = z3.IntVal(value, self.context)
        return known

    def _joined(self, make: Callable[..., Any], parts: Iterable[Any]) -> Any:
        handles = [part.ast for part in parts]
        return make(self.context.ref(), len(handles), (z3.Ast * len(handles))(*handles))

    def _times(self, a: Any, b: Any) -> Any:
        return z3.ArithRef(self._joined(z3.Z3_mk_mul, (a, b)), self.context)

    def _compared(self, make: Callable[..., Any], value: Any, bound: int) -> Any:
        return z3.BoolRef(make(self.context.ref(), value.ast, self._integer(bound).ast), self.context)

    def _ranges(self, term: Term) -> dict[object, Any]:
        if not isinstance(term, Symbol | Apply | Wrapped | Quotient | Remainder):
            return {}
        return self._between(term, self.encode(term), *interval(term))

    def _product_ranges(self, atoms: tuple[Term, ...]) -> dict[object, Any]:
        """Only for products as unknowns: elsewhere their factors say it."""
        if not self.linear:
            return {}
        return self._between(atoms, self._product(atoms), *monomial_interval(atoms, 1))

    def _between(self, key: object, value: Any, low: int | None, high: int | None) -> dict[object, Any]:
        bounds: dict[object, Any] = {}
        if low is not None:
            bounds[key, "low"] = self._compared(z3.Z3_mk_ge, value, low)
        if high is not None:
            bounds[key, "high"] = self._compared(z3.Z3_mk_le, value, high)
        return bounds


def sizes_of(atom: Term) -> list[Symbol]:
    found = [s for s in free_symbols(atom) if isinstance(s, Symbol) and s.scope == "launch"]
    return sorted(found, key=lambda s: s.digest)
