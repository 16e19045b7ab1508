"""What compilers take and clang does not where it reads CUDA, rewritten before the parse; every line stays where it is.

extern __shared__ float s[32][33];        extern __shared__ float s[  ][33];

A C file is read as C++: see `old_c`.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress

from cudalint.analysis.text.old_c import in_new_words, with_open_parameters

C_ENDING = ".c"
_QUOTED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)

_SIZED = re.compile(
    r"(?P<head>\b(?:extern\b[^;{}()\[\]]*(?:(?:__align__|alignas)\s*\([^()]*\)[^;{}()\[\]]*)?__shared__"
    r"|__shared__[^;{}()\[\]]*\bextern)\b[^;{}()\[\]]*(?:(?:__align__|alignas)\s*\([^()]*\)[^;{}()\[\]]*)?\[)"
    r"(?P<size>[^\[\]\n;]+)\]"
)


def accepted(path: str, text: str) -> str:
    """The text of a file as clang takes it."""
    return in_new_words(text) if path.endswith(C_ENDING) else dynamic_shared_unsized(text)


def dynamic_shared_unsized(text: str) -> str:
    """An external shared array is as long as the launch says, whatever its first dimension claims."""
    if "extern" not in text or "__shared__" not in text:
        return text
    return _SIZED.sub(lambda m: f"{m['head']}{' ' * len(m['size'])}]", text)


def headers_of_old_c(path: str, text: str) -> dict[str, str]:
    """The headers beside a C file whose declarations without parameters take any, with the text that says so."""
    made: dict[str, str] = {}
    for name in _QUOTED.findall(text) if path.endswith(C_ENDING) else ():
        header = os.path.normpath(os.path.join(os.path.dirname(path), name))
        with suppress(OSError, UnicodeDecodeError):
            with open(header, encoding="utf-8") as file:
                written = file.read()
            if (opened := with_open_parameters(written)) != written:
                made[header] = opened
    return made
