"""Launches that nobody reads, so that nothing can be proved of their kernels.

    k.cuh:  __global__ void k(float *x, int n) { ... }        a.cu, b.cu, ... z.cu:  #include "k.cuh"   k<<<2, 256>>>(x, 300);

The nearest few files that launch a kernel are read with it (project/callers.py); who else does is known by name only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from cudalint.project.callers import CallGraph, content_of, distance
from cudalint.project.includes import MAIN_ENDINGS, IncludeGraph, kernel_names

Names = frozenset[bytes]


class UnreadLaunches:
    """`nested`: the headers that are reported with each file; `neighbours`: the files that are read with it."""

    def __init__(
        self,
        graph: IncludeGraph,
        calls: CallGraph,
        nested: Mapping[str, tuple[str, ...]],
        neighbours: Mapping[str, Iterable[str]],
    ) -> None:
        self._graph, self._calls, self._nested = graph, calls, nested
        self._read = {path: self._closures([path, *neighbours.get(path, ())]) for path in nested}
        self._around: dict[str, frozenset[str]] = {}
        for path, headers in nested.items():
            for header in headers:
                self._around[header] = self._around.get(header, frozenset()) | self._read[path]
        self._kernels: dict[str, Names] = {}

    def of(self, path: str) -> frozenset[str]:
        """Names of kernels, in the file and in its nested headers, that files launch which are not read."""
        found = self._of_file(path).union(*map(self._of_header, self._nested[path]))
        return frozenset(name.decode() for name in found)

    def _of_header(self, header: str) -> Names:
        """Those that a file around the header launches, or something else that it includes."""
        known = self._around[header]
        unread = self._closures(main for main in self._graph.mains(header) if main not in known) - known
        return self._launched_in(unread) & self._kernels_of(header)

    def _of_file(self, path: str) -> Names:
        """Those that a file launches which only declares them, and to which no other definition is nearer."""
        own, found = self._kernels_of(path), set[bytes]()
        for main in self._compiled if own & self._launched_anywhere else ():
            wanted = own & self._graph.launches(main) if main not in self._read[path] else own - own
            if wanted:
                wanted = wanted.difference(*map(self._kernels_of, self._graph.closure(main)))
            found |= {name for name in wanted if min(self._definers(name), key=lambda p: distance(p, main)) == path}
        return frozenset(found)

    def _definers(self, name: bytes) -> list[str]:
        return [path for path in self._graph.files if name in self._kernels_of(path)]

    def _kernels_of(self, path: str) -> Names:
        if path not in self._kernels:
            names = kernel_names(content_of(path))
            self._kernels[path] = names & self._calls.defined(path) if names else names
        return self._kernels[path]

    def _launched_in(self, paths: Iterable[str]) -> Names:
        files = self._graph.files
        return frozenset[bytes]().union(*(files[path].launches for path in paths if path in files))

    def _closures(self, paths: Iterable[str]) -> frozenset[str]:
        return frozenset(each for path in paths for each in self._graph.closure(path))

    @cached_property
    def _launched_anywhere(self) -> Names:
        return self._launched_in(self._compiled)

    @cached_property
    def _compiled(self) -> list[str]:
        return sorted(path for path in self._graph.files if path.endswith(MAIN_ENDINGS))
