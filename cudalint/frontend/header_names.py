"""What the project's headers say of the names that a file uses: aliases of types, members, results of methods.

A file whose text is read alone knows `int row` but not `Index row`: the alias stands in a header. Headers are read with
patterns, as far as quoted includes lead; a name that two headers give different types is not known.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from cudalint.source import SourceFile

MOST_HEADERS = 60
LARGEST = 400_000
UNCLEAR = "?"

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_TYPEDEF = re.compile(r"^[ \t]*typedef[ \t]+([\w: ]+?)[ \t]+(\w+)[ \t]*;", re.MULTILINE)
_USING = re.compile(r"^[ \t]*using[ \t]+(\w+)[ \t]*=[ \t]*([\w: ]+?)[ \t]*;", re.MULTILINE)
_MEMBERS = re.compile(
    r"^[ \t]*(?:const[ \t]+|mutable[ \t]+)*([\w:]+(?:[ \t]+int)?)[ \t]+(\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*;", re.MULTILINE
)
_STRUCTURE = re.compile(r"\b(?:struct|class)[ \t]+(?:__\w+__\([^()]*\)[ \t]*)?(\w+)[^;{}()]*\{")
_STATEMENTS = frozenset(
    {"return", "goto", "using", "typedef", "namespace", "delete", "throw", "case", "else", "friend"}
)


@dataclass(slots=True)
class HeaderNames:
    """`types` are names for other types, `members` the types of what is declared without a value, also as
    `structure::member`."""

    types: dict[str, str] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)


NO_NAMES = HeaderNames()


def header_names(source: SourceFile, root: str) -> HeaderNames:
    """The names of the headers that a file reaches by quoted includes below the root."""
    found = HeaderNames()
    seen = {os.path.realpath(source.absolute)}
    pending = _included(source.text, source.absolute, root)
    while pending and len(seen) <= MOST_HEADERS:
        path = pending.pop(0)
        if path in seen:
            continue
        seen.add(path)
        names, includes = _names_of(path, root)
        _join(found.types, names.types)
        _join(found.members, names.members)
        pending += includes
    return found


@lru_cache(maxsize=512)
def _names_of(path: str, root: str) -> tuple[HeaderNames, tuple[str, ...]]:
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace") if os.path.getsize(path) <= LARGEST else ""
    except OSError:
        text = ""
    names = HeaderNames()
    for match in _TYPEDEF.finditer(text):
        _join(names.types, {match[2]: match[1]})
    for match in _USING.finditer(text):
        _join(names.types, {match[1]: match[2]})
    heads = [(match.start(), match[1]) for match in _STRUCTURE.finditer(text)]
    for match in _MEMBERS.finditer(text):
        if match[1] in _STATEMENTS:
            continue
        around = next((name for start, name in reversed(heads) if start < match.start()), "")
        for name in match[2].split(","):
            _join(names.members, {name.strip(): match[1]})
            _join(names.members, {f"{around}::{name.strip()}": match[1]})
    names.members = {name: _meant(written, names.types) for name, written in names.members.items()}
    return names, tuple(_included(text, path, root))


def _meant(written: str, types: dict[str, str]) -> str:
    """What a header's own alias stands for: another file may use the name for something else."""
    target = types.get(written, UNCLEAR)
    return written if target == UNCLEAR else target


def _join(into: dict[str, str], names: dict[str, str]) -> None:
    for name, written in names.items():
        into[name] = written if into.get(name, written) == written else UNCLEAR


def _included(text: str, path: str, root: str) -> list[str]:
    """Real paths of the quoted includes: beside the file, or below one of the folders above it up to the root."""
    top = os.path.join(os.path.realpath(root), "")
    folders: list[str] = []
    folder = os.path.dirname(os.path.realpath(path))
    while os.path.join(folder, "").startswith(top):
        folders += [folder, os.path.join(folder, "include"), os.path.join(folder, "src")]
        folder = os.path.dirname(folder)
    found: list[str] = []
    for name in _INCLUDE.findall(text):
        candidates = (os.path.normpath(os.path.join(folder, name)) for folder in folders)
        path_of = next((each for each in candidates if each.startswith(top) and os.path.isfile(each)), None)
        if path_of is not None:
            found.append(os.path.realpath(path_of))
    return found
