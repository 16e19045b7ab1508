"""How large a product of sizes gets in ordinary use: upper bounds as monomials of sizes, so that `(i / w) * w` is `i`.

    i < rows, c < cols          i * cols + c      rows*cols        2^18 * 2^14
    w = i % W, h = i / W, i < n h * W + w         n                not n * W

A `Size` is a sum: its terms are sets of monomials, each an upper bound of the term. Only the largest term counts, and of
a term its smallest bound. What a size can be follows from the role that its name states; the table is of sizes that
services and trainings of today reach, so that a product beyond 2^31 in it is ordinary.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TypeAlias

Monomial: TypeAlias = tuple[float, tuple[tuple[str, int], ...]]
Term: TypeAlias = frozenset[Monomial]

MOST_TERMS = 6
MOST_BOUNDS = 6
SQUARE = 2.0**16
LETTER_SQUARE = 2.0**15
LOADED = 2.0**20

IMAGE, AXIS, ROW, SMALL, VAGUE = "image", "axis", "row", "small", "vague"
ROLES: tuple[tuple[str, str, float], ...] = (
    (r"per_?(cta|block|thread|warp|tile|wave|lane|sm)s?$", SMALL, 2.0**7),
    (r"^(n|num|number_of)_?sms?$|^sms?_?(count|num)$|multi_?processor", SMALL, 2.0**8),
    (r"num_?elements?|numel|nelem|elem_?(cnt|count)|total|nnz|nthreads|count$|length_total", VAGUE, 2.0**26),
    (r"(sram|smem|shared|shm)\w*_?(size|bytes|sz|mem|in_bytes)$", VAGUE, 2.0**15),
    (r"sram|smem|shared|(^|_)thr_", SMALL, 2.0**7),
    (r"^[a-z]{1,2}\d+$", VAGUE, 2.0**16),
    (r"(image|img|frame|pix(el)?s?)_?(rows|cols)$", IMAGE, 2.0**13),
    (r"rows?_?(size|bytes|length|len|width|pitch)$", AXIS, 2.0**14),
    (r"(^|_)(num_?|n_?)?rows?(_|$)", ROW, 2.0**18),
    (r"vocab|(^|_)(n|num)_?classes(_|$)", ROW, 2.0**18),
    (
        r"(^|_)(n|nb|num|number_of)_?(samples|points|pts|queries|vectors|vertices|gaussians|observations|train)(_|$)",
        ROW,
        2.0**20,
    ),
    (r"(^|_)(n|num)_?(features?|feats?)(_|$)|feat(ure)?_?(size|dim|len|length)$", AXIS, 2.0**14),
    (r"^(block|grid|b|g)_?dim|^(grid|tiles?|patch(es)?)_(h|w|height|width)$", SMALL, 2.0**10),
    (r"warp|lane|^tid$|^tx$|^ty$|thread|rank|radius|kernel|filter|pad|dilation|top_?k|group", SMALL, 2.0**7),
    (r"octaves?|pyramid|mip_?levels?|(^|_)ndims?$", SMALL, 2.0**4),
    (r"layer|depth|level", SMALL, 2.0**7),
    (r"head_?(dim|size)|size_?per_?head|^hs$|^hd$|^dh$", SMALL, 2.0**8),
    (r"head|^nh$|^hi$|expert|beam|block|page_?size|tile|chunk|vec(?!tor)|unroll|itemsize|elem_?size", SMALL, 2.0**7),
    (r"batch|^bs$|^bi$|^bid$|^n(um)?_?seq(uence)?s?$", SMALL, 2.0**12),
    (r"image|img|width|height|pitch|grid|pix|^res|screen|dim_?[xyz]$", IMAGE, 2.0**13),
    (r"clusters?$|centroids?$|n_?(lists|centers)$", ROW, 2.0**20),
    (r"stride|^ld[a-z]*$|_ld$", ROW, 2.0**16),
    (
        r"token|seq|ctx|context|k_?len|q_?len|kv_?len|[a-z]_?lengths?$|rows?$|^row|num_?rows|nrows|permuted",
        ROW,
        2.0**18,
    ),
    (r"hidden|inner|embed|embd|ffn|dim$|^dim|cols?$|^col|columns?|ncols|channels?$|units", AXIS, 2.0**14),
    (r"max_?(num_?)?pages|pages_?per", SMALL, 2.0**10),
    (r"page|index|indices|^idx|idx$|_id$|^id$|segment|seg", VAGUE, 2.0**17),
)
_COMPONENT = re.compile(r"(\.|->)[xyzw]$")
_ROUNDED_UP = re.compile(r"^(padded|rounded|aligned)_(?=\w)|_(padded|rounded|aligned)$")  # as large as without
_SHAPE = re.compile(r"[sS]ize\((-?\d)\)$|(?:sizes|shape)\(\)\[(-?\d)\]$")
UNKNOWN = 2.0**15
FIXED = 2.0**8
VOLUME = 2.0**10
AREA = 2.0**23
SMALLS = 2.0**12
IMAGES = 2.0**6
TILE = 2.0**3  # rows at least
POSITIONS = re.compile(r"(threadIdx|blockIdx|blockDim|gridDim)\.([xyz](?:2d)?)")
BLOCKS = {"x": 2.0**20, "x2d": 2.0**14, "y": 2.0**14, "z": 2.0**12}
THREADS = {"x": 2.0**10, "x2d": 2.0**10, "y": 2.0**6, "z": 2.0**6}
PLACES = 2.0**22
IMAGE_PLACES = 2.0**14


@dataclass(frozen=True, slots=True)
class Size:
    """`contents`: it rests on values that are loaded from memory."""

    terms: tuple[Term, ...]
    contents: bool = False


def constant(value: float) -> Size:
    return Size((frozenset(((abs(float(value)), ()),)),))


def named(name: str, contents: bool = False) -> Size:
    """A size by its name; `contents`: a value that is loaded from memory."""
    return Size((frozenset(((1.0, ((name + ("[]" if contents else ""), 1),)),)),), contents)


ZERO = constant(0)


@cache
def largest_of(name: str) -> tuple[float, str]:
    """The ordinary largest value of a size with this name, and the role that it states."""
    loaded = name.endswith("[]")
    shape = _SHAPE.search(name)
    if shape is not None:
        return (2.0**18, ROW) if (shape[1] or shape[2]) in ("0", "-2") else (2.0**14, AXIS)
    plain = re.sub(r"(\[[^\]]*\]|\([^)]*\))+$", "", name.removesuffix("[]"))
    last = re.split(r"[.>:(\[]+", _COMPONENT.sub("", plain))[-1].strip("_ )]") or plain
    last = _ROUNDED_UP.sub("", last) or last
    if re.fullmatch(r"[A-Z][A-Z0-9_]{2,}|k[A-Z]\w*[a-z]\w*|fixed:.*", last) or name.startswith("fixed:"):
        return FIXED, VAGUE
    role, limit = next(
        ((role, limit) for pattern, role, limit in ROLES if re.search(pattern, last, re.IGNORECASE)), (VAGUE, UNKNOWN)
    )
    return (max(limit, LOADED), ROW) if loaded else (limit, role)


def value_of(monomial: Monomial, stated: bool = False) -> float:
    """The monomial where every size is as large as its role permits; a divisor is as small as 1.

    With `stated` a size whose name states no role counts as 1. A place in the launch counts with its constant factor as
    one position, since launches are as large as their data; images and volumes are not as long on every side as a row.
    Small sizes are not all as large as they can be at once, and images that come in numbers are not the largest.
    """
    coefficient, factors = monomial
    result = max(coefficient, 1.0) if coefficient >= 1 else coefficient
    places: dict[str, float] = {}
    roles: dict[str, int] = {}
    smalls = 1.0
    for name, exponent in factors:
        position = POSITIONS.fullmatch(name)
        if exponent <= 0:
            continue
        if position:
            part = BLOCKS[position[2]] if position[1] in ("blockIdx", "gridDim") else THREADS[position[2]]
            places[position[2]] = max(places.get(position[2], 1.0), part)
            continue
        largest, role = largest_of(name)
        if stated and role is VAGUE:
            continue
        roles[role] = roles.get(role, 0) + exponent
        if exponent > 1:
            largest = min(largest, LETTER_SQUARE if len(name) == 1 else SQUARE)
        if stated and role is SMALL:
            smalls *= largest**exponent
        else:
            result *= largest**exponent
    if stated and roles.get(IMAGE, 0) == 2:
        result, smalls = min(result, max(coefficient, 1.0) * AREA), min(smalls, IMAGES)
    return _fitted(result * min(smalls, SMALLS), coefficient, places, roles)


def _fitted(result: float, coefficient: float, places: dict[str, float], roles: dict[str, int]) -> float:
    sides = roles.get(IMAGE, 0) + roles.get(AXIS, 0)
    if sides >= 3:
        result /= (2.0**13 / VOLUME) ** sides
    if not places:
        return result
    position = 1.0
    for size in places.values():
        position *= size
    position = min(position, IMAGE_PLACES if roles.get(IMAGE) else PLACES)
    return result * position / min(max(coefficient, 1.0), 2.0**10)


def magnitude(size: Size, stated: bool = False) -> float:
    """The largest ordinary value."""
    return max((min(value_of(m, stated) for m in term) for term in size.terms), default=0.0)


def in_tiles(size: Size) -> Size:
    """The size where a divisor that is named as a tile, and whose number the text does not state, is no smaller than one."""
    return Size(tuple(frozenset(_in_tiles(m) for m in term) for term in size.terms), size.contents)


def _in_tiles(monomial: Monomial) -> Monomial:
    coefficient, factors = monomial
    tiles = sum(-exponent for name, exponent in factors if exponent < 0 and _is_tile(name))
    return coefficient / TILE**tiles, factors


def _is_tile(name: str) -> bool:
    limit, role = largest_of(name)
    return role is SMALL or limit == FIXED


def largest_term(size: Size) -> Term:
    return max(size.terms, key=lambda term: min(map(value_of, term)), default=frozenset())


def added(a: Size, b: Size) -> Size:
    """A sum by its summands, of which the largest says how large it is and on what it rests; of two constants the sum itself."""
    fixed = [value for size in (a, b) if (value := _constant_of(size)) is not None]
    if len(fixed) == 2:
        return constant(sum(fixed))
    contents = a.contents if a.contents == b.contents else max((a, b), key=magnitude).contents
    return Size(_kept((*a.terms, *b.terms)), contents)


def _constant_of(size: Size) -> float | None:
    """The number, where nothing else is known to bound it."""
    numbers = [coefficient for term in size.terms for coefficient, factors in term if not factors]
    return numbers[0] if len(size.terms) == 1 and len(size.terms[0]) == len(numbers) == 1 else None


def multiplied(a: Size, b: Size) -> Size:
    terms = tuple(_bounds(frozenset(_times(x, y) for x, y in product(s, t))) for s in a.terms for t in b.terms)
    return Size(_kept(terms), a.contents or b.contents)


def divided(a: Size, b: Size) -> Size:
    """A quotient: by the divisor as it is written, which has the most names, exactly, else at most the dividend."""
    if len(b.terms) > 1 and all(len(term) == 1 and not factors for term in b.terms for _, factors in term):
        b = min((Size((term,)) for term in b.terms), key=magnitude)  # the smallest of several constants
    if len(b.terms) == 1:
        coefficient, factors = max(b.terms[0], key=lambda m: (sum(e for _, e in m[1]), -m[0], m[1]))
        if coefficient > 0 and (factors or len(b.terms[0]) == 1):
            inverse: Monomial = (1.0 / coefficient, tuple((name, -exponent) for name, exponent in factors))
            terms = tuple(_bounds(frozenset(_times(m, inverse) for m in term)) for term in a.terms)
            return Size(terms, a.contents)
    return a


def smaller(a: Size, b: Size) -> Size:
    """What is at most both: single terms keep both bounds."""
    if len(a.terms) == 1 and len(b.terms) == 1:
        return Size((_bounds(a.terms[0] | b.terms[0]),), a.contents and b.contents)
    return min((a, b), key=magnitude)


def either(a: Size, b: Size) -> Size:
    return added(a, b)


def _times(a: Monomial, b: Monomial) -> Monomial:
    powers = dict(a[1])
    for name, exponent in b[1]:
        powers[name] = powers.get(name, 0) + exponent
    return a[0] * b[0], tuple(sorted((n, e) for n, e in powers.items() if e))


def _bounds(term: Term) -> Term:
    if len(term) <= MOST_BOUNDS:
        return term
    return frozenset(sorted(term, key=lambda m: (value_of(m), m))[:MOST_BOUNDS])


def _kept(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    distinct = tuple(dict.fromkeys(terms))
    if len(distinct) <= MOST_TERMS:
        return distinct
    return tuple(sorted(distinct, key=lambda t: (-min(map(value_of, t)), sorted(t)))[:MOST_TERMS])


def names_of(term: Term) -> tuple[str, ...]:
    """The sizes in the smallest bound of a term, as they are written."""
    _, factors = min(term, key=lambda m: (value_of(m), m), default=(1.0, ()))
    return tuple(name.removeprefix("fixed:").removesuffix("[]").replace("2d", "") for name, e in factors if e > 0)


def product_of(term: Term) -> str:
    """The smallest bound of a term as a product: a size that is squared stands there twice."""
    _, factors = min(term, key=lambda m: (value_of(m), m), default=(1.0, ()))
    powers = [e for _, e in factors if e > 0]
    return " * ".join(name for name, e in zip(names_of(term), powers) for _ in range(max(1, round(e))))


def factor_of(term: Term) -> float:
    """The constant factor in the smallest bound of a term."""
    return min(term, key=lambda m: (value_of(m), m), default=(1.0, ()))[0]


def called(size: Size, name: str, role: str) -> Size:
    """The size where a name stands for another one, whose role is known."""
    terms = (
        frozenset((c, tuple(sorted((role if n == name else n, e) for n, e in factors))) for c, factors in term)
        for term in size.terms
    )
    return Size(tuple(terms), size.contents)


PLAIN = re.compile(
    r"((n|num)_?)?(rows?|cols?|columns?|dim|row_?(len|length|size)|inner(_?dim)?|outer(_?dim)?)|.*\.size\(-?\d\)",
    re.IGNORECASE,
)


def is_plain(name: str) -> bool:
    """The name states that it is a side of a matrix, and nothing of what the matrix is for."""
    return PLAIN.fullmatch(name) is not None


STRIDE = re.compile(r".*stride.*|ld[a-z]?\d?|\w+_ld", re.IGNORECASE)


def is_stride(name: str) -> bool:
    """The name states how far rows are apart, and nothing of how many there are or of what stands in them."""
    return STRIDE.fullmatch(name) is not None


_TOKENS = re.compile(r"token|(^|_)toks?(_|$)|vocab", re.IGNORECASE)
BESIDE_TOKENS = 2.0**14  # what each token brings along, where its name states no role


def counts_tokens(name: str) -> bool:
    """The name states that it counts tokens, or words of a vocabulary; what comes with each of them is a row of numbers."""
    return largest_of(name)[1] is ROW and _TOKENS.search(name) is not None


def roles_of(term: Term) -> frozenset[str]:
    """The roles that the sizes of a term state."""
    return frozenset(largest_of(name)[1] for name in names_of(term))
