"""Parameters to which a launch passes one and the same buffer: their accesses are those of one object.

    shift<<<g, b>>>(x, x, n)            to[i] = from[i + 1]: thread i writes what thread i + 1 reads

What sizes set apart (`x, x + n`) stays apart where nothing relates these to the kernel's: it is not compared.
"""

from __future__ import annotations

from dataclasses import replace

from cudalint.symbolic.model import Access, MemoryObject
from cudalint.symbolic.walk.execute import Walk
from cudalint.term import Number, add


def joined(walk: Walk, accesses: dict[MemoryObject, list[Access]]) -> dict[MemoryObject, list[Access]]:
    """The accesses by buffer, told from where one of its parameters begins: one that is written, where any is."""
    found = dict(accesses)
    for array in sorted(accesses, key=lambda each: all(access.kind == "read" for access in accesses[each])):
        others = [each for each in walk.environment.overlapping(array) if each in found and array in found]
        for other in sorted(others, key=lambda each: each.name):
            distance = walk.environment.distance(array, other)
            if isinstance(distance, Number) and other not in walk.disturbed | walk.unfollowed:
                moved = [replace(a, object=array, offset=add(a.offset, distance)) for a in found.pop(other)]
                found[array] = sorted((*found[array], *moved), key=lambda a: a.serial)
    return found
