"""Accesses at an offset that is no multiple of their alignment, by the place in the launch and by sizes of tensors.

    reinterpret_cast<const double *>(packet + 12)[i]        // 12 + 8 * i is never a multiple of 8
    reinterpret_cast<float4 *>(row + threadIdx.x)[0]        // 4 * threadIdx.x is one for every fourth thread
    reinterpret_cast<float4 *>(x + row * cols)[i]           // cols = x.size(1), and the host asks for no multiple of 4
    reinterpret_cast<float4 *>(x + row * cols + half)[i]    // half = x.size(1) / 2, and it asks for no multiple of 8
    reinterpret_cast<half2 *>(x + (i / pairs) * size)[j]    // size = x.size(2) may be odd, i / pairs is any head
    reinterpret_cast<float4 *>(x + row * n + threadIdx.x)[0] // whatever n is: in row 0

The memory itself is taken to lie where every type may. Offsets that another number from outside decides are left alone, but
those of the first row: whoever passes it knows of what it is a multiple. Of the sizes of its tensors a host function knows
what it has checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.symbolic.issues import Misaligned
from cudalint.symbolic.model import Access
from cudalint.symbolic.verdicts.decide import Decider
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import (
    Number,
    Quotient,
    Remainder,
    Sum,
    Symbol,
    Term,
    Undefined,
    add,
    equal,
    free_symbols,
    ideal,
    negation,
    number,
    quotient,
    remainder,
)

_OF_THREAD = re.compile(r"(threadIdx|blockIdx)\.[xyz]|k#\d+")
_OF_ROW = re.compile(r"blockIdx\.[xyz]|k#\d+")
_OF_TENSOR = re.compile(r"[^\s()]+\.(size\(-?\d+\)|numel\(\))")
_OF_LAUNCH = re.compile(rf"{_OF_THREAD.pattern}|(blockDim|gridDim)\.[xyz]|{_OF_TENSOR.pattern}")
MOST_ASKED = 16


def find_misaligned(walk: Walk, decider: Decider) -> Iterator[Misaligned]:
    """One for each object, and for rows of the same sizes, where an ordinary launch comes to it."""
    if walk.stopped:
        return
    told: set[object] = set()
    asked = 0
    for access in walk.accesses:
        offset = _offset(access)
        first = _first_row(offset, access.align) if offset is not None else frozenset()
        if offset is None or not _is_apart(offset, access.align, first) or asked >= MOST_ASKED:
            continue
        sizes = frozenset(atom for atom in free_symbols(offset) if _OF_TENSOR.fullmatch(str(atom.parts[0])))
        if access.object in told or sizes in told:
            continue
        asked += 1
        found = _shown(access, offset, first, decider)
        if found is not None:
            told |= {access.object, sizes} if sizes else {access.object}
            yield found


def _offset(access: Access) -> Term | None:
    """Bytes from the begin of the allocation; None where its place is not known."""
    found = access.object
    if access.align < 2 or found.memory not in ("global", "shared") or found.entry or found.described:
        return None
    before = number(0) if found.before is None else found.before
    return add(before, ideal(access.offset)) if isinstance(before, Number) else None


def _is_apart(offset: Term, align: int, first: frozenset[Term]) -> bool:
    """What of the offset is no multiple is not 0, and of the thread and of rows of tensors alone."""
    constant = offset.value if isinstance(offset, Number) else offset.constant if isinstance(offset, Sum) else 0
    odd = [monomial for monomial in _odd(offset, align) if first.isdisjoint(monomial)]
    told = all(map(_is_told, odd)) and (not odd or any(map(_is_of_thread, odd)))
    return told and bool(odd or constant % align)


def _odd(offset: Term, align: int) -> list[tuple[Term, ...]]:
    """The products in the offset that nothing makes multiples of the alignment."""
    if not isinstance(offset, Number | Sum):
        return [(offset,)]
    terms = offset.monomials if isinstance(offset, Sum) else ()
    return [monomial for monomial, coefficient in terms if coefficient % align]


def _first_row(offset: Term, align: int) -> frozenset[Term]:
    """The numbers of blocks and rounds by which numbers from outside are multiplied, and nothing else: all are 0 in one thread."""
    odd = _odd(offset, align)
    plain = frozenset(atom for monomial in odd if _is_told(monomial) for atom in monomial)
    first = {
        atom
        for monomial in odd
        if not _is_told(monomial)
        for atom in monomial
        if isinstance(atom, Symbol) and _OF_ROW.fullmatch(str(atom.parts[0]))
    }
    return frozenset(first) - plain


def _is_told(monomial: tuple[Term, ...]) -> bool:
    """`4 * threadIdx.x`; `4 * blockIdx.x * x.size(1)`, the begin of a row; `2 * x.size(1)`, the second half of one."""
    return all(_is_place(atom) or _is_size(atom) for atom in monomial)


def _is_of_thread(monomial: tuple[Term, ...]) -> bool:
    return any(map(_is_place, monomial))


def _is_place(atom: Term) -> bool:
    """Of the launch, or the row or column of such a place: `threadIdx.x / (x.size(1) / 2)`."""
    names = _names(atom)
    return any(map(_OF_THREAD.fullmatch, names)) and all(map(_OF_LAUNCH.fullmatch, names))


def _is_size(atom: Term) -> bool:
    """Of a tensor, or what a part of a row is a quotient of: `x.size(1) / 2`."""
    return all(map(_OF_TENSOR.fullmatch, _names(atom)))


def _names(atom: Term) -> list[str]:
    """Of symbols; one that is none where the atom is of another kind."""
    if not isinstance(atom, Symbol | Quotient | Remainder):
        return [""]
    return [str(symbol.parts[0]) for symbol in free_symbols(atom)]


def _shown(access: Access, offset: Term, first: frozenset[Term], decider: Decider) -> Misaligned | None:
    path = [conjunct.term for conjunct in access.path]
    path += (equal(atom, number(0)) for atom in sorted(first, key=lambda t: t.digest))
    apart = negation(equal(remainder(offset, number(access.align)), number(0)))
    facts, assumptions = decider.relevant(*path, apart)
    question = [*facts, *path, apart]
    atoms = sorted(frozenset().union(*map(free_symbols, question)), key=lambda t: t.digest)
    model = decider.ordinary_model(question, atoms) or decider.tried_model(question, atoms)
    if model is None:
        return None
    try:
        witness = decider.witness(model, quotient(offset, number(access.size)), None)
    except Undefined:
        return None
    return Misaligned(access, access.span, witness, tuple(assumptions))
