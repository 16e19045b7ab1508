"""What a solver has to be told of terms: equations of quotients and wrapped values, the order of products, bits.

All of it is terms again, so nothing here knows the solver.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from math import gcd

from cudalint.term import (
    POWER_OF_TWO,
    Apply,
    AtMostZero,
    IsZero,
    Number,
    Quotient,
    Remainder,
    Sum,
    Symbol,
    Term,
    Truth,
    Wrapped,
    add,
    at_most,
    cached_by_term,
    conjunction,
    disjunction,
    equal,
    ideal,
    interval,
    less,
    make_node,
    multiply,
    number,
    scale,
    subterms,
    subtract,
    symbol,
)

WIDEST = 32  # bits of values that are spelled out
_LEMMA_LIMIT = 200
EXPONENT = "exponent"  # of an integer as a float that holds integers of as many bits as the name goes on to say


def computed_value(name: str, args: tuple[int, ...]) -> int | None:
    """What the function gives, where it is one that we know."""
    match name, args:
        case "bits &", (a, b):
            return a & b
        case "bits |", (a, b):
            return a | b
        case "bits ^", (a, b):
            return a ^ b
        case "pow2", (exponent,) if 0 <= exponent < 64:
            return 1 << exponent
        case (("popc32" | "popc64"), (a,)) if a >= 0:
            return a.bit_count()
        case (("clz32" | "clz64"), (a,)) if a >= 0:
            return int(name[-2:]) - a.bit_length()
        case (("ffs32" | "ffs64"), (a,)):
            return (a & -a).bit_length()
        case _:
            return None


def is_computed(name: str) -> bool:
    """Whether the function is one that we know."""
    return name == "pow2" or name.startswith(("bits ", "popc", "clz", "ffs"))


def spelled_out(term: Apply) -> list[Term]:
    """A bit operation as sums of bits, where its operands are known not to be negative nor wide."""
    ranges = [interval(arg) for arg in term.parts[1]]
    if not term.parts[0].startswith("bits ") or any(
        low is None or low < 0 or high is None or high >= 1 << WIDEST for low, high in ranges
    ):
        return []
    width = max(high.bit_length() for _, high in ranges if high is not None)
    columns = [[_bit(value, place) for place in range(width)] for value in (*term.parts[1], term)]
    said: list[Term] = []
    for value, column in zip((*term.parts[1], term), columns):
        said.append(equal(value, add(*(scale(bit, 1 << place) for place, bit in enumerate(column)))))
    for a, b, result in zip(*columns):
        both = at_most(add(a, b), add(result, number(1)))
        match term.parts[0]:
            case "bits &":
                said += [at_most(result, a), at_most(result, b), both]
            case "bits |":
                said += [at_most(a, result), at_most(b, result), at_most(result, add(a, b))]
            case _:
                said += [at_most(subtract(a, b), result), at_most(subtract(b, a), result)]
                said += [at_most(result, add(a, b)), at_most(add(a, b, result), number(2))]
    return said


def _bit(value: Term, place: int) -> Term:
    if isinstance(value, Number):
        return number(value.value >> place & 1)
    return symbol(f"bit {place}#{value.digest.hex()}", 0, 1, "thread")


def _bit_lemmas(term: Apply) -> list[Term]:
    """The order of bit operations on values that are not negative."""
    if term.parts[0] not in ("bits &", "bits |"):
        return []
    a, b = term.parts[1]
    negative = [less(part, number(0)) for part in (a, b)]
    if term.parts[0] == "bits &":
        return [disjunction(sign, at_most(term, part)) for sign, part in zip(negative, (a, b))]
    bounds = [at_most(a, term), at_most(b, term), at_most(term, add(a, b))]
    return [disjunction(*negative, bound) for bound in bounds]


def _power_lemmas(term: Apply) -> list[Term]:
    """`frexp(n, &e)`: 2^(e - 1) is the largest power of two up to n."""
    exponent = add(term.parts[1][0], number(1)) if term.parts[0] == POWER_OF_TWO else None
    if not isinstance(exponent, Apply) or not exponent.parts[0].startswith(EXPONENT):
        return []
    (count,) = exponent.parts[1]
    exact = number(1 << int(exponent.parts[0].removeprefix(EXPONENT)))
    enclosed = conjunction(at_most(term, count), less(count, scale(term, 2)))
    return [disjunction(less(count, number(1)), less(exact, count), enclosed)]


def definitions(constraints: Iterable[Term]) -> list[Term]:
    """The equations of every quotient, remainder and wrapped value that occurs, as constraints."""
    found: dict[Term, None] = {}
    for term in subterms(constraints):
        if isinstance(term, Wrapped | Apply | Quotient | Remainder):
            found.update(dict.fromkeys(_definition(term)))
    return list(found)


@cached_by_term(maxsize=1 << 14)
def _definition(term: Term) -> tuple[Term, ...]:
    if isinstance(term, Wrapped):
        return tuple(_define_wrapped(term))
    if isinstance(term, Apply):
        return tuple(lemma for lemma in (*_bit_lemmas(term), *_power_lemmas(term)) if not isinstance(lemma, Truth))
    return tuple(_define_division(term.parts[0], term.parts[1]))


def _define_wrapped(term: Wrapped) -> list[Term]:
    """value = inner - k * 2^bits for some integer k; the range of the value is added with the other ranges."""
    inner, bits, _ = term.parts
    (low, high), (first, _) = interval(inner), interval(term)
    assert first is not None
    k_low = None if low is None else (low - first) >> bits
    k_high = None if high is None else (high - first) >> bits
    multiple = symbol(f"k#{term.digest.hex()}", k_low, k_high, "thread")
    return [equal(term, subtract(inner, scale(multiple, 1 << bits)))]


def _define_division(a: Term, b: Term) -> list[Term]:
    q, r = make_node(Quotient, (a, b)), make_node(Remainder, (a, b))
    equation = equal(a, add(multiply(b, q), r))
    (low, _), (low_a, _) = interval(b), interval(a)
    positive = [equation, at_most(number(0), r), less(r, b)]
    if low is not None and low > 0:
        if low_a is not None and low_a >= 0:
            positive += [at_most(number(0), q), at_most(q, a)]
        return [part for part in positive if not isinstance(part, Truth)]
    guarded = [disjunction(at_most(b, number(0)), conjunction(*positive))]
    if low is None or low < 0:
        negative = conjunction(equation, at_most(r, number(0)), less(b, r))
        guarded.append(disjunction(at_most(number(0), b), negative))
    return guarded


def product_lemmas(constraints: Iterable[Term]) -> list[Term]:
    """x < y gives x*B + B <= y*B, where x*B and y*B stand on the two sides of one comparison and B >= 0 (SEMANTICS 3)."""
    found: dict[Term, None] = {}
    sums = dict.fromkeys(term for term in subterms(constraints) if isinstance(term, Sum))
    for depth in range(3):
        following: dict[Sum, None] = {}
        for term in sums:
            for factor, positive, negative in _split(term):
                if len(found) > _LEMMA_LIMIT:
                    return list(found)
                lemmas, difference = _order_lemmas(factor, positive, negative)
                found.update(dict.fromkeys(lemmas))
                if isinstance(difference, Sum) and depth < 2:
                    following[difference] = None
        sums = following
    return list(found)


def quotient_lemmas(constraints: Iterable[Term], products: Collection[tuple[Term, ...]]) -> list[Term]:
    """`row < count / cols` gives `row*cols + cols <= (count / cols)*cols`, where `row*cols` stands in another constraint.

    So does `row < rows` where `rows - 1 == count / cols`, a quotient by another name, for the rows up to the quotient.
    """
    every = list(constraints)
    found: dict[Term, None] = {}
    for divided, place in dict.fromkeys(pair for each in every for pair in _compared_quotients(each)):
        if (sides := _products(divided, place, products)) is not None:
            room = at_most(add(sides[0], divided.parts[1]), sides[1])
            found[disjunction(at_most(divided, place), room)] = None
    named = dict(pair for each in every for pair in _named_quotients(each))
    for name, place in dict.fromkeys(pair for each in every if named for pair in _compared_symbols(each)):
        if name in named and (sides := _products(named[name], place, products)) is not None:
            found[disjunction(less(named[name], place), at_most(*sides))] = None
    return list(found)


def row_lemmas(constraints: Iterable[Term], products: Collection[tuple[Term, ...]]) -> list[Term]:
    """`row < rows` gives `row*cols + cols <= rows*cols` for columns >= 0, where the products stand in two other constraints.

    An index `row*cols + c` is below 2^31 because the launcher has checked `rows*cols`.
    """
    found: dict[Term, None] = {}
    for rows, row in dict.fromkeys(pair for each in constraints for pair in _compared_symbols(each)):
        if not isinstance(row, Symbol) or not isinstance(rows, Symbol):
            continue
        for product in products:
            rest = [atom for atom in product if atom != row]
            if len(product) != 2 or len(rest) != 1:
                continue
            (low, _), (whole, *_) = interval(rest[0]), multiply(rows, rest[0]).monomials  # type: ignore[attr-defined]
            if whole[0] in products and low is not None and low >= 0 and len(found) <= _LEMMA_LIMIT:
                room = at_most(add(multiply(row, rest[0]), rest[0]), multiply(rows, rest[0]))
                found[disjunction(at_most(rows, row), room)] = None
    return list(found)


def _products(divided: Term, place: Term, products: Collection[tuple[Term, ...]]) -> tuple[Term, Term] | None:
    """A place and a quotient, each times the divisor; None where nothing asks for the first."""
    divisor = divided.parts[1]
    low, _ = interval(divisor)
    product = multiply(place, divisor)
    asked = isinstance(product, Sum) and all(monomial in products for monomial, _ in product.monomials)
    return (product, multiply(divided, divisor)) if asked and low is not None and low >= 0 else None


def _alone(constraint: Term, kind: type[Term]) -> dict[Term, int]:
    """The factors of what stands alone in a comparison or an equation."""
    inner = constraint.parts[0] if isinstance(constraint, kind) else None
    return {m[0]: factor for m, factor in inner.monomials if len(m) == 1} if isinstance(inner, Sum) else {}


def _is_by_symbol(term: Term) -> bool:
    return isinstance(term, Quotient) and not isinstance(term.parts[1], Number)


@cached_by_term(maxsize=1 << 14)
def _compared_quotients(constraint: Term) -> tuple[tuple[Term, Term], ...]:
    """The quotients by what is no number in a comparison, each with every symbol that stands on its other side."""
    alone = _alone(constraint, AtMostZero)
    quotients = [atom for atom, factor in alone.items() if factor < 0 and _is_by_symbol(atom)]
    return tuple((divided, place) for divided in quotients for place in _places(alone))


@cached_by_term(maxsize=1 << 14)
def _compared_symbols(constraint: Term) -> tuple[tuple[Term, Term], ...]:
    """The symbols on the larger side of a comparison, each with every place on the other side."""
    alone = _alone(constraint, AtMostZero)
    larger = [atom for atom, factor in alone.items() if factor < 0 and isinstance(atom, Symbol)]
    return tuple((name, place) for name in larger for place in _places(alone))


def _places(alone: Mapping[Term, int]) -> list[Term]:
    """What is compared: symbols, the sum of them, and sums that may have wrapped, as they are meant."""
    smaller = {atom: factor for atom, factor in alone.items() if factor > 0}
    found: list[Term] = [atom for atom in smaller if isinstance(atom, Symbol)]
    found += [ideal(atom) for atom in smaller if isinstance(atom, Wrapped)]
    return [*found, add(*(scale(atom, factor) for atom, factor in smaller.items()))] if len(found) > 1 else found


@cached_by_term(maxsize=1 << 14)
def _named_quotients(constraint: Term) -> tuple[tuple[Term, Term], ...]:
    """Symbols that an equation says to be a quotient and a number."""
    alone = _alone(constraint, IsZero)
    if len(alone) != 2 or len(constraint.parts[0].monomials) != 2 or sorted(alone.values()) != [-1, 1]:
        return ()
    (one, other) = alone
    return tuple((a, b) for a, b in ((one, other), (other, one)) if isinstance(a, Symbol) and _is_by_symbol(b))


@cached_by_term(maxsize=1 << 14)
def _split(term: Sum) -> tuple[tuple[Term, Term, Term], ...]:
    """(B, x, y) for each factor B >= 0 of several monomials: the sum is k*(x*B - y*B) plus what does not hold B.

    The largest k there is: 64*r < 64*n leaves room for 64*B, and r < n says so.
    """
    factors = dict.fromkeys(atom for monomial, _ in term.monomials if len(monomial) > 1 for atom in monomial)
    result: list[tuple[Term, Term, Term]] = []
    for factor in factors:
        low, _ = interval(factor)
        if low is None or low < 0:
            continue
        positive, negative = number(0), number(0)
        common = gcd(*(coefficient for monomial, coefficient in term.monomials if factor in monomial))
        for monomial, coefficient in term.monomials:
            if factor not in monomial:
                continue
            position = monomial.index(factor)
            rest = number(abs(coefficient) // common)
            for atom in monomial[:position] + monomial[position + 1 :]:
                rest = multiply(rest, atom)
            if coefficient > 0:
                positive = add(positive, rest)
            else:
                negative = add(negative, rest)
        result.append((factor, positive, negative))
    return tuple(result)


@cached_by_term(maxsize=1 << 14)
def _order_lemmas(factor: Term, x: Term, y: Term) -> tuple[tuple[Term, ...], Term]:
    """The lemmas, and x - y, whose products have lemmas too."""
    lemmas = []
    for a, b in ((x, y), (y, x)):
        left, right = multiply(a, factor), multiply(b, factor)
        lemmas.append(disjunction(at_most(b, a), at_most(add(left, factor), right)))
        lemmas.append(disjunction(less(b, a), at_most(left, right)))
    return tuple(lemma for lemma in lemmas if not isinstance(lemma, Truth)), subtract(x, y)
