"""Values of constants that nothing declares.

    switch (mode) { case MODE_MAX: ... break;  case MODE_MEAN: ... break; }

Labels of a switch have values of their own: of two equal ones the second is an error, and takes the whole switch along,
with the launches in it. Every other constant may be the size of an array, and is small.
"""

from __future__ import annotations

import re
from zlib import crc32

CONSTANT = 32
LABELS = 1 << 20  # how many values labels have, above as many that they have not


def constant_of(name: str, text: str) -> str:
    """The value of the constant `name` for a file with this text."""
    label = rf"\bcase\s+(?:[\w:]+::)?{name}\s*:(?!:)"
    return str(LABELS + crc32(name.encode()) % LABELS if re.search(label, text) else CONSTANT)
