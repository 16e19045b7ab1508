"""Types that nothing declares and that are numbers: by their name, or because a loop counts with one.

u32 n;                             for (index_t i = 0; i < rows; i++)
"""

from __future__ import annotations

import re

_WIDTHS = {"8": "char", "16": "short", "32": "int", "64": "long long"}
_NUMBER = re.compile(r"(?:(u?)int|(?:([su])|i))(8|16|32|64)\Z")  # its name says which number: int32, u8
_REAL = {"float32": "float", "f32": "float", "float64": "double", "f64": "double"}


def number_of(name: str, text: str) -> str | None:
    """The type of numbers that a name spells, or that a loop of the text counts with."""
    found = _NUMBER.match(name)
    if found is None:
        counts = re.search(rf"\bfor\s*\(\s*(?:const\s+)?{name}\s+\w+\s*=\s*\(?(?:0|thread|block)", text)
        return _REAL.get(name, "long long" if counts else None)
    signed = "unsigned" if "u" in (found[1], found[2]) else "signed"
    return f"{signed} {_WIDTHS[found[3]]}"
