"""Macros that launch what they are given: what calls one of them launches.

#define RUN(kernel, n, ...) kernel<<<(n + 255) / 256, 256>>>(__VA_ARGS__)
void scale_all(float *x, int n) { RUN(scale, n, x, n); }
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from cudalint.project.includes import IncludeGraph

LAUNCH = re.compile(rb"<<<|[lL]aunch\w*Kernel|hipLaunchKernelGGL|GraphAddKernelNode")
_MACRO = re.compile(rb"^[ \t]*+#[ \t]*+define[ \t]++(\w++)\(((?:[^\\\n]|\\\r?\n|\\.)*+)", re.MULTILINE)
_USED = re.compile(rb"\b[A-Za-z_]\w*+(?=\s*+\()")


class LaunchMacros:
    """Of the files of a project, by what they include."""

    def __init__(self, graph: IncludeGraph, text: Callable[[str], bytes]) -> None:
        self._graph, self._text = graph, text
        self._bodies: dict[str, Mapping[bytes, frozenset[bytes]]] = {}
        self._direct: dict[str, frozenset[bytes]] = {}
        self._known: dict[str, frozenset[bytes]] = {}

    def of(self, path: str) -> frozenset[bytes]:
        """The macros with parameters of a file, and of all that it includes, that launch, themselves or by others of them."""
        if path not in self._known:
            self._known[path] = self._of(self._graph.closure(path))
        return self._known[path]

    def _of(self, closure: Iterable[str]) -> frozenset[bytes]:
        closure = tuple(closure)
        found = more = frozenset[bytes]().union(*map(self._launching, closure))
        while more:
            calling = (n for each in closure for n, used in self._used(each).items() if not used.isdisjoint(more))
            more = frozenset(calling) - found
            found |= more
        return found

    def _launching(self, path: str) -> frozenset[bytes]:
        if path not in self._direct:
            content = self._text(path)
            macros = _MACRO.findall(content) if b"define" in content and LAUNCH.search(content) else ()
            self._direct[path] = frozenset(name for name, body in macros if LAUNCH.search(body))
        return self._direct[path]

    def _used(self, path: str) -> Mapping[bytes, frozenset[bytes]]:
        """What the macros of a file itself call, by their names."""
        if path not in self._bodies:
            macros = _MACRO.findall(self._text(path))
            self._bodies[path] = {name: frozenset(_USED.findall(body)) for name, body in macros}
        return self._bodies[path]
