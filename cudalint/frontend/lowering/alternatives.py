"""What stands in the other branches of the `#if` around a place: the text that another build takes.

#if HAVE_SHFL_SYNC
return __shfl_sync(FULL, v, lane);
#else
return __shfl(v, lane);                  // the other branch holds __shfl_sync
#endif
"""

from __future__ import annotations

import re
from functools import lru_cache

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b", re.MULTILINE)

Extent = tuple[int, int]


def other_branches(content: bytes, offset: int) -> bytes:
    """The other branches of every conditional around the offset, one behind the other; `content` is the file's text."""
    found = [
        content[start:end]
        for branches in _conditionals(content)
        if any(start <= offset < end for start, end in branches)
        for start, end in branches
        if not start <= offset < end
    ]
    return b"\n".join(found)


@lru_cache(maxsize=16)
def _conditionals(content: bytes) -> tuple[tuple[Extent, ...], ...]:
    """The branches of each conditional that has an end, in the order of the ends."""
    found: list[tuple[Extent, ...]] = []
    open_: list[list[int]] = []
    for match in _DIRECTIVE.finditer(content):
        word = match[1]
        if word.startswith(b"if"):
            open_.append([match.end()])
        elif open_:
            open_[-1] += [match.start(), match.end()]
            if word == b"endif":
                places = open_.pop()[:-1]
                found.append(tuple(zip(places[::2], places[1::2])))
    return tuple(found)
