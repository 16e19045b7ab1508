"""Indices as mixed-radix numbers: two threads meet at one element only where they agree in every digit.

    (row * cols + col) * 4    with 0 <= col < cols    has the digits `col` (weight 4) and `row` (weight 4 * cols)

Where the part below a digit spans less than its weight, equal sums have equal digits. That turns an equation between products
into equations between thread symbols, which no solver has to think about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import gcd

from cudalint.symbolic.synchronization.flat_index import flat_index
from cudalint.symbolic.synchronization.pairs import differs, renamed, scope_of_atom
from cudalint.symbolic.synchronization.remainders import exactly_divided, with_remainders
from cudalint.term import (
    FALSE,
    AtMostZero,
    Number,
    Quotient,
    Remainder,
    Sum,
    Term,
    add,
    cached_by_term,
    children,
    conjunction,
    equal,
    free_symbols,
    interval,
    less,
    multiply,
    negate,
    number,
    quotient,
    remainder,
    subtract,
)

Prove = Callable[[Term, Term, Term], bool]  # S of thread 1, S of thread 2, weight: is |S1 - S2| < weight?


@dataclass(frozen=True, slots=True)
class Side:
    """The byte range of one access, and what holds on its path."""

    offset: Term
    size: int
    known: frozenset[Term]


@dataclass(slots=True)
class _Digits:
    """`rest` is the same for both threads; `values` is what varies, by weight."""

    rest: Term
    values: dict[Term, Term] = field(default_factory=dict)


def meeting(first: Side, second: Side, same_block: bool, prove: Prove) -> Term | None:
    """The condition under which both touch one byte, as equations of digits; None where they are no such numbers."""
    if (flat := _of_flat_index(first, second, same_block, prove)) is not None:
        return flat
    offsets = [with_remainders(side.offset) for side in (first, second)]
    left, right = (_digits(offset, same_block) for offset in offsets)
    if left is None or right is None:
        return None
    gap = subtract(left.rest, right.rest)
    if not isinstance(gap, Number):
        return None
    unit = _content([*left.values, *right.values])
    low, high = -first.size - gap.value + 1, second.size - gap.value - 1
    if unit == 0:
        return FALSE if not low <= 0 <= high else None
    if _multiples(low, high, unit) == 0:
        return FALSE
    if not low <= 0 <= high or _multiples(low, high, unit) > 1:
        return None
    pairs = _equations(left, right, first.known, second.known, prove)
    for dividends in _inner(pairs):
        parts = [_digits(dividend, same_block) for dividend in dividends]
        if parts[0] is not None and parts[1] is not None and parts[0].rest is parts[1].rest:
            pairs += _equations(parts[0], parts[1], first.known, second.known, prove)
    return conjunction(*(equal(renamed(a, "@1", same_block), renamed(b, "@2", same_block)) for a, b in _inner(pairs)))


def _of_flat_index(first: Side, second: Side, same_block: bool, prove: Prove) -> Term | None:
    """That a flat index is the same, where each of its values has elements of its own."""
    size = max(first.size, second.size)
    for written in (lambda offset: offset, with_remainders):
        found = [_flat_index(written(side.offset), size, side.known, same_block) for side in (first, second)]
        if found[0] is not None and found[0] == found[1]:
            break
    else:
        return None
    index = found[0][0]
    parts, same = _digits(index, same_block), [(index, index)]
    if parts is not None:
        same += _equations(parts, parts, first.known, second.known, prove)
    return conjunction(*(equal(renamed(a, "@1", same_block), renamed(b, "@2", same_block)) for a, b in same))


@cached_by_term(maxsize=1 << 10)
def _flat_index(offset: Term, size: int, known: frozenset[Term], same_block: bool) -> tuple[Term, Term] | None:
    return flat_index(offset, size, known, lambda term: not _varies(term, same_block))


def shares_weight(offset: Term, parts: frozenset[Term], same_block: bool = True) -> bool:
    """One of the parts stands beside something else of the same weight, as in `start[row] + column`."""
    found = _digits(offset, same_block)
    if found is None:
        return True
    for value in found.values.values():
        atoms = children(value) if isinstance(value, Sum) else (value,)
        if len(atoms) > 1 and any(atom in parts for atom in atoms):
            return True
    return False


def _multiples(low: int, high: int, unit: int) -> int:
    return high // unit - (low - 1) // unit


@cached_by_term(maxsize=1 << 12)
def _digits(offset: Term, same_block: bool) -> _Digits | None:
    constant, monomials = (offset.constant, offset.monomials) if isinstance(offset, Sum) else (0, (((offset,), 1),))
    if isinstance(offset, Number):
        return _Digits(offset)
    found = _Digits(number(constant))
    weights: dict[Term, Term] = {}
    for monomial, coefficient in monomials:
        varying = [atom for atom in monomial if _varies(atom, same_block)]
        if len(varying) > 1:
            return None
        weight = number(coefficient)
        for atom in monomial:
            weight = multiply(weight, atom) if not varying or atom is not varying[0] else weight
        if varying:
            weights[varying[0]] = add(weights.get(varying[0], number(0)), weight)
        else:
            found.rest = add(found.rest, weight)
    for atom, weight in weights.items():
        positive, digit = (weight, atom) if _is_positive(weight) else (negate(weight), negate(atom))
        found.values[positive] = add(found.values.get(positive, number(0)), digit)
    return found


def _varies(atom: Term, same_block: bool) -> bool:
    return any(differs(scope_of_atom(part), same_block) for part in free_symbols(atom))


def _is_positive(weight: Term) -> bool:
    if isinstance(weight, Number):
        return weight.value > 0
    if isinstance(weight, Sum):
        return any(c > 0 for _, c in weight.monomials)
    return True


def _content(weights: Iterable[Term]) -> int:
    parts: list[int] = []
    for weight in weights:
        if isinstance(weight, Number):
            parts.append(weight.value)
        elif isinstance(weight, Sum):
            parts += [*(c for _, c in weight.monomials), weight.constant]
        else:
            parts.append(1)
    return gcd(*parts) if parts else 0


def _order(weight: Term) -> tuple[object, ...]:
    if isinstance(weight, Number):
        return 0, weight.value, b""
    degree = max(len(m) for m, _ in weight.monomials) if isinstance(weight, Sum) else 1
    return degree, interval(weight)[1] or 0, weight.digest


@dataclass(frozen=True, slots=True)
class _Digit:
    """One weight with its value in each thread, and the weighted sums of all digits below it."""

    weight: Term
    first: Term
    second: Term
    below: tuple[Term, Term]


def _equations(
    left: _Digits, right: _Digits, left_known: frozenset[Term], right_known: frozenset[Term], prove: Prove
) -> list[tuple[Term, Term]]:
    """From the largest weight down: what lies below a digit and spans less than its weight is equal by itself."""
    digits = _ordered(left, right)
    narrow = _narrow_digits(digits, left_known, right_known)
    found: list[tuple[Term, Term]] = []
    top = len(digits)
    while top > 0:
        start = _group_start(digits, top, narrow, prove)
        if start == top - 1 and narrow[start]:
            found.append((digits[start].first, digits[start].second))
        else:
            found.append(_group_sums(digits[start:top]))
        top = start
    return found[::-1]


def _ordered(left: _Digits, right: _Digits) -> list[_Digit]:
    zero = number(0)
    below = (zero, zero)
    digits: list[_Digit] = []
    for weight in sorted({**left.values, **right.values}, key=_order):
        a, b = left.values.get(weight, zero), right.values.get(weight, zero)
        digits.append(_Digit(weight, a, b, below))
        below = add(below[0], multiply(weight, a)), add(below[1], multiply(weight, b))
    return digits


def _group_sums(digits: list[_Digit]) -> tuple[Term, Term]:
    first = add(number(0), *(multiply(d.weight, d.first) for d in digits))
    return first, add(number(0), *(multiply(d.weight, d.second) for d in digits))


def _group_start(digits: list[_Digit], top: int, narrow: list[bool], prove: Prove) -> int:
    """The highest digit below `top` from which on the sums are equal by themselves."""
    for position in range(top - 1, 0, -1):
        digit = digits[position]
        if not all(_divides(digit.weight, other.weight) for other in digits[position + 1 : top]):
            continue
        if not narrow[position]:
            narrow[position] = prove(*digit.below, digit.weight)
        if narrow[position]:
            return position
    return 0


def _divides(weight: Term, other: Term) -> bool:
    """The other weight is a multiple of this one, by its form."""
    if isinstance(weight, Number):
        return weight.value != 0 and _content([other]) % weight.value == 0
    atoms, factor = ((weight,), 1) if not isinstance(weight, Sum) else weight.monomials[0]
    if isinstance(weight, Sum) and (len(weight.monomials) > 1 or weight.constant):
        return other is weight
    monomials = other.monomials if isinstance(other, Sum) else (((other,), 1),)
    if isinstance(other, Sum) and other.constant:
        return False
    return all(c % factor == 0 and all(m.count(a) >= atoms.count(a) for a in atoms) for m, c in monomials)


def _narrow_digits(digits: list[_Digit], left_known: frozenset[Term], right_known: frozenset[Term]) -> list[bool]:
    """For each digit whether what lies below it spans less than its weight, as far as cheap rules show."""
    narrow: list[bool] = []
    for position, digit in enumerate(digits):
        before = digits[position - 1] if position and narrow[-1] else None
        narrow.append(_is_narrow(digit, before, left_known, right_known))
    return narrow


def _is_narrow(digit: _Digit, before: _Digit | None, left_known: frozenset[Term], right_known: frozenset[Term]) -> bool:
    (l1, h1), (l2, h2), (least, _) = interval(digit.below[0]), interval(digit.below[1]), interval(digit.weight)
    if None not in (l1, h1, l2, h2, least) and max(h1, h2) - min(l1, l2) < least:  # type: ignore[operator, type-var]
        return True
    if before is not None and _fills(before, digit.weight, left_known, right_known):
        return True
    return _is_below(digit.below[0], digit.weight, left_known) and _is_below(digit.below[1], digit.weight, right_known)


def _fills(last: _Digit, weight: Term, left_known: frozenset[Term], right_known: frozenset[Term]) -> bool:
    """The digit before has the weight w and values below R, and this weight is w * R."""
    shared = [radix for radix in _radices(last.first, left_known) if radix in _radices(last.second, right_known)]
    return any(multiply(last.weight, radix) is weight for radix in shared)


def _radices(digit: Term, known: frozenset[Term]) -> list[Term]:
    """What a digit in [0, R) is known to stay below."""
    low, _ = interval(digit)
    if low is None or low < 0:
        return []
    found = [digit.parts[1]] if isinstance(digit, Remainder) else []
    found += _bounds_of_quotient(digit, known) if isinstance(digit, Quotient) else []
    for fact in known:
        if isinstance(fact, AtMostZero) and digit in free_symbols(fact):
            radix = subtract(add(digit, number(1)), fact.parts[0])
            if digit not in free_symbols(radix):
                found.append(radix)
    return found


def _bounds_of_quotient(digit: Quotient, known: frozenset[Term]) -> list[Term]:
    """R of `x / w` where x is known to stay below w * R."""
    dividend, divisor = digit.parts
    whole = [dividend.parts[1]] if isinstance(dividend, Remainder) else []
    varying = free_symbols(dividend)
    for fact in known:
        if isinstance(fact, AtMostZero):
            bound = subtract(add(dividend, number(1)), fact.parts[0])
            if varying.isdisjoint(free_symbols(bound)):
                whole.append(bound)
    return [radix for each in whole if (radix := exactly_divided(each, divisor)) is not None]


def _is_below(value: Term, weight: Term, known: frozenset[Term]) -> bool:
    low, _ = interval(value)
    unit = _content([value, weight])
    if low is None or low < 0 or unit == 0:
        return False
    return less(_divided(value, unit), _divided(weight, unit)) in known


def _divided(term: Term, unit: int) -> Term:
    if isinstance(term, Number):
        return number(term.value // unit)
    if not isinstance(term, Sum):
        return term
    total = number(term.constant // unit)
    for monomial, coefficient in term.monomials:
        product = number(coefficient // unit)
        for atom in monomial:
            product = multiply(product, atom)
        total = add(total, product)
    return total


def _inner(pairs: list[tuple[Term, Term]]) -> list[tuple[Term, Term]]:
    """Equal quotient and remainder by one divisor mean equal dividends, which may be digits of others again."""
    found = dict.fromkeys(pairs)
    waiting = list(pairs)
    for a, b in waiting:
        for one, other in _dividends(a, b):
            if (quotient(*one), quotient(*other)) in found and (remainder(*one), remainder(*other)) in found:
                pair = one[0], other[0]
                if pair not in found:
                    found[pair] = None
                    waiting.append(pair)
    return list(found)


def _dividends(a: Term, b: Term) -> Iterator[tuple[tuple[Term, Term], tuple[Term, Term]]]:
    """What the two may be the quotient or the remainder of, with the divisor."""
    if type(a) is type(b) and isinstance(a, Quotient | Remainder) and a.parts[1] is b.parts[1]:
        yield (a.parts[0], a.parts[1]), (b.parts[0], b.parts[1])
