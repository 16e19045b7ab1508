"""Which of the files that define a function one means that calls it by its namespace or class.

filter.cu:  namespace box { void run(Image in) { ... } }            filter.cpp:  box::run(image);
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_OPENED = re.compile(rb"\b(?:namespace|struct|class)\s+((?:\w+\s*::\s*)*\w+)")


def opened_scopes(text: bytes) -> frozenset[bytes]:
    """The namespaces and classes that a text opens or names."""
    return frozenset(name for path in _OPENED.findall(text) for name in re.findall(rb"\w+", path))


def in_named_scope(
    name: bytes, calling: bytes, path: str, definers: Sequence[str], scopes: Callable[[str], frozenset[bytes]]
) -> Sequence[str]:
    """The definers that open a scope by which the calling text names the function; all where `path` is none of these."""
    called = frozenset(re.findall(rb"\b(\w+)\s*::\s*" + re.escape(name) + rb"\s*[(<]", calling))
    if called.isdisjoint(scopes(path)):
        return definers
    return [each for each in definers if not called.isdisjoint(scopes(each))]
