"""Which Python files of a project call the functions of a C library, by ctypes, that some of its C++ files define.

    ops.cu:   extern "C" void cscale(float *x, int n) { ... }          ops.py:  lib.cscale(x.data_ptr(), x.numel())

Names only: a file that speaks of ctypes or of what another file made of it, and of such functions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from cudalint.project.discovery import MAX_BYTES
from cudalint.project.includes import python_files

MOST_SCRIPTS = 3
_EXPORTS = re.compile(rb'extern\s+"C"')
_LIBRARY = re.compile(rb"\b(?:ctypes|CDLL|LoadLibrary)\b")
_ATTRIBUTE = re.compile(rb"\w\.([A-Za-z_]\w{3,})\b")
_DEFINED = re.compile(rb"\b([A-Za-z_]\w{3,})\s*\([^(){};]*\)\s*\{")


class Scripts:
    """The Python files below a folder that may call C libraries with addresses of tensors."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._names: dict[str, frozenset[bytes]] | None = None

    def calling(self, contents: Iterable[bytes]) -> tuple[str, ...]:
        """Those that mention most functions of the texts that export C functions first."""
        defined = frozenset(name for text in contents if _EXPORTS.search(text) for name in _DEFINED.findall(text))
        if not defined:
            return ()
        shared = {path: len(names & defined) for path, names in self._mentioning().items()}
        found = [path for path in sorted(shared, key=lambda p: (-shared[p], p)) if shared[path]]
        return tuple(found[:MOST_SCRIPTS])

    def _mentioning(self) -> dict[str, frozenset[bytes]]:
        if self._names is None:
            read = ((path, _content(path)) for path in python_files(self._root))
            self._names = {p: frozenset(_ATTRIBUTE.findall(text)) for p, text in read if _LIBRARY.search(text)}
        return self._names


def _content(path: str) -> bytes:
    if not os.path.isfile(path):  # opening a pipe waits for its writer, a device has no end
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(MAX_BYTES)
    except OSError:
        return b""
