"""Which functions that a file defines other files of its project name: those that may call them.

    a.cu:  __device__ float f(float x) { ... }        b.cu:  #include "a.cu" ... f(x)        f is named elsewhere

A file may call a device function where the two are compiled together: it includes the file, is included by it, or both are
included by a third one; or where it declares the function for the linker. Files elsewhere have functions of their own.
"""

from __future__ import annotations

import re

from cudalint.project.callers import content_of
from cudalint.project.discovery import CUDA_ENDINGS
from cudalint.project.includes import IncludeGraph

_MARK = re.compile(rb"__device__|\b\w*DEVICE\w*\b")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_CALLABLE = re.compile(rb"\b([A-Za-z_]\w*)\s*\(")
_FOR_THE_LINKER = re.compile(rb"\bextern\b[^;{}]*?\b__device__\b[^;{}()]*?\b([A-Za-z_]\w*)\s*\(")


class Mentions:
    """Reads the words of each file of the project at most once."""

    def __init__(self, graph: IncludeGraph) -> None:
        self._graph = graph
        self._words: dict[str, frozenset[bytes]] = {}
        self._linked: frozenset[bytes] | None = None

    def named_elsewhere(self, path: str, content: bytes) -> frozenset[str] | None:
        """Of the functions that the file defines those that others may call; None where it defines none for the device."""
        if _MARK.search(content) is None:
            return None
        names = frozenset(_CALLABLE.findall(content))
        found = names & self._declared()
        for other in sorted(self._beside(path)):
            found |= names & self._words_of(other)
        return frozenset(name.decode() for name in found)

    def _beside(self, path: str) -> set[str]:
        """The files that are compiled together with it."""
        above, waiting = {path}, [path]
        while waiting:
            more = [each for each in self._graph.includers.get(waiting.pop(), ()) if each not in above]
            above.update(more)
            waiting += more
        return {each for top in above for each in self._graph.closure(top)} - {path}

    def _words_of(self, path: str) -> frozenset[bytes]:
        if path not in self._words:
            self._words[path] = frozenset(_WORD.findall(content_of(path)))
        return self._words[path]

    def _declared(self) -> frozenset[bytes]:
        """What any file declares for the linker."""
        if self._linked is None:
            files = (content_of(each) for each in sorted(self._graph.files) if each.endswith(CUDA_ENDINGS))
            texts = (text for text in files if b"extern" in text and b"__device__" in text)
            self._linked = frozenset(name for text in texts for name in _FOR_THE_LINKER.findall(text))
        return self._linked
