"""Mathematical terms over the integers and truth values: what contracts state and what the symbolic engine computes.

    integer = Number(n) | Symbol(name, low, high, scope) | Sum(constant, monomials) | Quotient(a, b) | Remainder(a, b)
            | Choice(cond, a, b) | Wrapped(a, bits, signed) | Apply(name, args*)
    truth   = Truth(b) | Flag(name, scope) | AtMostZero(a) | IsZero(a) | Not(c) | All(c*) | Any(c*)

Terms are interned: structural equality is identity, so they are cheap as dictionary keys. The smart constructors keep
sums as polynomials in a fixed order and fold what intervals decide (`(256*b + t) / 256` is `b` for t in 0..255).
`Quotient` rounds towards minus infinity and `Remainder` has the sign of the divisor; `truncated_quotient` gives C's.
`Wrapped` is the value of the argument modulo 2^bits in the range of the type. A symbol's scope says for which of two
threads it is the same: "launch" for all, "block" within a block, "thread" for none, "warp" within a warp.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from math import gcd
from typing import Any, ClassVar, TypeAlias, TypeVar

Monomial: TypeAlias = tuple["Term", ...]
Bound: TypeAlias = int | None  # None: unbounded on that side
Interval: TypeAlias = tuple[Bound, Bound]
_T = TypeVar("_T", bound="Term")
_R = TypeVar("_R")

_interned: dict[tuple[type[Term], tuple[Any, ...]], Term] = {}  # terms are equal only if identical, so keys hash fast


class Term:
    """The common part: a digest that orders and identifies terms, and a cached interval."""

    __slots__ = (
        "_children", "_digest", "_ideal", "_interval", "_kinds", "_labels", "_negation", "_size", "_symbols", "parts"
    )  # fmt: skip
    kind: ClassVar[str] = "term"
    parts: tuple[Any, ...]
    _children: tuple[Term, ...] | None
    _digest: bytes | None
    _ideal: Term | None
    _interval: Interval | None
    _kinds: int
    _labels: frozenset[str] | None
    _size: int | None
    _symbols: frozenset[Term] | None
    _negation: Term | None

    @property
    def digest(self) -> bytes:
        """The same in every process: what depends on an order of terms depends on this one."""
        if self._digest is None:
            hash_ = blake2b(self.kind.encode(), digest_size=16)
            _feed(hash_, self.parts)
            self._digest = hash_.digest()
        return self._digest

    def __repr__(self) -> str:
        return text(self)

    def __reduce__(self) -> tuple[Callable[..., Term], tuple[Any, ...]]:
        return make_node, (type(self), self.parts)


class Number(Term):
    __slots__ = ()
    kind = "number"

    @property
    def value(self) -> int:
        return int(self.parts[0])


class Symbol(Term):
    """parts: name, low, high, scope."""

    __slots__ = ()
    kind = "symbol"

    @property
    def name(self) -> str:
        return str(self.parts[0])

    @property
    def scope(self) -> str:
        return str(self.parts[3])


class Sum(Term):
    """parts: constant, ((monomial, coefficient), ...) in digest order; a monomial is a tuple of such atoms."""

    __slots__ = ()
    kind = "sum"

    @property
    def constant(self) -> int:
        return int(self.parts[0])

    @property
    def monomials(self) -> tuple[tuple[Monomial, int], ...]:
        return self.parts[1]  # type: ignore[no-any-return]


class Quotient(Term):
    __slots__ = ()
    kind = "quotient"


class Remainder(Term):
    __slots__ = ()
    kind = "remainder"


class Choice(Term):
    __slots__ = ()
    kind = "choice"


class Wrapped(Term):
    """parts: term, bits, signed."""

    __slots__ = ()
    kind = "wrapped"


class Apply(Term):
    """An uninterpreted function; parts: name, args, low, high."""

    __slots__ = ()
    kind = "apply"


class Truth(Term):
    __slots__ = ()
    kind = "truth"


class Flag(Term):
    """An unknown truth value; parts: name, scope."""

    __slots__ = ()
    kind = "flag"


class AtMostZero(Term):
    __slots__ = ()
    kind = "atmostzero"


class IsZero(Term):
    __slots__ = ()
    kind = "iszero"


class Not(Term):
    __slots__ = ()
    kind = "not"


class All(Term):
    __slots__ = ()
    kind = "all"


class Any_(Term):
    __slots__ = ()
    kind = "any"


_ATOMS = frozenset((Symbol, Flag))
_LEAVES = frozenset((Number, Symbol, Flag, Truth))
_TRUTHS = frozenset((Truth, Flag, AtMostZero, IsZero, Not, All, Any_))


def _feed(hash_: Any, value: Any) -> None:
    if isinstance(value, Term):
        hash_.update(b"T" + value.digest)
    elif isinstance(value, tuple):
        hash_.update(b"(%d" % len(value))
        for item in value:
            _feed(hash_, item)
    else:
        hash_.update(repr(value).encode() + b";")


def make_node(cls: type[Term], parts: tuple[Any, ...]) -> Any:
    key = cls, parts
    found = _interned.get(key)
    if found is None:
        found = _interned[key] = cls()
        found.parts = parts
        found._digest = found._interval = found._labels = found._size = found._symbols = found._negation = None
        found._children = found._ideal = None
        found._kinds = 0
    return found


MOST_TERMS = 400_000  # some 400 bytes each


_kept: list[Term] = []  # what modules hold as constants
_caches: list[Callable[[], None]] = []


def keep(term: _T) -> _T:
    """The term, which a module holds as a constant: emptying the table leaves it there."""
    _kept.append(term)
    return term


def cached_by_term(maxsize: int | None) -> Callable[[Callable[..., _R]], Callable[..., _R]]:
    """`lru_cache` for functions of terms: what it remembers is forgotten with the terms."""

    def decorate(function: Callable[..., _R]) -> Callable[..., _R]:
        remembering = lru_cache(maxsize)(function)
        _caches.append(remembering.cache_clear)
        return remembering

    return decorate


def forget_all() -> None:
    """Empty the table between files; no terms but truths, numbers and what modules `keep` may be held across this call."""
    kept = [TRUE, FALSE, *_numbers.values(), *_kept]
    _interned.clear()
    _interned.update({(type(term), term.parts): term for term in kept})
    for clear in _caches:
        clear()


def forget_if_many() -> None:
    """Between files: empty the table once it has grown, so that a scan of thousands of files stays small."""
    if len(_interned) > MOST_TERMS:
        forget_all()


TRUE: Term = make_node(Truth, (True,))
FALSE: Term = make_node(Truth, (False,))


_numbers: dict[int, Term] = {}


def number(value: int) -> Term:
    found = _numbers.get(value)
    if found is None:
        found = _numbers[int(value)] = make_node(Number, (int(value),))
    return found


def symbol(name: str, low: Bound = None, high: Bound = None, scope: str = "launch") -> Symbol:
    return make_node(Symbol, (name, low, high, scope))  # type: ignore[no-any-return]


def flag(name: str, scope: str = "launch") -> Term:
    return make_node(Flag, (name, scope))  # type: ignore[no-any-return]


POWER_OF_TWO = "pow2"
BITWISE: dict[str, Callable[[int, int], int]] = {
    "bits &": operator.and_,
    "bits |": operator.or_,
    "bits ^": operator.xor,
}
"""Functions of two C values of one type, by the names that `apply` knows."""
LARGEST_EXPONENT = 64


def is_known_function(name: str) -> bool:
    """Its value follows from those of its arguments."""
    return name == POWER_OF_TWO or name in BITWISE


def applied(name: str, args: Sequence[int]) -> int:
    """The value of a known function."""
    if name == POWER_OF_TWO:
        return 1 << args[0] if 0 <= args[0] <= LARGEST_EXPONENT else 0
    return BITWISE[name](args[0], args[1])


def apply(name: str, args: tuple[Term, ...], low: Bound = None, high: Bound = None) -> Term:
    values = [arg.value for arg in args if isinstance(arg, Number)]
    if is_known_function(name) and len(values) == len(args):
        return number(applied(name, values))
    return make_node(Apply, (name, args, low, high))  # type: ignore[no-any-return]


def is_number(term: Term, value: int | None = None) -> bool:
    return isinstance(term, Number) and (value is None or term.value == value)


# --- polynomials -----------------------------------------------------------------------------------------------------


def is_far(term: Term) -> bool:
    """Whether it is a polynomial of so high a degree, or of so large numbers, that no further product should be formed."""
    constant, monomials = _polynomial(term)
    numbers, degree = (constant, *monomials.values()), max(map(len, monomials), default=0)
    return degree > _HIGHEST_DEGREE or any(abs(each) > _LARGEST_NUMBER for each in numbers)


def _polynomial(term: Term) -> tuple[int, dict[Monomial, int]]:
    kind = type(term)
    if kind is Number:
        return term.parts[0], {}
    if kind is Sum:
        return term.parts[0], dict(term.parts[1])
    return 0, {(term,): 1}


def _from_polynomial(constant: int, monomials: dict[Monomial, int]) -> Term:
    kept = [(m, c) for m, c in monomials.items() if c]
    if not kept:
        return number(constant)
    if constant == 0 and len(kept) == 1 and kept[0][1] == 1 and len(kept[0][0]) == 1:
        return kept[0][0][0]
    if len(kept) > 1:
        kept.sort(key=_monomial_order)
    return make_node(Sum, (constant, tuple(kept)))  # type: ignore[no-any-return]


def _monomial_order(item: tuple[Monomial, int]) -> tuple[int, tuple[bytes, ...]]:
    return len(item[0]), tuple([atom._digest or atom.digest for atom in item[0]])


def add(*terms: Term) -> Term:
    if len(terms) == 2:
        a, b = terms
        if isinstance(b, Number) and b.parts[0] == 0:
            return a
        if isinstance(a, Number) and a.parts[0] == 0:
            return b
    return _linear_combination((1, term) for term in terms)


def _linear_combination(
    scaled: Iterable[tuple[int, Term]], constant: int = 0, monomials: dict[Monomial, int] | None = None
) -> Term:
    """The sum of the scaled terms, a constant, and `monomials`, which are changed."""
    if monomials is None:
        monomials = {}
    for factor, term in scaled:
        kind = type(term)
        if kind is Number:
            constant += factor * term.parts[0]
        elif kind is Sum:
            constant += factor * term.parts[0]
            for monomial, coefficient in term.parts[1]:
                monomials[monomial] = monomials.get(monomial, 0) + factor * coefficient
        else:
            monomials[(term,)] = monomials.get((term,), 0) + factor
    return _from_polynomial(constant, monomials)


def scale(term: Term, factor: int) -> Term:
    if factor == 1:
        return term
    constant, monomials = _polynomial(term)
    return _from_polynomial(constant * factor, {m: c * factor for m, c in monomials.items()})


def subtract(a: Term, b: Term) -> Term:
    return a if isinstance(b, Number) and b.parts[0] == 0 else _linear_combination(((1, a), (-1, b)))


def negate(a: Term) -> Term:
    return scale(a, -1)


_LARGEST_PRODUCT = 24
_HIGHEST_DEGREE = 32
_LARGEST_NUMBER = 1 << 128


def multiply(a: Term, b: Term) -> Term:
    if isinstance(a, Number):
        return scale(b, a.value)
    if isinstance(b, Number):
        return scale(a, b.value)
    ca, ma = _polynomial(a)
    cb, mb = _polynomial(b)
    if (len(ma) + 1) * (len(mb) + 1) > _LARGEST_PRODUCT:
        return _from_polynomial(0, {_sorted_atoms((a, b)): 1})
    result: dict[Monomial, int] = {}
    for m, c in ma.items():
        result[m] = result.get(m, 0) + c * cb
    for m, c in mb.items():
        result[m] = result.get(m, 0) + c * ca
    for m1, c1 in ma.items():
        for m2, c2 in mb.items():
            m = _sorted_atoms(m1 + m2)
            result[m] = result.get(m, 0) + c1 * c2
    return _from_polynomial(ca * cb, result)


def _sorted_atoms(atoms: Iterable[Term]) -> Monomial:
    return tuple(sorted(atoms, key=lambda atom: atom.digest))


# --- division --------------------------------------------------------------------------------------------------------


def quotient(a: Term, b: Term) -> Term:
    """Floor division; the value for a zero divisor is unspecified."""
    if isinstance(b, Number) and b.value != 0:
        return _divide_by_number(a, b.value)[0]
    if a is b:
        low, _ = interval(b)
        if low is not None and low > 0:
            return number(1)
    if is_number(a, 0):
        return a
    return make_node(Quotient, (a, b))  # type: ignore[no-any-return]


def remainder(a: Term, b: Term) -> Term:
    """a - b * quotient(a, b)."""
    if isinstance(b, Number) and b.value != 0:
        return _divide_by_number(a, b.value)[1]
    if a is b or is_number(a, 0):
        return number(0)
    return make_node(Remainder, (a, b))  # type: ignore[no-any-return]


def _divide_by_number(a: Term, divisor: int) -> tuple[Term, Term]:
    if isinstance(a, Number):
        return number(a.value // divisor), number(a.value % divisor)
    if divisor == 1:
        return a, number(0)
    constant, monomials = _polynomial(a)
    whole = {m: c // divisor for m, c in monomials.items() if c % divisor == 0}
    rest = _from_polynomial(constant % divisor, {m: c for m, c in monomials.items() if c % divisor})
    whole_term = _from_polynomial(constant // divisor, whole)
    if is_number(rest, 0):
        return whole_term, rest
    low, high = interval(rest)
    if divisor > 0 and low is not None and high is not None and low // divisor == high // divisor:
        inner = low // divisor
        return add(whole_term, number(inner)), add(rest, number(-inner * divisor))
    if divisor > 0 and isinstance(rest, Quotient) and isinstance(rest.parts[1], Number) and rest.parts[1].value > 0:
        inner_quotient = make_node(Quotient, (rest.parts[0], number(rest.parts[1].value * divisor)))
        return add(whole_term, inner_quotient), make_node(Remainder, (rest, number(divisor)))
    unit = gcd(divisor, *(c for c in monomials.values() if c % divisor))
    if divisor > 0 and unit > 1:  # (16 * t + 3) / 128 is t / 8, and leaves 16 * (t % 8) + 3
        lowest = constant % divisor % unit
        lesser = {m: c // unit for m, c in monomials.items() if c % divisor}
        times, left = _divide_by_number(_from_polynomial(constant % divisor // unit, lesser), divisor // unit)
        return add(whole_term, times), add(scale(left, unit), number(lowest))
    d = number(divisor)
    return add(whole_term, make_node(Quotient, (rest, d))), make_node(Remainder, (rest, d))


def truncated_quotient(a: Term, b: Term) -> Term:
    """C's `/`: rounds towards zero."""
    (la, _), (lb, hb) = interval(a), interval(b)
    if la is not None and la >= 0 and lb is not None and lb >= 0:
        return quotient(a, b)
    if lb is not None and lb >= 0:
        return choice(at_most(number(0), a), quotient(a, b), negate(quotient(negate(a), b)))
    if hb is not None and hb < 0:
        return negate(truncated_quotient(a, negate(b)))
    positive = truncated_quotient_sign(a, b)
    return choice(less(number(0), b), positive, negate(truncated_quotient_sign(a, negate(b))))


def truncated_quotient_sign(a: Term, b: Term) -> Term:
    """The truncated quotient where b is positive."""
    return choice(at_most(number(0), a), quotient(a, b), negate(quotient(negate(a), b)))


def truncated_remainder(a: Term, b: Term) -> Term:
    """C's `%`: has the sign of the dividend."""
    (la, _), (lb, _) = interval(a), interval(b)
    if la is not None and la >= 0 and lb is not None and lb >= 0:
        return remainder(a, b)
    return subtract(a, multiply(b, truncated_quotient(a, b)))


def ceil_quotient(a: Term, b: Term) -> Term:
    """The least integer not below a / b, for positive b."""
    return quotient(add(a, b, number(-1)), b)


# --- choices and wrapping --------------------------------------------------------------------------------------------


def choice(cond: Term, then: Term, orelse: Term) -> Term:
    if cond is TRUE or then is orelse:
        return then
    if cond is FALSE:
        return orelse
    if orelse is cond:
        return conjunction(cond, then)
    if then is cond:
        return disjunction(cond, orelse)
    if is_truth(then) or is_truth(orelse):
        return disjunction(conjunction(cond, then), conjunction(negation(cond), orelse))
    return make_node(Choice, (cond, then, orelse))  # type: ignore[no-any-return]


def minimum(a: Term, b: Term) -> Term:
    return choice(at_most(a, b), a, b)


def maximum(a: Term, b: Term) -> Term:
    return choice(at_most(a, b), b, a)


def wrapped(a: Term, bits: int, signed: bool) -> Term:
    """The C value of `a` in an integer type; `a` itself where its interval fits."""
    low_limit = -(1 << (bits - 1)) if signed else 0
    high_limit = low_limit + (1 << bits) - 1
    low, high = interval(a)
    if low is not None and high is not None and low_limit <= low and high <= high_limit:
        return a
    if isinstance(a, Number):
        return number((a.value - low_limit) % (1 << bits) + low_limit)
    if isinstance(a, Wrapped) and a.parts[1] >= bits:
        return wrapped(a.parts[0], bits, signed)
    return make_node(Wrapped, (a, bits, signed))  # type: ignore[no-any-return]


# --- truth -----------------------------------------------------------------------------------------------------------


def is_truth(term: Term) -> bool:
    return type(term) in _TRUTHS


def truth(value: bool) -> Term:
    return TRUE if value else FALSE


def at_most(a: Term, b: Term) -> Term:
    """a <= b"""
    difference = subtract(a, b)
    low, high = interval(difference)
    if high is not None and high <= 0:
        return TRUE
    if low is not None and low > 0:
        return FALSE
    if isinstance(difference, Sum):
        divisor = _content(difference)
        if divisor > 1:
            constant, monomials = _polynomial(difference)
            difference = _from_polynomial(-(-constant // divisor), {m: c // divisor for m, c in monomials.items()})
    return make_node(AtMostZero, (difference,))  # type: ignore[no-any-return]


def _content(term: Sum) -> int:
    return gcd(*[c for _, c in term.parts[1]])


def less(a: Term, b: Term) -> Term:
    return at_most(add(a, number(1)), b)


def equal(a: Term, b: Term) -> Term:
    if is_truth(a) or is_truth(b):
        return disjunction(conjunction(a, b), conjunction(negation(a), negation(b)))
    difference = subtract(a, b)
    if isinstance(difference, Number):
        return truth(difference.value == 0)
    low, high = interval(difference)
    if (low is not None and low > 0) or (high is not None and high < 0):
        return FALSE
    if isinstance(difference, Sum):
        divisor = _content(difference)
        if difference.constant % divisor:
            return FALSE
        sign = 1 if difference.monomials[0][1] > 0 else -1
        constant, monomials = _polynomial(difference)
        factor = sign * divisor
        difference = _from_polynomial(constant // factor, {m: c // factor for m, c in monomials.items()})
    return make_node(IsZero, (difference,))  # type: ignore[no-any-return]


def negation(cond: Term) -> Term:
    """Not cond, with the negation moved inward to the comparisons."""
    if cond._negation is None:
        cond._negation = _negation_of(cond)
    return cond._negation


def _negation_of(cond: Term) -> Term:
    if isinstance(cond, Truth):
        return truth(not cond.parts[0])
    if isinstance(cond, Not):
        return cond.parts[0]  # type: ignore[no-any-return]
    if isinstance(cond, AtMostZero):
        return at_most(number(1), cond.parts[0])
    if isinstance(cond, All):
        return disjunction(*(negation(part) for part in cond.parts[0]))
    if isinstance(cond, Any_):
        return conjunction(*(negation(part) for part in cond.parts[0]))
    return make_node(Not, (cond,))  # type: ignore[no-any-return]


def conjunction(*conds: Term) -> Term:
    return _connect(All, TRUE, FALSE, conds)


def disjunction(*conds: Term) -> Term:
    return _connect(Any_, FALSE, TRUE, conds)


def _connect(cls: type[Term], neutral: Term, absorbing: Term, conds: tuple[Term, ...]) -> Term:
    flat: dict[Term, None] = {}
    for cond in conds:
        for part in cond.parts[0] if isinstance(cond, cls) else (cond,):
            if part is absorbing or negation(part) in flat:
                return absorbing
            if part is not neutral:
                flat[part] = None
    if not flat:
        return neutral
    if len(flat) == 1:
        return next(iter(flat))
    return make_node(cls, (tuple(flat),))  # type: ignore[no-any-return]


# --- intervals -------------------------------------------------------------------------------------------------------


def interval(term: Term) -> Interval:
    """Smallest and largest value that the ranges of the symbols permit (None: unbounded)."""
    if term._interval is None:
        term._interval = _interval_of(term)
    return term._interval


def _interval_of(term: Term) -> Interval:
    kind = type(term)
    if kind is Number:
        return term.parts[0], term.parts[0]
    if kind is Symbol:
        return term.parts[1], term.parts[2]
    if kind is Sum:
        return sum_interval(term.parts[0], term.parts[1], _monomial_interval)
    if isinstance(term, Choice):
        (l1, h1), (l2, h2) = interval(term.parts[1]), interval(term.parts[2])
        return _choice_interval(term, l1, h1, l2, h2)
    if isinstance(term, Wrapped):
        low = -(1 << (term.parts[1] - 1)) if term.parts[2] else 0
        return low, low + (1 << term.parts[1]) - 1
    if isinstance(term, Quotient):
        return _quotient_interval(interval(term.parts[0]), interval(term.parts[1]))
    if isinstance(term, Remainder):
        return _remainder_interval(interval(term.parts[0]), interval(term.parts[1]))
    if isinstance(term, Apply):
        return term.parts[2], term.parts[3]
    return 0, 1


def _choice_interval(term: Choice, l1: Bound, h1: Bound, l2: Bound, h2: Bound) -> Interval:
    low = None if l1 is None or l2 is None else min(l1, l2)
    high = None if h1 is None or h2 is None else max(h1, h2)
    cond, a, b = term.parts
    if cond is at_most(a, b):  # minimum
        highs = [h for h in (h1, h2) if h is not None]
        return low, min(highs) if highs else None
    if cond is at_most(b, a):  # maximum
        lows = [bound for bound in (l1, l2) if bound is not None]
        return max(lows) if lows else None, high
    return low, high


def sum_interval(
    constant: int, monomials: Iterable[tuple[Monomial, int]], range_of: Callable[[Monomial], Interval]
) -> Interval:
    """The range of a sum, given those of its products."""
    low: Bound = constant
    high: Bound = constant
    for monomial, coefficient in monomials:
        least, most = range_of(monomial)
        if coefficient < 0:
            least, most = most, least
        if low is not None:
            low = None if least is None else low + coefficient * least
        if high is not None:
            high = None if most is None else high + coefficient * most
        if low is None and high is None:
            break
    return low, high


def _monomial_interval(monomial: Monomial) -> Interval:
    return interval(monomial[0]) if len(monomial) == 1 else monomial_interval(monomial, 1)


def monomial_interval(
    monomial: Monomial, coefficient: int, range_of: Callable[[Term], Interval] | None = None
) -> Interval:
    """The range of coefficient * product; a square is never negative. `range_of` gives the ranges of the factors."""
    range_of = range_of or interval
    if len(monomial) == 1:
        return scale_bounds(coefficient, range_of(monomial[0]))
    least = 1
    most: Bound = 1
    is_zero = False
    for atom in monomial:
        from_, to = range_of(atom)
        if from_ is None or from_ < 0:
            return _signed_interval(monomial, coefficient, range_of)
        least *= from_
        is_zero = is_zero or to == 0
        most = None if most is None or to is None else most * to
    return scale_bounds(coefficient, (0, 0) if is_zero else (least, most))


def _signed_interval(monomial: Monomial, coefficient: int, range_of: Callable[[Term], Interval]) -> Interval:
    """The same where a factor may be negative."""
    low: Bound = coefficient
    high: Bound = coefficient
    index = 0
    while index < len(monomial):
        atom = monomial[index]
        count = monomial.count(atom)
        bounds = range_of(atom)
        if count % 2 == 0:
            bounds = _square_interval(bounds)
            index += count
            for _ in range(count // 2):
                low, high = multiply_bounds((low, high), bounds)
            continue
        low, high = multiply_bounds((low, high), bounds)
        index += 1
        if count > 1:
            for _ in range(count // 2):
                low, high = multiply_bounds((low, high), _square_interval(bounds))
            index += count - 1
    return low, high


def _square_interval(bounds: Interval) -> Interval:
    low, high = bounds
    if low is not None and low >= 0:
        return low * low, None if high is None else high * high
    if low is None or high is None:
        return 0, None
    return 0 if high >= 0 else high * high, max(low * low, high * high)


def scale_bounds(factor: int, bounds: Interval) -> Interval:
    low = None if bounds[0] is None else factor * bounds[0]
    high = None if bounds[1] is None else factor * bounds[1]
    return (low, high) if factor > 0 else (high, low) if factor < 0 else (0, 0)


def multiply_bounds(a: Interval, b: Interval) -> Interval:
    (a_low, a_high), (b_low, b_high) = a, b
    if a_low is not None and a_low >= 0 and b_low is not None and b_low >= 0:
        if a_high == 0 or b_high == 0:
            return 0, 0
        return a_low * b_low, None if a_high is None or b_high is None else a_high * b_high
    if a == (0, 0) or b == (0, 0):
        return 0, 0
    infinity = float("inf")
    left = (-infinity if a[0] is None else a[0], infinity if a[1] is None else a[1])
    right = (-infinity if b[0] is None else b[0], infinity if b[1] is None else b[1])
    products: list[int | float] = [0 if x == 0 or y == 0 else x * y for x in left for y in right]
    low, high = min(products), max(products)
    return None if low == -infinity else int(low), None if high == infinity else int(high)


def _quotient_interval(a: Interval, b: Interval) -> Interval:
    if b[0] is None or b[0] < 1:
        return None, None
    low = None if a[0] is None else (a[0] // b[0] if a[0] < 0 else (0 if b[1] is None else a[0] // b[1]))
    high = None if a[1] is None else (a[1] // b[0] if a[1] >= 0 else (-1 if b[1] is None else a[1] // b[1]))
    return low, high


def _remainder_interval(a: Interval, b: Interval) -> Interval:
    if b[0] is None or b[0] < 1:
        return None, None
    high = None if b[1] is None else b[1] - 1
    if a[0] is not None and a[0] >= 0 and a[1] is not None:
        high = a[1] if high is None else min(high, a[1])
    return 0, high


# --- traversal -------------------------------------------------------------------------------------------------------


def children(term: Term) -> tuple[Term, ...]:
    if term._children is None:
        term._children = _children_of(term)
    return term._children


def _children_of(term: Term) -> tuple[Term, ...]:
    if isinstance(term, Sum):
        return tuple(dict.fromkeys(atom for monomial, _ in term.monomials for atom in monomial))
    if isinstance(term, Apply):
        return term.parts[1]  # type: ignore[no-any-return]
    if isinstance(term, All | Any_):
        return term.parts[0]  # type: ignore[no-any-return]
    return tuple(part for part in term.parts if isinstance(part, Term))


_KIND_BITS: dict[type[Term], int] = {
    kind: 1 << place
    for place, kind in enumerate(
        (
            Number,
            Symbol,
            Sum,
            Quotient,
            Remainder,
            Choice,
            Wrapped,
            Apply,
            Truth,
            Flag,
            AtMostZero,
            IsZero,
            Not,
            All,
            Any_,
        )
    )
}


def holds_any(term: Term, *kinds: type[Term]) -> bool:
    """Whether a part of the term, or the term itself, is of one of the kinds."""
    held = term._kinds or _kinds_of(term)
    return any(held & _KIND_BITS[kind] for kind in kinds)


def _kinds_of(term: Term) -> int:
    kinds = _KIND_BITS[type(term)]
    for child in children(term):
        kinds |= child._kinds or _kinds_of(child)
    term._kinds = kinds
    return kinds


def subterms(terms: Iterable[Term]) -> list[Term]:
    """The terms and all that they are made of, each once."""
    seen: dict[Term, None] = {}
    stack = list(terms)
    while stack:
        term = stack.pop()
        if term not in seen:
            seen[term] = None
            stack.extend(children(term))
    return list(seen)


def free_symbols(term: Term) -> frozenset[Term]:
    """All symbols and flags that occur in the term."""
    if term._symbols is None:
        if type(term) in _ATOMS:
            term._symbols = frozenset((term,))
        else:
            term._symbols = frozenset().union(*(free_symbols(child) for child in children(term)))
    return term._symbols


def labels(term: Term) -> frozenset[str]:
    """The names of all symbols, flags and functions in the term."""
    if term._labels is None:
        own = (str(term.parts[0]),) if isinstance(term, Symbol | Flag | Apply) else ()
        term._labels = frozenset(own).union(*(labels(child) for child in children(term)))
    return term._labels


def rewrite(term: Term, leaf: Callable[[Term], Term | None], memo: dict[Term, Term] | None = None) -> Term:
    """Rebuild with `leaf(t)` in place of each subterm for which it answers; the result is simplified again."""
    known = {} if memo is None else memo
    if (done := known.get(term)) is not None:
        return done

    def walk(part: Term) -> Term:
        found = known.get(part)
        if found is None:
            found = leaf(part)
            if found is None:
                found = _rebuild(part, walk)  # noqa: F821
            known[part] = found
        return found

    try:
        return walk(term)
    finally:
        del walk  # it refers to itself: the collector would have to find what it holds


def ideal(term: Term) -> Term:
    """The term with every value as large as mathematics makes it."""
    if term._ideal is None:
        if not holds_any(term, Wrapped):
            term._ideal = term
        else:
            term._ideal = ideal(term.parts[0]) if isinstance(term, Wrapped) else _rebuild(term, ideal)
    return term._ideal


def substitute(term: Term, mapping: Mapping[Term, Term]) -> Term:
    return rewrite_symbols(term, mapping, {}) if mapping else term


def rewrite_symbols(term: Term, mapping: Mapping[Term, Term], memo: dict[Term, Term]) -> Term:
    """Rebuild with other terms in place of symbols and flags; `memo` may be kept for the same mapping."""
    if (done := memo.get(term)) is not None:
        return done
    changed = mapping.keys()
    if changed.isdisjoint(term._symbols or free_symbols(term)):
        return term

    def walk(part: Term) -> Term:
        found = memo.get(part)
        if found is None:
            if changed.isdisjoint(part._symbols or free_symbols(part)):
                found = part
            else:
                found = mapping.get(part)
                if found is None:
                    found = _rebuild(part, walk)  # noqa: F821
            memo[part] = found
        return found

    try:
        return walk(term)
    finally:
        del walk


def _rebuild(term: Term, f: Callable[[Term], Term]) -> Term:
    kind = type(term)
    if kind is Sum:
        return _rebuild_sum(term, f)  # type: ignore[arg-type]
    if kind in _LEAVES:
        return term
    if kind is Apply:
        args = tuple(f(arg) for arg in term.parts[1])
        return term if args == term.parts[1] else apply(term.parts[0], args, term.parts[2], term.parts[3])
    if kind is All or kind is Any_:
        parts = tuple([f(part) for part in term.parts[0]])
        if parts == term.parts[0]:
            return term
        return conjunction(*parts) if kind is All else disjunction(*parts)
    parts = tuple([f(part) if isinstance(part, Term) else part for part in term.parts])
    return term if parts == term.parts else _BUILDERS[kind](*parts)


def _rebuild_sum(term: Sum, f: Callable[[Term], Term]) -> Term:
    kept: dict[Monomial, int] = {}
    products: list[tuple[int, Term]] = []
    for monomial, coefficient in term.parts[1]:
        if len(monomial) == 1:
            atom = f(monomial[0])
            if atom is monomial[0]:
                kept[monomial] = coefficient
            else:
                products.append((coefficient, atom))
            continue
        factors = [f(atom) for atom in monomial]
        if all(map(operator.is_, factors, monomial)):
            kept[monomial] = coefficient
        else:
            products.append(_scaled_product(coefficient, factors))
    return _linear_combination(products, term.parts[0], kept) if products else term


def _scaled_product(coefficient: int, factors: Iterable[Term]) -> tuple[int, Term]:
    """A number and a term whose product is that of all of them."""
    product: Term | None = None
    for factor in factors:
        if type(factor) is Number:
            coefficient *= factor.parts[0]
        else:
            product = factor if product is None else multiply(product, factor)
    return coefficient, number(1) if product is None else product


_BUILDERS: dict[type[Term], Callable[..., Term]] = {
    Quotient: quotient,
    Remainder: remainder,
    Choice: choice,
    Wrapped: wrapped,
    AtMostZero: lambda inner: at_most(inner, number(0)),
    IsZero: lambda inner: equal(inner, number(0)),
    Not: negation,
}


class Undefined(Exception):
    """A symbol without a value, or a division by zero."""


Unknown: TypeAlias = Callable[[Term, Callable[[Term], int]], int]


def evaluate(term: Term, values: Mapping[str, int]) -> int:
    """The value under an assignment of symbols and flags by name (truths give 0 or 1)."""
    return evaluator(values)(term)


def evaluator(values: Mapping[str, int], unknown: Unknown | None = None) -> Callable[[Term], int]:
    """Values of terms under one assignment, each part worked out once. `unknown` gives that of atoms without one."""
    memo: dict[Term, int] = {}

    def value(t: Term) -> int:
        found = memo.get(t)
        if found is None:
            if unknown is not None and (type(t) is Apply or _is_missing(t, values)):
                found = unknown(t, value)
            else:
                found = _evaluate(t, value, values)
            memo[t] = found
        return found

    return value


def _is_missing(term: Term, values: Mapping[str, int]) -> bool:
    return type(term) in _ATOMS and term.parts[0] not in values


def _evaluate(term: Term, value: Callable[[Term], int], values: Mapping[str, int]) -> int:
    kind = type(term)
    if kind is Sum:
        total: int = term.parts[0]
        for monomial, coefficient in term.parts[1]:
            product = coefficient
            for atom in monomial:
                product *= value(atom)
            total += product
        return total
    if kind in _ATOMS:
        if term.parts[0] not in values:
            raise Undefined(str(term.parts[0]))
        return int(values[term.parts[0]])
    if kind is Number:
        return int(term.parts[0])
    if kind is AtMostZero:
        return int(value(term.parts[0]) <= 0)
    if kind is IsZero:
        return int(value(term.parts[0]) == 0)
    if kind is Quotient or kind is Remainder:
        a, b = value(term.parts[0]), value(term.parts[1])
        if b == 0:
            raise Undefined("division by zero")
        return a // b if kind is Quotient else a % b
    if kind is Choice:
        return value(term.parts[1]) if value(term.parts[0]) else value(term.parts[2])
    if kind is Wrapped:
        low = -(1 << (term.parts[1] - 1)) if term.parts[2] else 0
        return int((value(term.parts[0]) - low) % (1 << term.parts[1]) + low)
    if kind is Not:
        return int(not value(term.parts[0]))
    if kind is All:
        return int(all(map(value, term.parts[0])))
    if kind is Any_:
        return int(any(map(value, term.parts[0])))
    if kind is Truth:
        return int(term.parts[0])
    if kind is Apply and is_known_function(term.parts[0]):
        return applied(term.parts[0], [value(arg) for arg in term.parts[1]])
    raise Undefined(text(term))


# --- text ------------------------------------------------------------------------------------------------------------


TEXT_LIMIT = 300  # nodes of a part that is written out


@cached_by_term(maxsize=1 << 12)
def text(term: Term) -> str:
    """The term as a reader would write it; parts that nobody would read are dots (shared parts unfold exponentially)."""
    return "..." if unfolded_size(term) > 2 * TEXT_LIMIT else _text(term)


def unfolded_size(term: Term) -> int:
    """The number of nodes of the term written as a tree, which shares nothing."""
    if term._size is None:
        atoms = [a for monomial, _ in term.monomials for a in monomial] if isinstance(term, Sum) else children(term)
        term._size = 1 + sum(unfolded_size(atom) for atom in atoms)
    return term._size


def _text(term: Term) -> str:
    if isinstance(term, Number):
        return str(term.value)
    if isinstance(term, Symbol | Flag):
        return str(term.parts[0])
    if isinstance(term, Sum):
        return _sum_text(term)
    if isinstance(term, AtMostZero | IsZero):
        return _comparison_text(term)
    if isinstance(term, Quotient):
        return f"{_atom_text(term.parts[0])} / {_atom_text(term.parts[1])}"
    if isinstance(term, Remainder):
        return f"{_atom_text(term.parts[0])} % {_atom_text(term.parts[1])}"
    if isinstance(term, Choice):
        cond, a, b = term.parts
        if cond is at_most(a, b):
            return f"min({text(a)}, {text(b)})"
        if cond is at_most(b, a):
            return f"max({text(a)}, {text(b)})"
        return f"({text(cond)} ? {text(a)} : {text(b)})"
    if isinstance(term, Wrapped):
        return f"{'int' if term.parts[2] else 'uint'}{term.parts[1]}({text(term.parts[0])})"
    if isinstance(term, Apply):
        return f"{term.parts[0]}({', '.join(text(arg) for arg in term.parts[1])})"
    if isinstance(term, Truth):
        return "true" if term.parts[0] else "false"
    if isinstance(term, Not):
        inner = term.parts[0]
        if isinstance(inner, IsZero):
            return _comparison_text(inner).replace(" == ", " != ")
        return f"!({text(inner)})"
    if isinstance(term, All):
        return " && ".join(f"({text(p)})" if isinstance(p, Any_) else text(p) for p in term.parts[0])
    if isinstance(term, Any_):
        return " || ".join(f"({text(p)})" if isinstance(p, All) else text(p) for p in term.parts[0])
    return term.kind


def _atom_text(term: Term) -> str:
    inner = text(term)
    return f"({inner})" if isinstance(term, Sum | Quotient | Remainder) else inner


def _sum_text(term: Sum) -> str:
    pieces: list[str] = []
    ordered = sorted(term.monomials, key=lambda item: (-len(item[0]), "*".join(text(a) for a in item[0])))
    for monomial, coefficient in ordered:
        product = "*".join(sorted(_atom_text(atom) for atom in monomial))
        if abs(coefficient) != 1:
            product = f"{abs(coefficient)}*{product}"
        sign = "-" if coefficient < 0 else "+"
        pieces.append(f"{sign} {product}")
    if term.constant:
        pieces.append(f"{'-' if term.constant < 0 else '+'} {abs(term.constant)}")
    joined = " ".join(pieces)
    return joined[2:] if joined.startswith("+") else "-" + joined[2:]


def _comparison_text(term: Term) -> str:
    inner = term.parts[0]
    op = "==" if isinstance(term, IsZero) else "<="
    constant, monomials = _polynomial(inner)
    left = _from_polynomial(0, {m: c for m, c in monomials.items() if c > 0})
    right = _from_polynomial(-constant, {m: -c for m, c in monomials.items() if c < 0})
    if op == "<=" and isinstance(right, Sum) and right.constant == -1:
        return f"{text(left)} < {text(add(right, number(1)))}"
    if op == "<=" and isinstance(left, Number):
        return f"{text(add(right, number(constant)))} >= {constant}"
    return f"{text(left)} {op} {text(right)}"
