"""Kernels that code takes out of a compiled module by their names: who launches them, with what, is told nowhere near them.

    fill.cuh:  __global__ void fill(float *x, int n) { ... }      fill.py:  fill = module.get_function("fill")

In a file that takes any kernel by its name, each name in quotation marks counts: which one is taken may be chosen there.
So are kernels that a macro is given, `LAUNCH_KERNEL((fill<float>), grid, block, x, n)`, where no launch names them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from cudalint.project.callers import content_of
from cudalint.project.includes import IncludeGraph, kernel_names, python_files

_TAKES = re.compile(rb"\b\w*[gG]et\w*(?:[fF]unc|[kK]ernel)\w*\s*+(?:<[^<>(){};]*+>\s*+)?\(")
_QUOTED = re.compile(rb"[\"']&?(?:\w+::)*([A-Za-z_]\w*)[<\"']")

_GIVEN = re.compile(rb"\b[A-Z][A-Z0-9_]{3,}+[\s\\]*+\([\s\\]*+(?:\([\s\\]*+)?&?(?:\w*+::)*+([A-Za-z_]\w*+)\s*+[<,)]")


def given_to_macros(content: bytes) -> frozenset[bytes]:
    """The names that stand first among the arguments of what is written as macros are."""
    return frozenset(_GIVEN.findall(content))


def taken_by_name(content: bytes) -> frozenset[bytes]:
    """The names in quotation marks, where the text takes anything out of a module."""
    return frozenset(_QUOTED.findall(content)) if _TAKES.search(content) else frozenset()


class NamedKernels:
    """Over the files of a project that are compiled, and its Python files."""

    def __init__(self, graph: IncludeGraph) -> None:
        self._graph = graph

    def of(self, paths: Iterable[str]) -> frozenset[str]:
        """Names of kernels in these files that no launch in the project names, and that some file takes by their names."""
        own = frozenset[bytes]().union(*(kernel_names(content_of(path)) for path in paths))
        own -= self._launched if own else own
        return frozenset(name.decode() for name in own & self._taken) if own else frozenset()

    @cached_property
    def _launched(self) -> frozenset[bytes]:
        return frozenset[bytes]().union(*(file.launches for file in self._graph.files.values()))

    @cached_property
    def _taken(self) -> frozenset[bytes]:
        paths = (*self._graph.files, *python_files(self._graph.root))
        given = (given_to_macros(content_of(path)) for path in self._graph.files)
        return frozenset[bytes]().union(*(taken_by_name(content_of(path)) for path in paths), *given)
