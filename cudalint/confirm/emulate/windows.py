"""Shared memory by number, as `cp.async` takes it: 32 bits for the object and the byte, and the pointer back from them."""

from __future__ import annotations

import numpy as np

from cudalint.confirm.emulate.formats import Values, values
from cudalint.confirm.emulate.memory import WINDOW

NUMBERS = ("__cvta_generic_to_shared", "__nvvm_get_smem_pointer")
_BYTES = 24  # bits for the place in an object, whose begin lies in the middle
_BEGIN = np.uint64(1 << (WINDOW - 1))
_MIDDLE = np.uint64(1 << (_BYTES - 1))


def number_of(pointer: Values) -> Values:
    """The number that stands for a pointer to shared memory."""
    whole = np.asarray(pointer, np.uint64)
    distance = (whole & np.uint64((1 << WINDOW) - 1)) - _BEGIN + _MIDDLE
    return values(np.asarray(((whole >> np.uint64(WINDOW)) << np.uint64(_BYTES)) + distance)[()])


def pointer_of(number: Values) -> Values:
    """The pointer that a number of 32 bits stands for; larger ones are pointers themselves."""
    whole = np.asarray(number).astype(np.uint64)
    distance = (whole & np.uint64((1 << _BYTES) - 1)) - _MIDDLE + _BEGIN
    found = ((whole >> np.uint64(_BYTES)) << np.uint64(WINDOW)) + distance
    return values(np.asarray(np.where((whole >> np.uint64(32)) == 0, found, whole))[()])
