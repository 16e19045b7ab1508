"""Headers of the project that no include folder names: found by the end of their path, where one file is nearest."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable

from cudalint.frontend.clang import STUBS, Diagnostic

_MISSING = re.compile(r"'([^']+)' file not found")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_ATTRIBUTE = re.compile(r"variable has incomplete type '(?:class|struct) ([A-Z][A-Z0-9_]*_[A-Z0-9_]+)'")
_HEADERS = (".h", ".cuh", ".hpp", ".hxx", ".inl", ".inc", ".cu", ".hh")
_SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".venv", "venv", "build"})
MOST_FILES = 100_000


def missing_includes(errors: Iterable[Diagnostic]) -> tuple[tuple[str, Diagnostic], ...]:
    """What was included and not found, as written, with the place of the include."""
    matches = ((_MISSING.search(error.message), error) for error in errors)
    return tuple((match[1], error) for match, error in matches if match)


def missing_folders(errors: Iterable[Diagnostic], root: str, flags: tuple[str, ...]) -> tuple[str, ...]:
    """Folders of the project that make the includes that were not found work; at most one for each."""
    found: dict[str, None] = {}
    for include, error in missing_includes(errors):
        folder = _folder_of(include, root, error.path)
        if folder is not None and f"-I{folder}" not in flags:
            found[folder] = None
    return tuple(found)


def class_attributes(errors: Iterable[Diagnostic]) -> tuple[str, ...]:
    """Macros in capitals that are missing between `class` and its name: `class CORE_EXPORT Array {`."""
    matches = (_ATTRIBUTE.search(error.message) for error in errors)
    return tuple(dict.fromkeys(match[1] for match in matches if match))


def needed_folders(text: str, root: str, flags: tuple[str, ...], path: str) -> tuple[str, ...]:
    """Folders that the includes in a text need, known before it is parsed: what `missing_folders` would say of it."""
    searched = [os.path.dirname(path), *(flag[2:] for flag in flags if flag.startswith("-I")), str(STUBS)]
    found: dict[str, None] = {}
    for include in dict.fromkeys(_INCLUDE.findall(text)):
        if not any(os.path.isfile(os.path.join(folder, include)) for folder in (*searched, *found)):
            folder = _folder_of(include, root, path)
            if folder is not None:
                found[folder] = None
    return tuple(found)


def shadowed_folders(text: str, root: str, flags: tuple[str, ...], path: str = "") -> tuple[str, ...]:
    """Folders of project headers whose names our stubs took, such as sample code's own helpers; `path` includes them."""
    found: dict[str, None] = {}
    for include in _INCLUDE.findall(text):
        folder = _folder_of(include, root, path) if (STUBS / include).is_file() else None
        if folder is not None and f"-I{folder}" not in flags:
            found[folder] = None
    return tuple(found)


def _folder_of(include: str, root: str, includer: str) -> str | None:
    """The folder of the only file that the include can mean, or of the one that is nearest to where it is included.

    Our stubs are none of the project's headers, also where cudalint lies below its root.
    """
    ending = os.path.normpath(include).lstrip("./")
    named = (p for p in headers(root).get(os.path.basename(include), ()) if p.endswith("/" + ending))
    candidates = [p for p in named if not p.startswith(str(STUBS))]
    found = nearest(candidates, includer)
    return None if found is None else found[: -len(ending) - 1]


def nearest(candidates: list[str], path: str) -> str | None:
    """The candidate that shares more leading folders with the path than any other; the only one in any case."""
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    shared = sorted(((_shared(each, path), each) for each in candidates), reverse=True)
    return shared[0][1] if shared[0][0] > shared[1][0] else None


def _shared(path: str, other: str) -> int:
    folders, others = os.path.dirname(path).split("/"), os.path.dirname(os.path.normpath(other)).split("/")
    return next((i for i, (a, b) in enumerate(zip(folders, others)) if a != b), min(len(folders), len(others)))


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
