"""Files of old commits, taken out of clones with the quoted project headers that they reach, and nothing else."""

from __future__ import annotations

import posixpath
import re
import subprocess
from functools import cache
from pathlib import Path

QUOTED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


def git_directory(corpora: Path, repository: str) -> Path:
    """Where the clone of `owner/name` keeps its objects: `owner+name` is bare, or a clone, or holds `repo`."""
    folder = corpora / repository.replace("/", "+")
    for candidate in (folder / "repo" / ".git", folder / "repo", folder / ".git", folder):
        if (candidate / "objects").is_dir():
            return candidate
    raise FileNotFoundError(f"no clone of {repository} in {corpora}")


def extract(clone: Path, commit: str, path: str, into: Path) -> None:
    """Write the file and its headers below `into` at their repository paths."""
    pending, seen = [path], {path}
    while pending:
        current = pending.pop()
        text = _blob(clone, commit, current)
        target = into / current
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
        for name in QUOTED.findall(text.decode("utf-8", "replace")):
            header = _resolve(clone, commit, current, name)
            if header is not None and header not in seen:
                seen.add(header)
                pending.append(header)


def _blob(clone: Path, commit: str, path: str) -> bytes:
    return _git(clone, "cat-file", "blob", f"{commit}:{path}")


def _resolve(clone: Path, commit: str, includer: str, name: str) -> str | None:
    """The header beside its includer, else the one that ends so and shares the longest way with the includer."""
    names = _names(clone, commit)
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(includer), name))
    if beside in names:
        return beside
    wanted = posixpath.normpath(name)
    while wanted.startswith("../"):
        wanted = wanted[3:]
    candidates = [c for c in _by_base_name(clone, commit).get(posixpath.basename(wanted), ()) if _ends(c, wanted)]
    return min(candidates, key=lambda c: (-len(posixpath.commonpath([c, includer])), len(c), c), default=None)


def _ends(path: str, end: str) -> bool:
    return path == end or path.endswith("/" + end)


@cache
def _names(clone: Path, commit: str) -> frozenset[str]:
    return frozenset(_git(clone, "ls-tree", "-r", "-z", "--name-only", commit).decode("utf-8", "replace").split("\0"))


@cache
def _by_base_name(clone: Path, commit: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in sorted(_names(clone, commit)):
        found.setdefault(posixpath.basename(name), []).append(name)
    return {base: tuple(paths) for base, paths in found.items()}


def _git(clone: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", f"--git-dir={clone}", *arguments], capture_output=True, check=True).stdout
