"""Shared memory by number: what `cp.async` takes is an integer that stands for a pointer into the shared window.

uint32_t at = __cvta_generic_to_shared(tile) + 16 * threadIdx.x;          // 16 * threadIdx.x bytes into `tile`
"""

from __future__ import annotations

from cudalint.symbolic.model import MEMORY_PREFIX, Address, MemoryObject, Value
from cudalint.term import Apply, Sum, Term, add, apply, ideal, labels, negate

CONVERSIONS = ("__cvta_generic_to_shared", "__nvvm_get_smem_pointer")
LARGEST = (1 << 24) - 1  # the window of a block, whatever the device


class Windows:
    """The arrays whose addresses became numbers."""

    def __init__(self) -> None:
        self._arrays: dict[str, MemoryObject] = {}
        self.lost = False  # a number of which nobody knows where it leads was taken for an address

    def within(self, *terms: Value) -> list[MemoryObject]:
        """The arrays whose numbers the terms were made of."""
        names = frozenset().union(*(labels(term) for term in terms if isinstance(term, Term)))
        return [found for name, found in self._arrays.items() if name in names]

    def escaped(self) -> list[MemoryObject]:
        """What may be accessed behind our back."""
        return list(self._arrays.values()) if self.lost else []

    def number_of(self, pointer: Value) -> Term | None:
        """The number that stands for a pointer to shared memory, None for other pointers."""
        if not isinstance(pointer, Address) or pointer.object is None or pointer.object.memory != "shared":
            return None
        name = f"{MEMORY_PREFIX}address in {pointer.object.name}"
        if self._arrays.setdefault(name, pointer.object) is not pointer.object:
            return None  # two arrays of one name
        return apply(name, (ideal(pointer.offset),), 0, LARGEST)

    def pointer_of(self, value: Term) -> Address | None:
        """The pointer that a number stands for, moved by what was added to it."""
        whole = ideal(value)
        monomials = whole.monomials if isinstance(whole, Sum) else (((whole,), 1),)
        for monomial, coefficient in monomials:
            atom = monomial[0]
            if len(monomial) == 1 and coefficient == 1 and isinstance(atom, Apply) and atom.parts[0] in self._arrays:
                moved = add(whole, negate(atom))
                if not self.within(moved):
                    return Address(self._arrays[atom.parts[0]], add(atom.parts[1][0], moved))
        self.lost = True
        return None
