"""Files of a project that its programs read: which of the names that they are opened by lie below its root."""

from __future__ import annotations

import os
from functools import lru_cache

MOST_FILES = 300_000  # of a project: what lies behind them is not known to be there
_LEFT_OUT = (".git", ".hg", ".svn")


def lies_in(root: str, name: str) -> bool:
    """Whether a file that is called so, in whatever folder, is part of the project."""
    return os.path.basename(name.replace("\\", "/")) in _names(root)


@lru_cache(maxsize=4)
def _names(root: str) -> frozenset[str]:
    found: set[str] = set()
    for _, folders, files in os.walk(root):
        folders[:] = sorted(folder for folder in folders if folder not in _LEFT_OUT)
        found.update(files)
        if len(found) > MOST_FILES:
            break
    return frozenset(found)
