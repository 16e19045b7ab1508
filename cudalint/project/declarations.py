"""Where a project declares a name: the files that a kernel lacks are often there, but not included.

#define fp float          struct Params { ... };          __device__ float scale(float x) { ... }
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cudalint.project.discovery import MAX_BYTES
from cudalint.project.includes import candidates

MOST_PLACES = 16
LONGEST = 2_000
HEADERS = (".h", ".hpp", ".hh", ".cuh", ".inl")

_DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+\Z")
_TYPE = re.compile(
    r"\b(?:struct|class|union|enum|enum class|using|namespace)[ \t]+(?:__\w+__[ \t]*(?:\([^()]*\)[ \t]*)?)*\Z"
)
_RETURNED = re.compile(r"[ \t]*(?:[A-Za-z_][\w:<>,*& \t]*[ \t*&])?\Z")
_STORED = re.compile(r"[ \t]*(?:extern|static|const|constexpr|inline|typedef|__\w+__)\b[^;{}()]*[ \t*&]\Z")
_NOT_A_TYPE = re.compile(r"[ \t]*(?:return|else|case|goto|new|delete|throw)\b")
_BODY = re.compile(r"[\w\s]*\{")


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration: `path` from the root, and its line of text."""

    path: str
    line: int
    text: str


def declarations(root: str, names: Iterable[str]) -> dict[str, tuple[Declared, ...]]:
    """The first places below the root that define each name, headers before other files."""
    wanted = sorted({name for name in names if re.fullmatch(r"[A-Za-z_]\w*", name)})
    found: dict[str, list[Declared]] = {}
    if not wanted:
        return {}
    mentioned = re.compile(rb"\b(?:" + b"|".join(name.encode() for name in wanted) + rb")\b")
    base = Path(root).resolve()
    for path in sorted(candidates(root), key=lambda p: (not p.endswith(HEADERS), p)):
        for name, line, text in _declared(path, mentioned):
            places = found.setdefault(name, [])
            if len(places) < MOST_PLACES:
                places.append(Declared(Path(path).relative_to(base).as_posix(), line, text))
    return {name: tuple(places) for name, places in found.items()}


def _declared(path: str, mentioned: re.Pattern[bytes]) -> Iterator[tuple[str, int, str]]:
    """Name, line and text of the declarations in one file."""
    try:
        if not Path(path).is_file() or Path(path).stat().st_size > MAX_BYTES:
            return
        content = Path(path).read_bytes()
    except OSError:
        return
    for match in mentioned.finditer(content):
        start = content.rfind(b"\n", 0, match.start()) + 1
        before = content[start : match.start()].decode("utf-8", "replace")
        after = content[match.end() : match.end() + LONGEST].decode("utf-8", "replace")
        if _declares(before, after):
            end = content.find(b"\n", match.end())
            text = content[start : end if end >= 0 else len(content)].decode("utf-8", "replace")
            yield match[0].decode(), content.count(b"\n", 0, start) + 1, " ".join(text.split())


def _declares(before: str, after: str) -> bool:
    if _DEFINE.match(before):
        return True
    follows = after.lstrip()[:1]
    if before.rstrip().endswith("}"):
        return follows == ";"
    if _TYPE.search(before):
        return follows in (":", "{", "=")
    if _STORED.match(before):
        return follows in ("=", ";", "[") or (follows == "(" and _has_body(after))
    return follows == "(" and _RETURNED.match(before) is not None and not _NOT_A_TYPE.match(before) and _has_body(after)


def _has_body(after: str) -> bool:
    depth = 0
    for at, char in enumerate(after):
        depth += (char == "(") - (char == ")")
        if char in ";{}":
            return False
        if char == ")" and depth == 0:
            return _BODY.match(after, at + 1) is not None
    return False
