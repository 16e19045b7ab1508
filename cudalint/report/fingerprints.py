"""GitHub's `primaryLocationLineHash`: what keeps an alert the same alert when lines move.

The text is read as UTF-16 code units; blanks and tabs are skipped, CR and CR LF become LF, and the end adds 65535 and
zeros. The hash of a line is the polynomial in 37 (mod 2^64) of the 100 units that begin with the line's first one, in
lower-case hex, followed by the ordinal of that hash in the file. Source: github/codeql-action, src/fingerprints.ts.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from itertools import accumulate

BLOCK = 100
BASE = 37
MASK = (1 << 64) - 1
END = 65535
LF = 10
_BLANKS = re.compile("[ \t]+")


def line_hashes(text: str) -> list[str]:
    """The fingerprint of each line, first line first."""
    units = _units(text)
    starts = [0] + [i + 1 for i, unit in enumerate(units[:-1]) if unit == LF]
    prefix = list(accumulate([*units, *[0] * BLOCK], lambda h, c: (h * BASE + c) & MASK, initial=0))
    power = pow(BASE, BLOCK, MASK + 1)
    seen: Counter[int] = Counter()
    hashes = []
    for start in starts:
        value = (prefix[start + BLOCK] - power * prefix[start]) & MASK
        seen[value] += 1
        hashes.append(f"{value:x}:{seen[value]}")
    return hashes


def _units(text: str) -> array[int]:
    """The code units that count, closed by the end mark. A blank between CR and LF keeps both as line ends."""
    plain = _BLANKS.sub("", text.replace("\r\n", "\n")).replace("\r", "\n")
    units = array("H", plain.encode("utf-16-le", "surrogatepass"))
    units.append(END)
    return units
