"""Which of the files that define a function one means that calls it by its namespace or class.

filter.cu:  namespace box { void run(Image in) { ... } }            filter.cpp:  box::run(image);
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_OPENED = re.compile(rb"\b(?:namespace|struct|class)\s+((?:\w+\s*::\s*)*\w++)(?!\s*=)")

_DEFINITION = re.compile(rb"\((?>(?:[^(){};]++|\([^(){};]*+\))*)\)\s*+(?:const\s*+)?(?:noexcept\s*+)?\{")


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


def calls_another(name: bytes, text: bytes, scopes: frozenset[bytes]) -> bool:
    """Whether a text that defines a function of this name calls one of another scope, which is among these.

    void ops::run(Image in) { kernels::run(in, stream); }
    """
    places = list(re.finditer(rb"\b(\w+)\s*::\s*" + re.escape(name) + rb"\s*[(<]", text))
    called = {place[1] for place in places}
    if called.isdisjoint(scopes):
        return False
    return not scopes.isdisjoint(called - {place[1] for place in places if _DEFINITION.match(text, place.end() - 1)})
