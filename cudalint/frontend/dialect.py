"""What nvcc takes and clang does not, rewritten to the same length before the parse.

extern __shared__ float s[32][33];        extern __shared__ float s[  ][33];
"""

from __future__ import annotations

import re

_SIZED = re.compile(
    r"(?P<head>\b(?:extern\b[^;{}()\[\]]*(?:(?:__align__|alignas)\s*\([^()]*\)[^;{}()\[\]]*)?__shared__"
    r"|__shared__[^;{}()\[\]]*\bextern)\b[^;{}()\[\]]*(?:(?:__align__|alignas)\s*\([^()]*\)[^;{}()\[\]]*)?\[)"
    r"(?P<size>[^\[\]\n;]+)\]"
)


def dynamic_shared_unsized(text: str) -> str:
    """An external shared array is as long as the launch says, whatever its first dimension claims."""
    if "extern" not in text or "__shared__" not in text:
        return text
    return _SIZED.sub(lambda m: f"{m['head']}{' ' * len(m['size'])}]", text)
