"""Memory that the host function has just made: whether it has values, and what its elements are."""

from __future__ import annotations

import re
from math import gcd

from cudalint import ir
from cudalint.contract import Extent
from cudalint.symbolic.host.whole_results import is_whole_result
from cudalint.symbolic.model import MemoryObject
from cudalint.symbolic.walk.environment import Environment
from cudalint.term import Sum


def is_unset(found: MemoryObject, environment: Environment) -> bool:
    """The host function makes it without values: nobody but the kernel can have written what is left over."""
    made = environment.extent_facts.get(found.name)
    if made is not None and re.search(r"\bempty(_like)?\(", made.text) is not None:
        return True
    extents = (fact.what for fact in environment.contract.facts if isinstance(fact.what, Extent))
    buffers = [extent.buffer for extent in extents if extent.pointer == found.name and not extent.given]
    return any(buffer is not None and is_whole_result(environment.unit, buffer) for buffer in buffers)


def element_of(found: MemoryObject) -> int:
    """Bytes of what the memory was made for: `4 * n` of them, though they are written as vectors."""
    element = ir.size_of(found.type) or 0
    if not isinstance(found.size, Sum):
        return element
    return gcd(element, found.size.constant, *(factor for _, factor in found.size.monomials))
