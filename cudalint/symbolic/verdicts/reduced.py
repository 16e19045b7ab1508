"""Values from memory that the kernel itself reduces, so that their range is its own and not that of the data.

bins[x[i] & 15]++;  bins[bytes[i] >> 4]++;        // 16 places are written for all data
"""

from __future__ import annotations

from cudalint.symbolic.verdicts.checked import contents_in
from cudalint.term import Number, Quotient, Remainder, Term, interval, rewrite, symbol

ANY = "any#"  # begins the name of any of the remainders that a value from memory has
BYTE = (0, 255)


def reduced(index: Term) -> Term:
    """The index where what the kernel itself reduces by a constant (`x & 15`) is any of the remainders: it is made for all data.

    So is the upper part of a byte (`x >> 4`).
    """

    def leaf(part: Term) -> Term | None:
        if not isinstance(part, Remainder | Quotient) or not isinstance(part.parts[1], Number):
            return None
        if isinstance(part, Remainder):
            return symbol(f"{ANY}{part.digest.hex()[:12]}", 0, part.parts[1].value - 1)
        if not contents_in([part.parts[0]]) or interval(part.parts[0]) != BYTE:
            return None
        return symbol(f"{ANY}{part.digest.hex()[:12]}", *interval(part))

    return rewrite(index, leaf)
