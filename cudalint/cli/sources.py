"""The texts that reports quote, read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from cudalint.engine import ScanOptions
from cudalint.source import SourceFile

ROOT_MARKS = ("cudalint.toml", ".git", "pyproject.toml")


class ProjectSources(Mapping[str, SourceFile]):
    """Files by their path from the project root, and standard input; what cannot be read is absent."""

    def __init__(self, options: ScanOptions) -> None:
        self._root = project_root(options)
        self._stdin = options.stdin
        self._known: dict[str, SourceFile | None] = {}

    def __getitem__(self, path: str) -> SourceFile:
        if path not in self._known:
            self._known[path] = self._read(path)
        source = self._known[path]
        if source is None:
            raise KeyError(path)
        return source

    def __iter__(self) -> Iterator[str]:
        return (path for path, source in self._known.items() if source is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _read(self, path: str) -> SourceFile | None:
        if self._stdin is not None and path in ("-", "<stdin>"):
            return SourceFile(path, path, self._stdin)
        absolute = self._root / path
        try:
            text = absolute.read_bytes().decode("utf-8-sig", "replace")
        except OSError:
            return None
        return SourceFile(path, str(absolute), text)


def project_root(options: ScanOptions) -> Path:
    """The option, else the nearest folder above the first path that has a mark of a project, else that path's folder."""
    if options.project_root:
        return Path(options.project_root).resolve()
    first = next((path for path in options.paths if path != "-"), ".")
    start = Path(first).resolve()
    folder = start if start.is_dir() else start.parent
    for candidate in (folder, *folder.parents):
        if any((candidate / mark).exists() for mark in ROOT_MARKS):
            return candidate
    return folder
