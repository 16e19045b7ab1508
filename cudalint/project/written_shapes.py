"""Kernels that every launch which a project writes gives to a single thread, whether or not that launch can be followed.

a.cuh:  __global__ void close(float *sum) { sum[0] = 1 / sum[0]; }
b.cuh:  #include "a.cuh"   template <class T> void step(T *x) { ...; close<<<1, 1, 0, stream>>>(x); }
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cudalint.project.callers import content_of, plain_at
from cudalint.project.includes import IncludeGraph, kernel_names

_ONE = rb"(?:dim3\s*)?[({]?\s*1[uU]?\s*(?:,\s*1[uU]?\s*){0,2}[)}]?"
_SINGLE = re.compile(rb"\s*" + _ONE + rb"\s*,\s*" + _ONE + rb"\s*(?:,|>>>)")


def is_one(size: str) -> bool:
    """Whether the text of a grid or block is that of one thread."""
    return re.fullmatch(_ONE, size.strip().encode()) is not None


class WrittenShapes:
    """Over the files of a project."""

    def __init__(self, graph: IncludeGraph) -> None:
        self._graph = graph

    def single(self, paths: Iterable[str]) -> frozenset[str]:
        """Names of kernels in the files that these and those which include them launch, with one thread alone."""
        kernels = ((path, name) for path in paths for name in kernel_names(content_of(path)))
        return frozenset(name.decode() for path, name in kernels if self._is_single(path, name))

    def _is_single(self, path: str, name: bytes) -> bool:
        launch = re.compile(rb"\b" + re.escape(name) + rb"\s*(?:<[^;{}]*?>\s*)?(?<!<)<<<(?!<)")
        files = self._graph.files
        launching = [each for each in files if name in files[each].launches and path in self._graph.closure(each)]
        texts = [plain_at(each) for each in launching]
        found = [[_SINGLE.match(text, at.end()) for at in launch.finditer(text)] for text in texts]
        return bool(found) and all(each and all(each) for each in found)  # a launch in other words is no match
