"""Terms as functions of an assignment, for those that are evaluated under thousands of them.

Closures are composed once (Feeley and Lapalme, "Using closures for code generation", 1987), so that an evaluation pays for
the operations of the term only. Parts that a term shares are worked out again; a term of which too much is shared is
left to `term.evaluate`, which works out each part once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

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
    Undefined,
    Wrapped,
    applied,
    evaluate,
    is_known_function,
    text,
    unfolded_size,
)

Values: TypeAlias = Mapping[str, int]
Compiled: TypeAlias = Callable[[Values], int]

LARGEST = 500  # nodes of the term written as a tree


def compiled(term: Term) -> Compiled:
    """The value under an assignment of symbols and flags by name, as `term.evaluate` gives it; Undefined as there."""
    if unfolded_size(term) > LARGEST:
        return lambda values: evaluate(term, values)
    return _compiled(term)


def _compiled(term: Term) -> Compiled:
    kind = type(term)
    if kind is Number or kind is Truth:
        constant = int(term.parts[0])
        return lambda values: constant
    if kind is Symbol or kind is Flag:
        return _atom(str(term.parts[0]))
    if kind is Sum:
        return _sum(term)
    if kind is Quotient or kind is Remainder:
        return _division(_compiled(term.parts[0]), _compiled(term.parts[1]), kind is Quotient)
    if kind is Choice:
        cond, then, orelse = (_compiled(part) for part in term.parts)
        return lambda values: then(values) if cond(values) else orelse(values)
    if kind is Wrapped:
        return _wrapped(_compiled(term.parts[0]), term.parts[1], term.parts[2])
    if kind is Apply and is_known_function(term.parts[0]):
        return _applied(term.parts[0], [_compiled(arg) for arg in term.parts[1]])
    return _truth(term)


def _truth(term: Term) -> Compiled:
    kind = type(term)
    if kind is AtMostZero:
        inner = _compiled(term.parts[0])
        return lambda values: int(inner(values) <= 0)
    if kind is IsZero:
        inner = _compiled(term.parts[0])
        return lambda values: int(inner(values) == 0)
    if kind is Not:
        inner = _compiled(term.parts[0])
        return lambda values: int(not inner(values))
    if kind is All or kind is Any_:
        return _connected([_compiled(part) for part in term.parts[0]], kind is All)
    return _undefined(term)


def _atom(name: str) -> Compiled:
    def value(values: Values) -> int:
        try:
            return int(values[name])
        except KeyError:
            raise Undefined(name) from None

    return value


def _sum(term: Term) -> Compiled:
    constant = int(term.parts[0])
    single: list[tuple[int, Compiled]] = []
    products: list[tuple[int, list[Compiled]]] = []
    for monomial, coefficient in term.parts[1]:
        factors = [_compiled(atom) for atom in monomial]
        if len(factors) == 1:
            single.append((coefficient, factors[0]))
        else:
            products.append((coefficient, factors))

    def value(values: Values) -> int:
        total = constant
        for coefficient, factor in single:
            total += coefficient * factor(values)
        for coefficient, factors in products:
            product = coefficient
            for factor in factors:
                product *= factor(values)
            total += product
        return total

    return value


def _division(a: Compiled, b: Compiled, is_quotient: bool) -> Compiled:
    def value(values: Values) -> int:
        dividend, divisor = a(values), b(values)
        if divisor == 0:
            raise Undefined("division by zero")
        return dividend // divisor if is_quotient else dividend % divisor

    return value


def _wrapped(inner: Compiled, bits: int, signed: bool) -> Compiled:
    low, modulus = -(1 << (bits - 1)) if signed else 0, 1 << bits
    return lambda values: (inner(values) - low) % modulus + low


def _applied(name: str, args: list[Compiled]) -> Compiled:
    return lambda values: applied(name, [arg(values) for arg in args])


def _connected(parts: list[Compiled], is_conjunction: bool) -> Compiled:
    def value(values: Values) -> int:
        for part in parts:
            if bool(part(values)) != is_conjunction:
                return int(not is_conjunction)
        return int(is_conjunction)

    return value


def _undefined(term: Term) -> Compiled:
    def value(values: Values) -> int:
        raise Undefined(text(term))

    return value
