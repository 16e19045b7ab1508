"""Headers of the project that no include folder names: found by the end of their path, where only one file has it."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable

from cudalint.frontend.clang import STUBS, Diagnostic

_MISSING = re.compile(r"'([^']+)' file not found")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_HEADERS = (".h", ".cuh", ".hpp", ".hxx", ".inl", ".inc", ".cu", ".hh")
_SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".venv", "venv", "build"})
MOST_FILES = 100_000


def missing_folders(errors: Iterable[Diagnostic], root: str, flags: tuple[str, ...]) -> tuple[str, ...]:
    """Folders of the project that make the includes that were not found work; at most one for each."""
    found: dict[str, None] = {}
    for error in errors:
        match = _MISSING.search(error.message)
        folder = _folder_of(match[1], root) if match else None
        if folder is not None and f"-I{folder}" not in flags:
            found[folder] = None
    return tuple(found)


def shadowed_folders(text: str, root: str, flags: tuple[str, ...]) -> tuple[str, ...]:
    """Folders of project headers whose names our stubs took, such as sample code's own helpers."""
    found: dict[str, None] = {}
    for include in _INCLUDE.findall(text):
        folder = _folder_of(include, root) if (STUBS / include).is_file() else None
        if folder is not None and f"-I{folder}" not in flags:
            found[folder] = None
    return tuple(found)


def _folder_of(include: str, root: str) -> str | None:
    ending = os.path.normpath(include).lstrip("./")
    candidates = [p for p in headers(root).get(os.path.basename(include), ()) if p.endswith("/" + ending)]
    return candidates[0][: -len(ending) - 1] if len(candidates) == 1 else None


@functools.lru_cache(maxsize=4)
def headers(root: str) -> dict[str, tuple[str, ...]]:
    """Headers below a folder by their last name, in the order of their paths."""
    known: dict[str, list[str]] = {}
    count = 0
    for folder, names, files in os.walk(root):
        names[:] = sorted(n for n in names if n not in _SKIPPED)
        count += len(files)
        if count > MOST_FILES:
            break
        for file in sorted(files):
            if file.endswith(_HEADERS):
                known.setdefault(file, []).append(f"{folder}/{file}")
    return {name: tuple(paths) for name, paths in known.items()}
