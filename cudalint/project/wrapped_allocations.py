"""What functions of headers call to allocate: `make<T>(n)` of a header calls `make_bytes`, which another file defines.

util.h:   template <class T> T *make(int n) { void *p; make_bytes(&p, n * sizeof(T)); return (T *)p; }
util.cu:  void make_bytes(void **p, int bytes) { cudaMalloc(p, bytes); }
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

_ALLOCATES = re.compile(rb"alloc", re.IGNORECASE)
_LIBRARY = re.compile(rb"cu[A-Z]|cuda[A-Z]|hip[A-Z]|[mc]alloc\Z|realloc\Z|alloca\Z")
_CALLED = re.compile(rb"\b(?<!\.)(?<!->)(?<!std::)([A-Za-z_]\w{2,}+)\s*+[(<]")
_DEFINED = re.compile(rb"\b(\w*[aA]lloc\w*)\s*\([^(){};]*\)\s*\{")
_LONGEST = 1_500  # bytes of a function that does little but allocate


Allocators = Mapping[bytes, frozenset[bytes]]


def allocators_in(content: bytes) -> Allocators:
    """By the name of each short function whose name says that it allocates: what it calls of such names."""
    found: dict[bytes, frozenset[bytes]] = {}
    for start in _DEFINED.finditer(content):
        end = content.find(b"\n}", start.end(), start.end() + _LONGEST)
        body = content[start.end() : end if end >= 0 else start.end() + _LONGEST]
        called = {name for name in _CALLED.findall(body) if _ALLOCATES.search(name) and not _LIBRARY.match(name)}
        if called - {start[1]}:
            found[start[1]] = found.get(start[1], frozenset()) | (called - {start[1]})
    return found


def allocators_behind(headers: Iterable[Allocators], called: Collection[bytes]) -> frozenset[bytes]:
    """What those of the called functions that headers define call to allocate."""
    wanted = [name for name in called if _ALLOCATES.search(name)]
    return frozenset(each for known in headers if known for name in wanted for each in known.get(name, ()))
