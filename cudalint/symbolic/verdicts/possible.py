"""What belongs together in the witness of an overflow, so that who maintains the code takes it as possible.

    image[y * pitch + x]              a pitch is at most twice as long as its row, and what pads it
    image[(y + roi.y) * pitch + x]    a region begins in its image, of which no side has 2^17 places
    seen[token * hidden + i]          sizes are as large as their roles let them be: there are not 2^20 batches, nor do
                                      rows of a model have 2^16 numbers
    x[row * n + i]                    a matrix of m x n, of which nothing else is said, has 2^30 elements
    k<<<(width - roi.x) / 32, 32>>>   what the host code subtracts of a size is no more than that

An index wraps for some sizes of nearly every kernel. What is asked for are those that somebody may pass one day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce

from cudalint.analysis.text.magnitude import AXIS, IMAGE, is_plain, largest_of
from cudalint.symbolic.host_vocabulary import words
from cudalint.symbolic.model import Obligation
from cudalint.symbolic.ordinary import COUNT, LARGEST, REGION, is_input, largest_ordinary
from cudalint.symbolic.verdicts.joint_sizes import BATCHES, OF_TENSOR, joint_sizes
from cudalint.symbolic.verdicts.launched_work import conjuncts, launched_work
from cudalint.symbolic.verdicts.stated_sizes import GRID_SIDE
from cudalint.symbolic.walk.environment import Environment
from cudalint.term import (
    AtMostZero,
    Number,
    Quotient,
    Sum,
    Symbol,
    Term,
    Wrapped,
    add,
    at_most,
    conjunction,
    disjunction,
    equal,
    free_symbols,
    ideal,
    interval,
    less,
    multiply,
    number,
    scale,
    subterms,
    subtract,
)

PADDING = 512  # bytes, to which rows are aligned
PITCH = re.compile(r"pitch|[a-z_]step$|strides?(_?\w)?$|^ld\w{0,2}$|(^|_)ld$|^nb\d*$|^stride\(-?\d+\)$", re.IGNORECASE)
BETWEEN_ROWS = re.compile(r"pitch|[a-z_]step$|^ld\w{0,2}$|(^|_)ld$", re.IGNORECASE)  # and never between samples of one
OF_OBJECT = re.compile(r"\.step$")
OF_ACCESSOR = re.compile(r"\.strides_$")
FEW = re.compile(r"(^|_)(lanes?|layers?|levels?|octaves?|h?[qkv]_?heads?|h(q|k|v|kv))(_|$)", re.IGNORECASE)
MOST_OF_FEW = 1 << 10  # sound channels that are served at once, heads that share a key, layers
COLUMNS = re.compile(r"col(umn)?s?$", re.IGNORECASE)  # which may be the words of a vocabulary
OF_REGION = re.compile(rf"{REGION}\.([xy]|left|top)$", re.IGNORECASE)  # where it begins
OF_LAUNCH = re.compile(r"(grid|block)\w*\.[xyz]$", re.IGNORECASE)


def possible(obligation: Obligation, atoms: list[Term], environment: Environment) -> list[Term]:
    """What the inputs of an overflow are beside being ordinary: as large as their roles, and pitches of the rows that there are."""
    names = {atom.name: [_plain(atom)] for atom in _inputs(atoms)}
    for parameter, value in environment.bindings.items():
        if isinstance(meant := ideal(value), Symbol) and meant.name in names:
            names[meant.name].append(parameter)
    guards = [c.term for c in obligation.path]
    sizes = [fact for atom in _inputs(atoms) for fact in _as_its_roles(atom, names[atom.name])]
    together = [*joint_sizes(obligation, environment), *launched_work(obligation, environment)]
    rests = _rests([environment.builtin(f"gridDim.{axis}") for axis in "xyz"] + list(environment.bindings.values()))
    return [*sizes, *together, *rests, *_pitches(obligation.index, obligation.unit, guards)]


def _rests(terms: Iterable[Term]) -> list[Term]:
    """Unsigned differences of two inputs are not below zero: nobody launches the 2^32 threads that they would wrap to."""
    unsigned = (t.parts[0] for t in subterms(terms) if isinstance(t, Wrapped) and not t.parts[2])
    return [at_most(number(0), inner) for inner in unsigned if isinstance(inner, Sum) and _is_difference(inner)]


def _is_difference(term: Sum) -> bool:
    return {factor > 0 for atoms, factor in term.monomials if all(map(is_input, atoms))} == {True, False}


def tensors(atoms: list[Term]) -> list[Term]:
    """The bytes of tensors of which the host code reads several sizes, with halves as elements: each fits into memory."""
    sizes: dict[str, list[Term]] = {}
    members = "|".join(sorted({re.escape(spec.sizes) for spec in words().view_structs.values()}))
    for atom in _inputs(atoms):
        found = re.fullmatch(rf"(.*)\.size\(-?\d+\)|(.*?)(?:\[\d+\])?\.(?:{members})", atom.name)
        if found is not None:
            sizes.setdefault(found[1] or found[2], []).append(atom)
    return [scale(reduce(multiply, own), 2) for own in sizes.values() if len(own) > 1]


def at_their_limits(facts: list[Term]) -> list[Term]:
    """The sizes that single facts limit, as large as these let them be."""
    found: list[Term] = []
    for fact in facts:
        over = fact.parts[0] if isinstance(fact, AtMostZero) else None
        if isinstance(over, Sum) and len(over.monomials) == 1 and over.monomials[0][1] == 1:
            ((monomial, _),) = over.monomials
            found += [equal(monomial[0], number(-over.constant))] if len(monomial) == 1 else []
    return found


def _inputs(atoms: list[Term]) -> list[Symbol]:
    return [atom for atom in atoms if isinstance(atom, Symbol) and is_input(atom)]


def _as_its_roles(atom: Symbol, names: list[str]) -> list[Term]:
    """No larger than the names in the host code and in the kernel let it be, unless the host code allows it."""
    low, high = interval(atom)
    checked = high is not None and high <= LARGEST and high != GRID_SIDE
    if checked or atom.name.endswith(COUNT) or any(map(_is_pitch_name, names)):
        return []
    limit = min((limit for limit in map(_largest, names) if limit is not None), default=None)
    return [at_most(atom, number(limit))] if limit is not None and (low is None or low <= limit) else []


def _pitches(index: Term, unit: int, path: Iterable[Term]) -> list[Term]:
    """Each pitch in an index is at most twice as long as what it keeps apart: a row of elements, or what a shorter pitch does.

    A row ends where a guard on the path says; else the place of the witness is towards its end.
    """
    meant = ideal(index)
    whole = meant.parts[0] if isinstance(meant, Quotient) and isinstance(meant.parts[1], Number) else meant
    parts = _parts(whole)
    pitches = sorted(set(filter(_is_pitch, free_symbols(whole))), key=lambda a: a.digest)
    last = add(*(part for part in parts if free_symbols(part).isdisjoint(pitches)))
    if not pitches or (len(pitches) == 1 and not free_symbols(last) and not _is_of_accessor(pitches[0])):
        return []
    end = _end_of(last, path)
    row = add(number(1), last if end is None else end)
    fitting = [_fits_its_row(pitch, pitches, parts, row, unit) for pitch in pitches]
    alone = len(pitches) == 1 and end is not None and BETWEEN_ROWS.search(_last(_plain(pitches[0]))) is not None
    return [*fitting, at_most(scale(row, _scale_of(pitches[0], parts, unit)), pitches[0])] if alone else fitting


def _end_of(last: Term, path: Iterable[Term]) -> Term | None:
    """The largest value that a guard lets a place have: `width - 1`."""
    for guard in path:
        for part in conjuncts(ideal(guard)):
            if isinstance(part, AtMostZero):
                rest = subtract(last, part.parts[0])
                if not any(map(_moves, free_symbols(rest))) and any(map(_moves, free_symbols(last))):
                    return rest
    return None


def _fits_its_row(pitch: Term, pitches: list[Term], parts: list[Term], row: Term, unit: int) -> Term:
    """Strides that are longer than others may keep whole rows of those apart."""
    scaled = _scale_of(pitch, parts, unit)
    room = PADDING if scaled == unit else -(-PADDING // unit)
    ways = [at_most(pitch, add(scale(row, 2 * scaled), number(room)))]
    for other in pitches:
        inner = [part for part in parts if other in free_symbols(part) and pitch not in free_symbols(part)]
        if other is not pitch and inner:
            longest = at_most(pitch, add(scale(add(row, *inner), 2 * scaled), number(room)))
            ways.append(conjunction(less(other, pitch), longest))
    return disjunction(*ways)


def _scale_of(pitch: Term, parts: list[Term], unit: int) -> int:
    """Bytes of an element, where the pitch is one of bytes."""
    return unit if any(_in_quotient(pitch, part) for part in parts) else 1


def _parts(term: Term) -> list[Term]:
    if not isinstance(term, Sum):
        return [term]
    return [number(term.parts[0]), *(_product(factor, monomial) for monomial, factor in term.monomials)]


def _product(factor: int, monomial: Iterable[Term]) -> Term:
    result: Term = number(factor)
    for atom in monomial:
        result = multiply(result, atom)
    return result


def _in_quotient(pitch: Term, part: Term) -> bool:
    """The pitch is one of bytes, of which elements are made."""
    atoms = (a for m, _ in part.monomials for a in m) if isinstance(part, Sum) else iter((part,))
    return any(isinstance(atom, Quotient) and pitch in free_symbols(atom) for atom in atoms)


def _moves(atom: Term) -> bool:
    """The place of a thread, the round of a loop, or what is read from memory."""
    return isinstance(atom, Symbol) and not is_input(atom) and not atom.name.startswith(("gridDim.", "blockDim."))


def _is_pitch(atom: Term) -> bool:
    return isinstance(atom, Symbol) and is_input(atom) and _is_pitch_name(_plain(atom))


def _is_of_accessor(pitch: Term) -> bool:
    """A stride that an accessor keeps of its tensor: where it is the only one, elements lie side by side."""
    return OF_ACCESSOR.search(_plain(pitch)) is not None


def _is_pitch_name(name: str) -> bool:
    return PITCH.search(_last(name)) is not None or OF_OBJECT.search(name) is not None


def _largest(name: str) -> int | None:
    if OF_LAUNCH.search(name):
        return None
    if OF_REGION.search(name):
        return int(largest_of("image")[0])
    limit, role = largest_of(name)
    ordinary = largest_ordinary(name)
    named = (
        not is_plain(_last(name)) and OF_TENSOR.search(name) is None
    )  # `x.size(1)` may be points as well as channels
    of_model = role is AXIS and named and COLUMNS.search(_last(name)) is None
    if role is IMAGE or of_model or BATCHES.search(_last(name)):
        return min(int(limit), ordinary)
    if FEW.search(_last(name)):
        return min(MOST_OF_FEW, ordinary)
    return ordinary if ordinary < LARGEST else None


def _last(name: str) -> str:
    """What an input is called, without the function or structure that it belongs to."""
    return re.split(r"[:.]", name)[-1]


def _plain(atom: Term) -> str:
    """The name as the code has it: without the number of the value or of the choice that was made for it."""
    return re.sub(r"(\[\d+\])?(@\w+|#\d+)*$", "", str(atom.parts[0]))
